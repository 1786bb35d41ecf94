/* SPDX-License-Identifier: GPL-2.0-only */
/* A list such as perf stat -e takes -> events. Text only: what sysfs has to say comes later (event_resolve.h). */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "cpulist.h"

struct err;

enum { EVENT_NAME_SIZE = 192, EVENT_PMU_SIZE = 64, EVENT_UNIT_SIZE = 32, EVENT_MODIFIERS_SIZE = 9, EVENT_LEVELS = 7 };

enum { EVENT_TYPE_RUNS = INT32_MAX }; /* no PMU has it */

/* A piece of a list: where messages point. */
struct event_item {
	const char *list, *start;
	size_t length;
};

struct event {
	struct perf_event_attr attr; /* type, config.., exclude bits; nothing else is set; size is 0: the opener's business */
	char name[EVENT_NAME_SIZE];  /* as written, modifiers and all, or its name=; of one kind of CPU of several "cpu_core/cycles/" */
	int group;                   /* members of {a,b} have one in common: 1 + the first one's index as parsed; 0: none */

	/* by event_resolve: */
	char pmu[EVENT_PMU_SIZE];    /* "": none in particular */
	struct cpulist cpus;         /* with has_cpus: the only CPUs it can be opened on; some may be offline */
	bool has_cpus, is_cpus_only; /* cpus_only: not for tasks */
	int written;                 /* which one it was of those written, from 0; several may have been made of one */
	int family;                  /* index of the event in whose row it is added up: its own, but uncore_imc_1's is uncore_imc_0's */
	uint64_t scale;              /* its value is the count * scale * 10^scale_exponent, in `unit`; scale is never 0, and the */
	int scale_exponent;          /* exponent from -99 to 99 */
	char unit[EVENT_UNIT_SIZE];  /* "": none. Foreign text: may hold quotes and commas, but no controls */
	bool is_snapshot;            /* a level: the last value counts, not a difference */
	bool is_per_package;

	/* for event_resolve, which needs the list until it is done: */
	enum { EVENT_DONE, EVENT_PMU, EVENT_ALIAS, EVENT_TRACEPOINT } kind; /* DONE: attr is complete, but for the kind of CPU */
	struct event_item item;      /* without modifiers */
	size_t pmu_length;           /* EVENT_PMU: how much of it, up to the slash */
	const char *modifiers_at;
	unsigned modifiers;          /* a bit for each of u, k, h (EVENT_LEVELS), H, G, I, W, b */
};

/* Appends to events[0..max) what the list names. Returns how many were added, or -EINVAL with a text that points at the
 * character, or -E2BIG. */
int event_parse_list(struct event *events, int max, const char *text, struct err *err);

/* Puts the place, `at` in `list`, into err's text, which says what is wrong there, and shows it. Returns -EINVAL. */
int event_refuse(const char *list, const char *at, struct err *err);

/* Sets type and config as perf's own names for hardware, software and cache events say; false: it is none of them, and they are
 * anything. */
bool event_find(struct perf_event_attr *attr, const char *name, size_t length);

/* The same for rNNN. Returns 1; 0: it does not look so; or -EINVAL with a text. */
int event_find_raw(struct perf_event_attr *attr, const char *name, size_t length, struct err *err);

/* The first name of a hardware or software event, as in sysfs, or another; NULL: there is none. */
const char *event_name(uint32_t type, uint64_t config, unsigned spelling, int *length);

/* In a table such as "a,b;c,d;e": the index of the group one of whose words is the text; -1: of none. */
int event_find_word(const char *table, const char *text, size_t length);

/* The value of a hexadecimal digit; 16: it is none. */
unsigned event_digit(char c);

/* Calls visit with each of perf's own names. */
void event_each_name(int (*visit)(void *context, const char *name), void *context);

/* Sets the name, cut to fit, without what a terminal would obey. */
void event_set_name(struct event *event, const char *text, size_t length);

/* The letters of event->modifiers. */
void event_modifiers_text(char text[EVENT_MODIFIERS_SIZE], unsigned modifiers);

/* The reverse: a name such as event_parse_list takes, or "type:T/config=0xC/" where there is none, with modifiers. At most
 * `size` characters, NUL included, are written. */
void event_format(char *text, size_t size, const struct perf_event_attr *attr);

/* Where it is to be opened: those of `among` that its PMU counts on. */
void event_cpus(struct cpulist *cpus, const struct event *event, const struct cpulist *among);

/* Is this none, but the runs of a BPF program, which have a row, too? */
bool event_is_runs(const struct event *event);

/* Is this a clock whose count is in nanoseconds (cpu-clock, task-clock)? */
bool event_is_clock(const struct event *event);

/* Does the kernel ignore the exclude bits of this event (software clocks), although some are set? Then a note is due. */
bool event_ignores_modifiers(const struct event *event);

#endif
