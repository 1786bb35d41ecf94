/* SPDX-License-Identifier: GPL-2.0-only */
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "cmdline.h"
#include "err.h"
#include "fd.h"
#include "memory.h"
#include "options.h"
#include "out.h"
#include "sys_task.h"

/* The same on every architecture. */
#ifndef SYS_fsopen
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#endif
/* include/uapi/linux/mount.h; what is asked for is closed on exec */
enum { FSOPEN_CLOSE = 1, FSCONFIG_CREATE = 6, FSMOUNT_CLOSE = 1 };

/* LINE_SIZE: no architecture's COMMAND_LINE_SIZE is greater, but bootconfig may add. RECORD_SIZE: the kernel refuses what is longer than
 * 976 bytes (LOG_LINE_MAX of kernel/printk/printk.c, 5.10). */
enum { EXIT_OWN_FAILURE = 125, LINE_SIZE = 16384, RECORD_SIZE = 960, LAST_WORDS_S = 2 };

enum { EXIT_ITSELF = -1, NEXT_INIT = -2 };
static const struct {
	const char *word;
	int command; /* of reboot(2) */
} ends[] = {{"poweroff", RB_POWER_OFF}, {"reboot", RB_AUTOBOOT}, {"halt", RB_HALT_SYSTEM}, {"exit", EXIT_ITSELF}};
enum { ENDS_COUNT = sizeof(ends) / sizeof(*ends) };

static int strays;              /* of our arguments, from the first on: words that the next init would have got */
static char **given;            /* our arguments, as they were */
static int started_fd = -1;     /* of the child; process 1 sees it closed */
static sigset_t caught, before; /* what is passed on, and CHLD; what was blocked */

/* --- who we are ------------------------------------------------------------------------------------------------------------ */

/* A /proc that stands in no place: nobody else sees it. */
static int open_proc(void)
{
	int fd = -1, context = fd_above_std((int)syscall(SYS_fsopen, "proc", FSOPEN_CLOSE));
	if (context >= 0 && !syscall(SYS_fsconfig, context, FSCONFIG_CREATE, NULL, NULL, 0))
		fd = fd_above_std((int)syscall(SYS_fsmount, context, FSMOUNT_CLOSE, 0));
	fd = fd < 0 ? -errno : fd;
	fd_close(&context);
	return fd;
}

static void take_arguments(int proc, int *argc, char ***argv)
{
	char *line = memory_take(LINE_SIZE, 1);
	given = *argv;
	char **to = memory_take(LINE_SIZE / 2 + (size_t)*argc + 3, sizeof(*to));
	if (!line || !to)
		return;
	int fd = openat(proc, "cmdline", O_RDONLY | O_CLOEXEC);
	if (fd < 0) /* the last of such words is here, too; the others are lost */
		out_print(line, LINE_SIZE, "\"bperf=%s\"", sys_task_environment("bperf"));
	size_t used = 0;
	for (ssize_t got; fd >= 0 && (got = read(fd, line + used, LINE_SIZE - 1 - used)) > 0;)
		used += (size_t)got;
	if (used && line[used - 1] == '\n') /* which the kernel did not have when it parted the words */
		line[used - 1] = '\0';
	fd_close(&fd);
	*argc = cmdline_arguments(to, line, *argc, given, &strays);
	*argv = to;
}

bool init_takes(int *argc, char ***argv)
{
	struct stat ns;
	if (getpid() != 1)
		return false;
	int proc = open_proc();
	/* a kernel that has no /proc, or no PID namespaces, has no containers either */
	bool is_ours = proc == -ENODEV;
	if (proc >= 0)
		is_ours = fstatat(proc, "self/ns/pid", &ns, 0) ? errno == ENOENT : ns.st_ino == SYS_TASK_PIDNS_INIT_INO;
	if (is_ours)
		take_arguments(proc, argc, argv);
	fd_close(&proc);
	return is_ours;
}

/* What comes when the count has ended, as an index of ends; NEXT_INIT; or -EINVAL. */
static int find_end(const char *then)
{
	for (int i = 0; then && i < ENDS_COUNT; i++) {
		if (!strcmp(then, ends[i].word))
			return i;
	}
	return !then ? 0 : strchr(then, '/') ? NEXT_INIT : -EINVAL;
}

int init_check(const struct options *options, bool is_init, struct err *err)
{
	if (!options->then)
		return 0;
	if (find_end(options->then) == -EINVAL)
		return err_set(err, -EINVAL, "option --then: '%.100s' is not poweroff, reboot, halt, exit or a path",
			       options->then);
	if (is_init)
		return 0;
	err_set(err, -EINVAL, "option --then: this is not the first process of a machine");
	err_hint(err, "it is for rdinit=/bperf-mini on a kernel's command line");
	return -EINVAL;
}

/* --- what is missing ------------------------------------------------------------------------------------------------------- */

/* False: some of 0, 1 and 2 is not open, still. */
static bool open_std(const char *path)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open(path, O_RDWR | O_NOCTTY) != fd)
			return false;
	}
	return true;
}

/* bpffs is the registry's. */
static void mount_missing(const struct options *options)
{
	static const struct {
		const char *type, *path, *sample; /* sample: is there where it is mounted */
		int verbosity;                    /* at which it is told that it cannot be */
		bool for_groups;
	} mounts[] = {
		{"devtmpfs", "/dev", "/dev/null", 0, false},
		{"proc", "/proc", "/proc/self", 0, false},
		{"sysfs", "/sys", "/sys/kernel", 0, false},
		{"tracefs", "/sys/kernel/tracing", "/sys/kernel/tracing/events", 1, false},
		{"cgroup2", "/sys/fs/cgroup", "/sys/fs/cgroup/cgroup.procs", 0, true},
	};
	bool has_groups = options->action == OPTIONS_CHECK;
	for (int i = 0; i < options->scopes_count; i++)
		has_groups |= options->scopes[i].letter == 'G' || options->scopes[i].letter == 'g';
	for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		const char *type = mounts[i].type, *path = mounts[i].path;
		if ((mounts[i].for_groups && !has_groups) || !access(mounts[i].sample, F_OK))
			continue;
		mkdir(path, 0755); /* is mostly there */
		if (mount(type, path, type, MS_NOSUID | (i ? MS_NODEV | MS_NOEXEC : 0), i ? NULL : "mode=0755"))
			err_note(mounts[i].verbosity, "cannot mount %s on %s: %s", type, path, err_reason(errno));
	}
}

/* --- to the kernel's log --------------------------------------------------------------------------------------------------- */

/* Each line through a descriptor of its own: of what comes through one, the kernel drops all but ten lines in five seconds, and
 * tells the writer nothing (devkmsg_write() of kernel/printk/printk.c). dev: the next init may move /dev. */
static void log_line(int dev, const char *line, int length)
{
	static const char own[] = "bperf-mini: ";
	char record[RECORD_SIZE + 32];
	int fd = openat(dev, "kmsg", O_WRONLY | O_CLOEXEC);
	const bool is_named = !strncmp(line, own, sizeof(own) - 1);
	out_print(record, sizeof(record), "%s%s%.*s\n", fd < 0 ? "" : "<6>", is_named ? "" : own, length, line);
	fd_write(fd < 0 ? 2 : fd, record, strlen(record));
	fd_close(&fd);
}

/* Until nobody writes any more. */
static _Noreturn void log_lines(int from)
{
	char line[RECORD_SIZE + 1];
	int length = 0;
	const int dev = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (char c; read(from, &c, 1) == 1;) {
		if (c != '\n')
			line[length++] = c;
		if (length && (c == '\n' || length == RECORD_SIZE)) {
			line[length] = '\0';
			log_line(dev, line, length);
			length = 0;
		}
	}
	_exit(0);
}

/* A process that writes to the log what comes through the descriptor that is returned (or -errno). Whoever ends all processes does
 * not end this one before the others have said their last. */
static int start_log(pid_t *pid)
{
	int pipe_ends[2];
	if (pipe2(pipe_ends, O_CLOEXEC))
		return -errno;
	*pid = fork();
	if (!*pid) {
		sigset_t all;
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		setsid();
		close(pipe_ends[1]);
		log_lines(fd_above_std(pipe_ends[0]));
	}
	close(pipe_ends[0]);
	return fd_above_std(pipe_ends[1]);
}

/* 1 and 2. */
static void write_to(int fd)
{
	dup2(fd, 1);
	dup2(fd, 2);
}

/* --- process 1 ------------------------------------------------------------------------------------------------------------- */

/* Reaps what ends until `pid` has, which is passed the signals that come; its wait status, or -1 where the time is up or there are no
 * children. */
static int reap(pid_t pid, const struct timespec *limit)
{
	for (;;) {
		int status;
		pid_t ended;
		while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
			if (ended == pid)
				return status;
		}
		int number = ended < 0 ? -1 : sigtimedwait(&caught, NULL, limit);
		if (number < 0)
			return -1;
		if (number != SIGCHLD)
			kill(pid, number);
	}
}

/* What was said last is still on its way to a serial console, or through the process that writes the log. Neither is waited for
 * for long. */
static void wait_for_words(pid_t log)
{
	const struct timespec limit = {LAST_WORDS_S, 0};
	if (log) {
		close(1);
		close(2);
	} else {
		log = fork();
		if (!log) {
			tcdrain(2);
			_exit(0);
		}
	}
	if (log > 0)
		reap(log, &limit);
}

static _Noreturn void end(int end, pid_t child, pid_t log)
{
	char line[64];
	reboot(RB_DISABLE_CAD); /* Ctrl-Alt-Del is a signal, then */
	const int status = child < 0 ? -1 : reap(child, NULL), signal_number = WTERMSIG(status);
	const int code = status < 0 ? EXIT_OWN_FAILURE : signal_number ? 128 + signal_number : WEXITSTATUS(status);
	out_print(line, sizeof(line), "exit status %d, then %s", code, ends[end].word);
	err_line(line);
	wait_for_words(log);
	sync();
	if (ends[end].command == EXIT_ITSELF)
		_exit(code);
	reboot(ends[end].command);
	err_note(0, "cannot %s: %s", ends[end].word, err_reason(errno));
	for (;;)
		pause();
}

/* Comes back only if it cannot be done. started: the child's; closed when it counts, or has ended. */
static void become(const char *then, int started)
{
	char byte;
	if (read(started, &byte, 1) > 0)
		return; /* nobody writes there */
	given[0] = (char *)(uintptr_t)then;
	given[strays + 1] = NULL;
	sigprocmask(SIG_SETMASK, &before, NULL);
	execv(then, given);
	err_note(0, "cannot run '%s': %s", then, err_reason(errno));
	sigprocmask(SIG_BLOCK, &caught, NULL);
}

/* Alone, it is what Ctrl-C is for. With another init beside it, its words go to the kernel's log, and the console is not its own. */
static void be_child(bool is_alone, int log_fd)
{
	if (is_alone) {
		setpgid(0, 0);
		tcsetpgrp(0, getpid());
	} else {
		setsid();
		write_to(log_fd);
		close(0);
		open_std("/dev/null");
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void init_begin(const struct options *options)
{
	/* TTOU: the console is the child's, and is talked to all the same */
	static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTTOU};
	pid_t log = 0;
	int log_fd = -1, started[2] = {-1, -1};
	bool has_console = open_std("/dev/console");
	if (!options->no_mount) {
		mount_missing(options);
		has_console = has_console || open_std("/dev/console");
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&caught, numbers[i]);
	signal(SIGCHLD, SIG_DFL); /* where it was ignored, the kernel would reap the child and tell nobody */
	sigprocmask(SIG_BLOCK, &caught, &before);

	const int found = find_end(options->then);
	if (!has_console || found == NEXT_INIT)
		log_fd = start_log(&log);
	if (!has_console) {
		write_to(log_fd);
		open_std("/dev/null");
	}
	if (found != NEXT_INIT) {
		/* not the child: the end of a session's first process drops what its terminal has not sent yet */
		setsid();
		ioctl(0, TIOCSCTTY, 0);
	}
	pipe2(started, O_CLOEXEC);
	const pid_t child = fork();
	if (!child) {
		close(started[0]);
		started_fd = started[1];
		be_child(found != NEXT_INIT, log_fd);
		fd_close(&log_fd);
		return;
	}
	if (child < 0)
		err_note(0, "cannot start a child: %s", err_reason(errno));
	close(started[1]);
	fd_close(&log_fd);
	if (found == NEXT_INIT)
		become(options->then, started[0]);
	end(found > 0 ? found : 0, child, has_console ? 0 : log);
}

void init_started(void)
{
	fd_close(&started_fd);
}
