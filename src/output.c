/* SPDX-License-Identifier: GPL-2.0-only */
#include "output.h"

#include "err.h"
#include "fd.h"
#include "plan.h"
#include "terminal.h"

static int write_to_fd(void *context, const char *bytes, size_t count)
{
	return fd_write(((struct output *)context)->fd, bytes, count);
}

void output_to(struct output *output, int fd)
{
	output->fd = fd;
	output->out = (struct out){output->buffer, sizeof(output->buffer), 0, write_to_fd, output, 0};
}

static int cannot_write(const struct output *output, int error, struct err *err)
{
	return error < 0 ? err_sys(err, error, "cannot write %s", output->name) : 0;
}

int output_open(struct output *output, const struct plan *plan, struct err *err)
{
	output->name = plan->output ? plan->output : plan->log_fd == 2 ? "to stderr" : "to the descriptor of --log-fd";
	if (plan->format == PLAN_OPENMETRICS && plan->output && fd_is_replaceable(plan->output)) {
		output->file = plan->output;
		int result = plan->quiet ? 0 : output_begin(output, err);
		if (!result && !plan->quiet)
			fd_remove(&output->fd, output->new_file);
		return result;
	}
	output_to(output, plan->output ? fd_create(plan->output, plan->append) : plan->log_fd);
	if (output->fd < 0)
		return err_sys(err, output->fd, "cannot open %s", plan->output);
	output->has_colours = !plan->output && terminal_has_colour(output->fd);
	int64_t length = fd_length(output->fd);
	output->has_content = plan->append && length > 0;
	return cannot_write(output, length < 0 && !plan->quiet ? (int)length : 0, err);
}

int output_begin(struct output *output, struct err *err)
{
	if (!output->file)
		return 0;
	output_to(output, fd_create_beside(output->file, output->new_file, sizeof(output->new_file)));
	if (output->fd >= 0)
		return 0;
	err_sys(err, output->fd, "cannot open %s", output->new_file);
	err_hint(err, "the file is written anew beside the old one each time: its directory must be writable");
	return output->fd;
}

int output_end(struct output *output, int result, struct err *err)
{
	output->has_content = true;
	if (output->file && !result)
		result = fd_replace(&output->fd, output->new_file, output->file);
	else if (output->file)
		fd_remove(&output->fd, output->new_file);
	return cannot_write(output, result, err);
}
