/* SPDX-License-Identifier: GPL-2.0-only */
#include "probe.h"

#include <errno.h>
#include <string.h>

#include "attr_map.h"
#include "cgroup.h"
#include "err.h"
#include "fd.h"
#include "out.h"
#include "probe_lab.h"
#include "sys_bpf.h"
#include "sys_task.h"
#include "sysfs.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

static int probe_bpffs(struct probe_lab *lab, struct err *why)
{
	(void)lab;
	int result = attr_map_check_mount(why);
	return result < 0 ? result : PROBE_YES;
}

static int probe_registry(struct probe_lab *lab, struct err *why)
{
	(void)lab;
	int result = attr_map_check(why);
	return result < 0 ? result : PROBE_YES;
}

static int probe_btf(struct probe_lab *lab, struct err *why)
{
	char head[8];
	(void)lab;
	int result = sysfs_read("/sys/kernel/btf/vmlinux", head, sizeof(head), why);
	if (result >= 0)
		return err_set(why, PROBE_NO, "/sys/kernel/btf/vmlinux is empty");
	if (result != -E2BIG) /* than what was asked for */
		return result;
	why->text[0] = '\0';
	return PROBE_YES;
}

static int probe_cgroup(struct probe_lab *lab, struct err *why)
{
	static struct cgroup_mounts mounts;
	static struct cgroup group;
	int result = cgroup_mounts_read(&mounts, why);
	if (!result && !mounts.paths[CGROUP_V2][0])
		return err_set(why, PROBE_NO, "only v1 with perf_event is mounted");
	if (!result)
		result = cgroup_open(&group, &mounts, "/", why);
	if (result < 0)
		return result;
	fd_close(&group.fd);
	out_print(lab->row->reason, sizeof(lab->row->reason), "%s", mounts.paths[CGROUP_V2]);
	return PROBE_YES;
}

static int probe_capabilities(struct probe_lab *lab, struct err *why)
{
	const uint64_t has = sys_task_capabilities();
	const bool is_admin = has >> SYS_TASK_CAP_SYS_ADMIN & 1;
	(void)lab;
	return err_set(why, is_admin ? PROBE_YES : PROBE_NO, "%sCAP_SYS_ADMIN, %sCAP_BPF, %sCAP_PERFMON",
		       is_admin ? "" : "no ", has >> SYS_TASK_CAP_BPF & 1 ? "" : "no ",
		       has >> SYS_TASK_CAP_PERFMON & 1 ? "" : "no ");
}

static int probe_paranoid(struct probe_lab *lab, struct err *why)
{
	const uint64_t has = sys_task_capabilities();
	char text[32];
	if (sysfs_read(PARANOID, text, sizeof(text), why) < 0)
		return PROBE_UNKNOWN;
	lab->row->has_number = true;
	lab->row->number = sysfs_number(PARANOID, 0);
	if ((has >> SYS_TASK_CAP_SYS_ADMIN | has >> SYS_TASK_CAP_PERFMON) & 1)
		return err_set(why, PROBE_YES, "%d, which does not matter with CAP_PERFMON or CAP_SYS_ADMIN",
			       (int)lab->row->number);
	return err_set(why, lab->row->number <= 0 ? PROBE_YES : PROBE_NO, "%d", (int)lab->row->number);
}

/* By the one thing of BPF that it refuses: the file is not there everywhere. */
static int probe_lockdown(struct probe_lab *lab, struct err *why)
{
	static const struct bpf_insn read_kernel[] = {
		{0xbf, 1, 10, 0, 0},  {0x07, 1, 0, 0, -8}, /* r1 = r10 - 8 */
		{0xb7, 2, 0, 0, 8},   {0xb7, 3, 0, 0, 0},  /* r2 = 8, r3 = 0 */
		{0x85, 0, 0, 0, 113},                      /* bpf_probe_read_kernel */
		{0xb7, 0, 0, 0, 0},   {0x95, 0, 0, 0, 0},  /* return 0 */
	};
	char *text = lab->row->reason;
	int length = sysfs_read("/sys/kernel/security/lockdown", text, sizeof(lab->row->reason), why);
	if (length > 0) {
		text[length - 1] = '\0';               /* the newline */
		const char *level = strchr(text, '['); /* none [integrity] confidentiality */
		return level && level[1] == 'c' ? PROBE_NO : PROBE_YES;
	}
	if (lab->prog_fd < 0)
		return PROBE_UNKNOWN;
	int fd = probe_load(read_kernel, sizeof(read_kernel) / sizeof(*read_kernel));
	if (fd < 0)
		return err_sys(why, fd, "BPF may not read the kernel's memory");
	fd_close(&fd);
	return err_set(why, PROBE_YES, "BPF may read the kernel's memory");
}

/* Where BPF is refused, sys_bpf has tried to raise it; whether it is the reason is not to be told. */
static int probe_memlock(struct probe_lab *lab, struct err *why)
{
	lab->row->has_number = true;
	lab->row->number = lab->memlock > INT64_MAX ? -1 : (int64_t)lab->memlock;
	if (lab->row->number < 0)
		return PROBE_YES;
	return err_set(why, lab->prog_fd >= 0 || sys_task_memlock() > INT64_MAX ? PROBE_YES : PROBE_UNKNOWN, "%lld bytes",
		       (long long)lab->row->number);
}

static int probe_sharing(struct probe_lab *lab, struct err *why);

enum { NOTHING = PROBE_ROWS };

/* In the order of enum probe_name. Behind the name stand, each after a NUL, the reason for a yes that needs no better one, what is
 * lost without it, and how to get it. */
static const struct {
	probe_function *function;
	const char *text;
	unsigned char needs; /* is not tried where this one does not work */
	bool is_for_sharing;
} table[PROBE_ROWS] = {
	{probe_own_tasks, "own tasks\0cpu-clock of this process, user space\0all counting\0root or CAP_PERFMON", NOTHING,
	 false},
	{probe_all_cpus,
	 "all CPUs\0cpu-clock of all tasks on this CPU\0-a, -C, -G, the kernel's part of counts, and sharing\0"
	 "root or CAP_PERFMON",
	 NOTHING, true},
	{probe_pmu, "PMU\0cycles counts\0hardware events\0root or CAP_PERFMON", NOTHING, false},
	{probe_counters,
	 "counters\0\0a counter for each hardware event: they take turns, and counts are estimates\0"
	 "bperf-mini status tells who shares; plain perf events and the NMI watchdog hold the rest",
	 PROBE_PMU, false},
	{probe_hardware, "hardware events\0\0cycles, instructions and the like\0root or CAP_PERFMON", NOTHING, false},
	{probe_software, "software events\0\0clocks, faults, switches\0root or CAP_PERFMON", NOTHING, false},
	{probe_bpf,
	 "BPF\0a map can be created, a program loaded\0sharing: each session takes counters of its own\0"
	 "CONFIG_BPF_SYSCALL, CONFIG_BPF_EVENTS",
	 NOTHING, true},
	{probe_jit, "JIT\0programs are compiled\0speed, and fexit\0sysctl net.core.bpf_jit_enable=1; CONFIG_BPF_JIT",
	 PROBE_BPF, false},
	{probe_tracepoint, "raw tracepoints\0a program can be attached to sched_switch\0sharing\0CONFIG_BPF_EVENTS",
	 PROBE_BPF, true},
	{probe_leader, "leader\0of cpu-clock, on this CPU\0sharing\0what the rows above say", PROBE_TRACEPOINT, true},
	{probe_trigger, "trigger\0BPF_PROG_TEST_RUN on this CPU\0sharing\0Linux 5.10 or later", PROBE_LEADER, true},
	{probe_follower,
	 "follower\0on sched_switch, and on sched_process_exec\0sharing for -p, -t and commands\0what the rows above say",
	 PROBE_LEADER, true},
	{probe_fexit,
	 "fexit\0a program hangs on the leader\0-b, and perf's sessions that would share\0"
	 "JIT, and a kernel that has BPF trampolines (amd64: 5.5, arm64: 6.0, riscv64: 6.3) and allows them",
	 PROBE_LEADER, false},
	{probe_children, "children\0births and ends of tasks are seen\0sharing for -p, -t and commands\0CONFIG_BPF_EVENTS",
	 PROBE_BPF, true},
	{probe_ids,
	 "object ids\0a program can be opened by its id\0joining a leader: each session counts unshared\0"
	 "root or CAP_SYS_ADMIN",
	 PROBE_BPF, true},
	{probe_bpffs, "bpffs\0\0sharing: sessions do not find each other\0mount -t bpf bpf /sys/fs/bpf", NOTHING, true},
	{probe_registry, "registry\0\0sharing: sessions do not find each other\0root, and a bpffs that can be written",
	 PROBE_BPFFS, true},
	{probe_btf, "vmlinux BTF\0/sys/kernel/btf/vmlinux\0nothing: it is not used here\0CONFIG_DEBUG_INFO_BTF", NOTHING,
	 false},
	{probe_cgroup, "cgroup v2\0\0sharing for -G\0mount -t cgroup2 none /sys/fs/cgroup", NOTHING, false},
	{probe_capabilities, "capabilities\0\0what the rows above say\0root, or CAP_SYS_ADMIN", NOTHING, false},
	{probe_paranoid,
	 "perf_event_paranoid\0\0above 0: other users and all CPUs; above 1: the kernel's part; above 2: all\0"
	 "sysctl kernel.perf_event_paranoid=-1",
	 NOTHING, false},
	{probe_lockdown, "lockdown\0\0tracepoints by name, and nothing else\0boot without lockdown=confidentiality", NOTHING,
	 false},
	{probe_memlock, "memlock\0no limit\0BPF, before Linux 5.11\0ulimit -l unlimited, or CAP_SYS_RESOURCE", NOTHING,
	 false},
	{probe_sharing, "sharing\0all that it needs is there\0one counter for all sessions of an event\0what that row says",
	 NOTHING, false},
};

static const char *next_text(const char *text)
{
	return text + strlen(text) + 1;
}

static int probe_sharing(struct probe_lab *lab, struct err *why)
{
	for (int i = 0; i < PROBE_SHARING; i++) {
		if (table[i].is_for_sharing && lab->rows[i].answer != PROBE_YES)
			return err_set(why, PROBE_NO, "%s: %s", lab->rows[i].name, lab->rows[i].reason);
	}
	return PROBE_YES;
}

static void probe_one(struct probe_lab *lab, int index, struct probe_row *row)
{
	const unsigned needs = table[index].needs;
	const char *reason = next_text(table[index].text);
	struct err why = {0};
	int result = PROBE_UNKNOWN;
	*row = (struct probe_row){.name = table[index].text, .lost = next_text(reason)};
	lab->row = row;
	row->is_tried = needs == NOTHING || lab->rows[needs].answer == PROBE_YES;
	if (row->is_tried) {
		out_print(row->reason, sizeof(row->reason), "%s", reason);
		result = table[index].function(lab, &why);
	} else {
		err_set(&why, 0, "not tried, for want of %s", lab->rows[needs].name);
	}
	row->answer = result < 0 ? PROBE_NO : (enum probe_answer)result;
	if (why.text[0])
		out_print(row->reason, sizeof(row->reason), "%s", why.text);
	out_print(row->advice, sizeof(row->advice), "%s", why.hint[0] ? why.hint : next_text(row->lost));
}

void probe_all(struct probe *probe)
{
	static struct probe_lab lab;
	lab = (struct probe_lab){
		.rows = probe->rows,
		.cpu = sys_task_cpu(),
		.map_fd = -1,
		.prog_fd = -1,
		.link_fd = -1,
		.memlock = sys_task_memlock(),
	};
	sys_task_raise_files(); /* as a session does */
	leader_init(&lab.leader);
	follower_init(&lab.follower);
	children_init(&lab.children);
	for (int i = 0; i < PROBE_ROWS; i++)
		probe_one(&lab, i, &probe->rows[i]);
	follower_close(&lab.follower);
	children_close(&lab.children);
	leader_close(&lab.leader);
	fd_close(&lab.link_fd);
	fd_close(&lab.prog_fd);
	fd_close(&lab.map_fd);
}

enum probe_verdict probe_verdict(const struct probe *probe)
{
	const struct probe_row *rows = probe->rows;
	if (rows[PROBE_SHARING].answer == PROBE_YES)
		return PROBE_SHARED;
	return rows[PROBE_OWN_TASKS].answer == PROBE_YES || rows[PROBE_ALL_CPUS].answer == PROBE_YES ? PROBE_PLAIN
												     : PROBE_NOTHING;
}
