/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of a session: what its counts lack, the command that still runs, the exit status. */
#include <signal.h>

#include "err.h"
#include "plan.h"
#include "session.h"

/* Is the event the first of a group of which a member was counted for only a part of the time? Each has a leader of its own, so
 * its part is not the others'. */
static bool lacks_time(const struct session *session, int index)
{
	const int group = session->plan->events[index].group;
	const struct counter *counters = session->counters;
	if (!group || (index && session->plan->events[index - 1].group == group))
		return false;
	for (int i = index; i < session->plan->events_count && session->plan->events[i].group == group; i++) {
		const size_t slots = counters[i].env->slots;
		for (uint32_t k = 0; counters[i].way != COUNTER_NONE && k < counters[i].env->split; k++) {
			if (counters[i].total[k * slots].running < counters[i].total[k * slots].enabled)
				return true;
		}
	}
	return false;
}

/* What the counts lack, and why. */
static void note_losses(struct session *session)
{
	for (int i = 0; i < session->plan->scopes_count; i++) {
		struct session_scope *scope = &session->scopes[i];
		uint64_t lost = scope->env.tasks && session->is_shared ? children_state(&scope->tasks.children).lost : 0;
		if (lost)
			err_note(0,
				 "%llu children could not be entered and were not counted: there is room for %d at a time",
				 (unsigned long long)lost, CHILDREN_MAX);
		groups_note_gone(&scope->groups);
		if (scope->programs)
			targets_note_losses(&scope->targets, scope->env.possible_count);
	}
	for (int i = 0; i < session->plan->events_count; i++) {
		if (lacks_time(session, i))
			err_note(0, "%s: the members of its group were not counted all the time, so not at the same time",
				 session->counters[i].event.name);
	}
}

int session_finish(struct session *session, struct err *err)
{
	note_losses(session);
	if (!session->workload.pid || session->signal)
		return 0;
	session->ended_command = true;
	workload_signal(&session->workload, SIGTERM);
	while (!workload_reap(&session->workload)) {
		int number = 0;
		bool from_terminal;
		session->watch.control_fd = -1;
		int end = watch_wait(&session->watch, SESSION_NEVER, &number, &from_terminal);
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
	if (session->workload.ended && (session->plan->scopes[0].kind == PLAN_WORKLOAD || !session->ended_command))
		return workload_status(&session->workload);
	return session->signal ? 128 + session->signal : 0;
}
