/* SPDX-License-Identifier: GPL-2.0-only */
/* The leader of one event: found in the registry and joined, or made and entered there. */
#ifndef LEADER_H
#define LEADER_H

#include <stdbool.h>
#include <stdint.h>

struct cpulist;
struct err;
struct event;
struct reading;
struct registry;

enum leader_map {
	LEADER_EVENTS, LEADER_PREV, LEADER_DIFF, LEADER_TOTAL, LEADER_CPUS, LEADER_MAPS
};

/* Where a leader runs of itself. Only perf's followers need it to run on each switch: where perf may join, sessions hold its link on
 * sched_switch; with the last of them it is detached, and costs nothing per switch. Those that read its totals hold one on cpuhp_enter: it
 * then runs when a CPU goes offline, before its event does. The others' followers read the event. */
enum leader_hook { LEADER_LOOSE, LEADER_HOTPLUG, LEADER_SWITCHES };

/* Every session holds the program: the leader goes when the last one does, however it dies. All fds are owned. */
struct leader {
	int link_fd, prog_fd;     /* link_fd -1: LEADER_LOOSE, or this kernel has no such tracepoint */
	enum leader_hook hook;
	int map_fds[LEADER_MAPS]; /* of perf's leader: total is its prev_readings, cpus an empty map of our own */
	bool joined, is_perfs, is_shared;
};

/* Nothing open: what leader_close may be called on. */
void leader_init(struct leader *leader);

/* Makes sure that every CPU of `cpus` that is online has its event, or, where perf may join, every CPU of `online`, and that it is
 * attached there. possible: sizes the events map. with_totals: leader_totals is to be right. Where it cannot be shared, that is noted and it is not. Returns 0; -EOPNOTSUPP with a text
 * where this host cannot count the event; another -errno with a text. */
int leader_open(struct leader *leader, const struct event *event, const struct cpulist *cpus, const struct cpulist *online,
		const struct cpulist *possible, bool with_totals, struct registry *registry, struct err *err);

/* Gives those of the CPUs an event whose own does not count: they came online after it was opened. Takes the lock only if
 * there is one. Returns how many got one; -EPERM, with a text: the leader is perf's; another -errno with a text. */
int leader_complete(const struct leader *leader, const struct event *event, const struct cpulist *cpus,
		    const struct cpulist *possible, struct registry *registry, struct err *err);

/* Another leader's descriptors again, for another scope of the same session. Returns 0 or -errno; to be followed by leader_close in
 * any case. */
int leader_copy(struct leader *leader, const struct leader *other);

struct attr_map_entry;
/* Opens what an entry of ours or of perf's names, for looking at only: nothing is locked, triggered, attached or completed. Returns 0;
 * -ENOENT: it is gone; -ESTALE: it is no leader; or another -errno. To be followed by leader_close in any case. */
int leader_peek(struct leader *leader, const struct attr_map_entry *entry, bool is_perfs);

/* Runs the leader, and perf's followers of it, on a CPU now. -ENXIO: offline; *status: 0, or the -errno of reading the event. */
int leader_trigger(const struct leader *leader, int cpu, int *status);

/* The CPUs of `cpus` on which the event stood still, or could not be read, when a follower last read it. Returns 0 or -errno. */
int leader_stalled(struct cpulist *stalled, const struct leader *leader, const struct cpulist *cpus,
		   const struct cpulist *possible);

/* Reads total_readings: one reading per possible CPU, in their order. Returns 0 or -errno. */
int leader_totals(const struct leader *leader, struct reading *totals);

/* May be called twice, and on a leader whose opening failed. */
void leader_close(struct leader *leader);

#endif
