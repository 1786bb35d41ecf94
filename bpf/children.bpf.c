/* SPDX-License-Identifier: GPL-2.0-only */
/* Children of counted tasks are counted from their birth, and whoever is counted up to its last switch. */
#include "current.h"

#define CLONE_THREAD 0x10000 /* include/uapi/linux/sched.h */

/* Each CPU's own: 32-bit Arm's JIT has no atomic addition. */
PERCPU(states, struct children_state);

/* The slots that nobody has yet, filled by the session. max_entries: its slots, where threads have their own. */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(value_size, sizeof(uint32_t));
	__uint(max_entries, 1);
} free_slots SEC(".maps");

INLINE void enter(uint64_t task, uint32_t slot)
{
	uint32_t zero = 0;
	volatile uint64_t *mark = mark_of_task(task);
	struct children_state *state;
	if (mark)
		*mark = 1;
	if (bpf_map_update_elem(&tasks, &task, &slot, BPF_ANY) && (state = bpf_map_lookup_elem(&states, &zero)))
		state->lost++;
}

/* A tracepoint's argument as bpf_get_current_task() gives the same address: of a 32-bit kernel the one has no upper half, the other
 * that of its sign. */
INLINE uint64_t address(uint64_t argument)
{
	return argument >> 32 ? argument : (uint64_t)(int32_t)argument;
}

INLINE void leave(uint64_t argument)
{
	uint64_t task = address(argument);
	volatile uint64_t *mark = mark_of_task(task);
	forget_verdict(argument);
	if (mark && *mark)
		bpf_map_delete_elem(&tasks, &task);
}

/* Arguments of the tracepoint: struct task_struct *task (not yet running), unsigned long clone_flags. */
SEC("raw_tp/task_newtask")
int on_newtask(uint64_t *ctx)
{
	uint64_t task = address(ctx[0]), flags = ctx[1];
	uint32_t index = 0;
	int is_by_id = !find_id(current_id(), &index);
	if (is_by_id && !settings.by_thread && (flags & CLONE_THREAD))
		return 0; /* its process id is in `filter` already */
	if (!is_by_id && find_task(bpf_get_current_task(), &index)) {
		/* nobody's child, in memory that was a counted task's */
		leave(ctx[0]);
		return 0;
	}
	if (settings.rest_slot) {
		uint32_t zero = 0;
		struct children_state *state = bpf_map_lookup_elem(&states, &zero);
		/* before it is taken: who reads `born` then sees every slot that was */
		if (state)
			state->born++;
		BARRIER();
		if (bpf_map_pop_elem(&free_slots, &index))
			index = settings.rest_slot;
	}
	forget_verdict(ctx[0]);
	enter(task, index);
	return 0;
}

/* A task that ends is still to be switched away from, when it may have no id any more (a thread releases itself, a parent
 * reaps) or its id has been taken out of `filter`: from here on its task struct stands for it, until on_free. A thread's id
 * may soon be another's. */
SEC("raw_tp/sched_process_exit")
int on_exit(void *ctx)
{
	uint32_t id = current_id(), index = 0;
	if (!find_id(id, &index)) {
		enter(bpf_get_current_task(), index);
		if (settings.by_thread)
			remove_id(id);
	} else if (!settings.rest_slot || find_task(bpf_get_current_task(), &index)) {
		return 0;
	}
	if (settings.rest_slot)
		name_slot(index, id, 1);
	return 0;
}

/* A thread other than its process's first takes over the first one's id when it executes a program. It has had that id for a while: if it was
 * switched away from meanwhile, it was found to be unwanted. Arguments: struct task_struct *task, pid_t its id before (of the
 * outermost namespace). */
SEC("raw_tp/sched_process_exec")
int on_thread_exec(uint64_t *ctx)
{
	uint32_t id = ctx[1];
	if (!settings.by_thread || settings.pidns_ino || id == current_id())
		return 0;
	uint32_t index = 0;
	if (find_id(id, &index))
		return 0;
	enter(bpf_get_current_task(), index);
	remove_id(id);
	forget_verdict(ctx[0]);
	return 0;
}

/* Argument: struct task_struct *task, which has run for the last time. */
SEC("raw_tp/sched_process_free")
int on_free(uint64_t *ctx)
{
	leave(ctx[0]);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
