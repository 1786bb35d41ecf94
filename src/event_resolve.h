/* SPDX-License-Identifier: GPL-2.0-only */
/* Events as they were written -> events that can be opened, by what sysfs says of this host's PMUs. */
#ifndef EVENT_RESOLVE_H
#define EVENT_RESOLVE_H

struct cpulist;
struct err;
struct event;

/* Which levels count where an event does not say: --all-user, --all-kernel. The values: exclude_kernel, exclude_user. */
enum event_levels { EVENT_LEVELS_ALL = 0, EVENT_LEVELS_USER = 1 << 5, EVENT_LEVELS_KERNEL = 1 << 4 };

/* Of events[0..max) the first `count` are what event_parse_list has made, of lists that are still there. Each becomes one or
 * several: one a member of a family of PMUs; of a hardware event where there are several kinds of CPU, one a kind, but for
 * those without a CPU among `cpus` (NULL: any will do). Returns how many there are now, or -EINVAL with a text. */
int event_resolve(struct event *events, int count, int max, const struct cpulist *cpus, enum event_levels levels,
		  struct err *err);

#endif
