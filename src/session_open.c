/* SPDX-License-Identifier: GPL-2.0-only */
/* What a session is made of, and its end. */
#include <errno.h>
#include <string.h>

#include "err.h"
#include "memory.h"
#include "plan.h"
#include "refusal.h"
#include "session.h"
#include "sys_bpf.h"
#include "sys_task.h"

bool session_is_from_exec(const struct plan *plan)
{
	return plan->scopes[0].kind == PLAN_WORKLOAD && !plan->delay_ms && !plan->starts_disabled;
}

static int open_counter(struct session *session, int index, struct err *unsupported, struct err *err)
{
	const int events = session->plan->events_count;
	struct counter *counter = &session->counters[index], *first = &session->counters[index % events];
	struct err why = {0};
	if (index >= events && first->way == COUNTER_NONE)
		return -EOPNOTSUPP;
	int result = counter_open(counter, session->is_shared, index >= events ? &first->leader : NULL,
				  session_is_from_exec(session->plan), &why);
	if (result == -EOPNOTSUPP && counter->way == COUNTER_NONE) {
		err_note(1, "%s", why.text);
		if (!unsupported->text[0])
			*unsupported = why;
		return result;
	}
	if (result < 0) {
		*err = why;
		err_prefix(err, "cannot %s %s", session->is_shared ? "share" : "count", counter->event.name);
		if (session->is_shared)
			refusal_hint(REFUSAL_BPF, result, err);
		return result;
	}
	if (index < events && event_ignores_modifiers(&counter->event))
		err_note(0, "%s: the kernel ignores the modifier for this event and counts all of it", counter->event.name);
	return 0;
}

static int open_counters(struct session *session, struct err *err)
{
	struct err unsupported = {0};
	int counted = 0;
	for (int i = 0; i < session->counters_count; i++) {
		int result = open_counter(session, i, &unsupported, err);
		if (result < 0 && result != -EOPNOTSUPP)
			return result;
		counted += !result;
	}
	if (counted || !session->counters_count)
		return 0;
	*err = unsupported;
	return -EOPNOTSUPP;
}

static void init_counters(struct session *session, int scope)
{
	const struct plan *plan = session->plan;
	const struct session_scope *opened = &session->scopes[scope];
	const bool by_event = opened->env.groups && !plan->scopes[scope].each && opened->groups.count > 1;
	for (int i = 0; i < plan->events_count; i++) {
		struct counter *counter = &session->counters[scope * plan->events_count + i];
		counter_init(counter, &plan->events[i], i, &opened->env);
		counter->only_slot = by_event ? plan->events[i].written : -1;
	}
}

static int open_groups(struct session_scope *opened, const struct plan *plan, const struct plan_scope *scope, bool shared,
		       struct err *err)
{
	const int written = plan->events_count ? plan->events[plan->events_count - 1].written + 1 : 0;
	int result = groups_open(&opened->groups, scope, shared, err);
	opened->env.groups = &opened->groups;
	opened->env.slots = (uint32_t)opened->groups.count;
	if (!result && written && !scope->each && opened->groups.count > 1 && opened->groups.count != written)
		return err_set(err, -ENOENT, "-G names %d cgroups for %d events: give one for all, or one for each",
			       opened->groups.count, written);
	return result;
}

static int open_targets(struct session_scope *opened, const struct plan_scope *scope, bool shared, struct err *err)
{
	static const struct event runs = {.attr.type = EVENT_TYPE_RUNS, .name = "runs", .scale = 1};
	struct targets *targets = &opened->targets;
	if (!shared)
		return err_set(err, -EPERM, "-b needs BPF");
	int result = targets_open(targets, scope->subject, err);
	if (result < 0)
		return result;
	opened->env.targets = targets;
	opened->env.slots = (uint32_t)targets->count;
	opened->programs = memory_take((size_t)targets->count, sizeof(*opened->programs));
	if (!opened->programs)
		return err_sys(err, -ENOMEM, "cannot count BPF programs");
	for (int i = 0; i < targets->count; i++)
		opened->programs[i] = (struct report_program){targets->list[i].program.name, targets->list[i].program.id};
	counter_init(&opened->runs, &runs, TARGETS_RUNS, &opened->env);
	return counter_open_runs(&opened->runs, err);
}

/* Once the leaders are there. Events of which none can be counted need none. */
static int open_follower(struct session *session, int scope, int first, struct err *err)
{
	struct session_scope *opened = &session->scopes[scope];
	const struct leader *leaders[FOLLOWER_EVENTS];
	const int rest = session->plan->events_count - first;
	const unsigned count = rest < FOLLOWER_EVENTS ? (unsigned)rest : FOLLOWER_EVENTS;
	bool is_needed = false;
	for (unsigned i = 0; i < count; i++) {
		const struct counter *counter = &session->counters[scope * session->plan->events_count + first + (int)i];
		leaders[i] = counter->way == COUNTER_NONE ? NULL : &counter->leader;
		is_needed |= leaders[i] != NULL;
	}
	if (!is_needed)
		return 0;
	const struct follower_subject subject = opened->env.groups ? groups_subject(&opened->groups, count)
								   : children_subject(&opened->tasks.children, count);
	const bool with_exec =
		session_is_from_exec(session->plan) || (!opened->env.groups && opened->tasks.children.settings.by_thread);
	return follower_open(&opened->followers[first / FOLLOWER_EVENTS], leaders, count, &subject, &session->plan->possible,
			     with_exec, err);
}

static int open_followers(struct session *session, int scope, struct err *err)
{
	struct session_scope *opened = &session->scopes[scope];
	const int events = session->plan->events_count;
	opened->followers_count = (events + FOLLOWER_EVENTS - 1) / FOLLOWER_EVENTS;
	opened->env.followers = opened->followers = memory_take((size_t)opened->followers_count, sizeof(*opened->followers));
	if (!opened->followers) {
		opened->followers_count = 0;
		return err_sys(err, -ENOMEM, "cannot share");
	}
	for (int i = 0; i < opened->followers_count; i++)
		follower_init(&opened->followers[i]);
	int result = 0;
	for (int i = 0; !result && i < events; i += FOLLOWER_EVENTS)
		result = open_follower(session, scope, i, err);
	if (result < 0) {
		err_prefix(err, "cannot share");
		refusal_hint(REFUSAL_BPF, result, err);
	}
	return result;
}

/* Likewise. */
static int attach_targets(struct session *session, int scope, struct err *err)
{
	const int events = session->plan->events_count;
	int fds[PLAN_EVENTS_MAX];
	for (int i = 0; i < events; i++) {
		const struct counter *counter = &session->counters[scope * events + i];
		fds[i] = counter->way == COUNTER_NONE ? -1 : counter->leader.map_fds[LEADER_EVENTS];
	}
	return targets_attach(&session->scopes[scope].targets, fds, (unsigned)events, err);
}

/* Whom the scope counts. */
static int open_scope(struct session *session, int index, struct err *err)
{
	const struct plan *plan = session->plan;
	const struct plan_scope *scope = &plan->scopes[index];
	struct session_scope *opened = &session->scopes[index];
	struct counter_env *env = &opened->env;
	int result = 0;
	tasks_init(&opened->tasks);
	groups_init(&opened->groups);
	targets_init(&opened->targets);
	counter_init(&opened->runs, &(struct event){0}, TARGETS_RUNS, env);
	*env = (struct counter_env){
		.plan = plan,
		.scope = scope,
		.registry = &session->registry,
		.slots = 1,
		.split = 1,
		.cpus = scope->cpus,
		.possible_count = cpulist_count(&plan->possible),
		.readings = session->readings,
	};
	if (plan_scope_has_places(plan, scope))
		env->split = env->possible_count;
	if (scope->kind == PLAN_PROGRAMS && !plan->null_run) {
		result = open_targets(opened, scope, session->is_shared, err);
	} else if (scope->kind == PLAN_CGROUPS) {
		result = open_groups(opened, plan, scope, session->is_shared, err);
	} else if (plan_scope_is_tasks(scope)) {
		result = tasks_open(&opened->tasks, plan, scope, session->workload.pid, session->is_shared,
				    env->possible_count, &session->watch, err);
		env->tasks = &opened->tasks;
		env->slots = opened->tasks.slots;
	}
	if (!result)
		init_counters(session, index);
	return result;
}

static int open_scopes(struct session *session, bool shared, struct err *err)
{
	int result = 0;
	session->is_shared = shared;
	/* first what other BPF programs there are: none of ours */
	for (int k = 0; k < 2; k++) {
		for (int i = 0; !result && i < session->plan->scopes_count; i++) {
			if (k != (session->plan->scopes[i].kind == PLAN_PROGRAMS))
				result = open_scope(session, i, err);
		}
	}
	return result;
}

static void close_followers(struct session_scope *opened)
{
	for (int i = opened->followers_count; i--;)
		follower_close(&opened->followers[i]);
	memory_free(opened->followers);
	opened->followers = NULL;
	opened->followers_count = 0;
}

static void close_scopes(struct session *session)
{
	/* Backwards: detaching what was attached first, while there is more, lets the kernel wait for who may still run it. */
	for (int i = session->counters ? session->counters_count : 0; i--;) {
		if (session->counters[i].env)
			counter_close(&session->counters[i]);
	}
	for (int i = 0; session->scopes && i < session->plan->scopes_count; i++) {
		if (session->scopes[i].env.plan) {
			close_followers(&session->scopes[i]);
			tasks_close(&session->scopes[i].tasks);
			groups_close(&session->scopes[i].groups);
			targets_close(&session->scopes[i].targets);
			counter_close(&session->scopes[i].runs);
			memory_free(session->scopes[i].programs);
			session->scopes[i].programs = NULL;
		}
	}
	registry_close(&session->registry);
}

/* In one line, which has the advice too. */
static void note_unshared(int level, const char *how, const struct err *why)
{
	err_note(level, "counting unshared%s: %s%s%s", how, why->text, why->hint[0] ? "; " : "", why->hint);
}

static int open_shared(struct session *session, struct err *err)
{
	const struct plan *plan = session->plan;
	struct err unshared = {0};
	int result = open_scopes(session, true, err);
	if (result < 0)
		return result;
	session->registry.must_share = plan->share == PLAN_SHARE_ALWAYS;
	result = registry_open(&session->registry, plan->mount, plan->attr_map, &unshared);
	if (session->registry.must_share && result < 0) {
		*err = unshared;
		err_prefix(err, "cannot share");
		refusal_hint(REFUSAL_BPF, result, err);
		return result;
	}
	result = open_counters(session, err);
	for (int i = 0; !result && i < plan->scopes_count; i++) {
		if (!plan->events_count)
			continue;
		if (session->scopes[i].programs)
			result = attach_targets(session, i, err);
		else if (session->scopes[i].env.tasks || session->scopes[i].env.groups)
			result = open_followers(session, i, err);
	}
	if (!result && !registry_is_shared(&session->registry))
		note_unshared(0, "", &unshared);
	return result;
}

static int open_unshared(struct session *session, struct err *err)
{
	int result = open_scopes(session, false, err);
	return result < 0 ? result : open_counters(session, err);
}

/* Does a failure to count through BPF leave plain events as the next best way? Not what would be the same with them. */
static bool may_fall_back(const struct session *session, int result)
{
	for (int i = 0; i < session->plan->scopes_count; i++) {
		if (session->plan->scopes[i].kind == PLAN_PROGRAMS)
			return false;
	}
	return session->plan->share == PLAN_SHARE_AUTO && result < 0 && result != -EOPNOTSUPP && result != -ESRCH &&
	       result != -EXDEV && result != -EINTR;
}

static int open_all(struct session *session, struct err *err)
{
	if (session->plan->share == PLAN_SHARE_NEVER || session->plan->null_run)
		return open_unshared(session, err);
	int result = open_shared(session, err);
	if (!may_fall_back(session, result))
		return result;
	const struct err why = *err;
	close_scopes(session);
	watch_forget(&session->watch);
	*err = (struct err){0};
	result = open_unshared(session, err);
	/* where that fails, too, its reason is the deeper one; of several runs (-r) the first has said it */
	static bool is_said;
	note_unshared(result < 0 || is_said, ", by plain events", &why);
	is_said = true;
	return result;
}

static int init(struct session *session, const struct plan *plan, struct err *err)
{
	*session = (struct session){.plan = plan, .cpus = plan->cpus, .due_ns = SESSION_NEVER, .enable_ns = SESSION_NEVER};
	session->registry = (struct registry){.ours = {-1, -1}, .perf = {.fd = -1}};
	session->watch.signal_fd = -1;
	session->workload.go_fd = session->workload.exec_fd = -1;
	overhead_init(&session->overhead);
	session->counters_count = plan->scopes_count * plan->events_count;
	control_init(&session->control);
	session->readings = memory_take(cpulist_count(&plan->possible), sizeof(*session->readings));
	session->scopes = memory_take((size_t)plan->scopes_count, sizeof(*session->scopes));
	session->counters = memory_take((size_t)session->counters_count, sizeof(*session->counters));
	return session->counters && session->scopes && session->readings ? 0 : err_sys(err, -ENOMEM, "cannot count");
}

int session_make_rows(struct session *session, struct err *err)
{
	const size_t events = (size_t)session->plan->events_count;
	size_t rows = 0, places = 0;
	for (int i = 0; i < session->plan->scopes_count; i++) {
		const struct counter_env *env = &session->scopes[i].env;
		const size_t most = plan_scope_has_places(env->plan, env->scope) ? cpulist_count(&env->cpus) : 1;
		rows += env->slots * (events * most + 1); /* 1: the runs */
		places += events * most;
	}
	memory_free(session->rows);
	memory_free(session->places);
	session->rows = memory_take(rows, sizeof(*session->rows));
	session->places = session->plan->aggregate ? memory_take(places, sizeof(*session->places)) : NULL;
	return session->rows && (session->places || !session->plan->aggregate) ? 0 : err_sys(err, -ENOMEM, "cannot count");
}

/* The CPUs of a family's first event are those of all its members: instances of a PMU may each have one of their own. */
static void find_families(struct session_family *families, const struct plan *plan)
{
	for (int i = 0; i < plan->events_count; i++) {
		struct cpulist own, *cpus = &families[plan->events[i].family].cpus;
		event_cpus(&own, &plan->events[i], &plan->possible);
		cpulist_or(cpus, &own);
	}
	for (int i = 0; i < plan->events_count; i++) {
		struct session_family *family = &families[i];
		while (memcmp(&families[family->alike].cpus, &family->cpus, sizeof(family->cpus)) != 0)
			family->alike++;
	}
}

int session_learn_places(struct session *session, struct err *err)
{
	const struct plan *plan = session->plan;
	if (!plan->aggregate)
		return 0;
	session->families = memory_take((size_t)plan->events_count, sizeof(*session->families));
	int result = session->families ? topology_open(&session->topology, plan->aggregate, &plan->possible, err)
				       : err_sys(err, -ENOMEM, "cannot count");
	if (result < 0)
		return result;
	topology_learn(&session->topology, &plan->cpus);
	find_families(session->families, plan);
	return 0;
}

int session_open(struct session *session, const struct plan *plan, struct err *err)
{
	int result = init(session, plan, err);
	/* the command first: it gets the caller's signals and limits, which the rest changes */
	if (!result && plan->command)
		result = workload_fork(&session->workload, plan->command, err);
	if (!result)
		result = watch_open(&session->watch, plan->live, err);
	if (!result && plan->control.is_given)
		result = control_open(&session->control, &plan->control, err);
	sys_task_raise_files();
	if (!result)
		result = session_learn_places(session, err);
	if (!result)
		result = open_all(session, err);
	if (result < 0)
		return result;
	session_programs(session);
	return session_make_rows(session, err);
}

void session_close(struct session *session)
{
	if (!session->plan)
		return;
	overhead_close(&session->overhead);
	close_scopes(session);
	control_close(&session->control);
	watch_close(&session->watch);
	workload_close(&session->workload);
	memory_free(session->counters);
	topology_close(&session->topology);
	memory_free(session->families);
	memory_free(session->places);
	memory_free(session->rows);
	memory_free(session->readings);
	memory_free(session->scopes);
	*session = (struct session){0};
}
