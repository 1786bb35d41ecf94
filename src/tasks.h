/* SPDX-License-Identifier: GPL-2.0-only */
/* The tasks that a session counts: given by id or started by it, and, where each thread has a row, whose slot is which. */
#ifndef TASKS_H
#define TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "bperf.h" /* struct thread_info */
#include "children.h"

struct err;
struct plan;
struct plan_scope;
struct watch;

/* TASKS_SLOTS: rows of threads, and one for the rest; fewer where there are so many CPUs that their sums would take more than
 * 16 MB an event. TASKS_MAX: threads that exist at the start. */
enum { TASKS_SLOTS = 4097, TASKS_MAX = 65536 };

struct task {
	int id;
	uint32_t slot;
};

struct tasks {
	struct task *list;            /* what was there at the start: process or thread ids */
	int count;
	bool is_shared;
	struct children children;     /* if shared */
	uint32_t slots, taken;        /* in all; by `list` */
	struct thread_info *threads;  /* NULL: there is one slot. By slot */
};

/* Nothing open: what tasks_close may be called on. */
void tasks_init(struct tasks *tasks);

/* workload: its process id, or 0. shared: for followers, else for plain events, which need each thread's id. cpus: possible
 * ones. The tasks that end the session are given to `watch`. A dead one among living ones is noted. Returns 0; -ESRCH: there is
 * none; another -errno; all with a text. */
int tasks_open(struct tasks *tasks, const struct plan *plan, const struct plan_scope *scope, int workload,
	       bool shared, unsigned cpus, struct watch *watch, struct err *err);

/* Counts the workload from now on rather than from its exec (with -D). Returns 0 or -errno. */
int tasks_add_workload(struct tasks *tasks);

/* How many slots, from the first on, may have been counted into, and the last one. */
uint32_t tasks_used(const struct tasks *tasks);

/* Brings `threads` up to date. A tid of 0: the slot is nobody's, or, the last one, the rest's. */
void tasks_refresh(struct tasks *tasks);

/* A task has ended. */
void tasks_end(struct tasks *tasks, int id);

/* May be called twice. */
void tasks_close(struct tasks *tasks);

#endif
