/* SPDX-License-Identifier: GPL-2.0-only */
#include "counter.h"

#include <errno.h>
#include <string.h>

#include "err.h"
#include "memory.h"
#include "plan.h"
#include "registry.h"
#include "tasks.h"

void counter_init(struct counter *counter, const struct event *event)
{
	*counter = (struct counter){.event = *event};
	leader_init(&counter->leader);
	follower_init(&counter->follower);
}

/* --- opening ---------------------------------------------------------------------------------------------------------- */

static int make_room(struct counter *counter, const struct counter_env *env, struct err *err)
{
	size_t slots = env->tasks->slots, possible = env->possible_count;
	counter->since = memory_take(slots, sizeof(*counter->since));
	counter->total = memory_take(slots, sizeof(*counter->total));
	counter->seen = memory_take(possible, sizeof(*counter->seen));
	counter->last =
		memory_take(counter->plain.count ? (size_t)counter->plain.count : slots * possible, sizeof(*counter->last));
	return counter->since && counter->total && counter->seen && counter->last
		       ? 0
		       : err_sys(err, -ENOMEM, "cannot count %s", counter->event.name);
}

static int open_shared(struct counter *counter, const struct counter_env *env, bool with_exec, struct err *err)
{
	const struct plan *plan = env->plan;
	struct leader *leader = &counter->leader;
	int result = leader_open(leader, &counter->event, &plan->cpus, &plan->online, &plan->possible, env->registry, err);
	if (result < 0)
		return result;
	err_note(1, "%s: leader %s%s", counter->event.name,
		 !leader->joined    ? "made"
		 : leader->is_perfs ? "joined, one of perf's"
				    : "joined",
		 leader->is_shared ? "" : ", unshared");
	counter->way = plan_scope_is_cpus(plan) ? COUNTER_TOTALS : COUNTER_FOLLOWED;
	if (counter->way == COUNTER_FOLLOWED) {
		const struct follower_subject subject = children_subject(&env->tasks->children);
		result = follower_open(&counter->follower, leader, &subject, env->tasks->slots, with_exec,
				       counter->event.name, err);
	}
	return result;
}

static int open_plain(struct counter *counter, const struct counter_env *env, bool with_exec, struct err *err)
{
	const struct plan *plan = env->plan;
	int result = plan_scope_is_cpus(plan) ? plain_open_cpus(&counter->plain, &counter->event, &plan->cpus, err)
					      : plain_open_tasks(&counter->plain, &counter->event, env->tasks->list,
								 env->tasks->count, plan->inherit, with_exec, err);
	if (!result)
		counter->way = COUNTER_PLAIN;
	return result;
}

int counter_open(struct counter *counter, const struct counter_env *env, bool shared, bool with_exec, struct err *err)
{
	int result = (shared ? open_shared : open_plain)(counter, env, with_exec, err);
	return result < 0 ? result : make_room(counter, env, err);
}

/* --- counting --------------------------------------------------------------------------------------------------------- */

/* What `now` is more than `last`, which then is `now`. */
static void advance(struct counter *counter, uint32_t slot, struct reading *last, struct reading now)
{
	struct reading difference = reading_sub(now, *last);
	*last = now;
	count_add(&counter->since[slot], difference);
	count_add(&counter->total[slot], difference);
}

/* Of a CPU scope: the totals up to now. */
static int read_totals(const struct counter *counter, const struct counter_env *env, struct err *err)
{
	for (int cpu = -1; (cpu = cpulist_next(&env->cpus, cpu)) >= 0;) {
		int status;
		int result = leader_trigger(&counter->leader, cpu, &status);
		if (result < 0 && result != -ENXIO)
			return err_sys(err, result, "cannot trigger the leader on CPU %d", cpu);
	}
	int result = leader_totals(&counter->leader, env->readings);
	return result < 0 ? err_sys(err, result, "cannot read the leader's totals") : 0;
}

static void add_totals(struct counter *counter, const struct counter_env *env)
{
	unsigned i = 0;
	for (int cpu = -1; (cpu = cpulist_next(&env->plan->possible, cpu)) >= 0; i++) {
		if (cpulist_has(&env->cpus, (unsigned)cpu))
			advance(counter, 0, &counter->last[i], env->readings[i]);
	}
}

static int add_slot(struct counter *counter, const struct counter_env *env, uint32_t slot, struct err *err)
{
	int result = follower_read(&counter->follower, slot, env->readings);
	if (result < 0)
		return err_sys(err, result, "cannot read the sums");
	for (unsigned i = 0; i < env->possible_count; i++)
		advance(counter, slot, &counter->last[slot * env->possible_count + i], env->readings[i]);
	return 0;
}

static int read_follower(struct counter *counter, const struct counter_env *env, struct err *err)
{
	int result = follower_sync(&counter->follower, &counter->leader, &env->cpus, &env->plan->possible, err);
	const uint32_t slots = env->tasks->slots, used = tasks_used(env->tasks);
	for (uint32_t slot = 0; !result && slot < used; slot++)
		result = add_slot(counter, env, slot, err);
	if (!result && used < slots)
		result = add_slot(counter, env, slots - 1, err);
	return result;
}

static int read_plain(struct counter *counter, struct err *err)
{
	for (int i = 0; i < counter->plain.count; i++) {
		struct reading now;
		int result = plain_read(&counter->plain, i, &now);
		if (result < 0)
			return err_sys(err, result, "cannot read the event");
		advance(counter, counter->plain.events[i].slot, &counter->last[i], now);
	}
	return 0;
}

static int read_any(struct counter *counter, const struct counter_env *env, struct err *err)
{
	int result = 0;
	if (counter->way == COUNTER_PLAIN)
		return read_plain(counter, err);
	if (counter->way == COUNTER_FOLLOWED)
		return read_follower(counter, env, err);
	if (counter->way == COUNTER_TOTALS) {
		result = read_totals(counter, env, err);
		if (!result)
			add_totals(counter, env);
	}
	return result;
}

int counter_read(struct counter *counter, const struct counter_env *env, struct err *err)
{
	int result = counter->is_on ? read_any(counter, env, err) : 0;
	if (result < 0)
		err_prefix(err, "cannot read the count of %s", counter->event.name);
	return result;
}

static int enable(struct counter *counter, const struct counter_env *env, uint32_t workload, struct err *err)
{
	int result;
	switch (counter->way) {
	case COUNTER_TOTALS:
		result = read_totals(counter, env, err);
		memcpy(counter->last, env->readings, env->possible_count * sizeof(*counter->last));
		return result;
	case COUNTER_FOLLOWED:
		return follower_enable(&counter->follower, &counter->leader, &env->cpus, &env->plan->possible, workload,
				       err);
	case COUNTER_PLAIN:
		result = workload ? 0 : plain_enable(&counter->plain, true);
		return result < 0 ? err_sys(err, result, "cannot enable the event") : 0;
	default:
		return 0;
	}
}

int counter_enable(struct counter *counter, const struct counter_env *env, uint32_t workload, struct err *err)
{
	if (counter->way == COUNTER_NONE || counter->is_on)
		return 0;
	int result = enable(counter, env, workload, err);
	if (!result && counter->way != COUNTER_PLAIN)
		result = leader_totals(&counter->leader, counter->seen);
	if (result < 0)
		err_prefix(err, "cannot start %s", counter->event.name);
	counter->is_on = !result;
	return result;
}

int counter_disable(struct counter *counter, const struct counter_env *env, struct err *err)
{
	int result = 0;
	if (!counter->is_on)
		return 0;
	if (counter->way == COUNTER_PLAIN) {
		/* first, so that nothing falls between */
		result = plain_enable(&counter->plain, false);
		if (result < 0)
			err_sys(err, result, "cannot disable %s", counter->event.name);
	}
	if (!result)
		result = counter_read(counter, env, err);
	if (!result && counter->way == COUNTER_FOLLOWED)
		result = follower_disable(&counter->follower, err);
	counter->is_on = false;
	return result;
}

void counter_next(struct counter *counter, const struct counter_env *env)
{
	const uint32_t slots = env->tasks->slots, used = tasks_used(env->tasks);
	if (counter->way == COUNTER_NONE)
		return;
	memset(counter->since, 0, used * sizeof(*counter->since));
	counter->since[slots - 1] = (struct count){0};
}

/* --- hotplug ---------------------------------------------------------------------------------------------------------- */

/* The CPUs whose event has counted for less than half of the time: idle ones, whose leader has not run, and those that were
 * offline, be it for a moment or while the machine slept, and have lost theirs. */
static void find_stalled(struct cpulist *stalled, const struct counter *counter, const struct counter_env *env,
			 const struct cpulist *online, uint64_t passed_ns)
{
	unsigned i = 0;
	*stalled = (struct cpulist){0};
	for (int cpu = -1; (cpu = cpulist_next(&env->plan->possible, cpu)) >= 0; i++) {
		if (cpulist_has(online, (unsigned)cpu) && cpulist_has(&env->cpus, (unsigned)cpu) &&
		    env->readings[i].enabled - counter->seen[i].enabled < passed_ns / 2)
			cpulist_add(stalled, (unsigned)cpu);
	}
}

void counter_look_after(struct counter *counter, const struct counter_env *env, const struct cpulist *online,
			uint64_t passed_ns)
{
	struct cpulist stalled;
	struct err why = {0};
	if (counter->way == COUNTER_NONE || counter->way == COUNTER_PLAIN ||
	    leader_totals(&counter->leader, env->readings) < 0)
		return;
	find_stalled(&stalled, counter, env, online, passed_ns);
	int result = leader_complete(&counter->leader, &counter->event, &stalled, &env->plan->possible, env->registry, &why);
	if (result < 0 && !counter->lost)
		err_note(0, "CPU %d came online and is not counted: %s", cpulist_next(&stalled, -1), why.text);
	else if (result > 0)
		err_note(1, "%s: %d CPUs came online", counter->event.name, result);
	counter->lost = result < 0;
	leader_totals(&counter->leader, counter->seen);
}

void counter_close(struct counter *counter)
{
	follower_close(&counter->follower);
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
