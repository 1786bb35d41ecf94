/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF side and the user side share: types only. */
#ifndef BPERF_H
#define BPERF_H

#include <stdint.h>

/* As the kernel's struct bpf_perf_event_value; times in ns. */
struct reading {
	uint64_t counter;
	uint64_t enabled;
	uint64_t running;
};

/* A follower's global state, written by its session only. */
struct follower_control {
	uint32_t baseline;     /* 0: off. Else the run on a CPU that first meets this number only takes `last` there. */
	uint32_t epoch;        /* copied to the CPU's state by every full run: the session sees which CPUs have caught up */
	uint32_t workload;     /* tgid that on_exec enters into `tgids` at its exec; 0: none, or done */
	uint32_t lost;         /* children that found `tasks` full; written by the BPF side */
};

/* A follower's state on one CPU. */
struct follower_cpu {
	struct reading last;   /* the leader's total up to which this CPU is accounted */
	uint32_t baseline;
	uint32_t epoch;
	uint32_t busy;         /* a trigger on this CPU may interrupt a run of the same program */
	uint32_t pad;
};

#endif
