/* SPDX-License-Identifier: GPL-2.0-only */
/* perf's side of the sharing protocol (`perf stat --bpf-counters`), byte for byte but without perf: what perf enters in its attr
 * map and finds there. Its leader and follower are put together here, instruction by instruction. Static, runs in the emulated
 * machines too.
 *
 *   map SIZE [PATH]    creates and pins an empty attr map with keys of SIZE bytes as perf does; --value BYTES, --entries N: another
 *                      shape
 *   fill N [PATH]      up to N entries of different events whose leaders are gone (as perf leaves them)
 *   leader EVENT       makes perf's leader, enters it, prints "ready LINK_ID PROG_ID", holds it until it is killed
 *   follow EVENT MS    looks the event up as perf does, joins, counts on all CPUs for MS ms: prints "no entry", or "dead LINK_ID", or
 *                      "joined LINK_ID", a line "cpu N COUNTER ENABLED RUNNING" for each CPU online, and "sum COUNTER ENABLED RUNNING"
 *   key EVENT          prints the key's words that are not 0, each as OFFSET=HEX (bytes, decimal)
 *   dump [PATH]        the entries: "OFFSET=HEX ... link ID live|dead diff ID"
 *   progs              all BPF programs: "ID NAME TYPE"
 *   starve PROG_ID CPU a leader's event of that CPU is taken from it: the CPU's sums after a trigger before that, and two after it:
 *                      "diff A total B", three times
 *   flock PATH|eventfd SECONDS   holds the lock on that file, pinned object or new eventfd (0: until it is killed): "locked"
 *
 * leader, follow and key take:  --key SIZE (128, 136, 144; default: the map's, else 136), --flags none|exclude_guest (default: as a
 * perf of that key size), --map PATH (default /sys/fs/bpf/perf_attr_map). leader: --cpus LIST (default: all online; perf >= 6.18 opens
 * those of -C only), --prog-name NAME, and --bad WHAT for what is not to be trusted:
 *   tracepoint  on sched_wakeup           diff    the entry's map is one that the program does not have
 *   value       readings of 32 bytes      nomap   the entry's map does not exist
 *   link        the link is gone          none    nothing but the entry that perf puts in first
 *   events      no event is there         stopped the events stand still
 *   names       maps of other names       slots   a map of events with one slot
 *   btf         a program without BTF     flags   a map of events that forgets them
 * flock: --uid UID.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cpulist.h"
#include "err.h"
#include "event.h"
#include "reading.h"
#include "sys_bpf.h"
#include "sysfs.h"

enum { KEY_MAX = 512, VALUE_MAX = 64, ENTRIES = 16, BTF_MAX = 1 << 16, INSNS_MAX = 64, KEY_NEW_PERF = 144 };
enum { EXCLUDE_USER = 0x10, EXCLUDE_GUEST = 0x100000 };
enum { GONE = 3 }; /* exit status: no live leader */

/* As perf's struct perf_event_attr_map_entry. */
struct entry {
	uint32_t link_id, diff_map_id;
};

static struct {
	const char *map, *flags, *cpus, *prog_name, *bad;
	uint32_t key, value, entries;
	long uid;
} options = {"/sys/fs/bpf/perf_attr_map", "", "", "on_switch", "", 0, sizeof(struct entry), ENTRIES, -1};

static struct cpulist online, possible;

static void die(const char *what, int error)
{
	fprintf(stderr, "peer: %s: %s\n", what, err_reason(error < 0 ? -error : error));
	exit(1);
}

/* result: an fd, a count or 0, else -errno */
static int check(int result, const char *what)
{
	if (result < 0)
		die(what, result);
	return result;
}

static bool is_bad(const char *what)
{
	return !strcmp(options.bad, what);
}

static void sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};
	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* What there is to say must be out before a wait. */
static void flush(void)
{
	if (fflush(stdout))
		die("stdout", errno);
}

static _Noreturn void hold(void)
{
	flush();
	for (;;)
		pause();
}

/* --- the attr map --------------------------------------------------------------------------------------------------- */

static struct bpf_map_info map_info(int fd)
{
	struct bpf_map_info info;
	memset(&info, 0, sizeof(info));
	check(sys_bpf_info(fd, &info, sizeof(info)), "map info");
	return info;
}

static int make_attr_map(void)
{
	int fd =
		check(sys_bpf_map_create("", BPF_MAP_TYPE_HASH, options.key, options.value, options.entries, 0), "attr map");
	check(sys_bpf_obj_pin(fd, options.map), options.map);
	return fd;
}

/* perf's bperf_lock_attr_map: made where it is missing, checked, then locked, however long that takes. */
static int lock_attr_map(void)
{
	int fd;
	if (access(options.map, F_OK)) {
		options.key = options.key ? options.key : 136;
		fd = make_attr_map();
	} else {
		fd = check(sys_bpf_obj_get(options.map), options.map);
	}
	struct bpf_map_info info = map_info(fd);
	if (!options.key)
		options.key = info.key_size;
	if (info.key_size != options.key || info.value_size != sizeof(struct entry)) {
		fprintf(stderr, "peer: Failed to lock perf_event_attr map\n");
		exit(1);
	}
	if (flock(fd, LOCK_EX))
		die("flock", errno);
	return fd;
}

static void put32(uint8_t *key, size_t at, uint32_t value)
{
	memcpy(key + at, &value, sizeof(value));
}

/* The whole struct perf_event_attr of that perf: type, size, config and flags are all that is ever set (kernel-facts.md 2). */
static void make_key(uint8_t *key, const char *name)
{
	static struct event event;
	struct err err = {0};
	if (event_parse_list(&event, 1, name, &err) != 1) {
		fprintf(stderr, "peer: %s\n", err.text);
		exit(2);
	}
	uint64_t flags;
	memcpy(&flags, (const uint8_t *)&event.attr + 40, sizeof(flags));
	/* up to 6.17 perf left the guest out unless told which modes to count, of which :k left it in */
	if (!strcmp(options.flags, "exclude_guest") ||
	    (!*options.flags && options.key < KEY_NEW_PERF && !(flags & EXCLUDE_USER)))
		flags |= EXCLUDE_GUEST;
	memset(key, 0, options.key);
	put32(key, 0, event.attr.type);
	put32(key, 4, options.key);
	memcpy(key + 8, &event.attr.config, sizeof(event.attr.config));
	memcpy(key + 40, &flags, sizeof(flags));
}

static void print_key(const uint8_t *key, uint32_t size)
{
	const char *space = "";
	for (uint32_t at = 0; at + 4 <= size; at += 4) {
		uint32_t word;
		memcpy(&word, key + at, sizeof(word));
		if (word)
			printf("%s%u=%x", space, at, word);
		space = word ? " " : space;
	}
}

static int dump(void)
{
	int fd = check(sys_bpf_obj_get(options.map), options.map);
	struct bpf_map_info info = map_info(fd);
	uint8_t key[KEY_MAX], next[KEY_MAX];
	union {
		struct entry entry;
		uint8_t bytes[VALUE_MAX];
	} value;
	if (info.key_size > KEY_MAX || info.value_size > VALUE_MAX)
		die(options.map, E2BIG);
	for (void *at = NULL; !sys_bpf_map_next_key(fd, at, next); at = key) {
		memcpy(key, next, info.key_size);
		memset(&value, 0, sizeof(value));
		if (sys_bpf_map_lookup(fd, key, &value))
			continue;
		int link = sys_bpf_link_by_id(value.entry.link_id);
		print_key(key, info.key_size);
		printf(" link %u %s diff %u\n", value.entry.link_id, link >= 0 ? "live" : "dead", value.entry.diff_map_id);
		if (link >= 0)
			close(link);
	}
	return 0;
}

static int fill(uint32_t count)
{
	int map = lock_attr_map();
	const struct entry dead = {UINT32_MAX, UINT32_MAX};
	uint8_t key[KEY_MAX] = {0};
	int result = 0;
	for (uint32_t i = 0; result >= 0 && i < count; i++) {
		put32(key, 0, PERF_TYPE_RAW);
		put32(key, 4, options.key);
		put32(key, 8, 0x1000 + i);
		result = sys_bpf_map_update(map, key, &dead, BPF_ANY);
	}
	return result == -E2BIG ? 0 : check(result, "entry");
}

/* --- programs, instruction by instruction --------------------------------------------------------------------------- */

enum { R0, R1, R2, R3, R4, R6 = 6, R7, R8, FP = 10 };
enum { HELPER_LOOKUP = 1, HELPER_CPU = 8, HELPER_READ_VALUE = 55 };
enum { ZERO = -4, VALUE = -32 }; /* places on the stack */

struct code {
	struct bpf_insn insns[INSNS_MAX];
	uint32_t count;
};

static void put(struct code *code, uint8_t op, uint8_t dst, uint8_t src, int16_t off, int32_t imm)
{
	code->insns[code->count++] = (struct bpf_insn){op, dst & 15, src & 15, off, imm};
}

static void move(struct code *code, uint8_t dst, uint8_t src)
{
	put(code, 0xbf, dst, src, 0, 0);
}
static void move_imm(struct code *code, uint8_t dst, int32_t imm)
{
	put(code, 0xb7, dst, 0, 0, imm);
}
static void add_imm(struct code *code, uint8_t dst, int32_t imm)
{
	put(code, 0x07, dst, 0, 0, imm);
}
static void load(struct code *code, uint8_t dst, uint8_t src, int16_t off)
{
	put(code, 0x79, dst, src, off, 0);
}
static void store(struct code *code, uint8_t dst, int16_t off, uint8_t src)
{
	put(code, 0x7b, dst, src, off, 0);
}
static void call(struct code *code, int32_t helper)
{
	put(code, 0x85, 0, 0, 0, helper);
}

static void load_map(struct code *code, uint8_t dst, int fd)
{
	put(code, BPF_LD_IMM64_CODE, dst, BPF_PSEUDO_MAP_FD, 0, fd);
	put(code, 0, 0, 0, 0, 0);
}

static void leave(struct code *code)
{
	move_imm(code, R0, 0);
	put(code, 0x95, 0, 0, 0, 0);
}

/* dst = the map's element 0, or the program ends */
static void element(struct code *code, uint8_t dst, int map)
{
	move(code, R2, FP);
	add_imm(code, R2, ZERO);
	load_map(code, R1, map);
	call(code, HELPER_LOOKUP);
	put(code, 0x55, R0, 0, 2, 0); /* if it is not NULL, past the two of leave */
	leave(code);
	move(code, dst, R0);
}

struct leader {
	int events, prev, diff, prog, link;
};

/* diff = event - prev; prev = event */
static void leader_code(struct code *code, const struct leader *leader)
{
	call(code, HELPER_CPU);
	move(code, R6, R0);
	put(code, 0x62, FP, 0, ZERO, 0);
	element(code, R7, leader->prev);
	element(code, R8, leader->diff);
	load_map(code, R1, leader->events);
	move(code, R2, R6);
	move(code, R3, FP);
	add_imm(code, R3, VALUE);
	move_imm(code, R4, sizeof(struct reading));
	call(code, HELPER_READ_VALUE);
	put(code, 0x15, R0, 0, 2, 0);
	leave(code);
	for (int16_t at = 0; at < (int16_t)sizeof(struct reading); at += 8) {
		load(code, R1, FP, VALUE + at);
		load(code, R2, R7, at);
		move(code, R3, R1);
		put(code, 0x1f, R3, R2, 0, 0);
		store(code, R8, at, R3);
		store(code, R7, at, R1);
	}
	leave(code);
}

/* sum += diff */
static void follower_code(struct code *code, int diff, int sum)
{
	put(code, 0x62, FP, 0, ZERO, 0);
	element(code, R7, diff);
	element(code, R8, sum);
	for (int16_t at = 0; at < (int16_t)sizeof(struct reading); at += 8) {
		load(code, R1, R7, at);
		load(code, R2, R8, at);
		put(code, 0x0f, R2, R1, 0, 0);
		store(code, R8, at, R2);
	}
	leave(code);
}

/* int on_switch(unsigned long long *ctx), as BPF_PROG makes it. */
enum { BTF_ON_SWITCH = 5 };
static int load_btf(void)
{
	static const char names[] = "\0int\0unsigned long long\0ctx\0on_switch";
	static const struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t header_size, types_at, types_size, names_at, names_size;
		uint32_t types[19];
		char names[sizeof(names)];
	} btf = { /* clang-format off */
		0xeb9f, 1, 0, 24, 0, sizeof(btf.types), sizeof(btf.types), sizeof(names),
		{
			1, 1U << 24, 4, 1U << 24 | 32, /* 1: int, signed, 32 bits */
			5, 1U << 24, 8, 64,            /* 2: unsigned long long */
			0, 2U << 24, 2,                /* 3: pointer to it */
			0, 13U << 24 | 1, 1, 24, 3,    /* 4: int (ctx) */
			28, 12U << 24 | 1, 4,          /* 5: a global function of that type */
		},
		"\0int\0unsigned long long\0ctx\0on_switch",
	}; /* clang-format on */
	/* without the padding at the end, which the kernel refuses */
	union bpf_attr attr = {.btf = (uint64_t)(uintptr_t)&btf,
			       .btf_size = btf.header_size + sizeof(btf.types) + sizeof(names)};
	int fd = (int)syscall(SYS_bpf, BPF_BTF_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		die("BTF", errno);
	return fd;
}

static int load_prog(struct sys_bpf_prog *prog, const struct code *code)
{
	static char log[1 << 16];
	prog->license = "GPL";
	prog->insns = code->insns;
	prog->insns_count = code->count;
	int fd = sys_bpf_prog_load(prog);
	if (fd >= 0)
		return fd;
	prog->log = log;
	prog->log_size = sizeof(log);
	sys_bpf_prog_load(prog);
	fprintf(stderr, "%s", log);
	die(prog->name, fd);
	return -1;
}

/* --- perf's leader -------------------------------------------------------------------------------------------------- */

static int readings_map(const char *name)
{
	uint32_t size = is_bad("value") ? sizeof(struct reading) + 8 : sizeof(struct reading);
	return check(sys_bpf_map_create(is_bad("names") ? "readings" : name, BPF_MAP_TYPE_PERCPU_ARRAY, 4, size, 1, 0),
		     name);
}

static void make_leader(struct leader *leader)
{
	uint32_t slots = is_bad("slots") ? 1 : cpulist_count(&possible);
	leader->events = check(sys_bpf_map_create(is_bad("names") ? "slots" : "events", BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4,
						  slots, is_bad("flags") ? 0 : BPF_F_PRESERVE_ELEMS),
			       "events");
	leader->prev = readings_map("prev_readings");
	leader->diff = readings_map("diff_readings");
	struct code code = {0};
	leader_code(&code, leader);
	int btf = is_bad("btf") ? -1 : load_btf();
	struct sys_bpf_prog prog = {.name = options.prog_name,
				    .type = BPF_PROG_TYPE_RAW_TRACEPOINT,
				    .attach_prog_fd = -1,
				    .btf_fd = btf,
				    .func_id = btf < 0 ? 0 : BTF_ON_SWITCH};
	leader->prog = load_prog(&prog, &code);
	leader->link = check(
		sys_bpf_raw_tracepoint_open(is_bad("tracepoint") ? "sched_wakeup" : "sched_switch", leader->prog), "attach");
}

/* perf ignores what the open says; here it is said. */
static void open_events(const struct leader *leader, const uint8_t *key)
{
	static struct cpulist cpus;
	struct err err = {0};
	uint8_t attr[KEY_MAX];
	memcpy(attr, key, options.key);
	if (is_bad("stopped"))
		attr[40] |= 1; /* disabled */
	cpus = online;
	if (*options.cpus && cpulist_parse(&cpus, options.cpus, &err)) {
		fprintf(stderr, "peer: %s\n", err.text);
		exit(2);
	}
	for (int cpu = -1; !is_bad("events") && (cpu = cpulist_next(&cpus, cpu)) >= 0;) {
		int fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0)
			die("perf_event_open", errno);
		uint32_t slot = (uint32_t)cpu;
		int result = sys_bpf_map_update(leader->events, &slot, &fd, BPF_ANY);
		if (result < 0 && !is_bad("slots"))
			die("events", result);
	}
}

/* In perf's order: the entry first, then the events, all under the lock. */
static int leader(const char *name)
{
	struct leader leader;
	struct bpf_link_info link;
	struct bpf_prog_info prog;
	uint8_t key[KEY_MAX];
	struct entry entry = {UINT32_MAX, UINT32_MAX};
	int map = lock_attr_map();
	make_key(key, name);
	check(sys_bpf_map_update(map, key, &entry, BPF_ANY), "entry");
	if (is_bad("none")) {
		flock(map, LOCK_UN);
		puts("ready 0 0");
		hold();
	}
	make_leader(&leader);
	memset(&link, 0, sizeof(link));
	memset(&prog, 0, sizeof(prog));
	check(sys_bpf_info(leader.link, &link, sizeof(link)), "link info");
	check(sys_bpf_info(leader.prog, &prog, sizeof(prog)), "program info");
	entry.link_id = link.id;
	entry.diff_map_id = map_info(is_bad("diff") ? readings_map("diff_readings") : leader.diff).id;
	if (is_bad("nomap"))
		entry.diff_map_id = UINT32_MAX;
	check(sys_bpf_map_update(map, key, &entry, BPF_ANY), "entry");
	open_events(&leader, key);
	if (is_bad("link"))
		close(leader.link);
	flock(map, LOCK_UN);
	close(map);
	/* perf keeps the link, the program and (up to 6.17) the events */
	close(leader.events);
	close(leader.prev);
	close(leader.diff);
	printf("ready %u %u\n", link.id, prog.id);
	hold();
}

/* --- perf's follower ------------------------------------------------------------------------------------------------ */

/* The bytes that follow a BTF type's own 12. */
static size_t btf_tail(uint32_t info)
{
	static const uint8_t each[] = {[4] = 12, [5] = 12, [6] = 8, [13] = 8, [15] = 12, [19] = 12};
	uint32_t kind = info >> 24 & 31, count = info & 0xffff;
	switch (kind) {
	case 1:
	case 14:
	case 17:
		return 4; /* INT, VAR, DECL_TAG */
	case 3:
		return 12; /* ARRAY */
	default:
		return kind < sizeof(each) ? (size_t)each[kind] * count : 0;
	}
}

/* libbpf's way to on_switch: by its name in the BTF of the program. */
static uint32_t find_on_switch(uint32_t btf_id)
{
	static union {
		uint32_t words[BTF_MAX / 4];
		char bytes[BTF_MAX];
	} btf;
	struct {
		uint64_t btf;
		uint32_t size, id;
	} info = {(uint64_t)(uintptr_t)&btf, sizeof(btf), 0};
	union {
		uint32_t id;
		uint64_t room[2];
	} attr = {btf_id};
	if (!btf_id)
		die("The target program doesn't have BTF", ENOENT);
	int fd = (int)syscall(SYS_bpf, 19 /* BPF_BTF_GET_FD_BY_ID */, &attr, 12);
	if (fd < 0)
		die("BTF by id", errno);
	check(sys_bpf_info(fd, &info, sizeof(info)), "BTF info");
	close(fd);
	const char *types = btf.bytes + btf.words[1] + btf.words[2], *end = types + btf.words[3];
	const char *names = btf.bytes + btf.words[1] + btf.words[4];
	for (uint32_t id = 1; types < end; id++) {
		uint32_t type[3];
		memcpy(type, types, sizeof(type));
		if ((type[1] >> 24 & 31) == 12 && !strcmp(names + type[0], "on_switch"))
			return id;
		types += sizeof(type) + btf_tail(type[1]);
	}
	die("on_switch is not found in prog's BTF", ENOENT);
	return 0;
}

static struct reading *read_all(int sum, int prog)
{
	struct reading *readings = calloc(cpulist_count(&possible), sizeof(*readings));
	const uint32_t zero = 0;
	int32_t retval;
	for (int cpu = -1; (cpu = cpulist_next(&online, cpu)) >= 0;)
		check(sys_bpf_prog_test_run(prog, cpu, NULL, 0, &retval), "trigger");
	check(sys_bpf_map_lookup(sum, &zero, readings), "readings");
	return readings;
}

static int join(const char *name, struct entry *entry)
{
	uint8_t key[KEY_MAX];
	int map = lock_attr_map();
	make_key(key, name);
	if (sys_bpf_map_lookup(map, key, entry)) {
		puts("no entry");
		exit(GONE);
	}
	int link = sys_bpf_link_by_id(entry->link_id);
	if (link < 0) {
		printf("dead %u\n", entry->link_id);
		exit(GONE);
	}
	flock(map, LOCK_UN); /* perf keeps it until the follower is attached */
	close(map);
	return link;
}

static int follow(const char *name, long ms)
{
	struct entry entry;
	struct bpf_link_info link;
	struct bpf_prog_info info;
	int link_fd = join(name, &entry);
	memset(&link, 0, sizeof(link));
	memset(&info, 0, sizeof(info));
	check(sys_bpf_info(link_fd, &link, sizeof(link)), "link info");
	int target = check(sys_bpf_prog_by_id(link.prog_id), "program by id");
	check(sys_bpf_info(target, &info, sizeof(info)), "program info");
	int diff = check(sys_bpf_map_by_id(entry.diff_map_id), "diff_readings by id");
	int sum = readings_map("accum_readings");
	struct code code = {0};
	follower_code(&code, diff, sum);
	struct sys_bpf_prog prog = {.name = "fexit_XXX",
				    .type = BPF_PROG_TYPE_TRACING,
				    .expected_attach_type = BPF_TRACE_FEXIT,
				    .attach_btf_id = find_on_switch(info.btf_id),
				    .attach_prog_fd = target,
				    .btf_fd = -1};
	int follower = load_prog(&prog, &code);
	check(sys_bpf_raw_tracepoint_open(NULL, follower), "attach fexit");
	printf("joined %u\n", entry.link_id);
	flush();

	struct reading *first = read_all(sum, target), total = {0};
	sleep_ms(ms);
	struct reading *last = read_all(sum, target);
	for (int cpu = -1; (cpu = cpulist_next(&online, cpu)) >= 0;) {
		unsigned i = cpulist_index(&possible, (unsigned)cpu);
		struct reading r = {last[i].counter - first[i].counter, last[i].enabled - first[i].enabled,
				    last[i].running - first[i].running};
		printf("cpu %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", cpu, r.counter, r.enabled, r.running);
		total = reading_add(total, r);
	}
	printf("sum %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", total.counter, total.enabled, total.running);
	return 0;
}

/* --- the rest ------------------------------------------------------------------------------------------------------- */

static int progs(void)
{
	static const char *const types[] = {[17] = "raw_tracepoint", [26] = "tracing"};
	uint32_t id = 0;
	int err;
	while (!(err = sys_bpf_next_id(BPF_PROG_GET_NEXT_ID, &id))) {
		struct bpf_prog_info info;
		memset(&info, 0, sizeof(info));
		int fd = sys_bpf_prog_by_id(id);
		if (fd < 0)
			continue; /* gone since */
		if (!sys_bpf_info(fd, &info, sizeof(info))) {
			printf("%u %s ", id, *info.name ? info.name : "-");
			if (info.type < sizeof(types) / sizeof(*types) && types[info.type])
				puts(types[info.type]);
			else
				printf("%u\n", info.type);
		}
		close(fd);
	}
	return err == -ENOENT ? 0 : check(err, "programs");
}

/* The leader's map of that name, by the ids of its program. */
static int leader_map(int prog_fd, const char *name)
{
	uint32_t ids[16] = {0};
	struct bpf_prog_info info = {.nr_map_ids = 16, .map_ids = (uint64_t)(uintptr_t)ids};
	check(sys_bpf_info(prog_fd, &info, sizeof(info)), "prog info");
	for (uint32_t i = 0; i < info.nr_map_ids && i < 16; i++) {
		int fd = check(sys_bpf_map_by_id(ids[i]), "map by id");
		if (!strcmp(map_info(fd).name, name))
			return fd;
		close(fd);
	}
	die(name, ENOENT);
	return -1;
}

static void print_cpu(int prog_fd, int diff_fd, int total_fd, int cpu)
{
	const uint32_t zero = 0;
	unsigned at = cpulist_index(&possible, (unsigned)cpu);
	struct reading *readings = calloc(cpulist_count(&possible), sizeof(*readings));
	int32_t retval;
	check(sys_bpf_prog_test_run(prog_fd, cpu, NULL, 0, &retval), "trigger");
	check(sys_bpf_map_lookup(diff_fd, &zero, readings), "diff_readings");
	printf("diff %" PRIu64 " ", readings[at].counter);
	check(sys_bpf_map_lookup(total_fd, &zero, readings), "total_readings");
	printf("total %" PRIu64 "\n", readings[at].counter);
	free(readings);
}

static int starve(uint32_t prog_id, int cpu)
{
	int prog_fd = check(sys_bpf_prog_by_id(prog_id), "prog by id");
	int events = leader_map(prog_fd, "events"), diff = leader_map(prog_fd, "diff_readings");
	int total = leader_map(prog_fd, "total_readings");
	uint32_t key = (uint32_t)cpu;
	print_cpu(prog_fd, diff, total, cpu);
	check(sys_bpf_map_delete(events, &key), "delete");
	print_cpu(prog_fd, diff, total, cpu);
	print_cpu(prog_fd, diff, total, cpu);
	return 0;
}

static int hold_lock(const char *path, long seconds)
{
	bool anonymous = !strcmp(path, "eventfd");
	int fd = anonymous ? -1 : sys_bpf_obj_get(path);
	if (fd < 0 && !anonymous)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (options.uid >= 0 && (setgid((gid_t)options.uid) || setuid((uid_t)options.uid)))
		die("setuid", errno);
	if (anonymous)
		fd = eventfd(0, EFD_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX))
		die(path, errno);
	puts("locked");
	if (!seconds)
		hold();
	flush();
	sleep_ms(seconds * 1000);
	return 0;
}

static int print_event_key(const char *name)
{
	uint8_t key[KEY_MAX];
	options.key = options.key ? options.key : 136;
	make_key(key, name);
	print_key(key, options.key);
	puts("");
	return 0;
}

/* Takes the options out of argv; returns how many words are left. */
static int take_options(int argc, char **argv)
{
	int left = 0;
	for (int i = 0; i < argc; i++) {
		const char *name = argv[i], *value = argv[i + 1];
		if (strncmp(name, "--", 2)) {
			argv[left++] = argv[i];
			continue;
		}
		if (!value)
			die(name, EINVAL);
		i++;
		if (!strcmp(name, "--key"))
			options.key = (uint32_t)strtoul(value, NULL, 0);
		else if (!strcmp(name, "--value"))
			options.value = (uint32_t)strtoul(value, NULL, 0);
		else if (!strcmp(name, "--entries"))
			options.entries = (uint32_t)strtoul(value, NULL, 0);
		else if (!strcmp(name, "--uid"))
			options.uid = strtol(value, NULL, 0);
		else if (!strcmp(name, "--map"))
			options.map = value;
		else if (!strcmp(name, "--flags"))
			options.flags = value;
		else if (!strcmp(name, "--cpus"))
			options.cpus = value;
		else if (!strcmp(name, "--prog-name"))
			options.prog_name = value;
		else if (!strcmp(name, "--bad"))
			options.bad = value;
		else
			die(name, EINVAL);
	}
	argv[left] = NULL;
	if (options.key > KEY_MAX)
		die("--key", E2BIG);
	return left;
}

int main(int argc, char **argv)
{
	struct err err = {0};
	argc = take_options(argc, argv);
	const char *what = argc > 1 ? argv[1] : "", *a = argc > 2 ? argv[2] : NULL, *b = argc > 3 ? argv[3] : NULL;
	if (sysfs_cpus(&online, &possible, &err)) {
		fprintf(stderr, "peer: %s\n", err.text);
		return 1;
	}
	if (!strcmp(what, "map") && a) {
		options.key = (uint32_t)strtoul(a, NULL, 0);
		options.map = b ? b : options.map;
		close(make_attr_map());
		return 0;
	}
	if (!strcmp(what, "fill") && a) {
		options.map = b ? b : options.map;
		return fill((uint32_t)strtoul(a, NULL, 0));
	}
	if (!strcmp(what, "dump")) {
		options.map = a ? a : options.map;
		return dump();
	}
	if (!strcmp(what, "leader") && a)
		return leader(a);
	if (!strcmp(what, "follow") && b)
		return follow(a, atol(b));
	if (!strcmp(what, "key") && a)
		return print_event_key(a);
	if (!strcmp(what, "progs"))
		return progs();
	if (!strcmp(what, "starve") && b)
		return starve((uint32_t)strtoul(a, NULL, 0), atoi(b));
	if (!strcmp(what, "flock") && b)
		return hold_lock(a, atol(b));
	fprintf(stderr, "peer: unknown or incomplete: '%s'\n", what);
	return 2;
}
