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
	uint32_t events, slots; /* of a follower: how many */
};

/* What the followers of an event keep of a CPU together: the first of them to run at a switch reads the event, for all. */
struct leader_switch {
	struct reading now;    /* the event, as it was read at the last switch */
	struct reading diff;   /* since the switch before: the share of the task that left. No time: it was opened before the CPU went offline */
	uint64_t task;         /* its task struct's address, or that ^ SWITCH_AGAIN; SWITCH_UNREAD: the event could not be read */
};
#define SWITCH_UNREAD 1
#define SWITCH_AGAIN 2

/* What a leader keeps of a CPU beside its readings. */
struct leader_cpu {
	struct reading base;   /* what events opened earlier on this CPU had counted when they went (hotplug) */
	struct leader_switch last;
};

/* A follower's global state (.bss), written by its session. */
struct follower_control {
	uint32_t baseline;     /* 0: off. Else: what comes on a CPU before its first run that meets this number is not counted */
	uint32_t workload;     /* the process id that on_exec enters into `filter` at its exec, then clears; 0: none */
};

/* Of an event and a CPU. */
struct follower_event {
	struct reading last;   /* the event, as the last run that was asked for has read it */
	struct reading sum;    /* of a session with one slot */
	uint64_t baseline;     /* only what comes after the first run under this number is in the sums */
};

/* Of one follower: where there are more, there are several. */
#define FOLLOWER_EVENTS 4

/* A follower's state on one CPU. */
struct follower_cpu {
	uint64_t state;        /* the baseline of the last switch: if it is another than now, others may have run here, unseen. And STATE_ASKED */
	uint64_t expected;     /* the task struct of the task that runs, as the last switch had it */
	uint64_t key;          /* leader_switch.task as the last switch had it */
	uint64_t verdict;      /* of that task: one of VERDICT_*, else not known */
	uint64_t run[4];       /* of the run that is under way: follower_run.h */
	struct reading now, diff;
	struct follower_event events[FOLLOWER_EVENTS];
};

/* A run that was asked for, or the first one, has accounted for a part of what the present task runs: up to `last`. */
#define STATE_ASKED (1ull << 32)

/* How a follower is asked to run on a CPU now: in place of the tracepoint's second argument, a task struct's address. */
#define FOLLOWER_ASKED 1

/* The children program's state on one CPU, written by the BPF side only; the sums over all CPUs are what counts. */
struct children_state {
	uint64_t lost;         /* births and ends that could not be entered into `tasks` */
	uint64_t born;         /* with rest_slot: births so far: no more slots than these were taken by the BPF side */
};

/* `marks`: in front of the two hash maps, at a tenth of their cost. By a process or thread id modulo MARKS, what `filter` has of such: 0:
 * nothing; one id and its slot; or MARK_LOOK (its lower half is enough): look there. From MARKS on, by a task struct's address
 * likewise: not 0: such a one may be in `tasks`. From 2 * MARKS on, by the same: the address and what
 * has been found of it; of a wanted one only where there is no other slot than 0. */
#define MARKS 1024
#define VERDICT_WANTED 1
#define VERDICT_UNWANTED 2
#define VERDICT_MASK 3
#define MARK(id, slot) ((uint64_t)(slot) << 32 | (id))
#define MARK_LOOK UINT64_MAX

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
	uint32_t events;
	uint32_t slots;        /* wanted groups */
};

/* TARGET_FRAMES: runs of counted BPF programs that may be open on one CPU, one within the other or switched away from. */
#define TARGET_EVENTS_MAX 128
#define TARGET_FRAMES 8

/* Fixed before the two programs of a target are loaded (.rodata). */
struct target_settings {
	uint32_t events;       /* of the session, at most TARGET_EVENTS_MAX */
	uint32_t target;       /* which of the counted programs it is */
};

/* State of all targets' programs (.bss), written by the session. */
struct target_control {
	uint32_t baseline;     /* 0: off. Else: only runs that begin and end under this number are counted */
	uint32_t pad;
};

/* Of an open run and an event. */
struct target_frame {
	struct reading at;     /* its beginning; of a run put aside: what it has come to */
	struct reading nested; /* what runs of the same target within it have come to, which is in the sums already */
};

/* The open runs on one CPU, each in a frame. */
struct target_cpu {
	uint64_t tasks[TARGET_FRAMES]; /* whose run it is: its task struct's address; 0: the frame is free */
	uint64_t runs[TARGET_FRAMES];  /* which run it is: where its trampoline keeps its arguments */
	uint32_t baselines[TARGET_FRAMES];
	uint32_t targets[TARGET_FRAMES];
	uint32_t numbers[TARGET_FRAMES]; /* of a frame that was ever taken: its own */
	uint32_t outers[TARGET_FRAMES];  /* the frame of the run of the same target that it is within; TARGET_FRAMES: none */
	uint32_t depths[TARGET_FRAMES];  /* within how many it is */
	uint64_t switches;     /* that put a run aside, or took it up again */
	uint64_t lost;         /* runs whose frame was taken by another before their end */
};

/* Of a cgroup: the slots of the wanted ones that it is, or is below. */
struct group_set {
	uint32_t count;
	uint32_t slots[GROUP_DEPTH];
};

/* On each CPU. Ids of 0: none was met. */
struct group_memory {
	uint64_t unwanted;     /* the id of one that is not, nor is in, a wanted one */
	uint64_t wanted;       /* of one that is: */
	struct group_set set;
	uint32_t pad;
};

/* The same for BPF, which has 64 bits, and for a program of 32. */
_Static_assert(sizeof(struct reading) == 24 && sizeof(struct task_settings) == 32 && sizeof(struct follower_control) == 8 &&
		       sizeof(struct follower_cpu) == 112 + FOLLOWER_EVENTS * 56 &&
		       sizeof(struct leader_cpu) == 80 && sizeof(struct children_state) == 16 &&
		       sizeof(struct thread_info) == 24 && sizeof(struct target_frame) == 48 &&
		       sizeof(struct target_cpu) == TARGET_FRAMES * 36 + 16 && sizeof(struct group_set) == 4 + 4 * GROUP_DEPTH &&
		       sizeof(struct group_memory) == 24 + 4 * GROUP_DEPTH,
	       "what is shared has no pointers and no gaps of the compiler's");

#endif
