/* SPDX-License-Identifier: GPL-2.0-only */
#include "elf.h"

#include <errno.h>
#include <string.h>

#include "err.h"

/* elf(5): sizes of the records, and offsets of their fields. */
enum { FILE_HEADER = 64, SECTION_HEADER = 64, SYMBOL = 24, REL = 16 };
enum { EI_CLASS = 4, EI_DATA = 5, EI_VERSION = 6, CLASS_64 = 2, DATA_LITTLE = 1, DATA_BIG = 2 };
enum { E_TYPE = 16, E_MACHINE = 18, E_SHOFF = 40, E_SHENTSIZE = 58, E_SHNUM = 60, E_SHSTRNDX = 62 };
enum { SH_NAME = 0, SH_TYPE = 4, SH_FLAGS = 8, SH_OFFSET = 24, SH_SIZE = 32, SH_LINK = 40, SH_INFO = 44, SH_ENTSIZE = 56 };
enum { ST_NAME = 0, ST_INFO = 4, ST_SHNDX = 6, ST_VALUE = 8, ST_SIZE = 16 };
enum { SHT_NULL = 0, ET_REL = 1, EM_BPF = 247 };

/* Fields of a record that is known to be whole: outside would read as 0. */
static uint16_t u16(struct span span, uint64_t offset)
{
	uint16_t value = 0;
	span_u16(&value, span, offset);
	return value;
}

static uint64_t u64(struct span span, uint64_t offset)
{
	uint64_t value = 0;
	span_u64(&value, span, offset);
	return value;
}

/* Who it is for; sets the byte order. */
static int check_ident(struct span *file, struct err *err)
{
	static const unsigned char magic[] = {0x7f, 'E', 'L', 'F'};
	if (memcmp(file->data, magic, sizeof(magic)))
		return err_set(err, -ENOEXEC, "not an ELF file");
	if (file->data[EI_CLASS] != CLASS_64)
		return err_set(err, -ENOEXEC, "ELF class %u, not 64-bit (2)", file->data[EI_CLASS]);
	if (file->data[EI_DATA] != DATA_LITTLE && file->data[EI_DATA] != DATA_BIG)
		return err_set(err, -ENOEXEC, "ELF byte order %u, not little (1) or big (2)", file->data[EI_DATA]);
	if (file->data[EI_VERSION] != 1)
		return err_set(err, -ENOEXEC, "ELF version %u, not 1", file->data[EI_VERSION]);
	file->swap = (file->data[EI_DATA] == DATA_BIG) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (u16(*file, E_MACHINE) != EM_BPF)
		return err_set(err, -ENOEXEC, "ELF for machine %u, not BPF (247)", u16(*file, E_MACHINE));
	if (u16(*file, E_TYPE) != ET_REL)
		return err_set(err, -ENOEXEC, "ELF type %u, not a relocatable object (1)", u16(*file, E_TYPE));
	return 0;
}

static int check_entries(const struct elf_section *section, uint64_t entry, uint32_t expected, struct err *err)
{
	if (entry == expected && section->size % expected == 0)
		return 0;
	return err_set(err, -EINVAL, "section %u: %llu bytes in entries of %llu, not of %u", section->index,
		       (unsigned long long)section->size, (unsigned long long)entry, expected);
}

/* All of it but the name, whose table is found by this too. */
static int read_section(struct elf_section *section, const struct elf *elf, uint32_t index, struct err *err)
{
	struct span header;
	if (index >= elf->sections_count ||
	    !span_part(&header, elf->headers, (uint64_t)index * SECTION_HEADER, SECTION_HEADER))
		return err_set(err, -EINVAL, "section %u of only %u", index, elf->sections_count);
	*section = (struct elf_section){
		.name = "",
		.index = index,
		.type = span_get_u32(header, SH_TYPE),
		.link = span_get_u32(header, SH_LINK),
		.info = span_get_u32(header, SH_INFO),
		.flags = u64(header, SH_FLAGS),
		.size = u64(header, SH_SIZE),
		.data = {.swap = elf->file.swap},
	};
	if (section->type == SHT_NULL || section->type == ELF_SHT_NOBITS)
		return 0;
	uint64_t offset = u64(header, SH_OFFSET);
	if (!span_part(&section->data, elf->file, offset, section->size))
		return err_set(err, -EINVAL, "section %u: %llu bytes at %llu lie outside the file of %u bytes", index,
			       (unsigned long long)section->size, (unsigned long long)offset, elf->file.size);
	if (section->type == ELF_SHT_SYMTAB)
		return check_entries(section, u64(header, SH_ENTSIZE), SYMBOL, err);
	if (section->type == ELF_SHT_REL)
		return check_entries(section, u64(header, SH_ENTSIZE), REL, err);
	return 0;
}

/* A string table; the NUL at its end makes every text in it end. */
static int read_strings(struct span *strings, const struct elf *elf, uint32_t index, struct err *err)
{
	struct elf_section section;
	int rc = read_section(&section, elf, index, err);
	if (rc)
		return rc;
	if (section.type != ELF_SHT_STRTAB || !section.size || section.data.data[section.size - 1])
		return err_set(err, -EINVAL, "section %u (type %u) is no NUL-ended string table", index, section.type);
	*strings = section.data;
	return 0;
}

static int read_symbols(struct elf *elf, struct err *err)
{
	struct elf_section section;
	for (uint32_t i = 1; i < elf->sections_count; i++) {
		int rc = read_section(&section, elf, i, err);
		if (rc)
			return rc;
		if (section.type != ELF_SHT_SYMTAB)
			continue;
		elf->symbols = section.data;
		elf->symbols_count = (uint32_t)(section.size / SYMBOL);
		return read_strings(&elf->strings, elf, section.link, err);
	}
	return err_set(err, -EINVAL, "no symbol table: a BPF object cannot be stripped of it");
}

int elf_init(struct elf *elf, const void *bytes, size_t size, struct err *err)
{
	if (size < FILE_HEADER || size > INT32_MAX)
		return err_set(err, -ENOEXEC, "no object file: %zu bytes are %s", size,
			       size < FILE_HEADER ? "less than an ELF header" : "more than 2 GiB");
	*elf = (struct elf){.file = {.data = bytes, .size = (uint32_t)size}};
	int rc = check_ident(&elf->file, err);
	if (rc)
		return rc;
	uint64_t offset = u64(elf->file, E_SHOFF);
	uint32_t count = u16(elf->file, E_SHNUM), entry = u16(elf->file, E_SHENTSIZE);
	if (!count)
		return err_set(err, -EINVAL, "no section headers");
	if (entry != SECTION_HEADER)
		return err_set(err, -EINVAL, "section headers of %u bytes, not of %u", entry, SECTION_HEADER);
	if (!span_part(&elf->headers, elf->file, offset, (uint64_t)count * SECTION_HEADER))
		return err_set(err, -EINVAL, "%u section headers at %llu lie outside the file of %u bytes", count,
			       (unsigned long long)offset, elf->file.size);
	elf->sections_count = count;
	rc = read_strings(&elf->names, elf, u16(elf->file, E_SHSTRNDX), err);
	return rc ? rc : read_symbols(elf, err);
}

int elf_section(struct elf_section *section, const struct elf *elf, uint32_t index, struct err *err)
{
	int rc = read_section(section, elf, index, err);
	if (rc)
		return rc;
	uint32_t name = span_get_u32(elf->headers, (uint64_t)index * SECTION_HEADER + SH_NAME);
	section->name = span_text(elf->names, name);
	if (!section->name)
		return err_set(err, -EINVAL, "section %u: name at %u lies outside its table of %u bytes", index, name,
			       elf->names.size);
	return 0;
}

int elf_symbol(struct elf_symbol *symbol, const struct elf *elf, uint32_t index, struct err *err)
{
	struct span record;
	if (!span_part(&record, elf->symbols, (uint64_t)index * SYMBOL, SYMBOL))
		return err_set(err, -EINVAL, "symbol %u of only %u", index, elf->symbols_count);
	uint32_t name = span_get_u32(record, ST_NAME);
	*symbol = (struct elf_symbol){
		.name = span_text(elf->strings, name),
		.type = record.data[ST_INFO] & 0xf,
		.section = u16(record, ST_SHNDX),
		.value = u64(record, ST_VALUE),
		.size = u64(record, ST_SIZE),
	};
	if (!symbol->name)
		return err_set(err, -EINVAL, "symbol %u: name at %u lies outside its table of %u bytes", index, name,
			       elf->strings.size);
	return 0;
}

uint32_t elf_rels_count(const struct elf_section *section)
{
	return (uint32_t)(section->data.size / REL);
}

int elf_rel(struct elf_rel *rel, const struct elf_section *section, uint32_t index, struct err *err)
{
	struct span record;
	if (!span_part(&record, section->data, (uint64_t)index * REL, REL))
		return err_set(err, -EINVAL, "section %s: relocation %u of only %u", section->name, index,
			       elf_rels_count(section));
	uint64_t info = u64(record, 8);
	*rel = (struct elf_rel){.offset = u64(record, 0), .type = (uint32_t)info, .symbol = (uint32_t)(info >> 32)};
	return 0;
}

int elf_find(struct elf_section *section, const struct elf *elf, const char *name, struct err *err)
{
	for (uint32_t i = 1; i < elf->sections_count; i++) {
		int rc = elf_section(section, elf, i, err);
		if (rc)
			return rc;
		if (!strcmp(section->name, name))
			return 0;
	}
	return -ENOENT;
}
