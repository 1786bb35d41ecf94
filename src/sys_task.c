/* SPDX-License-Identifier: GPL-2.0-only */
#include "sys_task.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "fd.h"
#include "out.h"
#include "sysfs.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* the same on every architecture */
#endif

#ifndef AT_EXECFN
#define AT_EXECFN 31 /* include/uapi/linux/auxvec.h; sys/auxv.h has it from elf.h, which is another one here */
#endif

#define PIDFD_THREAD_FLAG O_EXCL /* PIDFD_THREAD of the kernel's include/uapi/linux/pidfd.h */

int sys_task_pidfd(int id, bool by_thread)
{
	long fd = syscall(SYS_pidfd_open, id, by_thread ? PIDFD_THREAD_FLAG : 0);
	return fd < 0 ? -errno : fd_above_std((int)fd);
}

/* proc(5): field 3 is the state, field 20 the number of threads; they stand behind the name's last ')', as the name may
 * hold anything. False if there is no such file. */
static bool read_stat(int id, char *state, unsigned long *threads)
{
	char path[32], text[1024];
	out_print(path, sizeof(path), "/proc/%d/stat", id);
	if (sysfs_read(path, text, sizeof(text), NULL) < 0)
		return false;
	const char *at = strrchr(text, ')');
	if (!at || at[1] != ' ')
		return false;
	*state = at[2];
	for (int field = 2; at && field < 20; field++)
		at = strchr(at + 1, ' ');
	*threads = 0;
	for (at = at ? at + 1 : ""; *at >= '0' && *at <= '9'; at++)
		*threads = *threads * 10 + (unsigned long)(*at - '0');
	return true;
}

bool sys_task_alive(int id, bool by_thread)
{
	char state;
	unsigned long threads;
	if (kill(id, 0) && errno == ESRCH)
		return false;
	if (!read_stat(id, &state, &threads) || (state != 'Z' && state != 'X'))
		return true; /* or no /proc to ask */
	/* the first thread of a process may end before the others */
	return !by_thread && threads > 1;
}

int sys_task_process(int id)
{
	char path[32], text[2048];
	out_print(path, sizeof(path), "/proc/%d/status", id);
	if (sysfs_read(path, text, sizeof(text), NULL) < 0)
		return 0;
	return (int)sysfs_field(text, "Tgid:\t");
}

bool sys_task_is_nested(int id)
{
	char path[32];
	struct stat ours, its;
	out_print(path, sizeof(path), "/proc/%d/ns/pid", id);
	return !stat("/proc/self/ns/pid", &ours) && !stat(path, &its) &&
	       (ours.st_ino != its.st_ino || ours.st_dev != its.st_dev);
}

void sys_task_comm(int id, char *comm, size_t size)
{
	char path[32], text[64];
	out_print(path, sizeof(path), "/proc/%d/comm", id);
	int length = sysfs_read(path, text, sizeof(text), NULL);
	if (length <= 1)
		return;
	text[length - 1] = '\0'; /* the newline */
	out_print(comm, size, "%s", text);
}

void sys_task_name(const char *name)
{
	/* what the kernel calls the file that it executed; 0 if it does not tell */
	const char *file = (const char *)getauxval(AT_EXECFN);
	if (file && (!strncmp(file, "/dev/fd/", 8) || !strncmp(file, "/proc/self/fd/", 14)))
		prctl(PR_SET_NAME, name);
}

bool sys_task_is_setuid(void)
{
	return getuid() != geteuid() || getgid() != getegid();
}

void sys_task_host(char *name, size_t size)
{
	struct utsname host;
	out_print(name, size, "%s", uname(&host) ? "" : host.nodename);
}

void sys_task_raise_files(void)
{
	/* the calls themselves: this process has no other threads for setrlimit(3) to take along */
	struct rlimit limit;
	if (!syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
	}
}

uint64_t sys_task_capabilities(void)
{
	/* the kernel's _LINUX_CAPABILITY_VERSION_3 (include/uapi/linux/capability.h): two halves of 32 bits */
	struct {
		uint32_t version;
		int pid;
	} header = {0x20080522, 0};
	struct {
		uint32_t effective, permitted, inheritable;
	} halves[2] = {{0}};
	syscall(SYS_capget, &header, halves);
	return (uint64_t)halves[1].effective << 32 | halves[0].effective;
}

bool sys_task_is_filtered(void)
{
	return prctl(PR_GET_SECCOMP) == 2; /* SECCOMP_MODE_FILTER of the kernel's include/uapi/linux/seccomp.h */
}

uint64_t sys_task_memlock(void)
{
	struct rlimit limit = {0};
	syscall(SYS_prlimit64, 0, RLIMIT_MEMLOCK, NULL, &limit);
	return limit.rlim_cur;
}

int sys_task_cpu(void)
{
	unsigned cpu = 0;
	return syscall(SYS_getcpu, &cpu, NULL, NULL) ? 0 : (int)cpu;
}

bool sys_task_pidns(uint64_t *dev, uint64_t *ino)
{
	struct stat st;
	*dev = *ino = 0;
	if (stat("/proc/self/ns/pid", &st))
		return false;
	if (st.st_ino != SYS_TASK_PIDNS_INIT_INO) {
		*dev = (uint64_t)major(st.st_dev) << 20 | minor(st.st_dev);
		*ino = st.st_ino;
	}
	return true;
}

const char *sys_task_environment(const char *name)
{
	const size_t length = strlen(name);
	for (char **p = environ; p && *p; p++) {
		if (!strncmp(*p, name, length) && (*p)[length] == '=')
			return *p + length + 1;
	}
	return "";
}

static uint64_t clock_ns(clockid_t which)
{
	struct timespec now;
	clock_gettime(which, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

uint64_t sys_task_clock(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t sys_task_boot_clock(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

uint64_t sys_task_date(void)
{
	return clock_ns(CLOCK_REALTIME) / 1000000000U;
}
