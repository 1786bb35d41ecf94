/* SPDX-License-Identifier: GPL-2.0-only */
#include "attr_map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "err.h"
#include "fd.h"
#include "memory.h"
#include "out.h"
#include "sys_bpf.h"
#include "sysfs.h"

#include <linux/perf_event.h>

#define BPFFS "/sys/fs/bpf"
#define REGISTRY_DIR BPFFS "/bperf_mini"
#define REGISTRY_MAP REGISTRY_DIR "/leaders_v4"

#define BPFFS_MAGIC 0xcafe4a11U /* BPF_FS_MAGIC of the kernel's include/uapi/linux/magic.h */
enum { REGISTRY_ENTRIES = 1024, LOCK_STEP_MS = 5, CHECK_LOCK_MS = 1000, KEY_MOST = 512 };

#ifndef SYS_fsopen
#define SYS_fsopen 430 /* the same on every architecture */
#endif
#define FSOPEN_CLOEXEC_FLAG 1U /* FSOPEN_CLOEXEC of the kernel's include/uapi/linux/mount.h */

/* The event's identity. Written out field by field: no padding, no header version in it. */
struct attr_map_key {
	uint32_t type;
	uint32_t exclude; /* user 1, kernel 2, hv 4, idle 8, host 16, guest 32 */
	uint64_t config, config1, config2, config3;
};

_Static_assert(sizeof(struct attr_map_key) == ATTR_MAP_KEY_SIZE, "attr_map.h tells the size");

static struct attr_map_key make_key(const struct perf_event_attr *attr)
{
	return (struct attr_map_key){
		.type = attr->type,
		.exclude = (uint32_t)(attr->exclude_user | attr->exclude_kernel << 1 | attr->exclude_hv << 2 |
				      attr->exclude_idle << 3 | attr->exclude_host << 4 | attr->exclude_guest << 5),
		.config = attr->config,
		.config1 = attr->config1,
		.config2 = attr->config2,
		.config3 = attr->config3,
	};
}

static int is_bpffs(void)
{
	struct statfs fs;
	if (statfs(BPFFS, &fs))
		return -errno;
	return (uint32_t)fs.f_type == BPFFS_MAGIC;
}

/* systemd and bpftool mount it at the same place with the same options. */
static int mount_bpffs(bool may_mount, struct err *err)
{
	int found = is_bpffs();
	if (found > 0)
		return 0;
	if (found < 0)
		return err_sys(err, found, "no " BPFFS);
	if (!may_mount)
		return err_set(err, -ENODEV, "no bpf file system on " BPFFS " (and --no-mount)");
	if (mount("bpf", BPFFS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RELATIME, "mode=0700")) {
		int error = -errno;
		return err_sys(err, error, "no bpf file system on " BPFFS ", and cannot mount one");
	}
	err_note(1, "mounted a bpf file system on " BPFFS);
	return 0;
}

/* The folder as it is: root's or ours, and nobody else may write to it; or refused. */
static int open_dir(struct err *err)
{
	int fd = fd_above_std(open(REGISTRY_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	int error = fd < 0 ? -errno : 0;
	if (error)
		return err_sys(err, error, "cannot open " REGISTRY_DIR);
	struct stat st;
	if (fstat(fd, &st) || (st.st_uid && st.st_uid != geteuid()) || (st.st_mode & 022)) {
		fd_close(&fd);
		return err_set(err, -EPERM, REGISTRY_DIR " belongs to another user or others may write to it");
	}
	return fd;
}

static int make_dir(struct err *err)
{
	if (mkdir(REGISTRY_DIR, 0700) && errno != EEXIST) {
		int error = -errno;
		err_sys(err, error, "cannot make " REGISTRY_DIR);
		if (error == -EACCES)
			err_hint(err, "sharing needs root: that folder is closed to others");
		return error;
	}
	return open_dir(err);
}

static int check_shape(int fd, struct err *err)
{
	struct bpf_map_info info;
	memset(&info, 0, sizeof(info));
	int result = sys_bpf_info(fd, &info, sizeof(info));
	if (result < 0)
		return err_sys(err, result, "cannot inspect " REGISTRY_MAP);
	if (info.type == BPF_MAP_TYPE_HASH && info.key_size == sizeof(struct attr_map_key) &&
	    info.value_size == sizeof(struct attr_map_entry))
		return 0;
	return err_set(err, -EINVAL,
		       REGISTRY_MAP
		       " is not ours: expected a map of type %d with keys of %zu and values of %zu bytes, found "
		       "type %u with %u and %u",
		       BPF_MAP_TYPE_HASH, sizeof(struct attr_map_key), sizeof(struct attr_map_entry), info.type,
		       info.key_size, info.value_size);
}

static int make_map(struct err *err)
{
	int fd = sys_bpf_map_create("bperf_leaders", BPF_MAP_TYPE_HASH, sizeof(struct attr_map_key),
				    sizeof(struct attr_map_entry), REGISTRY_ENTRIES, 0);
	if (fd < 0)
		return err_sys(err, fd, "cannot create the registry");
	int result = sys_bpf_obj_pin(fd, REGISTRY_MAP);
	if (result < 0) {
		fd_close(&fd);
		return err_sys(err, result, "cannot pin the registry to " REGISTRY_MAP);
	}
	return fd;
}

static int open_map(const struct attr_map *map, struct err *err)
{
	int result = attr_map_lock(map, err); /* two first sessions at once: one makes it */
	if (result < 0)
		return result;
	int fd = sys_bpf_obj_get(REGISTRY_MAP);
	if (fd == -ENOENT)
		fd = make_map(err);
	else if (fd < 0)
		err_sys(err, fd, "cannot open " REGISTRY_MAP);
	attr_map_unlock(map);
	if (fd < 0)
		return fd;
	result = check_shape(fd, err);
	if (result < 0)
		fd_close(&fd);
	return result < 0 ? result : fd;
}

int attr_map_peek(struct attr_map *map, struct err *err)
{
	*map = (struct attr_map){-1, sys_bpf_obj_get(REGISTRY_MAP)};
	int result = map->map_fd < 0 ? map->map_fd : check_shape(map->map_fd, err);
	if (map->map_fd < 0 && result != -ENOENT)
		err_sys(err, result, "cannot open " REGISTRY_MAP);
	if (result < 0)
		attr_map_close(map);
	return result;
}

int attr_map_open(struct attr_map *map, bool mount, struct err *err)
{
	*map = (struct attr_map){-1, -1};
	int result = mount_bpffs(mount, err);
	if (!result)
		result = map->dir_fd = make_dir(err);
	if (result >= 0)
		result = map->map_fd = open_map(map, err);
	if (result < 0)
		attr_map_close(map);
	return result < 0 ? result : 0;
}

/* The n-th word (from 0) of a line, its length in *length. */
static const char *word(const char *line, int n, size_t *length)
{
	for (;; n--) {
		line += strspn(line, " ");
		*length = strcspn(line, " \n");
		if (!n)
			return line;
		line += *length;
	}
}

/* The process of a line of /proc/locks that is about the inode, or 0: "1: FLOCK  ADVISORY  WRITE 1234 00:1c:56 0 EOF" has
 * the process behind WRITE, then device:device:inode. */
static int line_holder(const char *line, const char *inode)
{
	size_t length, inode_length = strlen(inode);
	unsigned holder = 0;
	const char *at = word(line, 1, &length);
	if (length != 5 || memcmp(at, "FLOCK", 5))
		return 0;
	at = word(line, 5, &length);
	if (length < inode_length || memcmp(at + length - inode_length, inode, inode_length))
		return 0;
	for (at = word(line, 4, &length); *at >= '0' && *at <= '9'; at++)
		holder = holder * 10 + (unsigned)(*at - '0');
	return (int)holder;
}

static int find_holder(int fd)
{
	enum { LOCKS_SIZE = 64 * 1024 };
	struct stat st;
	char inode[32];
	int holder = 0;
	char *text = fstat(fd, &st) ? NULL : memory_take(1, LOCKS_SIZE);
	if (!text)
		return 0;
	out_print(inode, sizeof(inode), ":%llu", (unsigned long long)st.st_ino);
	if (sysfs_read("/proc/locks", text, LOCKS_SIZE, NULL) < 0)
		text[0] = '\0';
	for (const char *line = text; line && *line && !holder; line = strchr(line, '\n')) {
		line += *line == '\n';
		holder = line_holder(line, inode);
	}
	memory_free(text);
	return holder;
}

int attr_map_flock(int fd, const char *name, int limit_ms, struct err *err)
{
	int result = fd_lock(fd, limit_ms, LOCK_STEP_MS);
	if (result == -EBUSY) {
		char who[32] = "another process";
		int holder = find_holder(fd);
		if (holder)
			out_print(who, sizeof(who), "process %d", holder);
		return err_set(err, result, "%s has held the lock of %s for %d s", who, name, limit_ms / 1000);
	}
	return result < 0 ? err_sys(err, result, "cannot lock %s", name) : 0;
}

int attr_map_lock(const struct attr_map *map, struct err *err)
{
	return attr_map_flock(map->dir_fd, REGISTRY_DIR, ATTR_MAP_LOCK_MS, err);
}

void attr_map_unlock(const struct attr_map *map)
{
	fd_unlock(map->dir_fd);
}

int attr_map_find(const struct attr_map *map, const struct perf_event_attr *attr, struct attr_map_entry *entry)
{
	struct attr_map_key key = make_key(attr);
	return sys_bpf_map_lookup(map->map_fd, &key, entry);
}

int attr_map_enter(const struct attr_map *map, const struct perf_event_attr *attr, const struct attr_map_entry *entry)
{
	struct attr_map_key key = make_key(attr);
	int result = sys_bpf_map_update(map->map_fd, &key, entry, BPF_ANY);
	if (result == -E2BIG && attr_map_sweep(map->map_fd, sizeof(key)))
		result = sys_bpf_map_update(map->map_fd, &key, entry, BPF_ANY);
	return result;
}

int attr_map_each(int map_fd, uint32_t key_size,
		  int (*visit)(void *context, const void *key, const struct attr_map_entry *entry), void *context)
{
	unsigned char key[KEY_MOST] __attribute__((aligned(8))), next[KEY_MOST];
	struct attr_map_entry entry = {0};
	int result = 0;
	int more = key_size <= KEY_MOST ? sys_bpf_map_next_key(map_fd, NULL, key) : -E2BIG;
	while (!more && !result) {
		more = sys_bpf_map_next_key(map_fd, key, next); /* before this one is gone */
		if (!sys_bpf_map_lookup(map_fd, key, &entry))
			result = visit(context, key, &entry);
		memcpy(key, next, key_size);
	}
	return result ? result : more == -ENOENT ? 0 : more;
}

void attr_map_attr(struct perf_event_attr *attr, const void *key)
{
	const struct attr_map_key *k = key;
	memset(attr, 0, sizeof(*attr));
	attr->type = k->type;
	attr->config = k->config;
	attr->config1 = k->config1;
	attr->config2 = k->config2;
	attr->config3 = k->config3;
	attr->exclude_user = k->exclude & 1;
	attr->exclude_kernel = k->exclude >> 1 & 1;
	attr->exclude_hv = k->exclude >> 2 & 1;
	attr->exclude_idle = k->exclude >> 3 & 1;
	attr->exclude_host = k->exclude >> 4 & 1;
	attr->exclude_guest = k->exclude >> 5 & 1;
}

struct sweep {
	int map_fd, removed;
	bool is_ours;
};

static int sweep_entry(void *context, const void *key, const struct attr_map_entry *entry)
{
	struct sweep *sweep = context;
	int fd = sweep->is_ours ? sys_bpf_prog_by_id(entry->prog_id) : sys_bpf_link_by_id(entry->link_id);
	if (fd == -ENOENT && !sys_bpf_map_delete(sweep->map_fd, key))
		sweep->removed++;
	fd_close(&fd);
	return 0;
}

int attr_map_sweep(int map_fd, uint32_t key_size)
{
	struct sweep sweep = {map_fd, 0, key_size == ATTR_MAP_KEY_SIZE};
	attr_map_each(map_fd, key_size, sweep_entry, &sweep);
	return sweep.removed;
}

void attr_map_remove(const struct attr_map *map, const struct perf_event_attr *attr)
{
	struct attr_map_key key = make_key(attr);
	sys_bpf_map_delete(map->map_fd, &key); /* gone already: as good */
}

int attr_map_check_mount(struct err *err)
{
	int found = is_bpffs();
	if (found > 0)
		return err_set(err, 1, "mounted on " BPFFS);
	if (found < 0)
		return err_sys(err, found, "no " BPFFS);
	/* asks for a file system of that kind, and mounts none */
	int fd = (int)syscall(SYS_fsopen, "bpf", FSOPEN_CLOEXEC_FLAG);
	if (fd < 0) {
		int error = -errno;
		return err_sys(err, error, "none on " BPFFS ", and cannot mount one");
	}
	fd_close(&fd);
	return err_set(err, 0, "none on " BPFFS ": the first session mounts it (--no-mount: counts unshared)");
}

int attr_map_check(struct err *err)
{
	struct attr_map map = {open_dir(err), -1};
	if (map.dir_fd == -ENOENT) {
		if (!access(BPFFS, W_OK))
			return err_set(err, 0, "none yet: the first session makes it");
		int error = -errno;
		return err_sys(err, error, "none yet, and cannot make it");
	}
	if (map.dir_fd < 0)
		return map.dir_fd;
	int result = attr_map_flock(map.dir_fd, REGISTRY_DIR, CHECK_LOCK_MS, err);
	if (!result)
		attr_map_unlock(&map);
	fd_close(&map.dir_fd);
	if (!result)
		result = attr_map_peek(&map, err);
	if (result == -ENOENT)
		return err_set(err, 0, "no map in it yet: the first session makes it");
	attr_map_close(&map);
	return result < 0 ? result : err_set(err, 1, REGISTRY_MAP);
}

void attr_map_close(struct attr_map *map)
{
	fd_close(&map->map_fd);
	fd_close(&map->dir_fd);
}
