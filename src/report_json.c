/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include <string.h>

#include "cells.h"
#include "out.h"

void report_json_text(struct out *out, const char *text)
{
	out_text(out, "\"");
	out_escaped(out, text, '\\');
	out_text(out, "\"");
}

/* perf leaves these out of the objects that have none. */
static bool is_left_out(int field)
{
	return field == CELL_INTERVAL || field == CELL_METRIC || field == CELL_METRIC_UNIT;
}

static void print_value(struct out *out, const struct cells *cells, int field)
{
	const struct cell *cell = &cells->field[field];
	const char *text = cell->text;
	if (!text) {
		out_text(out, "null");
	} else if (field == CELL_VALUE && cells->is_uncounted) {
		/* without its <> */
		out_format(out, "null, \"state\" : \"%.*s\"", (int)strlen(text) - 2, text + 1);
	} else if (cell->is_number) {
		out_text(out, text);
	} else {
		/* perf has the number alone where the key is "cpu" */
		const bool is_cpu = field == CELL_PLACE && !strncmp(text, "CPU", 3);
		out_text(out, "\"");
		out_escaped(out, is_cpu ? text + 3 : text, '\\');
		if (cell->more)
			out_escaped(out, cell->more, '\\');
		out_text(out, "\"");
	}
}

static void print_row(struct out *out, const struct report *report, const struct cells *cells)
{
	const char *between = "{";
	(void)report;
	for (int i = 0; i < CELL_FIELDS; i++) {
		const struct cell *cell = &cells->field[i];
		if (!cell->name || (!cell->text && is_left_out(i)))
			continue;
		out_format(out, "%s\"%s\" : ", between, cell->name);
		print_value(out, cells, i);
		between = ", ";
	}
	out_text(out, "}\n");
}

void report_json(struct out *out, const struct report *report)
{
	cells_each(out, report, true, print_row);
}
