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
#include "sort.h"

/* perf stat's columns (tools/perf/util/stat-display.c of 6.1; those of places, of 6.12). A row that was not counted has a narrower
 * name column there. */
enum { COUNT_WIDTH = 18, UNIT_WIDTH = 4, NAME_WIDTH = 32, NAME_WIDTH_UNCOUNTED = 25, METRIC_WIDTH = 35, VALUE_WIDTH = 8 };
enum {
	TIME_WIDTH = 16,
	COMM_WIDTH = 16,
	TID_WIDTH = 7,
	SECONDS_WIDTH = 17,
	CGROUP_WIDTH = 16,
	SCOPE_WIDTH = 16,
	CPUS_WIDTH = 4
};

enum { INTERVALS_PER_HEADER = 25 };

/* By enum plan_aggregate; the first is of none. */
static const struct place_column {
	char title[7];
	unsigned char width;
} place_columns[] = {{"", 0}, {"cpu", 6}, {"core", 18}, {"die", 12}, {"socket", 6}, {"node", 6}};

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
	case PLAN_PROGRAMS:
		out_text(out, "'BPF program(s) ");
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
	int unit_width;
	struct metric_finder finder; /* of the present event's rows */
};

static void print_metric(const struct page *page, struct metric metric)
{
	/* by enum metric_colour: perf's, and the end of them */
	static const char colours[][6] = {"", "\033[33m", "\033[35m", "\033[31m"};
	const char *colour = page->report->is_terminal ? colours[metric.colour] : "";
	if (!metric.unit) {
		out_format(page->out, "%*s", METRIC_WIDTH, "");
		return;
	}
	/* perf writes %8.3f, and "%7.2f " or "%7.2f%%": the points stand in one column */
	char text[64];
	const int behind = 3 - metric.decimals;
	out_print(text, sizeof(text), "%*s%*s", VALUE_WIDTH - behind,
		  number_format(metric.value, metric.decimals, false).text, behind, metric.is_percent ? "%" : "");
	out_format(page->out, " # %s%s%s %-*s", colour, text, *colour ? "\033[m" : "", METRIC_WIDTH - 4 - (int)strlen(text),
		   metric.unit);
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
	char text[SCOPE_WIDTH + 1];
	report_scope(text, sizeof(text), scope);
	print_clean(out, text, -SCOPE_WIDTH);
	out_text(out, " ");
}

/* Whose CPUs a row is of, and, if it may be several, how many. */
static void print_place(struct out *out, enum plan_aggregate aggregate, const char *name, const char *cpus)
{
	out_format(out, "%-*s ", place_columns[aggregate].width, name);
	if (aggregate != PLAN_EACH_CPU)
		out_format(out, "%*s ", CPUS_WIDTH, cpus);
}

static void print_columns(const struct page *page, const char *count, const char *unit, int name_width, const char *name)
{
	out_format(page->out, "%*s %-*s %-*s", COUNT_WIDTH, count, page->unit_width, unit, name_width, name);
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

/* What stands in front of the count: when, and of whom. */
static void print_subject(const struct page *page, const struct report_row *row)
{
	struct out *out = page->out;
	const struct plan *plan = page->report->plan;
	char number[16] = "";
	if (page->report->is_interval) {
		print_number(out, TIME_WIDTH, page->report->time_ns, 9);
		out_text(out, " ");
		if (plan->scopes_count > 1)
			print_scope(out, row->scope);
	}
	if (row->place) {
		out_print(number, sizeof(number), "%u", row->place->cpus);
		print_place(out, plan->aggregate, row->place->name, number);
	} else if (plan->aggregate && page->report->is_interval) {
		print_place(out, plan->aggregate, "", "");
	}
	if (row->program) {
		out_print(number, sizeof(number), "-%u", row->program->id);
		print_thread(out, row->program->name, number);
	} else if (row->thread) {
		*number = '\0';
		if (row->thread->tid)
			out_print(number, sizeof(number), "-%d", (int)row->thread->tid);
		print_thread(out, row->thread->tid ? row->thread->comm : "others", number);
	}
}

/* The metrics; perf puts the second into a line of its own, under the first. */
static void print_metrics(struct page *page, const struct report_row *row)
{
	print_metric(page, metric_of(&page->finder, row));
	struct metric second = metric_second(&page->finder, row);
	if (!second.unit)
		return;
	out_text(page->out, "\n");
	print_subject(page, row);
	print_columns(page, "", "", NAME_WIDTH, "");
	out_format(page->out, "%*s", row->cgroup ? 1 + CGROUP_WIDTH : 0, "");
	print_metric(page, second);
}

static void print_row(struct page *page, const struct report_row *row)
{
	struct out *out = page->out;
	bool counted = row->state == REPORT_COUNTED;
	struct number count = {"<not counted>"};
	if (counted)
		count = number_count(row->event, row->value, false, page->report->plan->big_num);
	print_subject(page, row);
	print_columns(page, row->state == REPORT_NOT_SUPPORTED ? "<not supported>" : count.text, number_unit(row->event),
		      counted ? NAME_WIDTH : NAME_WIDTH_UNCOUNTED, row->event->name);
	if (row->cgroup) {
		out_text(out, " ");
		print_clean(out, row->cgroup, -CGROUP_WIDTH);
	}
	print_metrics(page, row);
	print_noise(out, row->error);
	if (row->running < row->enabled) {
		out_text(out, "  (");
		print_number(out, 0, number_percent(row->running, row->enabled), 2);
		out_text(out, "%)");
	}
	out_text(out, "\n");
}

/* Threads by value, the largest first; those that were not counted last; else as they were given. */
static bool stands_before(const void *one, const void *other)
{
	const struct report_row *a = *(const struct report_row *const *)one, *b = *(const struct report_row *const *)other;
	bool counted = a->state == REPORT_COUNTED;
	if (counted != (b->state == REPORT_COUNTED))
		return counted;
	return counted && a->value != b->value ? a->value > b->value : a < b;
}

static void print_rows(struct page *page)
{
	struct out *out = page->out;
	const struct report *report = page->report;
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
			sort(sorted + first, (size_t)(end - first), sizeof(*sorted), stands_before);
		page->finder = (struct metric_finder){.report = report};
		for (int i = first; i < end; i++)
			print_row(page, sorted ? sorted[i] : &rows[i]);
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

/* Events of the CPU's PMU that had to share its counters, one of which the watchdog may hold: perf says so, too. */
static void print_hint(struct out *out, const struct report *report)
{
	for (int i = 0; report->has_watchdog && i < report->rows_count; i++) {
		const struct report_row *row = &report->rows[i];
		const uint32_t type = row->event->attr.type;
		if ((type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW) &&
		    row->running < row->enabled) {
			out_text(out, "Some events were not counted all the time. The NMI watchdog may hold a counter of "
				      "each CPU: "
				      "echo 0 > /proc/sys/kernel/nmi_watchdog\n\n");
			return;
		}
	}
}

static void print_footer(struct out *out, const struct report *report)
{
	if (report->rows_count)
		out_text(out, "\n");
	if (report->runs > 1) {
		print_mean_seconds(out, report);
	} else {
		print_seconds(out, report->elapsed_ns, "time elapsed");
		if (report_has_times(report)) {
			out_text(out, "\n");
			print_seconds(out, report->user_ns, "user");
			print_seconds(out, report->sys_ns, "sys");
			out_text(out, "\n");
		}
	}
	out_text(out, "\n");
	print_hint(out, report);
}

static void print_header(const struct page *page)
{
	struct out *out = page->out;
	const struct report *report = page->report;
	const struct plan *plan = report->plan;
	out_format(out, "#%*s ", TIME_WIDTH - 1, "time");
	if (plan->scopes_count > 1)
		out_format(out, "%-*s ", SCOPE_WIDTH, "scope");
	if (plan->aggregate)
		print_place(out, plan->aggregate, place_columns[plan->aggregate].title, "cpus");
	if (report->rows_count && report->rows->program)
		print_thread(out, "name", "-id");
	else if (plan->per_thread)
		print_thread(out, "comm", "-pid");
	print_columns(page, "counts", "unit", 0, "events\n");
}

/* What the counting cost: rows like those of a clock. */
static void print_overhead(const struct page *page)
{
	struct out *out = page->out;
	const struct report *report = page->report;
	struct report_cost cost;
	if (report->overhead_count && !report->is_interval)
		out_text(out, "\n");
	for (int i = 0; report_cost(&cost, report, i); i++) {
		if (report->is_interval) {
			print_number(out, TIME_WIDTH, report->time_ns, 9);
			out_text(out, " ");
		}
		print_columns(page, number_format(reading_ratio(cost.ns, 10000, 1), 2, report->plan->big_num).text, "msec",
			      NAME_WIDTH, cost.name);
		print_metric(page, cost.metric);
		if (!cost.is_sum)
			out_format(out, "  (%s runs%s)", number_format(cost.runs, 0, report->plan->big_num).text,
				   cost.is_shared ? ", shared" : "");
		out_text(out, "\n");
	}
}

void report_text(struct out *out, const struct report *report)
{
	struct page page = {
		.out = out,
		.report = report,
		.unit_width = UNIT_WIDTH,
	};
	for (int i = 0; i < report->rows_count; i++) {
		const int width = (int)strlen(number_unit(report->rows[i].event));
		page.unit_width = width > page.unit_width ? width : page.unit_width;
	}
	if (report->is_interval && report->intervals % INTERVALS_PER_HEADER == 0 && !report->plan->null_run)
		print_header(&page);
	print_rows(&page);
	print_overhead(&page);
	if (!report->is_interval)
		print_footer(out, report);
}

void report_started(struct out *out, uint64_t seconds)
{
	static const char week[] = "ThuFriSatSunMonTueWed", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	static const unsigned char lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	enum { DAY_SECONDS = 86400 };
	const unsigned second = (unsigned)(seconds % DAY_SECONDS);
	uint64_t day = seconds / DAY_SECONDS;
	const unsigned weekday = (unsigned)(day % 7); /* 1970 began on a Thursday */
	unsigned year = 1970, month = 0, length;
	bool is_leap;
	for (;; year++) {
		is_leap = year % 4 == 0 && (year % 100 || year % 400 == 0);
		if (day < 365U + is_leap)
			break;
		day -= 365U + is_leap;
	}
	for (; day >= (length = lengths[month] + (is_leap && month == 1)); month++)
		day -= length;
	out_format(out, "# started on %.3s %.3s %2u %02u:%02u:%02u %u UTC\n\n", week + 3 * weekday, months + 3 * month,
		   (unsigned)day + 1, second / 3600, second / 60 % 60, second % 60, year);
}
