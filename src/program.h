/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel tells of a BPF program that is loaded: for looking at only, nothing stays open. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* More maps than any of ours has, or perf's; of others' programs the first ones are enough. */
enum { PROGRAM_MAPS_MAX = 32 };

struct program {
	uint32_t id, link_id;   /* link_id: 0 unless it was asked for by its link, and is attached */
	uint32_t type;          /* enum bpf_prog_type */
	char name[16];
	uint32_t map_ids[PROGRAM_MAPS_MAX];
	uint32_t maps_count;
	uint64_t load_time_ns;  /* since boot */
	uint64_t run_ns, runs;  /* since its load, while the kernel's statistics were on; of a tracepoint with all that hangs on it */
};

/* By its link or, link_fd -1, by itself. Each returns 0 or -errno; -EPERM: it takes CAP_SYS_ADMIN; then by_fd has told the ids of the
 * link all the same. */
int program_by_id(struct program *program, uint32_t id);
int program_by_fd(struct program *program, int link_fd, int prog_fd);

bool program_has_map(const struct program *program, uint32_t map_id);

#endif
