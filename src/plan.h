/* SPDX-License-Identifier: GPL-2.0-only */
/* options + the host's CPUs and PMUs (sysfs) -> a validated plan: what to count, for whom, where to print. */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpulist.h"
#include "event.h"

struct err;
struct options;

enum { PLAN_EVENTS_MAX = 128, PLAN_IDS_MAX = 1024, PLAN_SCOPES_MAX = 16 };

enum plan_share { PLAN_SHARE_AUTO, PLAN_SHARE_ALWAYS, PLAN_SHARE_NEVER };
enum plan_format { PLAN_TEXT, PLAN_CSV, PLAN_JSON, PLAN_OPENMETRICS };
enum plan_aggregate { PLAN_ALL_CPUS, PLAN_EACH_CPU, PLAN_EACH_CORE, PLAN_EACH_DIE, PLAN_EACH_SOCKET, PLAN_EACH_NODE };
enum plan_kind { PLAN_SYSTEM, PLAN_CPUS, PLAN_PROCESS, PLAN_THREAD, PLAN_WORKLOAD, PLAN_CGROUPS, PLAN_PROGRAMS };

struct plan_scope {
	enum plan_kind kind;
	const char *subject;             /* the list's or command's text as the user gave it; NULL for PLAN_SYSTEM */
	struct cpulist cpus;             /* what is counted: the list of PLAN_CPUS (and of -C with -G or -b), else every online CPU */
	int first_id, ids_count;         /* in ids: PLAN_PROCESS: process ids; PLAN_THREAD: thread ids; without repeats */
	bool each;                       /* PLAN_CGROUPS: all events for each; else the first for the first event, .. */
};

struct plan {
	int events_count;
	int scopes_count;
	struct cpulist online, possible; /* of the host */
	struct cpulist cpus;             /* where to open events: those of all scopes */
	int ids_count;
	char **command;                  /* the workload, or what runs meanwhile; NULL: until a signal or the timeout */
	enum plan_share share;
	bool per_thread;                 /* a row a thread; of PLAN_PROCESS, PLAN_THREAD and PLAN_WORKLOAD */
	uint64_t timeout_ms;             /* 0: none; from the enabling on, as the intervals are */
	uint64_t interval_ms, interval_count; /* 0: none */
	uint64_t delay_ms;               /* from the start to the enabling */
	bool starts_disabled;            /* until `control` says enable */
	uint64_t repeat;                 /* runs; 1: once; 0: until a signal */
	bool summary;                    /* a total after the intervals */
	struct plan_control {
		bool is_given;
		int fd, ack_fd;          /* -1: none, or by path */
		const char *path, *ack_path; /* FIFOs; path is path_length long; NULL: none */
		size_t path_length;
	} control;
	const char *output;              /* NULL: log_fd */
	int log_fd;                      /* 2 without --log-fd */
	enum plan_format format;
	const char *separator;           /* of PLAN_CSV */
	bool csv_header, big_num;        /* names of the fields first; commas between thousands in text */
	bool quiet;                      /* write no report */
	bool null_run;                   /* no events: only the time */
	enum plan_aggregate aggregate;   /* whose CPUs make a row, of scopes by CPU and of cgroups */
	bool live, ascii;                /* keep one screen up to date; with ASCII only */
	bool joins_at_end;               /* the places are for the screen: what is reported at the end has none */
	bool overhead;                   /* also tell what the counting costs */
	bool append, inherit, mount;
	const char *attr_map;            /* perf's; NULL: its usual place */
	/* the last members: what is not used of these is not touched */
	struct plan_scope scopes[PLAN_SCOPES_MAX];
	int ids[PLAN_IDS_MAX];           /* of all scopes */
	struct event events[PLAN_EVENTS_MAX]; /* resolved */
};

/* Without -e the events are perf stat's: task-clock (cpu-clock where the first scope is no task's), context-switches,
 * cpu-migrations, page-faults, cycles, instructions, branches, branch-misses. A command without another scope is the
 * workload. Where perf takes -a, -C and -G together, they mean what they do there: -C says which of all CPUs, and on which the
 * cgroups or BPF programs are counted. Else each is a scope of its own. Refuses, with -EINVAL and a text: no scope and no command; --per-thread
 * without tasks; -r with --per-thread; what -I, --interval-count, --summary, -r, -D -1, --control, --csv-header, --ascii, --append and
 * -A lack, and what --live does not mix with (see the man page); CPUs
 * that are not online (named, with the online list); events of which the host knows nothing (event_resolve.h), of CPUs only for other
 * scopes, or of other CPUs than all scopes'; ids that are no positive numbers, or none; a list of -b that is wrong, and --share=never with it. Pointers are kept from
 * options. */
int plan_build(struct plan *plan, const struct options *options, const struct cpulist *online,
	       const struct cpulist *possible, struct err *err);

bool plan_scope_is_cpus(const struct plan_scope *scope);  /* PLAN_SYSTEM or PLAN_CPUS: no follower */
bool plan_scope_is_tasks(const struct plan_scope *scope); /* PLAN_PROCESS, PLAN_THREAD or PLAN_WORKLOAD */

/* Is there a scope without a follower, which needs its leaders' totals: of CPUs, or of BPF programs? */
bool plan_needs_totals(const struct plan *plan);

/* Has each of the plan's places (-A, --per-core, ..) a row of its own there? */
bool plan_scope_has_places(const struct plan *plan, const struct plan_scope *scope);

#endif
