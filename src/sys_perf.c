/* SPDX-License-Identifier: GPL-2.0-only */
#include "sys_perf.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fd.h"

int sys_perf_event_open(struct perf_event_attr *attr, int pid, int cpu)
{
	attr->size = attr->config3 ? PERF_ATTR_SIZE_VER8 : PERF_ATTR_SIZE_VER1;
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd_above_std((int)fd);
}
