/* SPDX-License-Identifier: GPL-2.0-only */
/* One run: its events x its scope. Owns every file descriptor. What outlives the process: the directory and the map of the
 * registry (attr_map.h), and a bpffs that it had to mount; nothing else. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "counter.h"
#include "groups.h"
#include "overhead.h"
#include "registry.h"
#include "report.h"
#include "targets.h"
#include "tasks.h"
#include "topology.h"
#include "watch.h"
#include "workload.h"

struct err;
struct plan;

#define SESSION_NEVER UINT64_MAX /* as a time */

/* One scope of the plan. */
struct session_scope {
	struct tasks tasks;
	struct groups groups;
	struct targets targets;
	struct follower *followers; /* one for each FOLLOWER_EVENTS events */
	int followers_count;
	struct report_program *programs; /* as the rows name them, by slot */
	struct counter runs;       /* of the targets */
	struct counter_env env;    /* what its counters need of all this */
};

/* An event and those of its family, where each place has a row. */
struct session_family {
	struct cpulist cpus;       /* that can count one of them */
	int alike;                 /* the first event of the same CPUs: their rows have the same places */
};

struct session {
	const struct plan *plan;
	struct registry registry;
	struct workload workload;
	struct watch watch;
	struct control control;
	struct overhead overhead;  /* of --overhead */
	struct session_scope *scopes; /* as many as the plan's */
	struct counter *counters;  /* all events of the first scope, then of the next */
	int counters_count;
	struct reading *readings;  /* scratch of the counters */
	struct cpulist cpus;       /* the plan's, and those that came online where a scope counts all */
	struct report_row *rows;   /* as session_rows left them: scope by scope, event by event */
	int rows_count;
	struct topology topology;  /* where each place has a row: */
	struct session_family *families; /* one an event of the plan; empty but for the first event of each */
	struct report_place *places; /* of the rows, scope by scope; of one scope and CPUs in their order */
	unsigned places_count;
	bool is_on, is_shared;
	uint64_t started_ns;       /* the enabling, or, where it starts disabled, the start: intervals and the timeout count from it */
	uint64_t enable_ns;        /* when to enable; UINT64_MAX: on command */
	uint64_t due_ns;           /* the present interval's end; UINT64_MAX: none */
	uint64_t looked_ns;        /* when it was last seen to that all CPUs count */
	uint64_t elapsed_ns, interval_ns; /* up to the last reading: in all, and since the one before */
	uint64_t intervals;        /* read so far, the last one included */
	bool is_read;              /* what was counted up to the last reading is not to be in the next one */
	bool is_told_to_end;       /* by the caller: the next reading is the last */
	int screen_signal;         /* with SESSION_SCREEN: WINCH, TSTP, CONT, or 0 */
	int signal;                /* that ended it, or 0 */
	bool ended_command;        /* by us, as the count had ended before it */
};

/* Makes all that is needed, counting nothing yet. Returns 0, or -errno with a text; also where no event at all can be
 * counted. To be followed by session_close in any case. */
int session_open(struct session *session, const struct plan *plan, struct err *err);

/* Of session_open, for itself and for tests: finds out, where the plan wants a row for each place, which places there are; makes room
 * for what session_rows fills in, to be called again when there are more CPUs. Each returns 0, or -ENOMEM with a text. */
int session_learn_places(struct session *session, struct err *err);
int session_make_rows(struct session *session, struct err *err);

/* Does the plan count the workload from its exec, rather than from when it is told to begin? */
bool session_is_from_exec(const struct plan *plan);

/* Starts: counting, unless that is delayed, and the command. Returns 0 or -errno with a text; of a workload that cannot be run
 * -ENOENT or another, and *exec_failed is true. */
int session_start(struct session *session, bool *exec_failed, struct err *err);

/* Counts until the interval's end, or until what the plan says ends it all, and reads. Returns which, or -errno with a text.
 * SESSION_SCREEN: there is something for the screen (WATCH_SCREEN); nothing was read, and the interval goes on. */
enum session_event { SESSION_INTERVAL, SESSION_ENDED, SESSION_SCREEN };
int session_next(struct session *session, struct err *err);

/* Fills `rows`, and those of `overhead`: since the reading before the last one, or with `all` from the start to the last one. */
void session_rows(struct session *session, bool all);

/* Tells of the programs that it has made or joined (-v), and begins to add up what they cost (--overhead). */
void session_programs(struct session *session);

/* After the end: a command that still runs is told to end, and waited for. Returns 0 or -errno with a text. */
int session_finish(struct session *session, struct err *err);

/* The exit status after a run: the workload's, or 128 + the signal that ended the run, or 0. */
int session_status(const struct session *session);

/* May be called twice, and on a session whose opening failed. */
void session_close(struct session *session);

#endif
