/* SPDX-License-Identifier: GPL-2.0-only */
#include "refusal.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "out.h"
#include "sys_task.h"
#include "sysfs.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

enum { WORDS_SIZE = 128 };

static const char *const calls[] = {"bpf(2)", "perf_event_open(2)"};
static const char *const configs[] = {"BPF_SYSCALL", "PERF_EVENTS"};

static void name_missing(char words[WORDS_SIZE], uint64_t has)
{
	static const struct {
		unsigned char bit;
		const char *name;
	} wanted[] = {
		{SYS_TASK_CAP_BPF, "CAP_BPF"},
		{SYS_TASK_CAP_PERFMON, "CAP_PERFMON"},
		{SYS_TASK_CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},
	};
	struct out out = out_memory(words, WORDS_SIZE);
	const char *before = "";
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (has >> wanted[i].bit & 1)
			continue;
		out_format(&out, "%s%s", before, wanted[i].name);
		before = ", ";
	}
}

void refusal_hint(enum refusal_call call, int result, struct err *err)
{
	uint64_t has = sys_task_capabilities();
	const uint64_t memlock = sys_task_memlock();
	const bool is_filtered = sys_task_is_filtered();
	const long level = sysfs_number(PARANOID, LONG_MIN);
	char missing[WORDS_SIZE], limit[WORDS_SIZE] = "";
	const char *filter = is_filtered ? ", and a seccomp filter is in force" : "";
	if (has >> SYS_TASK_CAP_SYS_ADMIN & 1)
		has = UINT64_MAX;
	if (result == -ENOSYS)
		err_hint(err, "%s is missing: a kernel without CONFIG_%s%s", calls[call], configs[call],
			 is_filtered ? ", or the seccomp filter that is in force hides it" : "");
	if (result == -EMFILE)
		err_hint(err, "the limit of open files is too low: ulimit -Hn");
	if (result != -EPERM && result != -EACCES)
		return;
	name_missing(missing, has);
	/* who lacks the first is refused before memory is charged; and where the limit could be raised, it was */
	if (call == REFUSAL_BPF && result == -EPERM && has >> SYS_TASK_CAP_BPF & 1 && memlock <= INT64_MAX)
		out_print(limit, sizeof(limit), " or, before Linux 5.11, ulimit -l (here %llu KB)",
			  (unsigned long long)memlock / 1024);
	if (call == REFUSAL_PERF && !(has >> SYS_TASK_CAP_PERFMON & 1)) {
		if (level == LONG_MIN)
			err_hint(err, "needs root or CAP_PERFMON, or a lower " PARANOID "%s", filter);
		else
			err_hint(err, "needs root or CAP_PERFMON: perf_event_paranoid is %ld%s", level, filter);
	} else if (call == REFUSAL_BPF && missing[0]) {
		err_hint(err,
			 "needs root, or the capabilities CAP_BPF and CAP_PERFMON, and CAP_SYS_ADMIN to share: what is "
			 "missing (%s)%s refuses it%s",
			 missing, limit, filter);
	} else {
		err_hint(err, "no capability is missing: %s%s refuses %s",
			 is_filtered ? "the seccomp filter that is in force"
				     : "a user namespace, kernel lockdown, a security module",
			 limit[0] || is_filtered ? limit : " or some other policy", calls[call]);
	}
}
