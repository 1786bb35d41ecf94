/* SPDX-License-Identifier: GPL-2.0-only */
/* A leader's events: opened, put into its map, and looked after. Private to leader.c. */
#ifndef LEADER_EVENTS_H
#define LEADER_EVENTS_H

struct cpulist;
struct err;
struct event;
struct leader;

/* Can the event be opened on any of the CPUs? 0; -EOPNOTSUPP or another -errno with a text. */
int leader_events_probe(const struct event *event, const struct cpulist *cpus, struct err *err);

/* Opens the event on the CPUs, offline ones passed over, and puts it into the leader's map, which keeps it. Returns 0, or
 * -errno with a text. */
int leader_events_put(const struct leader *leader, const struct event *event, const struct cpulist *cpus, struct err *err);

/* Which of the CPUs, offline ones aside, the leader does not count: they have no event, or one whose `enabled` stands still
 * (it was opened before the CPU went offline). Triggers each at least twice. Returns 0 or -errno with a text. */
int leader_events_missing(struct cpulist *missing, const struct leader *leader, const struct event *event,
			  const struct cpulist *cpus, const struct cpulist *possible, struct err *err);

#endif
