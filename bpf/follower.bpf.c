/* SPDX-License-Identifier: GPL-2.0-only */
/* The follower: adds what the leader's total grew by to the slot of the task that was running. It runs behind the leader,
 * as fexit on it or as the next program on the same tracepoint: the same instructions, loaded either way. */
#include "current.h"
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
	struct reading *sum = bpf_map_lookup_elem(&accum_readings, &index);
	if (!sum)
		return;
	struct reading diff;
	subtract(&diff, now, last);
	add(sum, sum, &diff);
	if (settings.rest_slot)
		name_slot(index, 0);
}

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
