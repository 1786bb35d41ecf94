/* SPDX-License-Identifier: GPL-2.0-only */
#include "plain.h"

#include <errno.h>
#include <string.h>

#include "cpulist.h"
#include "err.h"
#include "event.h"
#include "event_fd.h"
#include "fd.h"
#include "groups.h"
#include "memory.h"
#include "sys_perf.h"
#include "tasks.h"

static int make_room(struct plain *plain, size_t count, const struct event *event, struct err *err)
{
	*plain = (struct plain){memory_take(count, sizeof(*plain->events)), 0};
	return plain->events ? 0 : err_sys(err, -ENOMEM, "cannot count %s", event->name);
}

/* Closes what is open after a failure. */
static int finish(struct plain *plain, int result)
{
	if (result < 0)
		plain_close(plain);
	return result;
}

int plain_open_cpus(struct plain *plain, const struct event *event, const struct cpulist *cpus, struct err *err)
{
	int result = make_room(plain, cpulist_count(cpus), event, err);
	for (int cpu = -1; !result && (cpu = cpulist_next(cpus, cpu)) >= 0;) {
		int fd = event_fd_open(event, -1, cpu, EVENT_FD_DISABLED, false, err);
		if (fd >= 0)
			plain->events[plain->count++] = (struct plain_event){fd, (unsigned)cpu, 0};
		else if (fd != -ENODEV)
			result = fd;
	}
	if (!result && !plain->count)
		result = err_set(err, -EOPNOTSUPP, "cannot count %s: no CPU of those asked for is online", event->name);
	return finish(plain, result);
}

/* perf_event_paranoid 2, the kernel's default: a user may count what is his, in user space. */
static bool confine(struct event *event, int refusal)
{
	size_t length = strlen(event->name);
	if ((refusal != -EACCES && refusal != -EPERM) || event->attr.exclude_kernel || event->attr.exclude_user ||
	    length + 3 > sizeof(event->name))
		return false;
	event->attr.exclude_kernel = event->attr.exclude_hv = 1;
	memcpy(event->name + length, ":u", 3);
	return true;
}

int plain_open_tasks(struct plain *plain, struct event *event, const struct task *tasks, int count, bool inherit,
		     bool on_exec, struct err *err)
{
	const enum event_fd_start start = on_exec ? EVENT_FD_ON_EXEC : EVENT_FD_DISABLED;
	const struct event whole = *event;
	int result = make_room(plain, (size_t)count, event, err);
	for (int i = 0; !result && i < count; i++) {
		int fd = event_fd_open(event, tasks[i].id, -1, start, inherit, err);
		if (fd < 0 && !plain->count && confine(event, fd)) {
			const int refusal = fd;
			struct err again = {0};
			fd = event_fd_open(event, tasks[i].id, -1, start, inherit, &again);
			if (fd < 0)
				*event = whole;
			/* refused as well: then the first refusal is what the user has to do with */
			if (fd == -EACCES || fd == -EPERM)
				fd = refusal;
			else if (fd < 0)
				*err = again;
		}
		if (fd >= 0)
			plain->events[plain->count++] = (struct plain_event){fd, 0, tasks[i].slot};
		else if (fd != -ESRCH)
			result = fd;
	}
	if (!result && !plain->count)
		result = err_set(err, -ESRCH, "cannot count %s: the tasks have ended", event->name);
	return finish(plain, result);
}

int plain_open_groups(struct plain *plain, const struct event *event, const struct groups *groups, int only_slot,
		      const struct cpulist *cpus, struct err *err)
{
	int result = make_room(plain, cpulist_count(cpus) * (size_t)groups->count, event, err);
	for (int slot = 0; !result && slot < groups->count; slot++) {
		for (int cpu = -1;
		     !result && (only_slot < 0 || slot == only_slot) && (cpu = cpulist_next(cpus, cpu)) >= 0;) {
			int fd = event_fd_open_cgroup(event, groups->list[slot].fd, cpu, err);
			if (fd >= 0)
				plain->events[plain->count++] = (struct plain_event){fd, (unsigned)cpu, (uint32_t)slot};
			else if (fd != -ENODEV)
				result = fd;
		}
	}
	return finish(plain, result);
}

int plain_enable(const struct plain *plain, bool enabled)
{
	int result = 0;
	for (int i = 0; !result && i < plain->count; i++)
		result = sys_perf_enable(plain->events[i].fd, enabled);
	return result;
}

int plain_read(const struct plain *plain, int index, struct reading *reading)
{
	return sys_perf_read(plain->events[index].fd, reading);
}

void plain_close(struct plain *plain)
{
	while (plain->count)
		fd_close(&plain->events[--plain->count].fd);
	memory_free(plain->events);
	plain->events = NULL;
}
