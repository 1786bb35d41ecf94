/* SPDX-License-Identifier: GPL-2.0-only */
#include "event_fd.h"

#include <errno.h>

#include "err.h"
#include "event.h"
#include "fd.h"
#include "refusal.h"
#include "sys_perf.h"

/* Does this errno of perf_event_open mean that the host cannot count such an event (rather than that we may not)? */
static bool is_unsupported(int error)
{
	/* E2BIG: there is something in a field that this kernel does not have yet */
	return error == -ENOENT || error == -EOPNOTSUPP || error == -EINVAL || error == -ENXIO || error == -ENOSYS ||
	       error == -E2BIG;
}

/* Is it only that its PMU cannot leave out user space or the kernel? (RISC-V's cannot without Sscofpmf.) Then it can be opened with
 * both, of this task at least. */
static bool is_all_or_nothing(const struct event *event)
{
	struct perf_event_attr attr = event->attr;
	if (!attr.exclude_user && !attr.exclude_kernel)
		return false;
	attr.exclude_user = attr.exclude_kernel = attr.exclude_hv = attr.exclude_guest = 0;
	int fd = sys_perf_event_open(&attr, 0, -1, false);
	bool can = fd >= 0;
	fd_close(&fd);
	return can;
}

/* The reason why the kernel refused it, of a task or a CPU. */
static int refuse(const struct event *event, int result, const char *kind, int id, struct err *err)
{
	if (result == -ENODEV || result == -ESRCH)
		return result;
	if (is_unsupported(result)) {
		err_sys(err, result, "this host cannot count %s %s %d", event->name, kind, id);
		refusal_hint(REFUSAL_PERF, result, err);
		err_hint(err, event->attr.type == PERF_TYPE_SOFTWARE ? "the kernel was built without it"
			      : is_all_or_nothing(event)
				      ? "this PMU counts user space and kernel together only: take it without :u, :k, "
					"--all-user and the like"
				      : "no such hardware counter, or none at all: a virtual machine may have no PMU");
		return -EOPNOTSUPP;
	}
	err_sys(err, result, "cannot open %s %s %d", event->name, kind, id);
	refusal_hint(REFUSAL_PERF, result, err);
	return result;
}

static void prepare(struct perf_event_attr *attr)
{
	attr->disabled = 1;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

/* As it is, or without what some kernels do not take although it changes nothing. */
static int open_or_less(struct perf_event_attr *attr, int pid, int cpu, bool is_cgroup)
{
	int fd = sys_perf_event_open(attr, pid, cpu, is_cgroup);
	if (fd == -EINVAL && attr->exclude_guest) {
		/* what counts no guests cannot leave them out, either */
		attr->exclude_guest = 0;
		fd = sys_perf_event_open(attr, pid, cpu, is_cgroup);
	}
	if ((fd == -EINVAL || fd == -ENOENT) && cpu >= 0 && attr->config >> 32 &&
	    (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE)) {
		/* the kind of CPU in the upper half is not known to all Arm kernels; on one CPU it is that CPU's */
		attr->config = (uint32_t)attr->config;
		fd = sys_perf_event_open(attr, pid, cpu, is_cgroup);
	}
	return fd;
}

int event_fd_open(const struct event *event, int pid, int cpu, enum event_fd_start start, bool inherit, struct err *err)
{
	struct perf_event_attr attr = event->attr;
	if (start != EVENT_FD_ENABLED) {
		prepare(&attr);
		attr.enable_on_exec = start == EVENT_FD_ON_EXEC;
		attr.inherit = inherit;
	}
	int fd = open_or_less(&attr, pid, cpu, false);
	return fd >= 0 ? fd : refuse(event, fd, pid < 0 ? "on CPU" : "for task", pid < 0 ? cpu : pid, err);
}

int event_fd_open_cgroup(const struct event *event, int cgroup_fd, int cpu, struct err *err)
{
	struct perf_event_attr attr = event->attr;
	prepare(&attr);
	int fd = open_or_less(&attr, cgroup_fd, cpu, true);
	return fd >= 0 ? fd : refuse(event, fd, "for a cgroup on CPU", cpu, err);
}
