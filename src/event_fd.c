/* SPDX-License-Identifier: GPL-2.0-only */
#include "event_fd.h"

#include <errno.h>

#include "err.h"
#include "event.h"
#include "sys_perf.h"

/* Does this errno of perf_event_open mean that the host cannot count such an event (rather than that we may not)? */
static bool is_unsupported(int error)
{
	return error == -ENOENT || error == -EOPNOTSUPP || error == -EINVAL || error == -ENXIO || error == -ENOSYS;
}

int event_fd_open(const struct event *event, int pid, int cpu, enum event_fd_start start, bool inherit, struct err *err)
{
	struct perf_event_attr attr = event->attr;
	const char *kind = pid < 0 ? "on CPU" : "for task";
	int id = pid < 0 ? cpu : pid;
	if (start != EVENT_FD_ENABLED) {
		attr.disabled = 1;
		attr.enable_on_exec = start == EVENT_FD_ON_EXEC;
		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		attr.inherit = inherit;
	}
	int fd = sys_perf_event_open(&attr, pid, cpu);
	if (fd >= 0 || fd == -ENODEV || fd == -ESRCH)
		return fd;
	if (is_unsupported(fd)) {
		err_sys(err, fd, "this host cannot count %s %s %d", event->name, kind, id);
		err_hint(err, event->attr.type == PERF_TYPE_SOFTWARE
				      ? "the kernel was built without it, or refuses perf_event_open(2)"
				      : "no such hardware counter, or none at all: a virtual machine may have no PMU");
		return -EOPNOTSUPP;
	}
	err_sys(err, fd, "cannot open %s %s %d", event->name, kind, id);
	if (fd == -EACCES || fd == -EPERM)
		err_hint(err, "needs root or CAP_PERFMON; /proc/sys/kernel/perf_event_paranoid and seccomp can refuse it");
	return fd;
}
