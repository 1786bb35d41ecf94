/* SPDX-License-Identifier: GPL-2.0-only */
#include "status.h"

#include <errno.h>
#include <string.h>

#include "attr_map.h"
#include "bperf.h"
#include "err.h"
#include "leader.h"
#include "memory.h"
#include "out.h"
#include "perf_map.h"
#include "program.h"
#include "reading.h"
#include "refusal.h"
#include "sys_bpf.h"
#include "sys_task.h"
#include "sysfs.h"

enum { FILE_SIZE = 2048, PATH_SIZE = 64 };

struct gather {
	struct status *status;
	unsigned possible_cpus;
	uint32_t key_size; /* of perf's map; 0: the registry's keys are being visited */
	int pid;           /* being looked at */
};

/* --- leaders -------------------------------------------------------------------------------------------------------- */

/* Those on which it was read: by the leader itself, or by a follower. (One of perf's has no map of theirs.) */
static unsigned count_cpus(const struct leader *leader, unsigned possible_cpus)
{
	const uint32_t zero = 0;
	unsigned count = 0;
	struct reading *readings = memory_take(possible_cpus, sizeof(*readings));
	struct leader_cpu *cpus = memory_take(possible_cpus, sizeof(*cpus));
	if (readings && cpus) {
		sys_bpf_map_lookup(leader->map_fds[LEADER_PREV], &zero, readings);
		sys_bpf_map_lookup(leader->map_fds[LEADER_CPUS], &zero, cpus);
		for (unsigned i = 0; i < possible_cpus; i++)
			count += readings[i].enabled || cpus[i].last.now.enabled;
	}
	memory_free(cpus);
	memory_free(readings);
	return count;
}

static uint32_t map_id(int fd)
{
	struct bpf_map_info info;
	memset(&info, 0, sizeof(info));
	return sys_bpf_info(fd, &info, sizeof(info)) ? 0 : info.id;
}

/* One of ours is called so and reads the events, perf's the differences. */
static bool is_follower(uint32_t id, uint32_t leader_id, uint32_t events_id, uint32_t diff_id)
{
	struct program program;
	if (id == leader_id || program_by_id(&program, id) < 0)
		return false;
	return program_has_map(&program, strcmp(program.name, "follower") ? diff_id : events_id);
}

static unsigned count_followers(const struct leader *leader, uint32_t leader_id)
{
	const uint32_t events_id = map_id(leader->map_fds[LEADER_EVENTS]), diff_id = map_id(leader->map_fds[LEADER_DIFF]);
	unsigned count = 0;
	for (uint32_t id = 0; !sys_bpf_next_id(BPF_PROG_GET_NEXT_ID, &id);)
		count += is_follower(id, leader_id, events_id, diff_id);
	return count;
}

static void describe(struct status_leader *to, const struct leader *leader, unsigned possible_cpus)
{
	struct program program;
	if (!program_by_fd(&program, leader->link_fd, leader->prog_fd)) {
		to->prog_id = program.id;
		to->link_id = program.link_id;
		to->age_ns = sys_task_boot_clock() - program.load_time_ns;
	}
	event_format(to->event, sizeof(to->event), &to->attr);
	to->is_hardware = to->attr.type != PERF_TYPE_SOFTWARE && to->attr.type != PERF_TYPE_TRACEPOINT;
	to->is_perfs = leader->is_perfs;
	to->cpus = count_cpus(leader, possible_cpus);
	to->followers = count_followers(leader, to->prog_id);
}

static uint32_t prog_id(const struct leader *leader)
{
	struct program program;
	return program_by_fd(&program, -1, leader->prog_fd) ? 0 : program.id;
}

static int visit_entry(void *context, const void *key, const struct attr_map_entry *entry)
{
	struct gather *gather = context;
	struct status *status = gather->status;
	struct leader leader;
	int result = leader_peek(&leader, entry, gather->key_size != 0);
	const uint32_t id = result ? 0 : prog_id(&leader);
	for (int i = 0; !result && i < status->count; i++) {
		if (status->leaders[i].prog_id == id) {
			leader_close(&leader);
			return 0; /* ours, entered in both maps */
		}
	}
	if (!result && status->count == STATUS_LEADERS_MAX) {
		status->has_more = true;
	} else if (!result) {
		struct status_leader *to = &status->leaders[status->count++];
		if (gather->key_size)
			perf_map_attr(&to->attr, key, gather->key_size);
		else
			attr_map_attr(&to->attr, key);
		describe(to, &leader, gather->possible_cpus);
	}
	leader_close(&leader);
	return result == -EPERM ? result : 0;
}

static int gather_leaders(struct gather *gather, const char *perf_path, struct err *err)
{
	struct attr_map ours;
	struct perf_map perf = {.fd = -1};
	int result = attr_map_peek(&ours, err);
	if (!result) {
		result = attr_map_each(ours.map_fd, ATTR_MAP_KEY_SIZE, visit_entry, gather);
		attr_map_close(&ours);
	} else if (result == -ENOENT) {
		result = 0;
	} else {
		return result;
	}
	if (!result && !perf_map_open(&perf, perf_path, NULL) && perf.fd >= 0) {
		gather->key_size = perf.key_size;
		result = attr_map_each(perf.fd, perf.key_size, visit_entry, gather);
	}
	perf_map_close(&perf);
	return result < 0 ? err_sys(err, result, "cannot look at the leaders") : 0;
}

/* --- sessions ------------------------------------------------------------------------------------------------------- */

static void add_session(struct status_leader *leader, int pid)
{
	if (leader->last_pid == pid)
		return; /* it holds it twice: the program, and the link */
	leader->last_pid = pid;
	if (leader->sessions < STATUS_SESSIONS_MAX) {
		struct status_session *session = &leader->who[leader->sessions];
		session->pid = pid;
		session->command[0] = '\0';
		sys_task_comm(pid, session->command, sizeof(session->command));
	}
	leader->sessions++;
}

static int visit_fd(void *context, const char *name)
{
	struct gather *gather = context;
	char path[PATH_SIZE], text[FILE_SIZE];
	out_print(path, sizeof(path), "/proc/%d/fdinfo/%s", gather->pid, name);
	if (sysfs_read(path, text, sizeof(text), NULL) < 0)
		return 0;
	/* of the program's descriptor and of the link's */
	uint32_t id = sysfs_field(text, "prog_id:\t");
	for (int i = 0; id && i < gather->status->count; i++) {
		if (gather->status->leaders[i].prog_id == id)
			add_session(&gather->status->leaders[i], gather->pid);
	}
	return 0;
}

static int visit_process(void *context, const char *name)
{
	struct gather *gather = context;
	char path[PATH_SIZE];
	gather->pid = 0;
	for (const char *p = name; *p; p++) {
		if (*p < '0' || *p > '9')
			return 0;
		gather->pid = gather->pid * 10 + (*p - '0');
	}
	out_print(path, sizeof(path), "/proc/%d/fdinfo", gather->pid);
	sysfs_each(path, visit_fd, gather); /* gone, or not ours to see: passed over */
	return 0;
}

int status_open(struct status *status, const char *perf_path, unsigned possible_cpus, struct err *err)
{
	struct gather gather = {.status = status, .possible_cpus = possible_cpus};
	*status = (struct status){.leaders = memory_take(STATUS_LEADERS_MAX, sizeof(*status->leaders))};
	if (!status->leaders)
		return err_sys(err, -ENOMEM, "cannot look at the leaders");
	int result = gather_leaders(&gather, perf_path, err);
	if (result < 0) {
		refusal_hint(REFUSAL_BPF, result, err);
		status_close(status);
		return result;
	}
	if (status->count)
		sysfs_each("/proc", visit_process, &gather);
	return 0;
}

void status_close(struct status *status)
{
	memory_free(status->leaders);
	*status = (struct status){0};
}
