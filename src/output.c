/* SPDX-License-Identifier: GPL-2.0-only */
#include "output.h"

#include <string.h>
#include <unistd.h>

#include "err.h"
#include "fd.h"
#include "plan.h"

static int write_to_fd(void *context, const char *bytes, size_t count)
{
	return fd_write(((struct output *)context)->fd, bytes, count);
}

/* As getenv, but "" where it is not set. */
static const char *environment(const char *name)
{
	const size_t length = strlen(name);
	for (char **variable = environ; variable && *variable; variable++) {
		if (!strncmp(*variable, name, length) && (*variable)[length] == '=')
			return *variable + length + 1;
	}
	return "";
}

static bool has_colours(int fd)
{
	const char *term = environment("TERM");
	return fd_is_terminal(fd) && *term && strcmp(term, "dumb") && !*environment("NO_COLOR");
}

void output_to(struct output *output, int fd)
{
	output->fd = fd;
	output->out = (struct out){output->buffer, sizeof(output->buffer), 0, write_to_fd, output, 0};
}

int output_open(struct output *output, const struct plan *plan, struct err *err)
{
	int fd = plan->output ? fd_create(plan->output, plan->append) : plan->log_fd;
	if (fd < 0)
		return err_sys(err, fd, "cannot open %s", plan->output);
	output_to(output, fd);
	output->has_colours = !plan->output && has_colours(fd);
	output->name = plan->output ? plan->output : plan->log_fd == 2 ? "to stderr" : "to the descriptor of --log-fd";
	return 0;
}
