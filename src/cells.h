/* SPDX-License-Identifier: GPL-2.0-only */
/* A row as fields, in the order in which `perf stat -x` has them and under the names that `perf stat -j` gives them. Pure. */
#ifndef CELLS_H
#define CELLS_H

#include <stdbool.h>

#include "number.h"

struct out;
struct report;

/* As perf's CSV has them. Those of our own: SCOPE, and the three of a program. */
enum cell_field {
	CELL_INTERVAL,
	CELL_SCOPE,
	CELL_PLACE, /* "cpu", "core", "die", "socket" or "node" */
	CELL_COUNTERS,
	CELL_THREAD,
	CELL_PROGRAM,
	CELL_PROGRAM_ID,
	CELL_PROGRAM_RUNS,
	CELL_VALUE,
	CELL_UNIT,
	CELL_EVENT,
	CELL_CGROUP,
	CELL_VARIANCE,
	CELL_RUNTIME,
	CELL_RUNNING,
	CELL_METRIC,
	CELL_METRIC_UNIT,
	CELL_FIELDS
};

struct cell {
	const char *name;
	const char *text, *more; /* one behind the other, from outside as they are; NULL: there is none, or no more */
	bool is_number;          /* `text` is one, and `more` a unit that JSON leaves out */
	struct number number;    /* where text or more may point: copies of a filled one do not work */
};

struct cells {
	struct cell field[CELL_FIELDS]; /* no name: this run has no such field */
	bool is_uncounted;              /* the value is a text that says why */
};

typedef void cells_print(struct out *out, const struct report *report, const struct cells *cells);

/* Prints each row, and flushes it. Beside the rows come those of the time, as perf's events of these names: duration_time, and
 * where a command was counted user_time and system_time; with_times: behind all but intervals and rows of CPUs (-A, ..) or
 * threads; else only where nothing but the time is counted (-n). */
void cells_each(struct out *out, const struct report *report, bool with_times, cells_print *print);

/* The fields' names alone. */
void cells_names(struct cells *cells, const struct report *report);

#endif
