/* SPDX-License-Identifier: GPL-2.0-only */
/* bpf(2): one wrapper per command. All return a new fd (CLOEXEC, above 2), or 0, or -errno; nothing is printed. The
 * attribute is zeroed and only as long as the last field used, so that an older kernel takes it. */
#ifndef SYS_BPF_H
#define SYS_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/bpf.h>


/* name: at most 15 characters are kept, others than [A-Za-z0-9_.] become '_'. On EPERM, which before 5.11 may mean
 * RLIMIT_MEMLOCK, the limit is raised once and the call made again. Sizes in bytes. */
int sys_bpf_map_create(const char *name, uint32_t type, uint32_t key_size, uint32_t value_size, uint32_t max_entries,
		       uint32_t flags);
int sys_bpf_map_of_maps(const char *name, uint32_t max_entries, int inner_fd); /* ARRAY_OF_MAPS of maps like that one */
int sys_bpf_map_lookup(int map_fd, const void *key, void *value); /* per-CPU maps: value_size * possible CPUs */
int sys_bpf_map_update(int map_fd, const void *key, const void *value, uint64_t flags);
int sys_bpf_map_delete(int map_fd, const void *key);
int sys_bpf_map_push(int map_fd, const void *value); /* of a queue: puts in; takes out, or -ENOENT: empty */
int sys_bpf_map_pop(int map_fd, void *value);
int sys_bpf_map_next_key(int map_fd, const void *key, void *next); /* key NULL: the first; -ENOENT: no more */
int sys_bpf_map_freeze(int map_fd);

struct sys_bpf_prog {
	const char *name, *license;
	uint32_t type, expected_attach_type, attach_btf_id;
	int attach_prog_fd, btf_fd; /* -1: none */
	const void *insns;
	uint32_t insns_count; /* of 8 bytes */
	uint32_t func_id;     /* FUNC in btf_fd's BTF; 0: no func_info */
	const void *line_info;
	uint32_t line_info_count, line_info_rec;
	char *log; /* the verifier's words, NUL-ended; NULL: none wanted */
	uint32_t log_size;
};
int sys_bpf_prog_load(const struct sys_bpf_prog *prog);
/* log: NULL, or room for what the kernel says of it. */
int sys_bpf_btf_load(const void *btf, uint32_t size, char *log, uint32_t log_size);

/* name NULL: an fexit program, whose target was fixed at loading. */
int sys_bpf_raw_tracepoint_open(const char *name, int prog_fd);

/* Runs the program now on that CPU. args: of a raw tracepoint, eight bytes each; NULL: none. -ENXIO: the CPU is offline. *retval: what
 * the program returned. */
int sys_bpf_prog_test_run(int prog_fd, int cpu, const void *args, uint32_t args_size, int32_t *retval);

int sys_bpf_obj_pin(int fd, const char *path);
int sys_bpf_obj_get(const char *path);

int sys_bpf_prog_by_id(uint32_t id);
int sys_bpf_map_by_id(uint32_t id);
int sys_bpf_btf_by_id(uint32_t id);
int sys_bpf_link_by_id(uint32_t id);
/* cmd BPF_{PROG,MAP,LINK}_GET_NEXT_ID; *id is replaced; -ENOENT: no more. */
int sys_bpf_next_id(int cmd, uint32_t *id);

/* How many CPUs are possible, measured by what a per-CPU map gives back: for where /sys does not tell. CPUs, or -errno. */
int sys_bpf_possible_cpus(void);

/* The id of our process as BPF programs see it: in the outermost PID namespace. Or -errno. */
int sys_bpf_own_process(void);

/* info: struct bpf_{prog,map,link}_info of that size, zeroed or with its pointers set; the kernel fills what it knows. */
int sys_bpf_info(int fd, void *info, uint32_t size);

/* The kernel's BPF statistics are on until this fd and all others of its kind are closed. Takes CAP_SYS_ADMIN. */
int sys_bpf_enable_stats(void);

#endif
