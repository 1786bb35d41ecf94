/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_event_open(2). */
#ifndef SYS_PERF_H
#define SYS_PERF_H

#include <linux/perf_event.h>

/* As the call: pid -1 is every task, cpu -1 every CPU. attr->size is set here, to the smallest that holds the fields in
 * use. No group, CLOEXEC. Returns an fd above 2, or -errno. */
int sys_perf_event_open(struct perf_event_attr *attr, int pid, int cpu);

#endif
