/* SPDX-License-Identifier: GPL-2.0-only */
/* Readings -> text. Pure: numbers in, characters out; never sees a file descriptor. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct out;
struct plan;

enum report_state { REPORT_COUNTED, REPORT_NOT_COUNTED, REPORT_NOT_SUPPORTED };

struct report_row {
	const struct event *event;
	enum report_state state;
	uint64_t value;            /* scaled per CPU, then added; nanoseconds for clocks */
	uint64_t enabled, running; /* ns, summed over CPUs: for the share of time */
};

struct report {
	const struct plan *plan;   /* for the header: scope, subject, command */
	const struct report_row *rows;
	int rows_count;
	uint64_t elapsed_ns;
	bool has_times;            /* a workload ran: */
	uint64_t user_ns, sys_ns;
};

/* As `perf stat` prints it, for people. Returns 0, or the -errno of writing. */
int report_text(struct out *out, const struct report *report);

struct status;
/* `bperf-mini status`: a paragraph a leader, or one JSON object a line. Returns 0, or the -errno of writing. */
int report_status_text(struct out *out, const struct status *status);
int report_status_json(struct out *out, const struct status *status);

#endif
