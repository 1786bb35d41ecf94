/* SPDX-License-Identifier: GPL-2.0-only */
/* Known work and plain counting, for the tests: what bperf-mini should have seen. Static, runs in the emulated machines too.
 *
 *   loop N             exactly 2 * N instructions, and the few of a start and an end
 *   burn MS            takes MS ms of CPU time
 *   spin               takes CPU time until it is killed
 *   yielding           likewise, but an emulator that runs one CPU after the other goes on to the next one at once
 *   faults N           touches N fresh pages
 *   switches N         gives the CPU away N times (sleeps of 100 us)
 *   naps N MS          N times: sleeps for 1 ms and takes MS ms of CPU time
 *   threads N MS       N threads that burn MS ms each; the first thread only waits
 *   orphan N MS        likewise, but the first thread ends at once
 *   forks N MS         N children, one after the other, that burn MS ms each
 *   without CAP CMD..  without the capability of that number
 *   nest THREADS CHILDREN MS PAGES   THREADS threads, and CHILDREN children two levels deep: the first process forks half of
 *                      them, and each of these one of its own. Each takes MS ms of CPU time, in which it touches PAGES fresh pages
 *   storm N MS PAGES PARALLEL  N children in about MS ms, at most PARALLEL at a time, that touch PAGES fresh pages and end; then
 *                      prints the faults of all of them and of itself, as the kernel has them by getrusage(2)
 *   named N MS         N threads, named w0, w1, ... after their first 20 ms, that then burn MS, 2 * MS, ... ms
 *   spawn N EVERY MS   starts a thread each EVERY ms, N in all, that burn MS ms each
 *   crowd N WAIT MS [EVERY MORE]     N threads named c0, c1, ... that wait for WAIT ms and then burn MS ms each; after the same
 *                      wait a thread more is started each EVERY ms, MORE in all, named d0, d1, ... that burn MS ms each
 *   leaderless N WAIT MS       likewise, without more, and the first thread ends at once
 *   loops N ROUNDS     N threads named l0, l1, ... of ROUNDS, 2 * ROUNDS, ... rounds of two instructions each, and N children of ROUNDS
 *   hold N MS          N children that do nothing; once all of them live, MS ms until all are killed
 *   change WAIT CMD..  a thread other than the first waits for WAIT ms and then executes the command
 *   reuse PID CMD..    waits until nothing has that id, then runs the command in a process that has it
 *   after MS CMD..     sleeps MS ms, then runs the command
 *   pingpong N         two threads on the first CPU hand N bytes to and fro by pipes, nine times, after a line of input: prints the
 *                      least time that a context switch took, in hundredths of a ns
 *   cost N [CMD..]     runs the command N times with `work stamp` as its own last words, its output thrown away: prints, in ns, the
 *                      medians of time and CPU time of a run, from exec to the stamp's first instruction and from its last one to the
 *                      end, and the most memory (KB). Without a command it is the stamp alone
 *   stamp FD PID       writes its begin and end to FD, with the CPU time until then, its own and its parent's unless that is PID
 *   tick MS            prints a line each MS ms until it is killed
 *   reads SKIP N CMD.. runs the command, which prints a line each time that it has read, on the last CPU. Prints what it took a read,
 *                      of N after SKIP: function-call interrupts of the other CPUs in hundredths, and CPU time in ns
 *   plain SCOPE EVENTS CMD..   SCOPE: -w (the command itself, from its exec, children included), -a, -C LIST, -p PID, -t TID:
 *                      counts with plain perf_event_open while the command runs: "EVENT VALUE ENABLED RUNNING" a line
 *   many N EVENT CPU MS        N plain events at once: prints the least share of time that one ran, in percent
 *   ids                the ids of all BPF programs, maps and links
 *   as UID CMD..       as that user, without groups and capabilities
 *   caps UID NAMES CMD..       likewise, with the capabilities that are named: bpf,perfmon,sys_admin,sys_resource or none
 *   deny CALL ERRNO CMD..      a seccomp filter that answers ERRNO to bpf or perf_event_open; bpf:N: to the command N of bpf alone
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpulist.h"
#include "err.h"
#include "event.h"
#include "event_resolve.h"
#include "reading.h"
#include "sys_bpf.h"
#include "sys_perf.h"
#include "sysfs.h"

enum { EVENTS_MAX = 16, FDS_MAX = 4096, CROWD_MAX = 4096, HOLD_MAX = 30000 };

#ifndef SYS_clone3
#define SYS_clone3 435 /* the same on every architecture */
#endif

static void die(const char *what)
{
	fprintf(stderr, "work: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t clock_ns(clockid_t which)
{
	struct timespec t;
	clock_gettime(which, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* Two instructions a round. */
static void loop(unsigned long rounds)
{
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds)::"cc");
#elif defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds)::"cc");
#elif defined(__arm__)
	__asm__ volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(rounds)::"cc");
#elif defined(__riscv)
	__asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(rounds));
#else
#error "no loop of known length for this architecture"
#endif
}

/* What a loop that waits has in it. qemu with one thread for all CPUs takes it as a hint; else it stays for up to a tick. */
static void yielding(void)
{
	for (;;) {
		loop(500);
#if defined(__aarch64__) || defined(__arm__)
		__asm__ volatile("yield");
#elif defined(__x86_64__)
		__asm__ volatile("pause");
#endif
	}
}

static void burn(uint64_t ms)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		loop(1000);
}

static void *burner(void *ms)
{
	burn((uintptr_t)ms);
	return NULL;
}

static void threads(unsigned count, uintptr_t ms, bool orphan)
{
	pthread_t ids[256];
	for (unsigned i = 0; i < count && i < 256; i++) {
		if (pthread_create(&ids[i], NULL, burner, (void *)ms))
			die("pthread_create");
	}
	if (orphan)
		pthread_exit(NULL);
	for (unsigned i = 0; i < count && i < 256; i++)
		pthread_join(ids[i], NULL);
}

static void forks(unsigned count, uint64_t ms)
{
	for (unsigned i = 0; i < count; i++) {
		pid_t pid = fork();
		if (pid < 0)
			die("fork");
		if (!pid) {
			burn(ms);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void faults(size_t pages)
{
	if (!pages)
		return;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	madvise(memory, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * size] = 1;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	nanosleep(&t, NULL);
}

static void sleep_ms(uint64_t ms)
{
	sleep_ns(ms * 1000000);
}

static void pin(int cpu)
{
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
}

/* --- switches ------------------------------------------------------------------------------------------------------- */

static void hand_over(const int from[2], const int to[2], unsigned long times, bool begins)
{
	char byte = 0;
	for (unsigned long i = 0; i < times; i++) {
		if ((begins && write(to[1], &byte, 1) != 1) || read(from[0], &byte, 1) != 1 ||
		    (!begins && write(to[1], &byte, 1) != 1))
			die("pipe");
	}
}

static int pipes[2][2];

static void *partner(void *times)
{
	hand_over(pipes[0], pipes[1], (uintptr_t)times, false);
	return NULL;
}

/* The least of several rounds: what comes in between only adds to one. */
static void pingpong(unsigned long times)
{
	enum { ROUNDS = 9 };
	uint64_t least = UINT64_MAX;
	pthread_t id;
	char line[8];
	pin(0);
	if (pipe(pipes[0]) || pipe(pipes[1]) ||
	    pthread_create(&id, NULL, partner, (void *)(times * ROUNDS)))
		die("pingpong");
	if (read(0, line, sizeof(line)) < 0)
		die("input");
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t began = clock_ns(CLOCK_MONOTONIC_RAW);
		hand_over(pipes[1], pipes[0], times, true);
		uint64_t took = clock_ns(CLOCK_MONOTONIC_RAW) - began;
		least = took < least ? took : least;
	}
	pthread_join(id, NULL);
	printf("%" PRIu64 "\n", least * 100 / (2 * times));
}

/* --- what a run and a read cost -------------------------------------------------------------------------------------- */

/* All in ns; the CPU time is that of the stamp and of what it runs under. */
struct stamp {
	uint64_t began, began_cpu, ended, ended_cpu;
};

static uint64_t cpu_ns(pid_t pid)
{
	clockid_t id;
	int error = clock_getcpuclockid(pid, &id);
	if (error) {
		errno = error;
		die("clock_getcpuclockid");
	}
	return clock_ns(id);
}

static void stamp(int fd, pid_t outside)
{
	struct stamp stamp = {.began = clock_ns(CLOCK_MONOTONIC_RAW)};
	const pid_t parent = getppid();
	stamp.began_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + (parent == outside ? 0 : cpu_ns(parent));
	stamp.ended_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + (parent == outside ? 0 : cpu_ns(parent));
	stamp.ended = clock_ns(CLOCK_MONOTONIC_RAW);
	_exit(write(fd, &stamp, sizeof(stamp)) != sizeof(stamp));
}

static int by_value(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	return (left > right) - (left < right);
}

enum { COST_RUNS = 64, COST_FIELDS = 6, COST_WORDS = 64 };

/* The command with the stamp behind it. */
static void cost_words(char **words, char **command, int fd)
{
	static char self[4096], fd_text[12], pid_text[12];
	int count = 0;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		die("/proc/self/exe");
	snprintf(fd_text, sizeof(fd_text), "%d", fd);
	snprintf(pid_text, sizeof(pid_text), "%d", (int)getpid());
	while (command[count] && count < COST_WORDS) {
		words[count] = command[count];
		count++;
	}
	words[count++] = self;
	words[count++] = "stamp";
	words[count++] = fd_text;
	words[count++] = pid_text;
	words[count] = NULL;
}

/* One run. Sets the fields; returns the memory in KB, or -1. */
static long cost_run(char **words, const int stamps[2], uint64_t *executed, uint64_t fields[COST_FIELDS])
{
	struct stamp stamp;
	struct rusage usage;
	int status;
	pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		int fd = open("/dev/null", O_RDWR);
		if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
			_exit(126);
		*executed = clock_ns(CLOCK_MONOTONIC_RAW);
		execvp(words[0], words);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "work: %s: status %#x\n", words[0], (unsigned)status);
		return -1;
	}
	uint64_t ended = clock_ns(CLOCK_MONOTONIC_RAW);
	uint64_t cpu = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000U +
		       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000U;
	if (read(stamps[0], &stamp, sizeof(stamp)) != sizeof(stamp))
		die("stamp");
	fields[0] = ended - *executed;
	fields[1] = cpu;
	fields[2] = stamp.began - *executed;
	fields[3] = stamp.began_cpu;
	fields[4] = ended - stamp.ended;
	fields[5] = cpu > stamp.ended_cpu ? cpu - stamp.ended_cpu : 0;
	return usage.ru_maxrss;
}

static int cost(unsigned long times, char **command)
{
	static uint64_t fields[COST_FIELDS][COST_RUNS];
	char *words[COST_WORDS + 5];
	int stamps[2];
	long most = 0;
	/* the time at which the child executes the command, told to its parent */
	uint64_t *executed = mmap(NULL, sizeof(*executed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (executed == MAP_FAILED || pipe(stamps))
		die("cost");
	times = times < 1 ? 1 : times < COST_RUNS ? times : COST_RUNS;
	cost_words(words, command, stamps[1]);
	for (unsigned long i = 0; i < times; i++) {
		uint64_t run[COST_FIELDS];
		/* what the run before has detached the kernel may still be about to let go of, and a new one waits for that */
		const struct timespec pause = {0, 50000000};
		nanosleep(&pause, NULL);
		long memory = cost_run(words, stamps, executed, run);
		if (memory < 0)
			return 1;
		for (int j = 0; j < COST_FIELDS; j++)
			fields[j][i] = run[j];
		most = memory > most ? memory : most;
	}
	for (int j = 0; j < COST_FIELDS; j++) {
		qsort(fields[j], times, sizeof(**fields), by_value);
		printf("%" PRIu64 " ", fields[j][times / 2]);
	}
	printf("%ld\n", most);
	return 0;
}

/* Interrupts by which one CPU has another run a function: of all CPUs but the last, since the machine's start. x86 and arm64 call them
 * the same. */
static uint64_t function_calls(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char *line = NULL;
	size_t size = 0;
	uint64_t sum = 0;
	bool found = false;
	while (file && getline(&line, &size, file) > 0) {
		char *at = strchr(line, ':'), *end;
		if (!at || !strstr(at, "Function call interrupts"))
			continue;
		found = true;
		uint64_t last = 0, count;
		for (at++; (count = strtoull(at, &end, 10)), end != at; at = end) {
			sum += last;
			last = count;
		}
	}
	if (!found)
		die("/proc/interrupts");
	free(line);
	fclose(file);
	return sum;
}

static int last_cpu(void)
{
	static struct cpulist online, possible;
	int last = 0;
	sysfs_cpus(&online, &possible, NULL);
	for (int cpu = -1; (cpu = cpulist_next(&online, cpu)) >= 0;)
		last = cpu;
	return last;
}

/* We are on the command's CPU: to be woken by it takes no interrupt. */
static int reads(uint64_t skip, uint64_t count, char **command)
{
	struct {
		uint64_t lines, interrupts, cpu;
	} first = {0}, last = {0};
	static char text[65536];
	int pipe_fds[2];
	ssize_t got = 0;
	pin(last_cpu());
	if (pipe2(pipe_fds, O_CLOEXEC))
		die("pipe");
	pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		dup2(pipe_fds[1], 1);
		dup2(pipe_fds[1], 2);
		signal(SIGINT, SIG_DFL); /* a shell has what it starts in the background ignore it */
		execvp(command[0], command);
		die(command[0]);
	}
	close(pipe_fds[1]);
	while (last.lines < skip + count && (got = read(pipe_fds[0], text, sizeof(text) - 1)) > 0) {
		for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + got - at))); at++)
			last.lines++;
		last.interrupts = function_calls();
		last.cpu = cpu_ns(pid);
		if (first.lines < skip)
			first = last;
	}
	if (got <= 0) {
		text[got < 0 ? 0 : strcspn(text, "\n")] = '\0';
		fprintf(stderr, "work: %s: ended after %" PRIu64 " lines: %s\n", command[0], last.lines, text);
		return 1;
	}
	kill(pid, SIGINT);
	waitpid(pid, NULL, 0);
	count = last.lines - first.lines;
	printf("%" PRIu64 " %" PRIu64 "\n", (last.interrupts - first.interrupts) * 100 / count, (last.cpu - first.cpu) / count);
	return 0;
}

static void tick(uint64_t ms)
{
	for (;;) {
		sleep_ms(ms);
		if (write(1, "tick\n", 5) != 5)
			die("write");
	}
}

/* --- many threads and processes ------------------------------------------------------------------------------------- */

static pid_t fork_or_die(void)
{
	pid_t pid = fork();
	if (pid < 0)
		die("fork");
	return pid;
}

static void wait_all(void)
{
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

struct share {
	uint64_t ms;
	size_t pages;
};

/* MS ms of CPU time since the task was born. */
static void take(struct share share)
{
	faults(share.pages);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < share.ms * 1000000)
		loop(1000);
}

static void *taker(void *share)
{
	take(*(struct share *)share);
	return NULL;
}

static void nest(unsigned threads_count, unsigned children, struct share share)
{
	static pthread_t ids[CROWD_MAX];
	threads_count = threads_count < CROWD_MAX ? threads_count : CROWD_MAX;
	for (unsigned i = 0; i < threads_count; i++) {
		if (pthread_create(&ids[i], NULL, taker, &share))
			die("pthread_create");
	}
	for (unsigned i = 0; i < children; i += 2) {
		if (fork_or_die())
			continue;
		if (i + 1 < children && !fork_or_die()) {
			take(share);
			_exit(0);
		}
		take(share);
		wait_all();
		_exit(0);
	}
	for (unsigned i = 0; i < threads_count; i++)
		pthread_join(ids[i], NULL);
	wait_all();
}

static void storm(unsigned count, uint64_t ms, size_t pages, unsigned parallel)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	unsigned alive = 0;
	for (unsigned i = 0; i < count; i++) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), due = start + ms * 1000000 * i / count;
		if (now < due)
			sleep_ns(due - now);
		while (alive && waitpid(-1, NULL, alive < parallel ? WNOHANG : 0) > 0)
			alive--;
		if (!fork_or_die()) {
			faults(pages);
			_exit(0);
		}
		alive++;
	}
	wait_all();
	long sum = 0;
	for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; who++) {
		struct rusage usage;
		getrusage(who, &usage);
		sum += usage.ru_minflt + usage.ru_majflt;
	}
	printf("%ld\n", sum);
}

/* A thread of a crowd: takes its name, now or late, waits, and then burns or loops. */
struct member {
	pthread_t id;
	char name[16];
	unsigned nameless_ms, wait_ms;
	uint64_t ms;
	unsigned long rounds;
};

static struct member crowd_members[CROWD_MAX];
static unsigned crowd_count;

static void *crowd_member(void *argument)
{
	const struct member *member = argument;
	sleep_ms(member->nameless_ms);
	prctl(PR_SET_NAME, member->name);
	sleep_ms(member->wait_ms);
	burn(member->ms);
	if (member->rounds)
		loop(member->rounds);
	return NULL;
}

static void crowd_start(char letter, unsigned number, struct member about)
{
	if (crowd_count == CROWD_MAX) {
		errno = E2BIG;
		die("a crowd");
	}
	struct member *member = &crowd_members[crowd_count++];
	*member = about;
	snprintf(member->name, sizeof(member->name), "%c%u", letter, number);
	if (pthread_create(&member->id, NULL, crowd_member, member))
		die("pthread_create");
}

static void crowd_join(void)
{
	for (unsigned i = 0; i < crowd_count; i++)
		pthread_join(crowd_members[i].id, NULL);
}

static void named(unsigned count, uint64_t ms)
{
	for (unsigned i = 0; i < count; i++)
		crowd_start('w', i, (struct member){.nameless_ms = 20, .ms = (i + 1) * ms});
	crowd_join();
}

static void spawn(unsigned count, unsigned every_ms, uint64_t ms)
{
	for (unsigned i = 0; i < count; i++) {
		crowd_start('s', i, (struct member){.ms = ms});
		sleep_ms(every_ms);
	}
	crowd_join();
}

static void crowd(unsigned count, unsigned wait_ms, uint64_t ms, unsigned every_ms, unsigned more)
{
	for (unsigned i = 0; i < count; i++)
		crowd_start('c', i, (struct member){.wait_ms = wait_ms, .ms = ms});
	if (more)
		sleep_ms(wait_ms);
	for (unsigned i = 0; i < more; i++) {
		crowd_start('d', i, (struct member){.ms = ms});
		sleep_ms(every_ms);
	}
	crowd_join();
}

static void leaderless(unsigned count, unsigned wait_ms, uint64_t ms)
{
	for (unsigned i = 0; i < count; i++)
		crowd_start('c', i, (struct member){.wait_ms = wait_ms, .ms = ms});
	pthread_exit(NULL);
}

static void loops(unsigned count, unsigned long rounds)
{
	for (unsigned i = 0; i < count; i++)
		crowd_start('l', i, (struct member){.rounds = (i + 1) * rounds});
	crowd_join();
	for (unsigned i = 0; i < count; i++) {
		if (!fork_or_die()) {
			loop(rounds);
			_exit(0);
		}
	}
	wait_all();
}

static void hold(unsigned count, uint64_t ms)
{
	static pid_t children[HOLD_MAX];
	unsigned held = 0;
	int error = 0;
	for (; held < count && held < HOLD_MAX && !error; held++) {
		children[held] = fork();
		if (!children[held])
			for (;;)
				pause();
		if (children[held] < 0)
			error = errno;
	}
	if (!error)
		sleep_ms(ms);
	for (unsigned i = 0; i < held; i++) {
		if (children[i] > 0)
			kill(children[i], SIGKILL);
	}
	wait_all();
	if (error) {
		errno = error;
		die("fork");
	}
}

struct change {
	unsigned long wait_ms;
	char **command;
};

static void *changer(void *argument)
{
	const struct change *change = argument;
	sleep_ms(change->wait_ms);
	execvp(change->command[0], change->command);
	die(change->command[0]);
	return NULL;
}

static void change(unsigned long wait_ms, char **command)
{
	pthread_t id;
	struct change about = {wait_ms, command};
	if (pthread_create(&id, NULL, changer, &about))
		die("pthread_create");
	pthread_join(id, NULL);
}

/* clone3(2) with set_tid (5.5). */
static int reuse(pid_t id, char **command)
{
	const struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size;
	} args = {.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&id, .set_tid_size = 1};
	uint64_t limit = clock_ns(CLOCK_MONOTONIC) + 20000000000U;
	long pid;
	int status;
	while ((pid = syscall(SYS_clone3, &args, sizeof(args))) < 0 && errno == EEXIST && clock_ns(CLOCK_MONOTONIC) < limit)
		sleep_ns(50000);
	if (pid < 0)
		die("clone3");
	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	waitpid((pid_t)pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --- plain counting ------------------------------------------------------------------------------------------------- */

struct plain {
	struct event events[EVENTS_MAX];
	int count;
	int fds[FDS_MAX], event_of[FDS_MAX], fds_count;
};

static void plain_open(struct plain *plain, int index, int pid, int cpu, bool on_exec)
{
	struct perf_event_attr attr = plain->events[index].attr;
	attr.disabled = 1;
	attr.inherit = pid >= 0;
	attr.enable_on_exec = on_exec;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	int fd = sys_perf_event_open(&attr, pid, cpu, false);
	if (fd < 0) {
		errno = -fd;
		die(plain->events[index].name);
	}
	plain->event_of[plain->fds_count] = index;
	plain->fds[plain->fds_count++] = fd;
}

static void plain_control(const struct plain *plain, unsigned long request)
{
	for (int i = 0; i < plain->fds_count; i++)
		ioctl(plain->fds[i], (int)request, 0);
}

static void plain_print(const struct plain *plain)
{
	for (int e = 0; e < plain->count; e++) {
		struct reading sum = {0};
		uint64_t value = 0;
		for (int i = 0; i < plain->fds_count; i++) {
			struct reading r;
			if (plain->event_of[i] != e)
				continue;
			if (read(plain->fds[i], &r, sizeof(r)) != sizeof(r))
				die("read");
			sum = reading_add(sum, r);
			value += reading_scaled(r);
		}
		printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", plain->events[e].name, value, sum.enabled, sum.running);
	}
}

static void plain_open_all(struct plain *plain, const char *scope, const char *list, int child)
{
	static struct cpulist cpus, online, possible;
	struct err err = {0};
	sysfs_cpus(&online, &possible, &err);
	for (int e = 0; e < plain->count; e++) {
		if (!strcmp(scope, "-w"))
			plain_open(plain, e, child, -1, true);
		else if (!strcmp(scope, "-p") || !strcmp(scope, "-t"))
			plain_open(plain, e, atoi(list), -1, false);
		else {
			cpus = online;
			if (!strcmp(scope, "-C") && cpulist_parse(&cpus, list, &err))
				die(err.text);
			for (int c = -1; (c = cpulist_next(&cpus, c)) >= 0;)
				if (!plain->events[e].has_cpus || cpulist_has(&plain->events[e].cpus, (unsigned)c))
					plain_open(plain, e, -1, c, false);
		}
	}
}

static int plain(char **argv)
{
	static struct plain plain;
	struct err err = {0};
	const char *scope = *argv++, *list = !strcmp(scope, "-w") || !strcmp(scope, "-a") ? NULL : *argv++;
	plain.count = event_parse_list(plain.events, EVENTS_MAX, *argv++, &err);
	if (plain.count > 0)
		plain.count = event_resolve(plain.events, plain.count, EVENTS_MAX, NULL, EVENT_LEVELS_ALL, &err);
	if (plain.count < 0)
		die(err.text);
	int go[2], status;
	if (pipe2(go, O_CLOEXEC))
		die("pipe");
	pid_t child = fork();
	if (!child) {
		char byte;
		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			execvp(argv[0], argv);
		_exit(127);
	}
	plain_open_all(&plain, scope, list, child);
	if (strcmp(scope, "-w"))
		plain_control(&plain, PERF_EVENT_IOC_ENABLE);
	if (write(go[1], "g", 1) != 1)
		die("write");
	waitpid(child, &status, 0);
	plain_control(&plain, PERF_EVENT_IOC_DISABLE);
	plain_print(&plain);
	return 0;
}

static int many(int count, const char *name, int cpu, unsigned long ms)
{
	static struct plain plain;
	struct err err = {0};
	uint64_t least = 100;
	if (event_parse_list(plain.events, 1, name, &err) != 1 ||
	    event_resolve(plain.events, 1, 1, NULL, EVENT_LEVELS_ALL, &err) != 1)
		die(err.text);
	for (int i = 0; i < count; i++)
		plain_open(&plain, 0, -1, cpu, false);
	plain_control(&plain, PERF_EVENT_IOC_ENABLE);
	sleep_ms(ms);
	plain_control(&plain, PERF_EVENT_IOC_DISABLE);
	for (int i = 0; i < plain.fds_count; i++) {
		struct reading r;
		if (read(plain.fds[i], &r, sizeof(r)) != sizeof(r))
			die("read");
		uint64_t share = reading_ratio(r.running, r.enabled, 100);
		least = share < least ? share : least;
	}
	printf("%" PRIu64 "\n", least);
	return 0;
}

/* --- the rest ------------------------------------------------------------------------------------------------------- */

static int ids(void)
{
	static const struct {
		const char *name;
		int cmd;
	} kinds[] = {{"prog", BPF_PROG_GET_NEXT_ID}, {"map", BPF_MAP_GET_NEXT_ID}, {"link", BPF_LINK_GET_NEXT_ID}};
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		uint32_t id = 0;
		int err;
		while (!(err = sys_bpf_next_id(kinds[i].cmd, &id)))
			printf("%s %u\n", kinds[i].name, id);
		if (err != -ENOENT) {
			errno = -err;
			die("ids");
		}
	}
	return 0;
}

static int as(uint32_t uid, const char *names, char **command)
{
	static const struct {
		const char *name;
		unsigned bit;
	} known[] = {{"bpf", 39}, {"perfmon", 38}, {"sys_admin", 21}, {"sys_resource", 24}};
	struct {
		uint32_t version;
		int pid;
	} header = {0x20080522, 0};
	struct {
		uint32_t effective, permitted, inheritable;
	} halves[2] = {{0}};
	if (prctl(PR_SET_KEEPCAPS, 1) || setgid(uid) || setuid(uid))
		die("setuid");
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		/* "perfmon" is in no other */
		if (strstr(names, known[i].name)) {
			uint32_t *half = &halves[known[i].bit / 32].effective;
			half[0] = half[1] = half[2] |= 1U << known[i].bit % 32;
		}
	}
	if (syscall(SYS_capset, &header, halves))
		die("capset");
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (halves[known[i].bit / 32].effective >> known[i].bit % 32 & 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, known[i].bit, 0, 0))
			die("ambient");
	}
	execvp(command[0], command);
	die(command[0]);
	return 1;
}

/* Classic BPF: linux/filter.h's and linux/seccomp.h's numbers. */
static int deny(const char *name, int error, char **command)
{
	struct {
		uint16_t code;
		uint8_t jt, jf;
		uint32_t k;
	} filter[] = {
		{0x20, 0, 0, 0},                         /* load seccomp_data.nr */
		{0x15, 0, 3, !strncmp(name, "bpf", 3) ? SYS_bpf : SYS_perf_event_open},
		{0x20, 0, 0, 16},                        /* load the lower half of the first argument */
		{!strncmp(name, "bpf:", 4) ? 0x15 : 0x05, 0, 1, (uint32_t)atoi(name + (name[3] ? 4 : 3))},
		{0x06, 0, 0, 0x00050000U | (uint32_t)error}, /* SECCOMP_RET_ERRNO */
		{0x06, 0, 0, 0x7fff0000U},               /* SECCOMP_RET_ALLOW */
	};
	struct {
		unsigned short length;
		void *filter;
	} program = {sizeof(filter) / sizeof(*filter), filter};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program))
		die("seccomp");
	execvp(command[0], command);
	die(command[0]);
	return 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long a = argc > 2 ? strtoul(argv[2], NULL, 0) : 0, b = argc > 3 ? strtoul(argv[3], NULL, 0) : 0;
	unsigned long c = argc > 4 ? strtoul(argv[4], NULL, 0) : 0, d = argc > 5 ? strtoul(argv[5], NULL, 0) : 0;
	if (!strcmp(what, "stamp"))
		stamp((int)a, (pid_t)b);
	else if (!strcmp(what, "loop"))
		loop(a);
	else if (!strcmp(what, "burn"))
		burn(a);
	else if (!strcmp(what, "spin"))
		for (;;)
			loop(1000000);
	else if (!strcmp(what, "yielding"))
		yielding();
	else if (!strcmp(what, "faults"))
		faults(a);
	else if (!strcmp(what, "switches"))
		while (a--)
			sleep_ns(100000);
	else if (!strcmp(what, "naps"))
		while (a--) {
			sleep_ms(1);
			burn(b);
		}
	else if (!strcmp(what, "pingpong"))
		pingpong(a);
	else if (!strcmp(what, "cost") && argc > 2)
		return cost(a, argv + 3);
	else if (!strcmp(what, "reads") && argc > 4)
		return reads(a, b, argv + 4);
	else if (!strcmp(what, "tick"))
		tick(a);
	else if (!strcmp(what, "threads"))
		threads((unsigned)a, b, false);
	else if (!strcmp(what, "orphan"))
		threads((unsigned)a, b, true);
	else if (!strcmp(what, "forks"))
		forks((unsigned)a, b);
	else if (!strcmp(what, "without") && argc > 3) {
		if (prctl(PR_CAPBSET_DROP, a, 0, 0, 0))
			die("prctl");
		execvp(argv[3], argv + 3);
		die(argv[3]);
	} else if (!strcmp(what, "nest") && argc > 5)
		nest((unsigned)a, (unsigned)b, (struct share){c, d});
	else if (!strcmp(what, "storm") && argc > 5)
		storm((unsigned)a, b, c, (unsigned)d);
	else if (!strcmp(what, "named"))
		named((unsigned)a, b);
	else if (!strcmp(what, "spawn") && argc > 4)
		spawn((unsigned)a, (unsigned)b, c);
	else if (!strcmp(what, "crowd") && argc > 4)
		crowd((unsigned)a, (unsigned)b, c, (unsigned)d, argc > 6 ? (unsigned)atoi(argv[6]) : 0);
	else if (!strcmp(what, "leaderless") && argc > 4)
		leaderless((unsigned)a, (unsigned)b, c);
	else if (!strcmp(what, "loops"))
		loops((unsigned)a, b);
	else if (!strcmp(what, "hold"))
		hold((unsigned)a, b);
	else if (!strcmp(what, "change") && argc > 3)
		change(a, argv + 3);
	else if (!strcmp(what, "reuse") && argc > 3)
		return reuse((pid_t)a, argv + 3);
	else if (!strcmp(what, "after") && argc > 3) {
		sleep_ms(a);
		execvp(argv[3], argv + 3);
		die(argv[3]);
	} else if (!strcmp(what, "plain") && argc > 4)
		return plain(argv + 2);
	else if (!strcmp(what, "many") && argc > 5)
		return many((int)a, argv[3], atoi(argv[4]), strtoul(argv[5], NULL, 0));
	else if (!strcmp(what, "ids"))
		return ids();
	else if (!strcmp(what, "as") && argc > 3) {
		return as((uint32_t)a, "none", argv + 3);
	} else if (!strcmp(what, "caps") && argc > 4) {
		return as((uint32_t)a, argv[3], argv + 4);
	} else if (!strcmp(what, "deny") && argc > 4)
		return deny(argv[2], (int)b, argv + 4);
	else {
		fprintf(stderr, "work: unknown or incomplete: '%s'\n", what);
		return 2;
	}
	return 0;
}
