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

/* Fixed before a session's programs are loaded (.rodata). */
struct task_settings {
	uint64_t pidns_dev;    /* the PID namespace whose ids `filter` holds: device (major << 20 | minor) and inode; */
	uint64_t pidns_ino;    /* both 0: the outermost */
	uint32_t by_thread;    /* `filter` holds thread ids, else process ids */
	uint32_t rest_slot;    /* not 0: each thread born while counting gets a slot of its own, and this one when there is none left */
};

/* A follower's global state (.bss), written by its session. */
struct follower_control {
	uint32_t baseline;     /* 0: off. Else: the run on a CPU that first meets this number only takes `last` there */
	uint32_t epoch;        /* copied to the CPU's state by every full run: tells which CPUs have caught up */
	uint32_t workload;     /* the process id that on_exec enters into `filter` at its exec, then clears; 0: none */
	uint32_t pad;
};

/* A follower's state on one CPU. */
struct follower_cpu {
	struct reading last;   /* the leader's total up to which this CPU is accounted */
	uint32_t baseline;
	uint32_t epoch;
	uint32_t busy;         /* a run is under way that a trigger from another CPU may have interrupted */
	uint32_t pad;
};

/* The children program's global state (.bss), written by the BPF side only. */
struct children_state {
	uint64_t lost;         /* births and ends that could not be entered into `tasks` */
	uint64_t born;         /* with rest_slot: births so far: no more slots than these were taken by the BPF side */
};

/* Of a thread with a slot of its own (`threads`, by slot); all 0 until it has run. */
struct thread_info {
	uint32_t tid;          /* in the session's PID namespace */
	uint32_t ended;
	char comm[16];         /* as of its first switch, then of its end */
};

/* GROUPS_MAX: cgroups that a session can count; GROUP_DEPTH: those of them that may be nested in each other (or be given twice);
 * GROUP_SETS: how many groups' places are kept. */
#define GROUPS_MAX 1024
#define GROUP_DEPTH 16
#define GROUP_SETS 4096

/* Fixed before a group follower is loaded (.rodata). */
struct group_settings {
	uint32_t count;        /* of wanted groups */
	uint32_t pad;
};

/* Of a cgroup: the slots of the wanted ones that it is, or is below. */
struct group_set {
	uint32_t count;
	uint32_t slots[GROUP_DEPTH];
};

#endif
