/* SPDX-License-Identifier: GPL-2.0-only */
/* What all followers are but for whom they count: who includes this has a struct found and a const settings with events and slots, and says
 * so in find(), account() and is_nobodys(). */
#ifndef FOLLOWER_RUN_H
#define FOLLOWER_RUN_H

#include "readings.h"

struct follower_control control;

/* The maps of the leaders of its events, each of its own: from a map of maps they could be taken in a loop, but at a higher cost than
 * all the rest, and to fill one takes ten milliseconds (the kernel waits for who may still look into it). Of an event that is not there
 * they are another's, and not used. */
#define LEADER(n)                                                                                                            \
	struct {                                                                                                             \
		__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);                                                                 \
		__uint(key_size, sizeof(uint32_t));                                                                          \
		__uint(value_size, sizeof(uint32_t));                                                                        \
	} leader_##n SEC(".maps");                                                                                           \
	struct {                                                                                                             \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                                                     \
		__uint(key_size, sizeof(uint32_t));                                                                          \
		__uint(value_size, sizeof(struct leader_cpu));                                                               \
	} cpus_##n SEC(".maps")
LEADER(0);
LEADER(1);
LEADER(2);
LEADER(3);
LEADER(4);
LEADER(5);
LEADER(6);
LEADER(7);

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(struct follower_cpu));
	__uint(max_entries, 1);
} cpu_states SEC(".maps");

PERCPU_READINGS(accum_readings); /* by event, then slot; max_entries: as many, where there are several slots */

/* Whose the current task is: struct found is the includer's; not is_wanted: nobody's. task: see FOLLOWER_ASKED. */
INLINE struct found find(struct follower_cpu *cpu, uint64_t task);

/* Has taken so much more. */
INLINE void account(struct found found, struct follower_cpu *cpu, uint32_t event, const struct reading *diff);

INLINE struct leader_switch *switch_in(void *cpus)
{
	uint32_t zero = 0;
	struct leader_cpu *cpu = bpf_map_lookup_elem(cpus, &zero);
	return cpu ? &cpu->last : 0;
}

/* (The compiler must not make a table of them.) */
#define CHOOSE(n)                                                                                                            \
	if (event == n) {                                                                                                    \
		*leader = &leader_##n;                                                                                       \
		cpus = &cpus_##n;                                                                                            \
		__asm__ volatile("" : "+r"(*leader), "+r"(cpus));                                                            \
	}

/* *leader: its events. */
INLINE struct leader_switch *last_switch(uint32_t event, void **leader)
{
	void *cpus = &cpus_0;
	*leader = &leader_0;
	CHOOSE(1)
	CHOOSE(2)
	CHOOSE(3)
	CHOOSE(4)
	CHOOSE(5)
	CHOOSE(6)
	CHOOSE(7)
	return switch_in(cpus);
}

INLINE void add_to_slot(struct follower_cpu *cpu, uint32_t event, uint32_t slot, const struct reading *diff)
{
	struct reading *sum = &cpu->events[event].sum;
	if (settings.slots != 1) {
		uint32_t index = event * settings.slots + slot;
		sum = bpf_map_lookup_elem(&accum_readings, &index);
	}
	if (sum)
		add(sum, sum, diff);
}

INLINE long read_event(void *leader, struct reading *now)
{
	return bpf_perf_event_read_value(leader, BPF_F_CURRENT_CPU, now, sizeof(*now));
}

/* An event that was opened anew has started at nothing. */
INLINE void subtract_event(struct reading *diff, const struct reading *now, const struct reading *before)
{
	uint64_t counter = before->counter, enabled = before->enabled, running = before->running;
	if (now->enabled < enabled)
		counter = enabled = running = 0;
	diff->counter = now->counter - counter;
	diff->enabled = now->enabled - enabled;
	diff->running = now->running - running;
}

/* For all followers, where none has: of two switches of a CPU, one after the other, it is never the same task that leaves, and `last` has
 * the one of which it was read. Returns 0 or the helper's -errno. */
INLINE long read_for_all(void *leader, struct leader_switch *last, uint64_t task)
{
	struct reading now;
	long err = read_event(leader, &now);
	if (err) {
		last->task = SWITCH_UNREAD;
		return err;
	}
	subtract_event(&last->diff, &now, &last->now);
	last->now = now;
	last->task = task;
	return 0;
}

/* is_first: what `last` has may be of long ago, or of this switch. It can stand neither for the share of the task that leaves nor, where
 * it is of long ago, as the beginning of the next one's: that is `own->last`, as after a run that was asked for. */
INLINE void bring_up(uint32_t event, uint64_t task, struct follower_cpu *cpu, struct found found, int is_first)
{
	const int is_asked = task == FOLLOWER_ASKED;
	const uint64_t baseline = control.baseline;
	struct follower_event *own = &cpu->events[event];
	void *leader;
	struct leader_switch *last = last_switch(event, &leader);
	struct reading now, diff;
	if (!last)
		return;
	long err = 0;
	if (is_asked || (is_first && last->task == task)) {
		err = read_event(leader, &now);
		if (!err)
			subtract_event(&diff, &now, &last->now);
	} else {
		if (last->task != task)
			err = read_for_all(leader, last, task);
		now = last->now;
		diff = last->diff;
	}
	if (err || own->baseline != baseline) {
		own->baseline = err ? 0 : baseline;
	} else if (found.is_wanted) {
		if (cpu->state & STATE_ASKED)
			subtract_event(&diff, &now, &own->last);
		account(found, cpu, event, &diff);
	}
	if (!err && (is_asked || is_first))
		own->last = now;
}

/* A switch has interrupts off, and only its own session triggers a follower: no run is within another. */
INLINE void run(struct follower_cpu *cpu, uint64_t task)
{
	const uint32_t events = settings.events, baseline = control.baseline;
	const int is_first = (uint32_t)cpu->state != baseline;
	const struct found found = find(cpu, task);
#pragma clang loop unroll(disable)
	for (uint32_t event = 0; event < FOLLOWER_EVENTS && event < events; event++)
		bring_up(event, task, cpu, found, is_first);
	if (task == FOLLOWER_ASKED)
		cpu->state |= STATE_ASKED;
	else
		cpu->state = is_first ? baseline | STATE_ASKED : baseline;
}

INLINE struct follower_cpu *this_cpu(void)
{
	uint32_t zero = 0;
	return bpf_map_lookup_elem(&cpu_states, &zero);
}

#endif
