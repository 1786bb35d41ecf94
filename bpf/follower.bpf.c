/* SPDX-License-Identifier: GPL-2.0-only */
/* The follower of tasks: adds what the leader's total grew by to the slot of the task that was running. It runs behind the
 * leader, as fexit on it or as the next program on the same tracepoint: the same instructions, loaded either way. */
#include "current.h"
#include "follower_run.h"

INLINE void account(const struct reading *now, const struct reading *last)
{
	if (control.workload)
		return; /* its exec is still to come, for this event */
	uint32_t *slot = slot_by_id();
	if (!slot)
		slot = slot_by_task();
	if (!slot)
		return;
	uint32_t index = *slot;
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
	struct reading *base = bpf_map_lookup_elem(&base_readings, &zero);
	struct reading *total = bpf_map_lookup_elem(&total_readings, &zero);
	struct follower_cpu *cpu = bpf_map_lookup_elem(&cpu_states, &zero);
	if (!prev || !base || !total || !cpu)
		return 0;

	cpu->busy = 1;
	BARRIER();
	/* Again if the leader ran in between: this program may be preempted, and others' time must not stand behind `last`. */
#pragma clang loop unroll(disable)
	for (int tries = 0; tries < 3; tries++) {
		struct reading now, was = *prev;
		if (bpf_perf_event_read_value(&events, BPF_F_CURRENT_CPU, &now, sizeof(now)))
			break;
		add(&cpu->last, was_reopened(&now, &was) ? total : base, &now);
		cpu->baseline = control.baseline;
		BARRIER();
		if (prev->enabled == was.enabled)
			break;
	}
	bpf_map_update_elem(&filter, &id, &slot, BPF_ANY);
	control.workload = 0;
	BARRIER();
	cpu->busy = 0;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
