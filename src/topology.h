/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the host's CPUs are: which of them are of one core, die, socket or node. From sysfs, and ordered as perf prints them. */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

#include "plan.h" /* enum plan_aggregate */

struct cpulist;
struct err;

enum { TOPOLOGY_IDS = 3, TOPOLOGY_NAME_SIZE = 36 /* of S, D and C with the longest ints */ };

struct topology_cpu {
	int ids[TOPOLOGY_IDS];     /* CPUs of one place have the same: socket, die, core, as far as they matter; or CPU; or node */
	unsigned number, index;    /* its id; its index among the possible CPUs */
	bool is_known;             /* topology_learn was told of it */
};

struct topology {
	enum plan_aggregate by;
	struct topology_cpu *cpus; /* all possible ones: those that are known, place by place, before the others */
	unsigned count, known;
};

/* No CPU is known yet. Returns 0, or -ENOMEM with a text. */
int topology_open(struct topology *topology, enum plan_aggregate by, const struct cpulist *possible, struct err *err);

/* Reads where these CPUs are. The kernel only tells it of CPUs that are online. What it does not tell, or tells in no number, is
 * what perf takes for it: die 0, and -1 for the rest. */
void topology_learn(struct topology *topology, const struct cpulist *cpus);

/* The next of those of `among` that are known, place by place: for (struct topology_walk w = {0}; topology_next(&t, &among, &w);) */
struct topology_walk {
	const struct topology_cpu *cpu;
	bool begins_place;         /* it is the first of another place than the one before */
	unsigned next;
};
bool topology_next(const struct topology *topology, const struct cpulist *among, struct topology_walk *walk);

/* The place's name, as perf has it: "CPU3", "S0-D0-C1", "S0-D0", "S0", "N0". */
void topology_name(const struct topology *topology, const struct topology_cpu *cpu, char *name, size_t size);

/* May be called twice, and on zeros. */
void topology_close(struct topology *topology);

#endif
