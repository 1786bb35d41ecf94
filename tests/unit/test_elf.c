/* SPDX-License-Identifier: GPL-2.0-only */
#include "elf.h"

#include <errno.h>
#include <stdlib.h>

#include "err.h"
#include "test.h"

/* An object written by hand: header, data, and 6 section headers (null, .strtab, .symtab, raw_tp/x, .relraw_tp/x, .bss). */
enum { STRTAB = 1, SYMTAB, CODE, RELS, BSS, SECTIONS };
enum { STRINGS_AT = 64, SYMBOLS_AT = 128, CODE_AT = 176, RELS_AT = 192, HEADERS_AT = 208, SIZE = HEADERS_AT + SECTIONS * 64 };
static const char strings[] = "\0.strtab\0.symtab\0.relraw_tp/x\0.bss\0f"; /* raw_tp/x is the end of .relraw_tp/x */

static unsigned char image[SIZE];
static bool big;

static void put(size_t at, uint64_t value, int size)
{
	for (int i = 0; i < size; i++)
		image[at + (size_t)i] = (unsigned char)(value >> 8 * (big ? size - 1 - i : i));
}

static void put_section(int index, uint32_t name, uint32_t type, uint64_t offset, uint64_t size, uint32_t link, uint32_t entry)
{
	size_t at = HEADERS_AT + (size_t)index * 64;
	put(at, name, 4);
	put(at + 4, type, 4);
	put(at + 8, index == CODE ? 6 : index == BSS ? 3 : 0, 8);
	put(at + 24, offset, 8);
	put(at + 32, size, 8);
	put(at + 40, link, 4);
	put(at + 44, index == RELS ? CODE : 0, 4);
	put(at + 56, entry, 8);
}

static void make(bool is_big)
{
	big = is_big;
	memset(image, 0, sizeof(image));
	memcpy(image, "\177ELF\2\1\1", 7);
	image[5] = big ? 2 : 1;
	put(16, 1, 2);
	put(18, 247, 2);
	put(20, 1, 4);
	put(40, HEADERS_AT, 8);
	put(52, 64, 2);
	put(58, 64, 2);
	put(60, SECTIONS, 2);
	put(62, STRTAB, 2);
	memcpy(image + STRINGS_AT, strings, sizeof(strings));
	put_section(STRTAB, 1, ELF_SHT_STRTAB, STRINGS_AT, sizeof(strings), 0, 0);
	put_section(SYMTAB, 9, ELF_SHT_SYMTAB, SYMBOLS_AT, 48, STRTAB, 24);
	put_section(CODE, 21, ELF_SHT_PROGBITS, CODE_AT, 16, 0, 0);
	put_section(RELS, 17, ELF_SHT_REL, RELS_AT, 16, SYMTAB, 16);
	put_section(BSS, 30, ELF_SHT_NOBITS, UINT64_MAX, 1ull << 40, 0, 0);
	put(SYMBOLS_AT + 24, 35, 4);
	image[SYMBOLS_AT + 28] = 0x10 | ELF_STT_FUNC;
	put(SYMBOLS_AT + 30, CODE, 2);
	put(SYMBOLS_AT + 32, 8, 8);
	put(SYMBOLS_AT + 40, 16, 8);
	put(RELS_AT, 8, 8);
	put(RELS_AT + 8, 1ull << 32 | ELF_R_BPF_64_64, 8);
}

static void sound(bool is_big)
{
	const char *order = is_big ? "big" : "little";
	struct err err = {0};
	struct elf elf;
	struct elf_section section;
	struct elf_symbol symbol;
	struct elf_rel rel;
	make(is_big);
	EQ_INT(elf_init(&elf, image, sizeof(image), &err), 0, "%s-endian object", order);
	EQ_TEXT(err.text, "", "no text");
	EQ_U64(elf.sections_count, SECTIONS, "sections");
	EQ_U64(elf.symbols_count, 2, "symbols");
	EQ_INT(elf_section(&section, &elf, CODE, &err), 0, "code section");
	EQ_TEXT(section.name, "raw_tp/x", "its name");
	OK(section.index == CODE && section.type == ELF_SHT_PROGBITS && section.flags == 6 && section.size == 16, "its header");
	OK(section.data.data == image + CODE_AT && section.data.size == 16, "its data");
	EQ_INT(elf_section(&section, &elf, BSS, &err), 0, "a section without bytes in the file may say any place");
	OK(section.size == 1ull << 40 && !section.data.size, "its size is not that of its data");
	EQ_INT(elf_section(&section, &elf, 0, &err), 0, "section 0");
	OK(!section.data.size && !section.name[0], "is empty");
	EQ_INT(elf_section(&section, &elf, SECTIONS, &err), -EINVAL, "section too far");
	EQ_TEXT(err.text, "section 6 of only 6", "its text");
	EQ_INT(elf_symbol(&symbol, &elf, 1, &err), 0, "symbol");
	EQ_TEXT(symbol.name, "f", "its name");
	OK(symbol.type == ELF_STT_FUNC && symbol.section == CODE && symbol.value == 8 && symbol.size == 16, "its rest");
	EQ_INT(elf_symbol(&symbol, &elf, 2, &err), -EINVAL, "symbol too far");
	EQ_INT(elf_symbol(&symbol, &elf, UINT32_MAX, NULL), -EINVAL, "symbol much too far, and no err");
	EQ_INT(elf_find(&section, &elf, ".relraw_tp/x", &err), 0, "section by name");
	OK(section.index == RELS && section.info == CODE && section.link == SYMTAB, "it is the one");
	EQ_U64(elf_rels_count(&section), 1, "relocations");
	EQ_INT(elf_rel(&rel, &section, 0, &err), 0, "relocation");
	OK(rel.offset == 8 && rel.type == ELF_R_BPF_64_64 && rel.symbol == 1, "its fields");
	EQ_INT(elf_rel(&rel, &section, 1, &err), -EINVAL, "relocation too far");
	err.text[0] = '\0';
	EQ_INT(elf_find(&section, &elf, "raw_tp", &err), -ENOENT, "no section of that name");
	EQ_TEXT(err.text, "", "is no error with a text");
}

/* One field of a sound object changed: the code, and a part of the text. */
static void broken(bool is_big)
{
	static const struct {
		size_t at;
		uint64_t value;
		int size, code;
		const char *text;
	} cases[] = {
		{0, 0x7e, 1, -ENOEXEC, "not an ELF file"},
		{4, 1, 1, -ENOEXEC, "class 1"},
		{5, 0, 1, -ENOEXEC, "byte order 0"},
		{5, 3, 1, -ENOEXEC, "byte order 3"},
		{6, 0, 1, -ENOEXEC, "version 0"},
		{16, 2, 2, -ENOEXEC, "type 2, not a relocatable"},
		{16, 3, 2, -ENOEXEC, "type 3, not a relocatable"},
		{18, 62, 2, -ENOEXEC, "machine 62, not BPF"},
		{18, 0, 2, -ENOEXEC, "machine 0, not BPF"},
		{40, SIZE, 8, -EINVAL, "section headers at"},
		{40, UINT64_MAX, 8, -EINVAL, "section headers at"},
		{40, UINT64_MAX - 63, 8, -EINVAL, "section headers at"},
		{58, 40, 2, -EINVAL, "section headers of 40 bytes"},
		{60, 0, 2, -EINVAL, "no section headers"},
		{60, SECTIONS + 1, 2, -EINVAL, "7 section headers"},
		{62, 0xffff, 2, -EINVAL, "section 65535 of only 6"},
		{62, CODE, 2, -EINVAL, "no NUL-ended string table"},
		{62, 0, 2, -EINVAL, "no NUL-ended string table"},
		{HEADERS_AT + STRTAB * 64 + 32, 0, 8, -EINVAL, "no NUL-ended string table"},
		{HEADERS_AT + STRTAB * 64 + 32, sizeof(strings) - 1, 8, -EINVAL, "no NUL-ended string table"},
		{HEADERS_AT + STRTAB * 64 + 24, UINT64_MAX, 8, -EINVAL, "lie outside the file"},
		{HEADERS_AT + CODE * 64 + 32, SIZE, 8, -EINVAL, "section 3: 592 bytes at 176 lie outside"},
		{HEADERS_AT + SYMTAB * 64 + 4, 0, 4, -EINVAL, "no symbol table"},
		{HEADERS_AT + SYMTAB * 64 + 32, 47, 8, -EINVAL, "47 bytes in entries of 24"},
		{HEADERS_AT + SYMTAB * 64 + 56, 0, 8, -EINVAL, "in entries of 0, not of 24"},
		{HEADERS_AT + SYMTAB * 64 + 40, CODE, 4, -EINVAL, "no NUL-ended string table"},
		{HEADERS_AT + SYMTAB * 64 + 40, UINT32_MAX, 4, -EINVAL, "section 4294967295"},
		{HEADERS_AT + CODE * 64, sizeof(strings), 4, -EINVAL, "section 3: name at 37 lies outside"},
		{HEADERS_AT + RELS * 64 + 56, 24, 8, -EINVAL, "in entries of 24, not of 16"},
		{SYMBOLS_AT + 24, UINT32_MAX, 4, -EINVAL, "symbol 1: name at 4294967295"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		struct elf elf;
		struct elf_section section;
		struct elf_symbol symbol;
		make(is_big);
		put(cases[i].at, cases[i].value, cases[i].size);
		int rc = elf_init(&elf, image, sizeof(image), &err);
		for (uint32_t j = 0; j < SECTIONS && !rc; j++)
			rc = elf_section(&section, &elf, j, &err);
		for (uint32_t j = 0; j < 2 && !rc; j++)
			rc = elf_symbol(&symbol, &elf, j, &err);
		EQ_INT(rc, cases[i].code, "byte %zu = %" PRIu64, cases[i].at, cases[i].value);
		if (!OK(strstr(err.text, cases[i].text), "says '%s'", cases[i].text))
			printf("# %s\n", err.text);
	}
}

/* The headers stand at the end, so every prefix lacks some; each in its own block, for the sanitizer to see its end. */
static void prefixes(void)
{
	int wrong = 0;
	make(false);
	for (size_t size = 0; size < sizeof(image); size++) {
		struct err err = {0};
		struct elf elf;
		unsigned char *copy = malloc(size + !size);
		memcpy(copy, image, size);
		int rc = elf_init(&elf, copy, size, &err);
		wrong += (rc != -EINVAL && rc != -ENOEXEC) || !err.text[0];
		free(copy);
	}
	EQ_INT(wrong, 0, "every prefix is refused with a text");
	struct elf elf;
	EQ_INT(elf_init(&elf, NULL, 0, NULL), -ENOEXEC, "an empty file");
}

int main(void)
{
	for (int order = 0; order < 2; order++) {
		sound(order);
		broken(order);
	}
	prefixes();
	return test_done();
}
