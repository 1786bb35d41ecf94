/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of events and of BPF, each building upon those before it. Private to probe.c. */
#ifndef PROBE_LAB_H
#define PROBE_LAB_H

#include "children.h"
#include "event.h"
#include "follower.h"
#include "leader.h"
#include "probe.h"

struct err;

/* What they make, until probe.c closes it. */
struct probe_lab {
	struct probe *probe;
	struct probe_row *row; /* being filled; a probe sets its number only */
	int cpu;             /* on which all is tried: the one that we run on, so that no other is disturbed */
	struct event event;
	int map_fd, prog_fd, link_fd;
	struct leader leader;
	struct follower follower;
	struct children children;
	uint64_t memlock;    /* at the start: loading may raise it */
	int memlock_result;
};

/* Each returns whether it works: an enum probe_answer, or -errno for no. `why` gets what was done and what came of it; advice
 * there goes before the table's. */
typedef int probe_function(struct probe_lab *lab, struct err *why);

probe_function probe_own_tasks, probe_all_cpus, probe_pmu, probe_counters, probe_hardware, probe_software, probe_bpf, probe_jit, probe_tracepoint, probe_leader, probe_trigger, probe_follower, probe_fexit, probe_children, probe_ids, probe_bpffs, probe_registry;

/* What was probed before. */
bool probe_works(const struct probe_lab *lab, enum probe_name name);

/* A row that is not tried, because that one does not work. Returns PROBE_NO. */
int probe_for_want_of(const struct probe_lab *lab, enum probe_name name, struct err *why);

/* Loads a program that is never attached. Returns its fd or -errno. */
struct bpf_insn;
int probe_load(const struct bpf_insn *insns, uint32_t count);

#endif
