/* SPDX-License-Identifier: GPL-2.0-only */
/* Any text (a tab stands for a newline) is mounts that fit; a list of cgroups, which reads the same when it is quoted, xor an error
 * with a text; names that lead nowhere; and, cut in two at its first newline, a pattern and a name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *copy_of(const char *text, const char *tail)
{
	size_t length = strlen(text), tail_length = strlen(tail);
	char *copy = malloc(length + tail_length + 1);
	memcpy(copy, text, length);
	memcpy(copy + length, tail, tail_length + 1);
	return copy;
}

static void check_mounts(const char *text)
{
	struct cgroup_mounts mounts = {0}, more = {0};
	char *copy = copy_of(text, "");
	cgroup_mounts_parse(&mounts, copy);
	free(copy);
	for (int kind = 0; kind < CGROUP_KINDS; kind++) {
		if (!memchr(mounts.paths[kind], '\0', CGROUP_PATH_SIZE))
			abort();
	}
	copy = copy_of(text, "\n1 2 0:3 / /m rw - cgroup2 x rw\n1 2 0:3 /k /n rw - cgroup x perf_event");
	cgroup_mounts_parse(&more, copy);
	free(copy);
	/* a later mount comes in only where there was none, or, itself a root, no root */
	const char *v2 = mounts.paths[CGROUP_V2], *v1 = mounts.paths[CGROUP_V1];
	if (strcmp(more.paths[CGROUP_V2], *v2 && mounts.are_roots[CGROUP_V2] ? v2 : "/m"))
		abort();
	if (strcmp(more.paths[CGROUP_V1], *v1 ? v1 : "/n"))
		abort();
}

static void check_name(const char *name)
{
	struct cgroup_mounts mounts = {.paths[CGROUP_V2] = "/no/such"};
	struct cgroup group;
	struct err err = {0};
	int result = cgroup_open(&group, &mounts, name, &err);
	if (group.fd >= 0 || !err.text[0] || (result != -ENOENT && result != -EINVAL && result != -ENAMETOOLONG))
		abort();
	if (result != -EINVAL && strncmp(err.text, "cannot open cgroup /no/such", 27))
		abort();
	if (strstr(err.text, "/../") && result != -EINVAL)
		abort();
}

/* Adds the item in quotes. */
static size_t quote(char *to, const char *item)
{
	char *start = to;
	*to++ = '"';
	for (; *item; item++) {
		if (*item == '"')
			*to++ = '"';
		*to++ = *item;
	}
	*to++ = '"';
	*to++ = ',';
	*to = '\0';
	return (size_t)(to - start);
}

static void check_list(const char *text)
{
	char item[CGROUP_PATH_SIZE], again[CGROUP_PATH_SIZE];
	size_t length = strlen(text), used = 0, items = 0;
	/* an empty item takes a comma only, but three when it is quoted */
	char *quoted = malloc(3 * length + 8);
	struct err err = {0};
	const char *list = text;
	int result;
	while ((result = cgroup_list_next(&list, item, &err)) > 0) {
		if (err.text[0] || ++items > length + 1 || strlen(item) > length)
			abort();
		if (items < 8) /* they cost a system call */
			check_name(item);
		used += quote(quoted + used, item);
	}
	if (result ? result != -EINVAL || !err.text[0] : err.text[0] || list)
		abort();
	const char *first = text, *second = quoted;
	while (items-- && cgroup_list_next(&first, item, NULL) > 0) {
		if (cgroup_list_next(&second, again, NULL) != 1 || strcmp(item, again))
			abort();
	}
	free(quoted);
}

/* A pattern that is met by the name alone. */
static void escape(char *to, const char *name)
{
	*to++ = '^';
	for (; *name; name++) {
		bool is_set = strchr("+?(){}|", *name) != NULL;
		if (is_set || strchr(".*[]^$\\", *name))
			*to++ = is_set ? '[' : '\\';
		*to++ = *name;
		if (is_set)
			*to++ = ']';
	}
	strcpy(to, "$");
}

static void check_match(const char *pattern, const char *name)
{
	char longer[CGROUP_PATH_SIZE + 1], exact[3 * CGROUP_PATH_SIZE + 3];
	int result = cgroup_match(pattern, name);
	if (result != 0 && result != 1 && result != -EINVAL)
		abort();
	/* whether a pattern is good does not depend on the name */
	if ((cgroup_match(pattern, "") < 0) != (result < 0))
		abort();
	longer[0] = 'x';
	strcpy(longer + 1, name);
	if (result == 1 && *pattern != '^' && strlen(longer) < CGROUP_PATH_SIZE && cgroup_match(pattern, longer) != 1)
		abort();
	escape(exact, name);
	if (cgroup_match(exact, name) != 1)
		abort();
	if (strlen(longer) < CGROUP_PATH_SIZE && cgroup_match(exact, longer) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *at = text; (at = strchr(at, '\t'));)
		*at = '\n';
	check_mounts(text);
	check_list(text);
	size_t length = strcspn(text, "\n");
	char *pattern = strndup(text, length), *name = strndup(text + length + (text[length] != '\0'), CGROUP_PATH_SIZE - 1);
	check_match(pattern, name);
	free(name);
	free(pattern);
	free(text);
	return 0;
}
