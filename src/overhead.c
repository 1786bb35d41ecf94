/* SPDX-License-Identifier: GPL-2.0-only */
#include "overhead.h"

#include <errno.h>
#include <string.h>

#include "err.h"
#include "fd.h"
#include "memory.h"
#include "report.h"
#include "sys_bpf.h"

/* perf's followers on our leaders: one takes 38 by fexit at most (lab.md). What comes beyond is not told from the
 * leader itself. */
enum { OTHERS_MAX = 1024 };

void overhead_init(struct overhead *overhead)
{
	*overhead = (struct overhead){.stats_fd = -1};
}

int overhead_open(struct overhead *overhead, int programs_max, struct err *err)
{
	overhead->programs_max = programs_max + OTHERS_MAX;
	overhead->programs = memory_take((size_t)overhead->programs_max, sizeof(*overhead->programs));
	overhead->rows = memory_take((size_t)programs_max, sizeof(*overhead->rows));
	int fd = overhead->programs && overhead->rows ? sys_bpf_enable_stats() : -ENOMEM;
	if (fd < 0) {
		overhead_close(overhead);
		return err_sys(err, fd, "cannot switch on the kernel's BPF statistics (5.8 or later, CAP_SYS_ADMIN)");
	}
	overhead->stats_fd = fd;
	return 0;
}

static struct overhead_program *find(const struct overhead *overhead, uint32_t id)
{
	for (int i = 0; i < overhead->programs_count; i++) {
		if (overhead->programs[i].at.id == id)
			return &overhead->programs[i];
	}
	return NULL;
}

/* A follower of perf's (fexit) runs between the leader's end and its caller: the kernel takes the time of both for the leader's. It is known by
 * a map that it has of the leader. */
static int leader_of(const struct overhead *overhead, const struct program *program)
{
	for (int i = 0; program->type == BPF_PROG_TYPE_TRACING && i < overhead->programs_count; i++) {
		const struct program *leader = &overhead->programs[i].at;
		for (uint32_t k = 0; leader->type != BPF_PROG_TYPE_TRACING && k < leader->maps_count; k++) {
			if (program_has_map(program, leader->map_ids[k]))
				return i;
		}
	}
	return -1;
}

static int row_of(struct overhead *overhead, const char *kind, const char *event, bool is_shared)
{
	int i = 0;
	for (; i < overhead->rows_count; i++) {
		const struct report_overhead *row = &overhead->rows[i];
		if (row->kind == kind && (row->event == event || (event && !strcmp(row->event, event))))
			return i;
	}
	overhead->rows[overhead->rows_count++] = (struct report_overhead){kind, event, 0, 0, is_shared};
	return i;
}

static struct overhead_program *append(struct overhead *overhead, const struct program *program, int row, int leader)
{
	struct overhead_program *added = &overhead->programs[overhead->programs_count++];
	*added = (struct overhead_program){.at = *program, .row = row, .leader = leader};
	return added;
}

int overhead_add(struct overhead *overhead, const char *kind, const char *event, bool is_shared, int link_fd, int prog_fd)
{
	struct program program;
	int result = program_by_fd(&program, link_fd, prog_fd);
	if (result < 0 || find(overhead, program.id))
		return result;
	append(overhead, &program, row_of(overhead, kind, event, is_shared), leader_of(overhead, &program));
	return 0;
}

/* Those that others have hung on our leaders since; their runs are all within the count, then. */
static void find_others(struct overhead *overhead)
{
	for (uint32_t id = 0; !sys_bpf_next_id(BPF_PROG_GET_NEXT_ID, &id);) {
		struct program program;
		if (overhead->programs_count == overhead->programs_max)
			return;
		if (find(overhead, id) || program_by_id(&program, id) < 0)
			continue;
		int leader = leader_of(overhead, &program);
		if (leader >= 0)
			append(overhead, &program, -1, leader);
	}
}

void overhead_read(struct overhead *overhead)
{
	for (int i = 0; i < overhead->programs_count; i++) {
		struct overhead_program *program = &overhead->programs[i];
		struct program now;
		program->before_ns = program->at.run_ns;
		program->before_runs = program->at.runs;
		/* of one that is gone the last look stands */
		if (program_by_id(&now, program->at.id) >= 0)
			program->at = now;
	}
	if (overhead->programs_count)
		find_others(overhead);
}

void overhead_start(struct overhead *overhead)
{
	overhead_read(overhead);
	for (int i = 0; i < overhead->programs_count; i++) {
		struct overhead_program *program = &overhead->programs[i];
		program->first_ns = program->before_ns = program->at.run_ns;
		program->first_runs = program->before_runs = program->at.runs;
	}
}

static uint64_t taken_ns(const struct overhead_program *program, bool all)
{
	return program->at.run_ns - (all ? program->first_ns : program->before_ns);
}

void overhead_rows(struct overhead *overhead, bool all)
{
	for (int i = 0; i < overhead->rows_count; i++)
		overhead->rows[i].ns = overhead->rows[i].runs = 0;
	for (int i = 0; i < overhead->programs_count; i++) {
		const struct overhead_program *program = &overhead->programs[i];
		if (program->row < 0)
			continue;
		overhead->rows[program->row].ns += taken_ns(program, all);
		overhead->rows[program->row].runs += program->at.runs - (all ? program->first_runs : program->before_runs);
	}
	for (int i = 0; i < overhead->programs_count; i++) {
		const struct overhead_program *program = &overhead->programs[i];
		if (program->leader < 0)
			continue;
		struct report_overhead *leader = &overhead->rows[overhead->programs[program->leader].row];
		uint64_t ns = taken_ns(program, all);
		leader->ns -= ns < leader->ns ? ns : leader->ns;
	}
}

void overhead_close(struct overhead *overhead)
{
	fd_close(&overhead->stats_fd);
	memory_free(overhead->programs);
	memory_free(overhead->rows);
	overhead_init(overhead);
}
