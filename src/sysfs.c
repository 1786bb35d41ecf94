/* SPDX-License-Identifier: GPL-2.0-only */
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpulist.h"
#include "err.h"

/* Every second of 8192 CPUs, with commas, takes 20 KB. */
enum { PATH_SIZE = 1024, LIST_SIZE = 32 * 1024, NUMBER_SIZE = 32 };

const char *sysfs_root = "";

static int read_all(int fd, char *buffer, size_t size)
{
	size_t used = 0;
	for (;;) {
		/* the last byte is asked for too: only so a file that just fits is told from one that does not */
		ssize_t got = read(fd, buffer + used, size - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		used += (size_t)got;
		if (used >= size)
			return -E2BIG;
	}
	buffer[used] = '\0';
	return (int)used;
}

static int full_path(char full[PATH_SIZE], const char *path)
{
	size_t root_length = strlen(sysfs_root), length = strlen(path);
	if (root_length + length >= PATH_SIZE)
		return -ENAMETOOLONG;
	memcpy(full, sysfs_root, root_length);
	memcpy(full + root_length, path, length + 1);
	return 0;
}

int sysfs_read(const char *path, char *buffer, size_t size, struct err *err)
{
	char full[PATH_SIZE];
	if (full_path(full, path) < 0)
		return err_sys(err, -ENAMETOOLONG, "cannot open %s", path);

	int fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, -errno, "cannot open %s", full);
	int result = read_all(fd, buffer, size);
	close(fd);
	if (result == -E2BIG)
		return err_set(err, result, "cannot read %s: it has more than %zu bytes", full, size - 1);
	if (result < 0)
		return err_sys(err, result, "cannot read %s", full);
	return result;
}

int sysfs_list(struct cpulist *list, const char *path, struct err *err)
{
	char text[LIST_SIZE];
	int result = sysfs_read(path, text, sizeof(text), err);
	if (result == -ENOENT)
		return 0;
	if (result < 0)
		return result;
	if (!text[strspn(text, " \n")])
		return 0;
	result = cpulist_parse(list, text, err);
	if (result < 0) {
		err_prefix(err, "%s%s", sysfs_root, path);
		return result;
	}
	return 1;
}

static int read_affinity(struct cpulist *list, struct err *err)
{
	cpu_set_t sets[CPULIST_MAX / CPU_SETSIZE];
	memset(sets, 0, sizeof(sets));
	if (sched_getaffinity(0, sizeof(sets), sets) < 0)
		return err_sys(err, -errno, "cannot tell which CPUs are online");
	memset(list, 0, sizeof(*list));
	for (unsigned cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (CPU_ISSET_S(cpu, sizeof(sets), sets))
			cpulist_add(list, cpu);
	}
	return 1;
}

int sysfs_cpus(struct cpulist *online, struct cpulist *possible, struct err *err)
{
	int guessed = 0, found = sysfs_list(online, "/sys/devices/system/cpu/online", err);
	if (found == 0) {
		guessed |= SYSFS_ONLINE_GUESSED;
		found = read_affinity(online, err);
	}
	if (found < 0)
		return found;

	found = sysfs_list(possible, "/sys/devices/system/cpu/possible", err);
	if (found == 0) {
		guessed |= SYSFS_POSSIBLE_GUESSED;
		found = sysfs_list(possible, "/sys/devices/system/cpu/present", err);
	}
	if (found < 0)
		return found;
	if (found == 0)
		*possible = *online;
	for (int cpu = -1; (cpu = cpulist_next(online, cpu)) >= 0;)
		cpulist_add(possible, (unsigned)cpu);
	return guessed;
}

long sysfs_number(const char *path, long otherwise)
{
	char text[NUMBER_SIZE];
	if (sysfs_read(path, text, sizeof(text), NULL) < 0)
		return otherwise;
	bool negative = text[0] == '-';
	const char *p = text + negative;
	if (*p < '0' || *p > '9')
		return otherwise;
	long value = 0;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (value > (LONG_MAX - (*p - '0')) / 10)
			return otherwise;
		value = value * 10 + (*p - '0');
	}
	if (*p == '\n')
		p++;
	if (*p)
		return otherwise;
	return negative ? -value : value;
}

uint32_t sysfs_field(const char *text, const char *name)
{
	uint32_t id = 0;
	size_t length = strlen(name);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length))
			continue;
		for (line += length; *line >= '0' && *line <= '9'; line++)
			id = id * 10 + (uint32_t)(*line - '0');
		return id;
	}
	return 0;
}

/* getdents64(2); readdir(3) would bring malloc along. */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t length;
	uint8_t type;
	char name[];
};

int sysfs_each(const char *path, int (*visit)(void *context, const char *name), void *context)
{
	char full[PATH_SIZE], buffer[4096] __attribute__((aligned(8)));
	int result = full_path(full, path);
	int fd = result < 0 ? result : open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return result < 0 ? result : -errno;
	while (!result) {
		long got = syscall(SYS_getdents64, fd, buffer, sizeof(buffer));
		if (got <= 0) {
			result = got < 0 ? -errno : 0;
			break;
		}
		for (long at = 0; at < got && !result;) {
			const struct entry *entry = (const struct entry *)(const void *)(buffer + at);
			if (strcmp(entry->name, ".") && strcmp(entry->name, ".."))
				result = visit(context, entry->name);
			at += entry->length;
		}
	}
	close(fd);
	return result;
}
