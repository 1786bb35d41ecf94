/* SPDX-License-Identifier: GPL-2.0-only */
/* The results of several runs (-r), kept until their mean is asked for. */
#ifndef REPEAT_H
#define REPEAT_H

#include <stdint.h>

struct err;
struct report;
struct report_row;

struct repeat {
	uint64_t *values;        /* of each row, then of the time elapsed: one a run */
	struct report_row *rows; /* states; enabled and running are summed */
	uint64_t runs, runs_max;
	int rows_count;
};

/* Room for so many rows and runs. Returns 0 or -ENOMEM with a text. */
int repeat_open(struct repeat *repeat, int rows_count, uint64_t runs_max, struct err *err);

/* Takes a run's rows, which stand in the same order each time. Returns how many runs there are now. */
uint64_t repeat_add(struct repeat *repeat, const struct report *report);

/* Replaces the rows and the times by the means; after no run at all it leaves them. */
void repeat_mean(const struct repeat *repeat, struct report_row *rows, struct report *report);

/* May be called twice. */
void repeat_close(struct repeat *repeat);

#endif
