/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF helpers that are used, by their numbers in the kernel's include/uapi/linux/bpf.h, and how a map is declared. */
#ifndef HELPERS_H
#define HELPERS_H

#include <linux/bpf.h>

#define SEC(name) __attribute__((section(name), used))
#define __uint(name, value) int(*name)[value]
#define __type(name, value) value *name
/* A map with one value on each CPU. */
#define PERCPU(name, value)                                                                                                  \
	struct {                                                                                                             \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                                                     \
		__uint(key_size, sizeof(uint32_t));                                                                          \
		__uint(value_size, sizeof(value));                                                                           \
		__uint(max_entries, 1);                                                                                      \
	} name SEC(".maps")
#define INLINE static inline __attribute__((always_inline, nodebug))

/* Keeps the compiler from moving or merging memory accesses across it: an interrupt may come at any instruction. */
#define BARRIER() __asm__ volatile("" ::: "memory")

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_map_update_elem)(void *map, const void *key, const void *value, uint64_t flags) = (void *)2;
static long (*const bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static uint64_t (*const bpf_get_current_pid_tgid)(void) = (void *)14;
static uint64_t (*const bpf_get_current_task)(void) = (void *)35;
static long (*const bpf_get_current_comm)(void *buffer, uint32_t size) = (void *)16;
static long (*const bpf_perf_event_read_value)(void *map, uint64_t flags, void *value, uint32_t size) = (void *)55;
static long (*const bpf_current_task_under_cgroup)(void *map, uint32_t index) = (void *)37;
static uint64_t (*const bpf_get_current_cgroup_id)(void) = (void *)80;
static long (*const bpf_get_ns_current_pid_tgid)(uint64_t dev, uint64_t ino, void *ids, uint32_t size) = (void *)120;
static long (*const bpf_map_pop_elem)(void *map, void *value) = (void *)88;

#endif
