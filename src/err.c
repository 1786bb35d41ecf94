/* SPDX-License-Identifier: GPL-2.0-only */
#include "err.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "fd.h"
#include "out.h"

/* The kernel's own ENOTSUPP (include/linux/errno.h) leaks out of bpf(2); no libc has a text for it. */
enum { KERNEL_ENOTSUPP = 524 };

const char *err_reason(int error)
{
	return error == KERNEL_ENOTSUPP ? "Not supported by this kernel (524)" : strerror(error);
}

static void vset(char *text, size_t size, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

static void vset(char *text, size_t size, const char *format, va_list args)
{
	struct out out = out_memory(text, size);
	out_vformat(&out, format, args);
	out_disarm(text);
}

int err_set(struct err *err, int code, const char *format, ...)
{
	if (!err)
		return code;
	va_list args;
	va_start(args, format);
	vset(err->text, sizeof(err->text), format, args);
	va_end(args);
	err->hint[0] = err->shown[0] = '\0';
	return code;
}

int err_sys(struct err *err, int code, const char *format, ...)
{
	if (!err)
		return code;
	va_list args;
	va_start(args, format);
	vset(err->text, sizeof(err->text), format, args);
	va_end(args);
	size_t used = strlen(err->text);
	out_print(err->text + used, sizeof(err->text) - used, ": %s", err_reason(-code));
	err->hint[0] = err->shown[0] = '\0';
	return code;
}

void err_prefix(struct err *err, const char *format, ...)
{
	if (!err)
		return;
	char old[ERR_TEXT_SIZE];
	memcpy(old, err->text, sizeof(old));
	va_list args;
	va_start(args, format);
	vset(err->text, sizeof(err->text), format, args);
	va_end(args);
	size_t used = strlen(err->text);
	out_print(err->text + used, sizeof(err->text) - used, ": %s", old);
}

void err_show(struct err *err, const char *written, size_t offset)
{
	enum { INDENT = 2, WIDTH = 70 };
	_Static_assert(2 * (INDENT + WIDTH) + sizeof("\n^\n") <= ERR_SHOWN_SIZE, "both lines fit");
	if (!err)
		return;
	const size_t start = strlen(written) > WIDTH && offset > WIDTH / 2 ? offset - WIDTH / 2 : 0;
	out_print(err->shown, sizeof(err->shown), "%*s%.*s", INDENT, "", WIDTH, written + start);
	/* a byte is to be a column */
	for (char *p = err->shown; *p; p++)
		*p = *p < 0x20 || *p > 0x7e ? '?' : *p;
	size_t used = strlen(err->shown);
	out_print(err->shown + used, sizeof(err->shown) - used, "\n%*s^\n", (int)(INDENT + offset - start), "");
}

void err_hint(struct err *err, const char *format, ...)
{
	if (!err || err->hint[0])
		return;
	va_list args;
	va_start(args, format);
	vset(err->hint, sizeof(err->hint), format, args);
	va_end(args);
}

int err_verbosity;
struct out *err_held;

/* One write a line: the lines of sessions side by side do not mix. */
void err_line(const char *text)
{
	char line[ERR_TEXT_SIZE + 32];
	out_print(line, sizeof(line) - 1, "bperf-mini: %s", text);
	size_t length = strlen(line);
	line[length++] = '\n';
	if (err_held)
		out_bytes(err_held, line, length);
	else
		fd_write(2, line, length); /* there is nobody to tell of a failure */
}

void err_print(const struct err *err)
{
	err_line(err->text);
	fd_write(2, err->shown, strlen(err->shown));
	if (err->hint[0])
		err_line(err->hint);
}

void err_note(int level, const char *format, ...)
{
	if (err_verbosity < level)
		return;
	char text[ERR_TEXT_SIZE];
	va_list args;
	va_start(args, format);
	vset(text, sizeof(text), format, args);
	va_end(args);
	err_line(text);
}
