/* SPDX-License-Identifier: GPL-2.0-only */
/* One event of a session, counted in one of three ways: by what its leader's totals grow (CPUs), by a follower (tasks), or,
 * unshared, by plain events. What it comes to is added up by slot. */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "cpulist.h"
#include "event.h"
#include "follower.h"
#include "leader.h"
#include "plain.h"
#include "reading.h"

struct err;
struct plan;
struct registry;
struct tasks;

/* What the counters of a session have in common. */
struct counter_env {
	const struct plan *plan;
	struct registry *registry;
	struct tasks *tasks;       /* of CPU scopes: of one slot, without tasks */
	struct cpulist cpus;       /* that are counted: the plan's, and those that came online where it is all of them */
	unsigned possible_count;
	struct reading *readings;  /* scratch: one per possible CPU */
};

struct counter {
	struct event event;        /* as it is counted */
	enum { COUNTER_NONE, COUNTER_TOTALS, COUNTER_FOLLOWED, COUNTER_PLAIN } way; /* NONE: this host cannot count it */
	bool is_on;
	struct leader leader;
	struct follower follower;
	struct plain plain;
	struct reading *last;      /* up to which it is added up: slots x possible CPUs, or plain events */
	struct reading *seen;      /* the leader's totals when it was last looked after, per possible CPU */
	struct count *since, *total; /* by slot: since counter_next, and in all */
	bool lost;                 /* a CPU is not counted any more, and that was said */
};

/* Nothing open: what counter_close may be called on. */
void counter_init(struct counter *counter, const struct event *event);

/* Makes what it takes, counting nothing yet. Returns 0; -EOPNOTSUPP with a text, and the way is NONE: this host cannot count the
 * event; another -errno with a text. with_exec: the workload is to be counted from its exec. */
int counter_open(struct counter *counter, const struct counter_env *env, bool shared, bool with_exec, struct err *err);

/* Starts; what was before is not in it. workload: counted from its exec, or 0. Returns 0 or -errno with a text. */
int counter_enable(struct counter *counter, const struct counter_env *env, uint32_t workload, struct err *err);

/* Adds up to now. Returns 0 or -errno with a text. */
int counter_read(struct counter *counter, const struct counter_env *env, struct err *err);

/* Adds up to now and stops. Returns 0 or -errno with a text. */
int counter_disable(struct counter *counter, const struct counter_env *env, struct err *err);

/* `since` begins anew. */
void counter_next(struct counter *counter, const struct counter_env *env);

/* Gives CPUs that have lost their event a new one (see leader_complete): those online ones that are counted and have run for less
 * than half of the time since the last look. What they counted before stays counted. */
void counter_look_after(struct counter *counter, const struct counter_env *env, const struct cpulist *online,
			uint64_t passed_ns);

/* May be called twice. */
void counter_close(struct counter *counter);

#endif
