/* SPDX-License-Identifier: GPL-2.0-only */
/* One text for two parsers: OpenMetrics 1.0, and the older Prometheus text format, in which node_exporter and promtool read it.
 * They disagree about counters: the one calls the family "x" and its samples "x_total", the other calls both "x_total", and takes
 * the one's samples for some without a type or a help. So all families are gauges, which are the same in both, and of which
 * OpenMetrics says that they may well only ever go up. */
#include "report.h"

#include <string.h>

#include "event.h"
#include "memory.h"
#include "number.h"
#include "out.h"
#include "plan.h"

enum kind {
	EVENTS,
	LEVEL,
	CLOCK,
	ENABLED,
	RUNNING,
	ERROR,
	PROGRAM_RUNS,
	ROW_FAMILIES,
	ELAPSED = ROW_FAMILIES,
	USER,
	SYSTEM,
	RUNS,
	COST,
	COST_RUNS,
	FAMILIES
};

/* A name that ends with the unit, in base units: seconds. */
static const struct family {
	char name[18];
	unsigned char decimals;
	const char *unit, *help;
} families[FAMILIES] = {
	[EVENTS] = {"events", 0, NULL, "What was counted since the start, scaled to all the time, in the event's unit."},
	[LEVEL] = {"level", 0, NULL, "Of events that are levels the last value, in the event's unit."},
	[CLOCK] = {"clock_seconds", 9, "seconds", "The same of clocks."},
	[ENABLED] = {"enabled_seconds", 9, "seconds", "How long the event was to be counted, added over CPUs."},
	[RUNNING] = {"running_seconds", 9, "seconds", "How long of this a counter was free and it was counted."},
	[ERROR] = {"error_ratio", 4, "ratio", "Of several runs: the standard error of the mean."},
	[PROGRAM_RUNS] = {"program_runs", 0, NULL, "How often the BPF program ran."},
	[ELAPSED] = {"elapsed_seconds", 9, "seconds", "Time since the start of the count."},
	[USER] = {"user_seconds", 9, "seconds", "User time of the command."},
	[SYSTEM] = {"system_seconds", 9, "seconds", "System time of the command."},
	[RUNS] = {"runs", 0, NULL, "How many runs the counts are the mean of."},
	[COST] = {"overhead_seconds", 9, "seconds", "How long the BPF programs of the count ran, all CPUs together."},
	[COST_RUNS] = {"overhead_runs", 0, NULL, "How often they ran."},
};

struct page {
	struct out *out;
	const struct report *report;
	uint32_t *twins;     /* by row: how many before it have the same labels; NULL: not known */
	int started;         /* the last family that has a header */
	const char *between; /* what the next label begins with */
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Twice the same labels are an error for whoever reads them: of an event that is asked for twice, say. */
static bool has_same_labels(const struct report_row *a, const struct report_row *b)
{
	if (a->thread && b->thread && a->thread->tid != b->thread->tid)
		return false;
	return (a->event == b->event || same_text(a->event->name, b->event->name)) && same_text(a->cgroup, b->cgroup) &&
	       same_text(a->place ? a->place->name : NULL, b->place ? b->place->name : NULL) &&
	       (a->program ? a->program->id : 0) == (b->program ? b->program->id : 0) && !a->thread == !b->thread &&
	       a->scope->kind == b->scope->kind && same_text(a->scope->subject, b->scope->subject);
}

static void find_twins(struct page *page)
{
	const struct report *report = page->report;
	page->twins = memory_take((size_t)report->rows_count, sizeof(*page->twins));
	for (int i = 0; page->twins && i < report->rows_count; i++) {
		for (int before = 0; before < i; before++)
			page->twins[i] += has_same_labels(&report->rows[before], &report->rows[i]);
	}
}

static void print_label(struct page *page, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	out_format(page->out, "%s%s=\"", page->between, name);
	out_escaped(page->out, text, '\\');
	out_text(page->out, "\"");
	page->between = ",";
}

static void print_id(struct page *page, const char *name, uint64_t id)
{
	print_label(page, name, number_format(id, 0, false).text);
}

/* node_exporter takes the files of several sessions for one exposition: in /dir/NAME.prom all that would be the same in another has
 * NAME for a difference. */
static void print_session(struct page *page)
{
	char name[256]; /* NAME_MAX and the end */
	const char *path = page->report->plan->output;
	if (!path)
		return;
	const char *slash = strrchr(path, '/');
	out_print(name, sizeof(name), "%s", slash ? slash + 1 : path);
	char *dot = strrchr(name, '.');
	if (dot && !strcmp(dot, ".prom"))
		*dot = '\0';
	print_label(page, "session", name);
}

static void print_labels(struct page *page, const struct report_row *row)
{
	const struct plan *plan = page->report->plan;
	print_label(page, "scope", report_kind(row->scope));
	print_label(page, "subject", row->scope->subject);
	print_label(page, "event", row->event->name);
	print_label(page, "unit", row->event->unit);
	print_label(page, "cgroup", row->cgroup);
	if (row->place)
		print_label(page, report_place_key(plan),
			    row->place->name + (plan->aggregate == PLAN_EACH_CPU ? strlen("CPU") : 0));
	if (row->thread) {
		print_label(page, "thread", row->thread->tid ? row->thread->comm : "others");
		if (row->thread->tid)
			print_id(page, "tid", (uint64_t)row->thread->tid);
	}
	if (row->program) {
		print_label(page, "program", row->program->name);
		print_id(page, "program_id", row->program->id);
	}
	const uint32_t twins = page->twins ? page->twins[row - page->report->rows] : 0;
	if (twins)
		print_id(page, "nth", twins + 1);
}

static void start_sample(struct page *page, int kind)
{
	const struct family *family = &families[kind];
	if (page->started != kind) {
		out_format(page->out, "# TYPE bperf_%s gauge\n", family->name);
		if (family->unit)
			out_format(page->out, "# UNIT bperf_%s %s\n", family->name, family->unit);
		out_format(page->out, "# HELP bperf_%s %s\n", family->name, family->help);
		page->started = kind;
	}
	out_format(page->out, "bperf_%s", family->name);
}

static void print_overhead(struct page *page, int kind)
{
	for (int i = 0; i < page->report->overhead_count; i++) {
		const struct report_overhead *cost = &page->report->overhead[i];
		start_sample(page, kind);
		page->between = "{";
		print_label(page, "kind", cost->kind);
		print_label(page, "event", cost->event);
		print_label(page, "shared", cost->is_shared ? "yes" : NULL);
		print_session(page);
		out_format(page->out, "} %s\n",
			   number_format(kind == COST ? cost->ns : cost->runs, families[kind].decimals, false).text);
	}
}

static void print_sample(struct page *page, int kind, const struct report_row *row, uint64_t value)
{
	start_sample(page, kind);
	page->between = "{";
	if (row)
		print_labels(page, row);
	print_session(page);
	if (*page->between == ',')
		out_text(page->out, "}");
	const bool is_count = kind == EVENTS || kind == LEVEL;
	struct number number = is_count ? number_count(row->event, value, true, false)
					: number_format(value, families[kind].decimals, false);
	out_format(page->out, " %s\n", number.text);
}

/* There is no number for what was not counted. */
static bool find_value(const struct report *report, const struct report_row *row, int kind, uint64_t *value)
{
	const bool counted = row->state == REPORT_COUNTED, is_clock = event_is_clock(row->event);
	const uint64_t values[ROW_FAMILIES] = {row->value,   row->value, row->value, row->enabled,
					       row->running, row->error, row->runs};
	const bool has[ROW_FAMILIES] = {
		counted && !is_clock && !row->event->is_snapshot,
		counted && !is_clock && row->event->is_snapshot,
		counted && is_clock,
		true,
		true,
		counted && report->runs > 1,
		row->program,
	};
	*value = values[kind];
	return has[kind];
}

void report_openmetrics(struct out *out, const struct report *report)
{
	struct page page = {.out = out, .report = report, .started = -1};
	uint64_t value;
	find_twins(&page);
	for (int kind = 0; kind < ROW_FAMILIES; kind++) {
		for (int i = 0; i < report->rows_count; i++) {
			if (find_value(report, &report->rows[i], kind, &value))
				print_sample(&page, kind, &report->rows[i], value);
		}
	}
	memory_free(page.twins);
	print_sample(&page, ELAPSED, NULL, report->is_interval ? report->time_ns : report->elapsed_ns);
	if (report_has_times(report)) {
		print_sample(&page, USER, NULL, report->user_ns);
		print_sample(&page, SYSTEM, NULL, report->sys_ns);
	}
	if (report->runs > 1)
		print_sample(&page, RUNS, NULL, report->runs);
	print_overhead(&page, COST);
	print_overhead(&page, COST_RUNS);
	out_text(out, "# EOF\n");
}
