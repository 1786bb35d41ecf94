/* SPDX-License-Identifier: GPL-2.0-only */
/* One event counted unshared, by plain perf events: one a CPU, or one a task with its children. */
#ifndef PLAIN_H
#define PLAIN_H

#include <stdbool.h>
#include <stdint.h>

struct cpulist;
struct err;
struct event;
struct groups;
struct reading;
struct task;

struct plain {
	struct plain_event {
		int fd;
		unsigned cpu; /* 0 of tasks */
		uint32_t slot;
	} *events;
	int count;
};

/* One on each CPU that is online, all of slot 0. Returns 0; -EOPNOTSUPP with a text where this host cannot count the event;
 * another -errno with a text. */
int plain_open_cpus(struct plain *plain, const struct event *event, const struct cpulist *cpus, struct err *err);

/* One for each task, each of its slot; a task that has ended is passed over. on_exec: they begin with its next exec. Where this
 * user may count user space only, *event is made to (":u" is added to its name), as perf does. Returns as above; -ESRCH: all
 * have ended. */
int plain_open_tasks(struct plain *plain, struct event *event, const struct task *tasks, int count, bool inherit,
		     bool on_exec, struct err *err);

/* One for each cgroup, or only for that of one slot (-1: all), on each CPU that is online. Returns as plain_open_cpus. */
int plain_open_groups(struct plain *plain, const struct event *event, const struct groups *groups, int only_slot,
		      const struct cpulist *cpus, struct err *err);

/* Starts or stops all. Returns 0 or -errno. */
int plain_enable(const struct plain *plain, bool enabled);

/* The index-th event since it was opened. Returns 0 or -errno. */
int plain_read(const struct plain *plain, int index, struct reading *reading);

/* May be called twice, and on zeros. */
void plain_close(struct plain *plain);

#endif
