/* SPDX-License-Identifier: GPL-2.0-only */
/* An event of a CPU or a task, opened: the one place that says why the kernel refused it. */
#ifndef EVENT_FD_H
#define EVENT_FD_H

#include <stdbool.h>

struct err;
struct event;

enum event_fd_start {
	EVENT_FD_ENABLED,  /* counts at once; is for a leader's map, not for sys_perf_read */
	EVENT_FD_DISABLED, /* until sys_perf_enable */
	EVENT_FD_ON_EXEC,  /* until the task's next exec */
};

/* As event_fd_open, for the tasks of a cgroup on that CPU; disabled. */
int event_fd_open_cgroup(const struct event *event, int cgroup_fd, int cpu, struct err *err);

/* pid -1: everything on that CPU; cpu -1: the task wherever it runs, its children too with `inherit`. Returns the fd, the
 * caller's, or: -ENODEV, without a text: the CPU is offline; -ESRCH, without a text: there is no such task; -EOPNOTSUPP with a
 * text: this host cannot count it; another -errno with a text. */
int event_fd_open(const struct event *event, int pid, int cpu, enum event_fd_start start, bool inherit, struct err *err);

#endif
