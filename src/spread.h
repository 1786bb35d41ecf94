/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of several runs -> their mean and how far it can be trusted. Pure arithmetic, no floating point. */
#ifndef SPREAD_H
#define SPREAD_H

#include <stddef.h>
#include <stdint.h>

struct spread {
	uint64_t mean;    /* rounded to nearest; in the values' unit */
	uint64_t error;   /* the mean's standard error, sqrt(sum of squared deviations / (n * (n - 1))), as perf's "+-"; same unit */
	uint64_t percent; /* the error, in hundredths of a percent of the mean, both before they are rounded; 0 if all values are 0 */
};

/* count 0: all 0; count 1: no error. Exact to about one part in 10^6 for values up to 2^64 - 1 and counts up to 2^20. */
struct spread spread_of(const uint64_t *values, size_t count);

#endif
