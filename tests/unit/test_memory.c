/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>

#include "memory.h"

enum { BLOCKS = 4000, SIZE_MOST = 12000 };

static unsigned char *blocks[BLOCKS];
static size_t sizes[BLOCKS];

/* Its bytes, and those of a block that is its own, are told by its number. */
static void fill(int i)
{
	memset(blocks[i], i % 255 + 1, sizes[i]);
}

static bool is_own(int i)
{
	for (size_t at = 0; at < sizes[i]; at++) {
		if (blocks[i][at] != i % 255 + 1)
			return false;
	}
	return true;
}

static bool take(int i, size_t size)
{
	static const unsigned char zero[SIZE_MOST];
	blocks[i] = memory_take(1, sizes[i] = size);
	return blocks[i] && (uintptr_t)blocks[i] % 16 == 0 && !memcmp(blocks[i], zero, size);
}

/* More than the pool holds, of all lengths, given back and taken again in another order. */
static void many(void)
{
	bool is_zeroed = true, is_kept = true;
	uint32_t random = 1;
	for (int i = 0; i < BLOCKS; i++) {
		is_zeroed &= take(i, (size_t)i * 7 % SIZE_MOST);
		fill(i);
	}
	for (int round = 0; round < 5 * BLOCKS; round++) {
		random = random * 1664525 + 1013904223;
		int i = (int)(random >> 8) % BLOCKS;
		is_kept &= is_own(i);
		memory_free(blocks[i]);
		is_zeroed &= take(i, (random >> 4) % SIZE_MOST);
		fill(i);
	}
	for (int i = 0; i < BLOCKS; i++)
		is_kept &= is_own(i);
	OK(is_zeroed, "all are there, zeroed and aligned");
	OK(is_kept, "none overlaps another");
	for (int i = 0; i < BLOCKS; i++)
		memory_free(blocks[i]);
}

static void again(void)
{
	char *first = memory_take(3, 8);
	memory_free(first);
	OK(memory_take(2, 8) != first && memory_take(1, 30) == first,
	   "one that was given back is given to who asks for about as much");
	for (size_t size = 8100; size < 8300; size++) {
		OK(take(0, size), "%zu bytes", size);
		fill(0);
		errno = 7;
		memory_free(blocks[0]);
		EQ_INT(errno, 7, "errno stays");
	}
}

static void refused(void)
{
	OK(!memory_take(SIZE_MAX / 2, 3), "a product that overflows");
	OK(!memory_take(SIZE_MAX, 1) && !memory_take(PTRDIFF_MAX, 1), "no room for the header");
	OK(memory_take(SIZE_MAX, 0) && memory_take(0, 5), "nothing");
	memory_free(NULL);
}

int main(void)
{
	again();
	many();
	refused();
	return test_done();
}
