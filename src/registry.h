/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the leader of an event may be found: perf's attr map where there is one, then our registry (design.md 5.3). */
#ifndef REGISTRY_H
#define REGISTRY_H

#include <stdbool.h>

#include "attr_map.h"
#include "perf_map.h"

struct err;
struct perf_event_attr;

struct registry {
	struct attr_map ours; /* map_fd -1: none, the session counts unshared */
	struct perf_map perf; /* fd -1: none */
	bool perf_locked;     /* of the present lock */
	bool must_share;      /* a leader that cannot be entered or joined is an error, not a note */
};

/* Opens what there is; perf_path NULL: perf's usual place. Why a map of perf's could not be used is noted. Returns 0; -errno, with
 * a text: there is no registry of ours, the session counts unshared. */
int registry_open(struct registry *registry, bool mount, const char *perf_path, struct err *unshared);

bool registry_is_shared(const struct registry *registry);

/* Locks both. Where perf's lock is not to be had, that is noted and perf's map left alone until unlock. -errno of our own
 * lock with a text. */
int registry_lock(struct registry *registry, struct err *err);
void registry_unlock(struct registry *registry);

/* Under the lock. The places are 0..REGISTRY_PLACES-1: perf's keys, then ours. find: 0 or -ENOENT. */
enum { REGISTRY_PLACES = PERF_MAP_KEYS + 1 };
bool registry_is_perfs(int place);
int registry_find(const struct registry *registry, const struct perf_event_attr *attr, int place,
		  struct attr_map_entry *entry);
void registry_remove(const struct registry *registry, const struct perf_event_attr *attr, int place);

/* Can perf's sessions find what is entered now? Then it must be attached, and count every online CPU. */
bool registry_reaches_perf(const struct registry *registry);

/* Under the lock: enters in ours, and in perf's what is attached. diff_map_id: what perf wants to know. Returns 0; -errno, with a text,
 * if in ours it could not be. */
int registry_enter(const struct registry *registry, const struct perf_event_attr *attr, const struct attr_map_entry *entry,
		   uint32_t diff_map_id, struct err *err);

/* May be called twice. */
void registry_close(struct registry *registry);

#endif
