/* SPDX-License-Identifier: GPL-2.0-only */
/* Is the current task one that a session counts? The maps that say so are made once per session and shared by its programs. */
#ifndef CURRENT_H
#define CURRENT_H

#include "bperf.h"
#include "helpers.h"

const volatile struct task_settings settings;

/* Process or thread id (settings.by_thread) -> slot in accum_readings. max_entries: as the session needs. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(uint32_t));
	__uint(max_entries, 1);
} filter SEC(".maps");

/* Address of the task struct of a child born while counting, or of a counted task that is ending -> slot. By address, so that neither the struct's layout nor
 * a reused id matters: an entry goes when the kernel frees the struct. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(uint64_t));
	__uint(value_size, sizeof(uint32_t));
	__uint(max_entries, 1);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(uint64_t));
	__uint(max_entries, 3 * MARKS);
} marks SEC(".maps");

/* max_entries: the session's slots, where threads have their own. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(struct thread_info));
	__uint(max_entries, 1);
} threads SEC(".maps");

/* The current task's id, as `filter` has it; 0 (the idle task, which is never counted) if it has none in the session's
 * PID namespace. */
INLINE uint32_t current_id(void)
{
	if (settings.pidns_ino) {
		struct {
			uint32_t pid, tgid;
		} ids = {0};
		if (bpf_get_ns_current_pid_tgid(settings.pidns_dev, settings.pidns_ino, &ids, sizeof(ids)))
			return 0;
		return settings.by_thread ? ids.pid : ids.tgid;
	}
	uint64_t pid_tgid = bpf_get_current_pid_tgid();
	return settings.by_thread ? (uint32_t)pid_tgid : pid_tgid >> 32;
}

INLINE volatile uint64_t *mark_at(uint32_t index)
{
	return bpf_map_lookup_elem(&marks, &index);
}

/* Task structs lie a few KB apart, many at the same place of their pages: the multiplication (by 2^64 over the golden ratio) lets all bits
 * of the address decide. */
INLINE uint32_t task_index(uint64_t task)
{
	return task * 0x9e3779b97f4a7c15 / (UINT64_MAX / MARKS + 1);
}

INLINE volatile uint64_t *mark_of_task(uint64_t task)
{
	return mark_at(MARKS + task_index(task));
}

/* What has been found of a task, by the address of its struct as tracepoints give it, stays so as long as neither the struct nor what is
 * wanted changes. */
INLINE volatile uint64_t *verdict_at(uint64_t task)
{
	return mark_at(2 * MARKS + task_index(task));
}

INLINE void forget_verdict(uint64_t task)
{
	volatile uint64_t *at = verdict_at(task);
	if (at && (*at ^ task) <= VERDICT_MASK)
		*at = 0;
}

/* Once `filter` has it. */
INLINE void mark_id(uint32_t id, uint32_t slot)
{
	volatile uint64_t *mark = mark_at(id % MARKS);
	if (mark && *mark != MARK(id, slot))
		*mark = *mark ? MARK_LOOK : MARK(id, slot);
}

/* Out of `filter`: from then on the mark does not stand for it. */
INLINE void remove_id(uint32_t id)
{
	volatile uint64_t *mark = mark_at(id % MARKS);
	if (mark)
		*mark = MARK_LOOK;
	bpf_map_delete_elem(&filter, &id);
}

/* A slot in *slot, or -1. */
INLINE int find_id(uint32_t id, uint32_t *slot)
{
	volatile uint64_t *at = mark_at(id % MARKS);
	uint64_t mark = at ? *at : 0;
	if (!mark || !id)
		return -1;
	*slot = mark >> 32;
	if ((uint32_t)mark != (uint32_t)MARK_LOOK)
		return (uint32_t)mark == id ? 0 : -1;
	uint32_t *entry = bpf_map_lookup_elem(&filter, &id);
	if (entry)
		*slot = *entry;
	return entry ? 0 : -1;
}

INLINE int find_task(uint64_t task, uint32_t *slot)
{
	volatile uint64_t *mark = mark_of_task(task);
	uint32_t *entry = mark && *mark ? bpf_map_lookup_elem(&tasks, &task) : 0;
	if (entry)
		*slot = *entry;
	return entry ? 0 : -1;
}

/* Where threads have slots of their own: the slot is the current task's, whose id that is. */
INLINE void name_slot(uint32_t slot, uint32_t id, int ended)
{
	struct thread_info *thread = bpf_map_lookup_elem(&threads, &slot);
	if (!thread || slot == settings.rest_slot || (thread->tid && !ended))
		return;
	bpf_get_current_comm(thread->comm, sizeof(thread->comm));
	thread->ended = ended;
	thread->tid = id;
}

#endif
