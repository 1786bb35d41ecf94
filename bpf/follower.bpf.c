/* SPDX-License-Identifier: GPL-2.0-only */
/* The follower of tasks: adds what the leader's total grew by to the slot of the task that was running. It runs behind the
 * leader, as fexit on it or as the next program on the same tracepoint: the same instructions, loaded either way. */
#include "current.h"

struct found {
	int is_wanted;
	uint32_t slot;
};
#include "follower_run.h"

INLINE struct found find(struct follower_cpu *cpu)
{
	struct found found = {0};
	if (!control.workload) /* else its exec is still to come, for this event */
		found.is_wanted = !find_id(current_id(), &found.slot) || !find_task(&found.slot);
	return found;
}

INLINE void account(struct found found, const struct reading *now, const struct reading *last)
{
	uint32_t index = found.slot;
	add_to_slot(index, now, last);
	if (settings.rest_slot)
		name_slot(index, 0);
}

/* The workload is counted from its exec: what this CPU has counted until now is the session's own child, so `last` moves
 * up to now, and only then the process is entered. */
SEC("raw_tp/sched_process_exec")
int on_exec(void *ctx)
{
	uint32_t zero = 0, slot = 0, id = current_id();
	if (!id || id != control.workload)
		return 0;
	struct reading *prev = bpf_map_lookup_elem(&prev_readings, &zero);
	struct leader_cpu *leader = bpf_map_lookup_elem(&leader_cpus, &zero);
	struct reading *total = bpf_map_lookup_elem(&total_readings, &zero);
	struct follower_cpu *cpu = bpf_map_lookup_elem(&cpu_states, &zero);
	if (!prev || !leader || !total || !cpu)
		return 0;

	cpu->busy = 1;
	BARRIER();
	/* Again if the leader ran in between: this program may be preempted, and others' time must not stand behind `last`. */
#pragma clang loop unroll(disable)
	for (int tries = 0; tries < 3; tries++) {
		struct reading now;
		uint64_t enabled = prev->enabled;
		if (bpf_perf_event_read_value(&events, BPF_F_CURRENT_CPU, &now, sizeof(now)))
			break;
		add(&cpu->last, was_reopened(&now, enabled) ? total : &leader->base, &now);
		cpu->baseline = control.baseline;
		BARRIER();
		if (prev->enabled == enabled)
			break;
	}
	bpf_map_update_elem(&filter, &id, &slot, BPF_ANY);
	mark_id(id, slot);
	control.workload = 0;
	BARRIER();
	cpu->busy = 0;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
