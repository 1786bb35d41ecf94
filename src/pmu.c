/* SPDX-License-Identifier: GPL-2.0-only */
#include "pmu.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <linux/perf_event.h>

#include "err.h"
#include "out.h"
#include "sysfs.h"

#define DEVICES "/sys/bus/event_source/devices/"
enum { FILE_SIZE = 512, PATH_SIZE = 256, TERM_SIZE = 64 };

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Decimal, or hexadecimal behind 0x. Moves *text behind it; false if there is no number, or too large a one. */
static bool read_number(const char **text, uint64_t *value)
{
	unsigned base = 10;
	const char *at = *text;
	if (at[0] == '0' && (at[1] | 0x20) == 'x') {
		base = 16;
		at += 2;
	}
	const char *start = at;
	for (*value = 0; (unsigned)digit(*at) < base; at++) {
		if (*value > (UINT64_MAX - (unsigned)digit(*at)) / base)
			return false;
		*value = *value * base + (unsigned)digit(*at);
	}
	*text = at;
	return at != start;
}

/* The lowest bits of *value go to bits first..last of *word, and are taken from *value. */
static void deposit(uint64_t *word, uint64_t *value, uint64_t first, uint64_t last)
{
	uint64_t width = last - first + 1;
	uint64_t mask = width == 64 ? UINT64_MAX : (1ULL << width) - 1;
	*word = (*word & ~(mask << first)) | (*value & mask) << first;
	*value = width == 64 ? 0 : *value >> width;
}

static uint64_t *config_word(struct perf_event_attr *attr, const char **format)
{
	static const struct {
		const char *name;
		size_t offset;
	} words[] = {
		{"config:", offsetof(struct perf_event_attr, config)},
		{"config1:", offsetof(struct perf_event_attr, config1)},
		{"config2:", offsetof(struct perf_event_attr, config2)},
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t length = strlen(words[i].name);
		if (!strncmp(*format, words[i].name, length)) {
			*format += length;
			return (uint64_t *)(void *)((char *)attr + words[i].offset);
		}
	}
	return NULL;
}

/* "config:0-7,32-35": false if the format makes no sense, or the value has more bits than it. */
static bool put_value(struct perf_event_attr *attr, const char *format, uint64_t value)
{
	uint64_t *word = config_word(attr, &format);
	if (!word)
		return false;
	for (;;) {
		uint64_t first, last;
		if (!read_number(&format, &first))
			return false;
		last = first;
		if (*format == '-') {
			format++;
			if (!read_number(&format, &last))
				return false;
		}
		if (first > last || last > 63)
			return false;
		deposit(word, &value, first, last);
		if (*format != ',')
			break;
		format++;
	}
	return (*format == '\0' || *format == '\n') && !value;
}

static int put_term(struct perf_event_attr *attr, const char *pmu, const char *name, uint64_t value, struct err *err)
{
	char path[PATH_SIZE], format[FILE_SIZE];
	out_print(path, sizeof(path), DEVICES "%s/format/%s", pmu, name);
	int result = sysfs_read(path, format, sizeof(format), err);
	if (result < 0)
		return -EINVAL;
	return put_value(attr, format, value) ? 0 : err_set(err, -EINVAL, "cannot make sense of %s: %s", path, format);
}

static int put_terms(struct perf_event_attr *attr, const char *pmu, const char *text, struct err *err)
{
	while (*text && *text != '\n') {
		char name[TERM_SIZE];
		size_t length = strcspn(text, "=,\n");
		uint64_t value = 1; /* a name alone is a flag */
		if (!length || length >= sizeof(name) || memchr(text, '/', length))
			return err_set(err, -EINVAL, "cannot make sense of the event '%s' of %s", text, pmu);
		memcpy(name, text, length);
		name[length] = '\0';
		text += length;
		if (*text == '=') {
			text++;
			if (!read_number(&text, &value))
				return err_set(err, -EINVAL, "%s: '%s' of an event of %s is no number", name, text, pmu);
		}
		int result = put_term(attr, pmu, name, value, err);
		if (result < 0)
			return result;
		if (*text == ',')
			text++;
	}
	return 0;
}

int pmu_alias(struct perf_event_attr *attr, const char *pmu, const char *alias, struct err *err)
{
	char path[PATH_SIZE], text[FILE_SIZE];
	out_print(path, sizeof(path), DEVICES "%s/type", pmu);
	long type = sysfs_number(path, -1);
	if (type < 0)
		return -ENOENT;
	out_print(path, sizeof(path), DEVICES "%s/events/%s", pmu, alias);
	int result = sysfs_read(path, text, sizeof(text), err);
	if (result < 0)
		return result == -ENOENT ? result : -EINVAL;
	struct perf_event_attr made = *attr;
	made.type = (uint32_t)type;
	made.config = made.config1 = made.config2 = 0;
	result = put_terms(&made, pmu, text, err);
	if (!result)
		*attr = made;
	return result;
}
