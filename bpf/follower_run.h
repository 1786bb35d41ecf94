/* SPDX-License-Identifier: GPL-2.0-only */
/* What all followers are but for whom they count: who includes this has a struct found and a const settings with events and slots, and says
 * so in find() and account(). */
#ifndef FOLLOWER_RUN_H
#define FOLLOWER_RUN_H

#include "readings.h"

struct follower_control control;

/* The maps of the leaders of its events, each of its own: from a map of maps they could be taken in a loop, but at a higher cost than
 * all the rest, and to fill one takes ten milliseconds (the kernel waits for who may still look into it). Of an event that is not there
 * they are another's, and not used. */
struct leader_events {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(uint32_t));
} leader_0 SEC(".maps"), leader_1 SEC(".maps"), leader_2 SEC(".maps"), leader_3 SEC(".maps");

struct leader_cpus {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(struct leader_cpu));
} cpus_0 SEC(".maps"), cpus_1 SEC(".maps"), cpus_2 SEC(".maps"), cpus_3 SEC(".maps");

PERCPU(cpu_states, struct follower_cpu);

PERCPU_READINGS(accum_readings); /* by event, then slot; max_entries: as many, where there are several slots */

/* Of the run that is under way. They are looked up each time: what was read back the verifier does not know any more, else it looks at all that
 * follows once for each way to get there. */
enum { RUN_IS_FIRST, RUN_TASK, RUN_KEY, RUN_IS_WANTED };
#define RUN(what) (*(volatile uint64_t *)&cpu->run[RUN_##what])

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

/* For all followers, where none has. Of two switches of a CPU, one after the other, it is never the same task that leaves, and `last` has the
 * one of which it was read. (Where a switch was not seen it may be: the second time the key is another.) Returns 0 or the
 * helper's -errno. */
INLINE long read_for_all(void *leader, struct leader_switch *last, uint64_t key)
{
	struct reading now;
	long err = read_event(leader, &now);
	if (err) {
		last->task = SWITCH_UNREAD;
		return err;
	}
	subtract_event(&last->diff, &now, &last->now);
	last->now = now;
	last->task = key;
	return 0;
}

/* A first run: what `last` has may be of long ago, or of this switch. It can stand neither for the share of the task that leaves nor, where
 * it is of long ago, as the beginning of the next one's: that is `own->last`, as after a run that was asked for. */
INLINE void bring_up(uint32_t event, struct follower_cpu *cpu, struct found found)
{
	struct follower_event *own = &cpu->events[event];
	void *leader;
	struct leader_switch *last = last_switch(event, &leader);
	struct reading *now = &cpu->now, *diff = &cpu->diff;
	if (!last)
		return;
	if (RUN(TASK) == FOLLOWER_ASKED || (RUN(IS_FIRST) && last->task == RUN(TASK))) {
		if (read_event(leader, now)) {
			own->baseline = 0;
			return;
		}
		subtract_event(diff, now, &last->now);
	} else {
		if (last->task != RUN(KEY) && read_for_all(leader, last, RUN(KEY))) {
			own->baseline = 0;
			return;
		}
		*now = last->now;
		*diff = last->diff;
	}
	BARRIER();
	if (own->baseline != control.baseline) {
		own->baseline = control.baseline;
	} else if (RUN(IS_WANTED)) {
		if (cpu->state & STATE_ASKED)
			subtract_event(diff, now, &own->last);
		BARRIER();
		account(found, cpu, event, diff);
	}
	if (RUN(TASK) == FOLLOWER_ASKED || RUN(IS_FIRST))
		own->last = *now;
}

/* Was this run asked for? First: under another baseline than the one before, or the only one so far. The switch before may not have been
 * seen. (Linux 6.18 of a virtual machine was seen to leave some out, from the idle task: then nobody's tracepoint has them.) A switch has
 * interrupts off, and only its own session triggers a follower: no run is within another. */
INLINE int run(struct follower_cpu *cpu, uint64_t task)
{
	const uint32_t events = settings.events, baseline = control.baseline;
	struct found found = find(cpu, task);
	RUN(IS_FIRST) = (uint32_t)cpu->state ^ baseline;
	RUN(TASK) = task;
	RUN(KEY) = task == cpu->key && !RUN(IS_FIRST) ? task ^ SWITCH_AGAIN : task;
	RUN(IS_WANTED) = found.is_wanted;
#pragma clang loop unroll(disable)
	for (uint32_t event = 0; event < FOLLOWER_EVENTS && event < events; event++)
		bring_up(event, cpu, found);
	if (RUN(TASK) == FOLLOWER_ASKED) {
		cpu->state |= STATE_ASKED;
		return 1;
	}
	cpu->state = RUN(IS_FIRST) ? baseline | STATE_ASKED : baseline;
	cpu->key = RUN(KEY);
	return 0;
}

INLINE struct follower_cpu *this_cpu(void)
{
	uint32_t zero = 0;
	return bpf_map_lookup_elem(&cpu_states, &zero);
}

#endif
