/* SPDX-License-Identifier: GPL-2.0-only */
/* What must hold for any bytes, in the tests and in the fuzzer: an error has a text, and a spec holds only what is in range. */
#ifndef OBJECT_CHECK_H
#define OBJECT_CHECK_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "object.h"

static unsigned object_check_sum; /* so that no reading is optimised away */

static inline void object_check_bytes(struct span span)
{
	for (uint32_t i = 0; i < span.size; i++)
		object_check_sum += span.data[i];
}

static inline const char *object_check_maps(const struct object *object)
{
	for (int i = 0; i < object->maps_count; i++) {
		const struct object_map *map = &object->maps[i];
		if (!map->name[0] || strlen(map->name) > 127 || object_map(object, map->name) != i)
			return "name of a map";
		if (!map->type || map->data.size > map->value_size)
			return "type or data of a map";
		if (map->is_data && (map->key_size != 4 || map->max_entries != 1 || map->type != 2 || map->value_size % 8))
			return "shape of a data map";
		object_check_bytes(map->data);
	}
	return NULL;
}

static inline const char *object_check_progs(const struct object *object)
{
	for (int i = 0; i < object->progs_count; i++) {
		const struct object_prog *prog = &object->progs[i];
		if (!prog->name[0] || strlen(prog->name) > 127 || strlen(prog->section) > 127)
			return "name of a program";
		if (!prog->insns.size || prog->insns.size % 8 || prog->func_id > object->btf.types_count)
			return "instructions or BTF id of a program";
		if (prog->line_info.size && (prog->line_info_rec < 16 || prog->line_info.size % prog->line_info_rec))
			return "line info of a program";
		uint32_t first = span_get_u32(prog->line_info, 0);
		for (uint32_t at = 0; at < prog->line_info.size; at += prog->line_info_rec) {
			if (span_get_u32(prog->line_info, at) - first >= prog->insns.size)
				return "offset of a line info";
		}
		object_check_bytes(prog->insns);
		object_check_bytes(prog->line_info);
	}
	return NULL;
}

static inline const char *object_check_relocs(const struct object *object)
{
	for (int i = 0; i < object->relocs_count; i++) {
		const struct object_reloc *reloc = &object->relocs[i];
		if (reloc->prog >= (uint32_t)object->progs_count || reloc->map >= (uint32_t)object->maps_count)
			return "program or map of a relocation";
		struct span insns = object->progs[reloc->prog].insns, insn;
		if (!span_part(&insn, insns, (uint64_t)reloc->insn * 8, 16) || insn.data[0] != 0x18)
			return "instruction of a relocation";
		const struct object_map *map = &object->maps[reloc->map];
		if (reloc->kind == OBJECT_RELOC_DATA ? !map->is_data || reloc->addend >= map->value_size : map->is_data)
			return "kind or addend of a relocation";
	}
	return NULL;
}

/* The copy must be sound itself, with as many types; the plain one without the new kinds, but for an ENUM64 without any INT. */
static inline const char *object_check_btf(const struct object *object, bool plain)
{
	uint32_t size = object->btf_bytes.size;
	unsigned char *copy = malloc(size + !size);
	struct btf btf;
	struct btf_type type;
	const char *wrong = NULL;
	if (!copy || object_btf_copy(object, copy, size, plain) != (int)size)
		wrong = "length of the BTF copy";
	else if (size && object_btf_copy(object, copy, size - 1, plain) != -E2BIG)
		wrong = "BTF copy into a small buffer";
	else if (size && btf_init(&btf, (struct span){copy, size, object->btf_bytes.swap}, NULL))
		wrong = "BTF copy";
	else if (size && btf.types_count != object->btf.types_count)
		wrong = "number of types of the BTF copy";
	if (!wrong && size) {
		bool ints = false;
		for (btf_first(&type, &object->btf); type.id; btf_next(&type, &object->btf))
			ints = ints || type.kind == BTF_INT;
		for (btf_first(&type, &btf); type.id && !wrong; btf_next(&type, &btf)) {
			if (plain && type.kind > BTF_DATASEC && (type.kind != BTF_ENUM64 || ints))
				wrong = "kind in the plain BTF copy";
		}
	}
	free(copy);
	return wrong;
}

/* Parses; NULL, or what is wrong with the outcome. The code, and the spec, are the caller's to look at. */
static inline const char *object_check(struct object *object, const void *bytes, size_t size, int *rc, struct err *err)
{
	*err = (struct err){0};
	*rc = object_parse(object, bytes, size, err);
	if (*rc && *rc != -EINVAL && *rc != -ENOTSUP && *rc != -ENOEXEC)
		return "code";
	if ((*rc != 0) != (err->text[0] != '\0'))
		return "error without a text, or a text without an error";
	if (*rc)
		return NULL;
	object_check_sum += (unsigned)strlen(object->license);
	const char *wrong = object_check_maps(object);
	wrong = wrong ? wrong : object_check_progs(object);
	wrong = wrong ? wrong : object_check_relocs(object);
	wrong = wrong ? wrong : object_check_btf(object, false);
	return wrong ? wrong : object_check_btf(object, true);
}

#endif
