/* SPDX-License-Identifier: GPL-2.0-only */
/* perf's attr map: the pinned map by which `perf stat --bpf-counters` sessions find a leader (kernel-facts.md 1 and 2). It is
 * joined where it exists, at whatever key size its perf made it with, and never made, resized or unpinned here. */
#ifndef PERF_MAP_H
#define PERF_MAP_H

#include <stdint.h>

struct attr_map_entry;
struct err;
struct perf_event_attr;

struct perf_map {
	int fd;            /* -1: there is none */
	uint32_t key_size; /* bytes: the struct perf_event_attr of that perf's build */
	const char *path;
};

#define PERF_MAP_PATH "/sys/fs/bpf/perf_attr_map"

/* path NULL: PERF_MAP_PATH, and none there is no failure (then fd is -1). Returns 0, or -errno with a text: a named map that
 * is not there, or something else than such a map in its place, which is left alone; fd is -1 then too. */
int perf_map_open(struct perf_map *map, const char *path, struct err *err);

/* flock(2) on the map, as perf does: the kernel has one inode for all such fds, so any process that locks, say, an eventfd
 * stands in the way. Waits up to PERF_MAP_LOCK_MS; -EBUSY with a text. perf itself may hold it for seconds while it loads. */
enum { PERF_MAP_LOCK_MS = 8000 };
int perf_map_lock(const struct perf_map *map, struct err *err);
void perf_map_unlock(const struct perf_map *map);

/* The keys under which perf may have entered the event: 0 is the one under which a perf of this key size looks for it, then
 * with and without exclude_guest, in the legacy encoding and in the one of sysfs (perf 7.3 on x86). */
enum { PERF_MAP_KEYS = 4 };

/* Under the lock. find: 0; -ENOENT: no entry under that key, or there is no such key. */
int perf_map_find(const struct perf_map *map, const struct perf_event_attr *attr, int which, struct attr_map_entry *entry);

/* Enters under key 0, after dead entries (perf never removes one) where there is no room. -E2BIG: full (perf makes 16). */
int perf_map_enter(const struct perf_map *map, const struct perf_event_attr *attr, const struct attr_map_entry *entry);

/* For an entry whose link is gone: perf looks it up anew under the lock. */
void perf_map_remove(const struct perf_map *map, const struct perf_event_attr *attr, int which);

/* What a key of such a map (an attr of key_size bytes) stands for. */
void perf_map_attr(struct perf_event_attr *attr, const void *key, uint32_t key_size);

/* May be called twice. */
void perf_map_close(struct perf_map *map);

#endif
