/* SPDX-License-Identifier: GPL-2.0-only */
/* One event of a session, counted in one of four ways: by what its leader's totals grow (CPUs), by the scope's follower (tasks), around
 * BPF programs, or, unshared, by plain events. What it comes to is added up by slot, and by CPU where rows are of some CPUs
 * only. */
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
struct groups;
struct plan;
struct plan_scope;
struct registry;
struct targets;
struct tasks;

/* What the counters of a scope have in common. */
struct counter_env {
	const struct plan *plan;
	const struct plan_scope *scope;
	struct registry *registry;
	const struct tasks *tasks;   /* of a task scope, else NULL */
	const struct groups *groups; /* of cgroups, else NULL */
	const struct targets *targets; /* of BPF programs, else NULL */
	const struct follower *followers; /* of tasks or cgroups, else NULL: one for each FOLLOWER_EVENTS events */
	uint32_t slots;            /* sums: one, or one a thread, cgroup or BPF program */
	uint32_t split;            /* parts of a slot: one, or one per possible CPU where each place has a row (report_place) */
	struct cpulist cpus;       /* that are counted: the scope's, and those that came online where it is all of them */
	unsigned possible_count;
	struct reading *readings;  /* scratch: one per possible CPU */
};

struct counter {
	const struct counter_env *env; /* the scope's; outlives the counter */
	struct event event;        /* as it is counted */
	int first_row;             /* in the session's rows; members of a family are added to those of the first */
	unsigned first_place;      /* in the session's places; of the first of a family */
	int number;                /* of the event in the session; of BPF programs also TARGETS_RUNS */
	int only_slot;             /* of cgroups that go with one event each: its; -1: all count */
	enum { COUNTER_NONE, COUNTER_TOTALS, COUNTER_FOLLOWED, COUNTER_TARGETS, COUNTER_PLAIN } way; /* NONE: this host cannot count it */
	bool is_on;
	struct leader leader;
	struct plain plain;
	struct reading *last;      /* up to which it is added up: slots x possible CPUs, or plain events */
	struct reading *seen;      /* the leader's totals when it was last looked after, per possible CPU */
	struct count *since, *total; /* split x slots: since counter_next, and in all */
	bool lost;                 /* a CPU is not counted any more, and that was said */
};

/* Nothing open: what counter_close may be called on. */
void counter_init(struct counter *counter, const struct event *event, int number, const struct counter_env *env);

/* Makes what it takes, counting nothing yet. leader: the event's, which another scope has opened for the CPUs of all; NULL: this
 * is the first. Returns 0; -EOPNOTSUPP with a text, and the way is NONE: this host cannot count the
 * event; another -errno with a text. with_exec: the workload is to be counted from its exec. */
int counter_open(struct counter *counter, bool shared, const struct leader *leader,
		 bool with_exec, struct err *err);

/* Of the runs of BPF programs, which need no event. Returns 0 or -errno with a text. */
int counter_open_runs(struct counter *counter, struct err *err);

/* To enable or to read all counters of a session over one window: counter_trigger each event that is counted by totals once, on the
 * CPUs of all scopes, and the followers, then counter_take all. enable: what was before is not in it; a counter that is on, or not on
 * for a reading, is left alone. workload: with enable, counted from its exec, or 0. Each returns 0 or -errno with a text. */
int counter_trigger(const struct counter *counter, const struct cpulist *cpus, struct err *err);
int counter_take(struct counter *counter, bool enable, uint32_t workload, struct err *err);

/* Stops, right after a reading: what comes between the two is not in it. Returns 0 or -errno with a text. */
int counter_disable(struct counter *counter, struct err *err);

/* `since` begins anew. */
void counter_next(struct counter *counter);

/* Gives those of the CPUs that have lost their event a new one (see leader_complete): they have run for less than half of the
 * time since the last look, or the follower has seen it stand still. What they counted before stays counted. */
void counter_look_after(struct counter *counter, const struct cpulist *cpus, uint64_t passed_ns);

/* May be called twice. */
void counter_close(struct counter *counter);

#endif
