/* SPDX-License-Identifier: GPL-2.0-only */
/* What this host can do, found out by doing it: a row for each thing, with the kernel's own answer. Needs neither /proc nor /sys,
 * waits for nothing but the registry's lock (1 s at most), and leaves nothing behind. */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* In the order in which they are probed and shown. */
enum probe_name {
	PROBE_OWN_TASKS, PROBE_ALL_CPUS, PROBE_PMU, PROBE_COUNTERS, PROBE_HARDWARE, PROBE_SOFTWARE, PROBE_BPF, PROBE_JIT,
	PROBE_TRACEPOINT, PROBE_LEADER, PROBE_TRIGGER, PROBE_FOLLOWER, PROBE_FEXIT, PROBE_CHILDREN, PROBE_IDS, PROBE_BPFFS,
	PROBE_REGISTRY, PROBE_BTF, PROBE_CGROUP, PROBE_CAPABILITIES, PROBE_PARANOID, PROBE_LOCKDOWN, PROBE_MEMLOCK,
	PROBE_SHARING, PROBE_ROWS
};

enum probe_answer { PROBE_NO, PROBE_YES, PROBE_UNKNOWN };
enum { PROBE_REASON_SIZE = 320, PROBE_ADVICE_SIZE = 160, PROBE_COUNTERS_MAX = 32 };

struct probe_row {
	const char *name;        /* as shown */
	const char *lost;        /* what cannot be done without it */
	enum probe_answer answer;
	bool is_tried;           /* it builds upon nothing that does not work; else unknown */
	bool has_number;
	int64_t number;          /* counters, events, the level of perf_event_paranoid, bytes of memlock (-1: no limit) */
	char reason[PROBE_REASON_SIZE]; /* what was done, and the kernel's answer */
	char advice[PROBE_ADVICE_SIZE]; /* how to get it */
};

struct probe {
	struct probe_row rows[PROBE_ROWS]; /* by enum probe_name */
};

void probe_all(struct probe *probe);

/* PROBE_SHARED: counting works, with sharing; PROBE_PLAIN: only without; PROBE_NOTHING: not at all. */
enum probe_verdict { PROBE_SHARED, PROBE_PLAIN, PROBE_NOTHING };
enum probe_verdict probe_verdict(const struct probe *probe);

#endif
