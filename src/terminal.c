/* SPDX-License-Identifier: GPL-2.0-only */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"
#include "fd.h"
#include "out.h"
#include "sys_task.h"

/* CSI ? 1049: xterm's other screen, with the cursor's place kept; a terminal without one ignores it. CSI ? 25: the cursor. The
 * lowest line is left behind for such a terminal, where what was drawn stays. */
#define ENTER "\x1b[?1049h"
#define CLEAR "\x1b[?25l\x1b[0m\x1b[2J"
#define LEAVE "\x1b[0m\x1b[%d;1H\r\n\x1b[?25h\x1b[?1049l"

enum { ROWS_UNKNOWN = 24, COLUMNS_UNKNOWN = 80 };

/* "a b c": is the text one of the words? With is_prefix: does it begin as one of them does? */
static bool is_among(const char *text, const char *words, bool is_prefix)
{
	for (const char *word = words; *word; word += strspn(word, " ")) {
		size_t length = strcspn(word, " ");
		if (!strncmp(text, word, length) && (is_prefix || !text[length]))
			return true;
		word += length;
	}
	return false;
}

bool terminal_is_ascii(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *locale = "";
	for (int i = 0; !*locale && i < 3; i++)
		locale = sys_task_environment(names[i]);
	const char *charset = strchr(locale, '.');
	return !charset || (strncasecmp(charset, ".utf-8", 6) && strncasecmp(charset, ".utf8", 5)) ||
	       is_among(sys_task_environment("TERM"), "linux vt1 vt2 vt3 vt4 vt5 ansi", true);
}

/* TERM, or "" where that can do nothing but print. */
static const char *usable_term(void)
{
	const char *term = sys_task_environment("TERM");
	return is_among(term, "dumb unknown", false) ? "" : term;
}

bool terminal_has_colour(int fd)
{
	return isatty(fd) && *usable_term() && !*sys_task_environment("NO_COLOR");
}

void terminal_init(struct terminal *terminal)
{
	*terminal = (struct terminal){.output_fd = -1, .fd = -1, .keys_fd = -1};
}

static bool is_same_file(int a, int b)
{
	struct stat one, other;
	return !fstat(a, &one) && !fstat(b, &other) && one.st_rdev == other.st_rdev;
}

int terminal_open(struct terminal *terminal, int output_fd, bool takes_keys, struct err *err)
{
	char path[32];
	if (!isatty(output_fd)) {
		err_set(err, -ENOTTY, "--live: %s is no terminal",
			output_fd == 2 ? "standard error" : "the descriptor of --log-fd");
		err_hint(err, "-I MS prints intervals to whatever there is");
		return -ENOTTY;
	}
	if (!*usable_term()) {
		err_set(err, -EINVAL, "--live: a terminal of TERM='%s' cannot move its cursor",
			sys_task_environment("TERM"));
		err_hint(err, "use -I MS; or, if it can, say so: TERM=vt100");
		return -EINVAL;
	}
	terminal->output_fd = output_fd;
	/* not O_NONBLOCK on the caller's: its description is the shell's and the command's, too */
	out_print(path, sizeof(path), "/proc/self/fd/%d", output_fd);
	terminal->fd = fd_above_std(open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
	if (terminal->fd < 0)
		terminal->fd = fd_copy(output_fd);
	if (terminal->fd < 0)
		return err_sys(err, terminal->fd, "cannot open the terminal");
	if (takes_keys && isatty(0) && is_same_file(0, output_fd))
		terminal->keys_fd = 0;
	return 0;
}

/* A process group that has not got the terminal is stopped (TTOU) where it does this and does not block that. */
static void set_modes(int fd, const struct termios *modes)
{
	sigset_t set, before;
	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, &before);
	tcsetattr(fd, TCSANOW, modes);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Of a terminal that is not our session's there is no such group, and everyone draws on it. */
static bool has_terminal(const struct terminal *terminal)
{
	pid_t group = tcgetpgrp(terminal->fd);
	return group < 0 || group == getpgrp();
}

bool terminal_enter(struct terminal *terminal)
{
	if (!has_terminal(terminal)) {
		terminal_leave(terminal);
		return false;
	}
	if (!terminal->is_on && terminal->keys_fd >= 0 && tcgetattr(terminal->keys_fd, &terminal->before))
		terminal->keys_fd = -1;
	if (terminal->keys_fd >= 0) {
		struct termios modes = terminal->before;
		modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		modes.c_lflag |= NOFLSH; /* else a Ctrl-Z cuts off what is on its way */
		modes.c_cc[VMIN] = 1;
		modes.c_cc[VTIME] = 0;
		set_modes(terminal->keys_fd, &modes);
	}
	const char *text = terminal->is_on ? TERMINAL_CANCEL CLEAR : ENTER CLEAR;
	fd_write(terminal->output_fd, text, strlen(text));
	terminal->is_on = true;
	terminal->is_partial = false;
	return true;
}

void terminal_leave(struct terminal *terminal)
{
	char text[sizeof(TERMINAL_CANCEL LEAVE) + 16];
	int rows, columns;
	if (!terminal->is_on)
		return;
	terminal->is_on = false;
	terminal_size(terminal, &rows, &columns);
	out_print(text, sizeof(text), "%s" LEAVE, terminal->is_partial ? TERMINAL_CANCEL : "", rows);
	fd_write(terminal->output_fd, text, strlen(text));
	if (terminal->keys_fd >= 0)
		set_modes(terminal->keys_fd, &terminal->before);
}

void terminal_stop(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	kill(getpid(), SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL); /* now it stops */
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void terminal_size(const struct terminal *terminal, int *rows, int *columns)
{
	struct winsize size = {0};
	ioctl(terminal->fd, TIOCGWINSZ, &size);
	*rows = size.ws_row ? size.ws_row : ROWS_UNKNOWN;
	*columns = size.ws_col ? size.ws_col : COLUMNS_UNKNOWN;
}

size_t terminal_write(struct terminal *terminal, const char *bytes, size_t count)
{
	ssize_t wrote = write(terminal->fd, bytes, count);
	if (wrote < 0)
		wrote = errno == EAGAIN || errno == EINTR ? 0 : (ssize_t)count;
	terminal->is_partial = (size_t)wrote < count;
	return (size_t)wrote;
}

int terminal_key(struct terminal *terminal)
{
	char key;
	if (terminal->keys_fd < 0 || terminal->keys_ended || !has_terminal(terminal))
		return -1;
	int result = fd_read_ready(terminal->keys_fd, &key);
	if (result == 1)
		return (unsigned char)key;
	terminal->keys_ended = result != -EAGAIN; /* hung up */
	return -1;
}

void terminal_close(struct terminal *terminal)
{
	sigset_t set;
	terminal_leave(terminal);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	fd_close(&terminal->fd);
}
