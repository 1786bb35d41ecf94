/* SPDX-License-Identifier: GPL-2.0-only */
#include "children.h"

#include <errno.h>

#include "embed.h"
#include "err.h"
#include "fd.h"
#include "sys_bpf.h"
#include "sys_task.h"

/* on_free first: an entry whose end is missed would stay. on_newtask last: with -i without it. */
static const struct {
	const char *program, *tracepoint;
} hooks[CHILDREN_HOOKS] = {
	{"on_free", "sched_process_free"},
	{"on_exit", "sched_process_exit"},
	{"on_newtask", "task_newtask"},
};

/* The link holds the program: its fd is not kept. */
static int attach(const struct loader *loader, int index, struct err *err)
{
	const struct loader_hang hang = {BPF_PROG_TYPE_RAW_TRACEPOINT, 0, -1, 0};
	int prog_fd = loader_prog(loader, hooks[index].program, &hang, err);
	if (prog_fd < 0)
		return prog_fd;
	int link_fd = sys_bpf_raw_tracepoint_open(hooks[index].tracepoint, prog_fd);
	fd_close(&prog_fd);
	return link_fd < 0 ? err_sys(err, link_fd, "cannot attach %s to %s", hooks[index].program, hooks[index].tracepoint)
			   : link_fd;
}

void children_init(struct children *children)
{
	*children = (struct children){0};
	for (int i = 0; i < CHILDREN_HOOKS; i++)
		children->link_fds[i] = -1;
}

int children_open(struct children *children, bool by_thread, unsigned ids_max, bool inherit, struct err *err)
{
	children_init(children);
	children->settings.by_thread = by_thread;
	sys_task_pidns(&children->settings.pidns_dev, &children->settings.pidns_ino);
	const struct object *object = embed_object(EMBED_CHILDREN, err);
	if (!object)
		return -EINVAL;
	const struct loader_fit fits[] = {
		{"filter", -1, ids_max, NULL, 0},
		{"tasks", -1, CHILDREN_MAX, NULL, 0},
		{".rodata", -1, 0, &children->settings, sizeof(children->settings)},
	};
	int result = loader_open(&children->loader, object, fits, sizeof(fits) / sizeof(*fits), err);
	for (int i = 0; result >= 0 && i < CHILDREN_HOOKS - !inherit; i++) {
		result = children->link_fds[i] = attach(&children->loader, i, err);
		if (result < 0)
			err_prefix(err, "cannot follow children");
	}
	if (result < 0)
		children_close(children);
	return result < 0 ? result : 0;
}

int children_add(const struct children *children, uint32_t id, uint32_t slot)
{
	return sys_bpf_map_update(children_filter_fd(children), &id, &slot, BPF_ANY);
}

void children_remove(const struct children *children, uint32_t id)
{
	sys_bpf_map_delete(children_filter_fd(children), &id); /* not there: as good */
}

int children_filter_fd(const struct children *children)
{
	return loader_map(&children->loader, "filter");
}

int children_tasks_fd(const struct children *children)
{
	return loader_map(&children->loader, "tasks");
}

uint64_t children_lost(const struct children *children)
{
	struct children_state state;
	uint32_t zero = 0;
	return sys_bpf_map_lookup(loader_map(&children->loader, ".bss"), &zero, &state) ? 0 : state.lost;
}

void children_close(struct children *children)
{
	for (int i = CHILDREN_HOOKS; i--;)
		fd_close(&children->link_fds[i]);
	loader_close(&children->loader);
}
