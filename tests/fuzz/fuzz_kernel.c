/* SPDX-License-Identifier: GPL-2.0-only */
/* What a kernel could answer, and whoever makes objects there: bpf(2) and perf_event_open(2) are replaced (by the linker, --wrap) by
 * a kernel with one sound leader in it, of which the input changes what it likes: bytes of the infos (counts, types, names without
 * an end), ids that vanish, keys and values of attr maps, any errno of any call. The first byte says what is done to it:
 * a leader is opened, and so joined or made; what status shows; a program is looked at as -b does. Always: a result xor an error
 * with a text, all descriptors closed, names that end, and nothing a terminal obeys. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cpulist.h"
#include "err.h"
#include "event.h"
#include "leader.h"
#include "out.h"
#include "program.h"
#include "reading.h"
#include "registry.h"
#include "report.h"
#include "status.h"
#include "sys_bpf.h"
#include "sysfs.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FDS_MAX = 256, CPUS = 4, CALLS_MAX = 2000, PATCHES_MAX = 3, LINK = 7, PROG = 8, MAP = 10 /* and the next ones */, BTF = 20 };

static const uint8_t *input;
static size_t left;
static unsigned calls;

static unsigned take(void)
{
	if (!left)
		return 0;
	left--;
	return *input++;
}

/* --- descriptors: real ones, so that the product's own close(2) is seen ----------------------------------------------------- */

static int null_fd = -1;
static uint32_t id_of[FDS_MAX]; /* what each stands for; 0: it is not ours */

static uint32_t key_size;        /* of attr maps, unless the input says otherwise */
static uint32_t size_of[FDS_MAX]; /* of a map's keys, from when it was first asked for */

static int hand_out(uint32_t id)
{
	int fd = fcntl(null_fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0 || fd >= FDS_MAX)
		abort();
	id_of[fd] = id;
	size_of[fd] = 0;
	return fd;
}

static void check_closed(void)
{
	for (int fd = 3; fd < FDS_MAX; fd++) {
		if (id_of[fd] && fcntl(fd, F_GETFD) >= 0)
			abort();
		id_of[fd] = 0;
	}
}

/* Usually success; with the input at its end, or where there were too many calls, nothing is there any more. */
static int answer(void)
{
	static const int errors[] = {ENOENT, EPERM, EACCES, EINVAL, ENOMEM, ENOSPC, E2BIG, EAGAIN, EBUSY, ENODEV, ENXIO, 524};
	if (calls++ > CALLS_MAX)
		return -ENOENT;
	const unsigned byte = take();
	return byte < 0xf0 ? 0 : -errors[(byte - 0xf0) % (sizeof(errors) / sizeof(*errors))];
}

static int new_object(uint32_t id)
{
	int result = answer();
	return result < 0 ? result : hand_out(id);
}

/* Some bytes become others. */
static void patch(void *bytes, size_t size)
{
	for (unsigned count = take() % (PATCHES_MAX + 1); count && size; count--) {
		const size_t at = (take() | take() << 8) % size;
		((uint8_t *)bytes)[at] = (uint8_t)take();
	}
}

/* --- the wrappers ------------------------------------------------------------------------------------------------------------ */

int __wrap_sys_bpf_map_create(const char *name, uint32_t type, uint32_t key_size, uint32_t value_size, uint32_t max_entries, uint32_t flags);
int __wrap_sys_bpf_map_lookup(int map_fd, const void *key, void *value);
int __wrap_sys_bpf_map_update(int map_fd, const void *key, const void *value, uint64_t flags);
int __wrap_sys_bpf_map_delete(int map_fd, const void *key);
int __wrap_sys_bpf_map_next_key(int map_fd, const void *key, void *next);
int __wrap_sys_bpf_map_freeze(int map_fd);
int __wrap_sys_bpf_prog_load(const struct sys_bpf_prog *prog);
int __wrap_sys_bpf_btf_load(const void *btf, uint32_t size);
int __wrap_sys_bpf_raw_tracepoint_open(const char *name, int prog_fd);
int __wrap_sys_bpf_prog_test_run(int prog_fd, int cpu, const void *args, uint32_t args_size, int32_t *retval);
int __wrap_sys_bpf_obj_get(const char *path);
int __wrap_sys_bpf_prog_by_id(uint32_t id);
int __wrap_sys_bpf_map_by_id(uint32_t id);
int __wrap_sys_bpf_btf_by_id(uint32_t id);
int __wrap_sys_bpf_link_by_id(uint32_t id);
int __wrap_sys_bpf_next_id(int cmd, uint32_t *id);
int __wrap_sys_bpf_info(int fd, void *info, uint32_t size);
int __wrap_sys_perf_event_open(struct perf_event_attr *attr, int pid, int cpu, bool is_cgroup);
int __wrap_nanosleep(const struct timespec *time, struct timespec *rest);

static bool has_registry_map;    /* obj_get gives maps; else programs */

int __wrap_sys_bpf_map_create(const char *name, uint32_t type, uint32_t key, uint32_t value, uint32_t entries, uint32_t flags)
{
	(void)name, (void)type, (void)key, (void)value, (void)entries, (void)flags;
	return new_object(MAP);
}

/* Of the leader's maps the readings, of the others an entry. */
int __wrap_sys_bpf_map_lookup(int map_fd, const void *key, void *value)
{
	static uint64_t clock;
	(void)key;
	int result = answer();
	if (result < 0)
		return result;
	if (id_of[map_fd] > MAP) {
		struct reading readings[CPUS];
		for (int i = 0; i < CPUS; i++)
			readings[i].counter = readings[i].enabled = readings[i].running = clock++;
		patch(readings, sizeof(readings));
		memcpy(value, readings, sizeof(readings));
	} else {
		/* ours, or perf's */
		struct attr_map_entry entry = {.link_id = LINK, .prog_id = PROG, .hotplug_link_id = LINK};
		if (take() & 1)
			entry.diff_map_id = MAP + 1 + LEADER_DIFF;
		patch(&entry, sizeof(entry));
		memcpy(value, &entry, sizeof(entry));
	}
	return 0;
}

int __wrap_sys_bpf_map_update(int map_fd, const void *key, const void *value, uint64_t flags)
{
	(void)map_fd, (void)key, (void)value, (void)flags;
	return answer();
}

int __wrap_sys_bpf_map_delete(int map_fd, const void *key)
{
	(void)map_fd, (void)key;
	return answer();
}

int __wrap_sys_bpf_map_next_key(int map_fd, const void *key, void *next)
{
	const uint32_t size = size_of[map_fd];
	int result = left && take() % 4 ? answer() : -ENOENT;
	if (result < 0)
		return result;
	if (key)
		memcpy(next, key, size);
	else
		memset(next, 0, size);
	patch(next, size);
	return 0;
}

int __wrap_sys_bpf_map_freeze(int map_fd)
{
	(void)map_fd;
	return answer();
}

int __wrap_sys_bpf_prog_load(const struct sys_bpf_prog *prog)
{
	int result = new_object(PROG);
	if (result < 0 && prog->log) {
		unsigned length = take() % 64;
		for (unsigned i = 0; i < length && i + 1 < prog->log_size; i++)
			prog->log[i] = (char)take(), prog->log[i + 1] = '\0';
	}
	return result;
}

int __wrap_sys_bpf_btf_load(const void *btf, uint32_t size)
{
	(void)btf, (void)size;
	return new_object(BTF);
}

int __wrap_sys_bpf_raw_tracepoint_open(const char *name, int prog_fd)
{
	(void)name, (void)prog_fd;
	return new_object(LINK);
}

int __wrap_sys_bpf_prog_test_run(int prog_fd, int cpu, const void *args, uint32_t args_size, int32_t *retval)
{
	(void)prog_fd, (void)cpu, (void)args, (void)args_size;
	*retval = 0;
	patch(retval, sizeof(*retval));
	return answer();
}

int __wrap_sys_bpf_obj_get(const char *path)
{
	(void)path;
	return new_object(has_registry_map ? MAP : PROG);
}

int __wrap_sys_bpf_prog_by_id(uint32_t id)
{
	(void)id;
	return new_object(PROG);
}

int __wrap_sys_bpf_map_by_id(uint32_t id)
{
	return new_object(id > MAP && id <= MAP + LEADER_MAPS ? id : MAP);
}

int __wrap_sys_bpf_btf_by_id(uint32_t id)
{
	(void)id;
	return new_object(BTF);
}

int __wrap_sys_bpf_link_by_id(uint32_t id)
{
	return id == LINK ? new_object(LINK) : -ENOENT;
}

int __wrap_sys_bpf_next_id(int cmd, uint32_t *id)
{
	(void)cmd;
	int result = left && take() % 4 ? answer() : -ENOENT;
	if (!result)
		*id += 1 + take() % 8;
	return result;
}

static void fill_prog(struct bpf_prog_info *info)
{
	/* the caller's pointers and how much there is room for, as the kernel takes them */
	const struct bpf_prog_info asked = *info;
	const uint32_t ids[] = {MAP + 1, MAP + 2, MAP + 3, MAP + 4, MAP + 5};
	memset(info, 0, sizeof(*info));
	info->type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	info->id = PROG;
	info->btf_id = BTF;
	info->jited_prog_len = 100;
	info->nr_map_ids = LEADER_MAPS;
	info->nr_func_info = 1;
	memcpy(info->name, "on_switch", 10);
	for (uint32_t i = 0; i < asked.nr_map_ids && asked.map_ids; i++)
		((uint32_t *)(uintptr_t)asked.map_ids)[i] = i < LEADER_MAPS ? ids[i] : MAP;
	if (asked.nr_map_ids && asked.map_ids)
		patch((void *)(uintptr_t)asked.map_ids, asked.nr_map_ids * sizeof(uint32_t));
	if (asked.nr_func_info && asked.func_info) {
		((struct bpf_func_info *)(uintptr_t)asked.func_info)->type_id = 3;
		patch((void *)(uintptr_t)asked.func_info, sizeof(struct bpf_func_info));
	}
	patch(info, sizeof(*info));
	info->map_ids = asked.map_ids;
	info->func_info = asked.func_info;
}

static void fill_map(struct bpf_map_info *info, int fd, uint32_t id)
{
	static const char *const names[LEADER_MAPS] = {"events", "prev_readings", "diff_readings", "total_readings", "base_readings"};
	memset(info, 0, sizeof(*info));
	info->id = id;
	if (id == MAP) {
		info->type = BPF_MAP_TYPE_HASH;
		info->key_size = key_size;
		info->value_size = sizeof(struct attr_map_entry);
	} else {
		const unsigned which = id - MAP - 1;
		info->type = which == LEADER_EVENTS ? BPF_MAP_TYPE_PERF_EVENT_ARRAY : BPF_MAP_TYPE_PERCPU_ARRAY;
		info->map_flags = which == LEADER_EVENTS ? BPF_F_PRESERVE_ELEMS : 0;
		info->key_size = 4;
		info->value_size = which == LEADER_EVENTS ? 4 : sizeof(struct reading);
		info->max_entries = which == LEADER_EVENTS ? CPUS : 1;
		strncpy(info->name, names[which], sizeof(info->name) - 1);
	}
	patch(info, sizeof(*info));
	/* a map stays as it is */
	if (size_of[fd])
		info->key_size = size_of[fd];
	size_of[fd] = info->key_size;
}

static void fill_link(struct bpf_link_info *info)
{
	const struct bpf_link_info asked = *info;
	memset(info, 0, sizeof(*info));
	info->type = BPF_LINK_TYPE_RAW_TRACEPOINT;
	info->id = LINK;
	info->prog_id = PROG;
	if (asked.raw_tracepoint.tp_name) {
		/* the kernel ends it, cut to fit */
		char *name = (char *)(uintptr_t)asked.raw_tracepoint.tp_name;
		strncpy(name, take() & 1 ? "cpuhp_enter" : "sched_switch", asked.raw_tracepoint.tp_name_len - 1);
		patch(name, asked.raw_tracepoint.tp_name_len - 1);
		name[asked.raw_tracepoint.tp_name_len - 1] = '\0';
	}
	patch(info, sizeof(*info));
}

int __wrap_sys_bpf_info(int fd, void *info, uint32_t size)
{
	_Static_assert(sizeof(struct bpf_prog_info) != sizeof(struct bpf_map_info) &&
			       sizeof(struct bpf_map_info) != sizeof(struct bpf_link_info),
		       "told apart by their sizes");
	int result = answer();
	if (result < 0)
		return result == -ENOENT ? -EINVAL : result; /* of what is open it cannot be said that it is not there */
	if (size == sizeof(struct bpf_prog_info)) {
		fill_prog(info);
	} else if (size == sizeof(struct bpf_map_info)) {
		fill_map(info, fd, id_of[fd] >= MAP && id_of[fd] <= MAP + LEADER_MAPS ? id_of[fd] : MAP);
	} else if (size == sizeof(struct bpf_link_info)) {
		fill_link(info);
	} else if (size == sizeof(struct bpf_btf_info)) {
		struct bpf_btf_info *btf = info;
		for (uint32_t i = 0; i < btf->btf_size && btf->btf; i++)
			((uint8_t *)(uintptr_t)btf->btf)[i] = (uint8_t)take();
		btf->btf_size = take() | take() << 8;
		patch(btf, sizeof(*btf));
	} else {
		abort();
	}
	return 0;
}

int __wrap_sys_perf_event_open(struct perf_event_attr *attr, int pid, int cpu, bool is_cgroup)
{
	(void)attr, (void)pid, (void)cpu, (void)is_cgroup;
	return new_object(BTF);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)time, (void)rest;
	return 0;
}

/* --- what is done with such a kernel ------------------------------------------------------------------------------------------ */

static void check_text(const char *text)
{
	for (; *text; text++) {
		if (((unsigned char)*text < 0x20 && *text != '\n') || *text == 0x7f)
			abort();
	}
}

static void check_error(int result, const struct err *err)
{
	if (result > 0 || !result != !err->text[0])
		abort();
	check_text(err->text);
	if (strchr(err->text, '\n'))
		abort();
}

static void try_leader(unsigned how)
{
	struct cpulist cpus = {{how & 4 ? 1 : 0xf}}, possible = {{0xf}};
	struct event event = {.attr.type = PERF_TYPE_SOFTWARE, .name = "cpu-clock", .scale = 1};
	struct registry registry = {.ours = {hand_out(MAP), hand_out(MAP)}, .perf = {.fd = -1}, .must_share = how & 1};
	struct err err = {0}, why = {0};
	struct leader leader, copy;
	key_size = ATTR_MAP_KEY_SIZE;
	has_registry_map = true;
	if (how & 2) {
		key_size = 136;
		if (perf_map_open(&registry.perf, NULL, &why) < 0 ? registry.perf.fd >= 0 || !why.text[0] : why.text[0])
			abort();
	}
	int result = leader_open(&leader, &event, &cpus, &possible, &possible, take() & 1, &registry, &err);
	/* what could not be joined or entered may have been said on the way to a leader that is made */
	if (result < 0)
		check_error(result, &err);
	if (!result) {
		for (int i = 0; i < LEADER_MAPS; i++) {
			if (leader.map_fds[i] < 0)
				abort();
		}
		if ((leader.link_fd < 0 && leader.hook == LEADER_SWITCHES) || leader.prog_fd < 0)
			abort();
		err = (struct err){0};
		result = leader_complete(&leader, &event, &cpus, &possible, &registry, &err);
		if (result < 0)
			check_error(result, &err);
		result = leader_copy(&copy, &leader);
		leader_close(&copy);
		leader_close(&leader);
	}
	if (leader.link_fd >= 0 || leader.prog_fd >= 0)
		abort();
	registry_close(&registry);
}

static void try_status(bool json)
{
	static char text[1 << 16];
	struct status status;
	struct err err = {0};
	key_size = ATTR_MAP_KEY_SIZE;
	has_registry_map = true;
	int result = status_open(&status, NULL, CPUS, &err);
	check_error(result, &err);
	if (result)
		return;
	struct out out = out_memory(text, sizeof(text));
	(json ? report_status_json : report_status_text)(&out, &status);
	check_text(text);
	status_close(&status);
}

static void try_target(void)
{
	struct target_program target;
	struct program program;
	struct err err = {0};
	uint32_t id;
	int result = target_open(&target, PROG, &err);
	check_error(result, &err);
	if (!result) {
		if (memchr(target.name, '\0', sizeof(target.name)) == NULL || memchr(target.short_name, '\0', sizeof(target.short_name)) == NULL)
			abort();
		close(target.fd);
	}
	err = (struct err){0};
	check_error(target_pinned(&id, "/none", &err), &err);
	if (!program_by_id(&program, PROG)) {
		if (memchr(program.name, '\0', sizeof(program.name)) == NULL || program.maps_count > PROGRAM_MAPS_MAX)
			abort();
		program_has_map(&program, MAP);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (null_fd < 0)
		null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	sysfs_root = "/nonexistent"; /* no real process is looked at */
	err_verbosity = -1;
	input = data;
	left = size;
	calls = 0;
	has_registry_map = false;
	const unsigned what = take();
	switch (what % 3) {
	case 0:
		try_leader(what / 3);
		break;
	case 1:
		try_status(what & 8);
		break;
	default:
		try_target();
	}
	check_closed();
	return 0;
}
