/* SPDX-License-Identifier: GPL-2.0-only */
/* "0-3,7" <-> a set of CPU ids. */
#ifndef CPULIST_H
#define CPULIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum { CPULIST_MAX = 8192 }; /* the kernel's largest NR_CPUS (x86 MAXSMP, arch/x86/Kconfig) */

struct cpulist {
	uint64_t bits[CPULIST_MAX / 64]; /* bit n % 64 of word n / 64 is CPU n */
};

void cpulist_add(struct cpulist *list, unsigned cpu); /* ids of CPULIST_MAX and more are ignored */
bool cpulist_has(const struct cpulist *list, unsigned cpu);
unsigned cpulist_count(const struct cpulist *list);

/* Keeps those only that are in `other` too. */
void cpulist_and(struct cpulist *list, const struct cpulist *other);

/* Adds those of `other`. */
void cpulist_or(struct cpulist *list, const struct cpulist *other);

/* The first CPU above `after` (-1: the first of all), or -1: for (c = -1; (c = cpulist_next(l, c)) >= 0;) */
int cpulist_next(const struct cpulist *list, int after);

/* The index of `cpu` among the list's members in order (per-CPU map values come in the order of the possible CPUs). */
unsigned cpulist_index(const struct cpulist *list, unsigned cpu);

/* Is every CPU of `part` in `whole`? If not, *missing (may be NULL) is the first that is not. */
bool cpulist_contains(const struct cpulist *whole, const struct cpulist *part, int *missing);

/* Kernel syntax, and a person's: numbers and a-b ranges between commas, spaces around them allowed; one trailing newline
 * is allowed. Repeats are allowed; reversed ranges, empty text, signs, other characters and ids of CPULIST_MAX and more
 * are refused with -EINVAL and a text that quotes what was wrong. Overwrites *list. Returns 0 or -EINVAL. */
int cpulist_parse(struct cpulist *list, const char *text, struct err *err);

/* "0-3,7" into buffer, cut with "..." if it does not fit; always ended with NUL (size at least 4). */
void cpulist_format(char *buffer, size_t size, const struct cpulist *list);

#endif
