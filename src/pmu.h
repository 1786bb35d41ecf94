/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/bus/event_source/devices: how a PMU encodes its events. A file that says what cannot be is refused, by name. */
#ifndef PMU_H
#define PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct event;
struct perf_event_attr;

#define PMU_DEVICES "/sys/bus/event_source/devices"

/* "event=0x3c" or "edge", of a text such as "event=0x3c,edge"; it points into the text. */
struct pmu_term {
	const char *name, *value; /* NULL: none */
	size_t name_length, value_length;
};

/* Cuts the next term off at *at; a comma in '...' is none. false: there is none (left). */
bool pmu_next_term(struct pmu_term *term, const char **at, const char *end);

/* Adds the term's bits (1 without a value) where format/NAME has them, or to config, config1, .. as they are. Returns 0; -ENOENT:
 * the PMU knows no such term; -EINVAL with a text. */
int pmu_put_term(struct perf_event_attr *attr, const char *pmu, const struct pmu_term *term, struct err *err);

/* Adds what the alias events/NAME stands for, and sets scale, unit, is_snapshot and is_per_package by the files beside it. Terms
 * of `given` come in place of those of the same name. Returns as pmu_put_term. */
int pmu_put_alias(struct event *event, const char *pmu, const struct pmu_term *alias, const char *given,
		  const char *given_end, struct err *err);

/* For perf's map: sets type and config.. as "PMU/ALIAS/" stands for. Returns 0, -ENOENT or -EINVAL; then attr is unchanged. */
int pmu_alias(struct perf_event_attr *attr, const char *pmu, const char *alias, size_t length, struct err *err);

/* Does the PMU count a CPU's own events, rather than a package's or what is no hardware? */
bool pmu_is_core(const char *pmu);

/* How much of its name is its family's: without the number of a member, "_3", "3", or "_1ff". */
size_t pmu_family_length(const char *pmu);

/* Has it an alias of this name? */
bool pmu_has_alias(const char *pmu, const char *name, size_t length);

/* Sets the event's pmu and attr.type. Returns 0; -ENOENT: there is no such PMU; -EINVAL with a text. */
int pmu_set_type(struct event *event, const char *pmu, struct err *err);

/* Sets cpus, has_cpus and is_cpus_only by event->pmu. Returns 0 or -EINVAL with a text. */
int pmu_set_cpus(struct event *event, struct err *err);

#endif
