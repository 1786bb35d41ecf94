/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands to a running count, one a line, as perf's --control takes them. */
#ifndef CONTROL_H
#define CONTROL_H

struct err;
struct plan_control;

struct control {
	int fd, ack_fd;  /* -1: none; copies where --control names descriptors */
	char line[16];   /* so far read; too long a line is no command */
	unsigned length;
};

enum control_command {
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_UNKNOWN,
	CONTROL_CLOSED, /* nobody will write any more: fd is -1 from now on */
};

/* Nothing open: what control_close may be called on. */
void control_init(struct control *control);

/* Returns 0 or -errno with a text. */
int control_open(struct control *control, const struct plan_control *given, struct err *err);

/* The next command, to be called when fd is readable; -EAGAIN: none that is whole. */
int control_read(struct control *control);

/* Tells that the last command was obeyed. */
void control_ack(const struct control *control);

/* May be called twice. */
void control_close(struct control *control);

#endif
