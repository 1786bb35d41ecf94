/* SPDX-License-Identifier: GPL-2.0-only */
#include "fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "out.h"

int fd_above_std(int fd)
{
	if (fd < 0 || fd > 2)
		return fd;
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	int error = moved < 0 ? -errno : 0;
	close(fd);
	return error ? error : moved;
}

void fd_close(int *fd)
{
	if (*fd < 0)
		return;
	int kept = errno;
	close(*fd);
	errno = kept;
	*fd = -1;
}

int fd_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return copy < 0 ? -errno : copy;
}

int fd_take(int *fd)
{
	int taken = *fd;
	*fd = -1;
	return taken;
}

int fd_write(int fd, const void *bytes, size_t count)
{
	const char *at = bytes;
	while (count) {
		ssize_t wrote = write(fd, at, count);
		int error = wrote < 0 ? errno : 0;
		if (error == EAGAIN) {
			/* whoever started us has made it non-blocking */
			struct pollfd polled = {fd, POLLOUT, 0};
			poll(&polled, 1, -1);
		}
		if (error == EINTR || error == EAGAIN)
			continue;
		if (error)
			return -error;
		at += wrote;
		count -= (size_t)wrote;
	}
	return 0;
}

static bool is_ready(int fd, short events)
{
	struct pollfd polled = {fd, events, 0};
	return poll(&polled, 1, 0) > 0;
}

int fd_read_ready(int fd, char *byte)
{
	if (!is_ready(fd, POLLIN))
		return -EAGAIN;
	ssize_t got = read(fd, byte, 1);
	return got < 0 ? -errno : (int)got;
}

void fd_write_ready(int fd, const void *bytes, size_t count)
{
	if (is_ready(fd, POLLOUT) && write(fd, bytes, count) < 0)
		errno = 0; /* nobody reads: as good as not being asked */
}

int fd_open_fifo(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd_above_std(fd);
}

int fd_create(const char *path, bool append)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
	return fd < 0 ? -errno : fd_above_std(fd);
}

int fd_create_beside(const char *path, char *new_path, size_t size)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	out_print(new_path, size, "%s.%d", path, (int)getpid());
	if (strlen(new_path) + 1 == size)
		return -ENAMETOOLONG;
	int fd = open(new_path, flags, 0666);
	/* left by a process that was killed and had our id, as the first one of a container always has */
	if (fd < 0 && errno == EEXIST && !unlink(new_path))
		fd = open(new_path, flags, 0666);
	return fd < 0 ? -errno : fd_above_std(fd);
}

int fd_replace(int *fd, const char *new_path, const char *path)
{
	/* some file systems tell of a failed write only now */
	int error = close(fd_take(fd)) ? errno : 0;
	/* rename(2) itself is declared in stdio.h */
	if (!error && !syscall(SYS_renameat2, AT_FDCWD, new_path, AT_FDCWD, path, 0))
		return 0;
	error = error ? error : errno;
	unlink(new_path);
	return -error;
}

void fd_remove(int *fd, const char *new_path)
{
	fd_close(fd);
	unlink(new_path);
}

bool fd_is_replaceable(const char *path)
{
	struct stat file;
	return lstat(path, &file) ? errno == ENOENT : S_ISREG(file.st_mode);
}

int64_t fd_length(int fd)
{
	struct stat file;
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(fd, &file))
		return -EBADF;
	return S_ISREG(file.st_mode) ? file.st_size : 0;
}

/* The signals that end a session are blocked while it runs: do they wait? */
static bool must_end(void)
{
	sigset_t pending;
	return !sigpending(&pending) && (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1 ||
					 sigismember(&pending, SIGHUP) == 1 || sigismember(&pending, SIGQUIT) == 1);
}

int fd_lock(int fd, int limit_ms, int step_ms)
{
	const struct timespec step = {0, step_ms * 1000000L};
	for (int waited = 0; flock(fd, LOCK_EX | LOCK_NB); waited += step_ms) {
		int error = errno;
		if (error != EWOULDBLOCK && error != EINTR)
			return -error;
		if (waited >= limit_ms)
			return -EBUSY;
		if (must_end())
			return -EINTR;
		nanosleep(&step, NULL);
	}
	return 0;
}

void fd_unlock(int fd)
{
	flock(fd, LOCK_UN);
}
