/* SPDX-License-Identifier: GPL-2.0-only */
/* As the first process of a machine (rdinit=/bperf-mini): a child counts; process 1 reaps what ends, passes signals on, and when the
 * child has ended switches the machine off; or it leaves the child to itself and becomes the next init. */
#ifndef INIT_H
#define INIT_H

#include <stdbool.h>

struct err;
struct options;

/* Are we process 1 of the machine, and not of a container? Then argc and argv become what the kernel's command line says (cmdline.h);
 * they are never freed. A container has a PID namespace of its own, which is asked for without anything being mounted. */
bool init_takes(int *argc, char ***argv);

/* Is what --then says one of the words, or a path; and are we process 1 at all? Returns 0 or -EINVAL with a text. */
int init_check(const struct options *options, bool is_init, struct err *err);

/* As process 1, of options that need not be right: opens the console as 0, 1 and 2 where they are not open, mounts what is missing
 * (but with --no-mount), and returns in the child only, which is to exit with its status. Process 1 never returns. */
void init_begin(const struct options *options);

/* The count has begun: the next init may run. Does nothing in any other process. */
void init_started(void);

#endif
