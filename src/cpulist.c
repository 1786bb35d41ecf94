/* SPDX-License-Identifier: GPL-2.0-only */
#include "cpulist.h"

#include <errno.h>
#include <string.h>

#include "err.h"

enum { WORDS = CPULIST_MAX / 64, QUOTE_MAX = 120 };

void cpulist_add(struct cpulist *list, unsigned cpu)
{
	if (cpu < CPULIST_MAX)
		list->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

bool cpulist_has(const struct cpulist *list, unsigned cpu)
{
	return cpu < CPULIST_MAX && list->bits[cpu / 64] >> cpu % 64 & 1;
}

unsigned cpulist_count(const struct cpulist *list)
{
	return cpulist_index(list, CPULIST_MAX);
}

int cpulist_next(const struct cpulist *list, int after)
{
	unsigned cpu = after < 0 ? 0 : (unsigned)after + 1;
	for (unsigned word = cpu / 64; word < WORDS; word++) {
		uint64_t rest = list->bits[word];
		if (word == cpu / 64)
			rest &= UINT64_MAX << cpu % 64;
		if (rest)
			return (int)(word * 64) + __builtin_ctzll(rest);
	}
	return -1;
}

unsigned cpulist_index(const struct cpulist *list, unsigned cpu)
{
	unsigned below = 0;
	for (unsigned word = 0; word < WORDS && word * 64 < cpu; word++) {
		uint64_t bits = list->bits[word];
		if (cpu - word * 64 < 64)
			bits &= (UINT64_C(1) << cpu % 64) - 1;
		/* not __builtin_popcountll: without -mpopcnt it drags a table in */
		for (; bits; bits &= bits - 1)
			below++;
	}
	return below;
}

bool cpulist_contains(const struct cpulist *whole, const struct cpulist *part, int *missing)
{
	for (int word = 0; word < WORDS; word++) {
		uint64_t lacking = part->bits[word] & ~whole->bits[word];
		if (!lacking)
			continue;
		if (missing)
			*missing = word * 64 + __builtin_ctzll(lacking);
		return false;
	}
	return true;
}

void cpulist_and(struct cpulist *list, const struct cpulist *other)
{
	for (int word = 0; word < WORDS; word++)
		list->bits[word] &= other->bits[word];
}

void cpulist_or(struct cpulist *list, const struct cpulist *other)
{
	for (int word = 0; word < WORDS; word++)
		list->bits[word] |= other->bits[word];
}

/* By words, so that a long list of large ranges takes no longer than its text. */
static void add_range(struct cpulist *list, unsigned first, unsigned last)
{
	for (unsigned word = first / 64; word <= last / 64; word++) {
		uint64_t mask = UINT64_MAX;
		if (word == first / 64)
			mask &= UINT64_MAX << first % 64;
		if (word == last / 64)
			mask &= UINT64_MAX >> (63 - last % 64);
		list->bits[word] |= mask;
	}
}

static const char *skip_spaces(const char *p)
{
	return p + strspn(p, " ");
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads a number at *p and the spaces after it. Returns NULL or what is wrong, at *p. */
static const char *parse_number(const char **p, unsigned *cpu)
{
	const char *start = *p;
	if (!is_digit(**p))
		return **p == '\0' || **p == ',' || **p == '\n' ? "a CPU number is missing" : "expected a CPU number";
	for (*cpu = 0; is_digit(**p); ++*p) {
		*cpu = *cpu * 10 + (unsigned)(**p - '0');
		if (*cpu >= CPULIST_MAX) {
			*p = start;
			return "a CPU number above 8191";
		}
	}
	*p = skip_spaces(*p);
	return NULL;
}

/* One "a" or "a-b" and the spaces after it. Returns NULL or what is wrong, at *p. */
static const char *parse_item(struct cpulist *list, const char **p)
{
	unsigned first, last;
	const char *start = *p;
	const char *wrong = parse_number(p, &first);
	if (wrong)
		return wrong;
	last = first;
	if (**p == '-') {
		*p = skip_spaces(*p + 1);
		wrong = parse_number(p, &last);
		if (wrong)
			return wrong;
	}
	if (last < first) {
		*p = start;
		return "a range that ends before it starts";
	}
	add_range(list, first, last);
	return NULL;
}

static const char *parse(struct cpulist *list, const char **p)
{
	*p = skip_spaces(*p);
	if (**p == '\0' || (**p == '\n' && !(*p)[1]))
		return "it is empty";
	for (;;) {
		const char *wrong = parse_item(list, p);
		if (wrong)
			return wrong;
		if (**p != ',')
			break;
		*p = skip_spaces(*p + 1);
	}
	if (**p == '\n')
		++*p;
	return **p ? "expected ',' or '-'" : NULL;
}

int cpulist_parse(struct cpulist *list, const char *text, struct err *err)
{
	_Static_assert(CPULIST_MAX == 8192, "a message names the largest CPU number");
	memset(list, 0, sizeof(*list));
	const char *p = text;
	const char *wrong = parse(list, &p);
	if (!wrong)
		return 0;
	memset(list, 0, sizeof(*list));
	return err_set(err, -EINVAL, "bad CPU list '%.*s%s': %s at character %zu", QUOTE_MAX, text,
		       strlen(text) > QUOTE_MAX ? "..." : "", wrong, (size_t)(p - text) + 1);
}

/* Digits of value, at least one, to p; returns their end. */
static char *put_number(char *p, unsigned value)
{
	if (value >= 10)
		p = put_number(p, value / 10);
	*p = (char)('0' + value % 10);
	return p + 1;
}

void cpulist_format(char *buffer, size_t size, const struct cpulist *list)
{
	size_t used = 0, cut = 0;
	for (int first = cpulist_next(list, -1); first >= 0;) {
		int last = first;
		while (cpulist_has(list, (unsigned)last + 1))
			last++;
		int next = cpulist_next(list, last);

		char item[sizeof("8191-8191,")], *p = put_number(item, (unsigned)first);
		if (last > first) {
			*p++ = '-';
			p = put_number(p, (unsigned)last);
		}
		if (next >= 0)
			*p++ = ',';
		size_t length = (size_t)(p - item);
		if (length >= size - used) {
			memcpy(buffer + cut, "...", 4);
			return;
		}
		memcpy(buffer + used, item, length);
		used += length;
		/* the last end of an item after which the dots still fit */
		if (size - used >= 4)
			cut = used;
		first = next;
	}
	buffer[used] = '\0';
}
