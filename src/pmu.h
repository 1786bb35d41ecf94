/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/bus/event_source/devices: how a PMU encodes its events. */
#ifndef PMU_H
#define PMU_H

struct err;
struct perf_event_attr;

/* Sets type, config, config1 and config2 as the alias events/NAME of the PMU says ("event=0x3c,umask=0x1"), each term at
 * the bits that format/TERM says ("config:0-7,21"). Returns 0; -ENOENT where PMU or alias do not exist; -EINVAL, with a
 * text, where a file says what cannot be: then attr is unchanged. */
int pmu_alias(struct perf_event_attr *attr, const char *pmu, const char *alias, struct err *err);

#endif
