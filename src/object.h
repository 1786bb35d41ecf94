/* SPDX-License-Identifier: GPL-2.0-only */
/* A BPF object file's bytes -> its spec: maps, programs, relocations, BTF. Deterministic: the same bytes give the same spec
 * on every machine. No system call, no allocation: names, instructions and data point into the bytes. */
#ifndef OBJECT_H
#define OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "btf.h"
#include "span.h"

struct err;

enum { OBJECT_MAPS_MAX = 24, OBJECT_PROGS_MAX = 8, OBJECT_RELOCS_MAX = 160, OBJECT_SECS_MAX = 8, OBJECT_VARS_MAX = 32 };

struct object_map {
	const char *name;          /* of the variable in .maps; ".rodata", ".data", ".bss" (or .rodata.x) for global data */
	uint32_t type, key_size, value_size, max_entries, flags; /* as bpf(2) BPF_MAP_CREATE takes them; 0 where not given */
	bool is_data, is_frozen;   /* is_data: an ARRAY of one value; is_frozen: read-only for the program and after loading */
	struct span data;          /* is_data: the initial bytes; shorter than value_size (empty for .bss): the rest is 0 */
};

struct object_prog {
	const char *name;          /* of the function: what the kernel shows, cut to 15 characters by the loader */
	const char *section;       /* "raw_tp/sched_switch": how to hang it on */
	struct span insns;         /* 8 bytes each, not relocated */
	uint32_t func_id;          /* its FUNC in the BTF, 0 if there is none */
	struct span line_info;     /* its own, records of line_info_rec bytes, or empty. The first is for its first
				    * instruction; all count from the section's start: subtract the first one's offset. */
	uint32_t line_info_rec;
};

enum object_reloc_kind { OBJECT_RELOC_MAP, OBJECT_RELOC_DATA }; /* pseudo map fd, or pseudo map value + addend */

struct object_reloc {
	uint32_t prog, insn;       /* index of program, index of its (16-byte) instruction */
	enum object_reloc_kind kind;
	uint32_t map;
	uint32_t addend;           /* OBJECT_RELOC_DATA: offset in the map's value */
};

/* What clang leaves 0 or unsorted in DATASECs (a type, an offset, a size), by the offset of its word in the .BTF types. */
struct object_fix {
	uint32_t offset, value;
};

struct object {
	struct object_map maps[OBJECT_MAPS_MAX];
	struct object_prog progs[OBJECT_PROGS_MAX];
	struct object_reloc relocs[OBJECT_RELOCS_MAX];
	struct object_fix fixes[OBJECT_SECS_MAX + OBJECT_VARS_MAX * 3];
	int maps_count, progs_count, relocs_count, fixes_count;
	const char *license;       /* of section "license", "" if there is none */
	struct span btf_bytes;     /* the .BTF section; empty if there is none (then there are no .maps either) */
	struct btf btf;
};

/* Returns 0, or -ENOEXEC (no BPF object), -EINVAL (broken), -ENOTSUP (sound, but more than this loader does: subprogram
 * calls, COMMON symbols, CO-RE relocations, too many of a thing) with a text that names section, symbol and number.
 * Relocations of sections that are not loaded (.BTF, .debug_*, .eh_frame) are passed over. */
int object_parse(struct object *object, const void *bytes, size_t size, struct err *err);

/* Index, or -ENOENT. */
int object_map(const struct object *object, const char *name);
int object_prog(const struct object *object, const char *name);

/* A copy of the object's BTF as a kernel accepts it: fixes applied; with `plain`, what is newer than 5.2 replaced by older
 * kinds of the same extent (FLOAT by a struct without members, TYPE_TAG by CONST, DECL_TAG by INT, ENUM64 by UNION; no
 * linkage of functions, no signed enums), for kernels that refused the first copy. Returns the length written (at most
 * size; 0 if the object has no BTF), or -E2BIG. Other-endian BTF stays as it is in its bytes. */
int object_btf_copy(const struct object *object, void *buffer, size_t size, bool plain);

#endif
