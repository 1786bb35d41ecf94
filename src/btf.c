/* SPDX-License-Identifier: GPL-2.0-only */
#include "btf.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "err.h"

/* linux/btf.h: sizes of the records, and offsets of their fields. */
enum { MAGIC = 0xeb9f, VERSION = 1, HEADER = 24, TYPE_HEADER = 12 };
enum { HDR_LEN = 4, TYPE_OFF = 8, TYPE_LEN = 12, STR_OFF = 16, STR_LEN = 20 };
enum { LEVELS_MAX = 32, POINTER_SIZE = 8 };

/* What follows a type's header: so many bytes, and so many for each of its vlen members. */
static const struct {
	uint8_t fixed, each;
} extents[] = {
	[BTF_INT] = {4, 0},      [BTF_ARRAY] = {12, 0},     [BTF_STRUCT] = {0, 12}, [BTF_UNION] = {0, 12},
	[BTF_ENUM] = {0, 8},     [BTF_FUNC_PROTO] = {0, 8}, [BTF_VAR] = {4, 0},     [BTF_DATASEC] = {0, 12},
	[BTF_DECL_TAG] = {4, 0}, [BTF_ENUM64] = {0, 12},
};

static int check_type(struct btf_type *type, const struct btf *btf, uint32_t offset, uint32_t id, struct err *err)
{
	struct span header;
	if (!span_part(&header, btf->types, offset, TYPE_HEADER))
		return err_set(err, -EINVAL, "BTF type %u: its header at %u lies outside the types", id, offset);
	uint32_t name = span_get_u32(header, 0), info = span_get_u32(header, 4);
	*type = (struct btf_type){
		.id = id,
		.kind = info >> 24 & 0x1f,
		.vlen = info & 0xffff,
		.size_or_type = span_get_u32(header, 8),
		.name = span_text(btf->strings, name),
		.offset = offset,
	};
	if (type->kind < BTF_INT || type->kind > BTF_ENUM64)
		return err_set(err, -EINVAL, "BTF type %u: unknown kind %u", id, type->kind);
	if (!type->name)
		return err_set(err, -EINVAL, "BTF type %u: name at %u lies outside the strings", id, name);
	uint32_t size = extents[type->kind].fixed + extents[type->kind].each * type->vlen;
	if (!span_part(&type->extra, btf->types, (uint64_t)offset + TYPE_HEADER, size))
		return err_set(err, -EINVAL, "BTF type %u (%s): %u bytes of kind %u lie outside the types", id, type->name,
			       size, type->kind);
	return 0;
}

static int check_header(struct btf *btf, struct span bytes, struct err *err)
{
	uint16_t magic = 0;
	if (bytes.size < HEADER)
		return err_set(err, -EINVAL, "BTF of %u bytes is less than its header", bytes.size);
	span_u16(&magic, bytes, 0);
	if (magic != MAGIC)
		return err_set(err, -EINVAL, "BTF magic 0x%x, not 0x%x", magic, MAGIC);
	if (bytes.data[2] != VERSION)
		return err_set(err, -EINVAL, "BTF version %u, not %u", bytes.data[2], VERSION);
	uint32_t header = span_get_u32(bytes, HDR_LEN), at = span_get_u32(bytes, TYPE_OFF),
		 size = span_get_u32(bytes, TYPE_LEN);
	struct span body;
	if (header < HEADER || !span_part(&body, bytes, header, bytes.size < header ? 0 : bytes.size - header))
		return err_set(err, -EINVAL, "BTF header of %u bytes, in %u", header, bytes.size);
	if (!span_part(&btf->types, body, at, size) || at % 4)
		return err_set(err, -EINVAL, "BTF types: %u bytes at %u lie outside the %u, or askew", size, at, body.size);
	at = span_get_u32(bytes, STR_OFF);
	size = span_get_u32(bytes, STR_LEN);
	if (!span_part(&btf->strings, body, at, size))
		return err_set(err, -EINVAL, "BTF strings: %u bytes at %u lie outside the %u", size, at, body.size);
	if (!size || btf->strings.data[0] || btf->strings.data[size - 1])
		return err_set(err, -EINVAL, "BTF strings do not start and end with NUL");
	return 0;
}

int btf_init(struct btf *btf, struct span bytes, struct err *err)
{
	*btf = (struct btf){0};
	int rc = check_header(btf, bytes, err);
	if (rc)
		return rc;
	struct btf_type type;
	uint64_t offset = 0;
	while (offset < btf->types.size) {
		rc = check_type(&type, btf, (uint32_t)offset, btf->types_count + 1, err);
		if (rc)
			return rc;
		btf->types_count++;
		offset += TYPE_HEADER + type.extra.size;
	}
	btf->stride = btf->types_count / BTF_MARKS + 1;
	for (btf_first(&type, btf); type.id; btf_next(&type, btf)) {
		if ((type.id - 1) % btf->stride == 0)
			btf->marks[(type.id - 1) / btf->stride] = type.offset;
	}
	return 0;
}

/* The type of that id at offset; none, if it is past the last. */
static void take(struct btf_type *type, const struct btf *btf, uint32_t offset, uint32_t id)
{
	if (id > btf->types_count || check_type(type, btf, offset, id, NULL))
		*type = (struct btf_type){.name = ""};
}

void btf_first(struct btf_type *type, const struct btf *btf)
{
	take(type, btf, 0, 1);
}

void btf_next(struct btf_type *type, const struct btf *btf)
{
	take(type, btf, type->offset + TYPE_HEADER + type->extra.size, type->id + 1);
}

int btf_by_id(struct btf_type *type, const struct btf *btf, uint32_t id)
{
	if (!id || id > btf->types_count)
		return -ENOENT;
	uint32_t mark = (id - 1) / btf->stride;
	take(type, btf, btf->marks[mark], mark * btf->stride + 1);
	while (type->id && type->id != id)
		btf_next(type, btf);
	return type->id ? 0 : -ENOENT;
}

int64_t btf_size(const struct btf *btf, uint32_t id)
{
	uint64_t count = 1, size = 0;
	for (int level = 0; level < LEVELS_MAX; level++) {
		struct btf_type type;
		if (btf_by_id(&type, btf, id))
			return -EINVAL;
		switch (type.kind) {
		case BTF_INT:
		case BTF_STRUCT:
		case BTF_UNION:
		case BTF_ENUM:
		case BTF_DATASEC:
		case BTF_FLOAT:
		case BTF_ENUM64:
		case BTF_PTR:
			size = type.kind == BTF_PTR ? POINTER_SIZE : type.size_or_type;
			/* both factors are below 2^32 */
			return size * count > UINT32_MAX ? -EINVAL : (int64_t)(size * count);
		case BTF_ARRAY:
			count *= span_get_u32(type.extra, 8);
			if (count > UINT32_MAX)
				return -EINVAL;
			id = span_get_u32(type.extra, 0);
			break;
		case BTF_TYPEDEF:
		case BTF_VOLATILE:
		case BTF_CONST:
		case BTF_RESTRICT:
		case BTF_VAR:
		case BTF_TYPE_TAG:
			id = type.size_or_type;
			break;
		default:
			return -EINVAL;
		}
	}
	return -EINVAL;
}
