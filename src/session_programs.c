/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF programs of a session: what -v tells of them, and what they cost (--overhead). */
#include "err.h"
#include "out.h"
#include "plan.h"
#include "program.h"
#include "session.h"

enum { MAPS_TEXT_SIZE = 11 * PROGRAM_MAPS_MAX, PROGRAMS_PER_COUNTER = 3 };

/* event NULL: it is there for all events. link_fd -1: it is not attached at all. */
typedef void visit_program(struct session *session, const char *kind, const char *event, bool is_shared, int link_fd,
			   int prog_fd);

static void visit_link(struct session *session, visit_program *visit, const char *kind, const char *event, int link_fd)
{
	if (link_fd >= 0)
		visit(session, kind, event, false, link_fd, -1);
}

/* Each of them once: the leaders, then the followers, then what looks after tasks. */
static void visit_all(struct session *session, visit_program *visit)
{
	const struct plan *plan = session->plan;
	for (int i = 0; i < plan->events_count; i++) {
		const struct leader *leader = &session->counters[i].leader;
		if (leader->prog_fd >= 0)
			visit(session, "leader", plan->events[i].name, leader->is_shared, leader->link_fd, leader->prog_fd);
	}
	for (int i = 0; i < plan->scopes_count; i++) {
		for (int k = 0; k < session->scopes[i].followers_count; k++)
			visit_link(session, visit, "follower", NULL, session->scopes[i].followers[k].link_fd);
	}
	for (int i = 0; i < plan->scopes_count; i++) {
		for (int k = 0; k < session->scopes[i].followers_count; k++)
			visit_link(session, visit, "hooks", NULL, session->scopes[i].followers[k].exec_link_fd);
		for (int k = 0; session->scopes[i].env.tasks && k < CHILDREN_HOOKS; k++)
			visit_link(session, visit, "hooks", NULL, session->scopes[i].tasks.children.link_fds[k]);
	}
	for (int i = 0; i < plan->scopes_count; i++) {
		const struct targets *targets = &session->scopes[i].targets;
		visit_link(session, visit, "hooks", NULL, targets->switch_link_fd);
		for (int k = 0; k < targets->count * TARGET_HOOKS; k++)
			visit_link(session, visit, "hooks", NULL,
				   targets->list[k / TARGET_HOOKS].link_fds[k % TARGET_HOOKS]);
	}
}

static void note(struct session *session, const char *kind, const char *event, bool is_shared, int link_fd, int prog_fd)
{
	struct program program;
	char text[MAPS_TEXT_SIZE] = "", link[24] = "not attached";
	struct out maps = out_memory(text, sizeof(text));
	(void)session, (void)is_shared;
	const bool is_known = program_by_fd(&program, link_fd, prog_fd) >= 0;
	if (program.link_id)
		out_print(link, sizeof(link), "link %u", program.link_id);
	for (uint32_t i = 0; i < program.maps_count; i++)
		out_format(&maps, "%s%u", i ? "," : ", maps ", program.map_ids[i]);
	err_note(1, "%s%s%s: program %u%s%s, %s%s", kind, event ? " of " : "", event ? event : "", program.id,
		 is_known ? " " : "", program.name, link, text);
}

static void add(struct session *session, const char *kind, const char *event, bool is_shared, int link_fd, int prog_fd)
{
	const int result = overhead_add(&session->overhead, kind, event, is_shared, link_fd, prog_fd);
	if (result < 0)
		err_note(0, "--overhead lacks a %s: cannot look at the program: %s", kind, err_reason(-result));
}

void session_programs(struct session *session)
{
	static bool is_said; /* of several runs (-r) the first has said it */
	struct err why = {0};
	int programs_max =
		session->counters_count * PROGRAMS_PER_COUNTER + session->plan->scopes_count * (CHILDREN_HOOKS + 1);
	for (int i = 0; i < session->plan->scopes_count; i++)
		programs_max += session->scopes[i].targets.count * TARGET_HOOKS;
	if (err_verbosity)
		visit_all(session, note);
	if (!session->plan->overhead || session->plan->null_run)
		return;
	if (!session->is_shared)
		err_set(&why, 0, "plain events run no program whose time could be told");
	else if (!overhead_open(&session->overhead, programs_max, &why))
		visit_all(session, add);
	if (why.text[0])
		err_note(is_said, "no --overhead: %s", why.text);
	is_said = true;
}
