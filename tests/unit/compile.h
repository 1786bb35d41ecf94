/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF objects compiled at run time, by $CLANG and $LLVM_STRIP, and means to damage them. */
#ifndef COMPILE_H
#define COMPILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "btf.h"
#include "elf.h"

static char compile_dir[] = "/tmp/bperf-mini-test.XXXXXX";

struct file {
	unsigned char *bytes;
	size_t size;
};

static inline struct file read_file(const char *path)
{
	struct file file = {0};
	FILE *stream = fopen(path, "rb");
	if (!stream)
		return file;
	fseek(stream, 0, SEEK_END);
	file.size = (size_t)ftell(stream);
	rewind(stream);
	file.bytes = malloc(file.size + !file.size);
	if (fread(file.bytes, 1, file.size, stream) != file.size)
		file.size = 0;
	fclose(stream);
	return file;
}

static inline bool run(const char *command)
{
	int status = system(command);
	if (status)
		printf("# %d from: %s\n", status, command);
	return status == 0;
}

static inline const char *tool(const char *variable, const char *otherwise)
{
	const char *value = getenv(variable);
	return value && *value ? value : otherwise;
}

/* The object of a source file; no bytes if the compiler fails. */
static inline struct file compile(const char *source, const char *target, const char *options, bool strip)
{
	char command[1024], object[64];
	snprintf(object, sizeof(object), "%s/test.o", compile_dir);
	snprintf(command, sizeof(command), "%s --target=%s -O2 -ffreestanding -Ibpf -Iuapi %s -c -o %s %s", tool("CLANG", "clang"),
		 target, options, object, source);
	if (!run(command))
		return (struct file){0};
	snprintf(command, sizeof(command), "%s -g %s", tool("LLVM_STRIP", "llvm-strip"), object);
	if (strip && !run(command))
		return (struct file){0};
	return read_file(object);
}

static inline struct file compile_text(const char *text, const char *options, bool strip)
{
	static const char prelude[] = "#define SEC(name) __attribute__((section(name), used))\n"
				      "#define __uint(name, value) int(*name)[value]\n"
				      "#define __type(name, value) value *name\n"
				      "char LICENSE[] SEC(\"license\") = \"GPL\";\n";
	char source[64];
	snprintf(source, sizeof(source), "%s/test.c", compile_dir);
	FILE *stream = fopen(source, "w");
	if (!stream)
		return (struct file){0};
	fputs(prelude, stream);
	fputs(text, stream);
	fclose(stream);
	return compile(source, "bpfel", options, strip);
}

/* False, with a plan that skips all, where there is no compiler. Else compile_end() must follow. */
static inline bool compile_begin(void)
{
	char command[256];
	snprintf(command, sizeof(command), "%s --version >/dev/null 2>&1", tool("CLANG", "clang"));
	if (system(command) == 0 && mkdtemp(compile_dir))
		return true;
	printf("1..0 # SKIP no %s to compile BPF objects with\n", tool("CLANG", "clang"));
	return false;
}

static inline void compile_end(void)
{
	char command[64];
	snprintf(command, sizeof(command), "rm -r %s", compile_dir);
	run(command);
}

/* The section's header in the file's bytes, to be changed; the object is little-endian, as is every CPU the tests run on. */
static inline unsigned char *header(const struct file *file, const char *name)
{
	struct elf elf;
	struct elf_section section;
	if (elf_init(&elf, file->bytes, file->size, NULL) || elf_find(&section, &elf, name, NULL))
		return NULL;
	return (unsigned char *)(uintptr_t)elf.headers.data + section.index * 64;
}

static inline void put(unsigned char *at, uint64_t value, int size)
{
	for (int i = 0; i < size; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

/* Gives the section other bytes: they are appended to the file. */
static inline void replace(struct file *file, const char *name, const void *bytes, size_t size)
{
	file->bytes = realloc(file->bytes, file->size + size);
	memcpy(file->bytes + file->size, bytes, size);
	unsigned char *at = header(file, name);
	put(at + 24, file->size, 8);
	put(at + 32, size, 8);
	file->size += size;
}

/* BTF, word by word; its header takes the first six. */
static uint32_t words[1 << 20], words_count, ids;

static inline uint32_t type(uint32_t name, uint32_t kind, uint32_t vlen, uint32_t size_or_type)
{
	const uint32_t header[] = {name, kind << 24 | vlen, size_or_type};
	memcpy(words + words_count, header, sizeof(header));
	words_count += 3;
	return ++ids;
}

static inline void more(uint32_t a, uint32_t b, uint32_t c)
{
	words[words_count++] = a, words[words_count++] = b, words[words_count++] = c;
}

/* All of it into the section .BTF. The .BTF.ext, which belongs to the old types, loses its name. */
static inline void replace_btf(struct file *file, const char *strings, uint32_t strings_size)
{
	uint32_t size = (words_count - 6) * 4;
	const uint32_t start[] = {0x0001eb9f, 24, 0, size, size, strings_size};
	memcpy(words, start, sizeof(start));
	memcpy(words + words_count, strings, strings_size);
	replace(file, ".BTF", words, words_count * 4 + strings_size);
	put(header(file, ".BTF.ext"), 0, 4);
}

#endif
