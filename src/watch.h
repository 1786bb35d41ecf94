/* SPDX-License-Identifier: GPL-2.0-only */
/* What ends a count: a signal, the time, the workload, the last of the tasks; and what a screen (--live) waits for. */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct err;

enum { WATCH_TASKS_MAX = 1024 }; /* as many as a plan has ids */

struct watch {
	int signal_fd;
	struct watch_task {
		int id, fd;    /* fd -1: asked by id now and then */
		bool by_thread, ended;
	} *tasks; /* room for WATCH_TASKS_MAX; NULL: there is none */
	int tasks_count;
	int control_fd; /* another's; -1: none */
	int keys_fd, room_fd; /* likewise, of a screen */
};

enum watch_end {
	WATCH_SIGNAL, /* INT, TERM, HUP, QUIT */
	WATCH_CHILD,  /* some child of ours ended: the caller reaps */
	WATCH_TASK,   /* task *number has ended, others have not */
	WATCH_TASKS,  /* all tasks have ended */
	WATCH_CONTROL, /* control_fd is readable, or closed */
	WATCH_SCREEN, /* with is_screen: WINCH, TSTP or CONT, or, with *number 0, a key in keys_fd or room in room_fd */
	WATCH_TIME,   /* the deadline */
};

/* Blocks the signals (INT, TERM, HUP, QUIT, CHLD, with is_screen WINCH, TSTP and CONT; PIPE and XFSZ are ignored) from now on, so
 * that none ends the process between two steps. Returns 0 or -errno with a text. */
int watch_open(struct watch *watch, bool is_screen, struct err *err);

/* Adds a process or thread. -ESRCH: there is none of that id, or it has ended; -ENOMEM. */
int watch_task(struct watch *watch, int id, bool by_thread);

/* Waits for the next thing. deadline_ns: monotonic, UINT64_MAX for none. For WATCH_SIGNAL *number is the signal, and
 * *from_terminal tells that the kernel sent it (the workload, in the same process group, has got it too). -errno. */
int watch_wait(struct watch *watch, uint64_t deadline_ns, int *number, bool *from_terminal);

/* Stops watching tasks. */
void watch_forget(struct watch *watch);

/* May be called twice. The signals stay blocked. */
void watch_close(struct watch *watch);

#endif
