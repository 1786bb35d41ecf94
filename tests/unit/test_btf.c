/* SPDX-License-Identifier: GPL-2.0-only */
#include "btf.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "err.h"
#include "test.h"

/* BTF written word by word, in either byte order. */
static unsigned char *image;
static size_t image_size, image_room;
static bool swap;

static void word(uint32_t value)
{
	if (image_size + 4 > image_room)
		image = realloc(image, image_room = image_room * 2 + 4096);
	value = swap ? __builtin_bswap32(value) : value;
	memcpy(image + image_size, &value, 4);
	image_size += 4;
}

static void set(size_t at, uint32_t value)
{
	value = swap ? __builtin_bswap32(value) : value;
	memcpy(image + at, &value, 4);
}

/* Header, then types until finish(). */
static void start(bool is_swapped)
{
	swap = is_swapped;
	image_size = 0;
	word(swap && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 0xeb9f0100 : 0x0001eb9f);
	word(24);
	for (int i = 0; i < 4; i++)
		word(0);
	uint16_t magic = swap ? __builtin_bswap16(0xeb9f) : 0xeb9f;
	memcpy(image, &magic, 2);
	image[2] = 1;
	image[3] = 0;
}

static void type(uint32_t name, uint32_t kind, uint32_t vlen, uint32_t size_or_type)
{
	word(name);
	word(kind << 24 | vlen);
	word(size_or_type);
}

static const char names[] = "\0int\0a\0long name";

/* Strings, copied to a block of exactly the size, for the sanitizer to see its end. */
static struct span finish(const char *strings, size_t size)
{
	set(12, (uint32_t)image_size - 24);
	set(16, (uint32_t)image_size - 24);
	set(20, (uint32_t)size);
	unsigned char *bytes = malloc(image_size + size);
	memcpy(bytes, image, image_size);
	memcpy(bytes + image_size, strings, size);
	return (struct span){.data = bytes, .size = (uint32_t)(image_size + size), .swap = swap};
}

static void drop(struct span span)
{
	free((void *)(uintptr_t)span.data);
}

enum { INT = 1, PTR, ARRAY, STRUCT, TYPEDEF, PROTO, FUNC, VAR, SEC, ENUM, FWD, ENUM64, TWO, LOOP, FLOAT, TAG, DECL, HUGE, LAST = HUGE };

static void all_kinds(void)
{
	type(1, BTF_INT, 0, 4), word(32);
	type(0, BTF_PTR, 0, STRUCT);
	type(0, BTF_ARRAY, 0, 0), word(TYPEDEF), word(INT), word(3);
	type(5, BTF_STRUCT, 2, 12), word(5), word(INT), word(0), word(7), word(PTR), word(32);
	type(7, BTF_TYPEDEF, 0, STRUCT);
	type(0, BTF_FUNC_PROTO, 2, INT), word(5), word(INT), word(0), word(0);
	type(7, BTF_FUNC, 1, PROTO);
	type(5, BTF_VAR, 0, ARRAY), word(1);
	type(7, BTF_DATASEC, 1, 36), word(VAR), word(0), word(36);
	type(0, BTF_ENUM, 1, 4), word(5), word(9);
	type(5, BTF_FWD, 0, 0);
	type(0, BTF_ENUM64, 2, 8), word(5), word(1), word(2), word(7), word(3), word(4);
	type(0, BTF_ARRAY, 0, 0), word(ARRAY), word(INT), word(2);
	type(5, BTF_CONST, 0, LOOP);
	type(1, BTF_FLOAT, 0, 8);
	type(5, BTF_TYPE_TAG, 0, INT);
	type(7, BTF_DECL_TAG, 0, STRUCT), word(UINT32_MAX);
	type(0, BTF_ARRAY, 0, 0), word(TWO), word(INT), word(UINT32_MAX);
}

static void sound(bool is_swapped)
{
	static const int64_t sizes[] = {[0] = -EINVAL, [INT] = 4, [PTR] = 8, [ARRAY] = 36, [STRUCT] = 12, [TYPEDEF] = 12,
		[PROTO] = -EINVAL, [FUNC] = -EINVAL, [VAR] = 36, [SEC] = 36, [ENUM] = 4, [FWD] = -EINVAL, [ENUM64] = 8, [TWO] = 72,
		[LOOP] = -EINVAL, [FLOAT] = 8, [TAG] = 4, [DECL] = -EINVAL, [HUGE] = -EINVAL, [LAST + 1] = -EINVAL};
	struct err err = {0};
	struct btf btf;
	struct btf_type t;
	start(is_swapped);
	all_kinds();
	struct span bytes = finish(names, sizeof(names));
	EQ_INT(btf_init(&btf, bytes, &err), 0, "every kind%s", is_swapped ? ", of the other byte order" : "");
	EQ_TEXT(err.text, "", "no text");
	EQ_U64(btf.types_count, LAST, "number of types");
	uint32_t count = 0;
	bool in_order = true;
	for (btf_first(&t, &btf); t.id; btf_next(&t, &btf))
		in_order = in_order && t.id == ++count;
	OK(in_order && count == LAST, "walked in order");
	EQ_INT(btf_by_id(&t, &btf, STRUCT), 0, "by id");
	OK(t.id == STRUCT && t.kind == BTF_STRUCT && t.vlen == 2 && t.size_or_type == 12 && t.extra.size == 24, "the struct");
	EQ_TEXT(t.name, "a", "its name");
	EQ_U64(span_get_u32(t.extra, 16), PTR, "its second member's type");
	OK(span_get_u32(btf.types, t.offset + 8) == 12, "its offset");
	EQ_INT(btf_by_id(&t, &btf, 0), -ENOENT, "id 0 is void");
	EQ_INT(btf_by_id(&t, &btf, LAST + 1), -ENOENT, "id too far");
	EQ_INT(btf_by_id(&t, &btf, UINT32_MAX), -ENOENT, "id much too far");
	for (uint32_t id = 0; id < sizeof(sizes) / sizeof(sizes[0]); id++)
		EQ_INT(btf_size(&btf, id), sizes[id], "size of type %u", id);
	drop(bytes);
	start(is_swapped);
	bytes = finish("", 1);
	EQ_INT(btf_init(&btf, bytes, &err), 0, "no types");
	btf_first(&t, &btf);
	OK(!t.id && btf_by_id(&t, &btf, 1) == -ENOENT, "then none is found");
	drop(bytes);
}

/* One word of the header changed. */
static void broken_header(void)
{
	static const struct {
		size_t at;
		uint32_t value;
		const char *text;
	} cases[] = {
		{0, 0x0001eb9e, "magic 0xeb9e"},
		{0, 0x0002eb9f, "version 2"},
		{4, 23, "header of 23 bytes"},
		{4, UINT32_MAX, "header of 4294967295 bytes"},
		{8, 2, "askew"},
		{8, 4, "BTF type 1"},
		{8, UINT32_MAX - 3, "BTF types: 348 bytes at 4294967292"},
		{12, 1 << 20, "BTF types: 1048576 bytes at 0 lie outside"},
		{12, UINT32_MAX, "BTF types: 4294967295"},
		{12, 20, "BTF type 2: its header at 16"},
		{12, 29, "BTF type 3: its header at 28"},
		{16, UINT32_MAX, "BTF strings"},
		{20, 0, "start and end with NUL"},
		{20, 16, "start and end with NUL"},
		{20, 18, "BTF strings: 18 bytes"},
		{20, 5, "BTF type 4: name at 5 lies outside"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		struct btf btf;
		start(false);
		all_kinds();
		struct span bytes = finish(names, sizeof(names));
		memcpy((void *)(uintptr_t)(bytes.data + cases[i].at), &cases[i].value, 4);
		EQ_INT(btf_init(&btf, bytes, &err), -EINVAL, "header word %zu = %u", cases[i].at, cases[i].value);
		if (!OK(strstr(err.text, cases[i].text), "says '%s'", cases[i].text))
			printf("# %s\n", err.text);
		drop(bytes);
	}
}

static void broken_types(void)
{
	static const struct {
		uint32_t name, info, last;
		const char *text;
	} cases[] = {
		{1, 0, 0, "BTF type 2: unknown kind 0"},
		{1, 20u << 24, 0, "BTF type 2: unknown kind 20"},
		{1, 31u << 24, 0, "BTF type 2: unknown kind 31"},
		{17, 2u << 24, 0, "BTF type 2: name at 17"},
		{UINT32_MAX, 2u << 24, 0, "BTF type 2: name at 4294967295"},
		{1, 1u << 24, 0, "BTF type 2 (int): 4 bytes of kind 1"},
		{5, 4u << 24 | 0xffff, 0, "BTF type 2 (a): 786420 bytes of kind 4"},
		{5, 15u << 24 | 1, 0, "BTF type 2 (a): 12 bytes of kind 15"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int order = 0; order < 2; order++) {
			struct err err = {0};
			struct btf btf;
			start(order);
			type(1, BTF_INT, 0, 4), word(32);
			word(cases[i].name), word(cases[i].info), word(cases[i].last);
			struct span bytes = finish(names, sizeof(names));
			EQ_INT(btf_init(&btf, bytes, &err), -EINVAL, "type with info %#x", cases[i].info);
			if (!OK(strstr(err.text, cases[i].text), "says '%s'", cases[i].text))
				printf("# %s\n", err.text);
			drop(bytes);
		}
	}
}

static void prefixes(void)
{
	int wrong = 0;
	start(false);
	all_kinds();
	struct span bytes = finish(names, sizeof(names));
	for (uint32_t size = 0; size < bytes.size; size++) {
		struct err err = {0};
		struct btf btf;
		unsigned char *copy = malloc(size + !size);
		memcpy(copy, bytes.data, size);
		wrong += btf_init(&btf, (struct span){.data = copy, .size = size}, &err) != -EINVAL || !err.text[0];
		free(copy);
	}
	EQ_INT(wrong, 0, "every prefix is refused with a text");
	drop(bytes);
}

/* Every id is found, whatever the number of types: the marks' strides change at multiples of their number. */
static void marks(void)
{
	static const uint32_t counts[] = {1, 2, 63, 64, 65, 127, 128, 129, 1000};
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct btf btf;
		struct btf_type t;
		bool found = true;
		start(false);
		for (uint32_t id = 1; id <= counts[i]; id++)
			type(1, id % 3 ? BTF_PTR : BTF_INT, 0, id), id % 3 ? (void)0 : word(32);
		struct span bytes = finish(names, sizeof(names));
		OK(!btf_init(&btf, bytes, NULL) && btf.types_count == counts[i], "%u types", counts[i]);
		for (uint32_t id = 1; id <= counts[i]; id++)
			found = found && !btf_by_id(&t, &btf, id) && t.id == id && t.size_or_type == id;
		OK(found, "each is found by its id");
		drop(bytes);
	}
}

/* 4 MB of types and 4 MB of one long name for all: no search of one for each of the other. */
static void cost(void)
{
	const size_t strings_size = 4 << 20;
	char *strings = malloc(strings_size);
	memset(strings, 'x', strings_size);
	strings[0] = strings[strings_size - 1] = '\0';
	start(false);
	for (uint32_t i = 0; i < 350000; i++)
		type(1, BTF_TYPEDEF, 0, i);
	struct span bytes = finish(strings, strings_size);
	struct btf btf;
	clock_t begin = clock();
	EQ_INT(btf_init(&btf, bytes, NULL), 0, "8 MB of BTF");
	EQ_INT(btf_size(&btf, 350000), -EINVAL, "a chain of 350000 typedefs has no size");
	double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
	if (!OK(seconds < 2, "takes no more than 2 s of CPU time"))
		printf("# %f\n", seconds);
	drop(bytes);
	free(strings);
}

int main(void)
{
	sound(false);
	sound(true);
	broken_header();
	broken_types();
	prefixes();
	marks();
	cost();
	free(image);
	return test_done();
}
