/* SPDX-License-Identifier: GPL-2.0-only */
/* One event's follower: adds the leader's growth to the slots of the tasks that the session counts. */
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

enum { FOLLOWER_REFUSED_SIZE = 160 };
struct follower {
	struct loader loader; /* owns accum_readings, cpu_states, control */
	struct follower_control control;
	uint32_t enablings;   /* so far: numbers the next baseline */
	int prog_fd, link_fd, exec_link_fd;
	bool is_fexit;        /* else on the tracepoint, behind the leader: */
	char refused[FOLLOWER_REFUSED_SIZE]; /* why; for who wants to tell */
};

/* Whom a follower counts: its program, and the maps and settings by which it knows them, which stay the giver's. */
enum { FOLLOWER_FITS = 5 };
struct follower_subject {
	enum embed_name object;
	struct loader_fit fits[FOLLOWER_FITS];
};

/* Nothing open: what follower_close may be called on. */
void follower_init(struct follower *follower);

/* Hangs on the leader by fexit where the kernel lets it, else on the tracepoint; -v says which, and why, for `name`.
 * with_exec: a workload is to be counted from its exec. Not yet counting. Returns 0 or -errno with a text. */
int follower_open(struct follower *follower, const struct leader *leader, const struct follower_subject *subject,
		  unsigned slots, bool with_exec, const char *name, struct err *err);

/* First half of enabling (`enable`: what came before is not in the sums) or of a reading: from now on each CPU's next run says
 * that it has been. workload: with enable, the process to count from its exec on, or 0. Returns 0 or -errno with a text. */
int follower_arm(struct follower *follower, bool enable, uint32_t workload, struct err *err);

/* Second half, after the leader was triggered on the CPUs: every CPU's sums are up to that trigger, or later. A CPU that is
 * offline is passed over. Returns 0 or -errno with a text. */
int follower_settle(struct follower *follower, const struct leader *leader, const struct cpulist *cpus,
		    const struct cpulist *possible, struct err *err);

/* Stops counting: to be called right after a reading, as what comes between the two is not in the sums. Returns 0 or -errno
 * with a text. */
int follower_disable(struct follower *follower, struct err *err);

/* The slot's sums: one reading per possible CPU, in their order. Returns 0 or -errno. */
int follower_read(const struct follower *follower, uint32_t slot, struct reading *readings);

/* May be called twice, and after a failed opening. */
void follower_close(struct follower *follower);

#endif
