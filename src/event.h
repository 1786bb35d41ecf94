/* SPDX-License-Identifier: GPL-2.0-only */
/* "instructions:u", "r1a8" -> perf_event_attr. No system call. */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

struct err;

enum { EVENT_NAME_SIZE = 96 };

struct event {
	struct perf_event_attr attr; /* type, config.., exclude bits; nothing else is set; size is 0: the opener's business */
	char name[EVENT_NAME_SIZE];  /* as it was written, modifiers and all */
};

/* Parses a list as `perf stat -e` takes it ("cycles,instructions:u") and appends to events[0..max).
 * Returns how many were added, or -EINVAL with a text that quotes the list and points at the character (err's text is one
 * line: "unknown event 'cycels' in 'cycels,faults' at character 1"; the nearest known name goes into the hint), or -E2BIG. */
int event_parse_list(struct event *events, int max, const char *text, struct err *err);

/* The reverse: a name such as event_parse_list takes, or "type:T/config=0xC/" where there is none, with modifiers. At most
 * EVENT_NAME_SIZE characters, NUL included, are written. */
void event_format(char *text, size_t size, const struct perf_event_attr *attr);

/* Is this a clock whose count is in nanoseconds (cpu-clock, task-clock)? */
bool event_is_clock(const struct event *event);

/* Does the kernel ignore the exclude bits of this event (software clocks), although some are set? Then a note is due. */
bool event_ignores_modifiers(const struct event *event);

#endif
