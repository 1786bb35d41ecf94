/* SPDX-License-Identifier: GPL-2.0-only */
#include "children.h"

#include <errno.h>

#include "embed.h"
#include "err.h"
#include "fd.h"
#include "sys_bpf.h"
#include "sys_task.h"

static int attach(const struct loader *loader, const char *program, const char *tracepoint, int *prog_fd, int *link_fd,
		  struct err *err)
{
	const struct loader_hang hang = {BPF_PROG_TYPE_RAW_TRACEPOINT, 0, -1, 0};
	*prog_fd = loader_prog(loader, program, &hang, err);
	if (*prog_fd < 0)
		return *prog_fd;
	*link_fd = sys_bpf_raw_tracepoint_open(tracepoint, *prog_fd);
	return *link_fd < 0 ? err_sys(err, *link_fd, "cannot attach %s to %s", program, tracepoint) : 0;
}

int children_open(struct children *children, bool by_thread, unsigned ids_max, bool inherit, struct err *err)
{
	*children = (struct children){
		.newtask_prog_fd = -1, .newtask_link_fd = -1, .free_prog_fd = -1, .free_link_fd = -1,
		.settings.by_thread = by_thread,
	};
	sys_task_pidns(&children->settings.pidns_dev, &children->settings.pidns_ino);
	const struct object *object = embed_object(EMBED_CHILDREN, err);
	if (!object)
		return -EINVAL;
	const struct loader_fit fits[] = {
		{"filter", -1, ids_max, NULL, 0},
		{"tasks", -1, inherit ? CHILDREN_MAX : 1, NULL, 0},
		{".rodata", -1, 0, &children->settings, sizeof(children->settings)},
	};
	int result = loader_open(&children->loader, object, fits, sizeof(fits) / sizeof(*fits), err);
	/* on_free first: an entry whose end is missed would stay */
	if (!result && inherit)
		result = attach(&children->loader, "on_free", "sched_process_free", &children->free_prog_fd,
				&children->free_link_fd, err);
	if (!result && inherit)
		result = attach(&children->loader, "on_newtask", "task_newtask", &children->newtask_prog_fd,
				&children->newtask_link_fd, err);
	if (result < 0) {
		err_prefix(err, "cannot follow children");
		children_close(children);
	}
	return result;
}

int children_add(const struct children *children, uint32_t id, uint32_t slot)
{
	return sys_bpf_map_update(children_filter_fd(children), &id, &slot, BPF_ANY);
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
	fd_close(&children->newtask_link_fd);
	fd_close(&children->newtask_prog_fd);
	fd_close(&children->free_link_fd);
	fd_close(&children->free_prog_fd);
	loader_close(&children->loader);
}
