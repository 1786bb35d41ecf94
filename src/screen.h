/* SPDX-License-Identifier: GPL-2.0-only */
/* --live: intervals on a terminal. What stderr is told meanwhile is kept until the terminal is left. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live.h"
#include "out.h"
#include "terminal.h"

struct err;
struct plan;
struct report;
struct watch;

struct screen {
	const struct plan *plan;  /* NULL: there is no screen, and all of these do nothing */
	struct terminal terminal;
	struct live live;
	struct live_screen size;
	struct out frame;         /* as it is to go out */
	size_t sent;              /* how much of it has */
	bool is_stale;            /* there is news that it does not show */
	uint64_t drawn_ns;
	struct out notes;
	char notes_text[4096];
	char host[65];            /* as uname(2) has it */
};

/* Makes one if the plan wants it. Returns 0 or -errno with a text; also where the terminal is none to draw on. */
int screen_open(struct screen *screen, const struct plan *plan, struct err *err);

/* Draws for the first time; from here on the terminal is ours. */
void screen_begin(struct screen *screen);

/* Takes in an interval and draws it: not more than twenty times a second, and not while the frame before is still on its way. */
void screen_show(struct screen *screen, const struct report *report);

/* Gives `watch` what the screen waits for. */
void screen_watch(const struct screen *screen, struct watch *watch);

/* Something of it has come, or, with a number, that signal: WINCH, TSTP or CONT. True: the user wants the end. */
bool screen_attend(struct screen *screen, int number);

/* Leaves the terminal as it was; then come the notes. May be called twice. */
void screen_close(struct screen *screen);

#endif
