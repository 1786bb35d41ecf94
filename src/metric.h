/* SPDX-License-Identifier: GPL-2.0-only */
/* What a row says together with others of the same subject: "insn per cycle", "GHz", .. Pure. */
#ifndef METRIC_H
#define METRIC_H

#include <stdint.h>

struct report;
struct report_row;

struct metric {
	uint64_t value;    /* / 10^decimals, of unit */
	int decimals;
	const char *unit;  /* as perf has it; NULL: there is nothing to say */
};

/* Looks for the rows that a row is compared with. Thousands of threads look through the rows of thousands: rows of other events in
 * front of the right ones are passed once, not each time. Start it zeroed for each event of the report. */
struct metric_finder {
	const struct report *report;
	const struct report_row *from; /* NULL: the first */
};

struct metric metric_of(struct metric_finder *finder, const struct report_row *row);

#endif
