/* SPDX-License-Identifier: GPL-2.0-only */
/* Who shares what now: the live leaders, their sessions and followers. Looks only: changes nothing, needs no session. */
#ifndef STATUS_H
#define STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

struct err;

enum { STATUS_LEADERS_MAX = 256, STATUS_SESSIONS_MAX = 32, STATUS_COMMAND_SIZE = 17 };

struct status_session {
	int pid;
	char command[STATUS_COMMAND_SIZE]; /* its comm; "" where it could not be read */
};

struct status_leader {
	struct perf_event_attr attr;
	char event[EVENT_NAME_SIZE];
	bool is_hardware;        /* it takes a hardware counter on each CPU that it counts */
	bool is_perfs;           /* made by perf, else by us */
	uint32_t link_id, prog_id; /* link_id 0: it is not attached, as nobody needs it to run on each switch */
	uint64_t age_ns;         /* since its program was loaded */
	unsigned cpus;           /* that it has counted so far */
	unsigned followers;      /* programs that add up its totals or differences */
	unsigned sessions;       /* processes that hold it or its link; the first STATUS_SESSIONS_MAX are in who */
	int last_pid;            /* the last process that was counted */
	struct status_session who[STATUS_SESSIONS_MAX];
};

struct status {
	struct status_leader *leaders; /* owned */
	int count;
	bool has_more;                 /* than STATUS_LEADERS_MAX */
};

/* perf_path NULL: perf's usual place. No registry at all is no failure: count is 0. Returns 0 or -errno with a text. */
int status_open(struct status *status, const char *perf_path, unsigned possible_cpus, struct err *err);
void status_close(struct status *status);

#endif
