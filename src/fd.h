/* SPDX-License-Identifier: GPL-2.0-only */
/* File descriptors: -1 is none, 0-2 are never ours, closing never changes errno. */
#ifndef FD_H
#define FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Moves a descriptor of 0-2 above them (CLOEXEC), as bpf(2) and the workload take 0-2 for something else. Passes a
 * negative result on: `return fd_above_std(call())` is the end of every wrapper that opens. Returns fd or -errno. */
int fd_above_std(int fd);

/* Closes *fd unless it is -1, and makes it -1; errno stays as it was. */
void fd_close(int *fd);

/* Hands the descriptor over: returns *fd and makes it -1. */
int fd_take(int *fd);

/* Another descriptor, above 2 and CLOEXEC, of the same file; or -errno. */
int fd_copy(int fd);

/* Writes all of it. Returns 0 or -errno. */
int fd_write(int fd, const void *bytes, size_t count);

/* A byte, if there is one by now: 1; 0: the end; -EAGAIN: none yet; another -errno. */
int fd_read_ready(int fd, char *byte);

/* Writes what fits without waiting. */
void fd_write_ready(int fd, const void *bytes, size_t count);

/* A FIFO, for reading and writing, so that opening never waits and no end of it is ever seen. CLOEXEC, above 2; or -errno. */
int fd_open_fifo(const char *path);

/* Opens a file for writing (mode 0666 less the umask), emptied unless `append`. Returns an fd above 2, CLOEXEC, or -errno. */
int fd_create(const char *path, bool append);

/* To replace a file as a whole: a new one for writing, in the same directory, whose name, `path`, a dot and our process id, is put
 * into new_path; mode, fd and errors as above. Then either it is closed and takes the place of `path` (0 or -errno; then it is
 * gone), or it is removed. */
int fd_create_beside(const char *path, char *new_path, size_t size);
int fd_replace(int *fd, const char *new_path, const char *path);
void fd_remove(int *fd, const char *new_path);

/* Is there a regular file of this name, or nothing? What else is there is not to be replaced: a link may be /dev/stdout. */
bool fd_is_replaceable(const char *path);

/* Can it be written to? Returns how many bytes the file that it is has by now (0: it is none, such as a pipe), or -EBADF. */
int64_t fd_length(int fd);

/* flock(2), tried every step_ms (under 1000) for limit_ms at most. Returns 0; -EBUSY: another has it; -EINTR: a blocked INT,
 * TERM, HUP or QUIT waits to end us; another -errno. */
int fd_lock(int fd, int limit_ms, int step_ms);
void fd_unlock(int fd);

#endif
