/* SPDX-License-Identifier: GPL-2.0-only */
#include "memory.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

enum { HEADER = 16 }; /* in front of the memory: its length, header included */

void *memory_take(size_t count, size_t size)
{
	if (size && count > (PTRDIFF_MAX - HEADER) / size)
		return NULL;
	size_t length = count * size + HEADER;
	size_t *start = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (start == MAP_FAILED)
		return NULL;
	*start = length;
	return (char *)start + HEADER;
}

void memory_free(void *memory)
{
	if (!memory)
		return;
	int kept = errno;
	size_t *start = (size_t *)(void *)((char *)memory - HEADER);
	munmap(start, *start);
	errno = kept;
}
