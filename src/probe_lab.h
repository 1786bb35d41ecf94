/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of events and of BPF, each building upon those before it. Private to probe.c. */
#ifndef PROBE_LAB_H
#define PROBE_LAB_H

#include "children.h"
#include "event.h"
#include "follower.h"
#include "leader.h"
#include "probe.h"

struct bpf_insn;
struct err;

/* What they make, until probe.c closes it. */
struct probe_lab {
	const struct probe_row *rows; /* those before this one are filled */
	struct probe_row *row; /* being filled, but for name and answer */
	int cpu;               /* on which all is tried: the one that we run on, so that no other is disturbed */
	struct event event;
	int map_fd, prog_fd, link_fd;
	struct leader leader;
	struct follower follower;
	struct children children;
	uint64_t memlock;      /* at the start, as sys_task_memlock tells: loading may raise it */
};

/* Each returns whether it works: an enum probe_answer, or -errno for no, with a text in `why`. Without a text the reason in the row
 * stands, which is at first the table's for yes. Advice in `why` goes before the table's. */
typedef int probe_function(struct probe_lab *lab, struct err *why);

probe_function probe_own_tasks, probe_all_cpus, probe_pmu, probe_counters, probe_hardware, probe_software;
probe_function probe_bpf, probe_jit, probe_tracepoint, probe_leader, probe_trigger, probe_follower, probe_fexit, probe_children,
	probe_ids;

/* Loads a program that is never attached. Returns its fd or -errno. */
int probe_load(const struct bpf_insn *insns, uint32_t count);

#endif
