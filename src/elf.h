/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF64 relocatable BPF objects: sections, symbols, relocations. Bytes in, views out; no system call, no allocation. */
#ifndef BPERF_ELF_H
#define BPERF_ELF_H

#include <stdint.h>

#include "span.h"

struct err;

/* elf(5), and llvm's lib/Target/BPF for the relocations. */
enum { ELF_SHT_PROGBITS = 1, ELF_SHT_SYMTAB = 2, ELF_SHT_STRTAB = 3, ELF_SHT_NOBITS = 8, ELF_SHT_REL = 9 };
enum { ELF_SHF_WRITE = 1, ELF_SHF_ALLOC = 2, ELF_SHF_EXECINSTR = 4 };
enum { ELF_R_BPF_64_64 = 1, ELF_R_BPF_64_ABS64 = 2, ELF_R_BPF_64_ABS32 = 3, ELF_R_BPF_64_NODYLD32 = 4, ELF_R_BPF_64_32 = 10 };
enum { ELF_STT_NOTYPE = 0, ELF_STT_OBJECT = 1, ELF_STT_FUNC = 2, ELF_STT_SECTION = 3 };
enum { ELF_SHN_UNDEF = 0, ELF_SHN_COMMON = 0xfff2 };

struct elf {
	struct span file, headers, names, symbols, strings; /* strings: of the symbol table */
	uint32_t sections_count, symbols_count;
};

struct elf_section {
	const char *name;
	uint32_t index, type, link, info;
	uint64_t flags, size; /* size: of NOBITS too, whose data is empty */
	struct span data;
};

struct elf_symbol {
	const char *name;
	uint8_t type;     /* ELF_STT_* */
	uint16_t section; /* index, or ELF_SHN_* */
	uint64_t value, size;
};

struct elf_rel {
	uint64_t offset;
	uint32_t type, symbol;
};

/* Views file as an object: ELF64, EM_BPF (247), ET_REL, the byte order of this CPU or the other (then spans swap). The
 * bytes must outlive the result. Returns 0, or -EINVAL/-ENOEXEC with a text that names what is wrong. */
int elf_init(struct elf *elf, const void *bytes, size_t size, struct err *err);

int elf_section(struct elf_section *section, const struct elf *elf, uint32_t index, struct err *err);
int elf_symbol(struct elf_symbol *symbol, const struct elf *elf, uint32_t index, struct err *err);
int elf_rel(struct elf_rel *rel, const struct elf_section *section, uint32_t index, struct err *err);
uint32_t elf_rels_count(const struct elf_section *section); /* of a REL section */

/* The section of that name; -ENOENT without a text if there is none. */
int elf_find(struct elf_section *section, const struct elf *elf, const char *name, struct err *err);

#endif
