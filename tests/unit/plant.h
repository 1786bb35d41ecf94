/* SPDX-License-Identifier: GPL-2.0-only */
/* The fifteen machines that tests/data/pmus.txt describes: each is planted under a folder that stands for /. */
#ifndef PLANT_H
#define PLANT_H

#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>

#define DEVICES "/sys/bus/event_source/devices"
enum { LINE_SIZE = 8192, PATH_SIZE = 512 };

static char root[] = "/tmp/bperf-mini-test.XXXXXX";
static char machine[32]; /* that stands there; "": none, or a changed one */

/* Folders on the way are made. */
static void put_file(const char *path, const char *text, size_t length)
{
	char full[PATH_SIZE + sizeof(root)];
	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *p = full + sizeof(root); (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
	FILE *file = fopen(full, "w");
	if (!file || fwrite(text, 1, length, file) != length || fclose(file))
		OK(false, "cannot write %s", full);
}

/* The text after the '=' of a word, its escapes undone, and its newline. */
static void put_word(const char *pmu, char *word, int number)
{
	static char path[PATH_SIZE], text[LINE_SIZE];
	char *equals = strchr(word, '=');
	size_t length = 0;
	*equals = '\0';
	snprintf(path, sizeof(path), DEVICES "/%s/%s", pmu, word);
	for (const char *p = equals + 1; *p; p++) {
		if (*p == '\\' && p[1] == 'A') {
			memset(text + length, 'A', 5000);
			length += 5000;
		} else {
			text[length++] = *p != '\\' ? *p : p[1] == 'n' ? '\n' : '\0';
		}
		p += *p == '\\';
	}
	text[length] = '\0';
	if (!strcmp(word, "type") && strstr(text, ".."))
		length = (size_t)sprintf(text, "%d", atoi(text) + number);
	if (!strchr(word, '.'))
		text[length++] = '\n';
	put_file(path, text, length);
	*equals = '=';
}

/* "uncore_imc_0..5 type=14..19 cpumask=0,18 ..." */
static void put_pmu(char *line)
{
	char name[64], pmu[80];
	size_t length = strcspn(line, " ");
	snprintf(name, sizeof(name), "%.*s", (int)length, line);
	char *range = strstr(name, "..");
	int first = 0, last = 0;
	if (range) {
		last = atoi(range + 2);
		while (range[-1] >= '0' && range[-1] <= '9')
			range--;
		first = atoi(range);
		*range = '\0';
	}
	for (int i = first; i <= last; i++) {
		static char words[LINE_SIZE];
		snprintf(words, sizeof(words), "%s", line + length);
		snprintf(pmu, sizeof(pmu), range ? "%s%d" : "%s", name, i);
		for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
			put_word(pmu, word, i - first);
	}
}

static void fell(void)
{
	char command[64];
	snprintf(command, sizeof(command), "rm -rf %s/*", root);
	if (system(command))
		OK(false, "cannot clear %s", root);
}

/* Puts the machine in the place of the one before. */
static void plant(const char *name)
{
	static char line[LINE_SIZE], next[LINE_SIZE];
	if (!strcmp(machine, name))
		return;
	snprintf(machine, sizeof(machine), "%s", name);
	fell();
	FILE *file = fopen("tests/data/pmus.txt", "r");
	bool is_here = false;
	while (file && fgets(next, sizeof(next), file)) {
		next[strcspn(next, "\n")] = '\0';
		if (next[0] == '\t') {
			next[0] = ' ';
			strncat(line, next, sizeof(line) - strlen(line) - 1);
			continue;
		}
		if (is_here && line[0])
			put_pmu(line);
		line[0] = '\0';
		if (next[0] == '[')
			is_here = !strncmp(next + 1, name, strlen(name)) && next[strlen(name) + 1] == ']';
		else
			strcpy(line, next);
	}
	if (is_here && line[0])
		put_pmu(line);
	line[0] = '\0';
	if (file)
		fclose(file);
}

#endif
