/* SPDX-License-Identifier: GPL-2.0-only */
/* The follower of cgroups: adds what the events have come to since the last switch to the slots of all wanted groups that the task which was
 * running is in. What it costs does not depend on how many are wanted: a group never moves to another parent, so the wanted
 * ones above it are looked for once, when it is first met, and kept under its id. */
#include "bperf.h"

struct found {
	int is_wanted;
	const struct group_set *set;
};
const volatile struct group_settings settings;
#include "follower_run.h"

/* The wanted groups, by slot. max_entries: how many. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(uint32_t));
	__uint(max_entries, 1);
} groups SEC(".maps");

/* A group's id -> the slots of those that it is in. The least used go where there are more. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(key_size, sizeof(uint64_t));
	__uint(value_size, sizeof(struct group_set));
	__uint(max_entries, GROUP_SETS);
} sets SEC(".maps");

PERCPU(memories, struct group_memory);

/* In the memory's room for a set, so that there is none of a wanted group any more. */
INLINE struct group_set *look(struct group_memory *memory, uint64_t id)
{
	struct group_set *set = &memory->set;
	memory->wanted = 0;
	int is_sure = 1;
	set->count = 0;
#pragma clang loop unroll(disable)
	for (uint32_t slot = 0; slot < GROUPS_MAX && slot < settings.slots; slot++) {
		long is_in = bpf_current_task_under_cgroup(&groups, slot);
		if (is_in < 0)
			is_sure = 0;
		if (is_in == 1 && set->count < GROUP_DEPTH)
			set->slots[set->count++ % GROUP_DEPTH] = slot;
	}
	if (is_sure)
		bpf_map_update_elem(&sets, &id, set, BPF_ANY);
	return set;
}

/* Most tasks that come after each other are of two groups, one that is wanted and one that is not: these are at hand on each CPU. */
INLINE struct found find(struct follower_cpu *cpu, uint64_t task)
{
	uint32_t zero = 0;
	uint64_t id = bpf_get_current_cgroup_id();
	struct group_memory *memory = bpf_map_lookup_elem(&memories, &zero);
	if (!memory || memory->unwanted == id)
		return (struct found){0};
	if (memory->wanted == id)
		return (struct found){1, &memory->set};
	struct group_set *set = bpf_map_lookup_elem(&sets, &id);
	if (!set)
		set = look(memory, id);
	else if (!set->count)
		memory->unwanted = id;
	else {
		memory->wanted = id;
		memory->set = *set;
	}
	return (struct found){set && set->count, set};
}

INLINE void account(struct found found, struct follower_cpu *cpu, uint32_t event, const struct reading *diff)
{
	const struct group_set *set = found.set;
	const uint32_t slots = settings.slots;
	if (!set)
		return;
#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < GROUP_DEPTH && i < slots; i++) {
		if (i >= set->count)
			return;
		add_to_slot(cpu, event, set->slots[i], diff);
	}
}

/* Arguments of the tracepoint: bool preempt, struct task_struct *prev, *next. */
SEC("raw_tp/sched_switch")
int follower(uint64_t *ctx)
{
	struct follower_cpu *cpu = this_cpu();
	if (cpu && control.baseline && !run(cpu, ctx[1]))
		cpu->expected = ctx[2];
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
