/* SPDX-License-Identifier: GPL-2.0-only */
#include "object.h"

#include <errno.h>
#include <string.h>

#include "err.h"
#include "object_parse.h"

/* linux/bpf.h, by number: this file knows no kernel header. */
enum { MAP_TYPE_ARRAY = 2, MAP_RDONLY_PROG = 1 << 7, OPCODE_LD_IMM64 = 0x18, OPCODE_CALL = 0x85, INSN = 8 };
/* A limit keeps the work linear in the size of any input; the kernel's limit for a name is 128 with its NUL. */
enum { NAME_MAX_LENGTH = 127, SHT_RELA = 4 };

int object_check_name(const char *name, const char *of, struct err *err)
{
	size_t length = strnlen(name, NAME_MAX_LENGTH + 1);
	if (length && length <= NAME_MAX_LENGTH)
		return 0;
	return err_set(err, -EINVAL, "the name of a %s is empty or longer than %u: '%.32s'", of, NAME_MAX_LENGTH, name);
}

/* --- programs --- */

static int check_function(const struct elf_symbol *symbol, const struct elf_section *section, struct span *insns,
			  struct err *err)
{
	if (section->type != ELF_SHT_PROGBITS || !(section->flags & ELF_SHF_EXECINSTR))
		return err_set(err, -EINVAL, "function %s lies in section %s, which holds no code", symbol->name,
			       section->name);
	if (!strcmp(section->name, ".text"))
		return err_set(err, -ENOTSUP, "function %s lies in .text: subprograms are not supported", symbol->name);
	if (!symbol->size || symbol->value % INSN || symbol->size % INSN ||
	    !span_part(insns, section->data, symbol->value, symbol->size))
		return err_set(err, -EINVAL,
			       "function %s: %llu bytes at %llu are no instructions of section %s (%llu bytes)",
			       symbol->name, (unsigned long long)symbol->size, (unsigned long long)symbol->value,
			       section->name, (unsigned long long)section->size);
	int rc = object_check_name(symbol->name, "function", err);
	return rc ? rc : object_check_name(section->name, "program's section", err);
}

static int add_prog(struct parse *p, const struct elf_symbol *symbol)
{
	struct object *object = p->object;
	struct elf_section section;
	struct span insns;
	int rc = elf_section(&section, &p->elf, symbol->section, p->err);
	if (!rc)
		rc = check_function(symbol, &section, &insns, p->err);
	if (rc)
		return rc;
	for (int i = 0; i < object->progs_count; i++) {
		const struct object_prog *other = &object->progs[i];
		if (p->prog_sections[i] == section.index && symbol->value < p->prog_starts[i] + other->insns.size &&
		    p->prog_starts[i] < symbol->value + symbol->size)
			return err_set(p->err, -EINVAL, "functions %s and %s overlap", other->name, symbol->name);
	}
	if (object->progs_count == OBJECT_PROGS_MAX)
		return err_set(p->err, -ENOTSUP, "program %s: more than %u programs", symbol->name, OBJECT_PROGS_MAX);
	p->prog_sections[object->progs_count] = section.index;
	p->prog_starts[object->progs_count] = symbol->value;
	object->progs[object->progs_count++] =
		(struct object_prog){.name = symbol->name, .section = section.name, .insns = insns};
	return 0;
}

static int read_symbols(struct parse *p)
{
	for (uint32_t i = 1; i < p->elf.symbols_count; i++) {
		struct elf_symbol symbol;
		int rc = elf_symbol(&symbol, &p->elf, i, p->err);
		if (rc)
			return rc;
		if (symbol.section == ELF_SHN_COMMON)
			return err_set(p->err, -ENOTSUP, "variable %s is a common symbol: compile with -fno-common",
				       symbol.name);
		if (symbol.type == ELF_STT_FUNC && symbol.section != ELF_SHN_UNDEF)
			rc = add_prog(p, &symbol);
		if (rc)
			return rc;
	}
	return 0;
}

/* A call within one section has no relocation; calls of helpers have 0 for their source register. */
static int check_calls(const struct parse *p)
{
	for (int i = 0; i < p->object->progs_count; i++) {
		const struct object_prog *prog = &p->object->progs[i];
		bool big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != prog->insns.swap;
		for (uint32_t at = 0; at < prog->insns.size; at += INSN) {
			unsigned source = big ? prog->insns.data[at + 1] & 0xf : prog->insns.data[at + 1] >> 4;
			if (prog->insns.data[at] == OPCODE_CALL && source)
				return err_set(p->err, -ENOTSUP,
					       "program %s calls a function at %u: subprograms are not supported",
					       prog->name, at / INSN);
		}
	}
	return 0;
}

/* --- maps --- */

int object_add_map(struct parse *p, const struct object_map *map, uint32_t section, uint32_t offset)
{
	int rc = object_check_name(map->name, "map", p->err);
	if (rc)
		return rc;
	if (object_map(p->object, map->name) >= 0)
		return err_set(p->err, -EINVAL, "map %s: defined twice", map->name);
	if (p->object->maps_count == OBJECT_MAPS_MAX)
		return err_set(p->err, -ENOTSUP, "map %s: more than %u maps", map->name, OBJECT_MAPS_MAX);
	p->map_sections[p->object->maps_count] = section;
	p->map_offsets[p->object->maps_count] = offset;
	p->object->maps[p->object->maps_count++] = *map;
	return 0;
}

/* --- sections: global data, and what must not be passed over --- */

static bool is_named(const char *name, const char *stem)
{
	size_t length = strlen(stem);
	return !strncmp(name, stem, length) && (!name[length] || name[length] == '.');
}

static bool is_data(const struct elf_section *section)
{
	if (!(section->flags & ELF_SHF_ALLOC) || section->flags & ELF_SHF_EXECINSTR)
		return false;
	if (section->type != ELF_SHT_PROGBITS && section->type != ELF_SHT_NOBITS)
		return false;
	return is_named(section->name, ".rodata") || is_named(section->name, ".data") || is_named(section->name, ".bss");
}

static int add_data(struct parse *p, const struct elf_section *section)
{
	bool frozen = is_named(section->name, ".rodata");
	if (section->size > OBJECT_DATA_MAX)
		return err_set(p->err, -ENOTSUP, "section %s: %llu bytes are more than %u", section->name,
			       (unsigned long long)section->size, OBJECT_DATA_MAX);
	struct object_map map = {
		.name = section->name,
		.type = MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = ((uint32_t)section->size + 7) & ~7u,
		.max_entries = 1,
		.flags = frozen ? MAP_RDONLY_PROG : 0,
		.is_data = true,
		.is_frozen = frozen,
		.data = section->data,
	};
	return object_add_map(p, &map, section->index, 0);
}

static bool has(const uint32_t *sections, int count, uint32_t index)
{
	for (int i = 0; i < count; i++) {
		if (sections[i] == index)
			return true;
	}
	return false;
}

static int read_sections(struct parse *p)
{
	for (uint32_t i = 1; i < p->elf.sections_count; i++) {
		struct elf_section section;
		int rc = elf_section(&section, &p->elf, i, p->err);
		if (rc)
			return rc;
		if (!section.size)
			continue;
		if (is_data(&section))
			rc = add_data(p, &section);
		else if (!strcmp(section.name, ".maps") && !has(p->map_sections, p->object->maps_count, i))
			rc = err_set(p->err, -ENOTSUP, "section .maps without BTF for it: compile with -g");
		else if (section.flags & ELF_SHF_EXECINSTR && !has(p->prog_sections, p->object->progs_count, i))
			rc = err_set(p->err, -EINVAL, "section %s holds code, but no function", section.name);
		else if (!strcmp(section.name, "license"))
			p->object->license = span_text(section.data, 0);
		if (!rc && !p->object->license)
			rc = err_set(p->err, -EINVAL, "section license does not end in NUL");
		if (rc)
			return rc;
	}
	return 0;
}

/* --- relocations --- */

/* What a sound ld_imm64 of the program points to. */
static int resolve(struct object_reloc *reloc, const struct parse *p, const struct elf_symbol *symbol, int64_t at)
{
	const struct object_prog *prog = &p->object->progs[reloc->prog];
	for (int i = 0; i < p->object->maps_count; i++) {
		const struct object_map *map = &p->object->maps[i];
		if (p->map_sections[i] != symbol->section || at < 0)
			continue;
		if (map->is_data ? at >= map->value_size : at != p->map_offsets[i])
			continue;
		reloc->kind = map->is_data ? OBJECT_RELOC_DATA : OBJECT_RELOC_MAP;
		reloc->map = (uint32_t)i;
		reloc->addend = map->is_data ? (uint32_t)at : 0;
		return 0;
	}
	if (symbol->section == ELF_SHN_UNDEF)
		return err_set(p->err, -ENOTSUP, "program %s uses extern %s", prog->name, symbol->name);
	struct elf_section section;
	int rc = elf_section(&section, &p->elf, symbol->section, p->err);
	return rc ? rc
		  : err_set(p->err, -EINVAL, "program %s uses '%s' at %lld of section %s: no map or data there", prog->name,
			    symbol->name, (long long)at, section.name);
}

static int add_reloc(struct parse *p, const struct elf_section *target, const struct elf_rel *rel)
{
	struct object *object = p->object;
	struct object_reloc reloc = {0};
	struct elf_symbol symbol;
	int rc = elf_symbol(&symbol, &p->elf, rel->symbol, p->err), i = 0;
	if (rc)
		return rc;
	while (i < object->progs_count && (p->prog_sections[i] != target->index || rel->offset < p->prog_starts[i] ||
					   rel->offset - p->prog_starts[i] >= object->progs[i].insns.size))
		i++;
	if (i == object->progs_count)
		return err_set(p->err, -EINVAL, "section %s: relocation at %llu is in no function", target->name,
			       (unsigned long long)rel->offset);
	const struct object_prog *prog = &object->progs[i];
	uint64_t at = rel->offset - p->prog_starts[i];
	struct span insn;
	if (rel->type == ELF_R_BPF_64_32)
		return err_set(p->err, -ENOTSUP,
			       "program %s calls function '%s' at instruction %llu: subprograms are not supported",
			       prog->name, symbol.name, (unsigned long long)at / INSN);
	if (rel->type != ELF_R_BPF_64_64)
		return err_set(p->err, -ENOTSUP, "program %s: relocation type %u for '%s'", prog->name, rel->type,
			       symbol.name);
	if (at % INSN || !span_part(&insn, prog->insns, at, 2 * INSN) || insn.data[0] != OPCODE_LD_IMM64 || insn.data[INSN])
		return err_set(p->err, -EINVAL, "program %s: relocation at byte %llu is on no 64-bit load", prog->name,
			       (unsigned long long)at);
	if (object->relocs_count == OBJECT_RELOCS_MAX)
		return err_set(p->err, -ENOTSUP, "program %s: more than %u relocations", prog->name, OBJECT_RELOCS_MAX);
	reloc.prog = (uint32_t)i;
	reloc.insn = (uint32_t)(at / INSN);
	/* a value that is no small number must not wrap around to one */
	int64_t value = symbol.value > UINT32_MAX ? -1 : (int64_t)symbol.value + (int32_t)span_get_u32(insn, 4);
	rc = resolve(&reloc, p, &symbol, value);
	if (!rc)
		object->relocs[object->relocs_count++] = reloc;
	return rc;
}

static int read_relocs(struct parse *p)
{
	for (uint32_t i = 1; i < p->elf.sections_count; i++) {
		struct elf_section section, target;
		struct elf_rel rel;
		int rc = elf_section(&section, &p->elf, i, p->err);
		if (rc)
			return rc;
		if ((section.type != ELF_SHT_REL && section.type != SHT_RELA) || !section.size)
			continue;
		rc = elf_section(&target, &p->elf, section.info, p->err);
		if (rc)
			return rc;
		bool in_code = has(p->prog_sections, p->object->progs_count, target.index);
		if (!in_code && !has(p->map_sections, p->object->maps_count, target.index))
			continue;
		if (!in_code || section.type == SHT_RELA)
			return err_set(p->err, -ENOTSUP, "section %s: relocations of %s are not supported", section.name,
				       in_code ? "this form" : "data");
		for (uint32_t j = 0; j < elf_rels_count(&section) && !rc; j++) {
			rc = elf_rel(&rel, &section, j, p->err);
			if (!rc)
				rc = add_reloc(p, &target, &rel);
		}
		if (rc)
			return rc;
	}
	return 0;
}

int object_map(const struct object *object, const char *name)
{
	for (int i = 0; i < object->maps_count; i++) {
		if (!strcmp(object->maps[i].name, name))
			return i;
	}
	return -ENOENT;
}

int object_prog(const struct object *object, const char *name)
{
	for (int i = 0; i < object->progs_count; i++) {
		if (!strcmp(object->progs[i].name, name))
			return i;
	}
	return -ENOENT;
}

int object_parse(struct object *object, const void *bytes, size_t size, struct err *err)
{
	struct parse p = {.object = object, .err = err};
	*object = (struct object){.license = ""};
	int rc = elf_init(&p.elf, bytes, size, err);
	if (!rc)
		rc = read_symbols(&p);
	if (!rc)
		rc = object_read_btf(&p);
	if (!rc)
		rc = read_sections(&p);
	if (!rc)
		rc = read_relocs(&p);
	if (!rc)
		rc = check_calls(&p);
	return rc ? rc : object_read_btf_ext(&p);
}
