/* SPDX-License-Identifier: GPL-2.0-only */
#include "screen.h"

#include <signal.h>

#include "err.h"
#include "fd.h"
#include "memory.h"
#include "plan.h"
#include "sys_task.h"
#include "watch.h"

/* Nobody reads faster. */
static const uint64_t frame_min_ns = 50000000;

enum { CTRL_L = 'L' - '@' };

int screen_open(struct screen *screen, const struct plan *plan, struct err *err)
{
	if (!plan->live)
		return 0;
	terminal_init(&screen->terminal);
	int result = terminal_open(&screen->terminal, plan->log_fd, !plan->command, err);
	if (result < 0)
		return result;
	screen->plan = plan;
	screen->size.ascii = plan->ascii || terminal_is_ascii();
	screen->size.colour = terminal_has_colour(plan->log_fd);
	sys_task_host(screen->host, sizeof(screen->host));
	result = live_open(&screen->live, plan, screen->host);
	return result < 0 ? err_sys(err, result, "cannot draw") : 0;
}

/* What the terminal takes of the frame; true: all of it is out. */
static bool send(struct screen *screen)
{
	if (screen->sent < screen->frame.used)
		screen->sent += terminal_write(&screen->terminal, screen->frame.buffer + screen->sent,
					       screen->frame.used - screen->sent);
	return screen->sent == screen->frame.used;
}

/* Makes room for frames of the terminal's present size; what is on the screen is of no use if it is another one. False: no
 * memory. */
static bool fit(struct screen *screen, bool *whole)
{
	struct live_screen size = screen->size;
	terminal_size(&screen->terminal, &size.rows, &size.columns);
	if (screen->frame.buffer && size.rows == screen->size.rows && size.columns == screen->size.columns)
		return true;
	memory_free(screen->frame.buffer);
	screen->size = size;
	screen->frame.size = live_frame_size(&size);
	screen->frame.buffer = memory_take(screen->frame.size, 1);
	screen->frame.used = screen->sent = 0;
	*whole = true;
	return screen->frame.buffer;
}

/* whole: nothing is taken for being on the screen already. */
static void draw(struct screen *screen, bool whole)
{
	screen->is_stale = true;
	if (!screen->terminal.is_on || (!whole && !send(screen)) || !fit(screen, &whole))
		return;
	screen->frame.used = screen->sent = 0;
	if (screen->terminal.is_partial)
		out_text(&screen->frame, TERMINAL_CANCEL);
	/* a command may have written there */
	live_draw(&screen->live, &screen->size, whole || screen->plan->command, &screen->frame);
	send(screen);
	screen->is_stale = false;
	screen->drawn_ns = sys_task_clock();
}

/* From the beginning: the screen is empty. */
static void begin(struct screen *screen)
{
	if (terminal_enter(&screen->terminal)) {
		err_held = &screen->notes;
		draw(screen, true);
	}
}

void screen_begin(struct screen *screen)
{
	if (!screen->plan)
		return;
	screen->notes = out_memory(screen->notes_text, sizeof(screen->notes_text));
	begin(screen);
}

void screen_show(struct screen *screen, const struct report *report)
{
	live_add(&screen->live, report);
	/* somebody gave us the terminal without a word */
	if (!screen->terminal.is_on)
		begin(screen);
	else if (sys_task_clock() - screen->drawn_ns >= frame_min_ns)
		draw(screen, false);
}

void screen_watch(const struct screen *screen, struct watch *watch)
{
	const struct terminal *terminal = &screen->terminal;
	const bool is_on = screen->plan && terminal->is_on;
	watch->keys_fd = is_on && !terminal->keys_ended ? terminal->keys_fd : -1;
	watch->room_fd = is_on && screen->sent < screen->frame.used ? terminal->fd : -1;
}

static void leave(struct screen *screen)
{
	terminal_leave(&screen->terminal);
	err_held = NULL;
	fd_write(2, screen->notes.buffer, screen->notes.used);
	screen->notes.used = 0;
}

bool screen_attend(struct screen *screen, int number)
{
	if (number == SIGTSTP) {
		leave(screen);
		terminal_stop();
	}
	if (number == SIGTSTP || number == SIGCONT)
		begin(screen);
	if (number == SIGWINCH)
		draw(screen, true);
	for (int key; (key = terminal_key(&screen->terminal)) >= 0;) {
		if (key == 'q' || key == 'Q')
			return true;
		if (key == CTRL_L)
			begin(screen);
	}
	if (screen->terminal.is_on && send(screen) && screen->is_stale)
		draw(screen, false);
	return false;
}

void screen_close(struct screen *screen)
{
	if (!screen->plan)
		return;
	leave(screen);
	terminal_close(&screen->terminal);
	live_close(&screen->live);
	memory_free(screen->frame.buffer);
	screen->frame = (struct out){0};
	screen->plan = NULL;
}
