/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files of /sys and /proc, under a root that tests can replace. */
#ifndef SYSFS_H
#define SYSFS_H

#include <stddef.h>
#include <stdint.h>

struct cpulist;
struct err;

/* Where every path below begins: "" by default. For tests; the text must outlive its use. */
extern const char *sysfs_root;

/* Reads a whole small file into buffer and ends it with NUL. Returns the length, or -errno (-E2BIG if it does not fit
 * into size - 1 bytes); err (may be NULL) names the file. */
int sysfs_read(const char *path, char *buffer, size_t size, struct err *err);

/* A file with a list of CPUs. Returns 1; 0: there is no such file, or nothing in it; or -errno with a text. */
int sysfs_list(struct cpulist *list, const char *path, struct err *err);

/* /sys/devices/system/cpu/{online,possible}. A missing `possible` falls back to `present`, then `online`; a missing
 * `online` to what sched_getaffinity(2) allows. possible always holds online. Returns which of the two are such guesses: 0,
 * or SYSFS_ONLINE_GUESSED and SYSFS_POSSIBLE_GUESSED; or -errno with a text. */
enum { SYSFS_ONLINE_GUESSED = 1, SYSFS_POSSIBLE_GUESSED = 2 };
int sysfs_cpus(struct cpulist *online, struct cpulist *possible, struct err *err);

/* The number in a small file such as /proc/sys/kernel/perf_event_paranoid, or `otherwise` where there is none. */
long sysfs_number(const char *path, long otherwise);

/* The number that follows `name` (with its colon and tab) at the start of a line of a text such as /proc/PID/status; 0 where
 * there is no such line. */
uint32_t sysfs_field(const char *text, const char *name);

/* Calls visit for each name in a folder but . and .., until it returns something else than 0. Returns that, or 0, or
 * -errno. The folder may change meanwhile: a name may be gone when it is visited. */
int sysfs_each(const char *path, int (*visit)(void *context, const char *name), void *context);

#endif
