/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps of readings, and what is done with one. */
#ifndef READINGS_H
#define READINGS_H

#include "bperf.h"
#include "helpers.h"

#define PERCPU_READINGS(name)                                                                                                \
	struct {                                                                                                             \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                                                     \
		__uint(key_size, sizeof(uint32_t));                                                                          \
		__uint(value_size, sizeof(struct reading));                                                                  \
		__uint(max_entries, 1);                                                                                      \
	} name SEC(".maps")

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

#endif
