/* SPDX-License-Identifier: GPL-2.0-only */
#include "cells.h"

#include "event.h"
#include "metric.h"
#include "number.h"
#include "out.h"
#include "plan.h"
#include "reading.h"
#include "report.h"

static bool has_cgroups(const struct plan *plan)
{
	for (int i = 0; i < plan->scopes_count; i++) {
		if (plan->scopes[i].kind == PLAN_CGROUPS)
			return true;
	}
	return false;
}

/* Is a row of a BPF program? */
static bool has_programs(const struct report *report)
{
	for (int i = 0; i < report->rows_count; i++) {
		if (report->rows[i].program)
			return true;
	}
	return false;
}

void cells_names(struct cells *cells, const struct report *report)
{
	const struct plan *plan = report->plan;
	const bool programs = has_programs(report);
	/* in the order of enum cell_field */
	const char *const names[CELL_FIELDS] = {
		plan->interval_ms ? "interval" : NULL,
		plan->scopes_count > 1 ? "scope" : NULL,
		report_place_key(plan),
		plan->aggregate > PLAN_EACH_CPU ? "counters" : NULL,
		plan->per_thread ? "thread" : NULL,
		programs ? "program" : NULL,
		programs ? "program-id" : NULL,
		programs || report->overhead_count ? "program-runs" : NULL,
		"counter-value",
		"unit",
		"event",
		has_cgroups(plan) ? "cgroup" : NULL,
		plan->repeat > 1 ? "variance" : NULL,
		"event-runtime",
		"pcnt-running",
		"metric-value",
		"metric-unit",
	};
	for (int i = 0; i < CELL_FIELDS; i++)
		cells->field[i] = (struct cell){.name = names[i]};
}

static void set_number(struct cell *cell, uint64_t value, int decimals)
{
	cell->number = number_format(value, decimals, false);
	cell->text = cell->number.text;
	cell->is_number = true;
}

/* Whose row it is. */
static void set_subject(struct cell *field, const struct report_row *row)
{
	if (row->scope) {
		struct cell *scope = &field[CELL_SCOPE];
		scope->text = scope->number.text;
		scope->more = row->scope->subject;
		out_print(scope->number.text, sizeof(scope->number), "%s%s", report_kind(row->scope),
			  scope->more ? ":" : "");
	}
	if (row->place) {
		field[CELL_PLACE].text = row->place->name;
		set_number(&field[CELL_COUNTERS], row->place->cpus, 0);
	}
	if (row->thread) {
		field[CELL_THREAD].text = row->thread->tid ? row->thread->comm : "others";
		out_print(field[CELL_THREAD].number.text, sizeof(struct number), "-%d", (int)row->thread->tid);
		field[CELL_THREAD].more = row->thread->tid ? field[CELL_THREAD].number.text : NULL;
	}
	if (row->program) {
		field[CELL_PROGRAM].text = row->program->name;
		set_number(&field[CELL_PROGRAM_ID], row->program->id, 0);
	}
	if (row->program || row->runs)
		set_number(&field[CELL_PROGRAM_RUNS], row->runs, 0);
	field[CELL_CGROUP].text = row->cgroup;
}

static void set_count(struct cells *cells, const struct report_row *row)
{
	struct cell *field = cells->field;
	field[CELL_VALUE].number = number_count(row->event, row->value, true, false);
	field[CELL_VALUE].text = row->state == REPORT_COUNTED       ? field[CELL_VALUE].number.text
				 : row->state == REPORT_NOT_COUNTED ? "<not counted>"
								    : "<not supported>";
	cells->is_uncounted = row->state != REPORT_COUNTED;
	field[CELL_UNIT].text = number_unit(row->event);
	field[CELL_EVENT].text = row->event->name;
	set_number(&field[CELL_RUNTIME], row->running, 0);
	/* more than all is none */
	set_number(&field[CELL_RUNNING],
		   row->running > row->enabled ? 10000 : reading_ratio(row->running, row->enabled, 10000), 2);
}

/* What the rows of a report are printed with. */
struct page {
	struct out *out;
	const struct report *report;
	cells_print *print;
	struct cells names;
};

static void print_row(struct page *page, const struct report_row *row, struct metric metric)
{
	const struct report *report = page->report;
	struct cells cells = page->names;
	struct cell *field = cells.field;
	set_subject(field, row);
	set_count(&cells, row);
	if (report->is_interval)
		set_number(&field[CELL_INTERVAL], report->time_ns, 9);
	if (report->runs > 1 && row->state == REPORT_COUNTED) {
		set_number(&field[CELL_VARIANCE], row->error, 2);
		field[CELL_VARIANCE].more = "%";
	}
	if (metric.unit) {
		set_number(&field[CELL_METRIC], metric.value, metric.decimals);
		field[CELL_METRIC_UNIT].text = metric.unit;
	}
	page->print(page->out, report, &cells);
	out_flush(page->out);
}

/* A row of a time that is no event's. */
static void print_other(struct page *page, struct event *event, const char *name, uint64_t ns, uint64_t error, uint64_t runs,
			struct metric metric)
{
	const uint64_t elapsed = page->report->elapsed_ns;
	const struct report_row row = {.event = event,
				       .state = REPORT_COUNTED,
				       .value = ns,
				       .enabled = elapsed ? elapsed : 1,
				       .running = elapsed ? elapsed : 1,
				       .error = error,
				       .runs = runs};
	out_print(event->name, sizeof(event->name), "%s", name);
	print_row(page, &row, metric);
}

static void print_time(struct page *page, const char *name, uint64_t ns, uint64_t error)
{
	struct event event = {.unit = "ns", .scale = 1};
	print_other(page, &event, name, ns, error, 0, (struct metric){0});
}

static void print_overhead(struct page *page)
{
	struct report_cost cost;
	for (int i = 0; report_cost(&cost, page->report, i); i++) {
		struct event event = {.unit = "msec", .scale = 1, .scale_exponent = -6};
		print_other(page, &event, cost.name, cost.ns, 0, cost.runs, cost.metric);
	}
}

void cells_each(struct out *out, const struct report *report, bool with_times, cells_print *print)
{
	struct page page = {.out = out, .report = report, .print = print};
	struct metric_finder finder = {.report = report};
	cells_names(&page.names, report);
	for (int i = 0; i < report->rows_count; i++) {
		if (i && report->rows[i].event != report->rows[i - 1].event)
			finder = (struct metric_finder){.report = report};
		print_row(&page, &report->rows[i], metric_of(&finder, &report->rows[i]));
	}
	print_overhead(&page);
	const struct plan *plan = report->plan;
	/* what has no CPU or thread has no place among rows that have: perf's readers take each for a number */
	if (!plan->null_run && (report->is_interval || !with_times || plan->aggregate || plan->per_thread))
		return;
	print_time(&page, "duration_time", report->elapsed_ns, report->elapsed_error);
	if (!report_has_times(report))
		return;
	print_time(&page, "user_time", report->user_ns, 0);
	print_time(&page, "system_time", report->sys_ns, 0);
}
