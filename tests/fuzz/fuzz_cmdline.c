/* SPDX-License-Identifier: GPL-2.0-only */
/* Any line is words that lie in it, no more than there is room for; whether the kernel passed on what is behind the dashes or not makes
 * no difference; what another init passed stands in their place; and what is quoted again is read as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmdline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char name[] = "/bperf-mini", *stranger; /* longer than any word of the line */

struct result {
	char *line, **words;
	int count, strays;
};

static struct result take(const char *line, int argc, char **argv)
{
	const size_t length = strlen(line), room = length / 2 + (size_t)argc + 3;
	struct result result = {strdup(line), malloc(room * sizeof(char *)), 0, -1};
	result.count = cmdline_arguments(result.words, result.line, argc, argv, &result.strays);
	if (result.count < 1 || (size_t)result.count >= room || result.words[result.count] || result.words[0] != name)
		abort();
	for (int i = 1; i < result.count; i++) {
		const char *word = result.words[i];
		if (word != stranger && (word < result.line || word + strlen(word) > result.line + length))
			abort();
	}
	if (result.strays < 0 || result.strays >= argc)
		abort();
	return result;
}

static void drop(struct result *result)
{
	free(result->words);
	free(result->line);
}

static void check_same(const struct result *a, const struct result *b)
{
	if (a->count != b->count)
		abort();
	for (int i = 0; i < a->count; i++) {
		if (strcmp(a->words[i], b->words[i]))
			abort();
	}
}

/* Each word between quotes, where it has none of its own. */
static void check_quoted(const struct result *all, int own)
{
	size_t room = 8;
	for (int i = 1; i < all->count; i++) {
		if (strchr(all->words[i], '"'))
			return;
		room += strlen(all->words[i]) + 10;
	}
	char *line = malloc(room), *argv[] = {name, NULL};
	line[0] = '\0';
	for (int i = 1; i < own; i++)
		strcat(strcat(line, " bperf="), all->words[i]);
	strcat(line, " --");
	for (int i = own; i < all->count; i++)
		strcat(strcat(strcat(line, " \""), all->words[i]), "\"");
	struct result again = take(line, 1, argv);
	check_same(all, &again);
	drop(&again);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *alone[] = {name, NULL};
	stranger = malloc(size + 2);
	memset(stranger, 'x', size + 1);
	stranger[size + 1] = '\0';
	char *foreign[] = {name, stranger, NULL};
	memcpy(text, data, size);
	text[size] = '\0';
	struct result all = take(text, 1, alone), others = take(text, 2, foreign);
	const int own = others.count - 1;
	if (all.strays || others.strays || own > all.count || others.words[own] != stranger)
		abort();
	for (int i = 1; i < own; i++) {
		if (strcmp(all.words[i], others.words[i]) || all.words[i][strcspn(all.words[i], " \t\n\v\f\r\xa0")] || !all.words[i][0])
			abort();
	}
	/* as the kernel passes it on */
	int argc = 1;
	char **argv = malloc(((size_t)all.count + 1) * sizeof(char *));
	argv[0] = name;
	for (int i = own; i < all.count && strcmp(all.words[i], "--"); i++)
		argv[argc++] = all.words[i];
	argv[argc] = NULL;
	struct result passed = take(text, argc, argv);
	check_same(&all, &passed);
	check_quoted(&all, own);
	drop(&passed);
	free(argv);
	drop(&others);
	drop(&all);
	free(stranger);
	free(text);
	return 0;
}
