/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a command where something that unpacking needs is refused. Static, runs in the emulated machines too.
 *
 *   mdwe WHAT[,WHAT].. COMMAND [ARGUMENT]..
 *
 *   mdwe        memory that was written may not become executable: PR_SET_MDWE (from 6.3 on; status 77 where there is none)
 *   mprotect    the same by a seccomp filter, as systemd's MemoryDenyWriteExecute= does it: mprotect with PROT_EXEC is EPERM
 *   mfd-exec    memfd_create does not know MFD_EXEC (EINVAL), as before 6.3
 *   memfd       there is no memfd_create (ENOSYS)
 *   execveat    execveat is not allowed (EACCES): the file in memory is executed by its name in /proc
 *   no-fd       there are descriptors for stdin, stdout and stderr only (RLIMIT_NOFILE)
 *   fsize       files may have no bytes at all (RLIMIT_FSIZE)
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Classic BPF and seccomp: linux/filter.h's and linux/seccomp.h's numbers. */
struct instruction {
	unsigned short code;
	unsigned char jump_true, jump_false;
	unsigned k;
};

enum { ANY = -1, BAD = 2, CANNOT = 77, OFFSET_NR = 0, OFFSET_ARGUMENTS = 16, ERRNO = 0x50000, ALLOW = 0x7FFF0000 };

/* The call answers `error`; where argument is not ANY, only if that argument has one of the bits. */
static int refuse(int call, int argument, unsigned bits, int error)
{
	const struct instruction code[] = {
		{0x20, 0, 0, OFFSET_NR},      /* load the call's number */
		{0x15, 0, 3, (unsigned)call}, /* another one: allowed */
		{0x20, 0, 0,
		 OFFSET_ARGUMENTS + 8U * (unsigned)(argument == ANY ? 0 : argument)}, /* load its argument, low half */
		{0x45, 0, argument != ANY, bits},                                     /* has none of the bits: allowed */
		{0x06, 0, 0, ERRNO | (unsigned)error},
		{0x06, 0, 0, ALLOW},
	};
	const struct {
		unsigned short length;
		const struct instruction *code;
	} program = {sizeof(code) / sizeof(code[0]), code};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -1 : prctl(PR_SET_SECCOMP, 2, &program, 0, 0);
}

static int apply(const char *what)
{
	const struct rlimit none = {0, 0}, three = {3, 3};
	if (!strcmp(what, "mdwe"))
		return prctl(65 /* PR_SET_MDWE */, 1 /* PR_MDWE_REFUSE_EXEC_GAIN */, 0, 0, 0);
	if (!strcmp(what, "mprotect"))
		return refuse(SYS_mprotect, 2, PROT_EXEC, EPERM);
	if (!strcmp(what, "mfd-exec"))
		return refuse(SYS_memfd_create, 1, 0x10 /* MFD_EXEC */, EINVAL);
	if (!strcmp(what, "memfd"))
		return refuse(SYS_memfd_create, ANY, 0, ENOSYS);
	if (!strcmp(what, "execveat"))
		return refuse(SYS_execveat, ANY, 0, EACCES);
	if (!strcmp(what, "fsize"))
		return setrlimit(RLIMIT_FSIZE, &none);
	if (!strcmp(what, "no-fd"))
		return setrlimit(RLIMIT_NOFILE, &three);
	errno = EINVAL;
	return -1;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return BAD;
	for (char *what = strtok(argv[1], ","); what; what = strtok(NULL, ","))
		if (apply(what)) {
			perror(what);
			return CANNOT;
		}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return BAD;
}
