/* SPDX-License-Identifier: GPL-2.0-only */
#include "leader.h"

#include <errno.h>
#include "memory.h"
#include <string.h>

#include "attr_map.h"
#include "cpulist.h"
#include "embed.h"
#include "err.h"
#include "event.h"
#include "fd.h"
#include "loader.h"
#include "reading.h"
#include "sys_bpf.h"
#include "sys_perf.h"

#define PROGRAM "on_switch"
#define TRACEPOINT "sched_switch"

const char *const leader_map_names[LEADER_MAPS] = {
	"events", "prev_readings", "diff_readings", "total_readings", "base_readings",
};

static void init(struct leader *leader)
{
	*leader = (struct leader){.link_fd = -1, .prog_fd = -1};
	for (int i = 0; i < LEADER_MAPS; i++)
		leader->map_fds[i] = -1;
}

/* --- the events ----------------------------------------------------------------------------------------------------- */

/* Does this errno of perf_event_open mean that the host cannot count such an event (rather than that we may not)? */
static bool is_unsupported(int error)
{
	return error == -ENOENT || error == -EOPNOTSUPP || error == -ENODEV || error == -EINVAL || error == -ENXIO ||
	       error == -ENOSYS;
}

static int open_event(const struct event *event, int cpu, struct err *err)
{
	struct perf_event_attr attr = event->attr;
	int fd = sys_perf_event_open(&attr, -1, cpu);
	if (fd >= 0)
		return fd;
	if (is_unsupported(fd)) {
		err_sys(err, fd, "this host cannot count %s on CPU %d", event->name, cpu);
		err_hint(err, event->attr.type == PERF_TYPE_SOFTWARE ?
			 "the kernel was built without it, or refuses perf_event_open(2)" :
			 "no such hardware counter, or none at all: a virtual machine may have no PMU");
		return -EOPNOTSUPP;
	}
	err_sys(err, fd, "cannot open %s on CPU %d", event->name, cpu);
	if (fd == -EACCES || fd == -EPERM)
		err_hint(err, "counting a CPU needs root or CAP_PERFMON; /proc/sys/kernel/perf_event_paranoid and seccomp can refuse it");
	return fd;
}

/* The map keeps the event: its fd is closed again. */
static int put_event(const struct leader *leader, const struct event *event, int cpu, struct err *err)
{
	int fd = open_event(event, cpu, err);
	if (fd < 0)
		return fd;
	uint32_t key = (uint32_t)cpu;
	int result = sys_bpf_map_update(leader->map_fds[LEADER_EVENTS], &key, &fd, BPF_ANY);
	fd_close(&fd);
	return result < 0 ? err_sys(err, result, "cannot put %s of CPU %d into the leader's map", event->name, cpu) : 0;
}

static int put_events(const struct leader *leader, const struct event *event, const struct cpulist *cpus, struct err *err)
{
	for (int cpu = -1; (cpu = cpulist_next(cpus, cpu)) >= 0;) {
		int result = put_event(leader, event, cpu, err);
		if (result < 0)
			return result;
	}
	return 0;
}

static int read_enabled(const struct leader *leader, const struct cpulist *cpus, int *status, struct reading *readings)
{
	for (int cpu = -1; (cpu = cpulist_next(cpus, cpu)) >= 0;) {
		int result = leader_trigger(leader, cpu, &status[cpu]);
		if (result < 0 && result != -ENXIO)
			return result;
	}
	uint32_t zero = 0;
	return sys_bpf_map_lookup(leader->map_fds[LEADER_PREV], &zero, readings);
}

/* A CPU without an event, or whose event stands still (it was opened before the CPU went offline and came back), gets one. */
static int complete_events(const struct leader *leader, const struct event *event, const struct cpulist *cpus,
			   const struct cpulist *possible, struct err *err)
{
	size_t count = cpulist_count(possible);
	struct reading *readings = memory_take(2 * count, sizeof(*readings));
	int *status = memory_take(2 * CPULIST_MAX, sizeof(*status));
	int result = readings && status ? 0 : -ENOMEM;
	if (!result)
		result = read_enabled(leader, cpus, status, readings);
	if (!result)
		result = read_enabled(leader, cpus, status + CPULIST_MAX, readings + count);
	if (result < 0)
		err_sys(err, result, "cannot trigger the leader of %s", event->name);
	for (int cpu = -1; !result && (cpu = cpulist_next(cpus, cpu)) >= 0;) {
		unsigned i = cpulist_index(possible, (unsigned)cpu);
		if (status[cpu] < 0 || status[CPULIST_MAX + cpu] < 0 || readings[i].enabled == readings[count + i].enabled)
			result = put_event(leader, event, cpu, err);
	}
	memory_free(status);
	memory_free(readings);
	return result;
}

/* --- making one ----------------------------------------------------------------------------------------------------- */

static int highest(const struct cpulist *list)
{
	int last = -1;
	for (int cpu = -1; (cpu = cpulist_next(list, cpu)) >= 0;)
		last = cpu;
	return last;
}

static int load(struct leader *leader, const struct cpulist *possible, struct err *err)
{
	const struct object *object = embed_object(EMBED_LEADER, err);
	if (!object)
		return -EINVAL;
	const struct loader_fit events = {"events", -1, (uint32_t)highest(possible) + 1, NULL, 0};
	const struct loader_hang hang = {BPF_PROG_TYPE_RAW_TRACEPOINT, 0, -1, 0};
	struct loader loader;
	int result = loader_open(&loader, object, &events, 1, err);
	if (result < 0)
		return result;
	leader->prog_fd = loader_prog(&loader, PROGRAM, &hang, err);
	for (int i = 0; leader->prog_fd >= 0 && i < LEADER_MAPS; i++)
		leader->map_fds[i] = fd_take(&loader.map_fds[object_map(object, leader_map_names[i])]);
	if (loader.btf_fd >= 0)
		leader->func_id = object->progs[object_prog(object, PROGRAM)].func_id;
	loader_close(&loader);
	return leader->prog_fd < 0 ? leader->prog_fd : 0;
}

static int enter(const struct leader *leader, const struct event *event, const struct attr_map *map, struct err *err)
{
	struct bpf_link_info link;
	struct bpf_map_info diff;
	memset(&link, 0, sizeof(link));
	memset(&diff, 0, sizeof(diff));
	int result = sys_bpf_info(leader->link_fd, &link, sizeof(link));
	if (!result)
		result = sys_bpf_info(leader->map_fds[LEADER_DIFF], &diff, sizeof(diff));
	if (result < 0)
		return err_sys(err, result, "cannot inspect the new leader of %s", event->name);
	const struct attr_map_entry entry = {link.id, diff.id};
	return attr_map_enter(map, &event->attr, &entry, err);
}

static int make(struct leader *leader, const struct event *event, const struct cpulist *cpus,
		const struct cpulist *possible, const struct attr_map *map, struct err *err)
{
	/* before any BPF object is made: a host that cannot count the event is a usual case */
	int fd = open_event(event, cpulist_next(cpus, -1), err);
	if (fd < 0)
		return fd;
	fd_close(&fd);
	int result = load(leader, possible, err);
	if (!result)
		result = put_events(leader, event, cpus, err);
	if (!result) {
		result = leader->link_fd = sys_bpf_raw_tracepoint_open(TRACEPOINT, leader->prog_fd);
		if (result < 0)
			err_sys(err, result, "cannot attach " PROGRAM " to " TRACEPOINT);
	}
	if (result >= 0 && map)
		result = enter(leader, event, map, err);
	return result < 0 ? result : 0;
}

/* --- joining one ---------------------------------------------------------------------------------------------------- */

enum { PROG_MAPS_MAX = 16 };

struct prog_facts {
	struct bpf_prog_info info;
	struct bpf_func_info func;
	uint32_t map_ids[PROG_MAPS_MAX];
};

static int read_prog(int fd, struct prog_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	facts->info.nr_map_ids = PROG_MAPS_MAX;
	facts->info.map_ids = (uint64_t)(uintptr_t)facts->map_ids;
	facts->info.nr_func_info = 1;
	facts->info.func_info_rec_size = sizeof(facts->func);
	facts->info.func_info = (uint64_t)(uintptr_t)&facts->func;
	return sys_bpf_info(fd, &facts->info, sizeof(facts->info));
}

static bool is_leader_map(enum leader_map which, const struct bpf_map_info *info, const struct cpulist *possible)
{
	if (strncmp(info->name, leader_map_names[which], sizeof(info->name) - 1))
		return false;
	if (which == LEADER_EVENTS)
		return info->type == BPF_MAP_TYPE_PERF_EVENT_ARRAY && info->max_entries > (uint32_t)highest(possible) &&
		       (info->map_flags & BPF_F_PRESERVE_ELEMS);
	return info->type == BPF_MAP_TYPE_PERCPU_ARRAY && info->value_size == sizeof(struct reading) &&
	       info->key_size == sizeof(uint32_t) && info->max_entries == 1;
}

/* Keeps the fd of a map that is one of the leader's. */
static int take_map(struct leader *leader, uint32_t id, const struct attr_map_entry *entry, const struct cpulist *possible)
{
	int fd = sys_bpf_map_by_id(id);
	if (fd < 0)
		return fd;
	struct bpf_map_info info;
	memset(&info, 0, sizeof(info));
	int result = sys_bpf_info(fd, &info, sizeof(info));
	for (int i = 0; !result && i < LEADER_MAPS; i++) {
		if (leader->map_fds[i] < 0 && is_leader_map(i, &info, possible) &&
		    (i != LEADER_DIFF || id == entry->diff_map_id))
			leader->map_fds[i] = fd_take(&fd);
	}
	fd_close(&fd);
	return result;
}

/* Live and sound: the link is one of on_switch on sched_switch, and the program has the maps. -ENOENT if it is not, so
 * that a new one is made; never any other error than one that making would meet too. */
static int join_link(struct leader *leader, const struct attr_map_entry *entry, const struct cpulist *possible)
{
	char name[sizeof(TRACEPOINT) + 1] = "";
	struct bpf_link_info link;
	struct prog_facts facts;
	leader->link_fd = sys_bpf_link_by_id(entry->link_id);
	if (leader->link_fd < 0)
		return leader->link_fd;
	memset(&link, 0, sizeof(link));
	link.raw_tracepoint.tp_name = (uint64_t)(uintptr_t)name;
	link.raw_tracepoint.tp_name_len = sizeof(name);
	if (sys_bpf_info(leader->link_fd, &link, sizeof(link)) || link.type != BPF_LINK_TYPE_RAW_TRACEPOINT ||
	    strcmp(name, TRACEPOINT))
		return -ENOENT;
	leader->prog_fd = sys_bpf_prog_by_id(link.prog_id);
	if (leader->prog_fd < 0 || read_prog(leader->prog_fd, &facts) ||
	    facts.info.type != BPF_PROG_TYPE_RAW_TRACEPOINT || strcmp(facts.info.name, PROGRAM))
		return -ENOENT;
	for (uint32_t i = 0; i < facts.info.nr_map_ids && i < PROG_MAPS_MAX; i++) {
		if (take_map(leader, facts.map_ids[i], entry, possible) < 0)
			return -ENOENT;
	}
	for (int i = 0; i < LEADER_MAPS; i++) {
		if (leader->map_fds[i] < 0)
			return -ENOENT;
	}
	leader->func_id = facts.info.nr_func_info ? facts.func.type_id : 0;
	leader->joined = true;
	return 0;
}

static int join(struct leader *leader, const struct event *event, const struct cpulist *cpus,
		const struct cpulist *possible, const struct attr_map *map, struct err *err)
{
	struct attr_map_entry entry;
	if (attr_map_find(map, &event->attr, &entry) < 0)
		return -ENOENT;
	int result = join_link(leader, &entry, possible);
	if (result == -EPERM) {
		err_note(1, "%s: there is a leader, but objects are opened by id only with CAP_SYS_ADMIN", event->name);
		return result;
	}
	if (result < 0) {
		leader_close(leader);
		attr_map_remove(map, &event->attr);
		return -ENOENT;
	}
	return complete_events(leader, event, cpus, possible, err);
}

int leader_open(struct leader *leader, const struct event *event, const struct cpulist *cpus,
		const struct cpulist *possible, const struct attr_map *map, struct err *err)
{
	init(leader);
	int result = map ? attr_map_lock(map, err) : 0;
	if (result < 0)
		return result;
	result = map ? join(leader, event, cpus, possible, map, err) : -ENOENT;
	/* not allowed to join: an own one is made, and the entry left to those who may */
	if (result == -ENOENT || result == -EPERM) {
		leader_close(leader);
		result = make(leader, event, cpus, possible, result == -EPERM ? NULL : map, err);
	}
	if (map)
		attr_map_unlock(map);
	if (result < 0)
		leader_close(leader);
	return result;
}

int leader_trigger(const struct leader *leader, int cpu, int *status)
{
	int32_t retval = 0;
	int result = sys_bpf_prog_test_run(leader->prog_fd, cpu, &retval);
	*status = result < 0 ? result : retval;
	return result;
}

int leader_totals(const struct leader *leader, struct reading *totals)
{
	uint32_t zero = 0;
	return sys_bpf_map_lookup(leader->map_fds[LEADER_TOTAL], &zero, totals);
}

void leader_close(struct leader *leader)
{
	fd_close(&leader->link_fd);
	fd_close(&leader->prog_fd);
	for (int i = 0; i < LEADER_MAPS; i++)
		fd_close(&leader->map_fds[i]);
	leader->func_id = 0;
	leader->joined = false;
}
