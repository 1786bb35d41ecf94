/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF programs of known length, for the tests of -b. Static, runs in the emulated machines too.
 *
 *   load NAME ROUNDS PATH [KIND]     loads a program and pins it at PATH, prints its id. It is of 4000 * ROUNDS instructions, each
 *                      of which (r0 += r1) the JITs make one of the CPU's of, and the few of a loop, a start and an end.
 *                      KIND: cls, as without it, for packets; raw, for a tracepoint; nobtf, as cls, but without BTF
 *   run PATH N [CPU]   runs the program that is pinned there N times, in this thread
 *   spin PATH CPU...   runs it all the time, in a thread on each of the CPUs, until it is killed
 *   nest PATH N MS     runs the one that is pinned there, of kind raw, for MS ms on CPU 0, and from CPU 1 N times in interrupts of
 *                      CPU 0, then mostly within the other's runs; prints the number of both
 *   plain PATH N       the instructions that N runs take in the kernel, by a plain event: what is known without bperf-mini
 *   map PATH           pins what is no program: a map
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "sys_bpf.h"
#include "sys_perf.h"

enum { BODY = 4000, SCHED_CLS = 3, RAW_TRACEPOINT = 17, PACKET = 64, CHUNK = 1000, CPUS_MAX = 64 };

static void die(const char *what, int error)
{
	fprintf(stderr, "prog: %s: %s\n", what, strerror(error));
	exit(1);
}

/* int NAME(void *ctx) */
static int load_btf(const char *name)
{
	struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t hdr_len, type_off, type_len, str_off, str_len;
		uint32_t types[4 + 3 + 5 + 3];
		char strings[140];
	} btf = {
		.magic = 0xeb9f, .version = 1, .hdr_len = 24, .type_len = sizeof(btf.types), .str_off = sizeof(btf.types),
		.types = {
			1, 1U << 24, 4, 1U << 24 | 32, /* 1: int */
			0, 2U << 24, 0,                /* 2: void * */
			0, 13U << 24 | 1, 1, 5, 2,     /* 3: int (void *ctx) */
			9, 12U << 24 | 1, 3,           /* 4: the function */
		},
	};
	memcpy(btf.strings, "\0int\0ctx", 9);
	snprintf(btf.strings + 9, sizeof(btf.strings) - 9, "%s", name);
	btf.str_len = 9 + (uint32_t)strlen(name) + 1;
	int fd = sys_bpf_btf_load(&btf, 24 + btf.type_len + btf.str_len, NULL, 0);
	if (fd < 0)
		die("BTF", -fd);
	return fd;
}

static void load(const char *name, int rounds, const char *path, const char *kind)
{
	const int has_btf = strcmp(kind, "nobtf");
	static struct bpf_insn insns[BODY + 8];
	static char log[1 << 16];
	int n = 0;
	insns[n++] = (struct bpf_insn){0xb7, 0, 0, 0, 0};      /* r0 = 0 */
	insns[n++] = (struct bpf_insn){0xb7, 1, 0, 0, 1};      /* r1 = 1 */
	insns[n++] = (struct bpf_insn){0xb7, 2, 0, 0, rounds}; /* r2 = rounds */
	const int start = n;
	while (n < start + BODY)
		insns[n++] = (struct bpf_insn){0x0f, 0, 1, 0, 0}; /* r0 += r1 */
	insns[n++] = (struct bpf_insn){0x07, 2, 0, 0, -1};        /* r2 += -1 */
	insns[n] = (struct bpf_insn){0x55, 2, 0, (int16_t)(start - n - 1), 0}; /* if r2 != 0 goto start */
	n++;
	insns[n++] = (struct bpf_insn){0xb7, 0, 0, 0, 0}; /* r0 = 0 */
	insns[n++] = (struct bpf_insn){0x95, 0, 0, 0, 0}; /* exit */
	struct sys_bpf_prog spec = {
		.name = name, .license = "GPL", .type = strcmp(kind, "raw") ? SCHED_CLS : RAW_TRACEPOINT, .attach_prog_fd = -1,
		.btf_fd = has_btf ? load_btf(name) : -1, .func_id = has_btf ? 4 : 0,
		.insns = insns, .insns_count = (uint32_t)n,
	};
	int fd = sys_bpf_prog_load(&spec);
	if (fd < 0) {
		spec.log = log;
		spec.log_size = sizeof(log);
		sys_bpf_prog_load(&spec);
		fputs(log, stderr);
		die("load", -fd);
	}
	struct bpf_prog_info info = {0};
	int result = sys_bpf_obj_pin(fd, path);
	if (result < 0)
		die(path, -result);
	sys_bpf_info(fd, &info, sizeof(info));
	printf("%u\n", info.id);
}

static int open_pinned(const char *path)
{
	int fd = sys_bpf_obj_get(path);
	if (fd < 0)
		die(path, -fd);
	return fd;
}

/* The kernel runs it in a loop, with a packet. */
static void run(int fd, uint32_t count)
{
	static char packet[PACKET];
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)fd;
	attr.test.data_in = (uintptr_t)packet;
	attr.test.data_size_in = sizeof(packet);
	attr.test.repeat = count;
	if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)))
		die("run", errno);
}

static void stay_on(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("affinity", errno);
}

static int spin_fd;

static void *spin(void *cpu)
{
	stay_on((int)(intptr_t)cpu);
	for (;;)
		run(spin_fd, CHUNK);
	return NULL;
}

static volatile int is_over;
static unsigned long outer_runs;

/* Without BPF_F_TEST_RUN_ON_CPU, with interrupts on. */
static void *run_here(void *unused)
{
	union bpf_attr attr;
	stay_on(0);
	for (; !is_over; outer_runs++) {
		memset(&attr, 0, sizeof(attr));
		attr.test.prog_fd = (uint32_t)spin_fd;
		if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)))
			die("run", errno);
	}
	return unused;
}

static void nest(unsigned long count, uint64_t ms)
{
	pthread_t id;
	int32_t status;
	stay_on(1);
	if (pthread_create(&id, NULL, run_here, NULL))
		die("pthread_create", EAGAIN);
	for (unsigned long i = 0; i < count; i++) {
		const uint64_t ns = ms * 1000000 / count;
		const struct timespec pause = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
		nanosleep(&pause, NULL);
		int result = sys_bpf_prog_test_run(spin_fd, 0, NULL, 0, &status);
		if (result)
			die("run on CPU 0", -result);
	}
	is_over = 1;
	pthread_join(id, NULL);
	/* newer kernels run it in no interrupt of itself, and say how often they did not */
	struct bpf_prog_info info = {0};
	sys_bpf_info(spin_fd, &info, sizeof(info));
	printf("%" PRIu64 "\n", outer_runs + count - info.recursion_misses);
}

static void plain(int fd, uint32_t count)
{
	struct perf_event_attr attr;
	uint64_t value;
	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr.size = sizeof(attr);
	attr.disabled = attr.exclude_user = 1;
	int event = sys_perf_event_open(&attr, 0, -1, false);
	if (event < 0)
		die("instructions", -event);
	ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
	run(fd, count);
	ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	if (read(event, &value, sizeof(value)) != sizeof(value))
		die("read", errno);
	printf("%" PRIu64 "\n", value);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "load") && argc > 4) {
		load(argv[2], atoi(argv[3]), argv[4], argc > 5 ? argv[5] : "cls");
	} else if (!strcmp(what, "run") && argc > 3) {
		if (argc > 4)
			stay_on(atoi(argv[4]));
		run(open_pinned(argv[2]), (uint32_t)atoi(argv[3]));
	} else if (!strcmp(what, "spin") && argc > 3) {
		pthread_t id;
		spin_fd = open_pinned(argv[2]);
		for (int i = 3; i < argc && i < CPUS_MAX; i++) {
			if (pthread_create(&id, NULL, spin, (void *)(intptr_t)atoi(argv[i])))
				die("pthread_create", EAGAIN);
		}
		pthread_join(id, NULL);
	} else if (!strcmp(what, "nest") && argc > 4) {
		spin_fd = open_pinned(argv[2]);
		nest(strtoul(argv[3], NULL, 0), strtoul(argv[4], NULL, 0));
	} else if (!strcmp(what, "plain") && argc > 3) {
		plain(open_pinned(argv[2]), (uint32_t)atoi(argv[3]));
	} else if (!strcmp(what, "map") && argc > 2) {
		int fd = sys_bpf_map_create("a_map", BPF_MAP_TYPE_ARRAY, 4, 4, 1, 0);
		int result = fd < 0 ? fd : sys_bpf_obj_pin(fd, argv[2]);
		if (result < 0)
			die(argv[2], -result);
	} else {
		fprintf(stderr, "prog: unknown or incomplete: '%s'\n", what);
		return 2;
	}
	return 0;
}
