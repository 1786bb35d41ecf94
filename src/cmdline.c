/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmdline.h"

#include <stdbool.h>
#include <string.h>

/* The kernel's isspace(), which knows Latin-1's space that does not break. */
static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (unsigned char)c == 0xa0;
}

/* Cuts the next word off; NULL: there is none. */
static char *next_word(char **line)
{
	char *word = *line, *equals = NULL;
	while (is_blank(*word))
		word++;
	if (!*word)
		return NULL;
	const bool is_quoted = *word == '"';
	bool in_quotes = is_quoted;
	char *end = word += is_quoted;
	for (; *end && (in_quotes || !is_blank(*end)); end++) {
		if (*end == '=' && !equals && end > word)
			equals = end;
		if (*end == '"')
			in_quotes = !in_quotes;
	}
	*line = end + (*end != '\0');
	*end = '\0';
	const bool has_quotes = equals && equals[1] == '"';
	if ((is_quoted || has_quotes) && end > word && end[-1] == '"')
		end[-1] = '\0';
	if (has_quotes)
		memmove(equals + 1, equals + 2, strlen(equals + 2) + 1);
	return word;
}

/* Returns how many words it is cut into. */
static int split(char **to, char *value)
{
	int count = 0;
	for (;;) {
		while (is_blank(*value))
			*value++ = '\0';
		if (!*value)
			return count;
		to[count++] = value;
		while (*value && !is_blank(*value))
			value++;
	}
}

int cmdline_arguments(char **to, char *line, int argc, char **argv, int *strays)
{
	static const char own[] = "bperf=";
	static char name[] = "bperf-mini";
	int count = 0, at = 1;
	char *word;
	to[count++] = argc ? argv[0] : name;
	while ((word = next_word(&line)) && strcmp(word, "--")) {
		if (!strncmp(word, own, sizeof(own) - 1))
			count += split(to + count, word + sizeof(own) - 1);
		else if (at < argc && !strcmp(word, argv[at]))
			at++;
	}
	const int own_count = count;
	*strays = at - 1;
	while (word && (word = next_word(&line))) {
		at += at < argc && !strcmp(word, argv[at]);
		to[count++] = word;
	}
	if (at < argc) {
		count = own_count;
		*strays = 0;
		for (int i = 1; i < argc; i++)
			to[count++] = argv[i];
	}
	to[count] = NULL;
	return count;
}
