/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include <string.h>

#include "event.h"
#include "list.h"
#include "out.h"

enum { INDENT = 2, COLUMN = 44, WIDTH = 80 };

void report_words(struct out *out, const char *text, size_t column, size_t at)
{
	while (*text) {
		const size_t length = strcspn(text, " ");
		if (at > column && at + 1 + length > WIDTH) {
			out_text(out, "\n");
			at = 0;
		}
		const size_t fill = at < column ? column - at : at > column;
		out_format(out, "%*s%.*s", (int)fill, "", (int)length, text);
		at += fill + length;
		text += length + (text[length] == ' ');
	}
	out_text(out, "\n");
}

static void print_text(struct report_list *report, const struct list_entry *entry)
{
	/* in the order of enum list_section */
	static const char titles[][16] = {"Hardware events", "Software events", "Tracepoints", "Cache events", "Events"};
	struct out *out = report->out;
	if (report->group != entry->group) {
		const bool is_of_cpus = entry->section == LIST_HARDWARE || entry->section == LIST_CACHE;
		out_format(out, "%s%s%s (PMU: ", report->group ? "\n" : "", titles[entry->section],
			   is_of_cpus ? ", if it has them" : "");
		out_clean(out, *entry->owner ? entry->owner : "none here");
		out_text(out, "):\n");
		report->group = entry->group;
	}
	out_format(out, "%*s", INDENT, "");
	out_clean(out, entry->name);
	report_words(out, entry->note, COLUMN, INDENT + strlen(entry->name));
	if (report->is_verbose && entry->event)
		report_attr(out, entry->event, report->cpus, false);
}

void report_list(void *context, const struct list_entry *entry)
{
	struct report_list *report = context;
	if (!report->is_json)
		print_text(report, entry);
	else if (entry->event)
		report_event(report->out, entry->event, report->cpus, true);
}
