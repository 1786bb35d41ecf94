/* SPDX-License-Identifier: GPL-2.0-only */
#include "attr_map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "fd.h"
#include "sys_bpf.h"

#include <linux/perf_event.h>

#define BPFFS "/sys/fs/bpf"
#define REGISTRY_DIR BPFFS "/bperf_mini"
#define REGISTRY_MAP REGISTRY_DIR "/leaders_v1"

#define BPFFS_MAGIC 0xcafe4a11U /* BPF_FS_MAGIC of the kernel's include/uapi/linux/magic.h */
enum { REGISTRY_ENTRIES = 1024, LOCK_STEP_MS = 5 };

/* The event's identity. Written out field by field: no padding, no header version in it. */
struct attr_map_key {
	uint32_t type;
	uint32_t exclude; /* user 1, kernel 2, hv 4, idle 8, host 16, guest 32 */
	uint64_t config, config1, config2, config3;
};

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

static int open_dir(struct err *err)
{
	if (mkdir(REGISTRY_DIR, 0700) && errno != EEXIST) {
		int error = -errno;
		return err_sys(err, error, "cannot make " REGISTRY_DIR);
	}
	int fd = fd_above_std(open(REGISTRY_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	int error = fd < 0 ? -errno : 0;
	if (error)
		return err_sys(err, error, "cannot open " REGISTRY_DIR);
	struct stat st;
	if (fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & 022)) {
		fd_close(&fd);
		return err_set(err, -EPERM, REGISTRY_DIR " belongs to another user or others may write to it");
	}
	return fd;
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
		       REGISTRY_MAP " is not ours: expected a map of type %d with keys of %zu and values of %zu bytes, found "
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

int attr_map_open(struct attr_map *map, bool mount, struct err *err)
{
	*map = (struct attr_map){-1, -1};
	int result = mount_bpffs(mount, err);
	if (!result)
		result = map->dir_fd = open_dir(err);
	if (result >= 0)
		result = map->map_fd = open_map(map, err);
	if (result < 0)
		attr_map_close(map);
	return result < 0 ? result : 0;
}

int attr_map_lock(const struct attr_map *map, struct err *err)
{
	const struct timespec step = {0, LOCK_STEP_MS * 1000000L};
	for (int waited = 0; flock(map->dir_fd, LOCK_EX | LOCK_NB); waited += LOCK_STEP_MS) {
		int error = -errno;
		if (error != -EWOULDBLOCK && error != -EINTR)
			return err_sys(err, error, "cannot lock " REGISTRY_DIR);
		if (waited >= ATTR_MAP_LOCK_MS)
			return err_set(err, -EBUSY, "another process has held the lock of " REGISTRY_DIR " for %d s",
				       ATTR_MAP_LOCK_MS / 1000);
		nanosleep(&step, NULL);
	}
	return 0;
}

void attr_map_unlock(const struct attr_map *map)
{
	flock(map->dir_fd, LOCK_UN);
}

int attr_map_find(const struct attr_map *map, const struct perf_event_attr *attr, struct attr_map_entry *entry)
{
	struct attr_map_key key = make_key(attr);
	return sys_bpf_map_lookup(map->map_fd, &key, entry);
}

int attr_map_enter(const struct attr_map *map, const struct perf_event_attr *attr, const struct attr_map_entry *entry,
		   struct err *err)
{
	struct attr_map_key key = make_key(attr);
	int result = sys_bpf_map_update(map->map_fd, &key, entry, BPF_ANY);
	return result < 0 ? err_sys(err, result, "cannot enter the leader in " REGISTRY_MAP) : 0;
}

void attr_map_remove(const struct attr_map *map, const struct perf_event_attr *attr)
{
	struct attr_map_key key = make_key(attr);
	sys_bpf_map_delete(map->map_fd, &key); /* gone already: as good */
}

void attr_map_close(struct attr_map *map)
{
	fd_close(&map->map_fd);
	fd_close(&map->dir_fd);
}
