/* SPDX-License-Identifier: GPL-2.0-only */
#include "err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The kernel's own ENOTSUPP (include/linux/errno.h) leaks out of bpf(2); no libc has a text for it. */
enum { KERNEL_ENOTSUPP = 524 };

const char *err_reason(int error)
{
	return error == KERNEL_ENOTSUPP ? "Not supported by this kernel (524)" : strerror(error);
}

static void clean(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
	}
}

int err_set(struct err *err, int code, const char *format, ...)
{
	if (!err)
		return code;
	va_list args;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	clean(err->text);
	err->hint[0] = '\0';
	return code;
}

int err_sys(struct err *err, int code, const char *format, ...)
{
	if (!err)
		return code;
	va_list args;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", err_reason(-code));
	clean(err->text);
	err->hint[0] = '\0';
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
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", old);
	clean(err->text);
}

void err_hint(struct err *err, const char *format, ...)
{
	if (!err || err->hint[0])
		return;
	va_list args;
	va_start(args, format);
	vsnprintf(err->hint, sizeof(err->hint), format, args);
	va_end(args);
	clean(err->hint);
}
