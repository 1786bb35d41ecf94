/* SPDX-License-Identifier: GPL-2.0-only */
#include "probe.h"

#include <errno.h>
#include <string.h>

#include "cgroup.h"
#include "err.h"
#include "fd.h"
#include "out.h"
#include "probe_lab.h"
#include "sys_bpf.h"
#include "sys_task.h"
#include "sysfs.h"

/* --- what stands around it ------------------------------------------------------------------------------------------ */

static int probe_btf(struct probe_lab *lab, struct err *why)
{
	static const char magic[] = "\x9f\xeb", swapped[] = "\xeb\x9f";
	char head[8] = "";
	(void)lab;
	int result = sysfs_read("/sys/kernel/btf/vmlinux", head, sizeof(head), why);
	if (result < 0 && result != -E2BIG)
		return result;
	if (memcmp(head, magic, 2) && memcmp(head, swapped, 2))
		return err_set(why, PROBE_NO, "/sys/kernel/btf/vmlinux is no BTF");
	return err_set(why, PROBE_YES, "/sys/kernel/btf/vmlinux");
}

static int probe_cgroup(struct probe_lab *lab, struct err *why)
{
	static struct cgroup_mounts mounts;
	static struct cgroup group;
	(void)lab;
	int result = cgroup_mounts_read(&mounts, why);
	if (!result && !mounts.paths[CGROUP_V2][0])
		return err_set(why, PROBE_NO, "only v1 with perf_event is mounted");
	if (!result)
		result = cgroup_open(&group, &mounts, "/", why);
	if (result < 0)
		return result;
	fd_close(&group.fd);
	return err_set(why, PROBE_YES, "%.200s", mounts.paths[CGROUP_V2]);
}

static int probe_capabilities(struct probe_lab *lab, struct err *why)
{
	static const struct {
		char name[16];
		int bit;
	} wanted[] = {{"CAP_BPF", SYS_TASK_CAP_BPF},
		      {"CAP_PERFMON", SYS_TASK_CAP_PERFMON},
		      {"CAP_SYS_ADMIN", SYS_TASK_CAP_SYS_ADMIN}};
	char held[40] = "", missing[40] = "";
	struct out has = out_memory(held, sizeof(held)), lacks = out_memory(missing, sizeof(missing));
	uint64_t effective = 0;
	(void)lab;
	int result = sys_task_capabilities(&effective);
	if (result < 0) {
		err_sys(why, result, "cannot tell");
		return PROBE_UNKNOWN;
	}
	for (int i = 0; i < 3; i++)
		out_format(effective >> wanted[i].bit & 1 ? &has : &lacks, " %s", wanted[i].name);
	err_set(why, 0, "%s%s%s%s", *held ? "has" : "", held, *missing ? *held ? ", lacks" : "lacks" : "", missing);
	return effective >> SYS_TASK_CAP_SYS_ADMIN & 1 ? PROBE_YES : PROBE_NO;
}

static int probe_paranoid(struct probe_lab *lab, struct err *why)
{
	struct probe_row *row = lab->row;
	static const char path[] = "/proc/sys/kernel/perf_event_paranoid";
	enum { ABSENT = 1000000 };
	uint64_t effective = 0;
	char text[32];
	row->number = sysfs_number(path, ABSENT);
	row->has_number = row->number != ABSENT;
	if (!row->has_number) {
		if (sysfs_read(path, text, sizeof(text), why) >= 0)
			err_set(why, 0, "%s: '%s' is no number", path, text);
		return PROBE_UNKNOWN;
	}
	sys_task_capabilities(&effective);
	if (effective >> SYS_TASK_CAP_SYS_ADMIN & 1 || effective >> SYS_TASK_CAP_PERFMON & 1)
		return err_set(why, PROBE_YES, "%d, which with CAP_PERFMON or CAP_SYS_ADMIN does not matter",
			       (int)row->number);
	return err_set(why, row->number <= 0 ? PROBE_YES : PROBE_NO, "%d: %s", (int)row->number,
		       row->number <= 0   ? "all may be counted"
		       : row->number == 1 ? "own tasks only"
		       : row->number == 2 ? "own tasks only, in user space"
					  : "nothing may be counted, where the kernel knows this level");
}

/* By the one thing that it refuses of BPF; the file is not there everywhere. */
static int probe_lockdown(struct probe_lab *lab, struct err *why)
{
	static const struct bpf_insn read_kernel[] = {
		{0xbf, 1, 10, 0, 0},  {0x07, 1, 0, 0, -8}, /* r1 = r10 - 8 */
		{0xb7, 2, 0, 0, 8},   {0xb7, 3, 0, 0, 0},  /* r2 = 8; r3 = 0 */
		{0x85, 0, 0, 0, 113},                      /* bpf_probe_read_kernel */
		{0xb7, 0, 0, 0, 0},   {0x95, 0, 0, 0, 0},
	};
	char text[64];
	int length = sysfs_read("/sys/kernel/security/lockdown", text, sizeof(text), why);
	text[length > 0 ? length - 1 : 0] = '\0'; /* the newline */
	if (lab->prog_fd < 0) {
		if (length <= 0)
			return PROBE_UNKNOWN;
		return err_set(why, strstr(text, "[confidentiality]") ? PROBE_NO : PROBE_YES, "%s", text);
	}
	int fd = probe_load(read_kernel, sizeof(read_kernel) / sizeof(*read_kernel));
	if (fd < 0)
		return err_sys(why, fd, "%s%sBPF may not read the kernel's memory", text, *text ? ": " : "");
	fd_close(&fd);
	return err_set(why, PROBE_YES, "%s%sBPF may read the kernel's memory", text, *text ? ": " : "");
}

static int probe_memlock(struct probe_lab *lab, struct err *why)
{
	struct probe_row *row = lab->row;
	if (lab->memlock_result < 0) {
		err_sys(why, lab->memlock_result, "cannot tell");
		return PROBE_UNKNOWN;
	}
	row->has_number = true;
	row->number = lab->memlock > INT64_MAX ? -1 : (int64_t)lab->memlock;
	if (row->number < 0)
		return err_set(why, PROBE_YES, "no limit");
	int result = sys_task_raise_memlock();
	if (!result || lab->prog_fd >= 0)
		return err_set(why, PROBE_YES, "%lld bytes, %s", (long long)row->number,
			       result ? "which BPF does not count here" : "and can be raised");
	return err_sys(why, result, "%lld bytes, and cannot be raised", (long long)row->number);
}

static int probe_sharing(struct probe_lab *lab, struct err *why)
{
	/* the deepest reason first */
	static const unsigned char needed[] = {PROBE_ALL_CPUS, PROBE_BPF,      PROBE_TRACEPOINT, PROBE_LEADER,
					       PROBE_TRIGGER,  PROBE_FOLLOWER, PROBE_CHILDREN,   PROBE_IDS,
					       PROBE_BPFFS,    PROBE_REGISTRY};
	for (unsigned i = 0; i < sizeof(needed); i++) {
		if (!probe_works(lab, needed[i]))
			return err_set(why, PROBE_NO, "for want of %s: %s", lab->probe->rows[needed[i]].name,
				       lab->probe->rows[needed[i]].reason);
	}
	return err_set(why, PROBE_YES, "all that it needs is there");
}

/* --- all of it ------------------------------------------------------------------------------------------------------ */

/* In the order of enum probe_name. Behind the name stand, each after a NUL, what is lost and how to get it. */
static const struct {
	probe_function *function;
	const char *name;
} table[PROBE_ROWS] = {
	{probe_own_tasks,
	 "own tasks\0all counting\0CONFIG_PERF_EVENTS, and a seccomp filter that lets perf_event_open(2) pass"},
	{probe_all_cpus, "all CPUs\0-a, -C, -G, the kernel's part of counts, and sharing\0root or CAP_PERFMON"},
	{probe_pmu, "PMU\0hardware events\0a virtual machine has a PMU if its host gives it one"},
	{probe_counters, "counters\0a counter for each hardware event: they take turns, and counts are estimates\0"
			 "share: bperf-mini status tells who does; perf and the NMI watchdog do not"},
	{probe_hardware,
	 "hardware events\0cycles, instructions and the like\0a virtual machine has a PMU if its host gives it one"},
	{probe_software, "software events\0clocks, faults, switches\0CONFIG_PERF_EVENTS"},
	{probe_bpf, "BPF\0sharing: each session takes counters of its own\0CONFIG_BPF_SYSCALL, CONFIG_BPF_EVENTS"},
	{probe_jit, "JIT\0speed, and fexit\0sysctl net.core.bpf_jit_enable=1; CONFIG_BPF_JIT"},
	{probe_tracepoint, "raw tracepoints\0sharing\0CONFIG_BPF_EVENTS, CONFIG_TRACEPOINTS"},
	{probe_leader, "leader\0sharing\0what the rows above lack"},
	{probe_trigger, "trigger\0sharing\0a kernel of 5.10 or later"},
	{probe_follower, "follower\0sharing for -p, -t, -G and commands\0what the rows above lack"},
	{probe_fexit, "fexit\0nothing: followers hang on the tracepoint, behind the leader\0"
		      "JIT, and a kernel with BPF trampolines (amd64 5.5, arm64 6.0) that lets them be used"},
	{probe_children, "children\0sharing for -p, -t and commands\0CONFIG_TRACEPOINTS"},
	{probe_ids, "object ids\0joining a leader: each session counts unshared\0CAP_SYS_ADMIN"},
	{probe_bpffs, "bpffs\0sharing: sessions do not find each other\0mount -t bpf bpf /sys/fs/bpf"},
	{probe_registry,
	 "registry\0sharing: sessions do not find each other\0root, who owns it, and a bpffs that can be written"},
	{probe_btf, "vmlinux BTF\0nothing: it is not used here\0CONFIG_DEBUG_INFO_BTF"},
	{probe_cgroup, "cgroup v2\0sharing for -G\0mount -t cgroup2 none /sys/fs/cgroup; /proc"},
	{probe_capabilities,
	 "capabilities\0what the rows above say\0root, or CAP_SYS_ADMIN (unshared: CAP_BPF and CAP_PERFMON)"},
	{probe_paranoid,
	 "perf_event_paranoid\0without CAP_PERFMON what the rows above say\0sysctl kernel.perf_event_paranoid=-1"},
	{probe_lockdown, "lockdown\0tracepoints by name; no other counting\0boot without lockdown=confidentiality"},
	{probe_memlock, "memlock\0BPF, before Linux 5.11\0ulimit -l unlimited, or CAP_SYS_RESOURCE"},
	{probe_sharing, "sharing\0one counter for all sessions of an event\0what that row says"},
};

static void probe_one(struct probe_lab *lab, enum probe_name name)
{
	struct probe_row *row = &lab->probe->rows[name];
	struct err why = {0};
	*row = (struct probe_row){.name = table[name].name};
	lab->row = row;
	row->lost = row->name + strlen(row->name) + 1;
	int result = table[name].function(lab, &why);
	row->answer = result < 0 ? PROBE_NO : (enum probe_answer)result;
	out_print(row->reason, sizeof(row->reason), "%s", why.text);
	out_print(row->advice, sizeof(row->advice), "%s", why.hint[0] ? why.hint : row->lost + strlen(row->lost) + 1);
}

void probe_all(struct probe *probe)
{
	static struct probe_lab lab;
	lab = (struct probe_lab){.probe = probe, .cpu = sys_task_cpu(), .map_fd = -1, .prog_fd = -1, .link_fd = -1};
	leader_init(&lab.leader);
	follower_init(&lab.follower);
	children_init(&lab.children);
	lab.memlock_result = sys_task_memlock(&lab.memlock);
	for (int i = 0; i < PROBE_ROWS; i++)
		probe_one(&lab, (enum probe_name)i);
	follower_close(&lab.follower);
	children_close(&lab.children);
	leader_close(&lab.leader);
	fd_close(&lab.link_fd);
	fd_close(&lab.prog_fd);
	fd_close(&lab.map_fd);
}

enum probe_verdict probe_verdict(const struct probe *probe)
{
	if (probe->rows[PROBE_SHARING].answer == PROBE_YES)
		return PROBE_SHARED;
	return probe->rows[PROBE_OWN_TASKS].answer == PROBE_YES || probe->rows[PROBE_ALL_CPUS].answer == PROBE_YES
		       ? PROBE_PLAIN
		       : PROBE_NOTHING;
}
