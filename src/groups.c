/* SPDX-License-Identifier: GPL-2.0-only */
#include "groups.h"

#include <errno.h>

#include "err.h"
#include "fd.h"
#include "follower.h"
#include "memory.h"
#include "plan.h"
#include "refusal.h"
#include "sys_bpf.h"

void groups_init(struct groups *groups)
{
	*groups = (struct groups){.groups_fd = -1, .sets_fd = -1};
}

/* --- finding them ------------------------------------------------------------------------------------------------------- */

/* Takes over the group's descriptor. Of --for-each-cgroup a group that two patterns mean is counted once, as in perf. */
static int add(void *context, const struct cgroup *group)
{
	struct groups *groups = context;
	bool is_known = false;
	for (int i = 0; i < groups->count && !is_known; i++)
		is_known = groups->each && groups->list[i].id == group->id && groups->list[i].is_v1 == group->is_v1;
	if (is_known || groups->count == GROUPS_MAX) {
		int fd = group->fd;
		fd_close(&fd);
		return is_known ? 0 : -E2BIG;
	}
	groups->list[groups->count++] = *group;
	return 0;
}

static int find(struct groups *groups, const struct cgroup_mounts *mounts, const char *name, bool each, struct err *err)
{
	struct cgroup group;
	int result = each ? cgroup_expand(mounts, name, add, groups, err) : cgroup_open(&group, mounts, name, err);
	if (!each && !result)
		result = add(groups, &group);
	if (result == -E2BIG)
		err_set(err, result, "more than %d cgroups", GROUPS_MAX);
	return result;
}

static int find_all(struct groups *groups, const struct plan_scope *scope, struct err *err)
{
	struct cgroup_mounts mounts;
	char name[CGROUP_PATH_SIZE];
	const char *rest = scope->subject;
	int result = cgroup_mounts_read(&mounts, err);
	while (result >= 0 && (result = cgroup_list_next(&rest, name, err)) > 0)
		result = find(groups, &mounts, name, scope->each, err);
	if (result < 0)
		err_prefix(err, "%s", scope->each ? "--for-each-cgroup" : "-G");
	return result;
}

/* --- for followers ------------------------------------------------------------------------------------------------------ */

static int check(const struct groups *groups, struct err *err)
{
	for (int i = 0; i < groups->count; i++) {
		const struct cgroup *group = &groups->list[i];
		int around = 0;
		if (group->is_v1)
			return err_set(err, -ENODEV,
				       "cannot share for '%s': BPF knows cgroup v2 only, and this one is of v1",
				       cgroup_name(group));
		for (int k = 0; k < groups->count; k++)
			around += cgroup_contains(&groups->list[k], group);
		if (around > GROUP_DEPTH)
			return err_set(err, -E2BIG, "more than %d of the cgroups contain '%s'", GROUP_DEPTH,
				       cgroup_name(group));
	}
	return 0;
}

static int make_maps(struct groups *groups, struct err *err)
{
	groups->groups_fd = sys_bpf_map_create("groups", BPF_MAP_TYPE_CGROUP_ARRAY, sizeof(uint32_t), sizeof(uint32_t),
					       (uint32_t)groups->count, 0);
	groups->sets_fd =
		sys_bpf_map_create("sets", BPF_MAP_TYPE_LRU_HASH, sizeof(uint64_t), sizeof(struct group_set), GROUP_SETS, 0);
	int result = groups->groups_fd < 0 ? groups->groups_fd : groups->sets_fd < 0 ? groups->sets_fd : 0;
	for (uint32_t i = 0; !result && i < (uint32_t)groups->count; i++)
		result = sys_bpf_map_update(groups->groups_fd, &i, &groups->list[i].fd, BPF_ANY);
	if (result < 0) {
		err_sys(err, result, "cannot make the cgroups' maps");
		refusal_hint(REFUSAL_BPF, result, err);
	}
	return result;
}

int groups_open(struct groups *groups, const struct plan_scope *scope, bool shared, struct err *err)
{
	groups_init(groups);
	groups->each = scope->each;
	groups->list = memory_take(GROUPS_MAX, sizeof(*groups->list));
	if (!groups->list)
		return err_sys(err, -ENOMEM, "cannot count cgroups");
	int result = find_all(groups, scope, err);
	if (result >= 0 && shared)
		result = check(groups, err);
	if (result >= 0 && shared)
		result = make_maps(groups, err);
	return result < 0 ? result : 0;
}

struct follower_subject groups_subject(const struct groups *groups, uint32_t events)
{
	const uint32_t slots = (uint32_t)groups->count;
	return (struct follower_subject){
		EMBED_GROUPS,
		slots,
		{{"groups", groups->groups_fd, 0, NULL, 0}, {"sets", groups->sets_fd, 0, NULL, 0}},
		{.groups = {events, slots}},
		sizeof(struct group_settings),
	};
}

void groups_note_gone(const struct groups *groups)
{
	for (int i = 0; i < groups->count; i++) {
		if (cgroup_is_gone(&groups->list[i]))
			err_note(0, "the cgroup '%s' is gone: what it had been counted for stays",
				 cgroup_name(&groups->list[i]));
	}
}

void groups_close(struct groups *groups)
{
	while (groups->count)
		fd_close(&groups->list[--groups->count].fd);
	fd_close(&groups->groups_fd);
	fd_close(&groups->sets_fd);
	memory_free(groups->list);
	groups->list = NULL;
}
