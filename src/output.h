/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a report goes: stdout, stderr, a descriptor, a file that grows, or one that is replaced as a whole. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>

#include "out.h"

struct err;
struct plan;

struct output {
	struct out out;
	int fd;
	bool has_colours; /* a terminal that shows them, to a user who wants them: neither TERM=dumb (or none) nor NO_COLOR is set */
	const char *name; /* for messages: "to stderr", or the file's */
	char buffer[4096];
};

/* To an open descriptor, which stays the caller's. */
void output_to(struct output *output, int fd);

/* Where the plan says. Returns 0, or -errno with a text. */
int output_open(struct output *output, const struct plan *plan, struct err *err);

#endif
