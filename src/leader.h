/* SPDX-License-Identifier: GPL-2.0-only */
/* The leader of one event: found in the registry and joined, or made and entered there. */
#ifndef LEADER_H
#define LEADER_H

#include <stdbool.h>
#include <stdint.h>

struct attr_map;
struct cpulist;
struct err;
struct event;
struct reading;

enum leader_map {
	LEADER_EVENTS, LEADER_PREV, LEADER_DIFF, LEADER_TOTAL, LEADER_BASE, LEADER_MAPS
};
extern const char *const leader_map_names[LEADER_MAPS];

/* Every session holds the link: the leader goes when the last one does, however it dies. All fds are owned. */
struct leader {
	int link_fd, prog_fd;
	int map_fds[LEADER_MAPS];
	uint32_t func_id; /* of on_switch in the program's BTF; 0: none, so no fexit */
	bool joined;
};

/* Makes sure that every CPU of `cpus` has its event. possible: sizes the events map. map NULL: unshared. Returns 0;
 * -EOPNOTSUPP with a text where this host cannot count the event; another -errno with a text. */
int leader_open(struct leader *leader, const struct event *event, const struct cpulist *cpus,
		const struct cpulist *possible, const struct attr_map *map, struct err *err);

/* Runs the leader, and its fexit followers, on a CPU now. -ENXIO: offline; *status: 0, or the -errno of reading the event. */
int leader_trigger(const struct leader *leader, int cpu, int *status);

/* Reads total_readings: one reading per possible CPU, in their order. Returns 0 or -errno. */
int leader_totals(const struct leader *leader, struct reading *totals);

/* May be called twice, and on a leader whose opening failed. */
void leader_close(struct leader *leader);

#endif
