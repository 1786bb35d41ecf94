/* SPDX-License-Identifier: GPL-2.0-only */
/* Any bytes as each of the files that the kernel makes for us (of /sys a number and a list of CPUs, of /proc/PID stat, status, comm and
 * fdinfo, of /proc locks), as the names in a folder, and as what comes through --control. Each is read into room that is just too
 * small, just enough, and more: text xor an error with a text, and nothing that is more than the file says. A '~' is ':' and the inode of
 * the file whose lock is held. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attr_map.h"
#include "control.h"
#include "cpulist.h"
#include "err.h"
#include "out.h"
#include "plan.h"
#include "sys_task.h"
#include "sysfs.h"
#include "topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every path is that of the one file there is, a file in memory; the names in a folder are its words. */
int __wrap_sysfs_read(const char *path, char *buffer, size_t size, struct err *err);
long __wrap_sysfs_number(const char *path, long otherwise);
int __wrap_sysfs_list(struct cpulist *list, const char *path, struct err *err);
int __wrap_sysfs_each(const char *path, int (*visit)(void *context, const char *name), void *context);
int __real_sysfs_read(const char *path, char *buffer, size_t size, struct err *err);
long __real_sysfs_number(const char *path, long otherwise);
int __real_sysfs_list(struct cpulist *list, const char *path, struct err *err);

int __wrap_sysfs_read(const char *path, char *buffer, size_t size, struct err *err)
{
	(void)path;
	return __real_sysfs_read("", buffer, size, err);
}

long __wrap_sysfs_number(const char *path, long otherwise)
{
	(void)path;
	return __real_sysfs_number("", otherwise);
}

int __wrap_sysfs_list(struct cpulist *list, const char *path, struct err *err)
{
	(void)path;
	return __real_sysfs_list(list, "", err);
}

static char *text; /* the input, ended */
static size_t length;

int __wrap_sysfs_each(const char *path, int (*visit)(void *context, const char *name), void *context)
{
	char *copy = strdup(text), *rest = copy;
	int result = 0;
	(void)path;
	for (char *name; !result && (name = strsep(&rest, " \n"));)
		result = visit(context, name);
	free(copy);
	return result;
}

static void check(bool is_so)
{
	if (!is_so)
		abort();
}

static void check_read(size_t room)
{
	struct err err = {0};
	char *buffer = malloc(room);
	int result = __real_sysfs_read("", buffer, room, &err);
	if (room > length)
		check(result == (int)length && !memcmp(buffer, text, length + 1) && !err.text[0]);
	else
		check(result == -E2BIG && err.text[0]);
	free(buffer);
}

static void check_numbers(void)
{
	struct cpulist list;
	struct err err = {0};
	char again[32];
	const long number = __real_sysfs_number("", LONG_MIN);
	out_print(again, sizeof(again), "%ld", number);
	/* but for zeros in front, which nobody writes there */
	if (number != LONG_MIN && *text != '0' && strncmp(text, "-0", 2))
		check(!strncmp(text, again, strlen(again)));
	const int result = __real_sysfs_list(&list, "", &err);
	check(result < 0 ? err.text[0] : result == 1 ? cpulist_count(&list) && !err.text[0] : result == 0 && !err.text[0]);
	sysfs_field(text, "Tgid:\t");
	sysfs_field(text, "link_id:\t");
}

static void check_tasks(void)
{
	char comm[17] = "-", small[4] = "-";
	sys_task_alive((int)getpid(), false);
	sys_task_alive((int)getpid(), true);
	sys_task_process(1);
	sys_task_comm(1, comm, sizeof(comm));
	sys_task_comm(1, small, sizeof(small));
	check(memchr(comm, '\0', sizeof(comm)) && memchr(small, '\0', sizeof(small)));
}

static void check_places(void)
{
	static const enum plan_aggregate by[] = {PLAN_EACH_CORE, PLAN_EACH_DIE, PLAN_EACH_SOCKET, PLAN_EACH_NODE, PLAN_EACH_CPU};
	const struct cpulist possible = {{0x5}};
	for (size_t i = 0; i < sizeof(by) / sizeof(*by); i++) {
		struct topology topology;
		struct topology_walk walk = {0};
		unsigned met = 0, places = 0;
		check(!topology_open(&topology, by[i], &possible, NULL));
		topology_learn(&topology, &possible);
		while (topology_next(&topology, &possible, &walk)) {
			char name[48];
			topology_name(&topology, walk.cpu, name, sizeof(name));
			check(*name && strlen(name) + 1 < sizeof(name));
			met++;
			places += walk.begins_place;
		}
		check(met == 2 && places >= 1 && places <= 2);
		topology_close(&topology);
	}
}

/* A lock that another holds, and what /proc/locks says of it. */
static void check_locks(void)
{
	static int holder = -1, waiter;
	struct err err = {0};
	if (holder < 0) {
		holder = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
		waiter = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
		check(holder >= 0 && waiter >= 0 && !flock(holder, LOCK_EX));
	}
	check(attr_map_flock(waiter, "it", 0, &err) == -EBUSY);
	check(strstr(err.text, " has held the lock of it for 0 s") != NULL);
}

static void make_text(const uint8_t *data, size_t size)
{
	struct stat file;
	char inode[32];
	check(!stat("/proc/self/exe", &file));
	out_print(inode, sizeof(inode), ":%llu", (unsigned long long)file.st_ino);
	text = malloc(size * sizeof(inode) + 1);
	length = 0;
	for (size_t i = 0; i < size; i++) {
		const char *bytes = data[i] == '~' ? inode : (const char *)&data[i];
		const size_t count = data[i] == '~' ? strlen(inode) : 1;
		memcpy(text + length, bytes, count);
		length += count;
	}
	text[length] = '\0';
}

static void check_control(const char *path)
{
	struct control control;
	control_init(&control);
	control.fd = open(path, O_RDONLY | O_CLOEXEC);
	check(control.fd >= 0);
	size_t lines = 0;
	for (int got; (got = control_read(&control)) != CONTROL_CLOSED; lines++) {
		check(got == -EAGAIN || (got >= CONTROL_ENABLE && got <= CONTROL_UNKNOWN));
		check(memchr(control.line, '\0', sizeof(control.line)) || got == -EAGAIN);
		check(lines <= length);
	}
	check(control.fd < 0);
	control_close(&control);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;
	if (fd < 0) {
		fd = memfd_create("file", MFD_CLOEXEC);
		out_print(path, sizeof(path), "/proc/self/fd/%d", fd);
		sysfs_root = path;
		err_verbosity = -1;
	}
	make_text(data, size);
	check(!ftruncate(fd, 0) && pwrite(fd, text, length, 0) == (ssize_t)length);
	check_read(length ? length : 1);
	check_read(length + 1);
	check_read(length + 100);
	check_numbers();
	check_tasks();
	check_places();
	check_locks();
	check_control(path);
	free(text);
	return 0;
}
