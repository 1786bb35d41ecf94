/* SPDX-License-Identifier: GPL-2.0-only */
#include "pmu.h"

#include <errno.h>
#include <string.h>

#include "cpulist.h"
#include "err.h"
#include "event.h"
#include "out.h"
#include "sysfs.h"

/* Longer names are not found. No file here is longer than a page, few are than a line. */
enum { FILE_SIZE = 512, PATH_SIZE = 256, NAME_MOST = 64, DECIMALS_MOST = 99 };

/* --- text --------------------------------------------------------------------------------------------------------------- */

/* Decimal, leading zeros or not, or hexadecimal behind 0x. Moves *text behind it; false: there is none, or too large a one. */
static bool read_number(const char **text, uint64_t *value)
{
	unsigned base = 10;
	const char *at = *text;
	if (at[0] == '0' && (at[1] | 0x20) == 'x') {
		base = 16;
		at += 2;
	}
	const char *start = at;
	for (*value = 0; event_digit(*at) < base; at++) {
		if (*value > (UINT64_MAX - event_digit(*at)) / base)
			return false;
		*value = *value * base + event_digit(*at);
	}
	*text = at;
	return at != start;
}

bool pmu_next_term(struct pmu_term *term, const char **at, const char *end)
{
	const char *p = term->name = *at;
	bool is_quoted = false;
	if (p >= end)
		return false;
	term->value = NULL;
	for (; p < end && (*p != ',' || is_quoted); p++) {
		is_quoted ^= *p == '\'';
		if (*p == '=' && !term->value)
			term->value = p + 1;
	}
	term->name_length = (size_t)((term->value ? term->value - 1 : p) - term->name);
	term->value_length = term->value ? (size_t)(p - term->value) : 0;
	*at = p + (p < end);
	return true;
}

static uint64_t *config_word(struct perf_event_attr *attr, const char *name, size_t length)
{
	if (length < 6 || length > 7 || memcmp(name, "config", 6))
		return NULL;
	if (length == 6)
		return &attr->config;
	return name[6] == '1' ? &attr->config1 : name[6] == '2' ? &attr->config2 : name[6] == '3' ? &attr->config3 : NULL;
}

/* "config:0-7,32-35": the lowest bits of the value go to the first range, and so on. Returns 0; -EINVAL: the format makes no sense;
 * -ERANGE: the value is more than *most. */
static int put_bits(struct perf_event_attr *attr, const char *format, uint64_t value, uint64_t *most)
{
	const size_t length = strcspn(format, ":");
	uint64_t *word = config_word(attr, format, length), bits = 0;
	const char *at = format + length;
	if (!word || !*at)
		return -EINVAL;
	*most = 0;
	do {
		uint64_t first, last;
		at++;
		if (!read_number(&at, &first))
			return -EINVAL;
		last = first;
		if (*at == '-') {
			at++;
			if (!read_number(&at, &last))
				return -EINVAL;
		}
		if (first > last || last > 63)
			return -EINVAL;
		const uint64_t mask = UINT64_MAX >> (63 - (last - first));
		bits |= (value & mask) << first;
		/* twice, as a shift by 64 is none */
		value = value >> (last - first) >> 1;
		*most = *most << (last - first) << 1 | mask;
	} while (*at == ',');
	if (*at)
		return -EINVAL;
	*word |= bits;
	return value ? -ERANGE : 0;
}

/* "6.103515625e-5": 19 digits are kept, the last one rounded. */
static bool read_scale(const char *text, uint64_t *scale, int *exponent)
{
	const uint64_t full = UINT64_C(1000000000000000000);
	uint64_t value = 0;
	bool has_point = false, rounds_up = false, is_cut = false;
	int decimals = 0;
	for (;; text++) {
		const unsigned digit = event_digit(*text);
		if (*text == '.' && !has_point) {
			has_point = true;
		} else if (digit > 9) {
			break;
		} else if (value < full) {
			value = value * 10 + digit;
			decimals += has_point;
		} else {
			rounds_up |= !is_cut && digit >= 5;
			is_cut = true;
			decimals -= !has_point;
		}
	}
	value += rounds_up;
	if ((*text | 0x20) == 'e') {
		text++;
		const bool is_negative = *text == '-';
		text += *text == '-' || *text == '+';
		int given = event_digit(*text) < 10 ? 0 : DECIMALS_MOST + 1;
		for (; event_digit(*text) < 10 && given <= DECIMALS_MOST; text++)
			given = given * 10 + (int)event_digit(*text);
		decimals += is_negative ? given : -given;
		if (given > DECIMALS_MOST)
			return false;
	}
	for (; value && value % 10 == 0; value /= 10)
		decimals--;
	*scale = value;
	*exponent = -decimals;
	return value && !*text && decimals >= -DECIMALS_MOST && decimals <= DECIMALS_MOST;
}

/* --- files -------------------------------------------------------------------------------------------------------------- */

struct file {
	char path[PATH_SIZE], text[FILE_SIZE];
};

/* Reads PMU/FOLDER/NAME, the name in two parts. Returns 0; -ENOENT: there is none; -EINVAL with a text. */
static int read_file(struct file *file, const char *folder, const char *pmu, const char *name, size_t length,
		     const char *suffix, struct err *err)
{
	/* what stands beside an alias, or elsewhere, is none */
	if (!length || length > NAME_MOST || memchr(name, '.', length) || memchr(name, '/', length))
		return -ENOENT;
	out_print(file->path, sizeof(file->path), PMU_DEVICES "/%s/%s%.*s%s", pmu, folder, (int)length, name, suffix);
	int result = sysfs_read(file->path, file->text, sizeof(file->text), err);
	if (result < 0)
		return result == -ENOENT ? result : -EINVAL;
	size_t used = strlen(file->text);
	if (used < (size_t)result)
		return err_set(err, -EINVAL, "%s%s has a NUL byte", sysfs_root, file->path);
	while (used && (file->text[used - 1] == '\n' || file->text[used - 1] == ' '))
		file->text[--used] = '\0';
	return 0;
}

static int refuse_file(const struct file *file, struct err *err)
{
	return err_set(err, -EINVAL, "cannot make sense of %s%s: '%.100s'", sysfs_root, file->path, file->text);
}

int pmu_put_term(struct perf_event_attr *attr, const char *pmu, const struct pmu_term *term, struct err *err)
{
	const int length = (int)term->name_length, value_length = (int)term->value_length;
	uint64_t value = 1, most, *word = config_word(attr, term->name, term->name_length);
	struct file format;
	int result = word ? 0 : read_file(&format, "format/", pmu, term->name, term->name_length, "", err);
	if (result < 0)
		return result;
	const char *end = term->value;
	if (end ? !read_number(&end, &value) || end != term->value + value_length : !!word)
		return err_set(err, -EINVAL, "%.*s needs a number, up to 64 bits, not '%.*s'", length, term->name,
			       value_length, term->value ? term->value : "");
	if (word) {
		*word |= value;
		return 0;
	}
	result = put_bits(attr, format.text, value, &most);
	if (result == -ERANGE)
		err_set(err, result, "%.*s of %s is at most %llu, not %.*s", length, term->name, pmu,
			(unsigned long long)most, value_length, term->value);
	else if (result < 0)
		refuse_file(&format, err);
	return result < 0 ? -EINVAL : 0;
}

/* The files beside events/NAME. */
static int read_about(struct event *event, const char *pmu, const struct pmu_term *alias, struct err *err)
{
	enum { SCALE, UNIT, SNAPSHOT, PER_PACKAGE, SUFFIXES };
	static const char suffixes[SUFFIXES][10] = {".scale", ".unit", ".snapshot", ".per-pkg"};
	struct file file;
	struct out unit = out_memory(event->unit, sizeof(event->unit));
	for (int i = 0; i < SUFFIXES; i++) {
		const int result = read_file(&file, "events/", pmu, alias->name, alias->name_length, suffixes[i], err);
		if (result == -ENOENT)
			continue;
		if (result < 0)
			return result;
		if (i == SCALE ? !read_scale(file.text, &event->scale, &event->scale_exponent)
			       : strlen(file.text) >= sizeof(event->unit))
			return refuse_file(&file, err);
		if (i == UNIT)
			out_clean(&unit, file.text);
		else if (i > UNIT)
			*(i == SNAPSHOT ? &event->is_snapshot : &event->is_per_package) = file.text[0] == '1';
	}
	return 0;
}

static bool is_given(const struct pmu_term *term, const char *given, const char *end)
{
	struct pmu_term other;
	while (pmu_next_term(&other, &given, end)) {
		if (other.value && other.name_length == term->name_length &&
		    !memcmp(other.name, term->name, term->name_length))
			return true;
	}
	return false;
}

int pmu_put_alias(struct event *event, const char *pmu, const struct pmu_term *alias, const char *given,
		  const char *given_end, struct err *err)
{
	struct file file;
	struct pmu_term term;
	int result = read_file(&file, "events/", pmu, alias->name, alias->name_length, "", err);
	const char *at = file.text;
	if (result < 0)
		return result;
	while (pmu_next_term(&term, &at, file.text + strlen(file.text))) {
		if (is_given(&term, given, given_end))
			continue;
		if (term.value && *term.value == '?')
			return err_set(err, -EINVAL, "%.*s needs a value: %.*s=..", (int)alias->name_length, alias->name,
				       (int)term.name_length, term.name);
		result = pmu_put_term(&event->attr, pmu, &term, err);
		if (result == -ENOENT)
			return refuse_file(&file, err);
		if (result < 0) {
			err_prefix(err, "%s%s", sysfs_root, file.path);
			return result;
		}
	}
	return read_about(event, pmu, alias, err);
}

int pmu_set_type(struct event *event, const char *pmu, struct err *err)
{
	struct file file;
	uint64_t type;
	int result = strlen(pmu) < sizeof(event->pmu) ? read_file(&file, "", pmu, "type", 4, "", err) : -ENOENT;
	if (result < 0)
		return result;
	const char *end = file.text;
	if (!read_number(&end, &type) || *end || type > INT32_MAX)
		return refuse_file(&file, err);
	event->attr.type = (uint32_t)type;
	out_print(event->pmu, sizeof(event->pmu), "%s", pmu);
	return 0;
}

int pmu_set_cpus(struct event *event, struct err *err)
{
	struct file file;
	for (int i = 0; i < 2 && !event->has_cpus; i++) {
		const char *name = i ? "cpumask" : "cpus";
		if (read_file(&file, "", event->pmu, name, i ? 7 : 4, "", NULL) == -ENOENT)
			continue;
		/* again: a list can be long */
		int result = sysfs_list(&event->cpus, file.path, err);
		if (result <= 0)
			return result ? -EINVAL : refuse_file(&file, err);
		event->has_cpus = true;
		event->is_cpus_only = i;
	}
	return 0;
}

bool pmu_is_core(const char *pmu)
{
	struct file file;
	return event_find_word("cpu;cpum_cf", pmu, strlen(pmu)) >= 0 ||
	       read_file(&file, "", pmu, "cpus", 4, "", NULL) != -ENOENT;
}

/* Hexadecimal numbers have more than two digits: s390's cpum_cf is none of a family cpum. */
size_t pmu_family_length(const char *pmu)
{
	const char *bar = strrchr(pmu, '_');
	size_t length = strlen(pmu);
	if (bar && strlen(bar) > 3 && !bar[1 + strspn(bar + 1, "0123456789abcdef")])
		return (size_t)(bar - pmu);
	while (length && pmu[length - 1] >= '0' && pmu[length - 1] <= '9')
		length--;
	return length - (length && pmu[length] && pmu[length - 1] == '_');
}

bool pmu_has_alias(const char *pmu, const char *name, size_t length)
{
	struct file file;
	return read_file(&file, "events/", pmu, name, length, "", NULL) != -ENOENT;
}

int pmu_alias(struct perf_event_attr *attr, const char *pmu, const char *alias, size_t length, struct err *err)
{
	struct event event = {.attr = *attr};
	const struct pmu_term term = {.name = alias, .name_length = length};
	event.attr.config = event.attr.config1 = event.attr.config2 = 0;
	int result = pmu_set_type(&event, pmu, err);
	if (!result)
		result = pmu_put_alias(&event, pmu, &term, NULL, NULL, err);
	if (!result)
		*attr = event.attr;
	return result;
}
