/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF programs that a scope counts (-b), by slot: fentry and fexit around each read the shared events. */
#ifndef TARGETS_H
#define TARGETS_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "loader.h"
#include "target.h"

struct reading;

enum { TARGETS_MAX = 512, TARGET_HOOKS = 2, TARGETS_RUNS = -1 /* as an event: the number of runs, in each field */ };

struct target {
	struct target_program program;
	bool is_asked;         /* by id, name or path: why it is not counted is said */
	bool was_linked, is_linked; /* a link held it when it was found; at the end */
	int link_fds[TARGET_HOOKS], prog_fds[TARGET_HOOKS]; /* -1: refused, and not counted */
};

struct targets {
	struct target *list;
	int count;             /* how many were found */
	struct loader loader;  /* owns the maps */
	int leaders_fd, switch_link_fd;
	unsigned events;
	uint32_t enablings;    /* so far: numbers the next baseline */
	struct err refused;    /* why one of those that were asked for is not counted, still to be said */
	unsigned skipped;      /* how many that only `all` means are not counted */
};

/* Nothing open: what targets_close may be called on. */
void targets_init(struct targets *targets);

/* Finds those that a list of -b names. What is not there, or cannot be attached to, is noted once another can; else the reason is
 * the error. Returns 0 or -errno with a text. */
int targets_open(struct targets *targets, const char *list, struct err *err);

/* Hangs on each, for that many events, whose leaders' `events` are given by descriptor (negative: not counted). Not yet counting.
 * Whom the kernel refuses is treated likewise. Returns 0 or -errno with a text. */
int targets_attach(struct targets *targets, const int *event_fds, unsigned events, struct err *err);

/* Counts runs that begin from now on, or none any more; a run under way is left out. Returns 0 or -errno with a text. */
int targets_switch(struct targets *targets, bool on, struct err *err);

bool targets_is_counted(const struct targets *targets, uint32_t slot);

/* A slot's sums: one reading per possible CPU, in their order. Returns 0 or -errno. */
int targets_read(const struct targets *targets, uint32_t slot, int event, struct reading *readings);

/* Says how many runs are missing from the counts (the kernel lets none of our programs in where it is already, or a trampoline was
 * changed meanwhile), and whose links are gone. */
void targets_note_losses(struct targets *targets, unsigned possible_count);

/* May be called twice. */
void targets_close(struct targets *targets);

#endif
