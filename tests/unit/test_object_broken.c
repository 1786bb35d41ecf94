/* SPDX-License-Identifier: GPL-2.0-only */
/* Damaged objects: whatever the bytes, an error with a text or a spec in range, and in no more than linear time. Field report V50: each
 * prefix, and each byte set to 00, 7f, 80 and ff, are here, for both byte orders; an empty file, 32 bits, types and machines other than a
 * relocatable for BPF, no symbol table, and offsets, sizes and names out of range are in test_elf.c; stripped of debugging, and without BTF, in
 * test_object.c; changes at random are made by fuzz_elf_object. No file can be given, so that /dev/zero or a folder cannot, either. */
#include "object.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "err.h"
#include "object_check.h"
#include "test.h"
#include "compile.h"

/* Every prefix, and each byte in turn set to each of these: a sound outcome, whatever it is. */
static void mutate(const char *source, const char *target)
{
	static const unsigned char values[] = {0x00, 0x7f, 0x80, 0xff};
	struct file file = compile(source, target, "-g -mcpu=v2", true);
	struct object o;
	struct err err;
	int rc, read = 0, refused = 0;
	const char *wrong = NULL;
	if (!OK(file.size, "%s for %s is compiled", source, target))
		return;
	for (size_t size = 0; size < file.size && !wrong; size++) {
		unsigned char *copy = malloc(size + !size);
		memcpy(copy, file.bytes, size);
		wrong = object_check(&o, copy, size, &rc, &err);
		if (!wrong && !rc)
			wrong = "a prefix is read";
		free(copy);
	}
	if (!OK(!wrong, "each of its %zu prefixes is refused", file.size))
		printf("# %s\n", wrong);
	wrong = NULL;
	for (size_t at = 0; at < file.size * sizeof(values) && !wrong; at++) {
		unsigned char was = file.bytes[at / sizeof(values)];
		file.bytes[at / sizeof(values)] = values[at % sizeof(values)];
		wrong = object_check(&o, file.bytes, file.size, &rc, &err);
		*(rc ? &refused : &read) += 1;
		if (wrong)
			printf("# byte %zu = %#x: %s\n", at / sizeof(values), values[at % sizeof(values)], wrong);
		file.bytes[at / sizeof(values)] = was;
	}
	OK(!wrong && read && refused, "each byte changed: %d read, %d refused", read, refused);
	free(file.bytes);
}

static void parse_seconds(const char *what, struct file *file, int code)
{
	struct object o;
	struct err err;
	int rc;
	clock_t begin = clock();
	EQ_TEXT(object_check(&o, file->bytes, file->size, &rc, &err) ? "wrong" : "", "", "%s, %zu bytes", what, file->size);
	double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
	OK(seconds < 2, "takes no more than 2 s of CPU time, checks and sanitizers included (%.3f)", seconds);
	EQ_INT(rc, code, "its code (%s)", err.text);
}

/* 1 MB of one kind of thing. */
static void cost(void)
{
	enum { MANY = 1 << 20 };
	unsigned char *bytes = calloc(1, MANY);
	struct file file = compile("tests/data/sample.bpf.c", "bpfel", "-g -mcpu=v2", true);
	for (size_t at = 0; at + 24 <= MANY; at += 24)
		memcpy(bytes + at, "\1\0\0\0\1\0\x9", 7);
	replace(&file, ".symtab", bytes, MANY / 24 * 24);
	parse_seconds("symbols", &file, -ENOTSUP);
	free(file.bytes);
	file = compile("tests/data/sample.bpf.c", "bpfel", "-g -mcpu=v2", true);
	memset(bytes, 'x', MANY);
	bytes[0] = bytes[MANY - 1] = '\0';
	replace(&file, ".strtab", bytes, MANY);
	parse_seconds("names", &file, -EINVAL);
	free(file.bytes);
	file = compile("tests/data/sample.bpf.c", "bpfel", "-g -mcpu=v2", true);
	memset(bytes, 0, MANY);
	for (size_t at = 0; at + 16 <= MANY; at += 16)
		bytes[at] = 0x20, bytes[at + 8] = 1, bytes[at + 12] = 11;
	replace(&file, ".relraw_tp/one", bytes, MANY);
	parse_seconds("relocations", &file, -ENOTSUP);
	free(file.bytes);
	/* .BTF.ext: 24 bytes for each section of one line */
	file = compile("tests/data/sample.bpf.c", "bpfel", "-g -mcpu=v2", true);
	memset(bytes, 0, MANY);
	memcpy(bytes, "\x9f\xeb\1\0\x18", 5);
	size_t length = 4 + (MANY - 28) / 24 * 24;
	put(bytes + 20, length, 4);
	bytes[24] = 16;
	for (size_t at = 28; at + 24 <= 24 + length; at += 24)
		put(bytes + at, 1, 4), put(bytes + at + 4, 1, 4);
	replace(&file, ".BTF.ext", bytes, 24 + length);
	parse_seconds("lines", &file, 0);
	free(file.bytes);
	free(bytes);
}

static uint32_t chain(uint32_t id)
{
	for (int i = 0; i < 30; i++)
		id = type(0, BTF_CONST, 0, id);
	return id;
}

/* 80000 types, and behind them 3 maps, each of 16 members, all of them at the end of 30 qualifiers. */
static void cost_of_maps(void)
{
	/* offsets:                      1    5      11   15 (type: 18) 23   31 */
	static const char strings[] = "\0int\0.maps\0key\0by_type\0by_size\0hidden";
	struct file file = compile("tests/data/sample.bpf.c", "bpfel", "-g -mcpu=v2", true);
	words_count = 6;
	uint32_t integer = type(1, BTF_INT, 0, 4), vars[3];
	words[words_count++] = 32;
	uint32_t array = type(0, BTF_ARRAY, 0, 0);
	more(integer, integer, 1);
	for (int i = 0; i < 80000; i++)
		type(0, BTF_CONST, 0, integer);
	uint32_t number = type(0, BTF_PTR, 0, array), key = type(0, BTF_PTR, 0, chain(integer));
	uint32_t map = type(0, BTF_STRUCT, 16, 128);
	for (int i = 0; i < 16; i++)
		more(i ? 11 : 18, i ? key : number, 0);
	map = chain(map);
	for (uint32_t i = 0; i < 3; i++) {
		vars[i] = type(15 + 8 * i, BTF_VAR, 0, map);
		words[words_count++] = 1;
	}
	type(5, BTF_DATASEC, 3, 0);
	for (int i = 0; i < 3; i++)
		more(vars[i], 0, 8);
	replace_btf(&file, strings, sizeof(strings));
	parse_seconds("maps behind many types", &file, 0);
	free(file.bytes);
}

int main(void)
{
	if (!compile_begin())
		return 0;
	mutate("tests/data/sample.bpf.c", "bpfel");
	mutate("tests/data/sample.bpf.c", "bpfeb");
	cost();
	cost_of_maps();
	compile_end();
	return test_done();
}
