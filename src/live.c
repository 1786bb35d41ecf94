/* SPDX-License-Identifier: GPL-2.0-only */
#include "live.h"

#include <errno.h>
#include <string.h>

#include "event.h"
#include "memory.h"
#include "out.h"
#include "plan.h"
#include "reading.h"

static const uint64_t second_ns = 1000000000;

static int make_block(struct live_block *block, int max)
{
	block->max = max;
	block->rows = memory_take((size_t)max, sizeof(*block->rows));
	block->series = memory_take((size_t)max, sizeof(*block->series));
	return block->rows && block->series ? 0 : -ENOMEM;
}

int live_open(struct live *live, const struct plan *plan, const char *host)
{
	*live = (struct live){.plan = plan, .host = host};
	int result = make_block(&live->lines, LIVE_LINES_MAX);
	return result ? result : make_block(&live->totals, LIVE_TOTALS_MAX);
}

void live_close(struct live *live)
{
	struct live_block *blocks[] = {&live->lines, &live->totals};
	for (int i = 0; i < 2; i++) {
		memory_free(blocks[i]->rows);
		memory_free(blocks[i]->series);
		*blocks[i] = (struct live_block){0};
	}
}

/* --- taking in -------------------------------------------------------------------------------------------------------- */

/* Whose a row is; of lines the event does not matter, of totals neither CPU nor thread. Places are made anew for each interval. */
static bool is_same(const struct report_row *a, const struct report_row *b)
{
	return a->event == b->event && a->scope == b->scope && a->cgroup == b->cgroup && a->program == b->program &&
	       a->thread == b->thread && !a->place == !b->place && (!a->place || !strcmp(a->place->name, b->place->name));
}

/* Its index; -1: there is no room. */
static int find(struct live_block *block, const struct report_row *key)
{
	int at = block->next;
	while (at < block->count && at < block->next + 2 && !is_same(&block->rows[at], key))
		at++;
	if (at >= block->count || at == block->next + 2) {
		for (at = 0; at < block->count && !is_same(&block->rows[at], key);)
			at++;
	}
	if (at == block->max)
		return -1;
	if (at == block->count) {
		block->rows[at] = *key;
		if (key->place) {
			block->series[at].place = *key->place;
			block->rows[at].place = &block->series[at].place;
		}
		block->count++;
	}
	block->next = at;
	return at;
}

static void forget_interval(struct live_block *block)
{
	block->next = 0;
	block->dropped = 0;
	for (int i = 0; i < block->count; i++) {
		struct report_row *row = &block->rows[i];
		row->value = row->enabled = row->running = 0;
		row->state = REPORT_NOT_SUPPORTED;
		block->series[i].now = 0;
	}
}

/* A row with the numbers of none. */
static struct report_row key_of(const struct report_row *row, bool is_total)
{
	return (struct report_row){
		.event = is_total ? row->event : NULL,
		.scope = row->scope,
		.cgroup = row->cgroup,
		.program = row->program,
		.thread = is_total ? NULL : row->thread,
		.place = is_total ? NULL : row->place,
		.state = REPORT_NOT_SUPPORTED,
	};
}

static bool is_instructions(const struct event *event)
{
	/* above the lower half stands the kind of CPU (perf_event.h, PERF_PMU_TYPE_SHIFT) */
	return event->attr.type == PERF_TYPE_HARDWARE && (uint32_t)event->attr.config == PERF_COUNT_HW_INSTRUCTIONS;
}

/* Instructions per cycle * 100, or 0. */
static uint64_t ipc_of(struct metric_finder *finder, const struct report_row *row)
{
	if (!is_instructions(row->event))
		return 0;
	struct metric metric = metric_of(finder, row);
	return metric.unit && !strcmp(metric.unit, "insn per cycle") ? metric.value : 0;
}

static uint64_t rate_of(const struct report_row *row, uint64_t interval_ns)
{
	return row->event->is_snapshot ? row->value : reading_ratio(row->value, interval_ns, second_ns);
}

/* What the bars are of, from now on. */
static void set_bar(struct live *live, const struct event *event, bool is_ipc)
{
	live->bar_event = event;
	live->is_ipc = is_ipc;
	for (int i = 0; i < live->lines.count; i++)
		memset(live->lines.series[i].points, 0, sizeof(live->lines.series[i].points));
}

/* Instructions per cycle as soon as there are some; until then the first event that this host has, but for a clock where CPUs are
 * counted: it is the same for all of them. */
static void choose_bar(struct live *live, const struct report *report)
{
	struct metric_finder finder = {.report = report};
	const struct report_row *first = NULL;
	for (int i = 0; !live->is_ipc && i < report->rows_count; i++) {
		const struct report_row *row = &report->rows[i];
		if (i && row->event != row[-1].event)
			finder = (struct metric_finder){.report = report};
		if (ipc_of(&finder, row))
			set_bar(live, row->event, true);
		if (!first && row->state != REPORT_NOT_SUPPORTED && !(row->place && event_is_clock(row->event)))
			first = row;
	}
	if (!live->bar_event && report->rows_count)
		set_bar(live, (first ? first : report->rows)->event, false);
}

/* Each scope has its own copy of an event. */
static void add_lines(struct live *live, const struct report *report)
{
	struct metric_finder finder = {.report = report};
	for (int i = 0; i < report->rows_count; i++) {
		const struct report_row *row = &report->rows[i];
		if (strcmp(row->event->name, live->bar_event->name))
			continue;
		struct report_row key = key_of(row, false);
		int at = find(&live->lines, &key);
		if (at < 0) {
			live->lines.dropped++;
			continue;
		}
		report_sum(&live->lines.rows[at], row);
		live->lines.series[at].now = live->is_ipc ? ipc_of(&finder, row) : rate_of(row, report->elapsed_ns);
	}
}

static void add_totals(struct live *live, const struct report *report)
{
	struct live_block *totals = &live->totals;
	struct report_row key = {0};
	for (int i = 0, at = 0; i < report->rows_count; i++) {
		const struct report_row *row = &report->rows[i], total = key_of(row, true);
		if (!i || !is_same(&key, &total)) {
			at = find(totals, &total);
			totals->dropped += at < 0;
			key = total;
		}
		if (at >= 0)
			report_sum(&totals->rows[at], row);
	}
	struct report sums = *report;
	sums.rows = totals->rows;
	sums.rows_count = totals->count;
	for (int i = 0; i < totals->count; i++) {
		struct metric_finder finder = {.report = &sums};
		totals->series[i].metric = metric_of(&finder, &totals->rows[i]);
		totals->series[i].now = rate_of(&totals->rows[i], report->elapsed_ns);
	}
}

/* The mean of a point, with this interval in it. */
static void gather(struct live_block *block, int at, uint64_t before_ns, uint64_t interval_ns)
{
	const uint64_t all_ns = reading_sum(before_ns, interval_ns);
	for (int i = 0; i < block->count; i++) {
		uint64_t *point = &block->series[i].points[at];
		*point = before_ns ? reading_sum(reading_ratio(*point, all_ns, before_ns),
						 reading_ratio(block->series[i].now, all_ns, interval_ns))
				   : block->series[i].now;
	}
}

void live_add(struct live *live, const struct report *report)
{
	forget_interval(&live->lines);
	forget_interval(&live->totals);
	choose_bar(live, report);
	add_lines(live, report);
	add_totals(live, report);
	/* less than half an interval lacks: it is a whole point */
	if (!live->points_count || live->point_ns + report->elapsed_ns / 2 >= second_ns) {
		live->at = (live->at + 1) % LIVE_POINTS;
		live->points_count += live->points_count < LIVE_POINTS;
		live->point_ns = 0;
	}
	gather(&live->lines, live->at, live->point_ns, report->elapsed_ns);
	gather(&live->totals, live->at, live->point_ns, report->elapsed_ns);
	live->point_ns += report->elapsed_ns;
	live->elapsed_ns = report->time_ns;
}
