/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include <string.h>

#include "event.h"
#include "memory.h"
#include "metric.h"
#include "number.h"
#include "out.h"
#include "plan.h"
#include "reading.h"

/* perf stat's columns (tools/perf/util/stat-display.c). A row that was not counted has a narrower name column there. */
enum { COUNT_WIDTH = 18, UNIT_WIDTH = 4, NAME_WIDTH = 32, NAME_WIDTH_UNCOUNTED = 25, METRIC_WIDTH = 35, VALUE_WIDTH = 8 };
enum { TIME_WIDTH = 16, COMM_WIDTH = 16, TID_WIDTH = 7, SECONDS_WIDTH = 17, CGROUP_WIDTH = 16, SCOPE_WIDTH = 16 };

enum { INTERVALS_PER_HEADER = 25 };

/* value / 10^decimals without commas, at the right of width columns. */
static void print_number(struct out *out, int width, uint64_t value, int decimals)
{
	out_format(out, "%*s", width, number_format(value, decimals, false).text);
}

static void print_title(struct out *out, const struct report *report, const struct plan_scope *scope)
{
	const struct plan *plan = report->plan;
	out_text(out, "\n Performance counter stats for ");
	switch (scope->kind) {
	case PLAN_SYSTEM:
		out_text(out, "'system wide");
		break;
	case PLAN_CPUS:
		out_text(out, "'CPU(s) ");
		out_clean(out, scope->subject);
		break;
	case PLAN_PROCESS:
	case PLAN_THREAD:
	case PLAN_CGROUPS:
		if (scope->kind == PLAN_CGROUPS && plan->scopes_count == 1) {
			out_text(out, "'system wide");
			break;
		}
		out_text(out, scope->kind == PLAN_PROCESS  ? "process id '"
			      : scope->kind == PLAN_THREAD ? "thread id '"
							   : "cgroup '");
		out_clean(out, scope->subject);
		break;
	case PLAN_WORKLOAD:
		out_text(out, "'");
		for (char **word = plan->command; *word; word++) {
			if (word != plan->command)
				out_text(out, " ");
			out_clean(out, *word);
		}
		break;
	}
	out_text(out, "'");
	if (report->runs > 1)
		out_format(out, " (%llu runs)", (unsigned long long)report->runs);
	out_text(out, ":\n\n");
}

/* What the rows of a report are printed with. */
struct page {
	struct out *out;
	const struct report *report;
	struct metric_finder finder; /* of the present event's rows */
};

static void print_metric(struct out *out, struct metric metric)
{
	if (!metric.unit) {
		out_format(out, "%*s", METRIC_WIDTH, "");
		return;
	}
	/* perf writes %8.3f, and "%7.2f ": the points stand in one column */
	char text[64];
	struct number number = number_format(metric.value, metric.decimals, false);
	int blanks = 3 - metric.decimals;
	out_print(text, sizeof(text), " # %*s%*s %s", VALUE_WIDTH - blanks, number.text, blanks, "", metric.unit);
	out_format(out, "%-*s", METRIC_WIDTH, text);
}

/* Text from outside in a column of that width; negative: at its left. */
static void print_clean(struct out *out, const char *foreign, int width)
{
	char text[512];
	struct out clean = out_memory(text, sizeof(text));
	int more = 0;
	out_clean(&clean, foreign);
	for (const char *p = text; *p; p++) /* bytes within a character of UTF-8 take no column */
		more += (*p & 0xc0) == 0x80;
	out_format(out, width < 0 ? "%-*s" : "%*s", width < 0 ? more - width : width + more, text);
}

/* The thread's two columns, as perf has them: "comm-tid" with the '-' of all rows in one column. */
static void print_thread(struct out *out, const char *comm, const char *tid)
{
	print_clean(out, comm, COMM_WIDTH);
	out_format(out, "%-*s ", 1 + TID_WIDTH, tid);
}

/* Which of several scopes an interval's row is of. */
static void print_scope(struct out *out, const struct plan_scope *scope)
{
	static const char kinds[][8] = {"system", "cpu", "pid", "tid", "command", "cgroup"};
	char text[SCOPE_WIDTH + 1];
	out_print(text, sizeof(text), "%s%s%s", kinds[scope->kind], scope->subject ? ":" : "",
		  scope->subject ? scope->subject : "");
	print_clean(out, text, -SCOPE_WIDTH);
	out_text(out, " ");
}

static void print_columns(struct out *out, const char *count, const char *unit, int name_width, const char *name)
{
	out_format(out, "%*s %-*s %-*s", COUNT_WIDTH, count, UNIT_WIDTH, unit, name_width, name);
}

/* How far the mean of several runs can be trusted. */
static void print_noise(struct out *out, uint64_t error)
{
	if (!error)
		return;
	out_text(out, "  ( +-");
	print_number(out, 6, error, 2);
	out_text(out, "% )");
}

static void print_row(struct page *page, const struct report_row *row)
{
	struct out *out = page->out;
	if (page->report->is_interval) {
		print_number(out, TIME_WIDTH, page->report->time_ns, 9);
		out_text(out, " ");
		if (page->report->plan->scopes_count > 1)
			print_scope(out, row->scope);
	}
	if (row->thread) {
		char tid[16] = "";
		if (row->thread->tid)
			out_print(tid, sizeof(tid), "-%d", (int)row->thread->tid);
		print_thread(out, row->thread->tid ? row->thread->comm : "others", tid);
	}
	bool counted = row->state == REPORT_COUNTED;
	struct number count = {"<not counted>"};
	if (counted)
		count = number_count(row->event, row->value, false, page->report->plan->big_num);
	print_columns(out, row->state == REPORT_NOT_SUPPORTED ? "<not supported>" : count.text, number_unit(row->event),
		      counted ? NAME_WIDTH : NAME_WIDTH_UNCOUNTED, row->event->name);
	if (row->cgroup) {
		out_text(out, " ");
		print_clean(out, row->cgroup, -CGROUP_WIDTH);
	}
	print_metric(out, metric_of(&page->finder, row));
	print_noise(out, row->error);
	if (row->running < row->enabled) {
		out_text(out, "  (");
		print_number(out, 0, reading_ratio(row->running, row->enabled, 10000), 2);
		out_text(out, "%)");
	}
	out_text(out, "\n");
}

/* Threads by value, the largest first; those that were not counted last; else as they were given. */
static bool stands_before(const struct report_row *a, const struct report_row *b)
{
	bool counted = a->state == REPORT_COUNTED;
	if (counted != (b->state == REPORT_COUNTED))
		return counted;
	return counted && a->value != b->value ? a->value > b->value : a < b;
}

/* Shell's sort: thousands of threads in a moment, and short. */
static void sort_rows(const struct report_row **rows, int count)
{
	int gap = 1;
	while (gap < count / 3)
		gap = 3 * gap + 1;
	for (; gap; gap /= 3) {
		for (int i = gap; i < count; i++) {
			const struct report_row *row = rows[i];
			int at = i;
			for (; at >= gap && stands_before(row, rows[at - gap]); at -= gap)
				rows[at] = rows[at - gap];
			rows[at] = row;
		}
	}
}

static void print_rows(struct out *out, const struct report *report)
{
	struct page page = {
		.out = out,
		.report = report,
	};
	const struct report_row *rows = report->rows, **sorted = NULL;
	int count = report->rows_count;
	if (!count && !report->is_interval)
		print_title(out, report, report->plan->scopes);
	if (report->plan->per_thread)
		sorted = memory_take((size_t)count, sizeof(*sorted)); /* without: as they were given */
	for (int first = 0, end = 0; first < count; first = end) {
		for (; end < count && rows[end].event == rows[first].event; end++) {
			if (sorted)
				sorted[end] = &rows[end];
		}
		if (!report->is_interval && (!first || rows[first].scope != rows[first - 1].scope))
			print_title(out, report, rows[first].scope);
		if (sorted)
			sort_rows(sorted + first, end - first);
		page.finder = (struct metric_finder){.report = report};
		for (int i = first; i < end; i++)
			print_row(&page, sorted ? sorted[i] : &rows[i]);
	}
	memory_free(sorted);
}

static void print_seconds(struct out *out, uint64_t ns, const char *what)
{
	out_text(out, " ");
	print_number(out, SECONDS_WIDTH, ns, 9);
	out_format(out, " seconds %s\n", what);
}

/* The mean of several runs: with the digits that mean something, three of the error as perf does, and two decimals at least. */
static void print_mean_seconds(struct out *out, const struct report *report)
{
	uint64_t unit = 1;
	int decimals = 9;
	for (; decimals > 2 && report->elapsed_error_ns / 1000 >= unit; decimals--)
		unit *= 10;
	out_text(out, " ");
	print_number(out, SECONDS_WIDTH, reading_ratio(report->elapsed_ns, unit, 1), decimals);
	out_text(out, " +- ");
	print_number(out, 0, reading_ratio(report->elapsed_error_ns, unit, 1), decimals);
	out_text(out, " seconds time elapsed");
	print_noise(out, report->elapsed_error);
	out_text(out, "\n");
}

static void print_footer(struct out *out, const struct report *report)
{
	out_text(out, "\n");
	if (report->runs > 1) {
		print_mean_seconds(out, report);
	} else {
		print_seconds(out, report->elapsed_ns, "time elapsed");
		/* perf leaves the times out where the command only says how long to count */
		if (report->has_times && report->plan->scopes[0].kind == PLAN_WORKLOAD) {
			out_text(out, "\n");
			print_seconds(out, report->user_ns, "user");
			print_seconds(out, report->sys_ns, "sys");
			out_text(out, "\n");
		}
	}
	out_text(out, "\n");
}

static void print_header(struct out *out, const struct report *report)
{
	out_format(out, "#%*s ", TIME_WIDTH - 1, "time");
	if (report->plan->scopes_count > 1)
		out_format(out, "%-*s ", SCOPE_WIDTH, "scope");
	if (report->plan->per_thread)
		print_thread(out, "comm", "-pid");
	print_columns(out, "counts", "unit", 0, "events\n");
}

void report_text(struct out *out, const struct report *report)
{
	if (report->is_interval && report->intervals % INTERVALS_PER_HEADER == 0)
		print_header(out, report);
	print_rows(out, report);
	if (!report->is_interval)
		print_footer(out, report);
}
