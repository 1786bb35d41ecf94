/* SPDX-License-Identifier: GPL-2.0-only */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "err.h"
#include "fd.h"

/* What the command is to find as its caller left it: in further runs (-r) it has been changed for our own use. */
static struct caller {
	bool is_known;
	uint64_t mask[2]; /* the kernel's own: the C library's calls leave its internal signals out. 128 on mips */
	struct sigaction actions[3];
	struct rlimit limits[2];
	bool has_limits[2]; /* those that could be asked for */
} caller;

static const int caller_signals[] = {SIGPIPE, SIGXFSZ, SIGCHLD};
static const int caller_limits[] = {RLIMIT_NOFILE, RLIMIT_MEMLOCK};

static void remember_caller(void)
{
	if (caller.is_known)
		return;
	caller.is_known = true;
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, caller.mask, _NSIG / 8);
	for (int i = 0; i < 3; i++)
		sigaction(caller_signals[i], NULL, &caller.actions[i]);
	for (int i = 0; i < 2; i++)
		caller.has_limits[i] = !syscall(SYS_prlimit64, 0, caller_limits[i], NULL, &caller.limits[i]);
}

static void restore_caller(void)
{
	for (int i = 0; i < 2; i++) {
		if (caller.has_limits[i])
			syscall(SYS_prlimit64, 0, caller_limits[i], &caller.limits[i], NULL);
	}
	for (int i = 0; i < 3; i++)
		sigaction(caller_signals[i], &caller.actions[i], NULL);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, caller.mask, NULL, _NSIG / 8);
}

static int make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC)) {
		ends[0] = ends[1] = -1;
		return -errno;
	}
	ends[0] = fd_above_std(ends[0]);
	ends[1] = fd_above_std(ends[1]);
	return ends[0] < 0 ? ends[0] : ends[1] < 0 ? ends[1] : 0;
}

/* A script without its "#!" line, as execvp(3) of other C libraries runs it. Returns the errno. */
static int run_by_shell(char **command)
{
	enum { ARGUMENTS_MAX = 4096 };
	static char *arguments[ARGUMENTS_MAX];
	int count = 0;
	arguments[count++] = "sh";
	if (!strchr(command[0], '/'))
		return ENOEXEC; /* which file of PATH it was is not known here */
	for (; *command; command++) {
		if (count == ARGUMENTS_MAX - 1)
			return E2BIG;
		arguments[count++] = *command;
	}
	execv("/bin/sh", arguments);
	return errno;
}

/* What the child has to do: of the latest one, as those before have executed their command or ended. */
static struct held {
	char **command;
	int ends[2], report;
} child;

/* In the child, which shares our memory until it executes: what it changes there, errno too, it changes for us. So until it is told to
 * go, it only waits; then we do. */
static int held_child(void *unused)
{
	char byte;
	ssize_t got;
	(void)unused;
	close(child.ends[1]);
	do {
		got = read(child.ends[0], &byte, 1);
	} while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(0); /* the parent gave up, or died */
	restore_caller();
	execvp(child.command[0], child.command);
	int error = errno;
	if (error == ENOEXEC)
		error = run_by_shell(child.command);
	if (write(child.report, &error, sizeof(error)) != sizeof(error))
		_exit(126);
	_exit(error == ENOENT ? 127 : 126);
}

/* A copy of our memory would cost more than all else that a plain count does to begin. Returns its process id or -errno. */
static int start_child(void)
{
	enum { STACK = 32 << 10 }; /* execvp(3) takes some 5 KB of it */
	static _Alignas(16) char stack[STACK];
	int pid = clone(held_child, stack + STACK, CLONE_VM | SIGCHLD, NULL);
	return pid < 0 ? -errno : pid;
}

int workload_fork(struct workload *workload, char **command, struct err *err)
{
	int go[2] = {-1, -1}, report[2] = {-1, -1};
	*workload = (struct workload){.go_fd = -1, .exec_fd = -1};
	remember_caller();
	int result = make_pipe(go);
	if (!result)
		result = make_pipe(report);
	if (!result) {
		child = (struct held){command, {go[0], go[1]}, report[1]};
		result = start_child();
	}
	if (result > 0) {
		workload->pid = result;
		workload->go_fd = fd_take(&go[1]);
		workload->exec_fd = fd_take(&report[0]);
	}
	for (int i = 0; i < 2; i++) {
		fd_close(&go[i]);
		fd_close(&report[i]);
	}
	return result < 0 ? err_sys(err, result, "cannot start a child for '%s'", command[0]) : 0;
}

int workload_start(struct workload *workload, const char *name, struct err *err)
{
	int error = 0;
	ssize_t got = write(workload->go_fd, "g", 1);
	fd_close(&workload->go_fd);
	do {
		got = read(workload->exec_fd, &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	fd_close(&workload->exec_fd);
	if (got != sizeof(error))
		return 0; /* closed by the exec */
	while (workload->pid && !workload->ended) {
		int status;
		if (waitpid(workload->pid, &status, 0) >= 0 || errno != EINTR)
			workload->ended = true;
	}
	workload->pid = 0;
	return err_sys(err, -error, "cannot run '%s'", name);
}

bool workload_reap(struct workload *workload)
{
	struct rusage usage;
	if (!workload->pid)
		return workload->ended;
	int pid = wait4(workload->pid, &workload->wait_status, WNOHANG, &usage);
	if (pid == 0)
		return false;
	if (pid < 0)
		usage = (struct rusage){0};
	workload->pid = 0;
	workload->ended = true;
	workload->user_ns = (uint64_t)usage.ru_utime.tv_sec * 1000000000U + (uint64_t)usage.ru_utime.tv_usec * 1000U;
	workload->sys_ns = (uint64_t)usage.ru_stime.tv_sec * 1000000000U + (uint64_t)usage.ru_stime.tv_usec * 1000U;
	return true;
}

void workload_signal(const struct workload *workload, int number)
{
	if (workload->pid)
		kill(workload->pid, number);
}

int workload_status(const struct workload *workload)
{
	if (WIFSIGNALED(workload->wait_status))
		return 128 + WTERMSIG(workload->wait_status);
	return WEXITSTATUS(workload->wait_status);
}

void workload_close(struct workload *workload)
{
	bool held = workload->go_fd >= 0;
	fd_close(&workload->go_fd);
	fd_close(&workload->exec_fd);
	if (held && workload->pid)
		waitpid(workload->pid, NULL, 0);
	else
		workload_signal(workload, SIGTERM);
	workload->pid = 0;
}
