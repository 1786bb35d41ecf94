/* SPDX-License-Identifier: GPL-2.0-only */
#include "sys_perf.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fd.h"
#include "reading.h"

int sys_perf_event_open(struct perf_event_attr *attr, int pid, int cpu, bool is_cgroup)
{
	attr->size = attr->config3 ? PERF_ATTR_SIZE_VER8 : PERF_ATTR_SIZE_VER1;
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC | (is_cgroup ? PERF_FLAG_PID_CGROUP : 0));
	return fd < 0 ? -errno : fd_above_std((int)fd);
}

int sys_perf_enable(int fd, bool enabled)
{
	return ioctl(fd, enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

int sys_perf_read(int fd, struct reading *reading)
{
	ssize_t got = read(fd, reading, sizeof(*reading));
	/* 0: an event in error state, which a pinned one can be only */
	return got == sizeof(*reading) ? 0 : got < 0 ? -errno : -EIO;
}
