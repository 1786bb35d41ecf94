/* SPDX-License-Identifier: GPL-2.0-only */
/* A scope's follower: one program on each context switch for its events, up to FOLLOWER_EVENTS. It reads them, or finds what another follower has read at that
 * switch, and adds what they have come to to the slots of the tasks that the scope counts. */
#ifndef FOLLOWER_H
#define FOLLOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "bperf.h"
#include "embed.h"
#include "loader.h"

struct cpulist;
struct err;
struct leader;
struct reading;

struct follower {
	struct loader loader; /* owns the maps */
	struct follower_control control;
	uint32_t enablings;   /* so far: numbers the next baseline */
	uint32_t slots;
	const struct cpulist *possible;
	struct follower_cpu *states; /* of all possible CPUs, as last read */
	int prog_fd, link_fd, exec_link_fd;
};

/* Whom a follower counts: its program, and the maps by which it knows them, which stay the giver's. */
enum { FOLLOWER_FITS = 4 };
struct follower_subject {
	enum embed_name object;
	uint32_t slots;
	struct loader_fit fits[FOLLOWER_FITS];
	union {
		struct task_settings tasks;
		struct group_settings groups;
	} settings;
	uint32_t settings_size;
};

/* Nothing open: what follower_close may be called on. */
void follower_init(struct follower *follower);

/* leaders: one of each event, NULL for one that cannot be counted; not all are. with_exec: a workload is to be counted from its exec, or threads, of
 * which one may get another id with its exec. possible must outlive the follower. Not yet counting. Returns 0 or -errno with a text. */
int follower_open(struct follower *follower, const struct leader *const *leaders, unsigned events,
		  const struct follower_subject *subject, const struct cpulist *possible, bool with_exec, struct err *err);

/* What comes from now on, on any CPU, is in the sums. cpus: those that may count at once, offline ones are passed over; another begins with
 * its first switch. workload: the process to count from its exec on, or 0. Returns 0 or -errno with a text. */
int follower_enable(struct follower *follower, const struct cpulist *cpus, uint32_t workload, struct err *err);

/* Brings the sums up to now. Of the CPUs only those are interrupted that may run a task which is counted. Returns 0 or -errno with a text. */
int follower_bring_up(const struct follower *follower, const struct cpulist *cpus, struct err *err);

/* Stops counting: to be called right after a reading, as what comes between the two is not in the sums. Returns 0 or -errno
 * with a text. */
int follower_disable(struct follower *follower, struct err *err);

/* The sums of an event's slot, as they were brought up: one reading per possible CPU, in their order. Returns 0 or -errno. */
int follower_read(const struct follower *follower, unsigned event, uint32_t slot, struct reading *readings);

/* May be called twice, and after a failed opening. */
void follower_close(struct follower *follower);

#endif
