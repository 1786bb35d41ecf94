/* SPDX-License-Identifier: GPL-2.0-only */
/* The results of several runs (-r), kept until their mean is asked for. */
#ifndef REPEAT_H
#define REPEAT_H

#include <stdint.h>

struct err;
struct report;
struct report_overhead;
struct report_row;

struct repeat {
	uint64_t *values;        /* of each row, then of the time elapsed: one a run */
	struct report_row *rows; /* states; enabled and running are summed */
	uint64_t runs, runs_max;
	struct report_overhead *overhead; /* summed */
	int rows_count, overhead_count;
};

/* Takes the rows of a run, of runs_max at most. Returns 0; -ENOMEM; -ESTALE: they are not as many as in the run before (cgroups
 * come and go); with a text. *repeat starts zeroed. */
int repeat_add(struct repeat *repeat, const struct report *report, uint64_t runs_max, struct err *err);

/* Replaces the rows and the times by the means; after no run at all it leaves them. */
void repeat_mean(const struct repeat *repeat, struct report_row *rows, struct report *report);

/* May be called twice. */
void repeat_close(struct repeat *repeat);

#endif
