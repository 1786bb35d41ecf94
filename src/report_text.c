/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include <string.h>

#include "event.h"
#include "out.h"
#include "plan.h"
#include "reading.h"

/* perf stat's columns (tools/perf/util/stat-display.c). A row that was not counted has a narrower name column there. */
enum { COUNT_WIDTH = 18, UNIT_WIDTH = 4, NAME_WIDTH = 32, NAME_WIDTH_UNCOUNTED = 25, METRIC_WIDTH = 35, VALUE_WIDTH = 8 };

/* A number as text: 18,446,744,073,709,551,615 and two decimals fit. */
struct number {
	char text[32];
};

/* value / 10^decimals, with commas between thousands: ',' and '.' in every locale. */
static struct number number_format(uint64_t value, int decimals, bool grouped)
{
	char reversed[32];
	int length = 0, digits = -decimals;
	do {
		if (digits == 0 && decimals)
			reversed[length++] = '.';
		else if (digits > 0 && digits % 3 == 0 && grouped)
			reversed[length++] = ',';
		reversed[length++] = (char)('0' + value % 10);
		value /= 10;
		digits++;
	} while (value || digits <= 0);

	struct number number;
	for (int i = 0; i < length; i++)
		number.text[i] = reversed[length - 1 - i];
	number.text[length] = '\0';
	return number;
}

static void print_header(struct out *out, const struct plan *plan)
{
	out_text(out, "\n Performance counter stats for ");
	switch (plan->scope) {
	case PLAN_SYSTEM:
		out_text(out, "'system wide");
		break;
	case PLAN_CPUS:
		out_text(out, "'CPU(s) ");
		out_clean(out, plan->subject);
		break;
	case PLAN_PROCESS:
	case PLAN_THREAD:
		out_text(out, plan->scope == PLAN_PROCESS ? "process id '" : "thread id '");
		out_clean(out, plan->subject);
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
	out_text(out, "':\n\n");
}

static bool is_hardware(const struct event *event, uint64_t config)
{
	return event->attr.type == PERF_TYPE_HARDWARE && event->attr.config == config;
}

static bool same_modifiers(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_host == b->exclude_host && a->exclude_guest == b->exclude_guest;
}

/* The cycles that were counted with the row's modifiers; 0 if there are none. */
static uint64_t cycles_for(const struct report *report, const struct report_row *row)
{
	for (int i = 0; i < report->rows_count; i++) {
		const struct report_row *other = &report->rows[i];
		if (other->state == REPORT_COUNTED && is_hardware(other->event, PERF_COUNT_HW_CPU_CYCLES) &&
		    same_modifiers(&other->event->attr, &row->event->attr))
			return other->value;
	}
	return 0;
}

/* What is known about a row from other numbers: value / 10^decimals of unit. */
struct metric {
	uint64_t value;
	int decimals;
	const char *unit; /* NULL: nothing */
};

static struct metric row_metric(const struct report *report, const struct report_row *row)
{
	struct metric none = {0, 0, NULL};
	if (row->state != REPORT_COUNTED)
		return none;
	if (event_is_clock(row->event) && report->elapsed_ns)
		return (struct metric){reading_ratio(row->value, report->elapsed_ns, 1000), 3, "CPUs utilized"};
	if (!is_hardware(row->event, PERF_COUNT_HW_INSTRUCTIONS))
		return none;
	uint64_t cycles = cycles_for(report, row);
	return cycles ? (struct metric){reading_ratio(row->value, cycles, 100), 2, "insn per cycle"} : none;
}

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

/* Milliseconds with two decimals for a clock. */
static struct number row_count(const struct report_row *row)
{
	if (!event_is_clock(row->event))
		return number_format(row->value, 0, true);
	return number_format(row->value / 10000 + (row->value % 10000 >= 5000), 2, true);
}

static void print_row(struct out *out, const struct report *report, const struct report_row *row)
{
	bool counted = row->state == REPORT_COUNTED;
	struct number count = {"<not counted>"};
	if (counted)
		count = row_count(row);
	out_format(out, "%*s %-*s %-*s", COUNT_WIDTH, row->state == REPORT_NOT_SUPPORTED ? "<not supported>" : count.text,
		   UNIT_WIDTH, event_is_clock(row->event) ? "msec" : "", counted ? NAME_WIDTH : NAME_WIDTH_UNCOUNTED,
		   row->event->name);
	print_metric(out, row_metric(report, row));
	if (row->running < row->enabled)
		out_format(out, "  (%s%%)", number_format(reading_ratio(row->running, row->enabled, 10000), 2, false).text);
	out_text(out, "\n");
}

static void print_seconds(struct out *out, uint64_t ns, const char *what)
{
	out_format(out, " %17s seconds %s\n", number_format(ns, 9, false).text, what);
}

static void print_footer(struct out *out, const struct report *report)
{
	out_text(out, "\n");
	print_seconds(out, report->elapsed_ns, "time elapsed");
	/* perf leaves the times out where the command only says how long to count */
	if (report->has_times && report->plan->scope == PLAN_WORKLOAD) {
		out_text(out, "\n");
		print_seconds(out, report->user_ns, "user");
		print_seconds(out, report->sys_ns, "sys");
		out_text(out, "\n");
	}
	out_text(out, "\n");
}

int report_text(struct out *out, const struct report *report)
{
	print_header(out, report->plan);
	for (int i = 0; i < report->rows_count; i++)
		print_row(out, report, &report->rows[i]);
	print_footer(out, report);
	return out_flush(out);
}
