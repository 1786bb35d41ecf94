/* SPDX-License-Identifier: GPL-2.0-only */
/* What this host can count, by what sysfs and tracefs say of it. Looks only: opens no event, needs no rights. */
#ifndef LIST_H
#define LIST_H

#include <stdbool.h>

struct err;
struct event;

/* As enum perf_type_id: what -e takes by itself. LIST_PMU: by the PMU. In the order of the words that name them in a pattern. */
enum list_section { LIST_HARDWARE, LIST_SOFTWARE, LIST_TRACEPOINT, LIST_CACHE, LIST_PMU };

/* All texts are foreign, and gone after the visit. */
struct list_entry {
	enum list_section section;
	int group;         /* from 1; the entries of a group follow each other */
	const char *owner; /* the group's PMU, or family of PMUs; of events that CPUs of several kinds count: "cpu_core, cpu_atom"; "":
			      there is none */
	const char *name;  /* as -e takes it */
	const char *note;  /* its unit; of a form, what it is filled in with; or why it cannot be counted */
	const struct event *event; /* NULL: without details; or a form; or it cannot be counted */
};
typedef void list_visit(void *context, const struct list_entry *entry);

/* Calls visit for each event whose name has the pattern in it or, with * or ? in the pattern, is as a whole what it says; blind to
 * case. Or the pattern is a word for a section: hw, sw, cache, pmu, tracepoint. NULL: all events. has_details: each entry has its
 * event; there is one for each kind of CPU. (Those of a PMU have it anyway.) Tracepoints that cannot be seen are not listed: a
 * note says so, where it matters. Returns 0; or -ENOENT with a text: nothing was visited. */
int list_each(const char *pattern, bool has_details, list_visit *visit, void *context, struct err *err);

#endif
