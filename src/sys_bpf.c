/* SPDX-License-Identifier: GPL-2.0-only */
#include "sys_bpf.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fd.h"

/* The length of the attribute up to and with its last field used. */
#define ATTR_SIZE(last) (offsetof(union bpf_attr, last) + sizeof(((union bpf_attr *)0)->last))

static uint64_t pointer(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static long bpf(int cmd, union bpf_attr *attr, size_t size)
{
	long result = syscall(SYS_bpf, cmd, attr, size);
	return result < 0 ? -errno : result;
}

static int bpf_fd(int cmd, union bpf_attr *attr, size_t size)
{
	return fd_above_std((int)bpf(cmd, attr, size));
}

static void copy_name(char to[BPF_OBJ_NAME_LEN], const char *name)
{
	size_t length = strnlen(name, BPF_OBJ_NAME_LEN - 1);
	for (size_t i = 0; i < length; i++)
		to[i] = isalnum((unsigned char)name[i]) || name[i] == '.' ? name[i] : '_';
}

/* Kernels before 5.11 charge maps and programs to this limit, and answer EPERM for anything over it. */
static bool raise_memlock(void)
{
	static bool tried;
	if (tried)
		return false;
	tried = true;
	struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
	/* the call itself: this process has no other threads for setrlimit(3) to take along */
	return !syscall(SYS_prlimit64, 0, RLIMIT_MEMLOCK, &all, NULL);
}

static int create(union bpf_attr *attr, const char *name)
{
	copy_name(attr->map_name, name);
	int fd = bpf_fd(BPF_MAP_CREATE, attr, ATTR_SIZE(map_name));
	if (fd == -EPERM && raise_memlock())
		fd = bpf_fd(BPF_MAP_CREATE, attr, ATTR_SIZE(map_name));
	return fd;
}

int sys_bpf_map_create(const char *name, uint32_t type, uint32_t key_size, uint32_t value_size, uint32_t max_entries,
		       uint32_t flags)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = key_size;
	attr.value_size = value_size;
	attr.max_entries = max_entries;
	attr.map_flags = flags;
	return create(&attr, name);
}

int sys_bpf_map_of_maps(const char *name, uint32_t max_entries, int inner_fd)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY_OF_MAPS;
	attr.key_size = sizeof(uint32_t);
	attr.value_size = sizeof(uint32_t);
	attr.max_entries = max_entries;
	attr.inner_map_fd = (uint32_t)inner_fd;
	return create(&attr, name);
}

static int map_elem(int cmd, int map_fd, const void *key, const void *value, uint64_t flags)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map_fd;
	attr.key = pointer(key);
	attr.value = pointer(value);
	attr.flags = flags;
	return (int)bpf(cmd, &attr, ATTR_SIZE(flags));
}

int sys_bpf_map_lookup(int map_fd, const void *key, void *value)
{
	return map_elem(BPF_MAP_LOOKUP_ELEM, map_fd, key, value, 0);
}

int sys_bpf_map_update(int map_fd, const void *key, const void *value, uint64_t flags)
{
	return map_elem(BPF_MAP_UPDATE_ELEM, map_fd, key, value, flags);
}

int sys_bpf_map_delete(int map_fd, const void *key)
{
	return map_elem(BPF_MAP_DELETE_ELEM, map_fd, key, NULL, 0);
}

int sys_bpf_map_push(int map_fd, const void *value)
{
	return map_elem(BPF_MAP_UPDATE_ELEM, map_fd, NULL, value, BPF_ANY);
}

int sys_bpf_map_pop(int map_fd, void *value)
{
	return map_elem(BPF_MAP_LOOKUP_AND_DELETE_ELEM, map_fd, NULL, value, 0);
}

int sys_bpf_map_next_key(int map_fd, const void *key, void *next)
{
	return map_elem(BPF_MAP_GET_NEXT_KEY, map_fd, key, next, 0);
}

int sys_bpf_map_freeze(int map_fd)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map_fd;
	return (int)bpf(BPF_MAP_FREEZE, &attr, ATTR_SIZE(map_fd));
}

int sys_bpf_prog_load(const struct sys_bpf_prog *prog)
{
	union bpf_attr attr;
	struct bpf_func_info func = {0, prog->func_id};
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = prog->type;
	attr.expected_attach_type = prog->expected_attach_type;
	attr.insns = pointer(prog->insns);
	attr.insn_cnt = prog->insns_count;
	attr.license = pointer(prog->license);
	copy_name(attr.prog_name, prog->name);
	if (prog->btf_fd >= 0 && prog->func_id) {
		attr.prog_btf_fd = (uint32_t)prog->btf_fd;
		attr.func_info = pointer(&func);
		attr.func_info_rec_size = sizeof(func);
		attr.func_info_cnt = 1;
		attr.line_info = pointer(prog->line_info);
		attr.line_info_rec_size = prog->line_info_rec;
		attr.line_info_cnt = prog->line_info_count;
	}
	if (prog->attach_prog_fd >= 0)
		attr.attach_prog_fd = (uint32_t)prog->attach_prog_fd;
	attr.attach_btf_id = prog->attach_btf_id;
	if (prog->log) {
		prog->log[0] = '\0';
		attr.log_buf = pointer(prog->log);
		attr.log_size = prog->log_size;
		attr.log_level = 1;
	}
	/* EAGAIN: the verifier gave way to a signal */
	int fd, tries = 5;
	do {
		fd = bpf_fd(BPF_PROG_LOAD, &attr, ATTR_SIZE(attach_prog_fd));
	} while (fd == -EAGAIN && --tries);
	if (fd == -EPERM && raise_memlock())
		fd = bpf_fd(BPF_PROG_LOAD, &attr, ATTR_SIZE(attach_prog_fd));
	return fd;
}

int sys_bpf_btf_load(const void *btf, uint32_t size, char *log, uint32_t log_size)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.btf = pointer(btf);
	attr.btf_size = size;
	if (log) {
		attr.btf_log_buf = pointer(log);
		attr.btf_log_size = log_size;
		attr.btf_log_level = 1;
	}
	int fd = bpf_fd(BPF_BTF_LOAD, &attr, ATTR_SIZE(btf_log_level));
	if (fd == -EPERM && raise_memlock())
		fd = bpf_fd(BPF_BTF_LOAD, &attr, ATTR_SIZE(btf_log_level));
	return fd;
}

int sys_bpf_raw_tracepoint_open(const char *name, int prog_fd)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = pointer(name);
	attr.raw_tracepoint.prog_fd = (uint32_t)prog_fd;
	return bpf_fd(BPF_RAW_TRACEPOINT_OPEN, &attr, ATTR_SIZE(raw_tracepoint.prog_fd));
}

int sys_bpf_prog_test_run(int prog_fd, int cpu, const void *args, uint32_t args_size, int32_t *retval)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)prog_fd;
	attr.test.flags = BPF_F_TEST_RUN_ON_CPU;
	attr.test.cpu = (uint32_t)cpu;
	attr.test.ctx_in = pointer(args);
	attr.test.ctx_size_in = args_size;
	int err = (int)bpf(BPF_PROG_TEST_RUN, &attr, ATTR_SIZE(test.cpu));
	*retval = (int32_t)attr.test.retval;
	return err;
}

/* Code 0x85 is a call, here of bpf_get_current_pid_tgid (14), 0x77 a shift to the right, 0x95 the exit. */
int sys_bpf_own_process(void)
{
	static const struct bpf_insn insns[] = {{0x85, 0, 0, 0, 14}, {0x77, 0, 0, 0, 32}, {0x95, 0, 0, 0, 0}};
	const struct sys_bpf_prog prog = {
		.name = "own_process",
		.license = "GPL",
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.attach_prog_fd = -1,
		.btf_fd = -1,
		.insns = insns,
		.insns_count = sizeof(insns) / sizeof(*insns),
	};
	int fd = sys_bpf_prog_load(&prog);
	int32_t id = 0;
	if (fd < 0)
		return fd;
	/* without flags a program runs here and now, in this task */
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)fd;
	int result = (int)bpf(BPF_PROG_TEST_RUN, &attr, ATTR_SIZE(test.cpu));
	id = (int32_t)attr.test.retval;
	fd_close(&fd);
	return result < 0 ? result : id;
}

static int path_command(int cmd, int fd, const char *path)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.pathname = pointer(path);
	attr.bpf_fd = fd < 0 ? 0 : (uint32_t)fd;
	return (int)bpf(cmd, &attr, ATTR_SIZE(bpf_fd));
}

int sys_bpf_obj_pin(int fd, const char *path)
{
	return path_command(BPF_OBJ_PIN, fd, path);
}

int sys_bpf_obj_get(const char *path)
{
	return fd_above_std(path_command(BPF_OBJ_GET, -1, path));
}

static int by_id(int cmd, uint32_t id)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;
	return bpf_fd(cmd, &attr, ATTR_SIZE(open_flags));
}

int sys_bpf_prog_by_id(uint32_t id)
{
	return by_id(BPF_PROG_GET_FD_BY_ID, id);
}

int sys_bpf_map_by_id(uint32_t id)
{
	return by_id(BPF_MAP_GET_FD_BY_ID, id);
}

int sys_bpf_btf_by_id(uint32_t id)
{
	return by_id(BPF_BTF_GET_FD_BY_ID, id);
}

int sys_bpf_link_by_id(uint32_t id)
{
	return by_id(BPF_LINK_GET_FD_BY_ID, id);
}

int sys_bpf_next_id(int cmd, uint32_t *id)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.start_id = *id;
	int err = (int)bpf(cmd, &attr, ATTR_SIZE(open_flags));
	if (!err)
		*id = attr.next_id;
	return err;
}

int sys_bpf_possible_cpus(void)
{
	/* as many values as the kernel may ever give (CPULIST_MAX), each of one that it gives becomes 0 */
	enum { VALUES = 8192 };
	static uint64_t values[VALUES];
	const uint32_t zero = 0;
	int fd = sys_bpf_map_create("cpus", BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(zero), sizeof(*values), 1, 0);
	if (fd < 0)
		return fd;
	memset(values, 0xff, sizeof(values));
	int result = sys_bpf_map_lookup(fd, &zero, values);
	fd_close(&fd);
	int count = 0;
	while (!result && count < VALUES && !values[count])
		count++;
	return result < 0 ? result : count;
}

int sys_bpf_info(int fd, void *info, uint32_t size)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = size;
	attr.info.info = pointer(info);
	return (int)bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, ATTR_SIZE(info.info));
}

int sys_bpf_enable_stats(void)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.enable_stats.type = BPF_STATS_RUN_TIME;
	return bpf_fd(BPF_ENABLE_STATS, &attr, ATTR_SIZE(enable_stats.type));
}
