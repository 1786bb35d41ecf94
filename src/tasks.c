/* SPDX-License-Identifier: GPL-2.0-only */
#include "tasks.h"

#include <errno.h>

#include "err.h"
#include "memory.h"
#include "out.h"
#include "plan.h"
#include "reading.h"
#include "refusal.h"
#include "sys_bpf.h"
#include "sys_task.h"
#include "sysfs.h"
#include "watch.h"

_Static_assert((int)WATCH_TASKS_MAX >= (int)PLAN_IDS_MAX, "every task of a plan can be watched");

enum { SLOT_BYTES = 16 << 20 };

void tasks_init(struct tasks *tasks)
{
	*tasks = (struct tasks){.slots = 1};
	children_init(&tasks->children);
}

/* --- what is there at the start --------------------------------------------------------------------------------------- */

static bool is_known(const struct tasks *tasks, int id)
{
	for (int i = 0; i < tasks->count; i++) {
		if (tasks->list[i].id == id)
			return true;
	}
	return false;
}

/* Into the list, without counting it yet. */
static struct task *enlist(struct tasks *tasks, int id)
{
	uint32_t slot = 0;
	if (tasks->threads) {
		slot = tasks->is_shared ? children_take_slot(&tasks->children) : tasks->taken;
		if (slot >= tasks->slots - 1) {
			slot = tasks->slots - 1;
		} else {
			tasks->threads[slot].tid = (uint32_t)id;
			tasks->taken++;
		}
	}
	tasks->list[tasks->count] = (struct task){id, slot};
	return &tasks->list[tasks->count++];
}

static int add(struct tasks *tasks, int id)
{
	if (is_known(tasks, id))
		return 0;
	if (tasks->count == TASKS_MAX)
		return -E2BIG;
	const struct task *task = enlist(tasks, id);
	return tasks->is_shared ? children_add(&tasks->children, (uint32_t)id, task->slot) : 0;
}

static int add_thread(void *context, const char *name)
{
	int id = 0;
	for (; *name >= '0' && *name <= '9'; name++)
		id = id * 10 + (*name - '0');
	return *name ? 0 : add(context, id);
}

/* The threads of a process, and those that they start meanwhile; the children of a thread that is counted by plain events are
 * its own already, and opened again would be counted twice. */
static int add_threads(struct tasks *tasks, int process)
{
	char path[32];
	int result, before;
	out_print(path, sizeof(path), "/proc/%d/task", process);
	do {
		before = tasks->count;
		result = sysfs_each(path, add_thread, tasks);
	} while (!result && tasks->is_shared && tasks->count != before);
	if (result == -ENOENT || result == -ESRCH) {
		if (sys_task_alive(process, false))
			err_note(0, "no %s: of process %d the first thread alone is counted, and what it starts", path,
				 process);
		return tasks->count ? 0 : add(tasks, process);
	}
	return result;
}

/* The id as the filter must have it; -errno with a text where the task cannot be counted. */
static int task_id(const struct tasks *tasks, int id, bool by_thread, struct err *err)
{
	/* as perf does: the id of any thread stands for its process */
	int process = by_thread ? 0 : sys_task_process(id);
	if (tasks->is_shared && tasks->children.settings.pidns_ino && sys_task_is_nested(id))
		return err_set(err, -EXDEV,
			       "cannot count %d: it is in a PID namespace below this one, where it has another id", id);
	return process ? process : id;
}

static int add_given(struct tasks *tasks, const struct plan_scope *scope, int given, struct watch *watch, struct err *err)
{
	const bool by_thread = scope->kind == PLAN_THREAD;
	const char *kind = by_thread ? "thread" : "process";
	int id = task_id(tasks, given, by_thread, err);
	if (id < 0)
		return id;
	int result = watch_task(watch, id, by_thread);
	if (!result)
		result = by_thread || (tasks->is_shared && !tasks->threads) ? add(tasks, id) : add_threads(tasks, id);
	if (result < 0 && result != -ESRCH)
		return err_sys(err, result, "cannot watch %s %d", kind, given);
	if (result == -ESRCH && scope->ids_count > 1)
		err_note(0, "there is no %s %d, or it has ended: the others are counted", kind, given);
	return result;
}

static int make_room(struct tasks *tasks, const struct plan *plan, const struct plan_scope *scope, unsigned cpus,
		     struct err *err)
{
	tasks->list = memory_take(scope->kind == PLAN_WORKLOAD ? 1 : TASKS_MAX, sizeof(*tasks->list));
	if (plan->per_thread) {
		uint32_t fit = SLOT_BYTES / (uint32_t)sizeof(struct reading) / cpus;
		tasks->slots = fit < TASKS_SLOTS ? fit : TASKS_SLOTS;
		tasks->threads = memory_take(tasks->slots, sizeof(*tasks->threads));
	}
	return tasks->list && (tasks->threads || !plan->per_thread) ? 0 : err_sys(err, -ENOMEM, "cannot count tasks");
}

static int open_children(struct tasks *tasks, const struct plan *plan, const struct plan_scope *scope, unsigned cpus,
			 struct err *err)
{
	unsigned ids_max = plan->per_thread ? CHILDREN_MAX : (unsigned)scope->ids_count + 1;
	int result = children_open(&tasks->children, scope->kind == PLAN_THREAD || plan->per_thread, ids_max, tasks->slots,
				   cpus, plan->inherit, err);
	if (result < 0)
		refusal_hint(REFUSAL_BPF, result, err);
	return result;
}

int tasks_open(struct tasks *tasks, const struct plan *plan, const struct plan_scope *scope, int workload, bool shared,
	       unsigned cpus, struct watch *watch, struct err *err)
{
	const int *ids = plan->ids + scope->first_id;
	int alive = 0;
	tasks_init(tasks);
	tasks->is_shared = shared;
	int result = make_room(tasks, plan, scope, cpus, err);
	if (!result && shared)
		result = open_children(tasks, plan, scope, cpus, err);
	for (int i = 0; !result && i < scope->ids_count; i++) {
		int added = add_given(tasks, scope, ids[i], watch, err);
		if (added < 0 && added != -ESRCH)
			result = added;
		alive += !added;
	}
	if (!result && scope->ids_count && !alive)
		result = err_set(err, -ESRCH, "cannot count %s %d: there is none, or it has ended",
				 scope->kind == PLAN_THREAD ? "thread" : "process", ids[0]);
	if (!result && scope->kind == PLAN_WORKLOAD)
		enlist(tasks, workload);
	return result;
}

int tasks_add_workload(struct tasks *tasks)
{
	return tasks->is_shared ? children_add(&tasks->children, (uint32_t)tasks->list[0].id, 0) : 0;
}

/* --- whose slot is which ---------------------------------------------------------------------------------------------- */

uint32_t tasks_used(const struct tasks *tasks)
{
	if (!tasks->threads)
		return 1;
	uint64_t used = tasks->taken + (tasks->is_shared ? children_state(&tasks->children).born : 0);
	return used < tasks->slots - 1 ? (uint32_t)used : tasks->slots - 1;
}

void tasks_refresh(struct tasks *tasks)
{
	const uint32_t used = tasks->threads ? tasks_used(tasks) : 0;
	for (uint32_t slot = 0; slot < used; slot++) {
		struct thread_info seen, *thread = &tasks->threads[slot];
		if (!thread->ended && tasks->is_shared && children_thread(&tasks->children, slot, &seen))
			*thread = seen;
		/* a thread may have got its name since */
		if (thread->tid && !thread->ended)
			sys_task_comm((int)thread->tid, thread->comm, sizeof(thread->comm));
	}
}

void tasks_end(struct tasks *tasks, int id)
{
	/* threads' ids are taken out by the BPF side, at once: by now they may be others' */
	if (tasks->is_shared && !tasks->children.settings.by_thread)
		children_remove(&tasks->children, (uint32_t)id);
}

void tasks_close(struct tasks *tasks)
{
	children_close(&tasks->children);
	memory_free(tasks->list);
	memory_free(tasks->threads);
	tasks->list = NULL;
	tasks->threads = NULL;
	tasks->count = 0;
}
