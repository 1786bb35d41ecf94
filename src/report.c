/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include "number.h"
#include "out.h"
#include "plan.h"
#include "reading.h"

void report_add(struct report_row *row, const struct count *count)
{
	row->value = reading_sum(row->value, count->value);
	row->enabled = reading_sum(row->enabled, count->enabled);
	row->running = reading_sum(row->running, count->running);
	const bool makes_sense = row->value <= INT64_MAX && number_scaled(row->event, row->value, 0) <= INT64_MAX;
	row->state = row->running && makes_sense ? REPORT_COUNTED : REPORT_NOT_COUNTED;
}

void report_scope(char *text, size_t size, const struct plan_scope *scope)
{
	out_print(text, size, "%s%s%s", report_kind(scope), scope->subject ? ":" : "", scope->subject ? scope->subject : "");
}

void report_sum(struct report_row *to, const struct report_row *row)
{
	to->value = reading_sum(to->value, row->value);
	to->enabled = reading_sum(to->enabled, row->enabled);
	to->running = reading_sum(to->running, row->running);
	if (row->state < to->state)
		to->state = row->state;
}

int report_join(struct report_row *rows, int count)
{
	int joined = 0;
	for (int i = 0; i < count; i++) {
		struct report_row row = rows[i];
		int to = row.place ? joined - 1 : -1;
		while (to >= 0 && rows[to].event == row.event && rows[to].cgroup != row.cgroup)
			to--;
		row.place = NULL;
		if (to >= 0 && rows[to].event == row.event)
			report_sum(&rows[to], &row);
		else
			rows[joined++] = row;
	}
	return joined;
}

int report_write(struct out *out, const struct report *report)
{
	static void (*const formats[])(struct out *, const struct report *) = {
		[PLAN_TEXT] = report_text,
		[PLAN_CSV] = report_csv,
		[PLAN_JSON] = report_json,
		[PLAN_OPENMETRICS] = report_openmetrics,
	};
	formats[report->plan->format](out, report);
	return out_flush(out);
}

const char *report_kind(const struct plan_scope *scope)
{
	static const char kinds[][8] = {"system", "cpu", "pid", "tid", "command", "cgroup", "bpf"};
	return kinds[scope->kind];
}

const char *report_place_key(const struct plan *plan)
{
	/* as enum plan_aggregate */
	static const char *const keys[] = {NULL, "cpu", "core", "die", "socket", "node"};
	return keys[plan->aggregate];
}

bool report_has_times(const struct report *report)
{
	return report->has_times && !report->is_interval && report->runs <= 1 &&
	       report->plan->scopes[0].kind == PLAN_WORKLOAD;
}
