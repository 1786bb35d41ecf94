/* SPDX-License-Identifier: GPL-2.0-only */
/* Readings: sums, differences and scaling. Pure arithmetic, no floating point. */
#ifndef READING_H
#define READING_H

#include <stdint.h>

#include "bperf.h" /* struct reading: {counter, enabled, running}, three uint64_t; times in ns */

/* Differences and sums are modular in each field, as the BPF side's are: they come out right after any wrap. */
struct reading reading_add(struct reading a, struct reading b);
struct reading reading_sub(struct reading now, struct reading before);

/* What the counter would have shown had it run all the time that it was enabled: counter * enabled / running, rounded
 * to nearest, in 128 bits. 0 if it never ran; the counter itself if it ran all the time (or, against all sense, longer
 * than it was enabled); UINT64_MAX where the result does not fit. Scale each CPU on its own, then add. */
uint64_t reading_scaled(struct reading r);

/* numerator * scale / denominator, rounded to nearest; 0 if denominator is 0, UINT64_MAX where it does not fit. */
uint64_t reading_ratio(uint64_t numerator, uint64_t denominator, uint64_t scale);

/* What readings come to: scaled per CPU, then added. */
struct count {
	uint64_t value, enabled, running; /* saturating; times in ns */
};

/* Adds the difference of two readings of one CPU or event. */
void count_add(struct count *count, struct reading difference);

/* Saturating sum of two counts. */
uint64_t reading_sum(uint64_t a, uint64_t b);

#endif
