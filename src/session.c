/* SPDX-License-Identifier: GPL-2.0-only */
#include "session.h"

#include <errno.h>

#include "err.h"
#include "plan.h"
#include "sys_task.h"
#include "sysfs.h"

/* How often the list of online CPUs is looked at. */
static const uint64_t hotplug_ns = 1000000000;

/* --- counting ------------------------------------------------------------------------------------------------------- */

/* Is the event counted by its leader's totals, in one of the scopes? */
static bool has_totals(const struct session *session, int event)
{
	for (int i = event; i < session->counters_count; i += session->plan->events_count) {
		if (session->counters[i].way == COUNTER_TOTALS)
			return true;
	}
	return false;
}

static int follow(struct session_scope *scope, bool enable, uint32_t workload, struct err *err)
{
	int result = 0;
	for (int i = 0; !result && i < scope->followers_count; i++)
		result = enable ? follower_enable(&scope->followers[i], &scope->env.cpus, workload, err)
				: follower_bring_up(&scope->followers[i], &scope->env.cpus, err);
	return result;
}

/* Enables all counters, or brings them up to now: each leader runs once on each CPU for all scopes, and each follower for all events. */
static int take_all(struct session *session, bool enable, struct err *err)
{
	const uint32_t workload = enable && session_is_from_exec(session->plan) ? (uint32_t)session->workload.pid : 0;
	int result = 0;
	for (int i = 0; !result && i < session->plan->events_count; i++) {
		if (has_totals(session, i))
			result = counter_trigger(&session->counters[i], &session->cpus, err);
	}
	for (int i = 0; !result && i < session->plan->scopes_count; i++)
		result = follow(&session->scopes[i], enable, workload, err);
	for (int i = 0; !result && i < session->counters_count; i++)
		result = counter_take(&session->counters[i], enable, workload, err);
	for (int i = 0; !result && i < session->plan->scopes_count; i++)
		result = counter_take(&session->scopes[i].runs, enable, 0, err);
	return result;
}

/* Last when counting begins, and first when it ends: their runs are then all within it. */
static int switch_targets(struct session *session, bool on, struct err *err)
{
	int result = 0;
	for (int i = 0; !result && i < session->plan->scopes_count; i++)
		result = targets_switch(&session->scopes[i].targets, on, err);
	return result;
}

static int enable(struct session *session, struct err *err)
{
	int result = session->is_on ? 0 : take_all(session, true, err);
	if (!result && !session->is_on)
		result = switch_targets(session, true, err);
	session->is_on = !result;
	session->looked_ns = sys_task_clock();
	return result;
}

static int disable(struct session *session, struct err *err)
{
	int result = session->is_on ? switch_targets(session, false, err) : 0;
	if (!result && session->is_on)
		result = take_all(session, false, err);
	for (int i = 0; !result && i < session->counters_count; i++)
		result = counter_disable(&session->counters[i], err);
	for (int i = 0; !result && i < session->plan->scopes_count; i++)
		result = counter_disable(&session->scopes[i].runs, err);
	for (int i = 0; !result && i < session->plan->scopes_count; i++) {
		for (int k = 0; !result && k < session->scopes[i].followers_count; k++)
			result = follower_disable(&session->scopes[i].followers[k], err);
	}
	session->is_on = false;
	return result;
}

/* The intervals' ends and the timeout's are fixed from here on: what is late once does not make the next one late. */
static void begin(struct session *session)
{
	session->started_ns = session->looked_ns = sys_task_clock();
	session->enable_ns = SESSION_NEVER;
	overhead_start(&session->overhead);
	if (session->plan->interval_ms)
		session->due_ns = session->started_ns + session->plan->interval_ms * 1000000U;
}

int session_start(struct session *session, bool *exec_failed, struct err *err)
{
	const struct plan *plan = session->plan;
	int result = 0;
	*exec_failed = false;
	if (plan->scopes[0].kind == PLAN_WORKLOAD && !session_is_from_exec(plan))
		result = tasks_add_workload(&session->scopes[0].tasks);
	if (!result && !plan->delay_ms && !plan->starts_disabled)
		result = enable(session, err);
	if (result < 0)
		return result;
	begin(session);
	if (plan->delay_ms) {
		session->enable_ns = session->started_ns + plan->delay_ms * 1000000U;
		session->due_ns = SESSION_NEVER;
	}
	if (plan->command) {
		result = workload_start(&session->workload, plan->command[0], err);
		*exec_failed = result < 0;
	}
	/* by now they have the names that they may end with before the next look */
	for (int i = 0; i < plan->scopes_count; i++)
		tasks_refresh(&session->scopes[i].tasks);
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

/* CPUs that came online are counted where all CPUs are; but not where several runs have a mean of each place. Returns 0 or -errno
 * with a text. */
static int widen(struct session *session, const struct cpulist *online, struct err *err)
{
	const struct plan *plan = session->plan;
	const struct cpulist before = session->cpus;
	struct cpulist added = {0};
	if (plan->aggregate && plan->repeat > 1)
		return 0;
	for (int cpu = -1; (cpu = cpulist_next(online, cpu)) >= 0;) {
		if (!cpulist_has(&plan->possible, (unsigned)cpu))
			continue;
		for (int i = 0; i < plan->scopes_count; i++) {
			int missing;
			if (plan->scopes[i].kind != PLAN_CPUS &&
			    cpulist_contains(&plan->scopes[i].cpus, &plan->online, &missing)) {
				cpulist_add(&session->scopes[i].env.cpus, (unsigned)cpu);
				cpulist_add(&session->cpus, (unsigned)cpu);
				if (!cpulist_has(&before, (unsigned)cpu))
					cpulist_add(&added, (unsigned)cpu);
			}
		}
	}
	if (!plan->aggregate || cpulist_next(&added, -1) < 0)
		return 0;
	topology_learn(&session->topology, &added);
	return session_make_rows(session, err);
}

/* Returns 0 or -errno with a text. */
static int follow_hotplug(struct session *session, uint64_t now, struct err *err)
{
	struct cpulist online, possible, counted = {0};
	uint64_t passed_ns = now - session->looked_ns;
	if (!session->is_on || passed_ns < hotplug_ns)
		return 0;
	session->looked_ns = now;
	/* plain events stay where they were opened */
	if (!session->is_shared || sysfs_cpus(&online, &possible, NULL) < 0)
		return 0;
	int result = widen(session, &online, err);
	for (int cpu = -1; (cpu = cpulist_next(&online, cpu)) >= 0;) {
		if (cpulist_has(&session->cpus, (unsigned)cpu))
			cpulist_add(&counted, (unsigned)cpu);
	}
	/* the leaders are the same for all scopes */
	for (int i = 0; !result && i < session->plan->events_count; i++)
		counter_look_after(&session->counters[i], &counted, passed_ns);
	return result;
}

/* Obeys what was written to --control; true if it ends the count. */
static int obey(struct session *session, struct err *err)
{
	for (;;) {
		int command = control_read(&session->control), result = 0;
		switch (command) {
		case CONTROL_ENABLE:
			session->enable_ns = SESSION_NEVER;
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

/* What was waited for; ONE_SCREEN: it is for the screen. */
enum { ONE_GOES_ON, ONE_ENDS, ONE_SCREEN };

/* Waits for one thing, which may end the count. */
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
		for (int i = 0; i < session->plan->scopes_count; i++)
			tasks_end(&session->scopes[i].tasks, number);
		return ONE_GOES_ON;
	case WATCH_CONTROL:
		return obey(session, err);
	case WATCH_SCREEN:
		session->screen_signal = number;
		return ONE_SCREEN;
	case WATCH_TASKS:
		return ONE_ENDS;
	case WATCH_TIME:
		return ONE_GOES_ON;
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
	bool begun = session->is_on || session->enable_ns == SESSION_NEVER;
	return session->plan->timeout_ms && begun ? session->started_ns + session->plan->timeout_ms * 1000000U
						  : SESSION_NEVER;
}

/* Reads what was counted since the last reading, and sets the next interval's end: the first of the fixed ones that is still to
 * come, however late it is. */
static int read_counters(struct session *session, uint64_t now, struct err *err)
{
	const uint64_t step = session->plan->interval_ms * 1000000U, before = session->elapsed_ns;
	/* a count that was still to be enabled has no length */
	session->elapsed_ns = session->enable_ns == SESSION_NEVER ? now - session->started_ns : 0;
	session->interval_ns = session->elapsed_ns - before;
	session->intervals++;
	session->is_read = true;
	if (step)
		session->due_ns = session->started_ns + (session->elapsed_ns / step + 1) * step;
	int result = session->is_on ? take_all(session, false, err) : 0;
	overhead_read(&session->overhead);
	return result;
}

int session_next(struct session *session, struct err *err)
{
	const struct plan *plan = session->plan;
	for (int i = 0; session->is_read && i < session->counters_count; i++)
		counter_next(&session->counters[i]);
	for (int i = 0; session->is_read && i < plan->scopes_count; i++)
		counter_next(&session->scopes[i].runs);
	session->is_read = false;
	for (;;) {
		uint64_t look = session->is_on ? session->looked_ns + hotplug_ns : SESSION_NEVER;
		uint64_t deadline =
			earliest(earliest(look, session->due_ns), earliest(session->enable_ns, timeout_ns(session)));
		int ended = session->is_told_to_end ? ONE_ENDS : wait_once(session, deadline, err);
		if (ended < 0)
			return ended;
		if (ended == ONE_SCREEN)
			return SESSION_SCREEN;
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
			int result = ended ? switch_targets(session, false, err) : 0;
			if (!result)
				result = read_counters(session, now, err);
			if (result < 0)
				return result;
			ended |= plan->interval_count && session->intervals == plan->interval_count;
			return ended ? SESSION_ENDED : SESSION_INTERVAL;
		}
		int result = follow_hotplug(session, now, err);
		if (result < 0)
			return result;
	}
}

static void set_count(struct report_row *row, const struct counter *counter, const struct count *count, uint64_t window_ns)
{
	if (counter->way != COUNTER_NONE)
		report_add(row, count);
	if (event_is_runs(row->event)) {
		/* none at all is a number, too */
		row->state = REPORT_COUNTED;
		row->enabled = row->running = window_ns;
	}
}

/* The places of an event of a scope, the first of its family. Their names are those of another whose rows have the same places:
 * so rows of one place have one report_place. */
static void name_places(struct session *session, const struct counter_env *env, struct counter *counter, int index)
{
	const struct session_family *families = session->families;
	const int alike = families[index].alike;
	struct topology_walk walk = {0};
	struct cpulist cpus = families[index].cpus;
	for (int i = alike; i < index; i++) {
		const struct counter *other = counter - index + i;
		counter->first_place = other->first_place;
		if (families[i].alike == alike && (other->way == COUNTER_NONE) == (counter->way == COUNTER_NONE))
			return;
	}
	counter->first_place = session->places_count;
	cpulist_and(&cpus, &env->cpus);
	while (topology_next(&session->topology, &cpus, &walk)) {
		if (walk.begins_place) {
			struct report_place *place = &session->places[session->places_count++];
			topology_name(&session->topology, walk.cpu, place->name, sizeof(place->name));
			place->cpus = 0;
		}
		session->places[session->places_count - 1].cpus += counter->way != COUNTER_NONE;
	}
}

/* A slot's counts, one of each CPU, to the rows of its places from rows[at] on. Of the family's first event that one is there and
 * bare, and the others are made. Returns the index behind them. */
static int add_places(struct session *session, int at, const struct counter *counter, const struct counter *family,
		      const struct count *counts)
{
	const struct counter_env *env = counter->env;
	const size_t stride = counter->way == COUNTER_NONE ? 0 : env->slots; /* there are no counts, then */
	const struct report_row bare = session->rows[at];
	const struct report_place *place = &session->places[family->first_place];
	struct topology_walk walk = {0};
	struct cpulist cpus = session->families[counter->event.family].cpus;
	cpulist_and(&cpus, &env->cpus);
	while (topology_next(&session->topology, &cpus, &walk)) {
		struct report_row *row = &session->rows[walk.begins_place ? at++ : at - 1];
		if (walk.begins_place && family == counter) {
			*row = bare;
			row->place = place++;
		}
		set_count(row, counter, &counts[walk.cpu->index % env->split * stride], 0);
	}
	if (family == counter)
		session->rows_count = at;
	return at;
}

/* One event of a scope: a row, or one for each thread, cgroup or BPF program. What belongs to a family is added to the rows of its first
 * member, which stand in the same order. */
static void add_rows(struct session *session, const struct session_scope *scope, struct counter *counter,
		     const struct counter *family, bool all)
{
	const struct tasks *tasks = &scope->tasks;
	const uint32_t slots = scope->env.slots, rest = slots - 1, used = tasks->threads ? tasks_used(tasks) : slots;
	const bool has_places = plan_scope_has_places(session->plan, scope->env.scope);
	const struct count *runs = all ? scope->runs.total : scope->runs.since;
	int at = family->first_row;
	if (family == counter)
		at = counter->first_row = session->rows_count;
	if (family == counter && has_places)
		name_places(session, &scope->env, counter, counter->event.family);
	for (uint32_t slot = 0; slot < slots; slot = slot + 1 == used && slot < rest ? rest : slot + 1) {
		const struct count *count = all ? &counter->total[slot] : &counter->since[slot];
		const struct thread_info *thread = tasks->threads ? &tasks->threads[slot] : NULL;
		if (counter->only_slot >= 0 && (uint32_t)counter->only_slot != slot)
			continue;
		if (scope->programs && !targets_is_counted(&scope->targets, slot))
			continue;
		/* a slot that is nobody's, and the rest if there is none */
		if (thread && !thread->tid && (slot < rest || counter->way == COUNTER_NONE || !count->enabled))
			continue;
		if (at == session->rows_count && family == counter)
			session->rows[session->rows_count++] = (struct report_row){
				.event = &counter->event,
				.scope = scope->env.scope,
				.cgroup = scope->env.groups ? cgroup_name(&scope->groups.list[slot]) : NULL,
				.thread = thread,
				.program = scope->programs ? &scope->programs[slot] : NULL,
				.runs = scope->programs ? runs[slot].value : 0,
				.state = REPORT_NOT_SUPPORTED,
			};
		if (has_places)
			at = add_places(session, at, counter, family, count);
		else
			set_count(&session->rows[at++], counter, count, all ? session->elapsed_ns : session->interval_ns);
	}
}

void session_rows(struct session *session, bool all)
{
	const int events = session->plan->events_count;
	session->rows_count = 0;
	overhead_rows(&session->overhead, all);
	session->places_count = 0;
	for (int i = 0; i < session->counters_count; i++) {
		struct session_scope *scope = &session->scopes[i / events];
		if (i % events == 0) {
			tasks_refresh(&scope->tasks);
			if (scope->programs)
				add_rows(session, scope, &scope->runs, &scope->runs, all);
		}
		struct counter *counter = &session->counters[i];
		add_rows(session, scope, counter, counter - i % events + counter->event.family, all);
	}
}
