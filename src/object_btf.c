/* SPDX-License-Identifier: GPL-2.0-only */
#include "object.h"

#include <errno.h>
#include <string.h>

#include "err.h"
#include "object_parse.h"

/* Limits that keep the work linear in the size of any input. */
enum { MEMBERS_MAX = 16, LEVELS_MAX = 32 };
/* A DATASEC's entry, and .BTF.ext (linux/btf.h, llvm's BTFDebug.h). */
enum { VAR_SIZE = 12, LINKAGE_GLOBAL = 1 };
enum { EXT_MAGIC = 0xeb9f, EXT_HEADER = 24, EXT_HEADER_CORE = 32, EXT_FUNC_INFO = 8, EXT_LINE_INFO = 16, EXT_CORE = 24 };
enum { LINE_INFO_REC = 16 };

struct var {
	uint32_t type, offset, size;
};

/* --- maps --- */

static int set_once(uint32_t *number, int64_t value, const char *map, const char *member, struct err *err)
{
	if (value < 0 || value > UINT32_MAX)
		return err_set(err, -EINVAL, "map %s: member %s has no size", map, member);
	if (*number && *number != value)
		return err_set(err, -EINVAL, "map %s: member %s says %u, another said %u", map, member, (uint32_t)value,
			       *number);
	*number = (uint32_t)value;
	return 0;
}

/* One member: __uint(name, n) is a pointer to an array of n ints, __type(name, t) a pointer to t. */
static int read_member(struct object_map *map, const struct btf *btf, const char *name, uint32_t id, struct err *err)
{
	uint32_t *number = NULL;
	bool is_type = !strcmp(name, "key") || !strcmp(name, "value");
	if (!strcmp(name, "type"))
		number = &map->type;
	else if (!strcmp(name, "key_size") || !strcmp(name, "key"))
		number = &map->key_size;
	else if (!strcmp(name, "value_size") || !strcmp(name, "value"))
		number = &map->value_size;
	else if (!strcmp(name, "max_entries"))
		number = &map->max_entries;
	else if (!strcmp(name, "map_flags"))
		number = &map->flags;
	else
		return err_set(err, -ENOTSUP, "map %s: member %.64s is not supported", map->name, name);
	struct btf_type type;
	if (btf_by_id(&type, btf, id) || type.kind != BTF_PTR)
		return err_set(err, -EINVAL, "map %s: member %s is no pointer", map->name, name);
	if (is_type)
		return set_once(number, btf_size(btf, type.size_or_type), map->name, name, err);
	if (btf_by_id(&type, btf, type.size_or_type) || type.kind != BTF_ARRAY)
		return err_set(err, -EINVAL, "map %s: member %s is no pointer to an array", map->name, name);
	return set_once(number, span_get_u32(type.extra, 8), map->name, name, err);
}

static bool is_alias(uint32_t kind)
{
	return kind == BTF_VAR || kind == BTF_TYPEDEF || kind == BTF_CONST || kind == BTF_VOLATILE;
}

/* id: of the variable in .maps. */
static int read_map(struct parse *p, uint32_t id, uint32_t section, uint32_t offset)
{
	const struct btf *btf = &p->object->btf;
	struct btf_type type = {0};
	btf_by_id(&type, btf, id);
	struct object_map map = {.name = type.name, .data = {.swap = p->elf.file.swap}};
	for (int level = 0; level < LEVELS_MAX && is_alias(type.kind); level++) {
		if (btf_by_id(&type, btf, type.size_or_type))
			break;
	}
	if (type.kind != BTF_STRUCT)
		return err_set(p->err, -EINVAL, "map %s: its type is no struct", map.name);
	if (type.vlen > MEMBERS_MAX)
		return err_set(p->err, -ENOTSUP, "map %s: %u members", map.name, type.vlen);
	for (uint32_t i = 0; i < type.vlen; i++) {
		const char *name = span_text(btf->strings, span_get_u32(type.extra, i * 12));
		if (!name)
			return err_set(p->err, -EINVAL, "map %s: name of member %u lies outside the strings", map.name, i);
		int rc = read_member(&map, btf, name, span_get_u32(type.extra, i * 12 + 4), p->err);
		if (rc)
			return rc;
	}
	if (!map.type)
		return err_set(p->err, -EINVAL, "map %s: no member type", map.name);
	return object_add_map(p, &map, section, offset);
}

/* --- the BTF's DATASECs: their sizes and offsets, and the definitions in .maps --- */

static int find_symbol(struct elf_symbol *symbol, const struct parse *p, const char *name, const struct elf_section *section)
{
	for (uint32_t i = 1; i < p->elf.symbols_count; i++) {
		int rc = elf_symbol(symbol, &p->elf, i, p->err);
		if (rc)
			return rc;
		if (symbol->section == section->index && symbol->type != ELF_STT_SECTION && !strcmp(symbol->name, name))
			return 0;
	}
	/* clang puts a static string into .rodata.str1.1, and tells the BTF that it is in .rodata */
	return err_set(p->err, -ENOTSUP, "variable %s has no symbol in section %s: is it a static string?", name,
		       section->name);
}

/* Sets the variable's offset in its section, which clang leaves 0 for all but static ones. */
static int locate_var(struct var *var, const struct parse *p, const struct elf_section *section)
{
	struct btf_type type;
	struct elf_symbol symbol;
	if (btf_by_id(&type, &p->object->btf, var->type) || type.kind != BTF_VAR)
		return err_set(p->err, -EINVAL, "section %s: BTF type %u is no variable", section->name, var->type);
	int rc = object_check_name(type.name, "variable", p->err);
	if (!rc && span_get_u32(type.extra, 0) > LINKAGE_GLOBAL)
		return err_set(p->err, -ENOTSUP, "variable %s is extern", type.name);
	if (!rc)
		rc = find_symbol(&symbol, p, type.name, section);
	if (rc)
		return rc;
	if (symbol.value > section->size || var->size > section->size - symbol.value)
		return err_set(p->err, -EINVAL, "variable %s: %u bytes at %llu lie outside section %s of %llu bytes",
			       type.name, var->size, (unsigned long long)symbol.value, section->name,
			       (unsigned long long)section->size);
	var->offset = (uint32_t)symbol.value;
	return 0;
}

static void add_fix(struct object *object, uint32_t offset, uint32_t is, uint32_t value)
{
	if (is != value)
		object->fixes[object->fixes_count++] = (struct object_fix){.offset = offset, .value = value};
}

/* The kernel wants the entries in the order of their offsets. */
static int read_vars(struct var *vars, const struct parse *p, const struct btf_type *sec, const struct elf_section *section)
{
	for (uint32_t i = 0; i < sec->vlen; i++) {
		uint32_t at = i * VAR_SIZE, j = i;
		struct var var = {span_get_u32(sec->extra, at), span_get_u32(sec->extra, at + 4),
				  span_get_u32(sec->extra, at + 8)};
		int rc = locate_var(&var, p, section);
		if (rc)
			return rc;
		for (; j && vars[j - 1].offset > var.offset; j--)
			vars[j] = vars[j - 1];
		vars[j] = var;
	}
	return 0;
}

static int read_datasec(struct parse *p, const struct btf_type *sec)
{
	struct object *object = p->object;
	struct elf_section section;
	struct var vars[OBJECT_VARS_MAX];
	if (p->secs_count++ == OBJECT_SECS_MAX)
		return err_set(p->err, -ENOTSUP, "section %s: more than %u with variables", sec->name, OBJECT_SECS_MAX);
	if (sec->vlen > (uint32_t)(OBJECT_VARS_MAX - p->vars_count))
		return err_set(p->err, -ENOTSUP, "section %s: more than %u variables", sec->name, OBJECT_VARS_MAX);
	p->vars_count += (int)sec->vlen;
	int rc = elf_find(&section, &p->elf, sec->name, p->err);
	if (rc == -ENOENT)
		return err_set(p->err, -ENOTSUP, "no section %s for its variables: are they extern, or strings?", sec->name);
	if (!rc && section.size - 1 >= OBJECT_DATA_MAX)
		return err_set(p->err, -ENOTSUP, "section %s: %llu bytes, not 1 to %u", section.name,
			       (unsigned long long)section.size, OBJECT_DATA_MAX);
	if (!rc)
		rc = read_vars(vars, p, sec, &section);
	if (rc)
		return rc;
	add_fix(object, sec->offset + 8, sec->size_or_type, (uint32_t)section.size);
	uint32_t extra = sec->offset + 12, end = 0;
	for (uint32_t i = 0; i < sec->vlen; i++) {
		uint32_t at = i * VAR_SIZE;
		if (vars[i].offset < end)
			return err_set(p->err, -EINVAL, "section %s: variables overlap at %u", section.name, vars[i].offset);
		end = vars[i].offset + vars[i].size;
		add_fix(object, extra + at, span_get_u32(sec->extra, at), vars[i].type);
		add_fix(object, extra + at + 4, span_get_u32(sec->extra, at + 4), vars[i].offset);
		add_fix(object, extra + at + 8, span_get_u32(sec->extra, at + 8), vars[i].size);
		if (!strcmp(section.name, ".maps"))
			rc = read_map(p, vars[i].type, section.index, vars[i].offset);
		if (rc)
			return rc;
	}
	return 0;
}

int object_read_btf(struct parse *p)
{
	struct elf_section section;
	struct btf_type type;
	int rc = elf_find(&section, &p->elf, ".BTF", p->err);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	p->object->btf_bytes = section.data;
	rc = btf_init(&p->object->btf, section.data, p->err);
	if (rc)
		return rc;
	for (btf_first(&type, &p->object->btf); type.id; btf_next(&type, &p->object->btf)) {
		const int prog = type.kind == BTF_FUNC ? object_prog(p->object, type.name) : -ENOENT;
		if (prog >= 0 && !p->object->progs[prog].func_id)
			p->object->progs[prog].func_id = type.id;
		if (type.kind == BTF_DATASEC)
			rc = read_datasec(p, &type);
		if (rc)
			return rc;
	}
	return 0;
}

/* --- .BTF.ext --- */

/* The records of the program's instructions, from the count records of its section. The kernel wants one for the first
 * instruction, which the loader then also needs to count from: none, and the program goes without. */
static void take_lines(struct object_prog *prog, uint64_t start, struct span records, uint32_t rec)
{
	uint32_t from = 0, to;
	while (from < records.size && span_get_u32(records, from) != start)
		from += rec;
	for (to = from; to < records.size; to += rec) {
		uint64_t offset = span_get_u32(records, to);
		if (offset < start || offset - start >= prog->insns.size)
			break;
	}
	if (from < to && span_part(&prog->line_info, records, from, to - from))
		prog->line_info_rec = rec;
}

/* One u32, the records' size; then for each section {u32 name, u32 count, records}. */
static int read_lines(struct parse *p, struct span lines)
{
	uint32_t rec = span_get_u32(lines, 0);
	if (rec < LINE_INFO_REC || rec % 4)
		return err_set(p->err, -EINVAL, ".BTF.ext: line info in records of %u bytes", rec);
	for (uint64_t at = 4; at < lines.size;) {
		struct span records;
		uint32_t count = span_get_u32(lines, at + 4);
		const char *section = span_text(p->object->btf.strings, span_get_u32(lines, at));
		if (!section || !count || !span_part(&records, lines, at + 8, (uint64_t)count * rec))
			return err_set(p->err, -EINVAL, ".BTF.ext: %u line infos at %llu of %u bytes: no name, or outside",
				       count, (unsigned long long)at, lines.size);
		for (int i = 0; i < p->object->progs_count; i++) {
			struct object_prog *prog = &p->object->progs[i];
			if (!prog->line_info.size && !strcmp(prog->section, section))
				take_lines(prog, p->prog_starts[i], records, rec);
		}
		at += 8 + records.size;
	}
	return 0;
}

/* The part whose offset and length stand at that place of the header. */
static int ext_part(struct span *part, struct span ext, uint32_t header, uint32_t field, struct err *err)
{
	uint32_t offset = span_get_u32(ext, field), size = span_get_u32(ext, field + 4);
	if (span_part(part, ext, (uint64_t)header + offset, size) && offset % 4 == 0)
		return 0;
	return err_set(err, -EINVAL, ".BTF.ext: %u bytes at %u behind the header lie outside the %u bytes, or askew", size,
		       offset, ext.size);
}

int object_read_btf_ext(struct parse *p)
{
	struct elf_section ext;
	struct span part;
	uint16_t magic = 0;
	int rc = elf_find(&ext, &p->elf, ".BTF.ext", p->err);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	uint32_t header = span_get_u32(ext.data, 4);
	span_u16(&magic, ext.data, 0);
	if (magic != EXT_MAGIC || ext.data.size < EXT_HEADER || ext.data.data[2] != 1 || header < EXT_HEADER)
		return err_set(p->err, -EINVAL, ".BTF.ext: no header of version 1 in its %u bytes", ext.data.size);
	if (header >= EXT_HEADER_CORE) {
		rc = ext_part(&part, ext.data, header, EXT_CORE, p->err);
		if (rc)
			return rc;
		const char *section = span_text(p->object->btf.strings, span_get_u32(part, 4));
		if (part.size)
			return err_set(p->err, -ENOTSUP, "section %s: CO-RE relocations (.BTF.ext) are not supported",
				       section ? section : "?");
	}
	rc = ext_part(&part, ext.data, header, EXT_FUNC_INFO, p->err);
	if (!rc)
		rc = ext_part(&part, ext.data, header, EXT_LINE_INFO, p->err);
	return rc || !part.size ? rc : read_lines(p, part);
}

/* --- the copy for the kernel --- */

static void put_u32(unsigned char *at, uint32_t value, bool swap)
{
	if (swap)
		value = __builtin_bswap32(value);
	memcpy(at, &value, sizeof(value));
}

static void put_type(unsigned char *at, uint32_t kind, uint32_t vlen, bool swap)
{
	put_u32(at + 4, kind << 24 | vlen, swap);
}

/* The id of the smallest INT, for the members of a union that a 64-bit enum becomes: it must not be larger than that. */
static uint32_t smallest_int(const struct btf *btf)
{
	struct btf_type type;
	uint32_t id = 0, size = UINT32_MAX;
	for (btf_first(&type, btf); type.id; btf_next(&type, btf)) {
		if (type.kind == BTF_INT && type.size_or_type < size) {
			id = type.id;
			size = type.size_or_type;
		}
	}
	return id;
}

/* One type as the oldest kernels with DATASEC know it; at: its header in the copy. They want no name on a modifier, and
 * only an identifier on a struct. */
static void put_plain(unsigned char *at, const struct btf_type *type, uint32_t filler, bool swap)
{
	switch (type->kind) {
	case BTF_FLOAT:
		put_u32(at, 0, swap);
		put_type(at, BTF_STRUCT, 0, swap);
		break;
	case BTF_TYPE_TAG:
		put_u32(at, 0, swap);
		put_type(at, BTF_CONST, 0, swap);
		break;
	case BTF_DECL_TAG: /* the one old kind of that extent that nothing need refer to; its last word: 8 bits at 0 */
		put_u32(at, 0, swap);
		put_type(at, BTF_INT, 0, swap);
		put_u32(at + 8, 1, swap);
		put_u32(at + 12, 8, swap);
		break;
	case BTF_FUNC: /* 5.6: linkage in vlen */
		put_type(at, BTF_FUNC, 0, swap);
		break;
	case BTF_ENUM: /* 6.0: signedness in the kind flag */
		put_type(at, BTF_ENUM, type->vlen, swap);
		break;
	case BTF_ENUM64:
		if (!filler)
			break;
		put_type(at, BTF_UNION, type->vlen, swap);
		for (uint32_t i = 0; i < type->vlen; i++) {
			put_u32(at + 12 + i * 12 + 4, filler, swap);
			put_u32(at + 12 + i * 12 + 8, 0, swap);
		}
		break;
	default:
		break;
	}
}

int object_btf_copy(const struct object *object, void *buffer, size_t size, bool plain)
{
	const struct btf *btf = &object->btf;
	bool swap = object->btf_bytes.swap;
	if (object->btf_bytes.size > size)
		return -E2BIG;
	if (!object->btf_bytes.size)
		return 0;
	memcpy(buffer, object->btf_bytes.data, object->btf_bytes.size);
	unsigned char *types = (unsigned char *)buffer + (btf->types.data - object->btf_bytes.data);
	for (int i = 0; i < object->fixes_count; i++)
		put_u32(types + object->fixes[i].offset, object->fixes[i].value, swap);
	if (plain) {
		struct btf_type type;
		uint32_t filler = smallest_int(btf);
		for (btf_first(&type, btf); type.id; btf_next(&type, btf))
			put_plain(types + type.offset, &type, filler, swap);
	}
	return (int)object->btf_bytes.size;
}
