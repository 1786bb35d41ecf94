/* SPDX-License-Identifier: GPL-2.0-only */
/* Unit tests that print TAP for prove(1): a test is a function, each checks a fact with a name. */
#ifndef TEST_H
#define TEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int test_number, test_failures;

__attribute__((unused, format(printf, 4, 5))) static bool test_ok(bool ok, const char *file, int line, const char *format, ...)
{
	char name[512];
	__builtin_va_list args;
	__builtin_va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	__builtin_va_end(args);
	for (char *p = name; *p; p++) {
		if (*p == '\n' || *p == '#')
			*p = ' ';
	}
	printf("%sok %d - %s\n", ok ? "" : "not ", ++test_number, name);
	if (!ok) {
		test_failures++;
		printf("# failed at %s:%d\n", file, line);
	}
	return ok;
}

/* OK(condition, "name with %s", x); the rest compare and show both sides when they differ. */
#define OK(condition, ...) test_ok((condition), __FILE__, __LINE__, __VA_ARGS__)
#define EQ_U64(got, want, ...) \
	do { \
		uint64_t got_ = (uint64_t)(got), want_ = (uint64_t)(want); \
		if (!OK(got_ == want_, __VA_ARGS__)) \
			printf("# got %" PRIu64 ", want %" PRIu64 "\n", got_, want_); \
	} while (0)
#define EQ_INT(got, want, ...) \
	do { \
		int64_t got_ = (got), want_ = (want); \
		if (!OK(got_ == want_, __VA_ARGS__)) \
			printf("# got %" PRId64 ", want %" PRId64 "\n", got_, want_); \
	} while (0)
#define EQ_TEXT(got, want, ...) \
	do { \
		const char *got_ = (got), *want_ = (want); \
		if (!OK(got_ && !strcmp(got_, want_), __VA_ARGS__)) \
			printf("# got  %s\n# want %s\n", got_ ? got_ : "(null)", want_); \
	} while (0)

/* The last line of main: the plan, and the exit status. */
static inline int test_done(void)
{
	printf("1..%d\n", test_number);
	return test_failures ? 1 : 0;
}

#endif
