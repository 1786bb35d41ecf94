/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include "cells.h"
#include "out.h"
#include "plan.h"

/* Is there something in it that would be taken for the end of the field? Of a separator of several characters the first is
 * enough: "aa" may begin with the field's last one. A '?' may come of what is no text. */
static bool needs_quotes(const char *text, const char *separator)
{
	for (const char *p = text; p && *p; p++) {
		if (*p == '"' || *p == *separator || ((*p < ' ' || *p > '~') && *separator == '?'))
			return true;
	}
	return false;
}

static void print_field(struct out *out, const char *separator, const char *text, const char *more)
{
	const bool quoted = needs_quotes(text, separator) || needs_quotes(more, separator);
	if (quoted)
		out_text(out, "\"");
	if (text)
		out_escaped(out, text, '"');
	if (more)
		out_escaped(out, more, '"');
	if (quoted)
		out_text(out, "\"");
}

static void print_line(struct out *out, const struct report *report, const struct cells *cells, bool names)
{
	const char *separator = "";
	for (const struct cell *cell = cells->field; cell < cells->field + CELL_FIELDS; cell++) {
		if (!cell->name)
			continue;
		const bool is_total = cell == &cells->field[CELL_INTERVAL] && !cell->text;
		out_text(out, separator);
		separator = report->plan->separator;
		print_field(out, separator, names ? cell->name : is_total ? "summary" : cell->text, cell->more);
	}
	out_text(out, "\n");
}

static void print_row(struct out *out, const struct report *report, const struct cells *cells)
{
	print_line(out, report, cells, false);
}

void report_csv(struct out *out, const struct report *report)
{
	if (report->plan->csv_header && report->is_first) {
		struct cells cells;
		cells_names(&cells, report);
		print_line(out, report, &cells, true);
	}
	cells_each(out, report, false, print_row);
}
