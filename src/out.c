/* SPDX-License-Identifier: GPL-2.0-only */
#include "out.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct out out_memory(char *buffer, size_t size)
{
	buffer[0] = '\0';
	return (struct out){.buffer = buffer, .size = size};
}

int out_flush(struct out *out)
{
	if (out->write && out->used && !out->error)
		out->error = out->write(out->context, out->buffer, out->used);
	if (out->write)
		out->used = 0;
	return out->error;
}

void out_bytes(struct out *out, const char *bytes, size_t count)
{
	while (count) {
		size_t room = out->size - out->used - (out->write ? 0 : 1);
		size_t part = count < room ? count : room;
		memcpy(out->buffer + out->used, bytes, part);
		out->used += part;
		bytes += part;
		count -= part;
		if (!out->write) {
			out->buffer[out->used] = '\0';
			return;
		}
		if (out->used == out->size)
			out_flush(out);
	}
}

void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

/* One conversion: %[flags][width][.precision][length]letter. */
struct spec {
	bool left, zero, is_negative;
	int width, precision; /* precision -1: not given */
	int longs;            /* 0 int, 1 long, 2 long long, 3 size_t */
	char letter;
};

static void pad(struct out *out, char c, size_t count)
{
	while (count--)
		out_bytes(out, &c, 1);
}

static void put(struct out *out, const struct spec *spec, const char *text, size_t length)
{
	size_t width = spec->width > 0 ? (size_t)spec->width : 0;
	size_t fill = width > length + spec->is_negative ? width - length - spec->is_negative : 0;
	if (!spec->left && !spec->zero)
		pad(out, ' ', fill);
	pad(out, '-', spec->is_negative);
	if (!spec->left && spec->zero)
		pad(out, '0', fill);
	out_bytes(out, text, length);
	if (spec->left)
		pad(out, ' ', fill);
}

static void put_number(struct out *out, const struct spec *spec, uint64_t value, unsigned base)
{
	char digits[24];
	size_t at = sizeof(digits);
	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	put(out, spec, digits + at, sizeof(digits) - at);
}

static int read_number(const char **format, va_list *args)
{
	int value = 0;
	if (**format == '*') {
		++*format;
		return va_arg(*args, int);
	}
	for (; **format >= '0' && **format <= '9'; ++*format)
		value = value * 10 + (**format - '0');
	return value;
}

static struct spec read_spec(const char **format, va_list *args)
{
	struct spec spec = {.precision = -1};
	for (;; ++*format) {
		if (**format == '-')
			spec.left = true;
		else if (**format == '0')
			spec.zero = true;
		else
			break;
	}
	spec.width = read_number(format, args);
	if (**format == '.') {
		++*format;
		spec.precision = read_number(format, args);
	}
	for (; **format == 'l'; ++*format)
		spec.longs++;
	if (**format == 'z') {
		spec.longs = 3;
		++*format;
	}
	spec.letter = **format;
	if (spec.letter)
		++*format;
	return spec;
}

static int64_t take_signed(const struct spec *spec, va_list *args)
{
	switch (spec->longs) {
	case 0:
		return va_arg(*args, int);
	case 1:
		return va_arg(*args, long);
	case 2:
		return va_arg(*args, long long);
	default:
		return va_arg(*args, ptrdiff_t);
	}
}

static uint64_t take_unsigned(const struct spec *spec, va_list *args)
{
	switch (spec->longs) {
	case 0:
		return va_arg(*args, unsigned);
	case 1:
		return va_arg(*args, unsigned long);
	case 2:
		return va_arg(*args, unsigned long long);
	default:
		return va_arg(*args, size_t);
	}
}

static void convert(struct out *out, struct spec *spec, va_list *args)
{
	const char *text;
	int64_t number;
	char c;
	switch (spec->letter) {
	case 'd':
	case 'i':
		number = take_signed(spec, args);
		spec->is_negative = number < 0;
		put_number(out, spec, number < 0 ? -(uint64_t)number : (uint64_t)number, 10);
		break;
	case 'u':
		put_number(out, spec, take_unsigned(spec, args), 10);
		break;
	case 'x':
		put_number(out, spec, take_unsigned(spec, args), 16);
		break;
	case 'p':
		put_number(out, spec, (uintptr_t)va_arg(*args, void *), 16);
		break;
	case 's':
		text = va_arg(*args, const char *);
		put(out, spec, text, spec->precision < 0 ? strlen(text) : strnlen(text, (size_t)spec->precision));
		break;
	case 'c':
		c = (char)va_arg(*args, int);
		put(out, spec, &c, 1);
		break;
	default:
		out_bytes(out, "%", 1);
		if (spec->letter && spec->letter != '%')
			out_bytes(out, &spec->letter, 1);
	}
}

void out_vformat(struct out *out, const char *format, va_list args)
{
	va_list taken; /* a va_list parameter may be an array: its address is not a va_list * */
	va_copy(taken, args);
	while (*format) {
		const char *end = strchr(format, '%');
		out_bytes(out, format, end ? (size_t)(end - format) : strlen(format));
		if (!end)
			break;
		format = end + 1;
		struct spec spec = read_spec(&format, &taken);
		convert(out, &spec, &taken);
	}
	va_end(taken);
}

void out_format(struct out *out, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	out_vformat(out, format, args);
	va_end(args);
}

void out_print(char *buffer, size_t size, const char *format, ...)
{
	struct out out = out_memory(buffer, size);
	va_list args;
	va_start(args, format);
	out_vformat(&out, format, args);
	va_end(args);
}

/* How many bytes the UTF-8 character at p takes; 0 if it is none, or one that a terminal would obey. */
static int printable_length(const char *p)
{
	/* the least character that takes so many bytes: what could be written in fewer is no UTF-8 */
	static const unsigned least[] = {0, 0, 0xa0 /* before it: the C1 controls, CSI among them */, 0x800, 0x10000};
	unsigned char c = (unsigned char)*p;
	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	const int length = c >= 0xf8 ? 0 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 0;
	unsigned character = c & (0x7fU >> length);
	for (int i = 1; i < length; i++) {
		c = (unsigned char)p[i];
		if ((c & 0xc0) != 0x80)
			return 0;
		character = character << 6 | (c & 0x3f);
	}
	/* U+D800..U+DFFF are halves of UTF-16 */
	return character < least[length] || character > 0x10ffff || character >> 11 == 0x1b ? 0 : length;
}

static void put_escaped(struct out *out, const char *text, char escape)
{
	while (*text) {
		int length = printable_length(text);
		if (escape && (*text == '"' || *text == escape))
			out_bytes(out, &escape, 1);
		if (length)
			out_bytes(out, text, (size_t)length);
		else
			out_text(out, *text == '\n' && escape == '\\' ? "\\n" : "?");
		text += length ? length : 1;
	}
}

void out_clean(struct out *out, const char *text)
{
	put_escaped(out, text, '\0');
}

void out_disarm(char *text)
{
	for (int length; *text; text += length) {
		length = printable_length(text);
		if (length)
			continue;
		*text = '?';
		length = 1;
	}
}

void out_escaped(struct out *out, const char *text, char escape)
{
	put_escaped(out, text, escape);
}
