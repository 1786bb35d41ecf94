/* SPDX-License-Identifier: GPL-2.0-only */
#include "leader_events.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include "cpulist.h"
#include "err.h"
#include "event.h"
#include "event_fd.h"
#include "fd.h"
#include "leader.h"
#include "memory.h"
#include "reading.h"
#include "sys_bpf.h"

static int open_event(const struct event *event, int cpu, struct err *err)
{
	return event_fd_open(event, -1, cpu, EVENT_FD_ENABLED, false, err);
}

int leader_events_probe(const struct event *event, const struct cpulist *cpus, struct err *err)
{
	for (int cpu = -1; (cpu = cpulist_next(cpus, cpu)) >= 0;) {
		int fd = open_event(event, cpu, err);
		if (fd == -ENODEV)
			continue;
		if (fd < 0)
			return fd;
		fd_close(&fd);
		return 0;
	}
	return err_set(err, -EOPNOTSUPP, "cannot count %s: no CPU of those asked for is online", event->name);
}

static int put_event(const struct leader *leader, const struct event *event, int cpu, struct err *err)
{
	int fd = open_event(event, cpu, err);
	if (fd < 0)
		return fd;
	uint32_t key = (uint32_t)cpu;
	int result = sys_bpf_map_update(leader->map_fds[LEADER_EVENTS], &key, &fd, BPF_ANY);
	fd_close(&fd);
	return result < 0 ? err_sys(err, result, "cannot put %s of CPU %d into the leader's map", event->name, cpu) : 0;
}

int leader_events_put(const struct leader *leader, const struct event *event, const struct cpulist *cpus, struct err *err)
{
	for (int cpu = -1; (cpu = cpulist_next(cpus, cpu)) >= 0;) {
		int result = put_event(leader, event, cpu, err);
		if (result < 0 && result != -ENODEV)
			return result;
	}
	return 0;
}

/* One look at the CPUs: what a trigger on each says, and the event as the leader has read it. */
struct look {
	int *status;              /* per CPU id */
	struct reading *readings; /* per possible CPU */
};

static int look_at(const struct leader *leader, const struct cpulist *cpus, const struct look *look)
{
	const uint32_t zero = 0;
	for (int cpu = -1; (cpu = cpulist_next(cpus, cpu)) >= 0;) {
		int result = leader_trigger(leader, cpu, &look->status[cpu]);
		if (result < 0 && result != -ENXIO)
			return result;
	}
	return sys_bpf_map_lookup(leader->map_fds[LEADER_PREV], &zero, look->readings);
}

static void compare(struct cpulist *missing, const struct cpulist *cpus, const struct cpulist *possible,
		    const struct look *before, const struct look *after)
{
	*missing = (struct cpulist){0};
	for (int cpu = -1; (cpu = cpulist_next(cpus, cpu)) >= 0;) {
		unsigned i = cpulist_index(possible, (unsigned)cpu);
		if (after->status[cpu] == -ENXIO)
			continue;
		if (after->status[cpu] < 0 || before->readings[i].enabled == after->readings[i].enabled)
			cpulist_add(missing, (unsigned)cpu);
	}
}

int leader_events_missing(struct cpulist *missing, const struct leader *leader, const struct event *event,
			  const struct cpulist *cpus, const struct cpulist *possible, struct err *err)
{
	const struct timespec moment = {0, 10000000};
	size_t count = cpulist_count(possible);
	struct reading *readings = memory_take(2 * count, sizeof(*readings));
	int *status = memory_take(2 * CPULIST_MAX, sizeof(*status));
	struct look before = {status, readings}, after = {status + CPULIST_MAX, readings + count};
	int result = readings && status ? look_at(leader, cpus, &before) : -ENOMEM;
	if (!result)
		result = look_at(leader, cpus, &after);
	if (!result)
		compare(missing, cpus, possible, &before, &after);
	if (!result && cpulist_count(missing)) {
		/* a coarse clock stands still for a moment, too */
		struct cpulist suspects = *missing;
		nanosleep(&moment, NULL);
		result = look_at(leader, &suspects, &after);
		if (!result)
			compare(missing, &suspects, possible, &before, &after);
	}
	memory_free(status);
	memory_free(readings);
	return result < 0 ? err_sys(err, result, "cannot trigger the leader of %s", event->name) : 0;
}
