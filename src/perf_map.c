/* SPDX-License-Identifier: GPL-2.0-only */
#include "perf_map.h"

#include <errno.h>
#include <string.h>

#include <linux/perf_event.h>

#include "attr_map.h"
#include "err.h"
#include "event.h"
#include "fd.h"
#include "pmu.h"
#include "sys_bpf.h"

/* KEY_LEAST: up to and with config2. KEY_NEW: perf 7.3's, from which on exclude_guest is not set by default. KEY_MOST: room
 * for many a field more than perf's attr has. */
enum { KEY_LEAST = 72, KEY_NEW = 144, KEY_MOST = 512 };

int perf_map_open(struct perf_map *map, const char *path, struct err *err)
{
	*map = (struct perf_map){-1, 0, path ? path : PERF_MAP_PATH};
	int fd = sys_bpf_obj_get(map->path);
	if (fd == -ENOENT && !path)
		return 0;
	if (fd < 0)
		return err_sys(err, fd, "cannot open perf's attr map %s", map->path);
	struct bpf_map_info info;
	memset(&info, 0, sizeof(info));
	int result = sys_bpf_info(fd, &info, sizeof(info));
	if (result < 0) {
		err_sys(err, result, "cannot inspect perf's attr map %s", map->path);
	} else if (info.type != BPF_MAP_TYPE_HASH || info.value_size != ATTR_MAP_PERF_SIZE || info.key_size < KEY_LEAST ||
		   info.key_size > KEY_MOST || info.key_size % sizeof(uint64_t)) {
		result = err_set(err, -EINVAL,
				 "%s is not perf's attr map: expected a map of type %d with keys of %d to %d and values of "
				 "%d bytes, found type %u with %u and %u",
				 map->path, BPF_MAP_TYPE_HASH, KEY_LEAST, KEY_MOST, ATTR_MAP_PERF_SIZE, info.type,
				 info.key_size, info.value_size);
	}
	if (result < 0) {
		fd_close(&fd);
		return result;
	}
	map->fd = fd;
	map->key_size = info.key_size;
	return 0;
}

int perf_map_lock(const struct perf_map *map, struct err *err)
{
	return attr_map_flock(map->fd, map->path, PERF_MAP_LOCK_MS, err);
}

void perf_map_unlock(const struct perf_map *map)
{
	fd_unlock(map->fd);
}

/* Only these fields are ever other than 0 in perf's key, beside size. */
static int make_key(unsigned char *key, const struct perf_map *map, const struct perf_event_attr *attr, int which)
{
	struct perf_event_attr made;
	memset(&made, 0, sizeof(made));
	made.type = attr->type;
	made.config = attr->config;
	made.config1 = attr->config1;
	made.config2 = attr->config2;
	made.config3 = attr->config3;
	if (attr->config3 && map->key_size < PERF_ATTR_SIZE_VER8)
		return -ENOENT;
	made.exclude_user = attr->exclude_user;
	made.exclude_kernel = attr->exclude_kernel;
	made.exclude_hv = attr->exclude_hv;
	made.exclude_idle = attr->exclude_idle;
	made.exclude_host = attr->exclude_host;
	made.exclude_guest = attr->exclude_guest;
	/* perf up to 6.12 leaves guests out unless told otherwise, or told of modifiers without u */
	int with_guests = map->key_size >= KEY_NEW || attr->exclude_user;
	if (!attr->exclude_guest && !attr->exclude_host)
		made.exclude_guest = with_guests ? which & 1 : !(which & 1);
	else if (which & 1)
		return -ENOENT;
	if (which & 2) {
		int length;
		const char *name =
			attr->type == PERF_TYPE_HARDWARE ? event_name(attr->type, attr->config, 0, &length) : NULL;
		if (!name || pmu_alias(&made, "cpu", name, (size_t)length, NULL) < 0)
			return -ENOENT;
	}
	made.size = map->key_size;
	memset(key, 0, map->key_size);
	memcpy(key, &made, map->key_size < sizeof(made) ? map->key_size : sizeof(made));
	return 0;
}

int perf_map_find(const struct perf_map *map, const struct perf_event_attr *attr, int which, struct attr_map_entry *entry)
{
	unsigned char key[KEY_MOST];
	int result = make_key(key, map, attr, which);
	return result < 0 ? result : sys_bpf_map_lookup(map->fd, key, entry);
}

int perf_map_enter(const struct perf_map *map, const struct perf_event_attr *attr, const struct attr_map_entry *entry)
{
	unsigned char key[KEY_MOST];
	int result = make_key(key, map, attr, 0);
	if (!result)
		result = sys_bpf_map_update(map->fd, key, entry, BPF_ANY);
	if (result == -E2BIG && attr_map_sweep(map->fd, map->key_size))
		result = sys_bpf_map_update(map->fd, key, entry, BPF_ANY);
	return result;
}

void perf_map_remove(const struct perf_map *map, const struct perf_event_attr *attr, int which)
{
	unsigned char key[KEY_MOST];
	if (!make_key(key, map, attr, which))
		sys_bpf_map_delete(map->fd, key); /* gone already: as good */
}

void perf_map_attr(struct perf_event_attr *attr, const void *key, uint32_t key_size)
{
	memset(attr, 0, sizeof(*attr));
	memcpy(attr, key, key_size < sizeof(*attr) ? key_size : sizeof(*attr));
}

void perf_map_close(struct perf_map *map)
{
	fd_close(&map->fd);
}
