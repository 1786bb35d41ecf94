/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of bpf(2) that bperf-mini uses. The layouts are the kernel's; members of no use here are left out, and no
 * attribute is longer than 5.10 knows it. Checked against linux-libc-dev by tests/uapi. */
#ifndef UAPI_BPF_H
#define UAPI_BPF_H

#include <stdint.h>

enum bpf_cmd {
	BPF_MAP_CREATE = 0,
	BPF_MAP_LOOKUP_ELEM = 1,
	BPF_MAP_UPDATE_ELEM = 2,
	BPF_MAP_DELETE_ELEM = 3,
	BPF_MAP_GET_NEXT_KEY = 4,
	BPF_PROG_LOAD = 5,
	BPF_OBJ_PIN = 6,
	BPF_OBJ_GET = 7,
	BPF_PROG_TEST_RUN = 10,
	BPF_PROG_GET_NEXT_ID = 11,
	BPF_MAP_GET_NEXT_ID = 12,
	BPF_PROG_GET_FD_BY_ID = 13,
	BPF_MAP_GET_FD_BY_ID = 14,
	BPF_OBJ_GET_INFO_BY_FD = 15,
	BPF_RAW_TRACEPOINT_OPEN = 17,
	BPF_BTF_LOAD = 18,
	BPF_BTF_GET_FD_BY_ID = 19,
	BPF_MAP_LOOKUP_AND_DELETE_ELEM = 21,
	BPF_MAP_FREEZE = 22,
	BPF_LINK_GET_FD_BY_ID = 30,
	BPF_LINK_GET_NEXT_ID = 31,
	BPF_ENABLE_STATS = 32,
};

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_CGROUP_ARRAY = 8,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_QUEUE = 22,
};

enum bpf_prog_type {
	BPF_PROG_TYPE_RAW_TRACEPOINT = 17,
	BPF_PROG_TYPE_TRACING = 26,
};

enum bpf_attach_type { BPF_TRACE_FENTRY = 24, BPF_TRACE_FEXIT = 25 };
enum bpf_stats_type { BPF_STATS_RUN_TIME = 0 };
enum bpf_link_type { BPF_LINK_TYPE_RAW_TRACEPOINT = 1 };

enum { BPF_ANY = 0, BPF_NOEXIST = 1, BPF_EXIST = 2 };            /* flags of an update */
enum { BPF_F_RDONLY_PROG = 1U << 7, BPF_F_PRESERVE_ELEMS = 1U << 11 }; /* map_flags */
enum { BPF_F_TEST_RUN_ON_CPU = 1U << 0 };

#define BPF_F_CURRENT_CPU 0xffffffffULL
#define BPF_OBJ_NAME_LEN 16U
#define BPF_PSEUDO_MAP_FD 1
#define BPF_PSEUDO_MAP_VALUE 2

struct bpf_insn {
	uint8_t code;
	uint8_t dst_reg : 4, src_reg : 4;
	int16_t off;
	int32_t imm;
};

/* linux/bpf_common.h: the one instruction that the loader rewrites, BPF_LD | BPF_IMM | BPF_DW. */
#define BPF_LD_IMM64_CODE 0x18

struct bpf_func_info {
	uint32_t insn_off;
	uint32_t type_id;
};

/* 64-bit values, 32-bit pointers included: the kernel's __aligned_u64. */
#define BPF_U64 uint64_t __attribute__((aligned(8)))

union bpf_attr {
	struct { /* BPF_MAP_CREATE */
		uint32_t map_type;
		uint32_t key_size;
		uint32_t value_size;
		uint32_t max_entries;
		uint32_t map_flags;
		uint32_t inner_map_fd;
		uint32_t numa_node;
		char map_name[BPF_OBJ_NAME_LEN];
	};
	struct { /* BPF_MAP_*_ELEM, BPF_MAP_GET_NEXT_KEY, BPF_MAP_FREEZE */
		uint32_t map_fd;
		BPF_U64 key;
		union {
			BPF_U64 value;
			BPF_U64 next_key;
		};
		uint64_t flags;
	};
	struct { /* BPF_PROG_LOAD */
		uint32_t prog_type;
		uint32_t insn_cnt;
		BPF_U64 insns;
		BPF_U64 license;
		uint32_t log_level;
		uint32_t log_size;
		BPF_U64 log_buf;
		uint32_t kern_version;
		uint32_t prog_flags;
		char prog_name[BPF_OBJ_NAME_LEN];
		uint32_t prog_ifindex;
		uint32_t expected_attach_type;
		uint32_t prog_btf_fd;
		uint32_t func_info_rec_size;
		BPF_U64 func_info;
		uint32_t func_info_cnt;
		uint32_t line_info_rec_size;
		BPF_U64 line_info;
		uint32_t line_info_cnt;
		uint32_t attach_btf_id;
		uint32_t attach_prog_fd;
	};
	struct { /* BPF_OBJ_PIN, BPF_OBJ_GET */
		BPF_U64 pathname;
		uint32_t bpf_fd;
		uint32_t file_flags;
	};
	struct { /* BPF_PROG_TEST_RUN */
		uint32_t prog_fd;
		uint32_t retval;
		uint32_t data_size_in;
		uint32_t data_size_out;
		BPF_U64 data_in;
		BPF_U64 data_out;
		uint32_t repeat;
		uint32_t duration;
		uint32_t ctx_size_in;
		uint32_t ctx_size_out;
		BPF_U64 ctx_in;
		BPF_U64 ctx_out;
		uint32_t flags;
		uint32_t cpu;
	} test;
	struct { /* BPF_*_GET_*_ID */
		union {
			uint32_t start_id;
			uint32_t prog_id;
			uint32_t map_id;
			uint32_t btf_id;
			uint32_t link_id;
		};
		uint32_t next_id;
		uint32_t open_flags;
	};
	struct { /* BPF_OBJ_GET_INFO_BY_FD */
		uint32_t bpf_fd;
		uint32_t info_len;
		BPF_U64 info;
	} info;
	struct { /* BPF_RAW_TRACEPOINT_OPEN */
		BPF_U64 name;
		uint32_t prog_fd;
	} raw_tracepoint;
	struct { /* BPF_BTF_LOAD */
		BPF_U64 btf;
		BPF_U64 btf_log_buf;
		uint32_t btf_size;
		uint32_t btf_log_size;
		uint32_t btf_log_level;
	};
	struct { /* BPF_ENABLE_STATS */
		uint32_t type;
	} enable_stats;
};

/* BPF_OBJ_GET_INFO_BY_FD fills as much as info_len says; these end with the last member that is read. */
struct bpf_prog_info {
	uint32_t type;
	uint32_t id;
	uint8_t tag[8];
	uint32_t jited_prog_len;
	uint32_t xlated_prog_len;
	BPF_U64 jited_prog_insns;
	BPF_U64 xlated_prog_insns;
	uint64_t load_time;
	uint32_t created_by_uid;
	uint32_t nr_map_ids;
	BPF_U64 map_ids;
	char name[BPF_OBJ_NAME_LEN];
	uint32_t ifindex;
	uint32_t gpl_compatible : 1, unused_bits : 31;
	uint64_t netns_dev;
	uint64_t netns_ino;
	uint32_t nr_jited_ksyms;
	uint32_t nr_jited_func_lens;
	BPF_U64 jited_ksyms;
	BPF_U64 jited_func_lens;
	uint32_t btf_id;
	uint32_t func_info_rec_size;
	BPF_U64 func_info;
	uint32_t nr_func_info;
	uint32_t nr_line_info;
	BPF_U64 line_info;
	BPF_U64 jited_line_info;
	uint32_t nr_jited_line_info;
	uint32_t line_info_rec_size;
	uint32_t jited_line_info_rec_size;
	uint32_t nr_prog_tags;
	BPF_U64 prog_tags;
	uint64_t run_time_ns;
	uint64_t run_cnt;
	uint64_t recursion_misses; /* 5.12 */
};

struct bpf_btf_info {
	BPF_U64 btf;
	uint32_t btf_size;
	uint32_t id;
};

struct bpf_map_info {
	uint32_t type;
	uint32_t id;
	uint32_t key_size;
	uint32_t value_size;
	uint32_t max_entries;
	uint32_t map_flags;
	char name[BPF_OBJ_NAME_LEN];
};

struct bpf_link_info {
	uint32_t type;
	uint32_t id;
	uint32_t prog_id;
	uint32_t pad; /* the kernel aligns the union that follows to 8 */
	struct {
		BPF_U64 tp_name;
		uint32_t tp_name_len;
	} raw_tracepoint;
};

#endif
