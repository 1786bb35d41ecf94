/* SPDX-License-Identifier: GPL-2.0-only */
/* What all followers are but for whom they count: who includes this has a struct found and a const settings with events and slots, and says
 * so in find(), account() and is_nobodys(). */
#ifndef FOLLOWER_RUN_H
#define FOLLOWER_RUN_H

#include "readings.h"

struct follower_control control;

/* The leaders' `events` and `leader_cpus`, by number of the event; none: this host cannot count it. max_entries: as
 * many. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(uint32_t));
	__uint(max_entries, 1);
} leaders SEC(".maps"), leaders_cpus SEC(".maps");

/* value_size: up to the last of the session's events. */
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

/* (The event by value: what a helper is given by its address the verifier does not know any more, and a loop over it would never end.) */
INLINE struct leader_switch *switch_in(void *cpus)
{
	uint32_t zero = 0;
	struct leader_cpu *cpu = bpf_map_lookup_elem(cpus, &zero);
	return cpu ? &cpu->last : 0;
}

INLINE struct leader_switch *last_switch(uint32_t event)
{
	void *cpus = bpf_map_lookup_elem(&leaders_cpus, &event);
	return cpus ? switch_in(cpus) : 0;
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

INLINE void *leader_of(uint32_t event)
{
	return bpf_map_lookup_elem(&leaders, &event);
}

INLINE long read_event(void *leader, struct reading *now)
{
	return leader ? bpf_perf_event_read_value(leader, BPF_F_CURRENT_CPU, now, sizeof(*now)) : -1;
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

/* is_first: what `last` has may be of long ago. */
INLINE void bring_up(uint32_t event, uint64_t task, struct follower_cpu *cpu, struct found found, int is_first)
{
	const int is_asked = task == FOLLOWER_ASKED;
	const uint64_t baseline = control.baseline;
	struct follower_event *own = &cpu->events[event];
	struct leader_switch *last = last_switch(event);
	struct reading now, diff, began;
	if (!last)
		return;
	began = cpu->state & STATE_ASKED ? own->last : last->now;
	if (is_asked || (is_first && last->task == task)) {
		if (read_event(leader_of(event), &now))
			return;
	} else if (last->task == task || !read_for_all(leader_of(event), last, task)) {
		now = last->now;
	} else {
		return;
	}
	if (own->baseline != baseline) {
		own->baseline = baseline;
	} else if (found.is_wanted) {
		subtract_event(&diff, &now, &began);
		account(found, cpu, event, &diff);
	}
	if (is_asked)
		own->last = now;
}

/* A switch has interrupts off, and only its own session triggers a follower: no run is within another. */
INLINE void run(struct follower_cpu *cpu, uint64_t task)
{
	const uint32_t events = settings.events;
	const uint32_t baseline = control.baseline;
	const int is_first = (uint32_t)cpu->state != baseline;
	const struct found found = find(cpu, task);
#pragma clang loop unroll(disable)
	for (uint32_t event = 0; event < EVENTS_MAX && event < events; event++)
		bring_up(event, task, cpu, found, is_first);
	cpu->state = task == FOLLOWER_ASKED ? (uint32_t)cpu->state | STATE_ASKED : baseline;
}

INLINE struct follower_cpu *this_cpu(void)
{
	uint32_t zero = 0;
	return bpf_map_lookup_elem(&cpu_states, &zero);
}

#endif
