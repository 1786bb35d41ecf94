/* SPDX-License-Identifier: GPL-2.0-only */
/* Where output has colours: a terminal of the user's, if he wants them. */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "err.h"
#include "output.h"
#include "plan.h"

static struct plan plan;

static bool has_colours(const char *file, int fd)
{
	static struct output output;
	struct err err;
	plan.output = file;
	plan.log_fd = fd;
	OK(output_open(&output, &plan, &err) == 0, "it is opened");
	if (file)
		close(output.fd);
	return output.has_colours;
}

int main(void)
{
	int pty = posix_openpt(O_RDWR | O_NOCTTY), pipes[2];
	OK(pty >= 0 && grantpt(pty) == 0 && unlockpt(pty) == 0, "a terminal");
	int terminal = open(ptsname(pty), O_RDWR | O_NOCTTY);
	OK(terminal >= 0 && isatty(terminal), "... its other end");
	OK(pipe(pipes) == 0, "a pipe");
	unsetenv("NO_COLOR");
	setenv("TERM", "linux", 1);
	OK(has_colours(NULL, terminal), "a terminal has them");
	OK(!has_colours(NULL, pipes[1]), "a pipe has none");
	OK(!has_colours("/dev/null", terminal), "a file has none");
	OK(!has_colours(ptsname(pty), terminal), "... nor a terminal as a file");
	setenv("NO_COLOR", "1", 1);
	OK(!has_colours(NULL, terminal), "none with NO_COLOR");
	setenv("NO_COLOR", "", 1);
	OK(has_colours(NULL, terminal), "... which is not set where it is empty");
	setenv("TERM", "dumb", 1);
	OK(!has_colours(NULL, terminal), "none with TERM=dumb");
	setenv("TERM", "", 1);
	OK(!has_colours(NULL, terminal), "... or an empty one");
	unsetenv("TERM");
	setenv("TERMINAL", "linux", 1);
	OK(!has_colours(NULL, terminal), "... or none");
	clearenv();
	OK(!has_colours(NULL, terminal), "none without an environment");
	return test_done();
}
