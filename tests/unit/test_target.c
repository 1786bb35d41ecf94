/* SPDX-License-Identifier: GPL-2.0-only */
#include "target.h"

#include <errno.h>
#include <stdlib.h>

#include "err.h"
#include "test.h"

/* The items of a list as "kind:text:id;"; where it is wrong, the error behind them. */
static const char *items(const char *list)
{
	static char text[1024];
	static const char *const kinds[] = {"all", "id", "name", "pin"};
	struct target_item item;
	struct err err = {0};
	int result;
	*text = '\0';
	while ((result = target_list_next(&list, &item, &err)) > 0) {
		size_t used = strlen(text);
		snprintf(text + used, sizeof(text) - used, "%s=%.*s/%u;", kinds[item.kind], item.length, item.text, item.id);
	}
	if (result < 0)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s", err.text);
	return text;
}

static void lists(void)
{
	static const struct {
		const char *list, *want;
	} good[] = {
		{"1", "id=1/1;"},
		{"4294967295", "id=4294967295/4294967295;"},
		{"0012", "id=0012/12;"},
		{"all", "all=/0;"},
		{"name:all", "name=all/0;"},
		{"name:name:", "name=name:/0;"},
		{"pin:/sys/fs/bpf/a b", "pin=/sys/fs/bpf/a b/0;"},
		{"12,name:foo,pin:x,all,12", "id=12/12;name=foo/0;pin=x/0;all=/0;id=12/12;"},
	};
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		EQ_TEXT(items(good[i].list), good[i].want, "list %s", good[i].list);

	static const struct {
		const char *list, *before, *item;
	} bad[] = {
		{"", "", ""},
		{"0", "", "0"},
		{"4294967296", "", "4294967296"},
		{"99999999999999999999999", "", "99999999999999999999999"},
		{"-1", "", "-1"},
		{"1x", "", "1x"},
		{" 1", "", " 1"},
		{"1,", "id=1/1;", ""},
		{",1", "", ""},
		{"1,,2", "id=1/1;", ""},
		{"name:", "", "name:"},
		{"pin:", "", "pin:"},
		{"all,alls", "all=/0;", "alls"},
		{"al", "", "al"},
		{"Name:x", "", "Name:x"},
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char want[256];
		snprintf(want, sizeof(want), "%s-b: '%s' is none of ID, name:NAME, pin:PATH and all", bad[i].before, bad[i].item);
		EQ_TEXT(items(bad[i].list), want, "list '%s' is refused", bad[i].list);
	}
	char *longest = malloc(100001);
	memset(longest, 'x', 100000);
	longest[100000] = '\0';
	OK(strlen(items(longest)) < 200, "a long item is cut in the message");
	free(longest);
}

/* A BTF of a function whose name is at 1: in a block of exactly its size, for the sanitizer to see its end. */
static struct span btf_of(const char *name, uint32_t kind)
{
	const uint32_t words[] = {0x0001eb9f, 24, 0, 24, 24, (uint32_t)strlen(name) + 2, /* the header */
				  0, 13U << 24, 0,                                         /* 1: void () */
				  1, kind << 24 | 1, 1};                                   /* 2: the function */
	const size_t size = sizeof(words) + strlen(name) + 2;
	unsigned char *bytes = malloc(size);
	memcpy(bytes, words, sizeof(words));
	bytes[sizeof(words)] = '\0';
	memcpy(bytes + sizeof(words) + 1, name, strlen(name) + 1);
	return (struct span){bytes, (uint32_t)size, false};
}

static const char *name_in(struct span btf, uint32_t func_id)
{
	static char name[TARGET_NAME_SIZE];
	strcpy(name, "as it was");
	target_set_name(name, btf, func_id);
	return name;
}

static void names(void)
{
	struct span btf = btf_of("a_function_of_a_long_name", 12);
	EQ_TEXT(name_in(btf, 2), "a_function_of_a_long_name", "the function's name");
	EQ_TEXT(name_in(btf, 1), "as it was", "a type that is no function");
	EQ_TEXT(name_in(btf, 3), "as it was", "a type that is not there");
	EQ_TEXT(name_in(btf, 0), "as it was", "void");
	for (uint32_t size = 0; size < btf.size; size++) {
		unsigned char *cut = malloc(size);
		memcpy(cut, btf.data, size);
		EQ_TEXT(name_in((struct span){cut, size, false}, 2), "as it was", "cut after %u bytes", size);
		free(cut);
	}
	free((void *)(uintptr_t)btf.data);
	btf = btf_of("x", 8);
	EQ_TEXT(name_in(btf, 2), "as it was", "a typedef");
	free((void *)(uintptr_t)btf.data);
	char longest[TARGET_NAME_SIZE + 1];
	memset(longest, 'y', sizeof(longest));
	longest[TARGET_NAME_SIZE - 1] = '\0';
	btf = btf_of(longest, 12);
	EQ_TEXT(name_in(btf, 2), longest, "the longest name");
	free((void *)(uintptr_t)btf.data);
	longest[TARGET_NAME_SIZE - 1] = 'y';
	longest[TARGET_NAME_SIZE] = '\0';
	btf = btf_of(longest, 12);
	EQ_TEXT(name_in(btf, 2), "as it was", "a longer one");
	free((void *)(uintptr_t)btf.data);
	btf = btf_of("", 12);
	EQ_TEXT(name_in(btf, 2), "as it was", "none");
	free((void *)(uintptr_t)btf.data);
}

int main(void)
{
	lists();
	names();
	return test_done();
}
