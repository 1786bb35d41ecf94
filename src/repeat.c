/* SPDX-License-Identifier: GPL-2.0-only */
#include "repeat.h"

#include <errno.h>

#include "err.h"
#include "memory.h"
#include "reading.h"
#include "report.h"
#include "spread.h"

static int make_room(struct repeat *repeat, const struct report *report, uint64_t runs_max, struct err *err)
{
	const int rows_count = report->rows_count;
	/* the pages of runs that are never made are never touched */
	*repeat = (struct repeat){.runs_max = runs_max, .rows_count = rows_count, .overhead_count = report->overhead_count};
	if (runs_max < SIZE_MAX / (size_t)(rows_count + 1))
		repeat->values = memory_take((size_t)runs_max * (size_t)(rows_count + 1), sizeof(*repeat->values));
	repeat->rows = memory_take((size_t)rows_count, sizeof(*repeat->rows));
	repeat->overhead = memory_take((size_t)report->overhead_count + 1, sizeof(*repeat->overhead));
	return repeat->values && repeat->rows && repeat->overhead
		       ? 0
		       : err_sys(err, -ENOMEM, "cannot keep %llu runs", (unsigned long long)runs_max);
}

static uint64_t *values_of(const struct repeat *repeat, int row)
{
	return repeat->values + (size_t)row * (size_t)repeat->runs_max;
}

int repeat_add(struct repeat *repeat, const struct report *report, uint64_t runs_max, struct err *err)
{
	int result = repeat->values ? 0 : make_room(repeat, report, runs_max, err);
	if (result < 0)
		return result;
	if (report->rows_count != repeat->rows_count)
		return err_set(err, -ESTALE, "this run has %d rows where the one before had %d: they have no mean",
			       report->rows_count, repeat->rows_count);
	for (int i = 0; i < repeat->rows_count; i++) {
		const struct report_row *row = &report->rows[i];
		struct report_row *kept = &repeat->rows[i];
		values_of(repeat, i)[repeat->runs] = row->state == REPORT_COUNTED ? row->value : 0;
		if (kept->state != REPORT_COUNTED || !repeat->runs)
			kept->state = row->state;
		kept->enabled = reading_sum(kept->enabled, row->enabled);
		kept->running = reading_sum(kept->running, row->running);
		kept->runs = reading_sum(kept->runs, row->runs);
	}
	values_of(repeat, repeat->rows_count)[repeat->runs] = report->elapsed_ns;
	for (int i = 0; i < repeat->overhead_count && i < report->overhead_count; i++) {
		struct report_overhead row = report->overhead[i];
		row.runs += repeat->overhead[i].runs;
		row.ns += repeat->overhead[i].ns;
		repeat->overhead[i] = row;
	}
	repeat->runs++;
	return 0;
}

void repeat_mean(const struct repeat *repeat, struct report_row *rows, struct report *report)
{
	if (!repeat->runs)
		return;
	for (int i = 0; i < repeat->rows_count; i++) {
		struct spread spread = spread_of(values_of(repeat, i), repeat->runs);
		rows[i].state = repeat->rows[i].state;
		rows[i].enabled = repeat->rows[i].enabled;
		rows[i].running = repeat->rows[i].running;
		rows[i].runs = reading_ratio(repeat->rows[i].runs, repeat->runs, 1);
		rows[i].value = spread.mean;
		rows[i].error = spread.percent;
	}
	for (int i = 0; i < repeat->overhead_count; i++) {
		repeat->overhead[i].runs = reading_ratio(repeat->overhead[i].runs, repeat->runs, 1);
		repeat->overhead[i].ns = reading_ratio(repeat->overhead[i].ns, repeat->runs, 1);
	}
	report->overhead = repeat->overhead;
	report->overhead_count = repeat->overhead_count;
	struct spread elapsed = spread_of(values_of(repeat, repeat->rows_count), repeat->runs);
	report->runs = repeat->runs;
	report->elapsed_ns = elapsed.mean;
	report->elapsed_error_ns = elapsed.error;
	report->elapsed_error = elapsed.percent;
}

void repeat_close(struct repeat *repeat)
{
	memory_free(repeat->values);
	memory_free(repeat->rows);
	memory_free(repeat->overhead);
	*repeat = (struct repeat){0};
}
