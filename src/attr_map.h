/* SPDX-License-Identifier: GPL-2.0-only */
/* The registry: our pinned map /sys/fs/bpf/bperf_mini/leaders_v4, by which sessions find the leader of an event, and the
 * lock around finding and making one. (Of leaders_v1 only links were named, of leaders_v2 followers needed the leader to run: sessions of a version that
 * has one of these do not find the leaders of this one's, nor these theirs, and count right by two.) */
#ifndef ATTR_MAP_H
#define ATTR_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct perf_event_attr;

/* Of ours, and the first two words of perf's map (kernel-facts.md 1). The rest is found from there. Of ours a link may be 0 or gone:
 * nobody needs the leader to run there now. */
struct attr_map_entry {
	uint32_t link_id;             /* on sched_switch */
	union {
		uint32_t prog_id;     /* ours: lives as long as a session has it */
		uint32_t diff_map_id; /* perf's: the leader lives as long as the link */
	};
	uint32_t hotplug_link_id;     /* ours only */
};
enum { ATTR_MAP_PERF_SIZE = 8 };      /* bytes of perf's */

struct attr_map {
	int dir_fd; /* holds the lock (flock) */
	int map_fd;
};

/* Opens the registry; makes directory (0700) and map where they are missing; mounts bpffs on /sys/fs/bpf where nothing is
 * mounted there and `mount` allows it. Something else in its place is left alone. Returns 0 or -errno with a text: then
 * the session counts unshared. */
int attr_map_open(struct attr_map *map, bool mount, struct err *err);

/* For looking only, with a text in any case. The file system: 1: mounted; 0: a session would mount it. The registry: 1: there, sound,
 * and its lock to be had at once; 0: a session would make it. Otherwise -errno. Nothing is made or mounted. */
int attr_map_check_mount(struct err *err);
int attr_map_check(struct err *err);

/* Waits up to ATTR_MAP_LOCK_MS. Returns 0; -EBUSY, with a text that names the holder where /proc/locks does; -EINTR: a signal
 * is to end us; another -errno with a text. */
enum { ATTR_MAP_LOCK_MS = 10000 };
int attr_map_lock(const struct attr_map *map, struct err *err);
void attr_map_unlock(const struct attr_map *map);

/* The same for any file, called `name` in the text, with a limit of its own. */
int attr_map_flock(int fd, const char *name, int limit_ms, struct err *err);

/* Under the lock. find: 0, or -ENOENT. Entries are keyed by what an event counts (type, config.., exclude bits), never by
 * struct size or other bits. enter replaces; -E2BIG: full. remove: gone already is as good. */
int attr_map_find(const struct attr_map *map, const struct perf_event_attr *attr, struct attr_map_entry *entry);
int attr_map_enter(const struct attr_map *map, const struct perf_event_attr *attr, const struct attr_map_entry *entry);
/* The registry as it is, for looking only: nothing is made, mounted or locked. -ENOENT without a text: there is none. */
int attr_map_peek(struct attr_map *map, struct err *err);

/* Calls visit for each entry of ours, or of perf's map, with keys of key_size bytes (512 at most); it may delete that one.
 * Ends when visit returns something else than 0, and returns that, or 0, or -errno. */
int attr_map_each(int map_fd, uint32_t key_size,
		  int (*visit)(void *context, const void *key, const struct attr_map_entry *entry), void *context);

/* What a key of the registry stands for. */
enum { ATTR_MAP_KEY_SIZE = 40 };
void attr_map_attr(struct perf_event_attr *attr, const void *key);

/* Removes the entries whose leader is gone, of ours (by the key's size) or of perf's. Returns how many. */
int attr_map_sweep(int map_fd, uint32_t key_size);
void attr_map_remove(const struct attr_map *map, const struct perf_event_attr *attr);

/* May be called twice; on a map whose opening failed too. */
void attr_map_close(struct attr_map *map);

#endif
