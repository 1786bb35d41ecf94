/* SPDX-License-Identifier: GPL-2.0-only */
#include "session.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "err.h"
#include "memory.h"
#include "plan.h"
#include "reading.h"
#include "sys_bpf.h"
#include "sys_task.h"
#include "sysfs.h"

_Static_assert((int)WATCH_TASKS_MAX >= (int)PLAN_IDS_MAX, "every task of a plan can be watched");

/* How often the list of online CPUs is looked at. */
static const uint64_t hotplug_ns = 1000000000;

/* --- opening -------------------------------------------------------------------------------------------------------- */

/* The id as the filter must have it; -errno with a text where the task cannot be counted. */
static int task_id(const struct session *session, int id, bool by_thread, struct err *err)
{
	/* as perf does: the id of any thread stands for its process */
	int process = by_thread ? 0 : sys_task_process(id);
	if (session->children.settings.pidns_ino && sys_task_is_nested(id))
		return err_set(err, -EXDEV,
			       "cannot count %d: it is in a PID namespace below this one, where it has another id", id);
	return process ? process : id;
}

static int add_task(struct session *session, int given, bool by_thread, struct err *err)
{
	const char *kind = by_thread ? "thread" : "process";
	int id = task_id(session, given, by_thread, err);
	if (id < 0)
		return id;
	int result = watch_task(&session->watch, id, by_thread);
	if (!result)
		result = children_add(&session->children, (uint32_t)id, 0);
	if (result < 0 && result != -ESRCH)
		return err_sys(err, result, "cannot watch %s %d", kind, given);
	if (result == -ESRCH && session->plan->ids_count > 1)
		err_note(0, "there is no %s %d, or it has ended: the others are counted", kind, given);
	return result;
}

static int open_tasks(struct session *session, struct err *err)
{
	const struct plan *plan = session->plan;
	const bool by_thread = plan->scope == PLAN_THREAD;
	int alive = 0;
	int result = children_open(&session->children, by_thread, plan->ids_count ? (unsigned)plan->ids_count : 1,
				   plan->inherit, err);
	if (result < 0) {
		sys_bpf_hint(result, err);
		return result;
	}
	for (int i = 0; i < plan->ids_count; i++) {
		result = add_task(session, plan->ids[i], by_thread, err);
		if (result < 0 && result != -ESRCH)
			return result;
		alive += !result;
	}
	if (plan->ids_count && !alive)
		return err_set(err, -ESRCH, "cannot count %s %d: there is none, or it has ended",
			       by_thread ? "thread" : "process", plan->ids[0]);
	return 0;
}

static int open_event(struct session *session, int index, struct err *err)
{
	const struct plan *plan = session->plan;
	const struct event *event = &plan->events[index];
	struct session_event *opened = &session->events[index];
	int result =
		leader_open(&opened->leader, event, &plan->cpus, &plan->online, &plan->possible, &session->registry, err);
	if (result < 0)
		return result;
	err_note(1, "%s: leader %s%s", event->name,
		 !opened->leader.joined    ? "made"
		 : opened->leader.is_perfs ? "joined, one of perf's"
					   : "joined",
		 opened->leader.is_shared ? "" : ", unshared");
	opened->supported = true;
	opened->seen = memory_take(session->possible_count, sizeof(*opened->seen));
	if (!opened->seen)
		return err_sys(err, -ENOMEM, "cannot count %s", event->name);
	if (plan_scope_is_cpus(plan)) {
		opened->before = memory_take(session->possible_count, sizeof(*opened->before));
		return opened->before ? 0 : err_sys(err, -ENOMEM, "cannot count %s", event->name);
	}
	return follower_open(&opened->follower, &opened->leader, &session->children, 1, plan->scope == PLAN_WORKLOAD,
			     event->name, err);
}

static int open_events(struct session *session, struct err *err)
{
	const struct plan *plan = session->plan;
	struct err unshared = {0}, unsupported = {0};
	int counted = 0;
	registry_open(&session->registry, plan->mount, plan->attr_map, &unshared);
	for (int i = 0; i < plan->events_count; i++) {
		const struct event *event = &plan->events[i];
		struct err why = {0};
		int result = open_event(session, i, &why);
		if (result == -EOPNOTSUPP && !session->events[i].supported) {
			err_note(1, "%s", why.text);
			if (!unsupported.text[0])
				unsupported = why;
			continue;
		}
		if (result < 0) {
			*err = why;
			err_prefix(err, "cannot %s %s", registry_is_shared(&session->registry) ? "share" : "count",
				   event->name);
			sys_bpf_hint(result, err);
			return result;
		}
		if (event_ignores_modifiers(event))
			err_note(0, "%s: the kernel ignores the modifier for this event and counts all of it", event->name);
		counted++;
	}
	if (!counted) {
		*err = unsupported;
		return -EOPNOTSUPP;
	}
	if (!registry_is_shared(&session->registry))
		err_note(0, "counting unshared: %s", unshared.text);
	return 0;
}

static void init(struct session *session, const struct plan *plan)
{
	*session = (struct session){.plan = plan, .cpus = plan->cpus};
	session->registry = (struct registry){.ours = {-1, -1}, .perf = {.fd = -1}};
	session->watch.signal_fd = -1;
	session->workload.go_fd = session->workload.exec_fd = -1;
	children_init(&session->children);
	session->possible_count = cpulist_count(&plan->possible);
}

int session_open(struct session *session, const struct plan *plan, struct err *err)
{
	init(session, plan);
	session->events = memory_take((size_t)plan->events_count, sizeof(*session->events));
	session->rows = memory_take((size_t)plan->events_count, sizeof(*session->rows));
	session->readings = memory_take(session->possible_count, sizeof(*session->readings));
	if (!session->events || !session->rows || !session->readings)
		return err_sys(err, -ENOMEM, "cannot count");
	for (int i = 0; i < plan->events_count; i++) {
		leader_init(&session->events[i].leader);
		follower_init(&session->events[i].follower);
	}
	/* the command first: it gets the caller's signals and limits, which the rest changes */
	int result = plan->command ? workload_fork(&session->workload, plan->command, err) : 0;
	if (!result)
		result = watch_open(&session->watch, err);
	sys_task_raise_files();
	if (!result && !plan_scope_is_cpus(plan))
		result = open_tasks(session, err);
	if (!result)
		result = open_events(session, err);
	return result;
}

/* --- counting ------------------------------------------------------------------------------------------------------- */

/* The totals of a CPU scope, up to now. */
static int read_totals(const struct session *session, const struct leader *leader, struct reading *totals, struct err *err)
{
	const struct cpulist *cpus = &session->cpus;
	for (int cpu = -1; (cpu = cpulist_next(cpus, cpu)) >= 0;) {
		int status;
		int result = leader_trigger(leader, cpu, &status);
		if (result < 0 && result != -ENXIO)
			return err_sys(err, result, "cannot trigger the leader on CPU %d", cpu);
	}
	int result = leader_totals(leader, totals);
	return result < 0 ? err_sys(err, result, "cannot read the leader's totals") : 0;
}

static int start(struct session *session, struct err *err)
{
	const struct plan *plan = session->plan;
	const uint32_t workload = plan->scope == PLAN_WORKLOAD ? (uint32_t)session->workload.pid : 0;
	for (int i = 0; i < plan->events_count; i++) {
		struct session_event *event = &session->events[i];
		if (!event->supported)
			continue;
		int result = plan_scope_is_cpus(plan) ? read_totals(session, &event->leader, event->before, err)
						      : follower_enable(&event->follower, &event->leader, &plan->cpus,
									&plan->possible, workload, err);
		if (!result)
			result = leader_totals(&event->leader, event->seen);
		if (result < 0) {
			err_prefix(err, "cannot start %s", plan->events[i].name);
			return result;
		}
	}
	session->started_ns = session->looked_ns = sys_task_clock();
	return 0;
}

/* A signal for us is one for the workload, too, which then ends, and so do we; the terminal sends it to both itself. A
 * second one ends us at once. */
static bool ends_on_signal(struct session *session, int number, bool from_terminal)
{
	bool again = session->signal != 0;
	session->signal = number;
	if (again || !session->workload.pid)
		return true;
	if (!from_terminal)
		workload_signal(&session->workload, number);
	return false;
}

/* The CPUs whose event has counted for less than half of the time since the last look: idle ones, whose leader has not run,
 * and those that were offline, be it for a moment or while the machine slept, and have lost theirs. */
static void find_stalled(struct cpulist *stalled, const struct session *session, const struct session_event *event,
			 const struct cpulist *online, uint64_t passed_ns)
{
	const struct plan *plan = session->plan;
	unsigned i = 0;
	*stalled = (struct cpulist){0};
	for (int cpu = -1; (cpu = cpulist_next(&plan->possible, cpu)) >= 0; i++) {
		if (cpulist_has(online, (unsigned)cpu) && cpulist_has(&session->cpus, (unsigned)cpu) &&
		    session->readings[i].enabled - event->seen[i].enabled < passed_ns / 2)
			cpulist_add(stalled, (unsigned)cpu);
	}
}

/* Those of the CPUs that have lost their event get a new one, and followers their baseline there. What they counted before
 * stays counted. */
static void look_after(struct session *session, int index, const struct cpulist *online, uint64_t passed_ns)
{
	const struct plan *plan = session->plan;
	struct session_event *event = &session->events[index];
	struct cpulist stalled;
	struct err why = {0};
	if (leader_totals(&event->leader, session->readings) < 0)
		return;
	find_stalled(&stalled, session, event, online, passed_ns);
	int result =
		leader_complete(&event->leader, &plan->events[index], &stalled, &plan->possible, &session->registry, &why);
	if (result < 0 && !event->lost)
		err_note(0, "CPU %d came online and is not counted: %s", cpulist_next(&stalled, -1), why.text);
	else if (result > 0)
		err_note(1, "%s: %d CPUs came online", plan->events[index].name, result);
	event->lost = result < 0;
	leader_totals(&event->leader, event->seen);
}

static void follow_hotplug(struct session *session)
{
	const struct plan *plan = session->plan;
	struct cpulist online, possible;
	uint64_t now = sys_task_clock(), passed_ns = now - session->looked_ns;
	if (passed_ns < hotplug_ns)
		return;
	session->looked_ns = now;
	if (sysfs_cpus(&online, &possible, NULL) < 0)
		return;
	for (int cpu = -1; plan->scope != PLAN_CPUS && (cpu = cpulist_next(&online, cpu)) >= 0;) {
		if (cpulist_has(&plan->possible, (unsigned)cpu))
			cpulist_add(&session->cpus, (unsigned)cpu);
	}
	for (int i = 0; i < plan->events_count; i++) {
		if (session->events[i].supported)
			look_after(session, i, &online, passed_ns);
	}
}

/* Waits for one thing; true if it ends the count. */
static int wait_once(struct session *session, uint64_t deadline, struct err *err)
{
	uint64_t look = session->looked_ns + hotplug_ns;
	int number = 0;
	bool from_terminal = false;
	int end = watch_wait(&session->watch, look < deadline ? look : deadline, &number, &from_terminal);
	switch (end) {
	case WATCH_SIGNAL:
		return ends_on_signal(session, number, from_terminal);
	case WATCH_CHILD:
		return workload_reap(&session->workload);
	case WATCH_TASK:
		children_remove(&session->children, (uint32_t)number);
		return false;
	case WATCH_TASKS:
		return true;
	case WATCH_TIME:
		follow_hotplug(session);
		return sys_task_clock() >= deadline;
	default:
		return err_sys(err, end, "cannot wait");
	}
}

static int wait_for_end(struct session *session, struct err *err)
{
	const struct plan *plan = session->plan;
	const uint64_t deadline = plan->timeout_ms ? session->started_ns + plan->timeout_ms * 1000000U : UINT64_MAX;
	int ended = false;
	while (!ended)
		ended = wait_once(session, deadline, err);
	return ended < 0 ? ended : 0;
}

static void add_row(struct session *session, int index, const struct reading *before)
{
	const struct plan *plan = session->plan;
	struct report_row *row = &session->rows[index];
	unsigned i = 0;
	for (int cpu = -1; (cpu = cpulist_next(&plan->possible, cpu)) >= 0; i++) {
		if (before && !cpulist_has(&session->cpus, (unsigned)cpu))
			continue;
		struct reading r = before ? reading_sub(session->readings[i], before[i]) : session->readings[i];
		row->value = reading_sum(row->value, reading_scaled(r));
		row->enabled = reading_sum(row->enabled, r.enabled);
		row->running = reading_sum(row->running, r.running);
	}
	row->state = row->running ? REPORT_COUNTED : REPORT_NOT_COUNTED;
}

static int stop_event(struct session *session, int index, struct err *err)
{
	const struct plan *plan = session->plan;
	struct session_event *event = &session->events[index];
	if (event->before) {
		int result = read_totals(session, &event->leader, session->readings, err);
		if (!result)
			add_row(session, index, event->before);
		return result;
	}
	int result = follower_sync(&event->follower, &event->leader, &session->cpus, &plan->possible, err);
	if (result < 0)
		return result;
	result = follower_read(&event->follower, 0, session->readings);
	if (result < 0)
		return err_sys(err, result, "cannot read the sums");
	add_row(session, index, NULL);
	return 0;
}

static int stop(struct session *session, struct err *err)
{
	const struct plan *plan = session->plan;
	session->elapsed_ns = sys_task_clock() - session->started_ns;
	for (int i = 0; i < plan->events_count; i++) {
		session->rows[i] = (struct report_row){.event = &plan->events[i], .state = REPORT_NOT_SUPPORTED};
		int result = session->events[i].supported ? stop_event(session, i, err) : 0;
		if (result < 0) {
			err_prefix(err, "cannot end the count of %s", plan->events[i].name);
			return result;
		}
	}
	uint64_t lost = plan_scope_is_cpus(plan) ? 0 : children_lost(&session->children);
	if (lost)
		err_note(0, "%llu children could not be entered and were not counted: there is room for %d at a time",
			 (unsigned long long)lost, CHILDREN_MAX);
	return 0;
}

/* A command that still runs when the count has ended (timeout, the tasks' end) is told to end, as perf does. */
static int end_workload(struct session *session, struct err *err)
{
	if (!session->workload.pid || session->signal)
		return 0;
	session->ended_command = true;
	workload_signal(&session->workload, SIGTERM);
	while (!workload_reap(&session->workload)) {
		int number = 0;
		bool from_terminal;
		int end = watch_wait(&session->watch, UINT64_MAX, &number, &from_terminal);
		if (end < 0)
			return err_sys(err, end, "cannot wait for the command's end");
		if (end == WATCH_SIGNAL) {
			session->signal = number;
			break;
		}
		if (end == WATCH_TASKS)
			watch_forget(&session->watch);
	}
	return 0;
}

int session_run(struct session *session, bool *exec_failed, struct err *err)
{
	const struct plan *plan = session->plan;
	*exec_failed = false;
	int result = start(session, err);
	if (!result && plan->command) {
		result = workload_start(&session->workload, plan->command[0], err);
		*exec_failed = result < 0;
	}
	if (!result)
		result = wait_for_end(session, err);
	if (!result)
		result = stop(session, err);
	if (!result)
		result = end_workload(session, err);
	return result;
}

int session_status(const struct session *session)
{
	if (session->workload.ended && (session->plan->scope == PLAN_WORKLOAD || !session->ended_command))
		return workload_status(&session->workload);
	return session->signal ? 128 + session->signal : 0;
}

void session_close(struct session *session)
{
	if (!session->plan)
		return;
	for (int i = 0; session->events && i < session->plan->events_count; i++) {
		follower_close(&session->events[i].follower);
		leader_close(&session->events[i].leader);
		memory_free(session->events[i].before);
		memory_free(session->events[i].seen);
	}
	children_close(&session->children);
	registry_close(&session->registry);
	watch_close(&session->watch);
	workload_close(&session->workload);
	memory_free(session->events);
	memory_free(session->rows);
	memory_free(session->readings);
	*session = (struct session){0};
}
