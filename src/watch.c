/* SPDX-License-Identifier: GPL-2.0-only */
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "err.h"
#include "fd.h"
#include "memory.h"
#include "sys_task.h"

/* How often tasks that have no descriptor are looked at. */
enum { ASK_MS = 50 };

/* The first are those of a screen. */
enum { SCREEN_SIGNALS = 3 };
static const int numbers[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};

int watch_open(struct watch *watch, bool is_screen, struct err *err)
{
	sigset_t set;
	watch->tasks = NULL;
	watch->tasks_count = 0;
	watch->control_fd = watch->keys_fd = watch->room_fd = -1;
	sigemptyset(&set);
	for (unsigned i = is_screen ? 0 : SCREEN_SIGNALS; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&set, numbers[i]);
	struct sigaction hup;
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler == SIG_IGN)
		sigdelset(&set, SIGHUP); /* nohup(1) */
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* a closed pipe and a file's limit are errors of writing, not a death that leaves the workload alone */
	const struct sigaction ignore = {.sa_handler = SIG_IGN}, normal = {.sa_handler = SIG_DFL};
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
	/* where it was ignored, the kernel would reap the workload and tell nobody */
	sigaction(SIGCHLD, &normal, NULL);
	watch->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	int error = watch->signal_fd < 0 ? -errno : 0;
	watch->signal_fd = fd_above_std(watch->signal_fd);
	return error ? err_sys(err, error, "cannot wait for signals") : 0;
}

int watch_task(struct watch *watch, int id, bool by_thread)
{
	if (!sys_task_alive(id, by_thread))
		return -ESRCH;
	if (!watch->tasks)
		watch->tasks = memory_take(WATCH_TASKS_MAX, sizeof(*watch->tasks));
	if (!watch->tasks)
		return -ENOMEM;
	int fd = sys_task_pidfd(id, by_thread);
	if (fd == -ESRCH)
		return fd;
	watch->tasks[watch->tasks_count++] = (struct watch_task){id, fd < 0 ? -1 : fd, by_thread, false};
	return 0;
}

/* Some tasks are asked by id: descriptors for threads came with 6.9, and a foreign one may be refused. */
static bool must_ask(const struct watch *watch)
{
	for (int i = 0; i < watch->tasks_count; i++) {
		if (!watch->tasks[i].ended && watch->tasks[i].fd < 0)
			return true;
	}
	return false;
}

static bool has_ended(struct watch_task *task, short revents)
{
	if (task->fd < 0)
		return !sys_task_alive(task->id, task->by_thread);
	if (!revents)
		return false;
	fd_close(&task->fd);
	return true;
}

/* The next task that is newly found to have ended: WATCH_TASK, or WATCH_TASKS if it was the last; else -EAGAIN. */
static int find_ended(struct watch *watch, const struct pollfd *polled, int *id)
{
	int left = 0, found = -1;
	for (int i = 0; i < watch->tasks_count; i++) {
		struct watch_task *task = &watch->tasks[i];
		if (found < 0 && !task->ended && has_ended(task, polled[i].revents)) {
			task->ended = true;
			found = i;
		}
		left += !task->ended;
	}
	if (found < 0)
		return -EAGAIN;
	*id = watch->tasks[found].id;
	return left ? WATCH_TASK : WATCH_TASKS;
}

static int timeout_ms(const struct watch *watch, uint64_t deadline_ns)
{
	uint64_t now = sys_task_clock(), left = deadline_ns <= now ? 0 : deadline_ns - now;
	uint64_t ms = left / 1000000 + (left % 1000000 ? 1 : 0);
	if (must_ask(watch) && ms > ASK_MS)
		return ASK_MS;
	return ms > 3600000 ? 3600000 : (int)ms;
}

static int take_signal(const struct watch *watch, int *number, bool *from_terminal)
{
	struct signalfd_siginfo info;
	if (read(watch->signal_fd, &info, sizeof(info)) != sizeof(info))
		return -EAGAIN;
	*number = (int)info.ssi_signo;
	*from_terminal = info.ssi_code == SI_KERNEL;
	for (int i = 0; i < SCREEN_SIGNALS; i++) {
		if (*number == numbers[i])
			return WATCH_SCREEN;
	}
	return *number == SIGCHLD ? WATCH_CHILD : WATCH_SIGNAL;
}

int watch_wait(struct watch *watch, uint64_t deadline_ns, int *number, bool *from_terminal)
{
	enum { SIGNAL, CONTROL, KEYS, ROOM, OTHERS };
	struct pollfd *polled = memory_take((size_t)watch->tasks_count + OTHERS, sizeof(*polled));
	if (!polled)
		return -ENOMEM;
	struct pollfd *others = polled + watch->tasks_count;
	int result = -EAGAIN;
	while (result == -EAGAIN) {
		for (int i = 0; i < watch->tasks_count; i++)
			polled[i] = (struct pollfd){watch->tasks[i].fd, POLLIN, 0};
		others[SIGNAL] = (struct pollfd){watch->signal_fd, POLLIN, 0};
		others[CONTROL] = (struct pollfd){watch->control_fd, POLLIN, 0};
		others[KEYS] = (struct pollfd){watch->keys_fd, POLLIN, 0};
		others[ROOM] = (struct pollfd){watch->room_fd, POLLOUT, 0};
		int ready = poll(polled, (nfds_t)watch->tasks_count + OTHERS, timeout_ms(watch, deadline_ns));
		if (ready < 0 && errno != EINTR) {
			result = -errno;
			break;
		}
		if (ready > 0 && others[SIGNAL].revents)
			result = take_signal(watch, number, from_terminal);
		if (result == -EAGAIN && ready >= 0)
			result = find_ended(watch, polled, number);
		if (result == -EAGAIN && ready > 0 && others[CONTROL].revents)
			result = WATCH_CONTROL;
		if (result == -EAGAIN && ready > 0 && (others[KEYS].revents || others[ROOM].revents)) {
			*number = 0;
			result = WATCH_SCREEN;
		}
		if (result == -EAGAIN && sys_task_clock() >= deadline_ns)
			result = WATCH_TIME;
	}
	memory_free(polled);
	return result;
}

void watch_forget(struct watch *watch)
{
	for (int i = 0; i < watch->tasks_count; i++)
		fd_close(&watch->tasks[i].fd);
	memory_free(watch->tasks);
	watch->tasks = NULL;
	watch->tasks_count = 0;
}

void watch_close(struct watch *watch)
{
	fd_close(&watch->signal_fd);
	watch_forget(watch);
}
