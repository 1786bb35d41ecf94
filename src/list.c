/* SPDX-License-Identifier: GPL-2.0-only */
#include "list.h"

#include <errno.h>
#include <string.h>

#include "err.h"
#include "event.h"
#include "event_resolve.h"
#include "out.h"
#include "pmu.h"
#include "sysfs.h"

/* EVENTS_MOST: what -e makes of one, at most. */
enum {
	PATH_SIZE = 256,
	NOTE_SIZE = 512,
	NAME_SIZE = EVENT_NAME_SIZE,
	NAMES_MOST = 4096,
	NAMES_SIZE = 128 * 1024,
	EVENTS_MOST = 128
};

/* What is in a folder, sorted. */
struct names {
	int count;
	size_t used;
	const char *at[NAMES_MOST];
	char text[NAMES_SIZE];
};

struct list {
	const char *pattern;
	int section; /* that alone is wanted; -1: the pattern decides */
	bool has_details;
	list_visit *visit;
	void *context;
	bool is_found;
	struct list_entry entry; /* the next one */
	char cores[NAME_SIZE];   /* the CPUs' PMUs */
	char owner[EVENT_PMU_SIZE];
	struct err *err;
};

/* One for the PMUs or systems, one for what is in each. */
static struct names outer, inner;

/* --- patterns ----------------------------------------------------------------------------------------------------------- */

static bool is_same(char a, char b)
{
	return a == b || ((a ^ b) == 0x20 && (unsigned)((a | 0x20) - 'a') < 26);
}

/* A star is first taken for nothing, then, where what follows does not fit, for one character more. */
static bool is_match(const char *pattern, const char *text)
{
	const bool is_part = !pattern[strcspn(pattern, "*?")];
	const char *star = is_part ? pattern : NULL, *next = text;
	while (*text && !(is_part && !*pattern)) {
		if (*pattern == '*') {
			star = ++pattern;
			next = text;
		} else if (*pattern == '?' || is_same(*pattern, *text)) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++next;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

static void start_group(struct list *list, enum list_section section, int index, const char *owner)
{
	list->entry.section = section;
	list->entry.group = 1 + (int)section + index;
	list->entry.owner = owner;
}

/* Is the next entry wanted, by this name? */
static bool is_wanted(struct list *list, const char *name)
{
	list->entry.name = name;
	if (list->section >= 0)
		return (int)list->entry.section == list->section;
	return !list->pattern || is_match(list->pattern, name);
}

static void add(struct list *list, const struct event *event, const char *note)
{
	list->entry.event = event;
	list->entry.note = note;
	list->is_found = true;
	list->visit(list->context, &list->entry);
}

/* What is no more than a name, or a form. */
static void add_text(struct list *list, const char *name, const char *note)
{
	if (is_wanted(list, name))
		add(list, NULL, note);
}

/* What is wrong with the event, without "event syntax: 'NAME' at character 1: ". */
static const char *reason(const char *text, const char *name)
{
	const char *end = strchr(text + strlen("event syntax: '") + strlen(name), ':');
	return end ? end + 2 : text;
}

static void add_event(struct list *list, const char *name)
{
	static struct event events[EVENTS_MOST];
	if (!list->has_details && list->entry.section != LIST_PMU) {
		add_text(list, name, "");
		return;
	}
	if (!is_wanted(list, name))
		return;
	int count = event_parse_list(events, EVENTS_MOST, name, list->err);
	if (count > 0)
		count = event_resolve(events, count, EVENTS_MOST, NULL, EVENT_LEVELS_ALL, list->err);
	if (count < 0)
		add(list, NULL, reason(list->err->text, name));
	for (int i = 0; i < count; i++) {
		struct event *event = &events[i];
		list->entry.name = event->name;
		if (!*event->pmu)
			out_print(event->pmu, sizeof(event->pmu), "%s", list->entry.owner);
		if (event->family == i)
			add(list, event, event->unit);
	}
}

/* --- folders ------------------------------------------------------------------------------------------------------------ */

static int keep(void *context, const char *name)
{
	struct names *names = context;
	const size_t size = strlen(name) + 1;
	if (names->count == NAMES_MOST || size > sizeof(names->text) - names->used)
		return -E2BIG;
	char *kept = memcpy(names->text + names->used, name, size);
	names->used += size;
	int at = names->count++;
	for (; at && strcmp(names->at[at - 1], kept) > 0; at--)
		names->at[at] = names->at[at - 1];
	names->at[at] = kept;
	return 0;
}

/* Of root/FOLDER/LAST; both may be "". Returns 0 or -errno: then there may be none. */
static int gather(struct names *names, const char *root, const char *folder, const char *last)
{
	char path[PATH_SIZE];
	names->count = 0;
	names->used = 0;
	out_print(path, sizeof(path), "%s/%s/%s", root, folder, last);
	int result = sysfs_each(path, keep, names);
	if (result == -E2BIG)
		err_note(0, "not all is listed: %s has more than %d names", path, names->count);
	return result;
}

/* --- perf's own names, and tracepoints ---------------------------------------------------------------------------------- */

static int add_own(void *context, const char *name)
{
	struct list *list = context;
	struct perf_event_attr attr;
	event_find(&attr, name, strlen(name));
	start_group(list, (enum list_section)attr.type, 0, attr.type == PERF_TYPE_SOFTWARE ? "software" : list->cores);
	add_event(list, name);
	return 0;
}

static void add_tracepoints(struct list *list)
{
	const char *root = "/sys/kernel/tracing/events";
	char name[NAME_SIZE];
	const int result = gather(&outer, root, "", "");
	start_group(list, LIST_TRACEPOINT, 0, "tracepoint");
	if (result < 0)
		root = "/sys/kernel/debug/tracing/events";
	if (result < 0 && gather(&outer, root, "", "") < 0 && (!list->pattern || !list->is_found))
		err_note(0, "tracepoints are not listed: cannot open /sys/kernel/tracing/events: %s", err_reason(-result));
	for (int i = 0; i < outer.count; i++) {
		gather(&inner, root, outer.at[i], "");
		for (int k = 0; k < inner.count; k++) {
			out_print(name, sizeof(name), "%s:%s", outer.at[i], inner.at[k]);
			if (event_find_word("enable;filter", inner.at[k], strlen(inner.at[k])) < 0)
				add_event(list, name);
		}
	}
}

/* --- PMUs --------------------------------------------------------------------------------------------------------------- */

/* How much of the PMU's name stands before the slash: that of its family, if there are several members and all have the alias
 * (NULL: any); 0: so it is, and one of them came before. Kinds of CPUs are no family. */
static size_t owner_length(int index, const char *alias)
{
	const char *pmu = outer.at[index];
	const size_t own = strlen(pmu), length = pmu_family_length(pmu);
	int members = 0, first = index;
	for (int i = 0; i < outer.count; i++) {
		const char *other = outer.at[i];
		if (strncmp(other, pmu, length) || (other[length] && pmu_family_length(other) != length))
			continue;
		/* the name alone is one PMU's own */
		if (!other[length] || (alias && !pmu_has_alias(other, alias, strlen(alias))))
			return own;
		members++;
		first = i < first ? i : first;
	}
	if (members < 2 || pmu_is_core(pmu))
		return own;
	return first < index ? 0 : length;
}

/* "cpu/term=value,.../", with the terms in the note. */
static void add_form(struct list *list, const char *pmu)
{
	char name[NAME_SIZE], terms[NOTE_SIZE];
	struct out note = out_memory(terms, sizeof(terms));
	gather(&inner, PMU_DEVICES, pmu, "format");
	for (int i = 0; i < inner.count; i++) {
		out_text(&note, i ? ", " : "");
		out_clean(&note, inner.at[i]);
	}
	out_print(name, sizeof(name), "%s/term=value,.../", list->owner);
	if (inner.count)
		add_text(list, name, terms);
}

static void add_pmu(struct list *list, int index)
{
	const char *pmu = outer.at[index];
	char name[NAME_SIZE];
	const size_t length = owner_length(index, NULL);
	out_print(list->owner, sizeof(list->owner), "%.*s", length ? (int)length : EVENT_PMU_SIZE, pmu);
	start_group(list, LIST_PMU, index, list->owner);
	gather(&inner, PMU_DEVICES, pmu, "events");
	for (int i = 0; i < inner.count; i++) {
		const size_t shown = owner_length(index, inner.at[i]);
		out_print(name, sizeof(name), "%.*s/%s/", (int)shown, pmu, inner.at[i]);
		/* behind a dot: a file beside an alias */
		if (shown && !strchr(inner.at[i], '.'))
			add_event(list, name);
	}
	if (pmu_is_core(pmu))
		add_text(list, "rNNN", "by its number in hexadecimal");
	/* addresses are nothing for -e */
	if (length && event_find_word("kprobe;uprobe", pmu, strlen(pmu)) < 0)
		add_form(list, pmu);
}

int list_each(const char *pattern, bool has_details, list_visit *visit, void *context, struct err *err)
{
	struct list list = {.pattern = pattern,
			    .section = -1,
			    .has_details = has_details,
			    .visit = visit,
			    .context = context,
			    .err = err};
	struct out cores = out_memory(list.cores, sizeof(list.cores));
	if (pattern)
		list.section =
			event_find_word("hw,hardware;sw,software;tracepoint;cache,hwcache;pmu", pattern, strlen(pattern));
	gather(&outer, PMU_DEVICES, "", "");
	for (int i = 0; i < outer.count; i++) {
		if (pmu_is_core(outer.at[i]))
			out_format(&cores, cores.used ? ", %s" : "%s", outer.at[i]);
	}
	event_each_name(add_own, &list);
	for (int i = 0; i < outer.count; i++)
		add_pmu(&list, i);
	add_tracepoints(&list);
	if (list.is_found)
		return 0;
	return err_set(err, -ENOENT, "no event of this host matches '%.100s'", pattern);
}
