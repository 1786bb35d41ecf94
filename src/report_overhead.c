/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include "out.h"
#include "reading.h"

static void sum_up(struct report_cost *cost, const struct report *report)
{
	*cost = (struct report_cost){.name = "overhead", .is_sum = true};
	for (int i = 0; i < report->overhead_count; i++) {
		cost->ns = reading_sum(cost->ns, report->overhead[i].ns);
		cost->runs = reading_sum(cost->runs, report->overhead[i].runs);
	}
	const bool fits = report->cpus && report->elapsed_ns < UINT64_MAX / report->cpus;
	const uint64_t all_ns = fits ? report->elapsed_ns * report->cpus : UINT64_MAX;
	cost->metric = (struct metric){reading_ratio(cost->ns, all_ns, 100000), 3, "of CPU time", true, METRIC_PLAIN};
}

bool report_cost(struct report_cost *cost, const struct report *report, int index)
{
	if (!report->overhead_count || index > report->overhead_count)
		return false;
	if (index == report->overhead_count) {
		sum_up(cost, report);
		return true;
	}
	const struct report_overhead *row = &report->overhead[index];
	*cost = (struct report_cost){
		.ns = row->ns,
		.runs = row->runs,
		.metric = {reading_ratio(row->ns, row->runs, 100), 2, "ns/run", false, METRIC_PLAIN},
		.is_shared = row->is_shared,
	};
	out_print(cost->name, sizeof(cost->name), "overhead:%s%s%s", row->kind, row->event ? ":" : "",
		  row->event ? row->event : "");
	return true;
}
