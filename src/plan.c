/* SPDX-License-Identifier: GPL-2.0-only */
#include "plan.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "err.h"
#include "options.h"

enum { QUOTE_MAX = 120, LIST_TEXT_SIZE = 128 };

/* perf stat's default events, but for those which need a PMU's own description. */
#define DEFAULT_EVENTS "-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses"

bool plan_scope_is_cpus(const struct plan *plan)
{
	return plan->scope == PLAN_SYSTEM || plan->scope == PLAN_CPUS;
}

static int set_scope(struct plan *plan, const struct options *options, struct err *err)
{
	const char *cpu_option = options->cpus ? "-C" : options->all_cpus ? "-a" : NULL;
	if (options->pids && options->tids)
		return err_set(err, -EINVAL, "-p and -t do not mix: give processes or threads");
	if (cpu_option && (options->pids || options->tids))
		return err_set(err, -EINVAL, "%s and %s do not mix: give CPUs or %s", cpu_option,
			       options->pids ? "-p" : "-t", options->pids ? "processes" : "threads");

	if (options->cpus) {
		plan->scope = PLAN_CPUS;
		plan->subject = options->cpus;
	} else if (options->all_cpus) {
		plan->scope = PLAN_SYSTEM;
	} else if (options->pids) {
		plan->scope = PLAN_PROCESS;
		plan->subject = options->pids;
	} else if (options->tids) {
		plan->scope = PLAN_THREAD;
		plan->subject = options->tids;
	} else if (options->command) {
		plan->scope = PLAN_WORKLOAD;
		plan->subject = options->command[0];
	} else {
		return err_set(err, -EINVAL, "nothing to count: give a command, -a, -C, -p or -t");
	}
	return 0;
}

static int set_cpus(struct plan *plan, const struct options *options, struct err *err)
{
	plan->cpus = plan->online;
	if (plan->scope != PLAN_CPUS)
		return 0;
	int result = cpulist_parse(&plan->cpus, options->cpus, err);
	if (result < 0) {
		err_prefix(err, "-C");
		return result;
	}
	int missing;
	if (cpulist_contains(&plan->online, &plan->cpus, &missing))
		return 0;
	char online[LIST_TEXT_SIZE];
	cpulist_format(online, sizeof(online), &plan->online);
	return err_set(err, -EINVAL, "CPU %d of -C %.*s%s is not online (online: %s)", missing, QUOTE_MAX, options->cpus,
		       strlen(options->cpus) > QUOTE_MAX ? "..." : "", online);
}

static int add_id(struct plan *plan, int id, char letter, struct err *err)
{
	for (int i = 0; i < plan->ids_count; i++) {
		if (plan->ids[i] == id)
			return 0;
	}
	if (plan->ids_count == PLAN_IDS_MAX)
		return err_set(err, -EINVAL, "-%c names more than %d ids", letter, PLAN_IDS_MAX);
	plan->ids[plan->ids_count++] = id;
	return 0;
}

/* A positive number at *p that ends where the list's item ends; else 0 and *p is unchanged. */
static int parse_id(const char **p)
{
	const char *q = *p;
	int id = 0;
	for (; *q >= '0' && *q <= '9'; q++) {
		if (id > (INT_MAX - (*q - '0')) / 10)
			return 0;
		id = id * 10 + (*q - '0');
	}
	if (*q && *q != ',' && *q != ' ')
		return 0;
	if (id)
		*p = q;
	return id;
}

/* "1,2 3": numbers between commas, spaces, or a comma among spaces. */
static int set_ids(struct plan *plan, const char *text, char letter, struct err *err)
{
	const char *what = letter == 'p' ? "process" : "thread";
	const char *p = text + strspn(text, " ");
	if (!*p)
		return err_set(err, -EINVAL, "-%c: no %s id is given", letter, what);
	for (;;) {
		int id = parse_id(&p);
		if (!id) {
			size_t length = strcspn(p, ", ");
			return err_set(err, -EINVAL, "-%c %.*s%s: '%.*s' is not a %s id", letter, QUOTE_MAX, text,
				       strlen(text) > QUOTE_MAX ? "..." : "", length > QUOTE_MAX ? QUOTE_MAX : (int)length,
				       p, what);
		}
		int result = add_id(plan, id, letter, err);
		if (result < 0)
			return result;
		p += strspn(p, " ");
		if (!*p)
			return 0;
		if (*p == ',') {
			p++;
			p += strspn(p, " ");
		}
	}
}

static int add_events(struct plan *plan, const char *text, struct err *err)
{
	int added = event_parse_list(plan->events + plan->events_count, PLAN_EVENTS_MAX - plan->events_count, text, err);
	if (added == -E2BIG)
		return err_set(err, -EINVAL, "more than %d events", PLAN_EVENTS_MAX);
	if (added < 0)
		return added;
	plan->events_count += added;
	return 0;
}

static int set_events(struct plan *plan, const struct options *options, struct err *err)
{
	if (options->events_count == 0)
		return add_events(plan, plan_scope_is_cpus(plan) ? "cpu" DEFAULT_EVENTS : "task" DEFAULT_EVENTS, err);
	for (int i = 0; i < options->events_count; i++) {
		int result = add_events(plan, options->events[i], err);
		if (result < 0)
			return result;
	}
	return 0;
}

int plan_build(struct plan *plan, const struct options *options, const struct cpulist *online,
	       const struct cpulist *possible, struct err *err)
{
	memset(plan, 0, sizeof(*plan));
	plan->online = *online;
	plan->possible = *possible;
	plan->command = options->command;
	plan->timeout_ms = options->timeout_ms;
	plan->output = options->output;
	plan->append = options->append;
	plan->inherit = !options->no_inherit;
	plan->mount = !options->no_mount;
	plan->attr_map = options->attr_map;

	int result = set_scope(plan, options, err);
	if (result == 0)
		result = set_events(plan, options, err);
	if (result == 0)
		result = set_cpus(plan, options, err);
	if (result == 0 && plan->scope == PLAN_PROCESS)
		result = set_ids(plan, options->pids, 'p', err);
	if (result == 0 && plan->scope == PLAN_THREAD)
		result = set_ids(plan, options->tids, 't', err);
	return result;
}
