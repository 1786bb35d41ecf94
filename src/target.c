/* SPDX-License-Identifier: GPL-2.0-only */
#include "target.h"

#include <errno.h>
#include <string.h>

#include "btf.h"
#include "err.h"
#include "fd.h"
#include "memory.h"
#include "sys_bpf.h"

enum { QUOTE_MAX = 100, BTF_SIZE_MAX = 16 << 20 /* the kernel's own limit */ };

/* --- -b's list ---------------------------------------------------------------------------------------------------------- */

static bool set_id(struct target_item *item)
{
	uint64_t id = 0;
	for (int i = 0; i < item->length; i++) {
		if (item->text[i] < '0' || item->text[i] > '9')
			return false;
		id = id * 10 + (uint64_t)(item->text[i] - '0');
		if (id > UINT32_MAX)
			return false;
	}
	item->id = (uint32_t)id;
	return id;
}

int target_list_next(const char **list, struct target_item *item, struct err *err)
{
	static const char *const words[] = {"all", "", "name:", "pin:"}; /* by kind */
	const char *text = *list;
	if (!text)
		return 0;
	const size_t length = strcspn(text, ",");
	*list = text[length] ? text + length + 1 : NULL;
	for (int kind = TARGET_ALL; kind <= TARGET_PIN && length < INT32_MAX; kind++) {
		const size_t word = strlen(words[kind]);
		if (word > length || memcmp(text, words[kind], word))
			continue;
		*item = (struct target_item){.kind = kind, .text = text + word, .length = (int)(length - word)};
		if (kind == TARGET_ALL ? !item->length : kind == TARGET_ID ? set_id(item) : item->length > 0)
			return 1;
	}
	return err_set(err, -EINVAL, "-b: '%.*s' is none of ID, name:NAME, pin:PATH and all",
		       length > QUOTE_MAX ? QUOTE_MAX : (int)length, text);
}

/* --- one of them -------------------------------------------------------------------------------------------------------- */

void target_set_name(char name[TARGET_NAME_SIZE], struct span bytes, uint32_t func_id)
{
	struct btf btf;
	struct btf_type type;
	if (btf_init(&btf, bytes, NULL) || btf_by_id(&type, &btf, func_id) || type.kind != BTF_FUNC)
		return;
	size_t length = strnlen(type.name, TARGET_NAME_SIZE);
	if (length && length < TARGET_NAME_SIZE)
		memcpy(name, type.name, length + 1);
}

static void read_name(struct target_program *program, uint32_t btf_id)
{
	struct bpf_btf_info info = {0};
	int fd = sys_bpf_btf_by_id(btf_id);
	if (fd < 0)
		return;
	uint32_t size = sys_bpf_info(fd, &info, sizeof(info)) ? 0 : info.btf_size;
	unsigned char *bytes = size && size <= BTF_SIZE_MAX ? memory_take(1, size) : NULL;
	info = (struct bpf_btf_info){.btf = (uint64_t)(uintptr_t)bytes, .btf_size = size};
	if (bytes && !sys_bpf_info(fd, &info, sizeof(info)))
		target_set_name(program->name, (struct span){bytes, size, false}, program->func_id);
	memory_free(bytes);
	fd_close(&fd);
}

static int read_facts(struct target_program *program)
{
	struct bpf_prog_info info;
	struct bpf_func_info func = {0};
	memset(&info, 0, sizeof(info));
	info.nr_func_info = 1;
	info.func_info_rec_size = sizeof(func);
	info.func_info = (uint64_t)(uintptr_t)&func;
	int result = sys_bpf_info(program->fd, &info, sizeof(info));
	if (result < 0)
		return result;
	program->id = info.id;
	program->func_id = info.btf_id && info.nr_func_info ? func.type_id : 0;
	program->is_jited = info.jited_prog_len;
	memcpy(program->short_name, info.name, sizeof(program->short_name));
	program->short_name[sizeof(program->short_name) - 1] = '\0';
	memcpy(program->name, program->short_name, sizeof(program->short_name));
	if (program->func_id)
		read_name(program, info.btf_id);
	return 0;
}

int target_open(struct target_program *program, uint32_t id, struct err *err)
{
	*program = (struct target_program){.fd = sys_bpf_prog_by_id(id)};
	if (program->fd == -ENOENT)
		return err_set(err, -ENOENT, "there is no BPF program %u", id);
	int result = program->fd < 0 ? program->fd : read_facts(program);
	if (result < 0) {
		fd_close(&program->fd);
		return err_sys(err, result, "cannot look at BPF program %u", id);
	}
	return 0;
}

int target_pinned(uint32_t *id, const char *path, struct err *err)
{
	struct target_program program = {.fd = sys_bpf_obj_get(path)};
	int result = program.fd < 0 ? program.fd : read_facts(&program);
	fd_close(&program.fd);
	*id = program.id;
	/* of a map or a link less is known than is asked for */
	if (result == -E2BIG)
		return err_set(err, result, "no BPF program is pinned at %s", path);
	return result < 0 ? err_sys(err, result, "cannot open %s", path) : 0;
}
