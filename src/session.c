/* SPDX-License-Identifier: GPL-2.0-only */
#include "session.h"

#include <errno.h>
#include <signal.h>

#include "err.h"
#include "memory.h"
#include "plan.h"
#include "sys_bpf.h"
#include "sys_task.h"
#include "sysfs.h"

/* How often the list of online CPUs is looked at. */
static const uint64_t hotplug_ns = 1000000000, never = UINT64_MAX;

/* --- opening -------------------------------------------------------------------------------------------------------- */

/* Counts the workload from its exec, rather than from when it is told to begin? */
static bool is_from_exec(const struct plan *plan)
{
	return plan->scope == PLAN_WORKLOAD && !plan->delay_ms && !plan->starts_disabled;
}

static int open_counter(struct session *session, int index, struct err *unsupported, struct err *err)
{
	struct counter *counter = &session->counters[index];
	const bool shares = registry_is_shared(&session->registry);
	struct err why = {0};
	int result = counter_open(counter, &session->env, session->is_shared, is_from_exec(session->plan), &why);
	if (result == -EOPNOTSUPP && counter->way == COUNTER_NONE) {
		err_note(1, "%s", why.text);
		if (!unsupported->text[0])
			*unsupported = why;
		return result;
	}
	if (result < 0) {
		*err = why;
		err_prefix(err, "cannot %s %s", session->is_shared && shares ? "share" : "count", counter->event.name);
		if (session->is_shared)
			sys_bpf_hint(result, err);
		return result;
	}
	if (event_ignores_modifiers(&counter->event))
		err_note(0, "%s: the kernel ignores the modifier for this event and counts all of it", counter->event.name);
	return 0;
}

static int open_counters(struct session *session, struct err *err)
{
	struct err unsupported = {0};
	int counted = 0;
	for (int i = 0; i < session->plan->events_count; i++) {
		int result = open_counter(session, i, &unsupported, err);
		if (result < 0 && result != -EOPNOTSUPP)
			return result;
		counted += !result;
	}
	if (counted)
		return 0;
	*err = unsupported;
	return -EOPNOTSUPP;
}

static int open_tasks(struct session *session, struct err *err)
{
	const struct plan *plan = session->plan;
	return plan_scope_is_cpus(plan) ? 0
					: tasks_open(&session->tasks, plan, session->workload.pid, session->is_shared,
						     session->env.possible_count, &session->watch, err);
}

static void close_counters(struct session *session)
{
	for (int i = 0; session->counters && i < session->plan->events_count; i++)
		counter_close(&session->counters[i]);
	tasks_close(&session->tasks);
	registry_close(&session->registry);
}

static int open_shared(struct session *session, struct err *err)
{
	const struct plan *plan = session->plan;
	struct err unshared = {0};
	session->is_shared = true;
	int result = open_tasks(session, err);
	if (result < 0)
		return result;
	session->registry.must_share = plan->share == PLAN_SHARE_ALWAYS;
	registry_open(&session->registry, plan->mount, plan->attr_map, &unshared);
	if (session->registry.must_share && !registry_is_shared(&session->registry)) {
		*err = unshared;
		err_prefix(err, "cannot share");
		return -EPERM;
	}
	result = open_counters(session, err);
	if (!result && !registry_is_shared(&session->registry))
		err_note(0, "counting unshared: %s", unshared.text);
	return result;
}

static int open_unshared(struct session *session, struct err *err)
{
	session->is_shared = false;
	int result = open_tasks(session, err);
	return result < 0 ? result : open_counters(session, err);
}

/* Does a failure to count through BPF leave plain events as the next best way? Not what would be the same with them. */
static bool may_fall_back(const struct session *session, int result)
{
	return session->plan->share == PLAN_SHARE_AUTO && result < 0 && result != -EOPNOTSUPP && result != -ESRCH &&
	       result != -EXDEV && result != -EINTR;
}

static int open_all(struct session *session, struct err *err)
{
	if (session->plan->share == PLAN_SHARE_NEVER)
		return open_unshared(session, err);
	int result = open_shared(session, err);
	if (!may_fall_back(session, result))
		return result;
	const struct err why = *err;
	close_counters(session);
	watch_forget(&session->watch);
	*err = (struct err){0};
	for (int i = 0; i < session->plan->events_count; i++)
		counter_init(&session->counters[i], &session->plan->events[i]);
	result = open_unshared(session, err);
	/* where that fails, too, its reason is the deeper one */
	err_note(result < 0, "counting unshared, by plain events: %s", why.text);
	return result;
}

static int init(struct session *session, const struct plan *plan, struct err *err)
{
	*session = (struct session){.plan = plan, .due_ns = never, .enable_ns = never};
	session->registry = (struct registry){.ours = {-1, -1}, .perf = {.fd = -1}};
	session->watch.signal_fd = -1;
	session->workload.go_fd = session->workload.exec_fd = -1;
	control_init(&session->control);
	tasks_init(&session->tasks);
	session->env = (struct counter_env){
		.plan = plan,
		.registry = &session->registry,
		.tasks = &session->tasks,
		.cpus = plan->cpus,
		.possible_count = cpulist_count(&plan->possible),
	};
	session->env.readings = memory_take(session->env.possible_count, sizeof(*session->env.readings));
	session->counters = memory_take((size_t)plan->events_count, sizeof(*session->counters));
	for (int i = 0; session->counters && i < plan->events_count; i++)
		counter_init(&session->counters[i], &plan->events[i]);
	return session->counters && session->env.readings ? 0 : err_sys(err, -ENOMEM, "cannot count");
}

int session_open(struct session *session, const struct plan *plan, struct err *err)
{
	int result = init(session, plan, err);
	/* the command first: it gets the caller's signals and limits, which the rest changes */
	if (!result && plan->command)
		result = workload_fork(&session->workload, plan->command, err);
	if (!result)
		result = watch_open(&session->watch, err);
	if (!result && plan->control.is_given)
		result = control_open(&session->control, &plan->control, err);
	sys_task_raise_files();
	if (!result)
		result = open_all(session, err);
	if (!result) {
		session->rows = memory_take((size_t)plan->events_count * session->tasks.slots, sizeof(*session->rows));
		result = session->rows ? 0 : err_sys(err, -ENOMEM, "cannot count");
	}
	return result;
}

/* --- counting ------------------------------------------------------------------------------------------------------- */

static int enable(struct session *session, struct err *err)
{
	const uint32_t workload = is_from_exec(session->plan) ? (uint32_t)session->workload.pid : 0;
	for (int i = 0; i < session->plan->events_count; i++) {
		int result = counter_enable(&session->counters[i], &session->env, workload, err);
		if (result < 0)
			return result;
	}
	session->is_on = true;
	session->looked_ns = sys_task_clock();
	return 0;
}

static int disable(struct session *session, struct err *err)
{
	for (int i = 0; i < session->plan->events_count; i++) {
		int result = counter_disable(&session->counters[i], &session->env, err);
		if (result < 0)
			return result;
	}
	session->is_on = false;
	return 0;
}

/* The intervals' ends and the timeout's are fixed from here on: what is late once does not make the next one late. */
static void begin(struct session *session)
{
	session->started_ns = session->looked_ns = sys_task_clock();
	session->enable_ns = never;
	if (session->plan->interval_ms)
		session->due_ns = session->started_ns + session->plan->interval_ms * 1000000U;
}

int session_start(struct session *session, bool *exec_failed, struct err *err)
{
	const struct plan *plan = session->plan;
	int result = 0;
	*exec_failed = false;
	if (plan->scope == PLAN_WORKLOAD && !is_from_exec(plan))
		result = tasks_add_workload(&session->tasks);
	if (!result && !plan->delay_ms && !plan->starts_disabled)
		result = enable(session, err);
	if (result < 0)
		return result;
	begin(session);
	if (plan->delay_ms) {
		session->enable_ns = session->started_ns + plan->delay_ms * 1000000U;
		session->due_ns = never;
	}
	if (plan->command) {
		result = workload_start(&session->workload, plan->command[0], err);
		*exec_failed = result < 0;
	}
	/* by now they have the names that they may end with before the next look */
	tasks_refresh(&session->tasks);
	return result;
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

static void follow_hotplug(struct session *session, uint64_t now)
{
	const struct plan *plan = session->plan;
	struct cpulist online, possible;
	uint64_t passed_ns = now - session->looked_ns;
	if (!session->is_on || passed_ns < hotplug_ns)
		return;
	session->looked_ns = now;
	if (sysfs_cpus(&online, &possible, NULL) < 0)
		return;
	for (int cpu = -1; plan->scope != PLAN_CPUS && (cpu = cpulist_next(&online, cpu)) >= 0;) {
		if (cpulist_has(&plan->possible, (unsigned)cpu))
			cpulist_add(&session->env.cpus, (unsigned)cpu);
	}
	for (int i = 0; i < plan->events_count; i++)
		counter_look_after(&session->counters[i], &session->env, &online, passed_ns);
}

/* Obeys what was written to --control; true if it ends the count. */
static int obey(struct session *session, struct err *err)
{
	for (;;) {
		int command = control_read(&session->control), result = 0;
		switch (command) {
		case CONTROL_ENABLE:
			session->enable_ns = never;
			result = enable(session, err);
			break;
		case CONTROL_DISABLE:
			result = disable(session, err);
			break;
		case CONTROL_STOP:
		case CONTROL_PING:
			break;
		case CONTROL_UNKNOWN:
			err_note(0, "--control: unknown command '%s'", session->control.line);
			continue;
		default:
			session->watch.control_fd = session->control.fd;
			return false;
		}
		if (result < 0)
			return result;
		control_ack(&session->control);
		if (command == CONTROL_STOP)
			return true;
	}
}

/* Waits for one thing; true if it ends the count. */
static int wait_once(struct session *session, uint64_t deadline, struct err *err)
{
	int number = 0;
	bool from_terminal = false;
	session->watch.control_fd = session->control.fd;
	int end = watch_wait(&session->watch, deadline, &number, &from_terminal);
	switch (end) {
	case WATCH_SIGNAL:
		return ends_on_signal(session, number, from_terminal);
	case WATCH_CHILD:
		return workload_reap(&session->workload);
	case WATCH_TASK:
		tasks_end(&session->tasks, number);
		return false;
	case WATCH_CONTROL:
		return obey(session, err);
	case WATCH_TASKS:
		return true;
	case WATCH_TIME:
		return false;
	default:
		return err_sys(err, end, "cannot wait");
	}
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t timeout_ns(const struct session *session)
{
	bool begun = session->is_on || session->enable_ns == never;
	return session->plan->timeout_ms && begun ? session->started_ns + session->plan->timeout_ms * 1000000U : never;
}

/* Reads what was counted since the last reading, and sets the next interval's end: the first of the fixed ones that is still to
 * come, however late it is. */
static int read_counters(struct session *session, uint64_t now, struct err *err)
{
	const uint64_t step = session->plan->interval_ms * 1000000U, before = session->elapsed_ns;
	/* a count that was still to be enabled has no length */
	session->elapsed_ns = session->enable_ns == never ? now - session->started_ns : 0;
	session->interval_ns = session->elapsed_ns - before;
	session->intervals++;
	if (step)
		session->due_ns = session->started_ns + (session->elapsed_ns / step + 1) * step;
	for (int i = 0; i < session->plan->events_count; i++) {
		struct counter *counter = &session->counters[i];
		int result = counter_read(counter, &session->env, err);
		if (result < 0)
			return result;
	}
	return 0;
}

int session_next(struct session *session, struct err *err)
{
	const struct plan *plan = session->plan;
	for (int i = 0; i < plan->events_count; i++)
		counter_next(&session->counters[i], &session->env);
	for (;;) {
		uint64_t look = session->is_on ? session->looked_ns + hotplug_ns : never;
		uint64_t deadline =
			earliest(earliest(look, session->due_ns), earliest(session->enable_ns, timeout_ns(session)));
		int ended = wait_once(session, deadline, err);
		if (ended < 0)
			return ended;
		const uint64_t now = sys_task_clock();
		if (!ended && now >= session->enable_ns) {
			int result = enable(session, err);
			if (result < 0)
				return result;
			begin(session);
			continue;
		}
		ended |= now >= timeout_ns(session);
		if (ended || now >= session->due_ns) {
			int result = read_counters(session, now, err);
			if (result < 0)
				return result;
			ended |= plan->interval_count && session->intervals == plan->interval_count;
			return ended ? SESSION_ENDED : SESSION_INTERVAL;
		}
		follow_hotplug(session, now);
	}
}

void session_rows(struct session *session, bool all)
{
	struct tasks *tasks = &session->tasks;
	const uint32_t used = tasks_used(tasks), rest = tasks->slots - 1;
	session->rows_count = 0;
	tasks_refresh(tasks);
	for (int i = 0; i < session->plan->events_count; i++) {
		const struct counter *counter = &session->counters[i];
		for (uint32_t slot = 0; slot < tasks->slots; slot = slot + 1 == used && slot < rest ? rest : slot + 1) {
			const struct thread_info *thread = tasks->threads ? &tasks->threads[slot] : NULL;
			const struct count *count = all ? &counter->total[slot] : &counter->since[slot];
			struct report_row row = {.event = &counter->event, .state = REPORT_NOT_SUPPORTED, .thread = thread};
			if (counter->way != COUNTER_NONE) {
				row.state = count->running ? REPORT_COUNTED : REPORT_NOT_COUNTED;
				row.value = count->value;
				row.enabled = count->enabled;
				row.running = count->running;
			}
			/* a slot that is nobody's, and the rest if there is none */
			if (thread && !thread->tid && (slot < rest || !row.enabled))
				continue;
			session->rows[session->rows_count++] = row;
		}
	}
}

/* --- the end -------------------------------------------------------------------------------------------------------- */

int session_finish(struct session *session, struct err *err)
{
	uint64_t lost =
		session->is_shared && !plan_scope_is_cpus(session->plan) ? children_state(&session->tasks.children).lost : 0;
	if (lost)
		err_note(0, "%llu children could not be entered and were not counted: there is room for %d at a time",
			 (unsigned long long)lost, CHILDREN_MAX);
	if (!session->workload.pid || session->signal)
		return 0;
	session->ended_command = true;
	workload_signal(&session->workload, SIGTERM);
	while (!workload_reap(&session->workload)) {
		int number = 0;
		bool from_terminal;
		session->watch.control_fd = -1;
		int end = watch_wait(&session->watch, never, &number, &from_terminal);
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
	close_counters(session);
	control_close(&session->control);
	watch_close(&session->watch);
	workload_close(&session->workload);
	memory_free(session->counters);
	memory_free(session->rows);
	memory_free(session->env.readings);
	*session = (struct session){0};
}
