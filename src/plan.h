/* SPDX-License-Identifier: GPL-2.0-only */
/* options + the host's CPUs -> a validated plan: what to count, for whom, where to print. No system call. */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "cpulist.h"
#include "event.h"

struct err;
struct options;

enum { PLAN_EVENTS_MAX = 64, PLAN_IDS_MAX = 1024 };

enum plan_scope { PLAN_SYSTEM, PLAN_CPUS, PLAN_PROCESS, PLAN_THREAD, PLAN_WORKLOAD };

struct plan {
	struct event events[PLAN_EVENTS_MAX];
	int events_count;
	enum plan_scope scope;
	struct cpulist online, possible; /* of the host */
	struct cpulist cpus;             /* where to open events and to trigger: -C's list, else every online CPU */
	int ids[PLAN_IDS_MAX];           /* PLAN_PROCESS: process ids; PLAN_THREAD: thread ids; without repeats */
	int ids_count;
	const char *subject;             /* the list or command line's text as the user gave it (see command) */
	char **command;                  /* the workload, or what runs meanwhile; NULL: until a signal or the timeout */
	uint64_t timeout_ms;             /* 0: none */
	const char *output;              /* NULL: stderr */
	bool append, inherit, mount;
	const char *attr_map;            /* perf's; NULL: its usual place */
};

/* Without -e the events are perf stat's: task-clock (cpu-clock for PLAN_SYSTEM and PLAN_CPUS), context-switches,
 * cpu-migrations, page-faults, cycles, instructions, branches, branch-misses. A command without another scope is the
 * workload. Refuses, with -EINVAL and a text: no scope and no command; scopes that do not mix (-a or -C with -p or -t, -p
 * with -t); CPUs that are not online (named, with the online list); ids that are no positive numbers, or none.
 * Pointers are kept from options. */
int plan_build(struct plan *plan, const struct options *options, const struct cpulist *online,
	       const struct cpulist *possible, struct err *err);

bool plan_scope_is_cpus(const struct plan *plan);  /* PLAN_SYSTEM or PLAN_CPUS: no follower */

#endif
