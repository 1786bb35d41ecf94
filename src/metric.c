/* SPDX-License-Identifier: GPL-2.0-only */
#include "metric.h"

#include "event.h"
#include "reading.h"
#include "report.h"

static bool is_hardware(const struct event *event, uint64_t config)
{
	return event->attr.type == PERF_TYPE_HARDWARE && event->attr.config == config;
}

static bool same_modifiers(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_host == b->exclude_host && a->exclude_guest == b->exclude_guest;
}

static bool same_subject(const struct report_row *a, const struct report_row *b)
{
	if (a->scope != b->scope || a->cgroup != b->cgroup || a->place != b->place || a->program != b->program)
		return false;
	return a->thread == b->thread || (a->thread && b->thread && a->thread->tid == b->thread->tid);
}

static bool has_cycles_for(const struct report_row *row, const struct report_row *other)
{
	return is_hardware(other->event, PERF_COUNT_HW_CPU_CYCLES) && same_modifiers(&other->event->attr, &row->event->attr);
}

/* The row's thread's cycles that were counted with its modifiers; 0 if there are none. Thousands of threads look through the
 * cycles of thousands: the other events' rows in front of these are passed once, not each time. */
static uint64_t cycles_for(struct metric_finder *finder, const struct report_row *row)
{
	if (!finder->from)
		finder->from = finder->report->rows;
	const struct report_row *end = finder->report->rows + finder->report->rows_count;
	while (finder->from < end && !has_cycles_for(row, finder->from))
		finder->from++;
	for (const struct report_row *other = finder->from; other < end; other++) {
		if (same_subject(row, other) && other->state == REPORT_COUNTED && has_cycles_for(row, other))
			return other->value;
	}
	return 0;
}

struct metric metric_of(struct metric_finder *finder, const struct report_row *row)
{
	uint64_t elapsed = finder->report->elapsed_ns;
	struct metric none = {0, 0, NULL};
	if (row->state != REPORT_COUNTED)
		return none;
	if (event_is_clock(row->event) && elapsed)
		return (struct metric){reading_ratio(row->value, elapsed, 1000), 3, "CPUs utilized"};
	if (!is_hardware(row->event, PERF_COUNT_HW_INSTRUCTIONS))
		return none;
	uint64_t cycles = cycles_for(finder, row);
	return cycles ? (struct metric){reading_ratio(row->value, cycles, 100), 2, "insn per cycle"} : none;
}
