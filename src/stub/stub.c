/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs first in the shipped file: unpacks the program that is in it to where it was linked to, and goes on there as if the
 * kernel had started it. Where written memory may not be executed (PR_SET_MDWE, a seccomp filter, SELinux, PaX) the program is
 * written to a file in memory instead, and executed as such; what is written there is the plain program, which unpacks nothing,
 * so this cannot go round in circles. There is no libc here: nothing but the kernel, and the stack it made. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "arch.h"
#include "unpack.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10U /* include/uapi/linux/memfd.h, from 6.3 on */
#endif
#ifndef SYS_mmap
#define SYS_mmap SYS_mmap2 /* counts the offset in pages; ours is 0 */
#endif

enum { EXIT_OWN_FAILURE = 125, SIGSET_BYTES = 8 };

/* payload.S. Behind what is packed: the size of what it becomes, and the checksum of all that. */
extern const uint32_t payload[], payload_check[2], payload_words, program_range[2];

/* The first thing that failed on a way. */
struct failure {
	const char *call;
	long number;
};

/* The compiler calls these. */
void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
	unsigned char *out = to;
	const unsigned char *in = from;
	while (count--)
		*out++ = *in++;
	return to;
}

void *memset(void *to, int value, size_t count)
{
	for (unsigned char *out = to; count--; out++)
		*out = (unsigned char)value;
	return to;
}

/* --- the end, when nothing else is left ------------------------------------------------------------------------------------ */

struct line {
	char text[160];
	size_t length;
};

static void add(struct line *line, const char *text)
{
	while (*text && line->length < sizeof(line->text))
		line->text[line->length++] = *text++;
}

/* Divided by 10 as 2^35 / 10, rounded up, which is exact for all of 32 bits: not every processor can divide. */
static void add_number(struct line *line, uint32_t number)
{
	char digits[12], *at = digits + sizeof(digits) - 1;
	*at = '\0';
	do {
		const uint32_t tenth = (uint32_t)((uint64_t)number * 0xCCCCCCCD >> 35);
		*--at = (char)('0' + (number - tenth * 10));
		number = tenth;
	} while (number);
	add(line, at);
}

static void add_failure(struct line *line, const struct failure *failure)
{
	add(line, failure->call);
	add(line, ", errno ");
	add_number(line, (uint32_t)-failure->number);
}

static _Noreturn void give_up(struct line *line)
{
	add(line, "\n");
	call6(SYS_write, 2, (long)line->text, (long)line->length, 0, 0, 0);
	for (;;)
		call6(SYS_exit_group, EXIT_OWN_FAILURE, 0, 0, 0, 0, 0);
}

static _Noreturn void give_up_damaged(void)
{
	struct line line = {.length = 0};
	add(&line, "bperf-mini: cannot unpack itself: this file is damaged");
	give_up(&line);
}

/* second: of the second way, if that was tried */
static _Noreturn void give_up_failed(const struct failure *first, const struct failure *second)
{
	struct line line = {.length = 0};
	add(&line, "bperf-mini: cannot unpack itself: ");
	add_failure(&line, first);
	if (second) {
		add(&line, "; then ");
		add_failure(&line, second);
	}
	give_up(&line);
}

static bool failed(struct failure *failure, const char *call, long result)
{
	if (result >= 0 || result < -4095)
		return false;
	*failure = (struct failure){call, result};
	return true;
}

/* --- unpacking ------------------------------------------------------------------------------------------------------------- */

/* Of a file that was cut off the pages behind its end are mapped all the same, and touching one is the end (SIGBUS). The kernel
 * looks for us whether the last one is there: it reads a signal set from it, and then has no use for it. */
static bool is_whole(uintptr_t page)
{
	const uintptr_t last = ((uintptr_t)payload_check + sizeof(payload_check) - 1) & -page;
	return call6(SYS_rt_sigprocmask, -1, (long)last, 0, SIGSET_BYTES, 0, 0) != -EFAULT;
}

static void unpack_to(unsigned char *to, size_t size, struct unpacking *scratch)
{
	if (unpack(to, size, payload, payload_words, scratch))
		give_up_damaged();
	filter(to, size, true);
}

/* --- the first way: into place --------------------------------------------------------------------------------------------- */

/* The segments stand in the file in the order of their addresses, and no less far apart in memory than there (else the linker
 * has changed its ways, and the file is of no use). So each goes up to its place, the last one first, and what it left behind
 * becomes zero. The first one, with the headers, is in place. */
static void place(unsigned char *image, size_t size, uintptr_t end)
{
	const ElfW(Ehdr) *elf = (const void *)image;
	const ElfW(Phdr) *segment = (const void *)(image + elf->e_phoff);
	const uintptr_t image_end = (uintptr_t)image + size;
	uintptr_t left_end = image_end, above = end, offset_above = size;
	for (int i = elf->e_phnum; i-- > 0;) {
		if (segment[i].p_type != PT_LOAD)
			continue;
		const uintptr_t to = segment[i].p_vaddr, from = (uintptr_t)image + segment[i].p_offset;
		uintptr_t bytes = segment[i].p_filesz;
		if (to < from || to > above || segment[i].p_memsz > above - to || bytes > segment[i].p_memsz ||
		    segment[i].p_offset > offset_above || bytes > offset_above - segment[i].p_offset)
			give_up_damaged();
		above = to;
		offset_above = segment[i].p_offset;
		if (to + bytes < left_end)
			memset((void *)(to + bytes), 0, left_end - to - bytes);
		if (to < left_end)
			left_end = to;
		if (to == from)
			continue;
		/* from its end on: it may reach into itself, by a page or more */
		while (bytes % sizeof(long)) {
			bytes--;
			*(unsigned char *)(to + bytes) = *(const unsigned char *)(from + bytes);
		}
		while (bytes) {
			bytes -= sizeof(long);
			__builtin_memcpy((void *)(to + bytes), (const void *)(from + bytes), sizeof(long));
		}
	}
	if (above != (uintptr_t)image || offset_above)
		give_up_damaged();
}

/* Pages that belong to no segment are given back: among them those that only the unpacking needed. */
static bool protect(const unsigned char *image, uintptr_t end, uintptr_t page, struct failure *failure)
{
	const ElfW(Ehdr) *elf = (const void *)image;
	const ElfW(Phdr) *segment = (const void *)(image + elf->e_phoff);
	uintptr_t at = (uintptr_t)image;
	for (int i = 0; i < elf->e_phnum; i++) {
		if (segment[i].p_type != PT_LOAD)
			continue;
		const uintptr_t from = segment[i].p_vaddr & -page;
		const uintptr_t to = (segment[i].p_vaddr + segment[i].p_memsz + page - 1) & -page;
		const int allowed = (segment[i].p_flags & PF_R ? PROT_READ : 0) |
				    (segment[i].p_flags & PF_W ? PROT_WRITE : 0) |
				    (segment[i].p_flags & PF_X ? PROT_EXEC : 0);
		if (from > at)
			call6(SYS_munmap, (long)at, (long)(from - at), 0, 0, 0, 0);
		if (allowed & PROT_EXEC)
			make_executable(segment[i].p_vaddr, segment[i].p_vaddr + segment[i].p_filesz);
		if (failed(failure, "mprotect", call6(SYS_mprotect, (long)from, (long)(to - from), allowed, 0, 0, 0)))
			return false;
		at = to;
	}
	if (end > at)
		call6(SYS_munmap, (long)at, (long)(end - at), 0, 0, 0, 0);
	return true;
}

/* What libc learns of the program's headers (its thread-local storage, the size of a thread's stack) is in the vector that the
 * kernel made for the stub. All else in it is true of the program as well. */
static void describe(ElfW(auxv_t) * aux, const unsigned char *image)
{
	const ElfW(Ehdr) *elf = (const void *)image;
	for (; aux->a_type != AT_NULL; aux++) {
		if (aux->a_type == AT_PHDR)
			aux->a_un.a_val = (uintptr_t)image + elf->e_phoff;
		else if (aux->a_type == AT_PHENT)
			aux->a_un.a_val = elf->e_phentsize;
		else if (aux->a_type == AT_PHNUM)
			aux->a_un.a_val = elf->e_phnum;
		else if (aux->a_type == AT_ENTRY)
			aux->a_un.a_val = elf->e_entry;
	}
}

/* Returns where the program starts; 0, with the failure, if it cannot be had there. */
static uintptr_t in_place(size_t size, uintptr_t page, ElfW(auxv_t) * aux, struct failure *failure)
{
	const uintptr_t start = program_range[0], program_end = program_range[1];
	/* unpacked there first as the file it is, which may be longer than what it becomes */
	const uintptr_t scratch = ((start + size > program_end ? start + size : program_end) + page - 1) & -page;
	const uintptr_t end = (scratch + sizeof(struct unpacking) + page - 1) & -page;
	unsigned char *image = (unsigned char *)start;
	/* A kernel that does not know the flag takes the address for a wish: then it is another where that one is taken. */
	const long got = call6(SYS_mmap, (long)start, (long)(end - start), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (failed(failure, "mmap", got))
		return 0;
	if ((uintptr_t)got != start) {
		call6(SYS_munmap, got, (long)(end - start), 0, 0, 0, 0);
		*failure = (struct failure){"mmap", -EEXIST};
		return 0;
	}
	/* A huge page, where the kernel has them unasked, would be ten times what is needed, and filled with zeros first. It may not know
	 * of them: as good. */
	call6(SYS_madvise, (long)start, (long)(end - start), MADV_NOHUGEPAGE, 0, 0, 0);
	unpack_to(image, size, (struct unpacking *)scratch);
	const ElfW(Ehdr) *elf = (const void *)image;
	const uintptr_t entry = elf->e_entry;
	place(image, size, program_end);
	if (!protect(image, end, page, failure)) {
		call6(SYS_munmap, got, (long)(end - start), 0, 0, 0, 0);
		return 0;
	}
	describe(aux, image);
	/* the payload is not needed any more; the code goes on standing in the page before it */
	const uintptr_t packed = (uintptr_t)payload & -page;
	call6(SYS_munmap, (long)packed, (long)((uintptr_t)payload_check + sizeof(payload_check) - packed), 0, 0, 0, 0);
	return entry;
}

/* --- the second way: by a file in memory ----------------------------------------------------------------------------------- */

static long memory_file(void)
{
	const char *name = "bperf-mini";
	long fd = call6(SYS_memfd_create, (long)name, MFD_CLOEXEC | MFD_EXEC, 0, 0, 0, 0);
	return fd == -EINVAL ? call6(SYS_memfd_create, (long)name, MFD_CLOEXEC, 0, 0, 0, 0) : fd;
}

static long write_all(long fd, long from, size_t count)
{
	while (count) {
		const long written = call6(SYS_write, fd, from, (long)count, 0, 0, 0);
		if (written < 0)
			return written;
		from += written;
		count -= (size_t)written;
	}
	return 0;
}

/* By its number; where that is refused (some kernels answer ENOENT to an empty path), by its name, if there is a /proc. */
static long execute(long fd, char **argv, char **envp)
{
	struct line name = {.length = 0};
	const long result = call6(SYS_execveat, fd, (long)"", (long)argv, (long)envp, AT_EMPTY_PATH, 0);
	add(&name, "/proc/self/fd/");
	add_number(&name, (uint32_t)fd);
	call6(SYS_execve, (long)name.text, (long)argv, (long)envp, 0, 0, 0);
	return result;
}

/* Comes back only if it cannot be done. The limit of file sizes holds for files in memory too: its signal would end us before
 * we could say so. */
static void elsewhere(size_t size, char **argv, char **envp, struct failure *failure)
{
	const uint64_t too_long = (uint64_t)1 << (SIGXFSZ - 1);
	uint64_t blocked;
	const long scratch = call6(SYS_mmap, 0, (long)(sizeof(struct unpacking) + size), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (failed(failure, "mmap", scratch))
		return;
	const long copy = scratch + (long)sizeof(struct unpacking);
	unpack_to((unsigned char *)copy, size, (struct unpacking *)scratch);
	const long fd = memory_file();
	if (failed(failure, "memfd_create", fd))
		return;
	call6(SYS_rt_sigprocmask, SIG_BLOCK, (long)&too_long, (long)&blocked, SIGSET_BYTES, 0, 0);
	if (failed(failure, "write", write_all(fd, copy, size)))
		return;
	call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&blocked, 0, SIGSET_BYTES, 0, 0);
	failed(failure, "execveat", execute(fd, argv, envp));
}

uintptr_t stub_main(uintptr_t *stack)
{
	char **argv = (char **)(stack + 1), **envp = argv + stack[0] + 1, **envp_end = envp;
	uintptr_t page = 4096;
	struct failure first = {0}, second = {0};
	while (*envp_end)
		envp_end++;
	ElfW(auxv_t) *aux = (void *)(envp_end + 1);
	for (const ElfW(auxv_t) *at = aux; at->a_type != AT_NULL; at++)
		if (at->a_type == AT_PAGESZ)
			page = at->a_un.a_val;
	if (!is_whole(page) || unpack_checksum(payload, payload_words + 1) != payload_check[1])
		give_up_damaged();
	const size_t size = payload_check[0];
	const uintptr_t entry = in_place(size, page, aux, &first);
	if (entry)
		return entry;
	/* with too little memory the kernel would end us in the middle of the second way, without a word */
	if (first.number == -ENOMEM)
		give_up_failed(&first, NULL);
	elsewhere(size, argv, envp, &second);
	give_up_failed(&first, &second);
}
