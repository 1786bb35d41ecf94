/* SPDX-License-Identifier: GPL-2.0-only */
/* What object.c (symbols, sections, relocations) and object_btf.c (what comes from BTF) share; nobody else includes it. */
#ifndef OBJECT_PARSE_H
#define OBJECT_PARSE_H

#include "elf.h"
#include "object.h"

enum { OBJECT_DATA_MAX = 1 << 20 }; /* bytes of a section of variables: far more than a kernel object should hold */

/* The object while it is read, and where its parts lie in the file. */
struct parse {
	struct object *object;
	struct elf elf;
	struct err *err;
	uint32_t prog_sections[OBJECT_PROGS_MAX], map_sections[OBJECT_MAPS_MAX];
	uint64_t prog_starts[OBJECT_PROGS_MAX];
	uint32_t map_offsets[OBJECT_MAPS_MAX]; /* in .maps; 0 for data */
	int secs_count, vars_count;
};

/* A name that the kernel takes: not empty, and short, so that comparing names costs little. 0, or -EINVAL with a text. */
int object_check_name(const char *name, const char *of, struct err *err);

/* Enters a map that lies in that section, at that offset. */
int object_add_map(struct parse *p, const struct object_map *map, uint32_t section, uint32_t offset);

/* .BTF: the types, the programs' func_ids, the fixes, and the maps of .maps. None: nothing. */
int object_read_btf(struct parse *p);

/* .BTF.ext: the programs' line info; refuses CO-RE relocations. None: nothing. */
int object_read_btf_ext(struct parse *p);

#endif
