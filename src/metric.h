/* SPDX-License-Identifier: GPL-2.0-only */
/* What a row says together with others of the same subject: "insn per cycle", "GHz", .. Pure; integers only, rounded once. */
#ifndef METRIC_H
#define METRIC_H

#include <stdbool.h>
#include <stdint.h>

struct report;
struct report_row;

/* How bad perf holds it to be (the colours of tools/perf/util/stat-shadow.c): of percentages only. */
enum metric_colour { METRIC_PLAIN, METRIC_YELLOW, METRIC_MAGENTA, METRIC_RED };

struct metric {
	uint64_t value;    /* / 10^decimals, of unit */
	int decimals;      /* 2 or 3 */
	const char *unit;  /* as perf has it: "of all branches", "K/sec", ..; NULL: there is nothing to say */
	bool is_percent;   /* a "%" comes behind the number: it is not in unit, as perf's CSV and JSON have none */
	enum metric_colour colour;
};

enum { METRIC_FINDS = 3 };

/* Looks for the rows that a row is compared with: of the same scope, cgroup, thread, place and program, counted with the same
 * modifiers on the same kind of CPU. Thousands of threads look through the rows of thousands: events mostly have theirs in the
 * same order, so that each is found at once. Start it with the report, else zeroed, for each event of the report. */
struct metric_finder {
	const struct report *report;
	const struct report_row *first; /* of the event's rows; NULL: not looked for yet, as below */
	const struct report_row *from[METRIC_FINDS]; /* of the events it is compared with; the rows' end: there is none */
};

/* row is one of the report's. Nothing is said of a row that was not counted, nor together with one that was not. */
struct metric metric_of(struct metric_finder *finder, const struct report_row *row);

/* What is said beside it, of instructions: "stalled cycles per insn". */
struct metric metric_second(struct metric_finder *finder, const struct report_row *row);

#endif
