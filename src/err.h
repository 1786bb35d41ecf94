/* SPDX-License-Identifier: GPL-2.0-only */
/* The message that travels up: the leaf writes it, callers prefix it, main prints it once. */
#ifndef ERR_H
#define ERR_H

#include <stddef.h>

enum { ERR_TEXT_SIZE = 768, ERR_HINT_SIZE = 256, ERR_SHOWN_SIZE = 160 };

/* Starts zeroed ({0}). text: what, on which object, why. shown: empty, or two lines: what the user wrote, and a caret under the
 * character that is meant. hint: one line of advice, empty if the cause is not known. */
struct err {
	char text[ERR_TEXT_SIZE];
	char shown[ERR_SHOWN_SIZE];
	char hint[ERR_HINT_SIZE];
};

struct out;

#define ERR_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Replaces the text; drops the rest. Returns code, so that `return err_set(err, -EINVAL, ...)` is one line.
 * In all of these err may be NULL; control characters are replaced by '?' so that nothing foreign reaches a terminal. */
int err_set(struct err *err, int code, const char *format, ...) ERR_PRINTF(3, 4);

/* As err_set, then appends ": " and the name of the reason -code (an errno; 524, ENOTSUPP, is known too). */
int err_sys(struct err *err, int code, const char *format, ...) ERR_PRINTF(3, 4);

/* Puts the words and ": " before the text. */
void err_prefix(struct err *err, const char *format, ...) ERR_PRINTF(2, 3);

/* Sets what is shown, cut on both sides where it is longer than a line. */
void err_show(struct err *err, const char *written, size_t offset);

/* Sets the advice, unless there is one: the leaf knows best. */
void err_hint(struct err *err, const char *format, ...) ERR_PRINTF(2, 3);

/* What -v tells, and notes to a count: a line on stderr, at once, if the verbosity (0: as it is without -v) is at least level. */
extern int err_verbosity;
void err_note(int level, const char *format, ...) ERR_PRINTF(2, 3);

/* "bperf-mini: TEXT" and a newline on stderr; or, while a screen is drawn there, into err_held. */
extern struct out *err_held;
void err_line(const char *text);

/* All that the error says, likewise. */
void err_print(const struct err *err);

/* The reason as text ("Permission denied"), for a positive errno; never NULL. */
const char *err_reason(int error);

#endif
