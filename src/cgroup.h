/* SPDX-License-Identifier: GPL-2.0-only */
/* From the names of cgroups, or patterns of names, as the user gives them, to opened folders. */
#ifndef CGROUP_H
#define CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct err;

enum { CGROUP_PATH_SIZE = 1024, CGROUP_DEPTH_MAX = 64, CGROUP_FOLDERS_MAX = 65536 /* which a pattern is held against */ };
enum { CGROUP_V2, CGROUP_V1, CGROUP_KINDS }; /* V1: the hierarchy with the perf_event controller */

struct cgroup {
	int fd;                      /* of the folder, above 2 and CLOEXEC; negative: none. Its holder's, for fd_close */
	bool is_v1;
	unsigned depth, name_at;     /* depth: 0 is the mounted folder's */
	uint64_t id;                 /* what bpf_get_current_cgroup_id gives; of v1 only the inode. 1: the hierarchy's root. If that
					of the mounted folder is another (namespace, bind mount), real depths are greater */
	char path[CGROUP_PATH_SIZE]; /* absolute; may hold any byte but NUL: print it by out_clean */
};

struct cgroup_mounts {
	char paths[CGROUP_KINDS][CGROUP_PATH_SIZE]; /* "": not mounted */
	bool are_roots[CGROUP_KINDS];               /* mountinfo says so */
};

/* This process's. Returns 0; -ENODEV: there is none; another -errno; all with a text. */
int cgroup_mounts_read(struct cgroup_mounts *mounts, struct err *err);

/* From a text like /proc/self/mountinfo, which it cuts up: of each kind the first mount of a root, else the first. */
void cgroup_mounts_parse(struct cgroup_mounts *mounts, char *text);

/* Opens the group of a name, which is below the mount ("web", "/a/b/"; "", "." and "/" are the root; ".." is resolved in the
 * text) or begins with the mount's path. Sought in v2, then in v1. Returns 0; -ENOENT, the text names the path tried; -EINVAL: it
 * is above the mount; another -errno; all with a text. sysfs_root must be "" here and in cgroup_expand. */
int cgroup_open(struct cgroup *group, const struct cgroup_mounts *mounts, const char *name, struct err *err);

/* Calls add for the group of that name; where there is none, and one of {}[]()|*+?^$ is in the item, for all those whose path
 * below the mount (the root's: "") matches, parents first, in v2, or in v1 if none is in v2. add owns the fd. It returns 0, or
 * an -errno that ends the walk and is passed on. Returns how many groups (of one item none comes twice), at least 1; -ENOENT;
 * -EINVAL: a bad pattern; -EMLINK, -ENAMETOOLONG: the limits; another -errno; all but add's with a text. */
int cgroup_expand(const struct cgroup_mounts *mounts, const char *item,
		  int (*add)(void *context, const struct cgroup *group), void *context, struct err *err);

/* Takes an item from a text "a,b" ("\"a,b\",c": quotes keep commas, two in quotes are one) and moves *list behind it, to NULL
 * behind the last. Items may be empty. Returns 1; 0: *list was NULL; -EINVAL with a text. */
int cgroup_list_next(const char **list, char item[CGROUP_PATH_SIZE], struct err *err);

/* "a/b"; "/" for the root. Points into group. */
const char *cgroup_name(const struct cgroup *group);

/* The path no longer leads to the group, though perhaps to a new one of that name. */
bool cgroup_is_gone(const struct cgroup *group);

/* Is `inner` the group itself or below it, by their paths? */
bool cgroup_contains(const struct cgroup *group, const struct cgroup *inner);

/* Does a name (shorter than CGROUP_PATH_SIZE) match? 1, 0, or -EINVAL. A basic regular expression as perf's, of bytes, but + and
 * ? need no backslash, and what is not known is refused: ( ) { } |, [ in a set, backslashes but before . * [ ] ^ $ \ / -
 * Takes time as the product of the lengths. */
int cgroup_match(const char *pattern, const char *name);

#endif
