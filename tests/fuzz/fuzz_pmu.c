/* SPDX-License-Identifier: GPL-2.0-only */
/* What a hostile /sys could say: events on two PMUs whose every file the input tells; an error with a text and a caret, xor events
 * that are sound. Between bars the input has the list, then a file each, "NAME TEXT", of which '~' is a newline and '^' a NUL. A name is
 * that of a file of the PMU (type, cpus, cpumask, format/x, events/x.scale), the same in both; or a tracepoint's id. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cpulist.h"
#include "err.h"
#include "sysfs.h"

/* the library has its own, with real files under them */
#define sysfs_read fuzz_read
#define sysfs_each fuzz_each
#define sysfs_number fuzz_number
#define sysfs_list fuzz_list
#define pmu_next_term fuzz_next_term
#define pmu_put_term fuzz_put_term
#define pmu_put_alias fuzz_put_alias
#define pmu_set_type fuzz_set_type
#define pmu_set_cpus fuzz_set_cpus
#define pmu_is_core fuzz_is_core
#define pmu_has_alias fuzz_has_alias
#define pmu_alias fuzz_alias
#define pmu_family_length fuzz_family_length
#define event_resolve fuzz_resolve

int fuzz_read(const char *path, char *buffer, size_t size, struct err *err);
int fuzz_each(const char *path, int (*visit)(void *context, const char *name), void *context);
long fuzz_number(const char *path, long otherwise);
int fuzz_list(struct cpulist *list, const char *path, struct err *err);

#include "../../src/pmu.c"
#define PATH_SIZE RESOLVE_PATH_SIZE
#include "../../src/event_resolve.c"

enum { EVENTS_MAX = 16, FILES_MAX = 64, INPUT_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	const char *name, *text;
	size_t length;
} files[FILES_MAX];
static int files_count;

static const char *const pmus[] = {"cpu", "uncore_x_0"};

/* The name in the input for a path, or NULL. */
static const char *local(const char *path)
{
	for (int i = 0; i < 2; i++) {
		size_t length = strlen(PMU_DEVICES "/") + strlen(pmus[i]);
		if (!strncmp(path, PMU_DEVICES "/", strlen(PMU_DEVICES "/")) &&
		    !strncmp(path + strlen(PMU_DEVICES "/"), pmus[i], strlen(pmus[i])) && path[length] == '/')
			return path + length + 1 + (path[length + 1] == '/');
	}
	return strncmp(path, "/sys/kernel/tracing/events/", 27) ? NULL : path + 27;
}

int fuzz_read(const char *path, char *buffer, size_t size, struct err *err)
{
	const char *name = local(path);
	for (int i = 0; name && i < files_count; i++) {
		if (strcmp(files[i].name, name))
			continue;
		if (files[i].length >= size)
			return err_set(err, -E2BIG, "cannot read %s: it has more than %zu bytes", path, size - 1);
		memcpy(buffer, files[i].text, files[i].length);
		buffer[files[i].length] = '\0';
		return (int)files[i].length;
	}
	return err_sys(err, -ENOENT, "cannot open %s", path);
}

int fuzz_each(const char *path, int (*visit)(void *context, const char *name), void *context)
{
	int result = 0;
	if (!strcmp(path, PMU_DEVICES)) {
		for (int i = 0; i < 2 && !result; i++)
			result = visit(context, pmus[i]);
		return result;
	}
	const char *folder = local(path);
	for (int i = 0; folder && i < files_count && !result; i++) {
		size_t length = strlen(folder);
		if (!strncmp(files[i].name, folder, length) && files[i].name[length] == '/')
			result = visit(context, files[i].name + length + 1);
	}
	return result;
}

long fuzz_number(const char *path, long otherwise)
{
	char text[32];
	return fuzz_read(path, text, sizeof(text), NULL) > 0 ? strtol(text, NULL, 10) & 0xffffff : otherwise;
}

int fuzz_list(struct cpulist *list, const char *path, struct err *err)
{
	char text[INPUT_MAX];
	int result = fuzz_read(path, text, sizeof(text), err);
	if (result == -ENOENT)
		return 0;
	return result < 0 ? result : !text[strspn(text, " \n")] ? 0 : cpulist_parse(list, text, err) < 0 ? -EINVAL : 1;
}

/* Cuts the input up in place. */
static void read_input(char *text)
{
	files_count = 0;
	for (char *line = strchr(text, '|'); line && files_count < FILES_MAX;) {
		*line++ = '\0';
		char *next = strchr(line, '|'), *content = strchr(line, ' ');
		if (next)
			*next = '\0';
		if (content) {
			*content++ = '\0';
			files[files_count].length = strlen(content);
			for (char *p = content; *p || p < content + files[files_count].length; p++)
				*p = *p == '~' ? '\n' : *p == '^' ? '\0' : *p;
			files[files_count].name = line;
			files[files_count++].text = content;
		}
		line = next;
	}
}

static void check_events(const struct event *events, int count, const struct cpulist *cpus)
{
	if (count < 1 || count > EVENTS_MAX)
		abort();
	for (int i = 0; i < count; i++) {
		const struct event *event = &events[i];
		if (!event->scale || event->scale_exponent < -99 || event->scale_exponent > 99 || !*event->name)
			abort();
		if (event->family < 0 || event->family > i || events[event->family].family != event->family)
			abort();
		if (event->is_cpus_only && (!event->has_cpus || event->attr.flags))
			abort();
		if (event->has_cpus && cpulist_next(&event->cpus, -1) < 0)
			abort();
		if (event->attr.size || event->attr.sample_period || (!*event->pmu && event->has_cpus))
			abort();
		for (const char *p = event->unit; *p; p++) {
			if ((unsigned char)*p < 0x20 || *p == 0x7f)
				abort();
		}
	}
	(void)cpus;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct event events[EVENTS_MAX];
	static struct cpulist cpus = {{0xff}};
	static char text[INPUT_MAX + 1];
	struct err err = {0};
	if (size > INPUT_MAX)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (strlen(text) < size)
		return 0;
	read_input(text);
	int count = event_parse_list(events, EVENTS_MAX, text, &err);
	if (count < 0)
		return 0;
	int result = event_resolve(events, count, EVENTS_MAX, size % 2 ? &cpus : NULL,
				   size % 7 ? EVENT_LEVELS_ALL : EVENT_LEVELS_USER, &err);
	if (result < 0) {
		if (result != -EINVAL || !*err.text || (!*err.shown && strcmp(err.text, "more than 16 events")))
			abort();
	} else {
		if (*err.text || *err.hint || *err.shown)
			abort();
		check_events(events, result, &cpus);
	}
	return 0;
}
