/* SPDX-License-Identifier: GPL-2.0-only */
#include "fd.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -errno;
		at += wrote;
		count -= (size_t)wrote;
	}
	return 0;
}

int fd_create(const char *path, bool append)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
	return fd < 0 ? -errno : fd_above_std(fd);
}
