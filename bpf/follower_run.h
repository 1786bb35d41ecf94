/* SPDX-License-Identifier: GPL-2.0-only */
/* What all followers are but for whom they count: who includes this has a struct found, and says so in find() and account(). */
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

/* Which of two totals of a CPU is the later one: what grows tells, and one of three always does. */
INLINE int is_later(const struct reading *a, const struct reading *b)
{
	return (int64_t)(a->counter - b->counter + a->enabled - b->enabled + a->running - b->running) > 0;
}

/* Whose the current task is: struct found is the includer's; not is_wanted: nobody's. */
INLINE struct found find(struct follower_cpu *cpu);

/* It has run from `last` to `now`. */
INLINE void account(struct found found, const struct reading *now, const struct reading *last);

INLINE void bring_up(struct follower_cpu *cpu, struct found found, uint32_t baseline, uint32_t epoch)
{
	uint32_t zero = 0;
	struct reading *total = bpf_map_lookup_elem(&total_readings, &zero);
	struct leader_cpu *leader = bpf_map_lookup_elem(&leader_cpus, &zero);
	if (!total || !leader)
		return;
	struct reading now = *total;
	if (found.is_wanted && cpu->baseline == baseline)
		account(found, &now, is_later(&cpu->last, &leader->began) ? &cpu->last : &leader->began);
	cpu->last = now;
	cpu->baseline = baseline;
	cpu->epoch = epoch;
}

/* The current task has run since the leader's `began`, or since `last`, if a run of this follower was later: then that much of it is
 * accounted already. Where nobody wants it there is nothing to do, but for a run that is asked for. A run that interrupts
 * another (a trigger from elsewhere, in the middle of a local one) does nothing; its session sees from `epoch` that it must ask
 * again. */
SEC("fexit/on_switch")
int follower(void *ctx)
{
	uint32_t zero = 0, baseline = control.baseline, epoch = control.epoch;
	if (!baseline)
		return 0;
	BARRIER();
	struct follower_cpu *cpu = bpf_map_lookup_elem(&cpu_states, &zero);
	if (!cpu || cpu->busy)
		return 0;
	cpu->busy = 1;
	BARRIER();
	const struct found found = find(cpu);
	if (found.is_wanted || cpu->epoch != epoch || cpu->baseline != baseline || control.eager)
		bring_up(cpu, found, baseline, epoch);
	BARRIER();
	cpu->busy = 0;
	return 0;
}

#endif
