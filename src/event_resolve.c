/* SPDX-License-Identifier: GPL-2.0-only */
#include "event_resolve.h"

#include <errno.h>
#include <string.h>

#include "cpulist.h"
#include "err.h"
#include "event.h"
#include "out.h"
#include "pmu.h"
#include "suggest.h"
#include "sysfs.h"

enum { PATH_SIZE = 256 };

struct resolver {
	struct event *events;
	int max;
	int first, made, most; /* of events: the first that is made of `written`, how many are made, and may be yet */
	struct event written;
	enum { BY_NAME, BY_ALIAS, CORES } way; /* in which PMUs are looked for */
	int cores;                             /* how many kinds of CPU there are; -1: not counted yet */
	const struct cpulist *cpus;
	enum event_levels levels;
	struct err *err;
};

static const char too_many[] = "more than %d events";

static int refuse(const struct resolver *r, const char *at)
{
	return event_refuse(r->written.item.list, at, r->err);
}

/* --- what was meant ----------------------------------------------------------------------------------------------------- */

static void consider_folder(struct suggest *suggest, const char *pmu, const char *folder)
{
	char path[PATH_SIZE];
	out_print(path, sizeof(path), PMU_DEVICES "/%s/%s", pmu, folder);
	sysfs_each(path, suggest_consider, suggest);
}

static int consider_aliases(void *suggest, const char *pmu)
{
	consider_folder(suggest, pmu, "events");
	return 0;
}

/* owner NULL: the list is too long to be told. */
static int refuse_unknown(const struct resolver *r, const struct suggest *suggest, const char *what, const char *owner)
{
	err_set(r->err, -EINVAL, owner ? "%s '%.*s' of %s, which has: %s" : "%s '%.*s'", what, (int)suggest->length,
		suggest->name, owner, suggest->list_text);
	if (*suggest->nearest)
		err_hint(r->err, "did you mean '%s'?", suggest->nearest);
	return refuse(r, suggest->name);
}

static int refuse_event(const struct resolver *r)
{
	struct suggest suggest;
	suggest_init(&suggest, r->written.item.start, r->written.item.length);
	event_each_name(suggest_consider, &suggest);
	sysfs_each(PMU_DEVICES, consider_aliases, &suggest);
	return refuse_unknown(r, &suggest, "unknown event", NULL);
}

static int refuse_pmu(const struct resolver *r)
{
	struct suggest suggest;
	suggest_init(&suggest, r->written.item.start, r->written.pmu_length);
	sysfs_each(PMU_DEVICES, suggest_consider, &suggest);
	if (!suggest.list_text[0])
		return refuse_unknown(r, &suggest, "there is no " PMU_DEVICES ", so no PMU", NULL);
	return refuse_unknown(r, &suggest, "no PMU", "this host");
}

/* --- terms -------------------------------------------------------------------------------------------------------------- */

static const char *const foreign_terms =
	"period;freq;time;call-graph;stack-size;max-stack;nr;overwrite;branch_type;aux-output;percore;metric-id";

static int refuse_term(const struct resolver *r, const struct event *event, const struct pmu_term *term)
{
	if (event_find_word(foreign_terms, term->name, term->name_length) >= 0) {
		err_set(r->err, -EINVAL, "%.*s is for perf's samples or printing, not for what is counted",
			(int)term->name_length, term->name);
		return refuse(r, term->name);
	}
	struct suggest suggest;
	suggest_init(&suggest, term->name, term->name_length);
	consider_folder(&suggest, event->pmu, "format");
	/* only the format's are listed: there can be many events */
	suggest.list.size = suggest.list.used + 1;
	consider_folder(&suggest, event->pmu, "events");
	return refuse_unknown(r, &suggest, "unknown term", event->pmu);
}

static int set_name(struct event *event, const struct pmu_term *term, struct err *err)
{
	const char *value = term->value;
	size_t length = term->value_length;
	if (length > 1 && value[0] == '\'' && value[length - 1] == '\'') {
		value++;
		length -= 2;
	}
	if (!length)
		return err_set(err, -EINVAL, "name= needs a name");
	event_set_name(event, value, length);
	return 0;
}

static bool is_term(const struct pmu_term *term, const char *name, size_t length)
{
	return term->name_length == length && !memcmp(term->name, name, length);
}

static int count_cores(struct resolver *r);

/* What has the look of no term of the PMU's own: rNNN, or an event of perf's, by itself, of a CPU. Returns as pmu_put_term. */
static int put_foreign(struct resolver *r, struct event *event, const struct pmu_term *term, bool is_alone)
{
	struct perf_event_attr found = {0};
	int result = event_find_raw(&found, term->name, term->name_length, r->err);
	if (result < 0)
		return result;
	if (result) {
		event->attr.config |= found.config;
		return 0;
	}
	if (!is_alone || !event_find(&found, term->name, term->name_length) || found.type == PERF_TYPE_SOFTWARE ||
	    !pmu_is_core(event->pmu))
		return -ENOENT;
	result = count_cores(r);
	event->attr.config = found.config | (result > 1 ? (uint64_t)event->attr.type << 32 : 0);
	event->attr.type = found.type;
	return result < 0 ? result : 0;
}

static int put_term(struct resolver *r, struct event *event, const struct pmu_term *term, const char *start, const char *end)
{
	struct pmu_term before;
	for (const char *at = start; pmu_next_term(&before, &at, end) && before.name < term->name;) {
		if (is_term(term, before.name, before.name_length))
			return err_set(r->err, -EINVAL, "%.*s is given twice", (int)term->name_length, term->name);
	}
	if (is_term(term, "name", 4))
		return set_name(event, term, r->err);
	int result = term->value ? -ENOENT : pmu_put_alias(event, event->pmu, term, start, end, r->err);
	if (result == -ENOENT)
		result = pmu_put_term(&event->attr, event->pmu, term, r->err);
	if (result == -ENOENT && !term->value)
		result = put_foreign(r, event, term, term->name == start && term->name + term->name_length == end);
	return result;
}

static int put_terms(struct resolver *r, struct event *event)
{
	const struct event_item *item = &event->item;
	const char *start = item->start, *end = start + item->length;
	struct pmu_term term;
	if (event->kind == EVENT_PMU) {
		start += event->pmu_length + 1;
		end--;
	}
	for (const char *at = start; pmu_next_term(&term, &at, end);) {
		int result = put_term(r, event, &term, start, end);
		if (result == -ENOENT)
			return refuse_term(r, event, &term);
		if (result < 0)
			return refuse(r, term.name);
	}
	return 0;
}

/* --- PMUs --------------------------------------------------------------------------------------------------------------- */

/* The PMU itself has been looked for before. */
static bool is_meant(const struct resolver *r, const char *pmu)
{
	const struct event_item *item = &r->written.item;
	const size_t length = r->written.pmu_length;
	if (r->way == CORES)
		return pmu_is_core(pmu);
	if (r->way == BY_ALIAS)
		return pmu_has_alias(pmu, item->start, item->length);
	for (int i = 0; i < 2; i++) {
		if (!strncmp(pmu, item->start, length) && (!pmu[length] || pmu_family_length(pmu) == length))
			return true;
		if (strncmp(pmu, "uncore_", 7))
			break;
		pmu += 7;
	}
	return false;
}

/* Makes an event of this PMU, in the order of types: the order in which the kernel met them. */
static int add(struct resolver *r, const char *pmu)
{
	if (r->made == r->most)
		return err_set(r->err, -EINVAL, too_many, r->max);
	struct event made = r->written;
	int result = pmu_set_type(&made, pmu, r->err);
	if (result < 0)
		return result == -ENOENT ? 0 : result;
	int at = r->made++;
	for (; at > r->first && r->events[at - 1].attr.type > made.attr.type; at--)
		r->events[at] = r->events[at - 1];
	r->events[at] = made;
	return 0;
}

static int add_if_meant(void *context, const char *pmu)
{
	struct resolver *r = context;
	return is_meant(r, pmu) ? add(r, pmu) : 0;
}

static int add_all(struct resolver *r, int way)
{
	r->way = way;
	int result = sysfs_each(PMU_DEVICES, add_if_meant, r);
	return result == -EINVAL ? refuse(r, r->written.item.start) : 0;
}

static int count_core(void *cores, const char *pmu)
{
	*(int *)cores += pmu_is_core(pmu);
	return 0;
}

static int count_cores(struct resolver *r)
{
	if (r->cores < 0) {
		r->cores = 0;
		sysfs_each(PMU_DEVICES, count_core, &r->cores);
	}
	return r->cores;
}

/* "pmu/.../": that PMU, else those of the family. "cpu" is what many a script says for whatever the CPUs' PMUs are called. */
static int add_named(struct resolver *r)
{
	char name[EVENT_PMU_SIZE];
	const size_t length = r->written.pmu_length;
	int result = 0;
	out_print(name, sizeof(name), "%.*s", (int)length, r->written.item.start);
	if (length < sizeof(name) && add(r, name) < 0)
		return refuse(r, r->written.item.start);
	if (r->made == r->first)
		result = add_all(r, BY_NAME);
	if (!result && r->made == r->first && !strcmp(name, "cpu"))
		result = add_all(r, CORES);
	return !result && r->made == r->first ? refuse_pmu(r) : result;
}

/* --- what is made of one ------------------------------------------------------------------------------------------------ */

/* Of a hardware event: the kind of CPU stands in the upper half; rNNN is of that kind's own type. */
static void set_core(struct event *event, const struct perf_event_attr *written)
{
	const uint64_t type = event->attr.type;
	if (written->type == PERF_TYPE_RAW)
		return;
	event->attr.type = written->type;
	event->attr.config |= type << 32;
}

static bool has_cpu(const struct event *event, const struct cpulist *cpus)
{
	struct cpulist both;
	if (!cpus)
		return true;
	event_cpus(&both, event, cpus);
	return cpulist_next(&both, -1) >= 0;
}

/* Of several, those that have no CPU to count on are left out. */
static void prune(struct resolver *r)
{
	struct event *const first = &r->events[r->first], *const last = &r->events[r->made - 1], *to = first;
	for (const struct event *from = first; from <= last; from++) {
		if (has_cpu(from, r->cpus) || (to == first && from == last))
			*to++ = *from;
		else
			r->made--;
	}
}

/* "cpu_core/cycles/": rows of several PMUs must be told apart. A name= stays. */
static void rename_event(struct event *event, const struct event *written, size_t pmu_length)
{
	char modifiers[EVENT_MODIFIERS_SIZE];
	const size_t skip = written->kind == EVENT_PMU ? written->pmu_length + 1 : 0;
	if (strcmp(event->name, written->name))
		return;
	event_modifiers_text(modifiers, written->modifiers);
	out_print(event->name, sizeof(event->name), "%.*s/%.*s%s%s", (int)pmu_length, event->pmu,
		  (int)(written->item.length - skip), written->item.start + skip, skip ? "" : "/", modifiers);
}

/* The members of a numbered family are added up in one row; each kind of CPU has its own. Rows of several PMUs are told apart by
 * their names. several: more of them than those that have a CPU to count on. */
static bool is_one_row(const struct resolver *r, const struct event *a, const struct event *b)
{
	const size_t length = pmu_family_length(a->pmu);
	if (a->has_cpus && !a->is_cpus_only)
		return false;
	return r->way == BY_NAME || (length == pmu_family_length(b->pmu) && !memcmp(a->pmu, b->pmu, length));
}

static void set_rows(struct resolver *r, bool is_several)
{
	struct event *const first = &r->events[r->first], *const end = &r->events[r->made];
	const bool is_core = first->has_cpus && !first->is_cpus_only;
	int rows = is_core && is_several;
	for (struct event *event = first; event < end; event++) {
		const struct event *row = first;
		event->family = r->first;
		for (; row < event && !is_one_row(r, row, event); row++)
			event->family++;
		rows += row == event;
	}
	for (struct event *event = first; rows > 1 && event < end; event++)
		rename_event(event, &r->written, is_core ? strlen(event->pmu) : pmu_family_length(event->pmu));
}

static int set_levels(struct resolver *r, struct event *event)
{
	const bool is_forced = r->levels && !(event->modifiers & EVENT_LEVELS);
	if (is_forced)
		event->attr.flags |= r->levels;
	/* the PMUs that count packages, and this one, know no levels: with a bit set the kernel would answer a bare EINVAL */
	if (!event->attr.flags || (!event->is_cpus_only && strcmp(event->pmu, "msr")))
		return 0;
	err_set(r->err, -EINVAL, "%s counts all levels: no modifiers, --all-user or --all-kernel", event->pmu);
	return refuse(r, is_forced ? event->item.start : event->modifiers_at);
}

/* --- tracepoints -------------------------------------------------------------------------------------------------------- */

static int set_tracepoint(struct resolver *r, struct event *event)
{
	const struct event_item *item = &event->item;
	const char *root = "/sys/kernel/tracing", *name = strchr(item->start, ':') + 1;
	char path[PATH_SIZE], byte[2];
	for (int i = 0; i < 2; i++, root = "/sys/kernel/debug/tracing") {
		const int system_length = (int)(name - item->start) - 1;
		out_print(path, sizeof(path), "%s/events/%.*s/%.*s/id", root, system_length, item->start,
			  (int)item->length - system_length - 1, name);
		const long id = sysfs_number(path, -1);
		event->attr.type = PERF_TYPE_TRACEPOINT;
		event->attr.config = (uint64_t)id;
		if (id >= 0)
			return 0;
	}
	/* of a folder it says that it is one */
	int result = sysfs_read("/sys/kernel/tracing/events", byte, sizeof(byte), r->err);
	if (result == -EISDIR)
		err_set(r->err, result, "unknown tracepoint '%.*s'", (int)item->length, item->start);
	else if (result == -ENOENT)
		err_hint(r->err, "mount -t tracefs tracefs /sys/kernel/tracing");
	return refuse(r, item->start);
}

/* --- all ---------------------------------------------------------------------------------------------------------------- */

/* Finds the PMUs: none for what all CPUs or the kernel itself count in the same way. */
static int find(struct resolver *r)
{
	const struct event *written = &r->written;
	int result = 0;
	if (written->kind == EVENT_PMU)
		result = add_named(r);
	else if (written->kind == EVENT_ALIAS)
		result = add_all(r, BY_ALIAS);
	else if (written->kind == EVENT_DONE && written->attr.type != PERF_TYPE_SOFTWARE && count_cores(r) > 1)
		result = add_all(r, CORES);
	if (result < 0 || r->made > r->first)
		return result;
	if (written->kind == EVENT_ALIAS)
		return refuse_event(r);
	if (r->made == r->most)
		return err_set(r->err, -EINVAL, too_many, r->max);
	r->events[r->made++] = *written;
	return 0;
}

/* An event of no PMU is all there already. */
static int complete(struct resolver *r, struct event *event)
{
	int result = 0;
	if (event->kind == EVENT_TRACEPOINT)
		result = set_tracepoint(r, event);
	else if (event->kind == EVENT_DONE && *event->pmu)
		set_core(event, &r->written.attr);
	else if (event->kind != EVENT_DONE)
		result = put_terms(r, event);
	if (!result && *event->pmu && pmu_set_cpus(event, r->err) < 0)
		return refuse(r, event->item.start);
	return result ? result : set_levels(r, event);
}

static int resolve(struct resolver *r)
{
	r->first = r->made;
	r->way = BY_NAME;
	int result = find(r);
	for (int i = r->first; !result && i < r->made; i++)
		result = complete(r, &r->events[i]);
	if (result < 0)
		return result;
	const bool is_several = r->made - r->first > 1;
	prune(r);
	set_rows(r, is_several);
	return 0;
}

int event_resolve(struct event *events, int count, int max, const struct cpulist *cpus, enum event_levels levels,
		  struct err *err)
{
	static struct resolver r;
	r = (struct resolver){.events = events, .max = max, .cores = -1, .cpus = cpus, .levels = levels, .err = err};
	/* what is made grows from the front, into what is taken from the end */
	memmove(events + max - count, events, (size_t)count * sizeof(*events));
	for (int i = max - count; i < max; i++) {
		r.written = events[i];
		r.written.written = i - (max - count);
		r.most = i + 1;
		int result = resolve(&r);
		if (result < 0)
			return result;
	}
	err_set(err, 0, "%s", ""); /* of files that need not be there */
	return r.made;
}
