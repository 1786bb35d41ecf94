/* SPDX-License-Identifier: GPL-2.0-only */
/* The follower of tasks: adds what the events have come to since the last switch to the slot of the task that was running. */
#include "current.h"

struct found {
	int is_wanted;
	uint32_t slot;
};
#include "follower_run.h"

/* With a workload that is still to execute its program nobody is wanted, yet. Where there is one slot, what is found is kept for the
 * task's next switches. */
INLINE struct found find(struct follower_cpu *cpu, uint64_t task)
{
	struct found found = {0};
	if (control.workload)
		return found;
	const uint32_t id = current_id();
	found.is_wanted = !find_id(id, &found.slot) || !find_task(bpf_get_current_task(), &found.slot);
	if (!found.is_wanted || settings.slots == 1) {
		volatile uint64_t *at = task == FOLLOWER_ASKED ? 0 : verdict_at(task);
		cpu->verdict = found.is_wanted ? VERDICT_WANTED : VERDICT_UNWANTED;
		if (at)
			*at = task | cpu->verdict;
	}
	if (settings.rest_slot && found.is_wanted) {
		name_slot(found.slot, id, 0);
		RUN(TASK) = found.slot;
		found.slot = RUN(TASK);
	} else {
		found.slot = 0;
	}
	return found;
}

INLINE void account(struct found found, struct follower_cpu *cpu, uint32_t event, const struct reading *diff)
{
	add_to_slot(cpu, event, found.slot, diff);
}

INLINE void take(void *leader, struct leader_switch *last, uint64_t task, uint64_t verdict, struct reading *sum)
{
	if (last && (last->task == task || !read_for_all(leader, last, task)) && verdict == VERDICT_WANTED)
		add(sum, sum, &last->diff);
}

/* A switch is a usual one if the one before was seen, nothing was asked for since, and the task is known. Arguments of the tracepoint: bool
 * preempt, struct task_struct *prev, *next. */
SEC("raw_tp/sched_switch")
int follower(uint64_t *ctx)
{
	struct follower_cpu *cpu = this_cpu();
	if (!cpu)
		return 0;
	const uint64_t task = ctx[1], next = ctx[2], verdict = cpu->verdict;
	if (task != cpu->expected || cpu->state != control.baseline || verdict - 1 > VERDICT_UNWANTED - 1) {
		if (!control.baseline || run(cpu, task))
			return 0;
	} else {
		const uint32_t events = settings.events;
#define TAKE(n)                                                                                                             \
	if (events > n)                                                                                                     \
	take(&leader_##n, switch_in(&cpus_##n), task, verdict, &cpu->events[n].sum)
		TAKE(0);
		TAKE(1);
		TAKE(2);
		TAKE(3);
		cpu->key = task;
	}
	const volatile uint64_t *at = verdict_at(next);
	cpu->expected = next;
	cpu->verdict = at ? *at ^ next : 0;
	return 0;
}

/* Whoever executes a program may be another one from here on (on_thread_exec). The workload is counted from its exec: what this CPU has counted
 * until now is the session's own child. If it is switched away from here, it is counted from when it comes back. */
SEC("raw_tp/sched_process_exec")
int on_exec(void *ctx)
{
	const uint32_t events = settings.events;
	uint32_t slot = 0, id = current_id();
	struct follower_cpu *cpu = this_cpu();
	if (!cpu)
		return 0;
	cpu->verdict = 0;
	if (!id || id != control.workload)
		return 0;
	cpu->state |= STATE_ASKED;
	BARRIER();
#pragma clang loop unroll(disable)
	for (uint32_t event = 0; event < FOLLOWER_EVENTS && event < events; event++) {
		struct follower_event *own = &cpu->events[event];
		struct reading now;
		void *leader;
		if (!last_switch(event, &leader) || read_event(leader, &now))
			continue;
		own->last = now;
		own->baseline = control.baseline;
	}
	bpf_map_update_elem(&filter, &id, &slot, BPF_ANY);
	mark_id(id, slot);
	control.workload = 0;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
