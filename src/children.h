/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks a session counts: the maps `filter` and `tasks`, and the programs that enter children at their birth. Made
 * once per session, used by the followers of all its events. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

#include "bperf.h"
#include "loader.h"

struct err;

/* CHILDREN_MAX: living children at a time; more are counted as lost. The map is allocated ahead: about 100 bytes each. */
enum { CHILDREN_MAX = 8192, CHILDREN_HOOKS = 3 };

struct children {
	struct loader loader; /* owns the maps */
	struct task_settings settings;
	int link_fds[CHILDREN_HOOKS];
};

/* Nothing open: what children_close may be called on. */
void children_init(struct children *children);

/* by_thread: ids are threads'. ids_max: how many children_add will enter (at least 1). Without `inherit` their
 * children are not counted. Returns 0 or -errno with a text. */
int children_open(struct children *children, bool by_thread, unsigned ids_max, bool inherit, struct err *err);

/* Counts process or thread `id`, and what it gives birth to from now on, into `slot`. Returns 0 or -errno. */
int children_add(const struct children *children, uint32_t id, uint32_t slot);

/* The task has ended: its id may soon be another's. Its last moments are counted all the same. */
void children_remove(const struct children *children, uint32_t id);

int children_filter_fd(const struct children *children); /* still the loader's */
int children_tasks_fd(const struct children *children);

/* Births that could not be entered, so far. */
uint64_t children_lost(const struct children *children);

/* May be called twice, and after a failed opening. */
void children_close(struct children *children);

#endif
