/* SPDX-License-Identifier: GPL-2.0-only */
#include "leader.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "bperf.h"
#include "cpulist.h"
#include "embed.h"
#include "err.h"
#include "event.h"
#include "fd.h"
#include "leader_events.h"
#include "loader.h"
#include "memory.h"
#include "reading.h"
#include "registry.h"
#include "sys_bpf.h"

#define PROGRAM "on_switch"
/* by enum leader_hook */
static const char *const tracepoints[] = {"", "cpuhp_enter", "sched_switch"};
enum { NAME_SIZE = 16 };

static const char *const map_names[LEADER_MAPS] = {
	"events", "prev_readings", "diff_readings", "total_readings", "leader_cpus",
};

void leader_init(struct leader *leader)
{
	*leader = (struct leader){.link_fd = -1, .prog_fd = -1};
	for (int i = 0; i < LEADER_MAPS; i++)
		leader->map_fds[i] = -1;
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
		leader->map_fds[i] = fd_take(&loader.map_fds[object_map(object, map_names[i])]);
	loader_close(&loader);
	return leader->prog_fd < 0 ? leader->prog_fd : 0;
}

/* Why this leader is shared with nobody: a note, or, where it must be, an error. */
static int stay_unshared(const struct registry *registry, const struct event *event, int result, const struct err *why,
			 struct err *err)
{
	if (registry->must_share) {
		*err = *why;
		return result;
	}
	err_note(0, "%s: counted unshared: %s", event->name, why->text);
	return 0;
}

/* was: the entry as it is, for the link that is not ours; NULL: there is none. Returns 0 or -errno with a text. */
static int enter(const struct leader *leader, const struct event *event, const struct attr_map_entry *was,
		 const struct registry *registry, struct err *err)
{
	struct attr_map_entry entry = {0};
	struct bpf_link_info link;
	struct bpf_prog_info prog;
	struct bpf_map_info diff;
	if (was)
		entry = *was;
	memset(&link, 0, sizeof(link));
	memset(&prog, 0, sizeof(prog));
	memset(&diff, 0, sizeof(diff));
	int result = leader->link_fd < 0 ? 0 : sys_bpf_info(leader->link_fd, &link, sizeof(link));
	if (!result)
		result = sys_bpf_info(leader->prog_fd, &prog, sizeof(prog));
	if (!result)
		result = sys_bpf_info(leader->map_fds[LEADER_DIFF], &diff, sizeof(diff));
	if (result < 0)
		return err_sys(err, result, "cannot inspect the leader");
	entry.prog_id = prog.id;
	if (leader->hook == LEADER_SWITCHES)
		entry.link_id = link.id;
	else
		entry.hotplug_link_id = link.id;
	return registry_enter(registry, &event->attr, &entry, diff.id, err);
}

/* Where the last of those who held a link has just gone, the kernel may still be about to detach it, and refuses the same program. */
static int attach(struct leader *leader, struct err *err)
{
	enum { TRIES = 400 };
	const struct timespec moment = {0, 5000000};
	int tries = 0;
	const char *name = tracepoints[leader->hook];
	if (leader->hook == LEADER_LOOSE)
		return 0;
	while ((leader->link_fd = sys_bpf_raw_tracepoint_open(name, leader->prog_fd)) == -EEXIST && ++tries < TRIES)
		nanosleep(&moment, NULL);
	if (leader->link_fd == -ENOENT && leader->hook == LEADER_HOTPLUG)
		return 0;
	return leader->link_fd < 0 ? err_sys(err, leader->link_fd, "cannot attach " PROGRAM " to %s", name) : 0;
}

static int make(struct leader *leader, const struct event *event, const struct cpulist *cpus, const struct cpulist *possible,
		enum leader_hook hook, struct err *err)
{
	/* before any BPF object is made: a host that cannot count the event is a usual case */
	int result = leader_events_probe(event, cpus, err);
	if (!result)
		result = load(leader, possible, err);
	if (!result)
		result = leader_events_put(leader, event, cpus, err);
	leader->hook = hook;
	return result < 0 ? result : attach(leader, err);
}

/* --- joining one ---------------------------------------------------------------------------------------------------- */

enum { PROG_MAPS_MAX = 16 };

struct prog_facts {
	struct bpf_prog_info info;
	uint32_t map_ids[PROG_MAPS_MAX];
};

static int read_prog(int fd, struct prog_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	facts->info.nr_map_ids = PROG_MAPS_MAX;
	facts->info.map_ids = (uint64_t)(uintptr_t)facts->map_ids;
	return sys_bpf_info(fd, &facts->info, sizeof(facts->info));
}

static bool is_leader_map(enum leader_map which, const struct bpf_map_info *info)
{
	if (strncmp(info->name, map_names[which], sizeof(info->name) - 1))
		return false;
	if (which == LEADER_EVENTS)
		return info->type == BPF_MAP_TYPE_PERF_EVENT_ARRAY && (info->map_flags & BPF_F_PRESERVE_ELEMS);
	return info->type == BPF_MAP_TYPE_PERCPU_ARRAY &&
	       info->value_size == (which == LEADER_CPUS ? sizeof(struct leader_cpu) : sizeof(struct reading)) &&
	       info->key_size == sizeof(uint32_t) && info->max_entries == 1;
}

/* Keeps the fd of a map that is one of the leader's. diff_map_id 0: any will do. */
static int take_map(struct leader *leader, uint32_t id, uint32_t diff_map_id)
{
	int fd = sys_bpf_map_by_id(id);
	if (fd < 0)
		return fd;
	struct bpf_map_info info;
	memset(&info, 0, sizeof(info));
	int result = sys_bpf_info(fd, &info, sizeof(info));
	for (int i = 0; !result && fd >= 0 && i < LEADER_MAPS; i++) {
		if (leader->map_fds[i] < 0 && is_leader_map(i, &info) &&
		    (i != LEADER_DIFF || !diff_map_id || id == diff_map_id))
			leader->map_fds[i] = fd_take(&fd);
	}
	fd_close(&fd);
	return result;
}

/* perf's leader has no total: its prev_readings, of the same shape, stands for it, on a base of nothing. */
static int stand_in(struct leader *leader)
{
	leader->map_fds[LEADER_TOTAL] = fd_copy(leader->map_fds[LEADER_PREV]);
	if (leader->map_fds[LEADER_TOTAL] < 0)
		return leader->map_fds[LEADER_TOTAL];
	leader->map_fds[LEADER_CPUS] = sys_bpf_map_create(map_names[LEADER_CPUS], BPF_MAP_TYPE_PERCPU_ARRAY,
							  sizeof(uint32_t), sizeof(struct leader_cpu), 1, 0);
	return leader->map_fds[LEADER_CPUS] < 0 ? leader->map_fds[LEADER_CPUS] : 0;
}

/* All maps of ours, or those of perf's: then the ones that it lacks are found for it. -ESTALE: neither. */
static int take_maps(struct leader *leader, const struct prog_facts *facts, uint32_t diff_map_id)
{
	for (uint32_t i = 0; i < facts->info.nr_map_ids && i < PROG_MAPS_MAX; i++) {
		int result = take_map(leader, facts->map_ids[i], diff_map_id);
		if (result < 0)
			return result;
	}
	leader->is_perfs = leader->map_fds[LEADER_CPUS] < 0 && leader->map_fds[LEADER_TOTAL] < 0;
	for (int i = 0; i < LEADER_MAPS; i++) {
		if (leader->map_fds[i] < 0 && !(leader->is_perfs && (i == LEADER_TOTAL || i == LEADER_CPUS)))
			return -ESTALE;
	}
	return leader->is_perfs ? stand_in(leader) : 0;
}

/* Sound: the program is on_switch and has the maps. */
static int join_prog(struct leader *leader, uint32_t prog_id, uint32_t diff_map_id)
{
	struct prog_facts facts;
	leader->prog_fd = sys_bpf_prog_by_id(prog_id);
	if (leader->prog_fd < 0)
		return leader->prog_fd;
	int result = read_prog(leader->prog_fd, &facts);
	if (result < 0)
		return result;
	if (facts.info.type != BPF_PROG_TYPE_RAW_TRACEPOINT || strcmp(facts.info.name, PROGRAM))
		return -ESTALE;
	result = take_maps(leader, &facts, diff_map_id);
	leader->joined = leader->is_shared = true;
	return result;
}

/* The link is one on the tracepoint that is meant: *prog_id is what is attached there. -ENOENT: it is gone. */
static int join_link(struct leader *leader, uint32_t link_id, uint32_t *prog_id)
{
	char name[NAME_SIZE] = "";
	struct bpf_link_info link;
	leader->link_fd = link_id ? sys_bpf_link_by_id(link_id) : -ENOENT;
	if (leader->link_fd < 0)
		return leader->link_fd;
	memset(&link, 0, sizeof(link));
	link.raw_tracepoint.tp_name = (uint64_t)(uintptr_t)name;
	link.raw_tracepoint.tp_name_len = sizeof(name);
	int result = sys_bpf_info(leader->link_fd, &link, sizeof(link));
	if (result < 0 && result != -ENOSPC) /* ENOSPC: a longer name than ours */
		return result;
	if (link.type != BPF_LINK_TYPE_RAW_TRACEPOINT || strcmp(name, tracepoints[leader->hook]))
		return -ESTALE;
	*prog_id = link.prog_id;
	return 0;
}

/* Live and sound, attached or not. -ENOENT: it is gone; -ESTALE: it is another's; else -errno: it could not be looked at, which says
 * nothing of it. */
static int join_entry(struct leader *leader, const struct attr_map_entry *entry, bool is_perfs, enum leader_hook hook)
{
	uint32_t prog_id = 0;
	leader->hook = hook;
	int result =
		hook == LEADER_LOOSE
			? -ENOENT
			: join_link(leader, hook == LEADER_SWITCHES ? entry->link_id : entry->hotplug_link_id, &prog_id);
	if (is_perfs)
		return result < 0 ? result : join_prog(leader, prog_id, entry->diff_map_id);
	/* an id that was given to another link since, or none */
	if (prog_id != entry->prog_id)
		fd_close(&leader->link_fd);
	if (result < 0 && result != -ENOENT && result != -ESTALE)
		return result;
	result = join_prog(leader, entry->prog_id, 0);
	return !result && leader->is_perfs ? -ESTALE : result;
}

int leader_peek(struct leader *leader, const struct attr_map_entry *entry, bool is_perfs)
{
	leader_init(leader);
	int result = join_entry(leader, entry, is_perfs, LEADER_SWITCHES);
	if (leader->link_fd < 0)
		leader->hook = LEADER_LOOSE;
	return result;
}

/* Every CPU must be counted. What a leader of ours lacks is added; one of perf's is not ours to mend: -ESTALE. */
static int trust(const struct leader *leader, const struct event *event, const struct cpulist *cpus,
		 const struct cpulist *possible, struct err *err)
{
	struct cpulist missing;
	int result = leader_events_missing(&missing, leader, event, cpus, possible, err);
	if (result < 0 || !cpulist_count(&missing))
		return result;
	if (!leader->is_perfs)
		return leader_events_put(leader, event, &missing, err);
	err_note(1, "%s: perf's leader does not count CPU %d", event->name, cpulist_next(&missing, -1));
	return -ESTALE;
}

/* Attached by this session where it is the first that needs it so. The next one finds the link by the entry of ours, and perf, which
 * came later, finds the leader. */
static int see_to_link(struct leader *leader, const struct attr_map_entry *entry, const struct event *event,
		       const struct registry *registry, struct err *err)
{
	const bool is_new = leader->link_fd < 0 && leader->hook != LEADER_LOOSE;
	int result = is_new ? attach(leader, err) : 0;
	if (!result && (is_new || registry_reaches_perf(registry)))
		result = enter(leader, event, entry, registry, err);
	return result;
}

static int join_at(struct leader *leader, int place, const struct event *event, const struct cpulist *cpus,
		   const struct cpulist *possible, enum leader_hook hook, const struct registry *registry, struct err *err)
{
	const bool is_perfs = registry_is_perfs(place);
	struct attr_map_entry entry = {0};
	int result = registry_find(registry, &event->attr, place, &entry);
	if (result == -ENOENT)
		return result;
	if (result < 0)
		return err_sys(err, result, "cannot look %s up in %s", event->name,
			       is_perfs ? "perf's attr map" : "the registry");
	result = join_entry(leader, &entry, is_perfs, hook);
	if (result == -ENOENT)
		registry_remove(registry, &event->attr, place);
	if (result == -EPERM)
		return err_set(err, result, "joining needs CAP_SYS_ADMIN");
	if (result == -ESTALE)
		err_note(1, "%s: the entry of %s names another object (%s %u): left alone", event->name,
			 is_perfs ? "perf's attr map" : "the registry", is_perfs ? "link" : "program",
			 is_perfs ? entry.link_id : entry.prog_id);
	else if (result < 0)
		err_sys(err, result, "cannot join the leader of %s", event->name);
	if (!result)
		result = trust(leader, event, cpus, possible, err);
	return result < 0 || is_perfs ? result : see_to_link(leader, &entry, event, registry, err);
}

/* -ENOENT: there is none to join. */
static int join(struct leader *leader, const struct event *event, const struct cpulist *cpus, const struct cpulist *possible,
		enum leader_hook hook, const struct registry *registry, struct err *err)
{
	for (int place = 0; place < REGISTRY_PLACES; place++) {
		int result = join_at(leader, place, event, cpus, possible, hook, registry, err);
		if (result != -ENOENT && result != -ESTALE)
			return result;
		leader_close(leader);
	}
	return -ENOENT;
}

static int open_shared(struct leader *leader, const struct event *event, const struct cpulist *cpus,
		       const struct cpulist *possible, enum leader_hook hook, const struct registry *registry,
		       struct err *err)
{
	struct err why = {0};
	int result = join(leader, event, cpus, possible, hook, registry, err);
	if (result == -EPERM) {
		/* an own one, if that is allowed, and the entry left to those who may join */
		why = *err;
		leader_close(leader);
		result = registry->must_share ? 0 : make(leader, event, cpus, possible, hook, err);
		return result < 0 ? result : stay_unshared(registry, event, -EPERM, &why, err);
	}
	if (result != -ENOENT)
		return result;
	result = make(leader, event, cpus, possible, hook, err);
	if (result < 0)
		return result;
	result = enter(leader, event, NULL, registry, &why);
	leader->is_shared = !result;
	return result < 0 ? stay_unshared(registry, event, result, &why, err) : 0;
}

int leader_open(struct leader *leader, const struct event *event, const struct cpulist *cpus, const struct cpulist *online,
		const struct cpulist *possible, bool with_totals, struct registry *registry, struct err *err)
{
	leader_init(leader);
	bool shared = registry_is_shared(registry);
	enum leader_hook hook = with_totals ? LEADER_HOTPLUG : LEADER_LOOSE;
	int result = shared ? registry_lock(registry, err) : 0;
	if (result == -EBUSY) {
		struct err why = *err;
		shared = false;
		result = stay_unshared(registry, event, result, &why, err);
	}
	if (result < 0)
		return result;
	if (shared) {
		const bool for_perf = registry_reaches_perf(registry);
		hook = for_perf ? LEADER_SWITCHES : hook;
		result = open_shared(leader, event, for_perf ? online : cpus, possible, hook, registry, err);
		registry_unlock(registry);
	} else {
		result = make(leader, event, cpus, possible, hook, err);
	}
	if (result < 0)
		leader_close(leader);
	return result;
}

int leader_copy(struct leader *leader, const struct leader *other)
{
	*leader = *other;
	leader->prog_fd = fd_copy(other->prog_fd);
	int result = leader->prog_fd < 0 ? leader->prog_fd : 0;
	if (other->link_fd >= 0) {
		leader->link_fd = fd_copy(other->link_fd);
		if (leader->link_fd < 0)
			result = leader->link_fd;
	}
	for (int i = 0; i < LEADER_MAPS; i++) {
		leader->map_fds[i] = fd_copy(other->map_fds[i]);
		if (leader->map_fds[i] < 0)
			result = leader->map_fds[i];
	}
	return result;
}

int leader_complete(const struct leader *leader, const struct event *event, const struct cpulist *cpus,
		    const struct cpulist *possible, struct registry *registry, struct err *err)
{
	struct cpulist missing;
	/* without the lock: an idle CPU is the usual case */
	int result = leader_events_missing(&missing, leader, event, cpus, possible, err);
	if (result < 0 || !cpulist_count(&missing))
		return result;
	result = leader->is_shared ? registry_lock(registry, err) : 0;
	if (result < 0)
		return result;
	result = trust(leader, event, &missing, possible, err);
	if (leader->is_shared)
		registry_unlock(registry);
	if (result == -ESTALE)
		return err_set(err, -EPERM, "the leader of %s is perf's", event->name);
	return result < 0 ? result : (int)cpulist_count(&missing);
}

int leader_trigger(const struct leader *leader, int cpu, int *status)
{
	int32_t retval = 0;
	int result = sys_bpf_prog_test_run(leader->prog_fd, cpu, NULL, 0, &retval);
	*status = result < 0 ? result : retval;
	return result;
}

int leader_stalled(struct cpulist *stalled, const struct leader *leader, const struct cpulist *cpus,
		   const struct cpulist *possible)
{
	struct leader_cpu *states = memory_take(cpulist_count(possible), sizeof(*states));
	const uint32_t zero = 0;
	int result = states ? sys_bpf_map_lookup(leader->map_fds[LEADER_CPUS], &zero, states) : -ENOMEM;
	*stalled = (struct cpulist){0};
	for (int cpu = -1; !result && (cpu = cpulist_next(cpus, cpu)) >= 0;) {
		const struct leader_switch *last = &states[cpulist_index(possible, (unsigned)cpu)].last;
		if (last->task && (last->task == SWITCH_UNREAD || !last->diff.enabled))
			cpulist_add(stalled, (unsigned)cpu);
	}
	memory_free(states);
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
	leader->joined = leader->is_perfs = leader->is_shared = false;
	leader->hook = LEADER_LOOSE;
}
