/* SPDX-License-Identifier: GPL-2.0-only */
#include "program.h"

#include <string.h>

#include "fd.h"
#include "sys_bpf.h"

static int look(struct program *program, int fd)
{
	struct bpf_prog_info info;
	memset(&info, 0, sizeof(info));
	info.nr_map_ids = PROGRAM_MAPS_MAX;
	info.map_ids = (uint64_t)(uintptr_t)program->map_ids;
	int result = sys_bpf_info(fd, &info, sizeof(info));
	if (result < 0)
		return result;
	program->id = info.id;
	program->type = info.type;
	memcpy(program->name, info.name, sizeof(program->name));
	program->maps_count = info.nr_map_ids < PROGRAM_MAPS_MAX ? info.nr_map_ids : PROGRAM_MAPS_MAX;
	program->load_time_ns = info.load_time;
	program->run_ns = info.run_time_ns;
	program->runs = info.run_cnt;
	return 0;
}

static int look_by_id(struct program *program)
{
	int fd = sys_bpf_prog_by_id(program->id);
	int result = fd < 0 ? fd : look(program, fd);
	fd_close(&fd);
	return result;
}

int program_by_id(struct program *program, uint32_t id)
{
	*program = (struct program){.id = id};
	return look_by_id(program);
}

int program_by_fd(struct program *program, int link_fd, int prog_fd)
{
	struct bpf_link_info link;
	memset(&link, 0, sizeof(link));
	*program = (struct program){0};
	if (link_fd < 0)
		return look(program, prog_fd);
	int result = sys_bpf_info(link_fd, &link, sizeof(link));
	if (result < 0)
		return result;
	program->link_id = link.id;
	program->id = link.prog_id;
	return look_by_id(program);
}

bool program_has_map(const struct program *program, uint32_t map_id)
{
	for (uint32_t i = 0; i < program->maps_count; i++) {
		if (program->map_ids[i] == map_id)
			return true;
	}
	return false;
}
