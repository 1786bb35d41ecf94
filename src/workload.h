/* SPDX-License-Identifier: GPL-2.0-only */
/* The command that a session runs: forked early, held on a pipe until the counters are ready, then executed. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

struct err;

struct workload {
	int pid;          /* 0: none, or reaped */
	int go_fd;        /* closing it ends a child that is still held */
	int exec_fd;      /* the errno of a failed exec comes here */
	bool ended;
	int wait_status;  /* as wait4(2) gives it, once ended */
	uint64_t user_ns, sys_ns;
};

/* Forks. To be called before this process changes its limits or its signals: the command gets the caller's own.
 * Returns 0 or -errno with a text. */
int workload_fork(struct workload *workload, char **command, struct err *err);

/* Lets it go and waits for its exec. Returns 0, or -errno of the exec (-ENOENT: not found) with a text; the child has then
 * ended and been reaped. */
int workload_start(struct workload *workload, const char *name, struct err *err);

/* Takes the end if there is one by now; true if it has ended. */
bool workload_reap(struct workload *workload);

/* Sends a signal on, if it still runs. */
void workload_signal(const struct workload *workload, int number);

/* The exit status that stands for its end: its own, or 128 + the signal. */
int workload_status(const struct workload *workload);

/* Ends a child that is still held; a command that still runs is sent SIGTERM (a run that failed, or that a second signal
 * ended), and not waited for. May be called twice. */
void workload_close(struct workload *workload);

#endif
