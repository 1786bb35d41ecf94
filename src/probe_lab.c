/* SPDX-License-Identifier: GPL-2.0-only */
#include "probe_lab.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cpulist.h"
#include "err.h"
#include "event_fd.h"
#include "fd.h"
#include "out.h"
#include "reading.h"
#include "refusal.h"
#include "registry.h"
#include "sys_bpf.h"
#include "sys_perf.h"
#include "target.h"

/* --- events --------------------------------------------------------------------------------------------------------- */

/* The event, disabled, of our own task in user space, or of all tasks on the CPU. */
static int open_event(struct probe_lab *lab, uint32_t type, uint64_t config, bool is_own, struct err *why)
{
	int length = 0;
	const char *name = event_name(type, config, 1, &length);
	if (!name)
		name = event_name(type, config, 0, &length);
	lab->event.attr = (struct perf_event_attr){.type = type, .config = config};
	lab->event.attr.exclude_kernel = lab->event.attr.exclude_hv = is_own;
	out_print(lab->event.name, sizeof(lab->event.name), "%.*s", length, name);
	int fd = event_fd_open(&lab->event, is_own ? getpid() : -1, is_own ? -1 : lab->cpu, EVENT_FD_DISABLED, false, why);
	return fd == -ENODEV ? err_set(why, fd, "CPU %d is offline", lab->cpu) : fd;
}

/* Lets it count and reads it. Only what has a counter runs. It takes none from others: an event that is neither pinned nor older
 * gets what is left over, until, some ms later, the kernel lets them take turns. */
static int start(int fd, struct reading *reading, struct err *why)
{
	const struct timespec moment = {0, 100000};
	int result = sys_perf_enable(fd, true);
	*reading = (struct reading){0};
	for (int tries = 0; !result && !reading->enabled && tries < 100; tries++) {
		if (tries)
			nanosleep(&moment, NULL); /* a coarse clock stands still for a while */
		result = sys_perf_read(fd, reading);
	}
	return result < 0 ? err_sys(why, result, "cannot read it") : 0;
}

static int count_clock(struct probe_lab *lab, bool is_own, struct err *why)
{
	struct reading reading;
	int fd = open_event(lab, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, is_own, why);
	if (fd < 0)
		return fd;
	int result = start(fd, &reading, why);
	fd_close(&fd);
	return result < 0 ? result : PROBE_YES;
}

int probe_own_tasks(struct probe_lab *lab, struct err *why)
{
	return count_clock(lab, true, why);
}

int probe_all_cpus(struct probe_lab *lab, struct err *why)
{
	return count_clock(lab, false, why);
}

/* As much of it as this user may count. */
static int open_as_allowed(struct probe_lab *lab, uint32_t type, uint64_t config, struct err *why)
{
	return open_event(lab, type, config, lab->rows[PROBE_ALL_CPUS].answer != PROBE_YES, why);
}

static int start_cycles(struct probe_lab *lab, struct reading *reading, struct err *why)
{
	int fd = open_as_allowed(lab, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, why);
	int result = fd < 0 ? fd : start(fd, reading, why);
	if (result < 0)
		fd_close(&fd);
	return result < 0 ? result : fd;
}

int probe_pmu(struct probe_lab *lab, struct err *why)
{
	struct reading reading;
	int fd = start_cycles(lab, &reading, why);
	if (fd < 0)
		return fd;
	sys_perf_read(fd, &reading); /* by now it has moved */
	fd_close(&fd);
	if (reading.running && !reading.counter)
		return err_set(why, PROBE_NO, "cycles can be opened, but stands still");
	return PROBE_YES;
}

/* One after the other, until one does not run. */
int probe_counters(struct probe_lab *lab, struct err *why)
{
	int fds[PROBE_COUNTERS_MAX], opened = 0, running = 0;
	while (opened < PROBE_COUNTERS_MAX && opened == running) {
		struct reading reading;
		int fd = start_cycles(lab, &reading, why);
		if (fd < 0)
			break;
		fds[opened++] = fd;
		running += reading.running != 0;
	}
	while (opened)
		fd_close(&fds[--opened]);
	lab->row->has_number = true;
	lab->row->number = running;
	return err_set(why, running ? PROBE_YES : PROBE_NO, "%d free for cycles on CPU %d now", running, lab->cpu);
}

/* Which of the kernel's own names can be opened. */
static int probe_events(struct probe_lab *lab, uint32_t type, struct err *why)
{
	struct probe_row *row = lab->row;
	struct out names = out_memory(row->reason, sizeof(row->reason));
	int failed = 0, length;
	row->has_number = true;
	for (uint64_t config = 0; event_name(type, config, 0, &length); config++) {
		int fd = open_as_allowed(lab, type, config, failed ? NULL : why);
		if (fd < 0)
			failed = fd;
		else
			out_format(&names, "%s%s", row->number++ ? ", " : "", lab->event.name);
		fd_close(&fd);
	}
	if (!row->number)
		return failed;
	why->text[0] = why->hint[0] = '\0';
	return PROBE_YES;
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

static const struct bpf_insn nothing[] = {{0xb7, 0, 0, 0, 0}, {0x95, 0, 0, 0, 0}}; /* r0 = 0; exit */

/* target_fd -1: of a raw tracepoint. */
static int load(const struct bpf_insn *insns, uint32_t count, int target_fd, uint32_t func_id)
{
	const bool is_fexit = target_fd >= 0;
	const struct sys_bpf_prog prog = {
		.name = "check",
		.license = "GPL",
		.type = is_fexit ? BPF_PROG_TYPE_TRACING : BPF_PROG_TYPE_RAW_TRACEPOINT,
		.expected_attach_type = is_fexit ? BPF_TRACE_FEXIT : 0,
		.attach_btf_id = func_id,
		.attach_prog_fd = target_fd,
		.btf_fd = -1,
		.insns = insns,
		.insns_count = count,
	};
	return sys_bpf_prog_load(&prog);
}

int probe_load(const struct bpf_insn *insns, uint32_t count)
{
	return load(insns, count, -1, 0);
}

int probe_bpf(struct probe_lab *lab, struct err *why)
{
	int result = lab->map_fd = sys_bpf_map_create("check", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(uint64_t), 1, 0);
	if (result >= 0)
		result = lab->prog_fd = probe_load(nothing, 2);
	if (result >= 0)
		return PROBE_YES;
	err_sys(why, result, lab->map_fd < 0 ? "cannot create a map" : "cannot load a program");
	refusal_hint(REFUSAL_BPF, result, why);
	return result;
}

static int inspect(const struct probe_lab *lab, struct bpf_prog_info *info, struct err *why)
{
	memset(info, 0, sizeof(*info));
	int result = sys_bpf_info(lab->prog_fd, info, sizeof(*info));
	return result < 0 ? err_sys(why, result, "cannot inspect a program") : 0;
}

int probe_jit(struct probe_lab *lab, struct err *why)
{
	struct bpf_prog_info info;
	if (inspect(lab, &info, why) < 0)
		return PROBE_UNKNOWN;
	return info.jited_prog_len ? PROBE_YES : err_set(why, PROBE_NO, "a program is interpreted");
}

int probe_tracepoint(struct probe_lab *lab, struct err *why)
{
	lab->link_fd = sys_bpf_raw_tracepoint_open("sched_switch", lab->prog_fd);
	return lab->link_fd < 0 ? err_sys(why, lab->link_fd, "cannot attach a program to sched_switch") : PROBE_YES;
}

/* The real one, in no registry. */
int probe_leader(struct probe_lab *lab, struct err *why)
{
	struct registry none = {.ours = {-1, -1}, .perf = {.fd = -1}};
	struct cpulist cpus = {0};
	lab->event.attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};
	event_set_name(&lab->event, "cpu-clock", strlen("cpu-clock"));
	cpulist_add(&cpus, (unsigned)lab->cpu);
	int result = leader_open(&lab->leader, &lab->event, &cpus, &cpus, &cpus, true, &none, why);
	return result < 0 ? result : PROBE_YES;
}

int probe_trigger(struct probe_lab *lab, struct err *why)
{
	int status = 0, result = leader_trigger(&lab->leader, lab->cpu, &status);
	if (result < 0)
		return err_sys(why, result, "cannot run the leader on CPU %d", lab->cpu);
	return status < 0 ? err_sys(why, status, "the leader cannot read its event on CPU %d", lab->cpu) : PROBE_YES;
}

int probe_follower(struct probe_lab *lab, struct err *why)
{
	static struct cpulist possible; /* outlives the follower */
	const struct leader *leader = &lab->leader;
	struct follower_subject nobody = {
		.object = EMBED_FOLLOWER, .slots = 1, .settings_size = sizeof(nobody.settings.tasks)};
	nobody.settings.tasks.events = nobody.settings.tasks.slots = 1;
	cpulist_add(&possible, (unsigned)lab->cpu);
	int result = follower_open(&lab->follower, &leader, 1, &nobody, &possible, true, why);
	return result < 0 ? result : PROBE_YES;
}

/* As perf's followers do, and -b. */
int probe_fexit(struct probe_lab *lab, struct err *why)
{
	struct bpf_prog_info info;
	struct target_program leader;
	memset(&info, 0, sizeof(info));
	int result = sys_bpf_info(lab->leader.prog_fd, &info, sizeof(info));
	result = result < 0 ? err_sys(why, result, "cannot inspect the leader") : target_open(&leader, info.id, why);
	if (result < 0)
		return result;
	fd_close(&leader.fd);
	if (!leader.func_id)
		return err_set(why, PROBE_NO, "the leader has no BTF");
	int prog_fd = load(nothing, 2, lab->leader.prog_fd, leader.func_id), link_fd = -1;
	if (prog_fd >= 0)
		link_fd = sys_bpf_raw_tracepoint_open(NULL, prog_fd);
	result = prog_fd < 0 ? prog_fd : link_fd;
	if (result < 0)
		err_sys(why, result, prog_fd < 0 ? "cannot load a program" : "cannot attach it");
	fd_close(&link_fd);
	fd_close(&prog_fd);
	return result < 0 ? result : PROBE_YES;
}

int probe_children(struct probe_lab *lab, struct err *why)
{
	int result = children_open(&lab->children, false, 1, 1, 0, true, why);
	return result < 0 ? result : PROBE_YES;
}

/* As a joiner does. */
int probe_ids(struct probe_lab *lab, struct err *why)
{
	struct bpf_prog_info info;
	int result = inspect(lab, &info, why);
	if (result < 0)
		return result;
	int fd = sys_bpf_prog_by_id(info.id);
	if (fd < 0)
		return err_sys(why, fd, "cannot open a program by its id");
	fd_close(&fd);
	return PROBE_YES;
}
