/* SPDX-License-Identifier: GPL-2.0-only */
#include "control.h"

#include <errno.h>
#include <string.h>

#include "err.h"
#include "fd.h"
#include "out.h"
#include "plan.h"

void control_init(struct control *control)
{
	*control = (struct control){.fd = -1, .ack_fd = -1};
}

/* A FIFO's path, length long, or another's descriptor. */
static int open_end(int *end, const char *path, size_t length, int given, struct err *err)
{
	char text[4096];
	out_print(text, sizeof(text), "%.*s", (int)length, path ? path : "");
	if (path)
		*end = length < sizeof(text) ? fd_open_fifo(text) : -ENAMETOOLONG;
	else if (given >= 0)
		*end = fd_copy(given);
	if (*end >= 0 || (!path && given < 0))
		return 0;
	return path ? err_sys(err, *end, "cannot open %s for --control", text)
		    : err_sys(err, *end, "cannot use descriptor %d for --control", given);
}

int control_open(struct control *control, const struct plan_control *given, struct err *err)
{
	control_init(control);
	int result = open_end(&control->fd, given->path, given->path_length, given->fd, err);
	if (!result)
		result = open_end(&control->ack_fd, given->ack_path, given->ack_path ? strlen(given->ack_path) : 0,
				  given->ack_fd, err);
	return result;
}

static enum control_command command(const char *line)
{
	static const char names[][8] = {[CONTROL_ENABLE] = "enable",
					[CONTROL_DISABLE] = "disable",
					[CONTROL_STOP] = "stop",
					[CONTROL_PING] = "ping"};
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(line, names[i]))
			return i;
	}
	return CONTROL_UNKNOWN;
}

int control_read(struct control *control)
{
	for (;;) {
		char byte;
		/* byte by byte: what comes after the line is for the next call, or for another reader */
		int got = fd_read_ready(control->fd, &byte);
		if (got == -EAGAIN)
			return got;
		if (got <= 0) {
			fd_close(&control->fd);
			return CONTROL_CLOSED;
		}
		if (byte == '\n' || byte == '\0')
			break;
		if (control->length < sizeof(control->line))
			control->line[control->length++] = byte;
	}
	if (!control->length)
		return -EAGAIN; /* the NUL that perf's own clients send after the newline */
	if (control->length == sizeof(control->line))
		control->length--;
	control->line[control->length] = '\0';
	control->length = 0;
	return command(control->line);
}

void control_ack(const struct control *control)
{
	/* perf's answer, with its NUL; whoever does not read it does not hold us up */
	if (control->ack_fd >= 0)
		fd_write_ready(control->ack_fd, "ack\n", sizeof("ack\n"));
}

void control_close(struct control *control)
{
	fd_close(&control->fd);
	fd_close(&control->ack_fd);
}
