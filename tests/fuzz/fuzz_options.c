/* SPDX-License-Identifier: GPL-2.0-only */
/* Any words (the input, split at NULs, newlines and tabs) are options xor an error with a text, and options are a plan,
 * whose invariants hold, xor an error with a text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "options.h"
#include "plan.h"
#include "sysfs.h"

enum { ARGS_MAX = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(int result, const struct err *err)
{
	if ((result != 0 && result != -EINVAL) || !err->text[0] != !result || (!result && err->hint[0]))
		abort();
	for (const char *p = err->text; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			abort();
	}
}

static void check_options(const struct options *options, int argc, char **argv)
{
	if (options->events_count < 0 || options->events_count > OPTIONS_LISTS_MAX || options->verbose < 0)
		abort();
	for (int i = 0; i < options->events_count; i++) {
		if (!options->events[i])
			abort();
	}
	if (options->command && (options->command <= argv || options->command >= argv + argc || !options->command[0]))
		abort();
	const uint64_t numbers[] = {options->timeout_ms, options->interval_ms, options->interval_count, options->delay_ms,
				    options->repeat};
	for (int i = 0; i < 5; i++) {
		if (numbers[i] > INT64_MAX / 1000000)
			abort();
	}
	if ((options->all_user && options->all_kernel) || options->format > OPTIONS_OPENMETRICS)
		abort();
	if (options->command && options->action != OPTIONS_COUNT && (options->action != OPTIONS_LIST || options->command[1]))
		abort();
	if ((options->output && !*options->output) || options->share > OPTIONS_SHARE_NEVER)
		abort();
	if ((options->starts_disabled && options->delay_ms) || (!options->repeats && options->repeat))
		abort();
}

/* At most one of descriptor and path each; answers only where commands come from; no path is empty. */
static void check_control(const struct plan_control *control)
{
	if (control->fd < -1 || control->ack_fd < -1 || (control->fd >= 0) + !!control->path != control->is_given)
		abort();
	if ((control->ack_fd >= 0 && control->fd < 0) || (control->ack_path && !control->path))
		abort();
	if (control->path && (!control->path_length || memchr(control->path, ',', control->path_length)))
		abort();
	if (control->path && (control->ack_path ? control->path + control->path_length + 1 != control->ack_path || !*control->ack_path
						: control->path[control->path_length] != '\0'))
		abort();
}

/* Returns whether it is one of tasks. */
static bool check_scope(const struct plan *plan, const struct plan_scope *scope, int *ids)
{
	const bool has_ids = scope->kind == PLAN_PROCESS || scope->kind == PLAN_THREAD;
	if (cpulist_count(&scope->cpus) == 0 || !cpulist_contains(&plan->online, &scope->cpus, NULL) ||
	    !cpulist_contains(&plan->cpus, &scope->cpus, NULL))
		abort();
	if (has_ids != (scope->ids_count > 0) || (has_ids && scope->first_id != *ids))
		abort();
	if ((scope->kind == PLAN_WORKLOAD && !plan->command) || (scope->kind != PLAN_SYSTEM && !scope->subject))
		abort();
	*ids += scope->ids_count;
	return plan_scope_is_tasks(scope);
}

static void check_plan(const struct plan *plan)
{
	int ids = 0;
	bool has_tasks = false;
	if ((plan->events_count < 1) != plan->null_run || plan->events_count > PLAN_EVENTS_MAX || plan->scopes_count < 1 ||
	    plan->scopes_count > PLAN_SCOPES_MAX)
		abort();
	for (int i = 0; i < plan->scopes_count; i++)
		has_tasks |= check_scope(plan, &plan->scopes[i], &ids);
	if (plan->ids_count > PLAN_IDS_MAX || plan->ids_count != ids)
		abort();
	for (int i = 0; i < plan->ids_count; i++) {
		if (plan->ids[i] <= 0)
			abort();
	}
	if (!plan->interval_ms && (plan->interval_count || plan->summary))
		abort();
	if (plan->per_thread && (!has_tasks || plan->repeat != 1))
		abort();
	if (plan->repeat != 1 && !plan->command && !plan->timeout_ms && !plan->interval_count)
		abort();
	if (plan->starts_disabled && !plan->control.is_given)
		abort();
	check_control(&plan->control);
}

/* Splits text in place; returns argc. */
static int split(char **argv, char *text, size_t size)
{
	int argc = 0;
	argv[argc++] = "bperf-mini";
	for (size_t i = 0; i < size && argc < ARGS_MAX; i += strlen(text + i) + 1) {
		argv[argc++] = text + i;
		text[i + strcspn(text + i, "\n\t")] = '\0';
	}
	argv[argc] = NULL;
	return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct options options;
	static struct plan plan;
	static struct cpulist online, possible;
	sysfs_root = "/nonexistent"; /* the same on every host */
	char *argv[ARGS_MAX + 1], *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	int argc = split(argv, text, size);

	struct err err = {0};
	int result = options_parse(&options, argc, argv, &err);
	check_error(result, &err);
	if (result == 0) {
		check_options(&options, argc, argv);
		if (cpulist_parse(&online, "0-3,6", NULL) || cpulist_parse(&possible, "0-7", NULL))
			abort();
		result = plan_build(&plan, &options, &online, &possible, &err);
		check_error(result, &err);
		if (result == 0)
			check_plan(&plan);
	}
	free(text);
	return 0;
}
