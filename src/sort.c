/* SPDX-License-Identifier: GPL-2.0-only */
#include "sort.h"

#include <string.h>

/* Shell's: thousands of items in a moment, and short. */
void sort(void *items, size_t count, size_t size, bool (*stands_before)(const void *a, const void *b))
{
	unsigned char *first = items, item[SORT_SIZE_MAX];
	size_t gap = 1;
	while (gap < count / 3)
		gap = 3 * gap + 1;
	for (; gap; gap /= 3) {
		for (size_t i = gap; i < count; i++) {
			size_t at = i;
			memcpy(item, first + i * size, size);
			for (; at >= gap && stands_before(item, first + (at - gap) * size); at -= gap)
				memcpy(first + at * size, first + (at - gap) * size, size);
			memcpy(first + at * size, item, size);
		}
	}
}
