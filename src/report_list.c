/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include <string.h>

#include "event.h"
#include "list.h"
#include "out.h"

enum { INDENT = 2, COLUMN = 44, WIDTH = 80 };

/* Its words from COLUMN on, in as many lines as they take; `at`: the column that the name has reached. */
static void print_note(struct out *out, const char *note, size_t at)
{
	while (*note) {
		const size_t length = strcspn(note, " ");
		if (at > COLUMN && at + 1 + length > WIDTH) {
			out_text(out, "\n");
			at = 0;
		}
		const size_t fill = at < COLUMN ? COLUMN - at : 1;
		out_format(out, "%*s%.*s", (int)fill, "", (int)length, note);
		at += fill + length;
		note += length + (note[length] == ' ');
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
	print_note(out, entry->note, INDENT + strlen(entry->name));
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
