/* SPDX-License-Identifier: GPL-2.0-only */
/* Text into a buffer, or through one to a writer. Takes stdio's place: a fifth of its size, no floating point, no locale. */
#ifndef OUT_H
#define OUT_H

#include <stdarg.h>
#include <stddef.h>

struct out {
	char *buffer;     /* the caller's */
	size_t size, used;
	/* Takes a full buffer: 0 or -errno. NULL: what does not fit is dropped, and the text always ends with NUL. */
	int (*write)(void *context, const char *bytes, size_t count);
	void *context;
	int error;        /* the first failure of write; what comes after it is dropped */
};

/* A text in memory; size at least 1. */
struct out out_memory(char *buffer, size_t size);

void out_bytes(struct out *out, const char *bytes, size_t count);
void out_text(struct out *out, const char *text);

/* Text from outside: what a terminal would obey (controls, C1 ones too) and what is no UTF-8 becomes '?'. */
void out_clean(struct out *out, const char *text);

/* The same in place. */
void out_disarm(char *text);

/* The same for between quotes. escape: what comes before each quote: a quote; or a backslash, which then also comes before each
 * backslash, and a newline is \n. */
void out_escaped(struct out *out, const char *text, char escape);

/* As printf: %d %i %u %x %c %s %p and %%, with l, ll, z, the flags - and 0, a width and a precision (numbers or *). No other:
 * a wrong one is printed as it stands. */
void out_format(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_vformat(struct out *out, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Hands what is buffered to the writer. Returns 0, or the first failure's -errno. */
int out_flush(struct out *out);

/* As snprintf, without its result: the text is cut to fit and ends with NUL. */
void out_print(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
