/* SPDX-License-Identifier: GPL-2.0-only */
#include "children.h"

#include <errno.h>
#include <unistd.h>

#include "cpulist.h"
#include "err.h"
#include "fd.h"
#include "follower.h"
#include "sys_bpf.h"
#include "sys_task.h"

/* on_free first: an entry whose end is missed would stay. */
static const struct {
	const char *program, *tracepoint;
} hooks[CHILDREN_HOOKS] = {
	{"on_free", "sched_process_free"},
	{"on_exit", "sched_process_exit"},
	{"on_newtask", "task_newtask"},
	{"on_thread_exec", "sched_process_exec"},
};
enum { HOOK_NEWTASK = 2, HOOK_THREAD_EXEC = 3 };

static int map_fd(const struct children *children, const char *name)
{
	return loader_map(&children->loader, name);
}

void children_init(struct children *children)
{
	*children = (struct children){0};
	for (int i = 0; i < CHILDREN_HOOKS; i++)
		children->link_fds[i] = -1;
}

static int attach_all(struct children *children, bool inherit, struct err *err)
{
	for (int i = 0; i < CHILDREN_HOOKS; i++) {
		if ((i == HOOK_NEWTASK && !inherit) || (i == HOOK_THREAD_EXEC && !children->settings.by_thread))
			continue;
		int link_fd = children->link_fds[i] =
			loader_link(&children->loader, hooks[i].program, hooks[i].tracepoint, NULL, err);
		if (link_fd < 0) {
			err_prefix(err, "cannot follow children");
			return link_fd;
		}
	}
	return 0;
}

static int fill_slots(const struct children *children, unsigned slots, struct err *err)
{
	for (uint32_t slot = 0; slot + 1 < slots; slot++) {
		int result = sys_bpf_map_push(map_fd(children, "free_slots"), &slot);
		if (result < 0)
			return err_sys(err, result, "cannot make room for threads");
	}
	return 0;
}

int children_open(struct children *children, bool by_thread, unsigned ids_max, unsigned slots, unsigned cpus, bool inherit,
		  struct err *err)
{
	children_init(children);
	children->cpus = cpus;
	children->settings.by_thread = by_thread;
	children->settings.rest_slot = slots - 1;
	if (!sys_task_pidns(&children->settings.pidns_dev, &children->settings.pidns_ino)) {
		/* here the BPF side would know our tasks by other ids; a failure is one that the rest meets, too */
		int id = sys_bpf_own_process();
		if (id > 0 && id != getpid()) {
			err_set(err, -ENOENT, "cannot tell which PID namespace this is: no /proc/self/ns/pid");
			err_hint(err, "mount -t proc proc /proc");
			return -ENOENT;
		}
	}
	const struct object *object = embed_object(EMBED_CHILDREN, err);
	if (!object)
		return -EINVAL;
	const struct loader_fit fits[] = {
		{"filter", -1, ids_max, NULL, 0},
		{"tasks", -1, CHILDREN_MAX, NULL, 0},
		{"threads", -1, slots, NULL, 0},
		{"free_slots", -1, slots, NULL, 0},
		{".rodata", -1, 0, &children->settings, sizeof(children->settings)},
	};
	int result = loader_open(&children->loader, object, fits, sizeof(fits) / sizeof(*fits), err);
	if (!result)
		result = fill_slots(children, slots, err);
	if (!result)
		result = attach_all(children, inherit, err);
	if (result < 0)
		children_close(children);
	return result;
}

uint32_t children_take_slot(const struct children *children)
{
	uint32_t slot = children->settings.rest_slot;
	if (slot)
		sys_bpf_map_pop(map_fd(children, "free_slots"), &slot); /* none: the last one */
	return slot;
}

/* Of the mark, which the BPF side changes, too: but never one that is 0. Returns 0 or -errno. */
static int set_mark(const struct children *children, uint32_t id, uint64_t mark)
{
	const uint32_t at = id % MARKS;
	uint64_t was = 0;
	int result = sys_bpf_map_lookup(map_fd(children, "marks"), &at, &was);
	if (was && was != mark)
		mark = MARK_LOOK;
	return result < 0 ? result : sys_bpf_map_update(map_fd(children, "marks"), &at, &mark, BPF_ANY);
}

int children_add(const struct children *children, uint32_t id, uint32_t slot)
{
	int result = sys_bpf_map_update(map_fd(children, "filter"), &id, &slot, BPF_ANY);
	return result < 0 ? result : set_mark(children, id, MARK(id, slot));
}

void children_remove(const struct children *children, uint32_t id)
{
	set_mark(children, id, MARK_LOOK); /* not there: as good */
	sys_bpf_map_delete(map_fd(children, "filter"), &id);
}

bool children_thread(const struct children *children, uint32_t slot, struct thread_info *thread)
{
	return !sys_bpf_map_lookup(map_fd(children, "threads"), &slot, thread) && thread->tid;
}

struct follower_subject children_subject(const struct children *children, uint32_t events)
{
	struct follower_subject subject = {
		EMBED_FOLLOWER,
		children->settings.rest_slot + 1,
		{{"filter", map_fd(children, "filter"), 0, NULL, 0},
		 {"tasks", map_fd(children, "tasks"), 0, NULL, 0},
		 {"threads", map_fd(children, "threads"), 0, NULL, 0},
		 {"marks", map_fd(children, "marks"), 0, NULL, 0}},
		{.tasks = children->settings},
		sizeof(children->settings),
	};
	subject.settings.tasks.events = events;
	subject.settings.tasks.slots = subject.slots;
	return subject;
}

struct children_state children_state(const struct children *children)
{
	static struct children_state states[CPULIST_MAX]; /* only those of possible CPUs are touched */
	struct children_state sum = {0};
	uint32_t zero = 0;
	if (sys_bpf_map_lookup(map_fd(children, "states"), &zero, states))
		return sum;
	for (unsigned i = 0; i < children->cpus; i++) {
		sum.lost += states[i].lost;
		sum.born += states[i].born;
	}
	return sum;
}

void children_close(struct children *children)
{
	for (int i = CHILDREN_HOOKS; i--;)
		fd_close(&children->link_fds[i]);
	loader_close(&children->loader);
}
