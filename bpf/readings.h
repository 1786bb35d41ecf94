/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps of readings, and what is done with one. */
#ifndef READINGS_H
#define READINGS_H

#include "bperf.h"
#include "helpers.h"

#define PERCPU_READINGS(name) PERCPU(name, struct reading)

INLINE void add(struct reading *to, const struct reading *a, const struct reading *b)
{
	to->counter = a->counter + b->counter;
	to->enabled = a->enabled + b->enabled;
	to->running = a->running + b->running;
}

INLINE void subtract(struct reading *to, const struct reading *a, const struct reading *b)
{
	to->counter = a->counter - b->counter;
	to->enabled = a->enabled - b->enabled;
	to->running = a->running - b->running;
}

/* An event that was opened anew has started at nothing. (Without a branch, which the verifier would follow both ways.) */
INLINE void subtract_event(struct reading *diff, const struct reading *now, const struct reading *before)
{
	const uint64_t mask = ~((int64_t)(now->enabled - before->enabled) >> 63);
	diff->counter = now->counter - (before->counter & mask);
	diff->running = now->running - (before->running & mask);
	diff->enabled = now->enabled - (before->enabled & mask);
}

#endif
