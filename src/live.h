/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen of --live: intervals' rows -> lines with bars, totals, and of each the last minute. Pure: rows in, bytes out. */
#ifndef LIVE_H
#define LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metric.h"
#include "pen.h"
#include "report.h"

struct out;
struct plan;

/* As many lines as there can be CPUs, or twice the threads of a scope; memory is taken for those that are there. Of more, and of
 * more totals, only the number is shown; of a larger screen the rest is left empty. */
enum { LIVE_POINTS = 60, LIVE_LINES_MAX = 8192, LIVE_TOTALS_MAX = 1024, LIVE_ROWS_MAX = 512, LIVE_COLUMNS_MAX = PEN_COLUMNS_MAX };

struct live_series {
	struct metric metric;         /* of a total */
	struct report_place place;    /* the row's, if it has one */
	uint64_t now;                 /* instructions per cycle * 100, or what is counted in a second */
	uint64_t points[LIVE_POINTS]; /* the same, a second each, or an interval where that is longer; a ring */
	bool is_shown;
};

/* Rows of one kind in the order in which they were first seen, each with the last interval's sums. */
struct live_block {
	struct report_row *rows;
	struct live_series *series;   /* of each */
	int count, max, next;         /* next: where the next row is likely to be found, or behind that */
	uint64_t dropped;             /* of the last interval, as there was no room */
};

struct live {
	const struct plan *plan;
	const char *host;
	struct live_block lines;      /* one a CPU, thread, cgroup, ..; the rows are those of the event that the bars are of */
	struct live_block totals;     /* one an event: of all its CPUs and threads */
	const struct event *bar_event; /* that event; NULL: not known yet */
	bool is_ipc;                  /* the bars are instructions per cycle */
	int at, points_count;         /* in points: the newest; how many there are */
	uint64_t point_ns;            /* how much of the newest there is */
	uint64_t elapsed_ns;
	uint64_t drawn[LIVE_ROWS_MAX]; /* hashes of the screen's lines */
	unsigned frames;
};

struct live_screen {
	int rows, columns;            /* anything */
	bool ascii, colour;
};

/* host may be NULL. Returns 0 or -ENOMEM. */
int live_open(struct live *live, const struct plan *plan, const char *host);

/* Takes in an interval. What its rows point to, but for the places, must last until live_close. */
void live_add(struct live *live, const struct report *report);

/* Draws what has changed, or the whole screen; a frame without is_whole must follow one of the same size. */
void live_draw(struct live *live, const struct live_screen *screen, bool is_whole, struct out *out);

/* So many bytes are enough for a frame. */
size_t live_frame_size(const struct live_screen *screen);

/* May be called twice. */
void live_close(struct live *live);

#endif
