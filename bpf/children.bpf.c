/* SPDX-License-Identifier: GPL-2.0-only */
/* Children of counted tasks are counted from their birth, and whoever is counted up to its last switch. */
#include "current.h"

#define CLONE_THREAD 0x10000 /* include/uapi/linux/sched.h */

struct children_state state;

INLINE void enter(uint64_t task, const uint32_t *slot)
{
	uint32_t index = *slot;
	if (bpf_map_update_elem(&tasks, &task, &index, BPF_ANY))
		__sync_fetch_and_add(&state.lost, 1);
}

/* Arguments of the tracepoint: struct task_struct *task (not yet running), unsigned long clone_flags. */
SEC("raw_tp/task_newtask")
int on_newtask(uint64_t *ctx)
{
	uint64_t task = ctx[0], flags = ctx[1];
	uint32_t *slot = slot_by_id();
	if (slot && !settings.by_thread && (flags & CLONE_THREAD))
		return 0; /* its process id is in `filter` already */
	if (!slot)
		slot = slot_by_task();
	if (slot)
		enter(task, slot);
	return 0;
}

/* A task that ends is still to be switched away from, when it may have no id any more (a thread releases itself, a parent
 * reaps) or its id has been taken out of `filter`: from here on its task struct stands for it, until on_free. */
SEC("raw_tp/sched_process_exit")
int on_exit(void *ctx)
{
	uint32_t *slot = slot_by_id();
	if (slot)
		enter(bpf_get_current_task(), slot);
	return 0;
}

/* Argument: struct task_struct *task, which has run for the last time. */
SEC("raw_tp/sched_process_free")
int on_free(uint64_t *ctx)
{
	uint64_t task = ctx[0];
	bpf_map_delete_elem(&tasks, &task);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
