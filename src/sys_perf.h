/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_event_open(2). */
#ifndef SYS_PERF_H
#define SYS_PERF_H

#include <stdbool.h>

#include <linux/perf_event.h>

struct reading;

/* As the call: pid -1 is every task, cpu -1 every CPU; is_cgroup: pid is the descriptor of a cgroup's folder. attr->size is set here, to the smallest that holds the fields in
 * use. No group, CLOEXEC. Returns an fd above 2, or -errno. */
int sys_perf_event_open(struct perf_event_attr *attr, int pid, int cpu, bool is_cgroup);

/* Starts or stops counting; children that have inherited the event are switched with it. Returns 0 or -errno. */
int sys_perf_enable(int fd, bool enabled);

/* The count, with that of the children that have inherited it. The event must have been opened with read_format
 * TOTAL_TIME_ENABLED and TOTAL_TIME_RUNNING. Returns 0 or -errno. */
int sys_perf_read(int fd, struct reading *reading);

#endif
