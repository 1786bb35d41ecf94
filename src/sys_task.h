/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks by their ids: do they live, when do they end, in which PID namespace are we. */
#ifndef SYS_TASK_H
#define SYS_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The inode of the outermost PID namespace: PROC_PID_INIT_INO of the kernel's include/linux/proc_ns.h. */
#define SYS_TASK_PIDNS_INIT_INO 0xEFFFFFFCU

/* A descriptor that polls readable when the process has ended (by_thread: the thread; kernels before 6.9 know none for
 * other than a process's first thread: -EINVAL or -ENOENT). CLOEXEC. Returns the fd, or -errno: -ESRCH if there is none. */
int sys_task_pidfd(int id, bool by_thread);

/* Is there a process (thread) of that id which can still run (not a zombie)? */
bool sys_task_alive(int id, bool by_thread);

/* The process that the thread belongs to (a process belongs to itself); 0 where /proc does not tell. */
int sys_task_process(int id);

/* Is the process in another PID namespace than ours (one below it, else we would not see it)? False where /proc does not tell. */
bool sys_task_is_nested(int id);

/* The name of a process or thread, cut to fit; *comm stays as it is where there is none to be had. */
void sys_task_comm(int id, char *comm, size_t size);

/* Gives our process this name where the kernel took the number of a file descriptor for one, as it does with a file in memory
 * (src/stub/). */
void sys_task_name(const char *name);

/* Do we act as another user or group than who started us? Not so with capabilities that the file has, though AT_SECURE is set for
 * both. */
bool sys_task_is_setuid(void);

/* What the host is called (foreign text), cut to fit. */
void sys_task_host(char *name, size_t size);

/* Raises the limit of open files to the hardest allowed: 64 events on a process take 500. */
void sys_task_raise_files(void);

/* Device (as the kernel has it: major << 20 | minor) and inode of our PID namespace. Both 0 for the outermost one, whose
 * inode is the same on every kernel (include/linux/proc_ns.h, PROC_PID_INIT_INO), and where /proc does not tell: then false. */
bool sys_task_pidns(uint64_t *dev, uint64_t *ino);

/* The effective capabilities, as capget(2) has them: bit N is capability N. None where the kernel does not tell. */
enum { SYS_TASK_CAP_SYS_ADMIN = 21, SYS_TASK_CAP_PERFMON = 38, SYS_TASK_CAP_BPF = 39 };
uint64_t sys_task_capabilities(void);

/* Is a seccomp filter in force here? False where it hides itself. */
bool sys_task_is_filtered(void);

/* RLIMIT_MEMLOCK in bytes; UINT64_MAX: none. 0 where the kernel does not tell. */
uint64_t sys_task_memlock(void);

/* The CPU that we run on; 0 where the kernel does not tell. */
int sys_task_cpu(void);

/* getenv(3), without what comes with stdlib.h; never NULL. */
const char *sys_task_environment(const char *name);

/* Monotonic time in ns; boot_clock: with the time asleep, as the kernel stamps programs. */
uint64_t sys_task_clock(void);
uint64_t sys_task_boot_clock(void);

/* The date, in seconds since 1970 UTC. */
uint64_t sys_task_date(void);

#endif
