/* SPDX-License-Identifier: GPL-2.0-only */
#include "counter.h"

#include <errno.h>
#include <string.h>

#include "children.h"
#include "err.h"
#include "groups.h"
#include "memory.h"
#include "plan.h"
#include "registry.h"
#include "targets.h"
#include "tasks.h"

void counter_init(struct counter *counter, const struct event *event, int number, const struct counter_env *env)
{
	*counter = (struct counter){.env = env, .event = *event, .number = number, .only_slot = -1};
	leader_init(&counter->leader);
}

/* --- opening ---------------------------------------------------------------------------------------------------------- */

static int make_room(struct counter *counter, struct err *err)
{
	const struct counter_env *env = counter->env;
	size_t slots = env->slots, possible = env->possible_count;
	counter->since = memory_take(slots * env->split, sizeof(*counter->since));
	counter->total = memory_take(slots * env->split, sizeof(*counter->total));
	counter->seen = memory_take(possible, sizeof(*counter->seen));
	counter->last =
		memory_take(counter->plain.count ? (size_t)counter->plain.count : slots * possible, sizeof(*counter->last));
	return counter->since && counter->total && counter->seen && counter->last
		       ? 0
		       : err_sys(err, -ENOMEM, "cannot count %s", counter->event.name);
}

static int way_of(const struct plan_scope *scope)
{
	return plan_scope_is_cpus(scope)      ? COUNTER_TOTALS
	       : scope->kind == PLAN_PROGRAMS ? COUNTER_TARGETS
					      : COUNTER_FOLLOWED;
}

static int open_leader(struct counter *counter, const struct leader *other, struct err *err)
{
	const struct counter_env *env = counter->env;
	const struct plan *plan = env->plan;
	struct leader *leader = &counter->leader;
	if (other) {
		int result = leader_copy(leader, other);
		return result < 0 ? err_sys(err, result, "cannot use the leader of %s again", counter->event.name) : 0;
	}
	struct cpulist cpus, online;
	event_cpus(&cpus, &counter->event, &plan->cpus);
	event_cpus(&online, &counter->event, &plan->online);
	int result = leader_open(leader, &counter->event, &cpus, &online, &plan->possible, plan_needs_totals(plan),
				 env->registry, err);
	if (!result)
		err_note(1, "%s: leader %s%s%s", counter->event.name,
			 !leader->joined    ? "made"
			 : leader->is_perfs ? "joined, one of perf's"
					    : "joined",
			 leader->is_shared ? "" : ", unshared",
			 leader->hook == LEADER_SWITCHES ? ", attached to sched_switch" : "");
	return result;
}

static int open_plain(struct counter *counter, bool with_exec, struct err *err)
{
	const struct counter_env *env = counter->env;
	struct plain *plain = &counter->plain;
	struct event *event = &counter->event;
	struct cpulist cpus;
	event_cpus(&cpus, event, &env->cpus);
	int result = env->groups   ? plain_open_groups(plain, event, env->groups, counter->only_slot, &cpus, err)
		     : !env->tasks ? plain_open_cpus(plain, event, &cpus, err)
				   : plain_open_tasks(plain, event, env->tasks->list, env->tasks->count, env->plan->inherit,
						      with_exec, err);
	if (!result)
		counter->way = COUNTER_PLAIN;
	return result;
}

int counter_open(struct counter *counter, bool shared, const struct leader *leader, bool with_exec, struct err *err)
{
	int result = shared ? open_leader(counter, leader, err) : open_plain(counter, with_exec, err);
	if (!result && shared)
		counter->way = way_of(counter->env->scope);
	return result < 0 ? result : make_room(counter, err);
}

int counter_open_runs(struct counter *counter, struct err *err)
{
	counter->way = COUNTER_TARGETS;
	return make_room(counter, err);
}

/* How many slots, from the first on, may have been counted into; where these are not all, the last one, too. */
static uint32_t used_slots(const struct counter_env *env)
{
	return env->tasks ? tasks_used(env->tasks) : env->slots;
}

/* --- counting --------------------------------------------------------------------------------------------------------- */

/* What `now` is more than `last`, which then is `now`. index: the CPU's, among the possible ones. */
static void advance(struct counter *counter, uint32_t slot, unsigned index, struct reading *last, struct reading now)
{
	/* split is 1, or above any index */
	const size_t at = (size_t)(index % counter->env->split) * counter->env->slots + slot;
	struct reading difference = reading_sub(now, *last);
	*last = now;
	if (counter->event.is_snapshot)
		difference.counter = now.counter;
	count_add(&counter->since[at], difference);
	count_add(&counter->total[at], difference);
}

/* What was read of the CPUs that are counted. */
static void add_cpus(struct counter *counter, uint32_t slot)
{
	const struct counter_env *env = counter->env;
	struct reading *last = &counter->last[(size_t)slot * env->possible_count];
	unsigned i = 0;
	for (int cpu = -1; (cpu = cpulist_next(&env->plan->possible, cpu)) >= 0; i++) {
		if (cpulist_has(&env->cpus, (unsigned)cpu))
			advance(counter, slot, i, &last[i], env->readings[i]);
	}
}

static int add_slot(struct counter *counter, uint32_t slot, struct err *err)
{
	const struct counter_env *env = counter->env;
	int result = counter->way == COUNTER_TARGETS
			     ? targets_read(env->targets, slot, counter->number, env->readings)
			     : follower_read(&env->followers[counter->number / FOLLOWER_EVENTS],
					     (unsigned)counter->number % FOLLOWER_EVENTS, slot, env->readings);
	if (result < 0)
		return err_sys(err, result, "cannot read the sums");
	add_cpus(counter, slot);
	return 0;
}

/* Of a level only the last look counts, not what the looks before have seen. */
static void forget_level(struct counter *counter)
{
	const size_t counts = (size_t)counter->env->slots * counter->env->split;
	for (size_t i = 0; counter->event.is_snapshot && i < counts; i++)
		counter->since[i].value = counter->total[i].value = 0;
}

static int read_follower(struct counter *counter, struct err *err)
{
	const uint32_t slots = counter->env->slots, used = used_slots(counter->env);
	int result = 0;
	for (uint32_t slot = 0; !result && slot < used; slot++)
		result = add_slot(counter, slot, err);
	if (!result && used < slots)
		result = add_slot(counter, slots - 1, err);
	return result;
}

static int read_plain(struct counter *counter, struct err *err)
{
	for (int i = 0; i < counter->plain.count; i++) {
		const struct plain_event *event = &counter->plain.events[i];
		unsigned index = counter->env->split > 1 ? cpulist_index(&counter->env->plan->possible, event->cpu) : 0;
		struct reading now;
		int result = plain_read(&counter->plain, i, &now);
		if (result < 0)
			return err_sys(err, result, "cannot read the event");
		advance(counter, event->slot, index, &counter->last[i], now);
	}
	return 0;
}

static bool has_leader(const struct counter *counter)
{
	return counter->leader.prog_fd >= 0;
}

int counter_trigger(const struct counter *counter, const struct cpulist *cpus, struct err *err)
{
	struct cpulist own;
	event_cpus(&own, &counter->event, cpus);
	for (int cpu = -1; has_leader(counter) && (cpu = cpulist_next(&own, cpu)) >= 0;) {
		int status;
		int result = leader_trigger(&counter->leader, cpu, &status);
		if (result < 0 && result != -ENXIO)
			return err_sys(err, result, "cannot trigger the leader of %s on CPU %d", counter->event.name, cpu);
	}
	return 0;
}

/* Of a CPU scope: from the leader's totals of now, or up to them. */
static int take_totals(struct counter *counter, bool enable, struct err *err)
{
	const struct counter_env *env = counter->env;
	int result = leader_totals(&counter->leader, env->readings);
	if (result < 0)
		return err_sys(err, result, "cannot read the leader's totals");
	if (enable)
		memcpy(counter->last, env->readings, env->possible_count * sizeof(*counter->last));
	else
		add_cpus(counter, 0);
	return 0;
}

static int take_plain(struct counter *counter, bool enable, uint32_t workload, struct err *err)
{
	if (!enable)
		return read_plain(counter, err);
	int result = workload ? 0 : plain_enable(&counter->plain, true);
	return result < 0 ? err_sys(err, result, "cannot enable the event") : 0;
}

int counter_take(struct counter *counter, bool enable, uint32_t workload, struct err *err)
{
	if (counter->way == COUNTER_NONE || counter->is_on == enable)
		return 0;
	forget_level(counter);
	int result = counter->way == COUNTER_PLAIN    ? take_plain(counter, enable, workload, err)
		     : counter->way == COUNTER_TOTALS ? take_totals(counter, enable, err)
		     : enable                         ? 0
						      : read_follower(counter, err);
	if (!result && enable && has_leader(counter) && counter->way != COUNTER_FOLLOWED) {
		result = leader_totals(&counter->leader, counter->seen);
		if (result < 0)
			err_sys(err, result, "cannot read the leader's totals");
	}
	if (result < 0)
		err_prefix(err, enable ? "cannot start %s" : "cannot read the count of %s", counter->event.name);
	else
		counter->is_on = true;
	return result;
}

int counter_disable(struct counter *counter, struct err *err)
{
	int result = 0;
	if (counter->is_on && counter->way == COUNTER_PLAIN)
		result = plain_enable(&counter->plain, false);
	if (result < 0)
		return err_sys(err, result, "cannot disable %s", counter->event.name);
	if (counter->is_on && counter->way == COUNTER_PLAIN)
		result = read_plain(counter, err); /* it went on up to now */
	counter->is_on = false;
	return result;
}

void counter_next(struct counter *counter)
{
	const struct counter_env *env = counter->env;
	const size_t slots = env->slots;
	unsigned i = 0;
	if (counter->way == COUNTER_NONE)
		return;
	if (env->split == 1) {
		memset(counter->since, 0, used_slots(env) * sizeof(*counter->since));
		counter->since[slots - 1] = (struct count){0};
		return;
	}
	/* of thousands of possible CPUs few may be there: what is not touched takes no memory */
	for (int cpu = -1; (cpu = cpulist_next(&env->plan->possible, cpu)) >= 0; i++) {
		if (cpulist_has(&env->cpus, (unsigned)cpu))
			memset(&counter->since[i * slots], 0, slots * sizeof(*counter->since));
	}
}

/* --- hotplug ---------------------------------------------------------------------------------------------------------- */

/* The CPUs whose event has counted for less than half of the time: those on which the leader has not run, as it is not attached, or they
 * are idle, and those that were offline, be it for a moment or while the machine slept, and have lost theirs. */
static void compare_totals(struct cpulist *stalled, const struct counter *counter, const struct cpulist *cpus,
			   uint64_t passed_ns)
{
	const struct counter_env *env = counter->env;
	unsigned i = 0;
	*stalled = (struct cpulist){0};
	for (int cpu = -1; (cpu = cpulist_next(&env->plan->possible, cpu)) >= 0; i++) {
		if (cpulist_has(cpus, (unsigned)cpu) && env->readings[i].enabled - counter->seen[i].enabled < passed_ns / 2)
			cpulist_add(stalled, (unsigned)cpu);
	}
}

static int find_stalled(struct cpulist *stalled, const struct counter *counter, const struct cpulist *cpus,
			uint64_t passed_ns, struct err *err)
{
	const struct counter_env *env = counter->env;
	if (counter->way == COUNTER_FOLLOWED)
		return leader_stalled(stalled, &counter->leader, cpus, &env->plan->possible);
	int result = leader_totals(&counter->leader, env->readings);
	if (result < 0)
		return result;
	compare_totals(stalled, counter, cpus, passed_ns);
	/* of most of them the leader has only not run */
	if (cpulist_count(stalled) && !counter_trigger(counter, stalled, err) &&
	    !leader_totals(&counter->leader, env->readings)) {
		const struct cpulist suspects = *stalled;
		compare_totals(stalled, counter, &suspects, passed_ns);
	}
	return 0;
}

void counter_look_after(struct counter *counter, const struct cpulist *cpus, uint64_t passed_ns)
{
	const struct counter_env *env = counter->env;
	struct cpulist stalled, own;
	struct err why = {0};
	event_cpus(&own, &counter->event, cpus);
	if (!has_leader(counter) || find_stalled(&stalled, counter, &own, passed_ns, &why) < 0)
		return;
	int result = leader_complete(&counter->leader, &counter->event, &stalled, &env->plan->possible, env->registry, &why);
	if (result < 0 && !counter->lost)
		err_note(0, "CPU %d came online and is not counted: %s", cpulist_next(&stalled, -1), why.text);
	else if (result > 0)
		err_note(1, "%s: %d CPUs came online", counter->event.name, result);
	counter->lost = result < 0;
	if (counter->way != COUNTER_FOLLOWED)
		leader_totals(&counter->leader, counter->seen);
}

void counter_close(struct counter *counter)
{
	leader_close(&counter->leader);
	plain_close(&counter->plain);
	memory_free(counter->last);
	memory_free(counter->seen);
	memory_free(counter->since);
	memory_free(counter->total);
	counter->last = counter->seen = NULL;
	counter->since = counter->total = NULL;
	counter->way = COUNTER_NONE;
	counter->is_on = false;
}
