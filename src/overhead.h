/* SPDX-License-Identifier: GPL-2.0-only */
/* What the counting itself costs (--overhead): the run times of a session's BPF programs, from the kernel's BPF statistics, which
 * are on while this is open and off again when it is closed, however the process ends (unless someone else has them on). */
#ifndef OVERHEAD_H
#define OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "program.h"

struct err;
struct report_overhead;

struct overhead {
	int stats_fd;                  /* -1: not open, and all of this does nothing */
	struct overhead_program {
		struct program at;     /* as it was last looked at */
		int row;               /* that its time belongs to; -1: a follower of perf's */
		int leader;            /* the program in whose time its own is: the leader of a follower of perf's; -1: none */
		uint64_t first_ns, first_runs; /* at overhead_start */
		uint64_t before_ns, before_runs; /* at the reading before the last one */
	} *programs;
	int programs_count, programs_max;
	struct report_overhead *rows;  /* of a kind and an event each; as overhead_rows left them */
	int rows_count;
};

/* Nothing open: what overhead_close may be called on. */
void overhead_init(struct overhead *overhead);

/* Switches the statistics on. programs_max: how many overhead_add will give. Returns 0 or -errno with a text. */
int overhead_open(struct overhead *overhead, int programs_max, struct err *err);

/* Adds a program of the session by its link or, link_fd -1, by itself, to the row of that kind and event (NULL: of all events), which stay the caller's. Leaders
 * before their followers. A program that is in it already is not added. Returns 0 or -errno. */
int overhead_add(struct overhead *overhead, const char *kind, const char *event, bool is_shared, int link_fd,
		 int prog_fd);

/* The count begins, or is read now. */
void overhead_start(struct overhead *overhead);
void overhead_read(struct overhead *overhead);

/* Fills `rows`: since the reading before the last one, or with `all` from the start to the last one. */
void overhead_rows(struct overhead *overhead, bool all);

/* May be called twice. */
void overhead_close(struct overhead *overhead);

#endif
