/* SPDX-License-Identifier: GPL-2.0-only */
/* One run: its events x its scope. Owns every file descriptor. What outlives the process: the directory and the map of the
 * registry (attr_map.h), and a bpffs that it had to mount; nothing else. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "children.h"
#include "cpulist.h"
#include "follower.h"
#include "leader.h"
#include "registry.h"
#include "report.h"
#include "watch.h"
#include "workload.h"

struct err;
struct plan;

struct session_event {
	bool supported;
	struct leader leader;
	struct follower follower;  /* of task scopes */
	struct reading *before;    /* of CPU scopes: the totals at the start, per possible CPU */
	struct reading *seen;      /* the totals at the last look, per possible CPU */
	bool lost;                 /* a CPU is not counted any more, and that was said */
};

struct session {
	const struct plan *plan;
	struct registry registry;
	struct cpulist cpus;       /* that are counted: the plan's, and those that came online where it is all of them */
	uint64_t looked_ns;        /* when it was last seen to that they are */
	struct workload workload;
	struct watch watch;
	struct children children;  /* of task scopes */
	struct session_event *events;
	struct report_row *rows;   /* one per event; filled by session_run */
	struct reading *readings;  /* scratch: one per possible CPU */
	unsigned possible_count;
	uint64_t started_ns, elapsed_ns;
	int signal;                /* that ended it, or 0 */
	bool ended_command;        /* by us, as the count had ended before it */
};

/* Makes all that is needed, counting nothing yet. Returns 0, or -errno with a text; also where no event at all can be
 * counted. To be followed by session_close in any case. */
int session_open(struct session *session, const struct plan *plan, struct err *err);

/* Counts, until what the plan says ends it, and fills the rows. Returns 0 or -errno with a text; of a workload that cannot
 * be run -ENOENT or another, and *exec_failed is true. */
int session_run(struct session *session, bool *exec_failed, struct err *err);

/* The exit status after a run: the workload's, or 128 + the signal that ended the run, or 0. */
int session_status(const struct session *session);

/* May be called twice, and on a session whose opening failed. */
void session_close(struct session *session);

#endif
