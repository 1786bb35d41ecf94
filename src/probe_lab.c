/* SPDX-License-Identifier: GPL-2.0-only */
#include "probe_lab.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attr_map.h"
#include "cpulist.h"
#include "err.h"
#include "event_fd.h"
#include "fd.h"
#include "out.h"
#include "reading.h"
#include "registry.h"
#include "sys_bpf.h"
#include "sys_perf.h"

bool probe_works(const struct probe_lab *lab, enum probe_name name)
{
	return lab->probe->rows[name].answer == PROBE_YES;
}

int probe_for_want_of(const struct probe_lab *lab, enum probe_name name, struct err *why)
{
	return err_set(why, PROBE_NO, "not tried, for want of %s", lab->probe->rows[name].name);
}

/* --- events --------------------------------------------------------------------------------------------------------- */

/* The event, disabled, of our own task in user space, or of all tasks on the CPU. */
static int open_event(struct probe_lab *lab, uint32_t type, uint64_t config, bool is_own, struct err *why)
{
	int length = 0;
	const char *name = event_name(type, config, 1, &length);
	if (!name)
		name = event_name(type, config, 0, &length);
	if (!name)
		return err_set(why, -ENOENT, "no such event");
	lab->event.attr = (struct perf_event_attr){.type = type, .config = config};
	lab->event.attr.exclude_kernel = lab->event.attr.exclude_hv = is_own;
	out_print(lab->event.name, sizeof(lab->event.name), "%.*s", length, name);
	int fd = event_fd_open(&lab->event, is_own ? getpid() : -1, is_own ? -1 : lab->cpu, EVENT_FD_DISABLED, false, why);
	return fd == -ENODEV ? err_set(why, fd, "CPU %d is offline", lab->cpu) : fd;
}

/* Counting now? Only a count that has a counter runs. Others give way to none: an event that is neither pinned nor older takes what
 * is left over, until the kernel lets the events take turns, some ms later. */
static int start(int fd, struct reading *reading)
{
	const struct timespec moment = {0, 20000};
	int result = sys_perf_enable(fd, true);
	for (int tries = 0; !result && tries < 20; tries++) {
		result = sys_perf_read(fd, reading);
		if (reading->enabled) /* a coarse clock stands still for a while */
			break;
		nanosleep(&moment, NULL);
	}
	return result;
}

static int count_clock(struct probe_lab *lab, bool is_own, struct err *why)
{
	struct reading reading = {0};
	int fd = open_event(lab, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, is_own, why);
	if (fd < 0)
		return fd;
	int result = start(fd, &reading);
	fd_close(&fd);
	if (result < 0)
		return err_sys(why, result, "cannot read %s", lab->event.name);
	if (is_own)
		return err_set(why, PROBE_YES, "%s of this process, user space", lab->event.name);
	return err_set(why, PROBE_YES, "%s on CPU %d", lab->event.name, lab->cpu);
}

int probe_own_tasks(struct probe_lab *lab, struct err *why)
{
	return count_clock(lab, true, why);
}

int probe_all_cpus(struct probe_lab *lab, struct err *why)
{
	return count_clock(lab, false, why);
}

static int open_cycles(struct probe_lab *lab, struct err *why)
{
	return open_event(lab, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, !probe_works(lab, PROBE_ALL_CPUS), why);
}

int probe_pmu(struct probe_lab *lab, struct err *why)
{
	const struct timespec moment = {0, 1000000};
	struct reading reading = {0};
	int fd = open_cycles(lab, why);
	if (fd < 0)
		return fd;
	int result = start(fd, &reading);
	if (!result && reading.running && !reading.counter) {
		nanosleep(&moment, NULL);
		result = sys_perf_read(fd, &reading);
	}
	fd_close(&fd);
	if (result < 0)
		return err_sys(why, result, "cannot read %s", lab->event.name);
	if (reading.running && !reading.counter)
		return err_set(why, PROBE_NO, "%s can be opened on CPU %d, but stands still", lab->event.name, lab->cpu);
	return err_set(why, PROBE_YES, "%s %s on CPU %d", lab->event.name, reading.running ? "counts" : "can be opened",
		       lab->cpu);
}

/* One after the other, until one does not run. */
int probe_counters(struct probe_lab *lab, struct err *why)
{
	struct probe_row *row = lab->row;
	int fds[PROBE_COUNTERS_MAX], opened = 0, free_counters = 0, result = 0;
	if (!probe_works(lab, PROBE_PMU))
		return probe_for_want_of(lab, PROBE_PMU, why);
	while (opened < PROBE_COUNTERS_MAX && opened == free_counters) {
		struct reading reading = {0};
		int fd = result = open_cycles(lab, why);
		if (fd < 0)
			break;
		fds[opened++] = fd;
		result = start(fd, &reading);
		if (!result && reading.running)
			free_counters++;
	}
	for (int i = 0; i < opened; i++)
		fd_close(&fds[i]);
	row->has_number = true;
	row->number = free_counters;
	if (!free_counters && result < 0)
		return result;
	return err_set(why, free_counters ? PROBE_YES : PROBE_NO, "%d free for %s on CPU %d now", free_counters,
		       lab->event.name, lab->cpu);
}

/* Which of the kernel's own names can be opened. */
static int probe_events(struct probe_lab *lab, uint32_t type, struct err *why)
{
	struct probe_row *row = lab->row;
	char names[PROBE_REASON_SIZE];
	struct out out = out_memory(names, sizeof(names));
	struct err first = {0}, other;
	int failed = 0, length;
	row->has_number = true;
	for (uint64_t config = 0; event_name(type, config, 0, &length); config++) {
		int fd = open_event(lab, type, config, !probe_works(lab, PROBE_ALL_CPUS),
				    row->number || failed ? &other : &first);
		if (fd < 0 && !failed)
			failed = fd;
		if (fd >= 0)
			out_format(&out, "%s%s", row->number++ ? ", " : "", lab->event.name);
		fd_close(&fd);
	}
	if (row->number)
		return err_set(why, PROBE_YES, "%s", names);
	*why = first;
	return failed;
}

int probe_hardware(struct probe_lab *lab, struct err *why)
{
	return probe_events(lab, PERF_TYPE_HARDWARE, why);
}

int probe_software(struct probe_lab *lab, struct err *why)
{
	return probe_events(lab, PERF_TYPE_SOFTWARE, why);
}

/* --- BPF ------------------------------------------------------------------------------------------------------------ */

int probe_load(const struct bpf_insn *insns, uint32_t count)
{
	const struct sys_bpf_prog prog = {
		.name = "check",
		.license = "GPL",
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.attach_prog_fd = -1,
		.btf_fd = -1,
		.insns = insns,
		.insns_count = count,
	};
	return sys_bpf_prog_load(&prog);
}

int probe_bpf(struct probe_lab *lab, struct err *why)
{
	static const struct bpf_insn nothing[] = {{0xb7, 0, 0, 0, 0}, {0x95, 0, 0, 0, 0}}; /* r0 = 0; exit */
	int result = lab->map_fd = sys_bpf_map_create("check", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(uint64_t), 1, 0);
	if (result < 0)
		err_sys(why, result, "cannot create a map");
	else if ((result = lab->prog_fd = probe_load(nothing, 2)) < 0)
		err_sys(why, result, "cannot load a program");
	sys_bpf_hint(result, why);
	return result < 0 ? result : err_set(why, PROBE_YES, "a map can be created, a program loaded");
}

int probe_jit(struct probe_lab *lab, struct err *why)
{
	struct bpf_prog_info info;
	if (lab->prog_fd < 0)
		return probe_for_want_of(lab, PROBE_BPF, why), PROBE_UNKNOWN;
	memset(&info, 0, sizeof(info));
	int result = sys_bpf_info(lab->prog_fd, &info, sizeof(info));
	if (result < 0) {
		err_sys(why, result, "cannot inspect a program");
		return PROBE_UNKNOWN;
	}
	return err_set(why, info.jited_prog_len ? PROBE_YES : PROBE_NO, "%u instructions became %u bytes of code",
		       info.xlated_prog_len / 8, info.jited_prog_len);
}

int probe_tracepoint(struct probe_lab *lab, struct err *why)
{
	if (lab->prog_fd < 0)
		return probe_for_want_of(lab, PROBE_BPF, why);
	lab->link_fd = sys_bpf_raw_tracepoint_open("sched_switch", lab->prog_fd);
	if (lab->link_fd < 0)
		return err_sys(why, lab->link_fd, "cannot attach a program to sched_switch");
	return err_set(why, PROBE_YES, "sched_switch");
}

/* The real one, in no registry. */
int probe_leader(struct probe_lab *lab, struct err *why)
{
	struct registry none = {.ours = {-1, -1}, .perf = {.fd = -1}};
	struct cpulist cpus = {0};
	if (lab->link_fd < 0)
		return probe_for_want_of(lab, PROBE_TRACEPOINT, why);
	if (!probe_works(lab, PROBE_ALL_CPUS))
		return probe_for_want_of(lab, PROBE_ALL_CPUS, why);
	lab->event.attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};
	out_print(lab->event.name, sizeof(lab->event.name), "cpu-clock");
	cpulist_add(&cpus, (unsigned)lab->cpu);
	int result = leader_open(&lab->leader, &lab->event, &cpus, &cpus, &cpus, &none, why);
	return result < 0 ? result : err_set(why, PROBE_YES, "of %s on CPU %d", lab->event.name, lab->cpu);
}

int probe_trigger(struct probe_lab *lab, struct err *why)
{
	int status = 0;
	if (!probe_works(lab, PROBE_LEADER))
		return probe_for_want_of(lab, PROBE_LEADER, why);
	int result = leader_trigger(&lab->leader, lab->cpu, &status);
	if (result < 0)
		return err_sys(why, result, "cannot run the leader on CPU %d", lab->cpu);
	if (status < 0)
		return err_sys(why, status, "the leader cannot read its event on CPU %d", lab->cpu);
	return err_set(why, PROBE_YES, "BPF_PROG_TEST_RUN on CPU %d", lab->cpu);
}

int probe_follower(struct probe_lab *lab, struct err *why)
{
	const struct follower_subject nobody = {.object = EMBED_FOLLOWER};
	if (!probe_works(lab, PROBE_LEADER))
		return probe_for_want_of(lab, PROBE_LEADER, why);
	int result = follower_open(&lab->follower, &lab->leader, &nobody, 1, true, "check", why);
	return result < 0 ? result
			  : err_set(why, PROBE_YES,
				    lab->follower.is_fexit ? "by fexit on the leader" : "by tracepoint, behind the leader");
}

/* What the follower met. */
int probe_fexit(struct probe_lab *lab, struct err *why)
{
	if (!probe_works(lab, PROBE_LEADER))
		return probe_for_want_of(lab, PROBE_LEADER, why);
	if (!lab->follower.is_fexit)
		return err_set(why, PROBE_NO, "%s", lab->follower.refused);
	return err_set(why, PROBE_YES, "attached to the leader");
}

int probe_children(struct probe_lab *lab, struct err *why)
{
	if (lab->prog_fd < 0)
		return probe_for_want_of(lab, PROBE_BPF, why);
	int result = children_open(&lab->children, false, 1, 1, true, why);
	return result < 0 ? result : err_set(why, PROBE_YES, "births and ends of tasks are seen");
}

/* Those that a joiner asks for. */
int probe_ids(struct probe_lab *lab, struct err *why)
{
	struct bpf_prog_info info;
	if (lab->prog_fd < 0)
		return probe_for_want_of(lab, PROBE_BPF, why);
	memset(&info, 0, sizeof(info));
	int result = sys_bpf_info(lab->prog_fd, &info, sizeof(info));
	int fd = result < 0 ? result : sys_bpf_prog_by_id(info.id);
	if (fd < 0)
		return err_sys(why, fd, "cannot open a program by its id");
	fd_close(&fd);
	return err_set(why, PROBE_YES, "program %u can be opened by its id", info.id);
}

int probe_bpffs(struct probe_lab *lab, struct err *why)
{
	(void)lab;
	int result = attr_map_check_mount(why);
	return result < 0 ? result : PROBE_YES;
}

int probe_registry(struct probe_lab *lab, struct err *why)
{
	if (!probe_works(lab, PROBE_BPFFS))
		return probe_for_want_of(lab, PROBE_BPFFS, why);
	if (lab->prog_fd < 0)
		return probe_for_want_of(lab, PROBE_BPF, why);
	int result = attr_map_check(why);
	return result < 0 ? result : PROBE_YES;
}
