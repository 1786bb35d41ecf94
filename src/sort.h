/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SORT_H
#define SORT_H

#include <stdbool.h>
#include <stddef.h>

enum { SORT_SIZE_MAX = 64 };

/* Sorts items of `size` bytes each (SORT_SIZE_MAX at most) in place. stands_before must say of two different items which comes
 * first: those that are alike may change places. */
void sort(void *items, size_t count, size_t size, bool (*stands_before)(const void *a, const void *b));

#endif
