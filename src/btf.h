/* SPDX-License-Identifier: GPL-2.0-only */
/* BTF: types by id and name, map definitions, and the copy that a kernel accepts. No system call, no allocation. */
#ifndef BTF_H
#define BTF_H

#include <stdint.h>

#include "span.h"

struct err;

/* linux/btf.h */
enum btf_kind {
	BTF_INT = 1, BTF_PTR, BTF_ARRAY, BTF_STRUCT, BTF_UNION, BTF_ENUM, BTF_FWD, BTF_TYPEDEF, BTF_VOLATILE, BTF_CONST,
	BTF_RESTRICT, BTF_FUNC, BTF_FUNC_PROTO, BTF_VAR, BTF_DATASEC, BTF_FLOAT, BTF_DECL_TAG, BTF_TYPE_TAG, BTF_ENUM64,
};

enum { BTF_MARKS = 64 };

struct btf {
	struct span types, strings;
	uint32_t types_count; /* ids are 1..types_count; 0 is void */
	uint32_t stride, marks[BTF_MARKS]; /* offsets of types 1, 1 + stride, ...: a search by id starts at the nearest */
};

/* One type: its header, and where its members (vlen of them) stand. */
struct btf_type {
	uint32_t id, kind, vlen, size_or_type; /* size_or_type as in struct btf_type's union */
	const char *name;                      /* "" if it has none */
	struct span extra;                     /* what follows the header: members, params, the int's word */
	uint32_t offset;                       /* of the header in btf.types */
};

/* Checks the header, and every type's kind, extent and name. -EINVAL with a text that names the type and what is wrong,
 * an unknown kind by its number. Linear in the size. */
int btf_init(struct btf *btf, struct span bytes, struct err *err);

/* for (btf_first(&t, b); t.id; btf_next(&t, b)); id is 0 past the end. */
void btf_first(struct btf_type *type, const struct btf *btf);
void btf_next(struct btf_type *type, const struct btf *btf);

/* A walk from the nearest mark. Returns 0 or -ENOENT (no text). */
int btf_by_id(struct btf_type *type, const struct btf *btf, uint32_t id);

/* The size in bytes of a type (typedefs and qualifiers followed, 32 levels at most); -EINVAL if it has none. */
int64_t btf_size(const struct btf *btf, uint32_t id);

#endif
