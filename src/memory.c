/* SPDX-License-Identifier: GPL-2.0-only */
#include "memory.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* A mapping costs two system calls and a page fault; so what fits into SMALL bytes, its header included, is taken from a pool, in
 * powers of two, and goes back to a list of its length. What the pool has no room for is mapped, as what is larger. */
enum { LEAST = 32, LISTS = 9, SMALL = LEAST << (LISTS - 1), POOL = 64 << 10 };

/* In front of the memory. */
struct block {
	_Alignas(16) size_t length; /* header included; more than SMALL: it is mapped */
	struct block *next;         /* of those that were given back */
};

static _Alignas(16) char pool[POOL];
static size_t used;
static struct block *lists[LISTS];

/* The list of blocks of `length` bytes or more. */
static int list_of(size_t length)
{
	int list = 0;
	while ((size_t)LEAST << list < length)
		list++;
	return list;
}

static struct block *take_small(size_t length)
{
	const int list = list_of(length);
	const size_t size = (size_t)LEAST << list;
	struct block *block = lists[list];
	if (block) {
		lists[list] = block->next;
		memset(block, 0, size);
	} else if (size <= POOL - used) {
		block = (struct block *)(void *)&pool[used];
		used += size;
	}
	if (block)
		block->length = size;
	return block;
}

static struct block *map(size_t length)
{
	struct block *block = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		return NULL;
	block->length = length;
	return block;
}

void *memory_take(size_t count, size_t size)
{
	if (size && count > (PTRDIFF_MAX - sizeof(struct block)) / size)
		return NULL;
	const size_t length = count * size + sizeof(struct block);
	struct block *block = length <= SMALL ? take_small(length) : NULL;
	if (!block)
		block = map(length <= SMALL ? SMALL + 1 : length);
	return block ? block + 1 : NULL;
}

void memory_free(void *memory)
{
	if (!memory)
		return;
	struct block *block = (struct block *)memory - 1;
	if (block->length > SMALL) {
		int kept = errno;
		munmap(block, block->length);
		errno = kept;
		return;
	}
	const int list = list_of(block->length);
	block->next = lists[list];
	lists[list] = block;
}
