/* SPDX-License-Identifier: GPL-2.0-only */
#include "plan.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "err.h"
#include "event_resolve.h"
#include "options.h"
#include "target.h"

enum { QUOTE_MAX = 120, LIST_TEXT_SIZE = 128, LIVE_INTERVAL_MS = 1000 };

_Static_assert((int)PLAN_SHARE_ALWAYS == (int)OPTIONS_SHARE_ALWAYS && (int)PLAN_SHARE_NEVER == (int)OPTIONS_SHARE_NEVER,
	       "plan_build casts one to the other");
_Static_assert((int)PLAN_OPENMETRICS == (int)OPTIONS_OPENMETRICS && (int)PLAN_EACH_NODE == (int)OPTIONS_EACH_NODE,
	       "likewise");

/* perf stat's default events, but for those which need a PMU's own description. */
#define DEFAULT_EVENTS "-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses"

bool plan_scope_is_cpus(const struct plan_scope *scope)
{
	return scope->kind == PLAN_SYSTEM || scope->kind == PLAN_CPUS;
}

bool plan_scope_is_tasks(const struct plan_scope *scope)
{
	return scope->kind == PLAN_PROCESS || scope->kind == PLAN_THREAD || scope->kind == PLAN_WORKLOAD;
}

/* Are its counts of one CPU or another? */
static bool has_cpus(const struct plan_scope *scope)
{
	return plan_scope_is_cpus(scope) || scope->kind == PLAN_CGROUPS;
}

static int count_scopes(const struct plan *plan, bool (*is_such)(const struct plan_scope *scope))
{
	int count = 0;
	for (int i = 0; i < plan->scopes_count; i++)
		count += is_such(&plan->scopes[i]);
	return count;
}

static bool has_no_follower(const struct plan_scope *scope)
{
	return plan_scope_is_cpus(scope) || scope->kind == PLAN_PROGRAMS;
}

bool plan_needs_totals(const struct plan *plan)
{
	return count_scopes(plan, has_no_follower);
}

bool plan_scope_has_places(const struct plan *plan, const struct plan_scope *scope)
{
	return plan->aggregate && has_cpus(scope);
}

static int set_cpus(struct cpulist *cpus, const struct plan *plan, const char *text, struct err *err)
{
	int result = cpulist_parse(cpus, text, err);
	if (result < 0) {
		err_prefix(err, "-C");
		return result;
	}
	int missing;
	if (cpulist_contains(&plan->online, cpus, &missing))
		return 0;
	char online[LIST_TEXT_SIZE];
	cpulist_format(online, sizeof(online), &plan->online);
	return err_set(err, -EINVAL, "CPU %d of -C %.*s%s is not online (online: %s)", missing, QUOTE_MAX, text,
		       strlen(text) > QUOTE_MAX ? "..." : "", online);
}

static int add_id(struct plan *plan, struct plan_scope *scope, int id, char letter, struct err *err)
{
	for (int i = scope->first_id; i < plan->ids_count; i++) {
		if (plan->ids[i] == id)
			return 0;
	}
	if (plan->ids_count == PLAN_IDS_MAX)
		return err_set(err, -EINVAL, "-%c names more than %d ids", letter, PLAN_IDS_MAX);
	plan->ids[plan->ids_count++] = id;
	scope->ids_count++;
	return 0;
}

/* The digits at *p, which is moved behind them; -1 if there are none or they are no int. */
static int parse_number(const char **p)
{
	const char *q = *p;
	int number = 0;
	for (; *q >= '0' && *q <= '9'; q++) {
		if (number > (INT_MAX - (*q - '0')) / 10)
			return -1;
		number = number * 10 + (*q - '0');
	}
	if (q == *p)
		return -1;
	*p = q;
	return number;
}

/* "1,2 3": numbers between commas, spaces, or a comma among spaces. */
static int set_ids(struct plan *plan, struct plan_scope *scope, const char *text, char letter, struct err *err)
{
	const char *what = letter == 'p' ? "process" : "thread";
	const char *p = text + strspn(text, " ");
	scope->first_id = plan->ids_count;
	if (!*p)
		return err_set(err, -EINVAL, "-%c: no %s id is given", letter, what);
	for (;;) {
		const char *end = p;
		int id = parse_number(&end);
		if (id <= 0 || (*end && *end != ',' && *end != ' ')) {
			size_t length = strcspn(p, ", ");
			return err_set(err, -EINVAL, "-%c %.*s%s: '%.*s' is not a %s id", letter, QUOTE_MAX, text,
				       strlen(text) > QUOTE_MAX ? "..." : "", length > QUOTE_MAX ? QUOTE_MAX : (int)length,
				       p, what);
		}
		int result = add_id(plan, scope, id, letter, err);
		if (result < 0)
			return result;
		p = end + strspn(end, " ");
		if (!*p)
			return 0;
		if (*p == ',') {
			p++;
			p += strspn(p, " ");
		}
	}
}

static int check_programs(const struct plan *plan, const char *list, struct err *err)
{
	struct target_item item;
	int result;
	do {
		result = target_list_next(&list, &item, err);
	} while (result > 0);
	if (!result && plan->share == PLAN_SHARE_NEVER)
		return err_set(err, -EINVAL, "-b and --share never do not mix: it takes BPF to count around BPF programs");
	return result;
}

/* --- scopes ----------------------------------------------------------------------------------------------------------- */

static const struct kind {
	char letter;
	unsigned char kind;
} kinds[] = {
	{'a', PLAN_SYSTEM},  {'C', PLAN_CPUS},    {'p', PLAN_PROCESS},  {'t', PLAN_THREAD},
	{'G', PLAN_CGROUPS}, {'g', PLAN_CGROUPS}, {'b', PLAN_PROGRAMS},
};

static int add_scope(struct plan *plan, char letter, const char *text, struct err *err)
{
	struct plan_scope *scope = &plan->scopes[plan->scopes_count++];
	const struct kind *kind = kinds;
	while (kind->letter != letter)
		kind++;
	*scope = (struct plan_scope){.kind = kind->kind, .subject = text, .cpus = plan->online, .each = letter == 'g'};
	if (scope->kind == PLAN_CPUS)
		return set_cpus(&scope->cpus, plan, text, err);
	if (scope->kind == PLAN_PROGRAMS)
		return check_programs(plan, text, err);
	return scope->kind == PLAN_PROCESS || scope->kind == PLAN_THREAD ? set_ids(plan, scope, text, letter, err) : 0;
}

static int count_of(const struct options *options, const char *letters)
{
	int count = 0;
	for (int i = 0; i < options->scopes_count; i++)
		count += strchr(letters, options->scopes[i].letter) != NULL;
	return count;
}

/* The scopes, where they are more than perf takes together; else those of its own meaning. */
static int set_scopes(struct plan *plan, const struct options *options, struct err *err)
{
	const int tasks = count_of(options, "pt"), cpus = count_of(options, "C"), parts = count_of(options, "Ggb");
	const bool is_perfs = !tasks && cpus <= 1 && parts <= 1;
	int result = 0;
	for (int i = 0; !result && i < options->scopes_count; i++) {
		const struct options_scope *given = &options->scopes[i];
		bool only_says_where = is_perfs && (given->letter == 'a' ? cpus || parts : given->letter == 'C' && parts);
		if (!only_says_where)
			result = add_scope(plan, given->letter, given->letter == 'a' ? NULL : given->text, err);
	}
	for (int i = 0; !result && is_perfs && parts && i < options->scopes_count; i++) {
		if (options->scopes[i].letter == 'C')
			result = set_cpus(&plan->scopes[0].cpus, plan, options->scopes[i].text, err);
	}
	if (result < 0 || plan->scopes_count)
		return result;
	if (!options->command && !options->dry_run)
		return err_set(err, -EINVAL, "nothing to count: give a command, -a, -C, -p, -t, -G or -b");
	plan->scopes[plan->scopes_count++] = (struct plan_scope){
		.kind = options->command ? PLAN_WORKLOAD : PLAN_SYSTEM,
		.subject = options->command ? options->command[0] : NULL,
		.cpus = plan->online,
	};
	return 0;
}

static void unite_cpus(struct plan *plan)
{
	for (int i = 0; i < plan->scopes_count; i++)
		cpulist_or(&plan->cpus, &plan->scopes[i].cpus);
}

/* How many scopes are such. */
static int add_events(struct plan *plan, const char *text, struct err *err)
{
	struct event *events = plan->events + plan->events_count;
	int added = event_parse_list(events, PLAN_EVENTS_MAX - plan->events_count, text, err);
	if (added == -E2BIG)
		return err_set(err, -EINVAL, "more than %d events", PLAN_EVENTS_MAX);
	if (added < 0)
		return added;
	/* of several lists, too, groups are told apart */
	for (int i = 0; i < added; i++)
		events[i].group += events[i].group ? plan->events_count : 0;
	plan->events_count += added;
	return 0;
}

static int check_event(const struct plan *plan, const struct event *event, struct err *err)
{
	struct cpulist cpus;
	char list[LIST_TEXT_SIZE];
	event_cpus(&cpus, event, &plan->cpus);
	if (event->is_cpus_only && count_scopes(plan, plan_scope_is_cpus) < plan->scopes_count)
		err_set(err, -EINVAL, "%s counts all that happens, not one task's part: use -a or -C", event->pmu);
	else if (cpulist_next(&cpus, -1) < 0) {
		cpulist_format(list, sizeof(list), &event->cpus);
		err_set(err, -EINVAL, "%s is counted on CPUs %s only", event->pmu, list);
	} else {
		return 0;
	}
	return event_refuse(event->item.list, event->item.start, err);
}

static int set_events(struct plan *plan, const struct options *options, struct err *err)
{
	int result = 0;
	if (options->null_run)
		return 0;
	if (options->events_count == 0)
		result = add_events(plan, plan_scope_is_tasks(plan->scopes) ? "task" DEFAULT_EVENTS : "cpu" DEFAULT_EVENTS,
				    err);
	for (int i = 0; !result && i < options->events_count; i++)
		result = add_events(plan, options->events[i], err);
	if (!result)
		result = event_resolve(plan->events, plan->events_count, PLAN_EVENTS_MAX, &plan->cpus,
				       options->all_user     ? EVENT_LEVELS_USER
				       : options->all_kernel ? EVENT_LEVELS_KERNEL
							     : EVENT_LEVELS_ALL,
				       err);
	if (result < 0)
		return result;
	plan->events_count = result;
	for (int i = result = 0; !result && i < plan->events_count; i++)
		result = check_event(plan, &plan->events[i], err);
	return result;
}

/* "fd:3", "fd:3,4", "fifo:path,path"; control is zeroed */
static int set_control(struct plan_control *control, const char *text, struct err *err)
{
	bool is_good = false;
	control->is_given = text;
	control->fd = control->ack_fd = -1;
	if (!text)
		return 0;
	if (!strncmp(text, "fd:", 3)) {
		const char *p = text + 3;
		control->fd = parse_number(&p);
		if (*p == ',') {
			p++;
			control->ack_fd = parse_number(&p);
		}
		/* what is no number was left standing; at the end of the text, it is only told by what is before it */
		is_good = control->fd >= 0 && !*p && p[-1] != ',';
	} else if (!strncmp(text, "fifo:", 5)) {
		control->path = text + 5;
		control->path_length = strcspn(control->path, ",");
		if (control->path[control->path_length])
			control->ack_path = control->path + control->path_length + 1;
		is_good = control->path_length && (!control->ack_path || *control->ack_path);
	}
	if (is_good)
		return 0;
	return err_set(err, -EINVAL, "--control: '%.*s' is neither fd:CTL[,ACK] nor fifo:PATH[,PATH]", QUOTE_MAX, text);
}

/* What is given for the report but lacks what it goes with, or does not mix; NULL: nothing. */
static const char *check_report(const struct plan *plan, const struct options *options)
{
	if (plan->csv_header && plan->format != PLAN_CSV)
		return "--csv-header needs -x";
	if (plan->append && plan->format == PLAN_OPENMETRICS)
		return "--append and --openmetrics do not mix: such a file has one end";
	if (plan->output && options->has_log_fd)
		return "-o and --log-fd do not mix";
	if (plan->aggregate && !count_scopes(plan, has_cpus))
		return "-A and --per-core, .. go with -a, -C or -G: a task has no CPU of its own";
	if (plan->ascii && !plan->live)
		return "--ascii needs --live";
	if (plan->live && plan->format != PLAN_TEXT)
		return "--live draws on a terminal: it does not mix with -x, -j and --openmetrics";
	if (plan->live && plan->repeat != 1)
		return "--live and -r do not mix";
	if (plan->live && plan->quiet)
		return "--live and -q do not mix";
	if (plan->live && plan->output)
		return "--live and -o do not mix";
	return NULL;
}

/* Likewise, all of it. */
static int check(const struct plan *plan, const struct options *options, struct err *err)
{
	const bool intervals_end = plan->interval_count, repeats = plan->repeat != 1;
	const char *text = NULL;
	if (intervals_end && !plan->interval_ms)
		text = "--interval-count needs -I";
	else if (plan->summary && !plan->interval_ms)
		text = "--summary needs -I";
	else if (plan->per_thread && !count_scopes(plan, plan_scope_is_tasks))
		text = "--per-thread goes with -p, -t or a command";
	else if (plan->per_thread && repeats)
		text = "--per-thread and -r do not mix: rows of different threads have no mean";
	else if (repeats && !plan->command && !plan->timeout_ms && !intervals_end)
		text = "-r needs a command, --timeout or --interval-count: each run must end by itself";
	else if (plan->starts_disabled && !plan->control.is_given)
		text = "-D -1 needs --control: nothing else would start the count";
	else
		text = check_report(plan, options);
	return text ? err_set(err, -EINVAL, "%s", text) : 0;
}

static void set_report(struct plan *plan, const struct options *options)
{
	plan->output = options->output;
	plan->log_fd = options->has_log_fd ? (int)options->log_fd : 2;
	plan->append = options->append;
	plan->format = (enum plan_format)options->format;
	plan->separator = options->separator;
	plan->csv_header = options->csv_header;
	plan->big_num = !options->no_big_num;
	plan->quiet = options->quiet;
	plan->null_run = options->null_run;
	plan->aggregate = (enum plan_aggregate)options->aggregate;
	plan->live = options->live;
	plan->ascii = options->ascii;
	plan->overhead = options->overhead;
	if (plan->live && !plan->interval_ms)
		plan->interval_ms = LIVE_INTERVAL_MS;
}

/* Where CPUs are counted, a bar of --live is one of them. */
static void split_for_live(struct plan *plan)
{
	bool has_cpus = false, has_groups = false;
	for (int i = 0; i < plan->scopes_count; i++) {
		has_cpus |= plan_scope_is_cpus(&plan->scopes[i]);
		has_groups |= plan->scopes[i].kind == PLAN_CGROUPS;
	}
	if (!plan->live || plan->aggregate || !has_cpus || has_groups)
		return;
	plan->aggregate = PLAN_EACH_CPU;
	plan->joins_at_end = true;
}

int plan_build(struct plan *plan, const struct options *options, const struct cpulist *online,
	       const struct cpulist *possible, struct err *err)
{
	memset(plan, 0, offsetof(struct plan, scopes));
	plan->online = *online;
	plan->possible = *possible;
	plan->command = options->command;
	plan->share = (enum plan_share)options->share;
	plan->per_thread = options->per_thread;
	plan->timeout_ms = options->timeout_ms;
	plan->interval_ms = options->interval_ms;
	plan->interval_count = options->interval_count;
	plan->delay_ms = options->delay_ms;
	plan->starts_disabled = options->starts_disabled;
	plan->repeat = options->repeats ? options->repeat : 1;
	plan->summary = options->summary;
	plan->inherit = !options->no_inherit;
	plan->mount = !options->no_mount;
	plan->attr_map = options->attr_map;
	set_report(plan, options);

	int result = set_scopes(plan, options, err);
	if (result == 0)
		result = set_control(&plan->control, options->control, err);
	if (result == 0)
		result = check(plan, options, err);
	if (result == 0) {
		split_for_live(plan);
		unite_cpus(plan);
	}
	if (result == 0)
		result = set_events(plan, options, err);
	return result;
}
