/* SPDX-License-Identifier: GPL-2.0-only */
/* The cgroups that a scope counts, by slot. */
#ifndef GROUPS_H
#define GROUPS_H

#include "bperf.h"
#include "cgroup.h"

struct err;
struct follower_subject;
struct plan_scope;

struct groups {
	struct cgroup *list;   /* in the order given, or found; of -G an empty name is the root */
	int count;
	bool each;             /* of --for-each-cgroup */
	int groups_fd, sets_fd; /* if shared: the follower's maps */
};

/* Nothing open: what groups_close may be called on. */
void groups_init(struct groups *groups);

/* Finds and opens the groups of -G or --for-each-cgroup; shared: for followers, which know cgroup v2 only. Returns 0; -ENOENT: no
 * such group; -ENODEV: v1 and shared; -E2BIG: too many, or nested too deep; another -errno; all with a text. */
int groups_open(struct groups *groups, const struct plan_scope *scope, bool shared, struct err *err);

/* For a follower of so many events. Lives as long as groups. */
struct follower_subject groups_subject(const struct groups *groups, uint32_t events);

/* Says which have been removed since. */
void groups_note_gone(const struct groups *groups);

/* May be called twice. */
void groups_close(struct groups *groups);

#endif
