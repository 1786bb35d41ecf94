/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's command line, as process 1 finds its arguments in it. */
#ifndef CMDLINE_H
#define CMDLINE_H

/* The arguments of process 1, NULL-ended, to `to`, which has room for strlen(line) / 2 + argc + 3: argv[0]; what the words bperf=VALUE in
 * front of "--" say, each VALUE split at blanks; then what follows "--". line is cut up as the kernel does it (next_arg() of its
 * lib/cmdline.c): blanks part words, but not between quotes ("), of which those around a word or a value go.
 *
 * argv is as it was found. The kernel has put into it the words without "=" and "." that it did not know, the strays, then what
 * follows "--", as far as to a second "--". That is known by its being in line, in this order. Anything else is another's who
 * executed us: then it stands in the place of what follows "--".
 *
 * Returns how many they are; *strays: how many of argv, from argv[1] on, are strays. */
int cmdline_arguments(char **to, char *line, int argc, char **argv, int *strays);

#endif
