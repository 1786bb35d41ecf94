/* SPDX-License-Identifier: GPL-2.0-only */
/* A terminal that is drawn on for a while and then left as it was. There is no terminfo: sequences are a few of ECMA-48 that every
 * terminal knows, and two private modes (of DEC and xterm) that are ignored where they are not known. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct err;

/* CAN: ends a sequence that was cut off (is_partial) */
#define TERMINAL_CANCEL "\x18"

struct terminal {
	int output_fd;         /* the caller's */
	int fd;                /* the same terminal by a description of its own, which does not block */
	int keys_fd;           /* where keys come from: 0, or -1: nowhere */
	bool keys_ended;       /* there will be no more */
	bool is_on;            /* it is drawn on */
	bool is_partial;       /* what was written last is not out as a whole */
	struct termios before; /* of keys_fd */
};

/* Nothing open: what terminal_close may be called on. */
void terminal_init(struct terminal *terminal);

/* takes_keys: standard input, if it is this terminal, is ours to read. Returns 0, or -errno with a text and advice where
 * output_fd is no terminal, or one that cannot move its cursor (TERM). Nothing is changed yet. */
int terminal_open(struct terminal *terminal, int output_fd, bool takes_keys, struct err *err);

/* Goes to the other screen, empties it, hides the cursor; keys come one by one and without echo. False, and nothing is changed:
 * another process group has the terminal now. Also again after it was on: what others did to it meanwhile is undone. */
bool terminal_enter(struct terminal *terminal);

/* Back to the screen, the cursor and the modes that were there. May be called twice. */
void terminal_leave(struct terminal *terminal);

/* Stops our process as Ctrl-Z does, until it is continued; TSTP is blocked before and after. */
void terminal_stop(void);

/* Its size in characters; 80 x 24 where it does not know, as on serial lines. */
void terminal_size(const struct terminal *terminal, int *rows, int *columns);

/* Writes what it takes now, and returns how much that was. What fails is taken for written: a terminal that is gone sends HUP. */
size_t terminal_write(struct terminal *terminal, const char *bytes, size_t count);

/* The next key that was pressed, or -1. */
int terminal_key(struct terminal *terminal);

/* By the locale and TERM: can it show ASCII only? */
bool terminal_is_ascii(void);

/* Is it a terminal that has colours, for a user who wants them? Not where NO_COLOR (no-color.org) is set. */
bool terminal_has_colour(int fd);

/* Leaves it, too; TSTP, CONT and WINCH do again what they always do. May be called twice. */
void terminal_close(struct terminal *terminal);

#endif
