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
	int fd;              /* -1: none is open now */
	bool has_colours;    /* a terminal that shows them, to a user who wants them: neither TERM=dumb (or none) nor NO_COLOR is set */
	const char *name;    /* for messages: "to stderr", or the file's */
	const char *file;    /* to be replaced; NULL: none is */
	bool has_content;    /* something stands there already */
	char new_file[4096]; /* that is to take its place */
	char buffer[4096];
};

/* To an open descriptor, which stays the caller's. */
void output_to(struct output *output, int fd);

/* Where the plan says: only looks whether it can be written to, where it is a file to be replaced. Returns 0, or -errno with a text. */
int output_open(struct output *output, const struct plan *plan, struct err *err);

/* Around each report. A file that is replaced is the old one until output_end, and stays it where the report fails (result: of
 * writing it; a later failure is found here). Both return 0, or -errno with a text. */
int output_begin(struct output *output, struct err *err);
int output_end(struct output *output, int result, struct err *err);

#endif
