/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as text: integers in, digits out. No floating point, and '.' and ',' whatever the locale. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct event;

/* 18,446,744,073,709,551,615 and nineteen decimals fit. */
struct number {
	char text[48];
};

/* value / 10^decimals (0 to 19); grouped: with commas between thousands. */
struct number number_format(uint64_t value, int decimals, bool grouped);

/* A count in its event's unit, rounded once. For people (exact false) as perf prints it: a clock in milliseconds, and what has a
 * scale, with two decimals. For programs, exact: milliseconds with six, of another scale as many as it has, six at most. */
struct number number_count(const struct event *event, uint64_t value, bool exact, bool grouped);

/* The count in that unit * 10^decimals (0 to 6), rounded once; UINT64_MAX where that does not fit. */
uint64_t number_scaled(const struct event *event, uint64_t value, int decimals);

/* In hundredths of a percent; of less than the whole, never all 10000. 0 of nothing, UINT64_MAX where it does not fit. */
uint64_t number_percent(uint64_t part, uint64_t whole);

/* What the number is of: "msec" for a clock, else the PMU's unit, or "". */
const char *number_unit(const struct event *event);

#endif
