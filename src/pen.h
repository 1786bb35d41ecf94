/* SPDX-License-Identifier: GPL-2.0-only */
/* A line of a terminal that is being written: what does not fit is cut. Pure. */
#ifndef PEN_H
#define PEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "out.h"

/* Bytes: a column takes three at most (a block; a foreign character of four is given two columns), colours and moves some more. */
enum { PEN_COLUMNS_MAX = 512, PEN_BYTES_PER_COLUMN = 3, PEN_BYTES_PER_LINE = 160, PEN_LEVELS = 8 };

struct pen {
	bool ascii, colour;   /* the caller's */
	struct out out;       /* into text */
	int row, column, end; /* from 0; column: the next one; end: the first that is not to be used */
	bool is_loose;        /* something foreign may have taken fewer columns than it was given */
	char text[PEN_COLUMNS_MAX * PEN_BYTES_PER_COLUMN + PEN_BYTES_PER_LINE];
};

/* Begins a line of so many columns. */
void pen_begin(struct pen *pen, int row, int width);

/* A style by its number in ECMA-48's SGR; 0 ends all. Nothing without colour. */
void pen_style(struct pen *pen, int style);

/* ASCII of ours. */
void pen_put(struct pen *pen, const char *text);

/* Text from outside: without what a terminal would obey, and, in ASCII, with '?' for all else. */
void pen_foreign(struct pen *pen, const char *text);

/* Goes on in this column, with blanks up to there; not back. */
void pen_move(struct pen *pen, int column);

/* Right-aligned in so many columns. */
void pen_right(struct pen *pen, const char *text, int width);

/* part of whole as a bar of at most width columns, or as a level: one of eight that are ever higher. */
void pen_bar(struct pen *pen, uint64_t part, uint64_t whole, int width);
void pen_level(struct pen *pen, uint64_t part, uint64_t whole);

#endif
