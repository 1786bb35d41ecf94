/* SPDX-License-Identifier: GPL-2.0-only */
/* The only file that knows all stages; prints the one error; chooses the exit status. */
#include <errno.h>

#include "err.h"
#include "fd.h"
#include "init.h"
#include "list.h"
#include "options.h"
#include "output.h"
#include "plan.h"
#include "probe.h"
#include "repeat.h"
#include "report.h"
#include "screen.h"
#include "session.h"
#include "status.h"
#include "sys_bpf.h"
#include "sys_task.h"
#include "sysfs.h"

enum {
	EXIT_NO_MATCH = 1,
	EXIT_UNSHARED_ONLY = 1,
	EXIT_USAGE = 2,
	EXIT_NOTHING = 3,
	EXIT_OWN_FAILURE = 125,
	EXIT_CANNOT_RUN = 126,
	EXIT_NOT_FOUND = 127
};

static int fail(const struct err *err, int status)
{
	err_print(err);
	return status;
}

static int write_report(struct output *output, struct report *report, struct err *err)
{
	if (report->plan->quiet)
		return 0;
	report->is_first = !output->has_content;
	report->is_terminal = output->has_colours;
	report->has_watchdog = report->plan->format == PLAN_TEXT && !report->is_interval &&
			       sysfs_number("/proc/sys/kernel/nmi_watchdog", 0) == 1;
	int result = output_begin(output, err);
	return result < 0 ? result : output_end(output, report_write(&output->out, report), err);
}

static struct report whole(const struct session *session)
{
	return (struct report){
		.plan = session->plan,
		.rows = session->rows,
		.rows_count = session->rows_count,
		.elapsed_ns = session->elapsed_ns,
		.runs = 1,
		.overhead = session->overhead.rows,
		.overhead_count = session->overhead.rows_count,
		.cpus = cpulist_count(&session->cpus),
		.has_times = session->workload.ended,
		.user_ns = session->workload.user_ns,
		.sys_ns = session->workload.sys_ns,
	};
}

static int write_interval(struct output *output, struct screen *screen, struct session *session, struct err *err)
{
	/* who reads those of OpenMetrics subtracts for himself */
	session_rows(session, session->plan->format == PLAN_OPENMETRICS);
	struct report report = whole(session);
	report.elapsed_ns = session->interval_ns;
	report.is_interval = true;
	report.time_ns = session->elapsed_ns;
	report.intervals = session->intervals - 1;
	if (session->plan->live) {
		screen_show(screen, &report);
		return 0;
	}
	return write_report(output, &report, err);
}

/* Intervals and what the screen waits for, up to the end. */
static int follow(struct session *session, struct output *output, struct screen *screen, struct err *err)
{
	int result;
	screen_begin(screen);
	do {
		screen_watch(screen, &session->watch);
		result = session_next(session, err);
		if (result == SESSION_SCREEN) {
			session->is_told_to_end = screen_attend(screen, session->screen_signal);
		} else if (result >= 0 && session->plan->interval_ms) {
			int written = write_interval(output, screen, session, err);
			result = written < 0 ? written : result;
		}
	} while (result == SESSION_INTERVAL || result == SESSION_SCREEN);
	screen_close(screen);
	screen_watch(screen, &session->watch);
	return result;
}

/* One run; its rows and its end stay in the session. */
static int run(struct session *session, const struct plan *plan, struct output *output, struct screen *screen,
	       bool *exec_failed, struct err *err)
{
	int result = session_open(session, plan, err);
	if (!result)
		result = session_start(session, exec_failed, err);
	if (result < 0)
		return result;
	init_started();
	result = follow(session, output, screen, err);
	return result < 0 ? result : session_finish(session, err);
}

/* What is written behind a run: its counts, or, behind the last one of several, the mean of them all. A run that a signal ended
 * is not in it. */
static int conclude(struct session *session, struct repeat *repeat, struct output *output, struct err *err)
{
	const struct plan *plan = session->plan;
	session_rows(session, true);
	struct report report = whole(session);
	report.is_summary = plan->interval_ms;
	if (plan->joins_at_end)
		report.rows_count = report_join(session->rows, report.rows_count);
	if (plan->interval_ms && !plan->summary && !plan->live)
		return 0;
	if (plan->repeat > 1) {
		int result = session->signal ? 0 : repeat_add(repeat, &report, plan->repeat, err);
		if (result < 0 || (!session->signal && repeat->runs < plan->repeat))
			return result;
		if (session->signal && repeat->runs)
			err_note(0, "run %llu was interrupted and is not in the mean", (unsigned long long)repeat->runs + 1);
		repeat_mean(repeat, session->rows, &report);
	}
	return write_report(output, &report, err);
}

static int count(const struct plan *plan, struct session *session, struct err *err)
{
	static struct output output;
	static struct screen screen;
	struct repeat repeat = {0};
	bool exec_failed = false;
	int status = 0;
	if (output_open(&output, plan, err) < 0 || screen_open(&screen, plan, err) < 0)
		return fail(err, EXIT_OWN_FAILURE);
	if (plan->output && plan->format == PLAN_TEXT && !plan->quiet)
		report_started(&output.out, sys_task_date());
	int result = 0;
	for (uint64_t left = plan->repeat; !result;) {
		result = run(session, plan, &output, &screen, &exec_failed, err);
		if (!result) {
			status = session_status(session);
			result = conclude(session, &repeat, &output, err);
		}
		bool ends = session->signal || --left == 0;
		session_close(session);
		if (ends)
			break;
	}
	repeat_close(&repeat);
	screen_close(&screen);
	if (result < 0)
		return fail(err, !exec_failed ? EXIT_OWN_FAILURE : result == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
	return status;
}

/* --help and --version, to stdout. */
static int tell(enum options_action action)
{
	static struct output output;
	output_to(&output, 1);
	if (action == OPTIONS_HELP)
		options_usage(&output.out);
	else
		out_text(&output.out, "bperf-mini " BPERF_VERSION "\n");
	return out_flush(&output.out) < 0 ? EXIT_OWN_FAILURE : 0;
}

/* result: of writing to stdout. */
static int finish(int result, struct err *err)
{
	if (result >= 0)
		return 0;
	err_sys(err, result, "cannot write to stdout");
	return fail(err, EXIT_OWN_FAILURE);
}

/* bperf-mini status, to stdout. */
static int show_status(const struct options *options, const struct cpulist *possible, struct err *err)
{
	static struct output output;
	struct status status;
	if (status_open(&status, options->attr_map, cpulist_count(possible), err) < 0)
		return fail(err, EXIT_OWN_FAILURE);
	output_to(&output, 1);
	int result = (options->format == OPTIONS_JSON ? report_status_json : report_status_text)(&output.out, &status);
	status_close(&status);
	return finish(result, err);
}

/* --dry-run, to stdout. */
static int show_plan(const struct plan *plan, bool json, struct err *err)
{
	static struct output output;
	output_to(&output, 1);
	return finish(report_plan(&output.out, plan, json), err);
}

/* bperf-mini list, to stdout. */
static int show_list(const struct options *options, struct cpulist *online, struct cpulist *possible, struct err *err)
{
	static struct output output;
	struct report_list report = {&output.out, online, options->format == OPTIONS_JSON, options->verbose, 0};
	if (sysfs_cpus(online, possible, err) < 0)
		return fail(err, EXIT_OWN_FAILURE);
	output_to(&output, 1);
	if (list_each(options->command ? *options->command : NULL, options->format == OPTIONS_JSON || options->verbose,
		      report_list, &report, err) < 0)
		return fail(err, EXIT_NO_MATCH);
	return finish(out_flush(&output.out), err);
}

/* bperf-mini check, to stdout. */
static int show_check(const struct options *options, struct err *err)
{
	/* in the order of enum probe_verdict */
	static const int statuses[] = {0, EXIT_UNSHARED_ONLY, EXIT_NOTHING};
	static struct output output;
	static struct probe probe;
	probe_all(&probe);
	output_to(&output, 1);
	int result = finish(report_check(&output.out, &probe, options->format == OPTIONS_JSON, options->verbose), err);
	return result ? result : statuses[probe_verdict(&probe)];
}

/* Per-CPU maps give a value for each possible CPU: where /sys does not tell how many they are, the kernel's answer is
 * measured. They are then taken for 0..n-1, and those that are offline are found out when they are opened. Without that answer, too, plain events
 * can be counted on the CPUs that we know of. */
static int find_cpus(struct options *options, struct cpulist *online, struct cpulist *possible, struct err *err)
{
	int guessed = sysfs_cpus(online, possible, err);
	if (guessed <= 0)
		return guessed;
	int count = sys_bpf_possible_cpus();
	if (count < 0 && options->action == OPTIONS_COUNT && options->share != OPTIONS_SHARE_ALWAYS) {
		/* no BPF from here on: it would give more values than there is room for */
		options->share = OPTIONS_SHARE_NEVER;
		err_note(0,
			 "counting unshared, by plain events, on the CPUs that this process may run on: no "
			 "/sys/devices/system/cpu, and bpf(2) does not tell either: %s",
			 err_reason(-count));
		return 0;
	}
	if (count < 0) {
		err_sys(err, count, "cannot tell which CPUs there are: no /sys/devices/system/cpu, and");
		err_hint(err, "mount sysfs on /sys");
		return count;
	}
	*possible = (struct cpulist){0};
	for (int cpu = 0; cpu < count; cpu++)
		cpulist_add(possible, (unsigned)cpu);
	if (guessed & SYSFS_ONLINE_GUESSED)
		*online = *possible;
	return 0;
}

int main(int argc, char **argv)
{
	static struct options options;
	static struct cpulist online, possible;
	static struct plan plan;
	static struct session session;
	static struct err err;

	sys_task_name("bperf-mini");
	if (sys_task_is_setuid()) {
		err_set(&err, 0, "refuses to run setuid or setgid: that would lend anyone rights over all that runs here");
		err_hint(&err,
			 "chmod ug-s takes it away; setcap can give rights to some users instead (SECURITY in the manual)");
		return fail(&err, EXIT_OWN_FAILURE);
	}
	const bool is_init = init_takes(&argc, &argv);
	int result = options_parse(&options, argc, argv, &err);
	err_verbosity = options.verbose;
	if (!result)
		result = init_check(&options, is_init, &err);
	if (is_init)
		init_begin(&options);
	if (result < 0)
		return fail(&err, EXIT_USAGE);
	if (options.action == OPTIONS_HELP || options.action == OPTIONS_VERSION)
		return tell(options.action);
	if (options.action == OPTIONS_LIST)
		return show_list(&options, &online, &possible, &err);
	if (options.action == OPTIONS_CHECK)
		return show_check(&options, &err);
	if (find_cpus(&options, &online, &possible, &err) < 0)
		return fail(&err, EXIT_OWN_FAILURE);
	if (options.action == OPTIONS_STATUS)
		return show_status(&options, &possible, &err);
	if (plan_build(&plan, &options, &online, &possible, &err) < 0)
		return fail(&err, EXIT_USAGE);
	if (options.dry_run)
		return show_plan(&plan, options.format == OPTIONS_JSON, &err);
	return count(&plan, &session, &err);
}
