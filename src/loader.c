/* SPDX-License-Identifier: GPL-2.0-only */
#include "loader.h"

#include <errno.h>
#include <string.h>

#include "err.h"
#include "fd.h"
#include "memory.h"
#include "sys_bpf.h"

/* A log starts at LOG_FIRST bytes and is doubled while the kernel finds it too small (ENOSPC), up to LOG_LAST. */
enum { LOG_FIRST = 1 << 16, LOG_LAST = 1 << 22 };

/* Ends the log behind its last line that says something, and returns that line; *lines: how many stand before it. The
 * verifier's own statistics come last and say nothing of the reason. */
static const char *last_line(char *log, unsigned *lines)
{
	const char *best = "";
	char *line = log;
	*lines = 0;
	for (unsigned n = 0; line && *line; n++) {
		char *end = strchr(line, '\n');
		if (end)
			*end = '\0';
		if (*line && strncmp(line, "processed ", 10)) {
			best = line;
			*lines = n;
		}
		line = end ? end + 1 : NULL;
	}
	return best;
}

static int load_btf(const struct object *object, bool plain, char *log)
{
	size_t size = object->btf_bytes.size;
	void *copy = memory_take(1, size);
	if (!copy)
		return -ENOMEM;
	int length = object_btf_copy(object, copy, size, plain);
	int fd = length < 0 ? length : sys_bpf_btf_load(copy, (uint32_t)length, log, LOG_FIRST);
	memory_free(copy);
	return fd;
}

static void open_btf(struct loader *loader)
{
	if (!loader->object->btf_bytes.size)
		return;
	loader->btf_fd = load_btf(loader->object, false, NULL);
	if (loader->btf_fd < 0)
		loader->btf_fd = load_btf(loader->object, true, NULL);
	if (loader->btf_fd < 0 && err_verbosity > 0) {
		unsigned lines;
		char *log = memory_take(1, LOG_FIRST);
		loader->btf_fd = load_btf(loader->object, true, log);
		const char *why = log ? last_line(log, &lines) : "";
		err_note(1, "the kernel refuses the programs' BTF: %.200s%s%s", why, *why ? ": " : "",
			 err_reason(-loader->btf_fd));
		memory_free(log);
	}
	if (loader->btf_fd < 0)
		loader->btf_fd = -1;
}

static const struct loader_fit *find_fit(const char *name, const struct loader_fit *fits, int fits_count)
{
	static const struct loader_fit none = {.fd = -1};
	for (int i = 0; i < fits_count; i++) {
		if (fits[i].map && !strcmp(fits[i].map, name))
			return &fits[i];
	}
	return &none;
}

static int fill_data(int fd, const struct object_map *map, const struct loader_fit *fit)
{
	const uint32_t zero = 0;
	char *value = memory_take(1, map->value_size);
	if (!value)
		return -ENOMEM;
	memcpy(value, map->data.data, map->data.size);
	if (fit->data && fit->data_size <= map->value_size)
		memcpy(value, fit->data, fit->data_size);
	int result = sys_bpf_map_update(fd, &zero, value, BPF_ANY);
	memory_free(value);
	if (!result && map->is_frozen)
		result = sys_bpf_map_freeze(fd);
	return result;
}

static int open_map(const struct object_map *map, const struct loader_fit *fit, struct err *err)
{
	uint32_t max_entries = fit->max_entries ? fit->max_entries : map->max_entries;
	int fd = sys_bpf_map_create(map->name, map->type, map->key_size, map->value_size, max_entries, map->flags);
	if (fd < 0)
		return err_sys(err, fd, "cannot create map %s (%u entries of %u bytes)", map->name, max_entries,
			       map->value_size);
	if (map->is_data) {
		int result = fill_data(fd, map, fit);
		if (result < 0) {
			fd_close(&fd);
			return err_sys(err, result, "cannot fill map %s", map->name);
		}
	}
	return fd;
}

int loader_open(struct loader *loader, const struct object *object, const struct loader_fit *fits, int fits_count,
		struct err *err)
{
	*loader = (struct loader){.object = object, .btf_fd = -1};
	for (int i = 0; i < OBJECT_MAPS_MAX; i++)
		loader->map_fds[i] = -1;
	open_btf(loader);
	for (int i = 0; i < object->maps_count; i++) {
		const struct loader_fit *fit = find_fit(object->maps[i].name, fits, fits_count);
		loader->borrowed[i] = fit->fd >= 0;
		loader->map_fds[i] = fit->fd >= 0 ? fit->fd : open_map(&object->maps[i], fit, err);
		if (loader->map_fds[i] < 0) {
			int failed = loader->map_fds[i];
			loader_close(loader);
			return failed;
		}
	}
	return 0;
}

/* A relocated copy, to be freed. */
static struct bpf_insn *relocate(const struct loader *loader, uint32_t index)
{
	const struct object_prog *prog = &loader->object->progs[index];
	struct bpf_insn *insns = memory_take(1, prog->insns.size);
	if (!insns)
		return NULL;
	memcpy(insns, prog->insns.data, prog->insns.size);
	for (int i = 0; i < loader->object->relocs_count; i++) {
		const struct object_reloc *reloc = &loader->object->relocs[i];
		if (reloc->prog != index)
			continue;
		struct bpf_insn *insn = &insns[reloc->insn];
		insn->imm = loader->map_fds[reloc->map];
		insn->src_reg = reloc->kind == OBJECT_RELOC_DATA ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD;
		insn[1].imm = reloc->kind == OBJECT_RELOC_DATA ? (int32_t)reloc->addend : 0;
	}
	return insns;
}

/* The kernel counts instructions from the program's start where the object file counts bytes from the section's; the first
 * record is of the program's first instruction. To be freed; NULL: then there is no line info. */
static char *line_info(const struct object_prog *prog)
{
	uint32_t size = (uint32_t)prog->line_info.size, first = 0;
	char *records = prog->line_info_rec >= sizeof(uint32_t) && size ? memory_take(1, size) : NULL;
	if (!records)
		return NULL;
	memcpy(records, prog->line_info.data, size);
	memcpy(&first, records, sizeof(first));
	for (uint32_t at = 0; at + prog->line_info_rec <= size; at += prog->line_info_rec) {
		uint32_t offset;
		memcpy(&offset, records + at, sizeof(offset));
		offset = (offset - first) / (uint32_t)sizeof(struct bpf_insn);
		memcpy(records + at, &offset, sizeof(offset));
	}
	return records;
}

static int explain(int failed, const struct sys_bpf_prog *spec, char *log, struct err *err)
{
	if (err_verbosity > 0)
		fd_write(2, log, strlen(log));
	unsigned lines;
	const char *why = last_line(log, &lines);
	if (!*why)
		err_sys(err, failed, "cannot load %s", spec->name);
	else if (lines)
		err_sys(err, failed, "cannot load %s: %.200s (%u lines omitted, -v shows them)", spec->name, why, lines);
	else
		err_sys(err, failed, "cannot load %s: %.200s", spec->name, why);
	/* the verifier always says why */
	if (*why)
		err_hint(err, "this kernel's verifier refuses the program; no capability is missing");
	else if (failed == -EINVAL)
		err_hint(err, "a kernel without CONFIG_BPF_EVENTS has no programs of this kind");
	return failed;
}

static int load_with_log(struct sys_bpf_prog *spec, int first_failure, struct err *err)
{
	int result = first_failure;
	for (spec->log_size = LOG_FIRST; spec->log_size <= LOG_LAST; spec->log_size *= 2) {
		spec->log = memory_take(1, spec->log_size);
		if (!spec->log)
			break;
		result = sys_bpf_prog_load(spec);
		if (result == -ENOSPC && spec->log_size < LOG_LAST) {
			memory_free(spec->log);
			continue;
		}
		if (result < 0)
			explain(first_failure, spec, spec->log, err);
		memory_free(spec->log);
		return result < 0 ? first_failure : result;
	}
	return err_sys(err, first_failure, "cannot load %s", spec->name);
}

int loader_prog(const struct loader *loader, const char *name, const struct loader_hang *hang, struct err *err)
{
	int index = object_prog(loader->object, name);
	if (index < 0)
		return err_set(err, index, "the object has no program %s", name);
	const struct object_prog *prog = &loader->object->progs[index];
	if (prog->insns.swap)
		return err_set(err, -EINVAL, "cannot load %s: the object is of the other byte order", name);
	struct bpf_insn *insns = relocate(loader, (uint32_t)index);
	if (!insns)
		return err_sys(err, -ENOMEM, "cannot load %s", name);
	struct sys_bpf_prog spec = {
		.name = prog->name,
		.license = loader->object->license,
		.type = hang->type,
		.expected_attach_type = hang->attach_type,
		.attach_prog_fd = hang->target_fd,
		.attach_btf_id = hang->target_func_id,
		.btf_fd = loader->btf_fd,
		.func_id = prog->func_id,
		.insns = insns,
		.insns_count = (uint32_t)(prog->insns.size / sizeof(*insns)),
	};
	char *lines = err_verbosity > 0 ? line_info(prog) : NULL;
	if (lines) {
		spec.line_info = lines;
		spec.line_info_rec = prog->line_info_rec;
		spec.line_info_count = (uint32_t)prog->line_info.size / prog->line_info_rec;
	}
	int fd = sys_bpf_prog_load(&spec);
	if (fd < 0)
		fd = load_with_log(&spec, fd, err);
	memory_free(lines);
	memory_free(insns);
	return fd;
}

int loader_link(const struct loader *loader, const char *name, const char *tracepoint, int *prog_fd, struct err *err)
{
	const struct loader_hang hang = {BPF_PROG_TYPE_RAW_TRACEPOINT, 0, -1, 0};
	int fd = loader_prog(loader, name, &hang, err);
	if (fd < 0)
		return fd;
	int link_fd = sys_bpf_raw_tracepoint_open(tracepoint, fd);
	if (prog_fd)
		*prog_fd = fd_take(&fd);
	fd_close(&fd);
	return link_fd < 0 ? err_sys(err, link_fd, "cannot attach %s to %s", name, tracepoint) : link_fd;
}

int loader_map(const struct loader *loader, const char *name)
{
	int index = object_map(loader->object, name);
	return index < 0 ? -1 : loader->map_fds[index];
}

void loader_close(struct loader *loader)
{
	if (!loader->object)
		return;
	fd_close(&loader->btf_fd);
	for (int i = 0; i < OBJECT_MAPS_MAX; i++) {
		if (!loader->borrowed[i])
			fd_close(&loader->map_fds[i]);
		loader->map_fds[i] = -1;
		loader->borrowed[i] = false;
	}
}
