/* SPDX-License-Identifier: GPL-2.0-only */
/* Where CPUs are, from trees that stand for /sys: ordinary machines, odd ones, and hostile ones. */
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpulist.h"
#include "err.h"
#include "sysfs.h"
#include "topology.h"

#define CPU_DIR "/sys/devices/system/cpu/cpu"
#define NODE_DIR "/sys/devices/system/node/"

static char root[] = "/tmp/bperf-mini-test.XXXXXX";

static void full_path(char *full, size_t size, const char *path)
{
	snprintf(full, size, "%s%s", root, path);
	for (char *p = full + sizeof(root); (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
}

/* Folders on the way are made. */
static void put(const char *path, const char *text)
{
	char full[256];
	full_path(full, sizeof(full), path);
	FILE *file = fopen(full, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		OK(false, "cannot write %s", full);
}

static void put_link(const char *path, const char *to)
{
	char full[256];
	full_path(full, sizeof(full), path);
	unlink(full);
	if (symlink(to, full))
		OK(false, "cannot link %s", full);
}

/* NULL: no such file */
static void put_id(unsigned cpu, const char *file, const char *text)
{
	char path[128];
	snprintf(path, sizeof(path), CPU_DIR "%u/topology/%s", cpu, file);
	if (text)
		put(path, text);
}

static void put_cpu(unsigned cpu, int socket, int die, int core)
{
	static const char *const files[] = {"physical_package_id", "die_id", "core_id"};
	const int ids[] = {socket, die, core};
	for (int i = 0; i < 3; i++) {
		char text[32];
		snprintf(text, sizeof(text), "%d\n", ids[i]);
		put_id(cpu, files[i], text);
	}
}

static void fell(void)
{
	char command[64];
	snprintf(command, sizeof(command), "rm -rf %s/*", root);
	if (system(command))
		OK(false, "cannot clear %s", root);
}

static struct cpulist list_of(const char *text)
{
	struct cpulist list;
	struct err err = {0};
	if (cpulist_parse(&list, text, &err) < 0)
		OK(false, "%s", err.text);
	return list;
}

/* "S0:0,2 S1:1,3": the places of `among` */
static const char *describe(const struct topology *topology, const char *among_text)
{
	static char text[4096];
	const struct cpulist among = list_of(among_text);
	size_t used = 0;
	text[0] = '\0';
	for (struct topology_walk walk = {0}; topology_next(topology, &among, &walk);) {
		char name[TOPOLOGY_NAME_SIZE];
		topology_name(topology, walk.cpu, name, sizeof(name));
		if (walk.begins_place)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s:", used ? " " : "", name);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u", walk.begins_place ? "" : ",", walk.cpu->number);
	}
	return text;
}

static const char *places(enum plan_aggregate by, const char *possible_text, const char *online_text)
{
	static struct topology topology;
	const struct cpulist possible = list_of(possible_text), online = list_of(online_text);
	struct err err = {0};
	topology_close(&topology);
	if (topology_open(&topology, by, &possible, &err) < 0)
		OK(false, "%s", err.text);
	topology_learn(&topology, &online);
	return describe(&topology, online_text);
}

/* Two sockets of two dies of two cores of two threads, numbered as Linux on x86 does: the second threads behind all first ones.
 * Core ids begin anew in each socket, and have holes. */
static void test_server(void)
{
	fell();
	for (unsigned cpu = 0; cpu < 16; cpu++)
		put_cpu(cpu, cpu / 4 % 2, cpu / 2 % 2, (int)(cpu % 2 * 8 + cpu / 2 % 2));
	put(NODE_DIR "node0/cpulist", "0-3,8-11\n");
	put(NODE_DIR "node1/cpulist", "4-7,12-15\n");
	put(NODE_DIR "node2/cpulist", "\n");
	put(NODE_DIR "online", "0-2\n");
	EQ_TEXT(places(PLAN_EACH_CORE, "0-15", "0-15"),
		"S0-D0-C0:0,8 S0-D0-C8:1,9 S0-D1-C1:2,10 S0-D1-C9:3,11 S1-D0-C0:4,12 S1-D0-C8:5,13 S1-D1-C1:6,14 S1-D1-C9:7,15",
		"cores, whose ids repeat in the other socket");
	EQ_TEXT(places(PLAN_EACH_DIE, "0-15", "0-15"), "S0-D0:0,1,8,9 S0-D1:2,3,10,11 S1-D0:4,5,12,13 S1-D1:6,7,14,15", "dies");
	EQ_TEXT(places(PLAN_EACH_SOCKET, "0-15", "0-15"), "S0:0,1,2,3,8,9,10,11 S1:4,5,6,7,12,13,14,15", "sockets");
	EQ_TEXT(places(PLAN_EACH_NODE, "0-15", "0-15"), "N0:0,1,2,3,8,9,10,11 N1:4,5,6,7,12,13,14,15",
		"nodes, one of them without a CPU");
	EQ_TEXT(places(PLAN_EACH_CPU, "0-15", "0,9-11"), "CPU0:0 CPU9:9 CPU10:10 CPU11:11", "CPUs");
	EQ_TEXT(places(PLAN_EACH_CORE, "0-15", "7,8,15"), "S0-D0-C0:8 S1-D1-C9:7,15", "some of the CPUs");

	const struct cpulist all = list_of("0-15");
	struct topology topology;
	struct err err = {0};
	OK(!topology_open(&topology, PLAN_EACH_SOCKET, &all, &err), "opened");
	topology_learn(&topology, &all);
	bool is_right = true;
	for (unsigned i = 0; i < 16; i++)
		is_right &= topology.cpus[i].index == topology.cpus[i].number;
	OK(is_right, "a CPU keeps its index among the possible ones");
	topology_close(&topology);
	topology_close(&topology);
	OK(!topology.cpus, "closed twice");
}

static void test_holes(void)
{
	fell();
	put_cpu(2, 1, 0, 0);
	put_cpu(300, 0, 0, 70000);
	put_cpu(8191, 0, 0, 69999);
	put(NODE_DIR "node12/cpulist", "2,8191\n");
	put(NODE_DIR "node3/cpulist", "300");
	EQ_TEXT(places(PLAN_EACH_CORE, "2,300,8191", "2,300,8191"), "S0-D0-C69999:8191 S0-D0-C70000:300 S1-D0-C0:2",
		"CPU ids with holes, core ids above 2^16");
	EQ_TEXT(places(PLAN_EACH_NODE, "2,300,8191", "2,300,8191"), "N3:300 N12:2,8191", "nodes with holes, by number");
	EQ_TEXT(places(PLAN_EACH_CPU, "2,300,8191", "2,300,8191"), "CPU2:2 CPU300:300 CPU8191:8191", "CPUs");

	const struct cpulist possible = list_of("2,300,8191"), all = possible;
	struct topology topology;
	struct topology_walk walk = {0};
	struct err err = {0};
	OK(!topology_open(&topology, PLAN_EACH_SOCKET, &possible, &err), "opened");
	topology_learn(&topology, &all);
	OK(topology_next(&topology, &all, &walk) && walk.cpu->number == 300 && walk.cpu->index == 1, "its index is that of the possible CPUs");
	topology_close(&topology);
}

/* A CPU has no topology while it is offline. */
static void test_online_later(void)
{
	const struct cpulist possible = list_of("0-3"), first = list_of("0,2"), later = list_of("1,3");
	struct topology topology;
	struct err err = {0};
	fell();
	put_cpu(0, 0, 0, 0);
	put_cpu(2, 1, 0, 0);
	put(NODE_DIR "node0/cpulist", "0\n");
	put(NODE_DIR "node1/cpulist", "2\n");
	OK(!topology_open(&topology, PLAN_EACH_SOCKET, &possible, &err), "opened");
	topology_learn(&topology, &first);
	EQ_TEXT(describe(&topology, "0-3"), "S0:0 S1:2", "two of four are online, and known");
	put_cpu(1, 0, 0, 1);
	put_cpu(3, 1, 0, 1);
	topology_learn(&topology, &later);
	EQ_TEXT(describe(&topology, "0-3"), "S0:0,1 S1:2,3", "the others came");
	topology_close(&topology);

	OK(!topology_open(&topology, PLAN_EACH_NODE, &possible, &err), "opened");
	topology_learn(&topology, &first);
	EQ_TEXT(describe(&topology, "0,2"), "N0:0 N1:2", "two of four are online");
	/* the kernel lists the CPUs that are online: 2 has gone meanwhile */
	put(NODE_DIR "node0/cpulist", "0-1\n");
	put(NODE_DIR "node1/cpulist", "3\n");
	topology_learn(&topology, &later);
	EQ_TEXT(describe(&topology, "0-3"), "N0:0,1 N1:2,3", "the others came; what has gone stays where it was");
	topology_close(&topology);
}

/* What old kernels, other architectures and containers lack; the names are those of perf. */
static void test_missing(void)
{
	fell();
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		put_id(cpu, "physical_package_id", cpu < 2 ? "0\n" : "1\n");
		put_id(cpu, "core_id", cpu % 2 ? "1\n" : "0\n");
	}
	EQ_TEXT(places(PLAN_EACH_CORE, "0-3", "0-3"), "S0-D0-C0:0 S0-D0-C1:1 S1-D0-C0:2 S1-D0-C1:3", "no die_id: cores");
	EQ_TEXT(places(PLAN_EACH_DIE, "0-3", "0-3"), "S0-D0:0,1 S1-D0:2,3", "no die_id: dies");
	EQ_TEXT(places(PLAN_EACH_NODE, "0-3", "0-3"), "N-1:0,1,2,3", "no nodes");

	fell();
	for (unsigned cpu = 0; cpu < 4; cpu++)
		put_cpu(cpu, -1, -1, (int)cpu / 2);
	EQ_TEXT(places(PLAN_EACH_CORE, "0-3", "0-3"), "S-1-D0-C0:0,1 S-1-D0-C1:2,3", "arm64 that knows no sockets: cores");
	EQ_TEXT(places(PLAN_EACH_DIE, "0-3", "0-3"), "S-1-D0:0,1,2,3", "arm64 that knows no sockets: dies");
	EQ_TEXT(places(PLAN_EACH_SOCKET, "0-3", "0-3"), "S-1:0,1,2,3", "arm64 that knows no sockets: sockets");

	fell();
	EQ_TEXT(places(PLAN_EACH_CORE, "0-3", "0-1,3"), "S-1-D0-C-1:0,1,3", "no /sys: cores");
	EQ_TEXT(places(PLAN_EACH_SOCKET, "0-3", "0-1,3"), "S-1:0,1,3", "no /sys: sockets");
	EQ_TEXT(places(PLAN_EACH_NODE, "0-3", "0-1,3"), "N-1:0,1,3", "no /sys: nodes");
	EQ_TEXT(places(PLAN_EACH_CPU, "0-3", "0-1,3"), "CPU0:0 CPU1:1 CPU3:3", "no /sys: CPUs are there all the same");

	put_cpu(0, 0, 0, 0);
	put_cpu(3, 1, 0, 0);
	EQ_TEXT(places(PLAN_EACH_SOCKET, "0-3", "0-3"), "S-1:1,2 S0:0 S1:3", "some have no topology");
}

static void test_hostile(void)
{
	static const char *const bad[] = {"", "\n", "x\n", "-\n", "1x\n", "0x10\n", " 1\n", "1 2\n", "-2\n", "2147483648\n",
					  "99999999999999999999999\n", "-99999999999999999999999\n", "1\n1\n", "\xff\xfe"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fell();
		put_id(0, "physical_package_id", bad[i]);
		put_id(0, "die_id", bad[i]);
		put_id(0, "core_id", bad[i]);
		EQ_TEXT(places(PLAN_EACH_CORE, "0", "0"), "S-1-D0-C-1:0", "ids that are none, no %zu", i);
	}
	fell();
	char name[TOPOLOGY_NAME_SIZE];
	put_cpu(0, 2147483647, 2147483647, 2147483647);
	EQ_TEXT(places(PLAN_EACH_CORE, "0", "0"), "S2147483647-D2147483647-C2147483647:0", "the largest ids");
	EQ_INT(sizeof("S2147483647-D2147483647-C2147483647"), sizeof(name), "... which just fit");

	fell();
	put_link(CPU_DIR "0/topology", "topology");
	put_link(CPU_DIR "1/topology", "../cpu0");
	put_link("/sys/devices/system/node/node0", "node1");
	put_link("/sys/devices/system/node/node1", "node0");
	EQ_TEXT(places(PLAN_EACH_CORE, "0-1", "0-1"), "S-1-D0-C-1:0,1", "links in a circle");
	EQ_TEXT(places(PLAN_EACH_NODE, "0-1", "0-1"), "N-1:0,1", "nodes that are links in a circle");

	fell();
	put(CPU_DIR "0/topology/core_id/x", "0\n");
	EQ_TEXT(places(PLAN_EACH_CORE, "0", "0"), "S-1-D0-C-1:0", "a folder for an id");
	put(NODE_DIR "nodes/cpulist", "0\n");
	put(NODE_DIR "node-1/cpulist", "0\n");
	put(NODE_DIR "node1x/cpulist", "0\n");
	put(NODE_DIR "node/cpulist", "0\n");
	put(NODE_DIR "has_cpu", "0\n");
	put(NODE_DIR "node9999999999/cpulist", "0\n");
	put(NODE_DIR "node4294967297/cpulist", "0\n");
	put(NODE_DIR "node7/cpulist", "0-99999999\n");
	put(NODE_DIR "node8/cpulist", "0-\n");
	EQ_TEXT(places(PLAN_EACH_NODE, "0-1", "0-1"), "N-1:0,1", "folders that are no nodes, lists that are none");
	put(NODE_DIR "node999999999/cpulist", "0-8191\n");
	put(NODE_DIR "node6/cpulist", "1,5\n");
	put(NODE_DIR "node5/cpulist", "1,5\n");
	EQ_TEXT(places(PLAN_EACH_NODE, "0-1", "0-1"), "N5:1 N999999999:0", "of several nodes a CPU is in the first");
}

/* 4096 CPUs of 16 sockets, of two threads a core; the second threads behind all the first. */
static void test_large(void)
{
	enum { CPUS = 4096, SOCKETS = 16, CORES = CPUS / 2 / SOCKETS };
	const struct cpulist all = list_of("0-4095"), none = {0};
	struct topology topology;
	struct err err = {0};
	OK(!topology_open(&topology, PLAN_EACH_CORE, &all, &err), "4096 CPUs");
	/* not by so many files, which take seconds to make */
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		topology.cpus[cpu].ids[0] = (int)(cpu % SOCKETS);
		topology.cpus[cpu].ids[2] = (int)(cpu % (CPUS / 2) / SOCKETS);
		topology.cpus[cpu].is_known = true;
	}
	topology.known = CPUS;
	topology_learn(&topology, &none);
	int found = 0, count = 0, begun = 0;
	bool is_right = true;
	for (struct topology_walk walk = {0}; topology_next(&topology, &all, &walk); count++) {
		begun += walk.begins_place;
		is_right &= walk.begins_place == !(count % 2);
		found = count / 2;
		is_right &= walk.cpu->ids[0] == found / CORES && walk.cpu->ids[2] == found % CORES;
		is_right &= walk.cpu->number == (unsigned)(found % CORES * SOCKETS + found / CORES + count % 2 * (CPUS / 2));
	}
	EQ_INT(count, CPUS, "each once");
	EQ_INT(begun, CPUS / 2, "two a core");
	OK(is_right, "in order");
	topology_close(&topology);
}

int main(void)
{
	if (!mkdtemp(root))
		OK(false, "cannot make %s", root);
	sysfs_root = root;
	test_server();
	test_holes();
	test_online_later();
	test_missing();
	test_hostile();
	test_large();
	fell();
	rmdir(root);
	return test_done();
}
