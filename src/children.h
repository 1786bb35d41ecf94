/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks a session counts: the maps `filter` and `tasks`, and the programs that enter children at their birth. Made
 * once per session, used by its follower. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

#include "bperf.h"
#include "loader.h"

struct err;
struct follower_subject;

/* CHILDREN_MAX: living children at a time; more are counted as lost. The map is allocated ahead: about 100 bytes each. */
enum { CHILDREN_MAX = 8192, CHILDREN_HOOKS = 4 };

struct children {
	struct loader loader; /* owns the maps */
	struct task_settings settings;
	unsigned cpus; /* possible ones */
	int link_fds[CHILDREN_HOOKS];
};

/* Nothing open: what children_close may be called on. */
void children_init(struct children *children);

/* by_thread: ids are threads'. ids_max: how many children_add will enter (at least 1). slots: 1, or so many, one for each
 * thread, the last one for those that find none. cpus: possible ones. Without `inherit` their children are not counted. Returns 0
 * or -errno with a text. */
int children_open(struct children *children, bool by_thread, unsigned ids_max, unsigned slots, unsigned cpus, bool inherit,
		  struct err *err);

/* A slot that is nobody's yet, or the last one if there is none; 0 where there is only one. */
uint32_t children_take_slot(const struct children *children);

/* Counts process or thread `id`, and what it gives birth to from now on, into `slot`. Returns 0 or -errno. */
int children_add(const struct children *children, uint32_t id, uint32_t slot);

/* The task has ended: its id may soon be another's. Its last moments are counted all the same. */
void children_remove(const struct children *children, uint32_t id);

/* Where threads have slots: whose it is. False: nobody's who has run. */
bool children_thread(const struct children *children, uint32_t slot, struct thread_info *thread);

/* For a follower of so many events. Lives as long as children. */
struct follower_subject children_subject(const struct children *children, uint32_t events);

/* lost: births that could not be entered, so far; born: see bperf.h. All 0 if it cannot be read. */
struct children_state children_state(const struct children *children);

/* May be called twice, and after a failed opening. */
void children_close(struct children *children);

#endif
