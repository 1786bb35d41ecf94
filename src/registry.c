/* SPDX-License-Identifier: GPL-2.0-only */
#include "registry.h"

#include <errno.h>

#include "err.h"

int registry_open(struct registry *registry, bool mount, const char *perf_path, struct err *unshared)
{
	struct err why = {0};
	registry->perf_locked = false;
	registry->perf = (struct perf_map){.fd = -1};
	int result = attr_map_open(&registry->ours, mount, unshared);
	if (result < 0)
		return result;
	if (perf_map_open(&registry->perf, perf_path, &why) < 0)
		err_note(0, "not sharing with perf: %s", why.text);
	return 0;
}

bool registry_is_shared(const struct registry *registry)
{
	return registry->ours.map_fd >= 0;
}

int registry_lock(struct registry *registry, struct err *err)
{
	struct err why = {0};
	int result = attr_map_lock(&registry->ours, err);
	if (result < 0 || registry->perf.fd < 0)
		return result;
	result = perf_map_lock(&registry->perf, &why);
	registry->perf_locked = !result;
	if (result < 0) {
		/* once: the next event would wait as long again */
		err_note(0, "not sharing with perf: %s", why.text);
		perf_map_close(&registry->perf);
	}
	return 0;
}

void registry_unlock(struct registry *registry)
{
	if (registry->perf_locked)
		perf_map_unlock(&registry->perf);
	registry->perf_locked = false;
	attr_map_unlock(&registry->ours);
}

bool registry_is_perfs(int place)
{
	return place < PERF_MAP_KEYS;
}

int registry_find(const struct registry *registry, const struct perf_event_attr *attr, int place,
		  struct attr_map_entry *entry)
{
	if (!registry_is_perfs(place))
		return attr_map_find(&registry->ours, attr, entry);
	return registry->perf_locked ? perf_map_find(&registry->perf, attr, place, entry) : -ENOENT;
}

void registry_remove(const struct registry *registry, const struct perf_event_attr *attr, int place)
{
	if (registry_is_perfs(place))
		perf_map_remove(&registry->perf, attr, place);
	else
		attr_map_remove(&registry->ours, attr);
}

bool registry_reaches_perf(const struct registry *registry)
{
	return registry->perf_locked;
}

int registry_enter(const struct registry *registry, const struct perf_event_attr *attr, const struct attr_map_entry *entry,
		   uint32_t diff_map_id, struct err *err)
{
	if (registry->perf_locked && entry->link_id) {
		const struct attr_map_entry perfs = {entry->link_id, {.diff_map_id = diff_map_id}, 0};
		int result = perf_map_enter(&registry->perf, attr, &perfs);
		if (result < 0)
			err_note(1, "perf cannot find this leader: %s: %s", registry->perf.path,
				 result == -E2BIG ? "its entries are all in use" : err_reason(-result));
	}
	int result = attr_map_enter(&registry->ours, attr, entry);
	if (result == -E2BIG)
		return err_set(err, result, "the registry has no room: all of its entries are in use");
	return result < 0 ? err_sys(err, result, "cannot enter the leader in the registry") : 0;
}

void registry_close(struct registry *registry)
{
	perf_map_close(&registry->perf);
	attr_map_close(&registry->ours);
}
