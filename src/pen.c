/* SPDX-License-Identifier: GPL-2.0-only */
#include "pen.h"

#include <string.h>

#include "reading.h"

enum { EIGHTHS = 8 };

void pen_begin(struct pen *pen, int row, int width)
{
	pen->out = out_memory(pen->text, sizeof(pen->text));
	pen->row = row;
	pen->column = 0;
	pen->end = width;
	pen->is_loose = false;
}

void pen_style(struct pen *pen, int style)
{
	if (pen->colour)
		out_format(&pen->out, "\x1b[%dm", style);
}

/* One character. */
static void put(struct pen *pen, const char *bytes, size_t length, int columns)
{
	if (pen->column + columns > pen->end)
		return;
	out_bytes(&pen->out, bytes, length);
	pen->column += columns;
}

void pen_put(struct pen *pen, const char *text)
{
	while (*text)
		put(pen, text++, 1, 1);
}

void pen_foreign(struct pen *pen, const char *text)
{
	char clean[512];
	struct out out = out_memory(clean, sizeof(clean));
	out_clean(&out, text);
	for (const char *p = clean; *p && pen->column < pen->end;) {
		size_t length = 1;
		while ((p[length] & 0xc0) == 0x80)
			length++;
		const bool is_ascii = !(*p & 0x80);
		if (is_ascii || pen->ascii || length == 1) {
			put(pen, is_ascii ? p : "?", 1, 1);
		} else {
			/* it may be none, one or two columns wide */
			pen->is_loose = true;
			put(pen, p, length, 2);
		}
		p += length;
	}
}

void pen_move(struct pen *pen, int column)
{
	if (column > pen->end)
		column = pen->end;
	if (pen->is_loose && pen->column <= column) {
		out_format(&pen->out, "\x1b[K\x1b[%d;%dH", pen->row + 1, column + 1);
		pen->column = column;
		pen->is_loose = false;
	}
	while (pen->column < column)
		put(pen, " ", 1, 1);
}

void pen_right(struct pen *pen, const char *text, int width)
{
	pen_move(pen, pen->column + width - (int)strlen(text));
	pen_put(pen, text);
}

/* A block of U+2580 to U+25FF, or what stands for it. */
static void put_block(struct pen *pen, int last_byte, char ascii)
{
	const char block[] = {'\xe2', '\x96', (char)last_byte};
	if (pen->ascii)
		put(pen, &ascii, 1, 1);
	else
		put(pen, block, sizeof(block), 1);
}

/* part / whole * scale, rounded, at most scale */
static int share_of(uint64_t part, uint64_t whole, int scale)
{
	uint64_t share = reading_ratio(part, whole, (uint64_t)scale);
	return share > (uint64_t)scale ? scale : (int)share;
}

/* U+2588 is the full block; down to U+258F each is an eighth narrower. */
void pen_bar(struct pen *pen, uint64_t part, uint64_t whole, int width)
{
	const int unit = pen->ascii ? 1 : EIGHTHS;
	for (int length = share_of(part, whole, width * unit); length > 0; length -= unit)
		put_block(pen, length < unit ? 0x90 - length : 0x88, '#');
}

/* U+2581 is the lowest block, U+2588 the highest. */
void pen_level(struct pen *pen, uint64_t part, uint64_t whole)
{
	const int level = share_of(part, whole, PEN_LEVELS - 1);
	put_block(pen, 0x81 + level, "_.:-=+*#"[level]);
}
