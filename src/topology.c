/* SPDX-License-Identifier: GPL-2.0-only */
#include "topology.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "cpulist.h"
#include "err.h"
#include "memory.h"
#include "out.h"
#include "sort.h"
#include "sysfs.h"

#define NODES "/sys/devices/system/node"

_Static_assert(sizeof(struct topology_cpu) <= SORT_SIZE_MAX, "sort takes it");

enum { PATH_SIZE = 96, DIGITS_MAX = 9 /* of a number that is an int, whatever they are */ };

int topology_open(struct topology *topology, enum plan_aggregate by, const struct cpulist *possible, struct err *err)
{
	*topology = (struct topology){.by = by, .cpus = memory_take(cpulist_count(possible), sizeof(*topology->cpus))};
	if (!topology->cpus)
		return err_sys(err, -ENOMEM, "cannot count by place");
	for (int cpu = -1; (cpu = cpulist_next(possible, cpu)) >= 0; topology->count++)
		topology->cpus[topology->count] = (struct topology_cpu){{cpu}, (unsigned)cpu, topology->count, false};
	return 0;
}

/* --- learning ------------------------------------------------------------------------------------------------------------ */

/* How many of socket, die and core tell the places apart; 0: they have no say in it. */
static int levels_of(const struct topology *topology)
{
	switch (topology->by) {
	case PLAN_EACH_CORE:
		return 3;
	case PLAN_EACH_DIE:
		return 2;
	case PLAN_EACH_SOCKET:
		return 1;
	default:
		return 0;
	}
}

static void read_ids(struct topology_cpu *cpu, int levels)
{
	static const char *const files[] = {"physical_package_id", "die_id", "core_id"};
	for (int i = 0; i < levels; i++) {
		char path[PATH_SIZE];
		out_print(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu->number, files[i]);
		long id = sysfs_number(path, -1);
		cpu->ids[i] = id < 0 || id > INT_MAX ? -1 : (int)id;
		/* kernels before 5.1, and those of other architectures, know no dies (perf's cpumap.c) */
		if (i == 1 && cpu->ids[i] < 0)
			cpu->ids[i] = 0;
	}
}

/* A node's folder: its CPUs are in it, but for those that a node of a lower number has. */
static int read_node(void *context, const char *name)
{
	struct topology *topology = context;
	const char *digits = name + strlen("node");
	char path[PATH_SIZE];
	struct cpulist cpus;
	int node = 0;
	if (strncmp(name, "node", strlen("node")) || !*digits || strlen(digits) > DIGITS_MAX)
		return 0;
	for (; *digits >= '0' && *digits <= '9'; digits++)
		node = node * 10 + (*digits - '0');
	out_print(path, sizeof(path), NODES "/%s/cpulist", name);
	if (*digits || sysfs_list(&cpus, path, NULL) <= 0)
		return 0;
	for (unsigned i = 0; i < topology->count; i++) {
		struct topology_cpu *cpu = &topology->cpus[i];
		if (cpulist_has(&cpus, cpu->number) && (cpu->ids[0] < 0 || cpu->ids[0] > node))
			cpu->ids[0] = node;
	}
	return 0;
}

static bool stands_before(const void *one, const void *other)
{
	const struct topology_cpu *a = one, *b = other;
	if (a->is_known != b->is_known)
		return a->is_known;
	for (int i = 0; i < TOPOLOGY_IDS; i++) {
		if (a->ids[i] != b->ids[i])
			return a->ids[i] < b->ids[i];
	}
	return a->number < b->number;
}

void topology_learn(struct topology *topology, const struct cpulist *cpus)
{
	const bool by_node = topology->by == PLAN_EACH_NODE;
	for (unsigned i = 0; i < topology->count; i++) {
		struct topology_cpu *cpu = &topology->cpus[i];
		if (!cpulist_has(cpus, cpu->number))
			continue;
		topology->known += !cpu->is_known;
		cpu->is_known = true;
		read_ids(cpu, levels_of(topology));
		if (by_node)
			cpu->ids[0] = -1;
	}
	if (by_node)
		sysfs_each(NODES, read_node, topology); /* without the folder the kernel knows no nodes */
	sort(topology->cpus, topology->count, sizeof(*topology->cpus), stands_before);
}

/* --- asking -------------------------------------------------------------------------------------------------------------- */

bool topology_next(const struct topology *topology, const struct cpulist *among, struct topology_walk *walk)
{
	while (walk->next < topology->known) {
		const struct topology_cpu *last = walk->cpu, *cpu = &topology->cpus[walk->next++];
		if (!cpulist_has(among, cpu->number))
			continue;
		walk->begins_place = !last || memcmp(last->ids, cpu->ids, sizeof(cpu->ids)) != 0;
		walk->cpu = cpu;
		return true;
	}
	return false;
}

void topology_name(const struct topology *topology, const struct topology_cpu *cpu, char *name, size_t size)
{
	const int levels = levels_of(topology), *ids = cpu->ids;
	if (levels == 3)
		out_print(name, size, "S%d-D%d-C%d", ids[0], ids[1], ids[2]);
	else if (levels == 2)
		out_print(name, size, "S%d-D%d", ids[0], ids[1]);
	else
		out_print(name, size, "%s%d", levels ? "S" : topology->by == PLAN_EACH_NODE ? "N" : "CPU", ids[0]);
}

void topology_close(struct topology *topology)
{
	memory_free(topology->cpus);
	*topology = (struct topology){0};
}
