/* SPDX-License-Identifier: GPL-2.0-only */
/* The spec of sound objects, for each byte order and CPU version that clang has; and what is refused, by what text. */
#include "object.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "embed.h"
#include "err.h"
#include "object_check.h"
#include "test.h"
#include "compile.h"

static const char *map_text(const struct object_map *map)
{
	static char text[256];
	snprintf(text, sizeof(text), "%s type %u key %u value %u entries %u flags %#x%s%s, %u bytes", map->name, map->type,
		 map->key_size, map->value_size, map->max_entries, map->flags, map->is_data ? " data" : "",
		 map->is_frozen ? " frozen" : "", map->data.size);
	return text;
}

static const char *reloc_text(const struct object *object, const struct object_reloc *reloc)
{
	static char text[256];
	snprintf(text, sizeof(text), "%s: %s %s + %u", object->progs[reloc->prog].name,
		 reloc->kind == OBJECT_RELOC_MAP ? "map" : "data", object->maps[reloc->map].name, reloc->addend);
	return text;
}

static void sample_maps(const struct object *o)
{
	static const char *const maps[] = {
		"by_type type 1 key 4 value 16 entries 100 flags 0x1, 0 bytes",
		"by_size type 4 key 4 value 4 entries 0 flags 0, 0 bytes",
		"hidden type 6 key 4 value 48 entries 1 flags 0, 0 bytes",
		".rodata type 2 key 4 value 16 entries 1 flags 0x80 data frozen, 16 bytes",
		".data type 2 key 4 value 8 entries 1 flags 0 data, 8 bytes",
		".bss type 2 key 4 value 48 entries 1 flags 0 data, 0 bytes",
	};
	uint64_t counter = 0;
	EQ_INT(o->maps_count, 6, "maps");
	for (int i = 0; i < o->maps_count && i < 6; i++)
		EQ_TEXT(map_text(&o->maps[i]), maps[i], "map %d", i);
	EQ_INT(object_map(o, ".data"), 4, "map by name");
	EQ_INT(object_map(o, "counter"), -ENOENT, "no such map");
	OK(span_u64(&counter, o->maps[4].data, 0) && counter == 42, "initial value");
}

static void sample_progs(const struct object *o, bool has_lines)
{
	static const char *const names[][2] = {{"first", "raw_tp/one"}, {"second", "raw_tp/two"}, {"third", "raw_tp/two"}};
	struct btf_type type;
	uint32_t offset = 0;
	EQ_INT(o->progs_count, 3, "programs");
	for (int i = 0; i < o->progs_count && i < 3; i++) {
		const struct object_prog *prog = &o->progs[i];
		EQ_TEXT(prog->name, names[i][0], "program %d", i);
		EQ_TEXT(prog->section, names[i][1], "its section");
		EQ_U64(prog->insns.data[prog->insns.size - 8], 0x95, "its last instruction is exit");
		OK(!btf_by_id(&type, &o->btf, prog->func_id) && type.kind == BTF_FUNC && !strcmp(type.name, prog->name),
		   "its function's type");
		OK(has_lines ? prog->line_info_rec == 16 && prog->line_info.size > 3 * 16 : !prog->line_info.size, "its lines");
		span_u32(&offset, prog->line_info, 0);
		EQ_U64(offset, i == 2 && has_lines ? o->progs[1].insns.size : 0, "begin with it");
	}
	EQ_INT(object_prog(o, "third"), 2, "program by name");
	EQ_INT(object_prog(o, "by_type"), -ENOENT, "no such program");
}

static void sample_relocs(const struct object *o)
{
	static const char *const relocs[] = {
		"first: map by_type + 0", "first: data .rodata + 0", "first: data .rodata + 8", "first: data .data + 0",
		"first: data .bss + 0",   "second: map by_size + 0", "second: data .bss + 40",  "third: map hidden + 0",
		"third: data .data + 0",
	};
	EQ_INT(o->relocs_count, 9, "relocations");
	for (int i = 0; i < o->relocs_count && i < 9; i++)
		EQ_TEXT(reloc_text(o, &o->relocs[i]), relocs[i], "relocation %d", i);
	EQ_U64(o->relocs[0].insn, 4, "on that instruction");
}

/* The sizes and offsets of the BTF's sections in the copy, as text: what the kernel insists on. */
static void sample_btf(const struct object *o)
{
	char *copy = malloc(o->btf_bytes.size), text[1024] = "";
	struct btf btf;
	struct btf_type t, var;
	int length = object_btf_copy(o, copy, o->btf_bytes.size, false);
	EQ_U64((uint64_t)length, o->btf_bytes.size, "length of the BTF copy");
	btf_init(&btf, (struct span){(unsigned char *)copy, (uint32_t)length, o->btf_bytes.swap}, NULL);
	for (btf_first(&t, &btf); t.id; btf_next(&t, &btf)) {
		if (t.kind != BTF_DATASEC)
			continue;
		sprintf(text + strlen(text), "%s %u:", t.name, t.size_or_type);
		for (uint32_t i = 0; i < t.vlen; i++) {
			btf_by_id(&var, &btf, span_get_u32(t.extra, i * 12));
			sprintf(text + strlen(text), " %s %u+%u", var.name, span_get_u32(t.extra, i * 12 + 4),
				span_get_u32(t.extra, i * 12 + 8));
		}
		strcat(text, "; ");
	}
	EQ_TEXT(text,
		".bss 44: zeroes 0+40 quiet 40+4; .data 8: counter 0+8; .maps 96: by_type 0+40 by_size 40+24 hidden 64+32; "
		".rodata 16: limit 0+4 factor 8+8; license 4: LICENSE 0+4; ",
		"its sections");
	free(copy);
}

static void sample(void)
{
	static const char *const targets[] = {"bpfel", "bpfeb"}, *const cpus[] = {"v1", "v2", "v3"};
	for (int i = 0; i < 12; i++) {
		char options[32];
		bool strip = i >= 6;
		snprintf(options, sizeof(options), "-g -mcpu=%s", cpus[i % 3]);
		struct file file = compile("tests/data/sample.bpf.c", targets[i / 3 % 2], options, strip);
		struct object o;
		struct err err;
		int rc;
		OK(file.size, "sample for %s %s%s", targets[i / 3 % 2], cpus[i % 3], strip ? ", stripped of -g" : "");
		EQ_TEXT(object_check(&o, file.bytes, file.size, &rc, &err) ? "wrong" : "", "", "is in range");
		if (!OK(rc == 0, "is read"))
			printf("# %s\n", err.text);
		EQ_TEXT(o.license, "GPL", "license");
		sample_maps(&o);
		sample_progs(&o, true);
		sample_relocs(&o);
		sample_btf(&o);
		free(file.bytes);
	}
}

/* What is refused, and what is read although it is unusual (code 0). */
static const struct {
	const char *what, *options, *source;
	int code;
	const char *text;
} variants[] = {
	{"without maps and -g", "", "SEC(\"raw_tp/x\") int f(void *c) { return 0; }", 0, ""},
	{"maps without -g", "",
	 "struct { __uint(type, 2); } m SEC(\".maps\"); SEC(\"raw_tp/x\") int f(void *c) { return 0; }", -ENOTSUP, "compile with -g"},
	{"data without -g", "", "long n = 3; SEC(\"raw_tp/x\") int f(void *c) { return n++; }", 0, ""},
	{"a string", "-g", "SEC(\"raw_tp/x\") int f(long *c) { return \"text\"[*c & 3]; }", 0, ""},
	{"a string without -g", "", "SEC(\"raw_tp/x\") int f(long *c) { static const char s[] = \"text\"; return s[*c & 3]; }", 0, ""},
	{"a static string", "-g", "SEC(\"raw_tp/x\") int f(long *c) { static const char s[] = \"text\"; return s[*c & 3]; }",
	 -ENOTSUP, "no section .rodata for its variables"},
	{"a static string beside other data", "-g",
	 "const int n = 7; SEC(\"raw_tp/x\") int f(long *c) { static const char s[] = \"text\"; return s[*c & 3]; }", -ENOTSUP,
	 "variable f.s has no symbol in section .rodata"},
	{"a string of a pointer in data", "-g", "const char *s = \"text\"; SEC(\"raw_tp/x\") int f(long *c) { return s[*c & 3]; }",
	 -ENOTSUP, "relocations of data"},
	{"a common symbol", "-g -fcommon", "long shared; SEC(\"raw_tp/x\") int f(void *c) { return shared++; }", -ENOTSUP,
	 "variable shared is a common symbol"},
	{"a common symbol, without -g", "-fcommon", "long shared; SEC(\"raw_tp/x\") int f(void *c) { return shared++; }", -ENOTSUP,
	 "variable shared is a common symbol"},
	{"a subprogram", "-g",
	 "__attribute__((noinline)) int helper(long *c) { return *c; } SEC(\"raw_tp/x\") int f(long *c) { return helper(c); }",
	 -ENOTSUP, "function helper lies in .text"},
	{"a static subprogram", "-g",
	 "static __attribute__((noinline)) int helper(long *c) { return *c; } SEC(\"raw_tp/x\") int f(long *c) { return helper(c); }",
	 -ENOTSUP, "function helper lies in .text"},
	{"a call of another program", "-g",
	 "SEC(\"raw_tp/y\") __attribute__((noinline)) int g(long *c) { return *c; } SEC(\"raw_tp/x\") int f(long *c) { return g(c) + 1; }", -ENOTSUP,
	 "program f calls function 'g'"},
	{"a call within a section", "-g",
	 "static SEC(\"raw_tp/x\") __attribute__((noinline)) int g(long *c) { return *c; } "
	 "SEC(\"raw_tp/x\") int f(long *c) { return g(c) + 1; }",
	 -ENOTSUP, "program f calls a function at"},
	{"an extern function", "-g", "int g(long *c); SEC(\"raw_tp/x\") int f(long *c) { return g(c) + 1; }", -ENOTSUP,
	 "program f calls function 'g'"},
	{"an extern variable", "-g", "extern long v; SEC(\"raw_tp/x\") int f(long *c) { return v; }", -ENOTSUP, "extern v"},
	{"an extern variable in a section", "-g",
	 "extern long v __attribute__((section(\".kconfig\"))); SEC(\"raw_tp/x\") int f(long *c) { return v; }", -ENOTSUP, ".kconfig"},
	{"a CO-RE relocation", "-g",
	 "struct s { int a, b; } __attribute__((preserve_access_index)); SEC(\"raw_tp/x\") int f(struct s *c) { return c->b; }",
	 -ENOTSUP, "section raw_tp/x: CO-RE relocations"},
	{"a map of maps", "-g",
	 "struct in { __uint(type, 2); __uint(max_entries, 1); __uint(key_size, 4); __uint(value_size, 4); } in SEC(\".maps\");"
	 "struct { __uint(type, 12); __uint(max_entries, 1); __uint(key_size, 4); struct in *values[]; } m SEC(\".maps\");",
	 -ENOTSUP, "map m: member values"},
	{"a pinned map", "-g", "struct { __uint(type, 2); __uint(pinning, 1); } m SEC(\".maps\");", -ENOTSUP,
	 "map m: member pinning is not supported"},
	{"a map without a type", "-g", "struct { __uint(max_entries, 2); } m SEC(\".maps\");", -EINVAL, "map m: no member type"},
	{"a map with two sizes", "-g", "struct { __uint(type, 2); __type(key, int); __uint(key_size, 8); } m SEC(\".maps\");", -EINVAL,
	 "map m: member key_size says 8, another said 4"},
	{"a map with two sizes that agree", "-g",
	 "struct { __uint(type, 2); __type(key, int); __uint(key_size, 4); } m SEC(\".maps\");", 0, ""},
	{"a map of a void key", "-g", "struct { __uint(type, 2); __type(key, void); } m SEC(\".maps\");", -EINVAL,
	 "map m: member key has no size"},
	{"a map of plain numbers", "-g", "struct { int type; } m SEC(\".maps\");", -EINVAL, "map m: member type is no pointer"},
	{"a map of pointers to numbers", "-g", "struct { int *type; } m SEC(\".maps\");", -EINVAL, "no pointer to an array"},
	{"an int as a map", "-g", "int m SEC(\".maps\");", -EINVAL, "map m: its type is no struct"},
	{"a map of the old kind", "-g",
	 "struct { int type; } m SEC(\"maps\"); SEC(\"raw_tp/x\") int f(long *c) { return ((long (*)(void *))1)(&m); }", -EINVAL,
	 "uses 'm' at 0 of section maps"},
	{"data too large", "-g", "char a[2 << 20]; SEC(\"raw_tp/x\") int f(long *c) { return a[*c]; }", -ENOTSUP, ".bss: 2097152 bytes"},
	{"nine programs", "-g",
	 "#define P(n) SEC(\"raw_tp/\" #n) int p##n(void *c) { return 0; }\nP(1) P(2) P(3) P(4) P(5) P(6) P(7) P(8) P(9)", -ENOTSUP,
	 "program p9: more than 8 programs"},
	{"25 maps", "-g",
	 "#define M(n) struct { __uint(type, 2); } m##n SEC(\".maps\");\n#define F(n) M(n##1) M(n##2) M(n##3) M(n##4)\n"
	 "F(1) F(2) F(3) F(4) F(5) F(6) M(7)",
	 -ENOTSUP, "map m7: more than 24 maps"},
	{"33 variables", "-g",
	 "#define V(n) long v##n = n;\n#define F(n) V(n##1) V(n##2) V(n##3) V(n##4)\n#define G(n) F(n##1) F(n##2) F(n##3) F(n##4)\n"
	 "G(1) G(2)",
	 -ENOTSUP, "more than 32 variables"},
	{"many relocations", "-g",
	 "volatile long v = 1;\n#define V v++; v--; asm volatile(\"\" ::: \"memory\");\n#define F V V V V V V V V\n"
	 "#define T asm volatile(\"%0 = v ll\" : \"=r\"(n));\n#define G T T T T T T T T T T T T T\n"
	 "SEC(\"raw_tp/x\") long f(void *c) { long n; G G G G G G G G G G G G G return n; }",
	 -ENOTSUP, "program f: more than 160 relocations"},
	{"a function longer than its name's limit", "-g",
	 "#define N x1234567890123456789012345678901234567890123456789012345678901234567890\n#define C2(a, b) a##b\n"
	 "#define C(a, b) C2(a, b)\nSEC(\"raw_tp/x\") int C(N, C(_, N))(void *c) { return 0; }",
	 -EINVAL, "the name of a function is empty or longer than 127"},
};

static void variant(size_t i)
{
	struct file file = compile_text(variants[i].source, variants[i].options, variants[i].options[0]);
	struct object o;
	struct err err;
	int rc;
	if (!OK(file.size, "%s is compiled", variants[i].what))
		return;
	EQ_TEXT(object_check(&o, file.bytes, file.size, &rc, &err) ? "wrong" : "", "", "it is in range");
	EQ_INT(rc, variants[i].code, "its code");
	if (!OK(strstr(err.text, variants[i].text), "says '%s'", variants[i].text))
		printf("# %s\n", err.text);
	free(file.bytes);
}

/* One record of a section changed. */
static void patched(const char *what, const char *section, size_t at, uint64_t value, int size, int code, const char *text)
{
	struct file file = compile("tests/data/sample.bpf.c", "bpfel", "-g -mcpu=v2", true);
	struct elf elf;
	struct elf_section s;
	struct object o;
	struct err err;
	int rc;
	if (elf_init(&elf, file.bytes, file.size, NULL) || elf_find(&s, &elf, section, NULL)) {
		OK(false, "%s", what);
		return;
	}
	put((unsigned char *)(uintptr_t)s.data.data + at, value, size);
	EQ_TEXT(object_check(&o, file.bytes, file.size, &rc, &err) ? "wrong" : "", "", "%s: in range", what);
	EQ_INT(rc, code, "its code");
	if (!OK(strstr(err.text, text), "says '%s'", text))
		printf("# %s\n", err.text);
	free(file.bytes);
}

static void all_patched(void)
{
	const char *rels = ".relraw_tp/one";
	patched("relocation past the end", rels, 0, 0xf8, 8, -EINVAL, "relocation at 248 is in no function");
	patched("relocation far past the end", rels, 0, UINT64_MAX, 8, -EINVAL, "is in no function");
	patched("relocation of the last instruction", rels, 0, 0xf0, 8, -EINVAL, "byte 240 is on no 64-bit load");
	patched("relocation of another instruction", rels, 0, 0, 8, -EINVAL, "byte 0 is on no 64-bit load");
	patched("relocation askew", rels, 0, 0x21, 8, -EINVAL, "byte 33 is on no 64-bit load");
	patched("relocation of unknown type", rels, 8, 77, 4, -ENOTSUP, "program first: relocation type 77");
	patched("relocation by an unknown symbol", rels, 12, 77, 4, -EINVAL, "symbol 77 of only 20");
	patched("relocation of a call", rels, 8, 10, 4, -ENOTSUP, "program first calls function 'by_type' at instruction 4");
	patched("addend behind the data", ".symtab", 13 * 24 + 8, 16, 8, -EINVAL, "variable factor: 8 bytes at 16 lie outside");
	patched("addend of another map", "raw_tp/one", 0x24, 8, 4, -EINVAL, "program first uses 'by_type' at 8 of section .maps");
	patched("addend behind its section", "raw_tp/one", 0x44, 16, 4, -EINVAL, "program first uses 'limit' at 16");
	patched("negative addend", "raw_tp/one", 0x44, UINT32_MAX, 4, -EINVAL, "program first uses 'limit' at -1");
	patched("function too long", ".symtab", 10 * 24 + 16, 256, 8, -EINVAL, "function first: 256 bytes at 0");
	patched("empty function", ".symtab", 10 * 24 + 16, 0, 8, -EINVAL, "function first: 0 bytes at 0");
	patched("function askew", ".symtab", 10 * 24 + 8, 4, 8, -EINVAL, "function first: 248 bytes at 4");
	patched("function that wraps around", ".symtab", 10 * 24 + 8, UINT64_MAX - 7, 8, -EINVAL, "function first: 248 bytes at");
	patched("functions that overlap", ".symtab", 18 * 24 + 8, 112, 8, -EINVAL, "functions second and third overlap");
	patched("function in data", ".symtab", 10 * 24 + 6, 8, 2, -EINVAL, "function first lies in section .data");
	patched("function in no section", ".symtab", 10 * 24 + 6, 0xfff1, 2, -EINVAL, "section 65521 of only");
	patched("no function", ".symtab", 10 * 24 + 4, 0, 1, -EINVAL, "section raw_tp/one holds code, but no function");
	patched("license without an end", "license", 3, '!', 1, -EINVAL, "license does not end");
	patched("BTF magic", ".BTF", 0, 0, 1, -EINVAL, "BTF magic 0xeb00");
	patched(".BTF.ext magic", ".BTF.ext", 0, 0, 1, -EINVAL, ".BTF.ext: no header");
	patched(".BTF.ext header", ".BTF.ext", 4, UINT32_MAX, 4, -EINVAL, ".BTF.ext: ");
	patched(".BTF.ext line info's length", ".BTF.ext", 20, 4096, 4, -EINVAL, ".BTF.ext: 4096 bytes");
	patched(".BTF.ext line info's offset", ".BTF.ext", 16, UINT32_MAX - 3, 4, -EINVAL, ".BTF.ext: ");
}

/* Kinds newer than 5.2, in both byte orders of nothing but the BTF: the words of the plain copy. */
static void plain(void)
{
	/* offsets:                      1    5      11       19   24  28 */
	static const char strings[] = "\0int\0float\0a tag\0enum\0one\0f";
	struct file file = compile_text("SEC(\"raw_tp/x\") int f(void *c) { return 0; }", "", true);
	struct file with = compile_text("SEC(\"raw_tp/x\") int f(void *c) { return 0; }", "-g", true);
	struct object o;
	struct err err;
	struct btf btf;
	struct btf_type t;
	int rc;
	words_count = 6, ids = 0;
	uint32_t integer = type(1, BTF_INT, 0, 4);
	words[words_count++] = 32;
	type(5, BTF_FLOAT, 0, 8);
	uint32_t tag = type(11, BTF_TYPE_TAG, 0, integer);
	type(0, BTF_PTR, 0, tag);
	type(11, BTF_DECL_TAG, 0, 8);
	words[words_count++] = UINT32_MAX;
	type(17, BTF_ENUM, 1u << 15 | 1, 4); /* flag of the kind: below */
	words[words_count - 2] = BTF_ENUM << 24 | 1u << 31 | 1;
	words[words_count++] = 22, words[words_count++] = UINT32_MAX;
	type(17, BTF_ENUM64, 1, 8);
	more(22, 5, 6);
	uint32_t proto = type(0, BTF_FUNC_PROTO, 0, integer);
	uint32_t func = type(26, BTF_FUNC, 1, proto);
	OK(!header(&file, ".BTF") && header(&with, ".BTF"), "only -g gives BTF");
	replace_btf(&with, strings, sizeof(strings));
	EQ_TEXT(object_check(&o, with.bytes, with.size, &rc, &err) ? "wrong" : "", "", "newer kinds are in range");
	EQ_TEXT(err.text, "", "and read");
	EQ_U64(o.progs[0].func_id, func, "the function is found among them");
	uint32_t copy[128];
	EQ_INT(object_btf_copy(&o, copy, sizeof(copy), false), (int)o.btf_bytes.size, "the copy");
	OK(!memcmp(copy, o.btf_bytes.data, o.btf_bytes.size), "is the same where there is nothing to fix");
	int length = object_btf_copy(&o, copy, sizeof(copy), true);
	EQ_INT(btf_init(&btf, (struct span){(unsigned char *)copy, (uint32_t)length, false}, &err), 0, "the plain copy is sound");
	char text[512] = "";
	for (btf_first(&t, &btf); t.id; btf_next(&t, &btf))
		sprintf(text + strlen(text), "%s:%u/%u/%u ", t.name, t.kind, span_get_u32(btf.types, t.offset + 4) & 0x80ffffff,
			t.size_or_type);
	EQ_TEXT(text, "int:1/0/4 :4/0/8 :10/0/1 :2/0/3 :1/0/1 enum:6/1/4 enum:5/1/8 :13/0/1 f:12/0/8 ", "name:kind/info/size of each");
	btf_by_id(&t, &btf, 5);
	EQ_U64(span_get_u32(t.extra, 0), 8, "a declaration's tag is an int of 8 bits");
	btf_by_id(&t, &btf, 7);
	OK(span_get_u32(t.extra, 0) == 22 && span_get_u32(t.extra, 4) == integer && !span_get_u32(t.extra, 8), "a union of the smallest int");
	free(file.bytes);
	free(with.bytes);
}

/* The product's own objects, as far as they are there. */
static void product(void)
{
	static const char *const sources[] = {"bpf/leader.bpf.c", "bpf/follower.bpf.c", "bpf/children.bpf.c"};
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		struct object o;
		struct err err;
		int rc;
		if (access(sources[i], R_OK))
			continue;
		struct file file = compile(sources[i], "bpfel", "-g -mcpu=v2", true);
		const char *wrong = object_check(&o, file.bytes, file.size, &rc, &err);
		if (!OK(file.size && !wrong && !rc, "%s: %d maps, %d programs, %d relocations", sources[i], o.maps_count,
			o.progs_count, o.relocs_count))
			printf("# %s\n", wrong ? wrong : err.text);
		EQ_TEXT(o.license, "GPL", "its license");
		for (int j = 0; j < o.progs_count; j++)
			OK(o.progs[j].func_id && o.progs[j].line_info.size, "%s has BTF and lines", o.progs[j].name);
		free(file.bytes);
	}
}

/* Field report V43: no kernel is asked to know a kind of BTF that came after 5.2. */
static void embedded(void)
{
	for (int i = 0; i < EMBED_COUNT; i++) {
		struct err err = {0};
		struct btf btf;
		struct btf_type t;
		const struct object *o = embed_object(i, &err);
		if (!OK(o != NULL, "embedded object %d is read", i))
			continue;
		EQ_INT(o->btf_bytes.size != 0, i == EMBED_LEADER, "embedded object %d: only of the leader the BTF is loaded", i);
		if (!o->btf_bytes.size)
			continue;
		char *copy = malloc(o->btf_bytes.size), newer[64] = "";
		int length = object_btf_copy(o, copy, o->btf_bytes.size, false);
		EQ_INT(btf_init(&btf, (struct span){(unsigned char *)copy, (uint32_t)length, false}, &err), 0, "its BTF is read");
		for (btf_first(&t, &btf); t.id; btf_next(&t, &btf)) {
			if (t.kind > BTF_DATASEC)
				snprintf(newer, sizeof(newer), "type %u is of kind %u", t.id, t.kind);
		}
		EQ_TEXT(newer, "", "embedded object %d: kinds that Linux 5.2 knows (%u types)", i, btf.types_count);
		free(copy);
	}
}

int main(void)
{
	if (!compile_begin())
		return 0;
	sample();
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		variant(i);
	all_patched();
	plain();
	product();
	embedded();
	compile_end();
	return test_done();
}
