/* SPDX-License-Identifier: GPL-2.0-only */
/* What all followers are but for whom they count: who includes this says so in account(). */
#ifndef FOLLOWER_RUN_H
#define FOLLOWER_RUN_H

#include "bperf.h"
#include "helpers.h"
#include "leader_maps.h"

struct follower_control control;

PERCPU_READINGS(total_readings); /* the leader's */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(struct follower_cpu));
	__uint(max_entries, 1);
} cpu_states SEC(".maps");

/* max_entries: the session's slots. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(struct reading));
	__uint(max_entries, 1);
} accum_readings SEC(".maps");

/* Adds a difference to a slot. */
INLINE void add_to_slot(uint32_t slot, const struct reading *now, const struct reading *last)
{
	struct reading diff, *sum = bpf_map_lookup_elem(&accum_readings, &slot);
	if (!sum)
		return;
	subtract(&diff, now, last);
	add(sum, sum, &diff);
}

/* The current task has run from `last` to `now`. */
INLINE void account(const struct reading *now, const struct reading *last);

/* Between two runs on a CPU one and the same task was running there: every switch runs it. A run that interrupts another
 * (a trigger from elsewhere, in the middle of a local one) does nothing; its session sees from `epoch` that it must ask
 * again. */
SEC("fexit/on_switch")
int follower(void *ctx)
{
	uint32_t zero = 0, baseline = control.baseline, epoch = control.epoch;
	if (!baseline)
		return 0;
	BARRIER();
	struct reading *total = bpf_map_lookup_elem(&total_readings, &zero);
	struct follower_cpu *cpu = bpf_map_lookup_elem(&cpu_states, &zero);
	if (!total || !cpu || cpu->busy)
		return 0;
	cpu->busy = 1;
	BARRIER();

	struct reading now = *total;
	if (cpu->baseline == baseline)
		account(&now, &cpu->last);
	cpu->last = now;
	cpu->baseline = baseline;
	cpu->epoch = epoch;

	BARRIER();
	cpu->busy = 0;
	return 0;
}

#endif
