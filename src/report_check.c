/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include <string.h>

#include "out.h"
#include "probe.h"

enum { NAME_WIDTH = 21, COLUMN = NAME_WIDTH + 5 };

/* By enum probe_answer. */
static const char *const answers[] = {"no", "yes", "?"};
static const char *const works[] = {"false", "true", "null"};

static void print_line(struct out *out, const char *title, const char *text)
{
	out_format(out, "%*s%s", COLUMN, "", title);
	report_words(out, text, COLUMN, COLUMN + strlen(title));
}

static void print_text(struct out *out, const struct probe_row *row, bool details)
{
	char reason[PROBE_REASON_SIZE]; /* which may hold a path of any bytes */
	struct out clean = out_memory(reason, sizeof(reason));
	out_clean(&clean, row->reason);
	out_format(out, "%-*s%-*s", NAME_WIDTH, row->name, COLUMN - NAME_WIDTH, answers[row->answer]);
	report_words(out, reason, COLUMN, COLUMN);
	if (!details)
		return;
	print_line(out, "lost without it:", row->lost);
	print_line(out, "to get it:", row->advice);
}

static void print_json(struct out *out, const struct probe_row *row, bool details)
{
	out_format(out, "{\"check\" : \"%s\", \"works\" : %s", row->name, works[row->answer]);
	if (row->has_number)
		out_format(out, ", \"number\" : %lld", (long long)row->number);
	out_text(out, ", \"answer\" : ");
	report_json_text(out, row->reason);
	if (details) {
		out_text(out, ", \"lost\" : ");
		report_json_text(out, row->lost);
		out_text(out, ", \"advice\" : ");
		report_json_text(out, row->advice);
	}
	out_text(out, "}\n");
}

int report_check(struct out *out, const struct probe *probe, bool json, bool verbose)
{
	for (int i = 0; i < PROBE_ROWS; i++) {
		const struct probe_row *row = &probe->rows[i];
		(json ? print_json : print_text)(out, row, verbose || (row->answer != PROBE_YES && row->is_tried));
	}
	return out_flush(out);
}
