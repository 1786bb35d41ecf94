/* SPDX-License-Identifier: GPL-2.0-only */
/* The leader: has each CPU's event, once for all sessions, and reads it when it is asked to; on each context switch for perf's. */
#include "readings.h"

/* max_entries: the highest possible CPU id + 1, set by the loader. The events live as long as the map does. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(uint32_t));
	__uint(map_flags, BPF_F_PRESERVE_ELEMS);
} events SEC(".maps");

PERCPU_READINGS(prev_readings); /* the event as last read on this CPU */

PERCPU(leader_cpus, struct leader_cpu);

PERCPU_READINGS(diff_readings); /* since the run before, for perf's followers; ours never use it */
/* What the events of this CPU have counted, one after the other: for our sessions. While a trigger is
 * interrupted it may step back by the length of that run; what is added up from its differences comes out right. */
PERCPU_READINGS(total_readings);

/* Returns 0, or the helper's -errno (-ENOENT: this CPU has no event): a trigger hands it to its session. Reads no ctx:
 * a trigger passes none. May be interrupted by a trigger from another CPU at any point; `enabled` is taken before the event
 * is read, so that the interrupted run's older reading is never taken for that of a newly opened event. */
SEC("raw_tp/sched_switch")
int on_switch(void *ctx)
{
	uint32_t zero = 0;
	struct reading *prev = bpf_map_lookup_elem(&prev_readings, &zero);
	struct reading *diff = bpf_map_lookup_elem(&diff_readings, &zero);
	struct reading *total = bpf_map_lookup_elem(&total_readings, &zero);
	struct leader_cpu *cpu = bpf_map_lookup_elem(&leader_cpus, &zero);
	if (!prev || !diff || !total || !cpu)
		return 0;

	struct reading now, sum = *total;
	uint64_t enabled = prev->enabled;
	long err = bpf_perf_event_read_value(&events, BPF_F_CURRENT_CPU, &now, sizeof(now));
	if (err) {
		*diff = (struct reading){0};
		return err;
	}
	BARRIER();
	if (prev->enabled != enabled) {
		/* a trigger ran in between, later than this reading, and perf's followers have added its difference */
		*diff = (struct reading){0};
		return 0;
	}

	/* Opened anew: what the old event had come to becomes the base, the same if done twice. total = base + now is never added up, so an
	 * interrupted and then resumed run cannot count anything twice or lose it. */
	if (now.enabled < enabled)
		cpu->base = sum;
	subtract_event(diff, &now, prev);
	*prev = now;
	add(total, &cpu->base, &now);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
