/* SPDX-License-Identifier: GPL-2.0-only */
/* The leader's maps, as the leader makes them and a follower finds them, and the one rule of reading. */
#ifndef LEADER_MAPS_H
#define LEADER_MAPS_H

#include "readings.h"

/* max_entries: the highest possible CPU id + 1, set by the loader. The events live as long as the map does. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(uint32_t));
	__uint(map_flags, BPF_F_PRESERVE_ELEMS);
} events SEC(".maps");

PERCPU_READINGS(prev_readings); /* the event as last read on this CPU */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(struct leader_cpu));
	__uint(max_entries, 1);
} leader_cpus SEC(".maps");

/* An event opened anew starts at nothing: then the total so far becomes the base. total = base + now is never added up, so an
 * interrupted and then resumed run cannot count anything twice or lose it. */
INLINE int was_reopened(const struct reading *now, uint64_t enabled)
{
	return now->enabled < enabled;
}

#endif
