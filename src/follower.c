/* SPDX-License-Identifier: GPL-2.0-only */
#include "follower.h"

#include <errno.h>

#include "cpulist.h"
#include "err.h"
#include "fd.h"
#include "leader.h"
#include "memory.h"
#include "out.h"
#include "reading.h"
#include "sys_bpf.h"

/* A run can be in another's way for a microsecond at most; this many misses on one CPU mean that something else is wrong. */
enum { SYNC_TRIES = 1000 };

static int load_maps(struct follower *follower, const struct leader *leader, const struct follower_subject *subject,
		     unsigned slots, struct err *err)
{
	const struct object *object = embed_object(subject->object, err);
	if (!object)
		return -EINVAL;
	enum { OWN = 5 };
	struct loader_fit fits[OWN + FOLLOWER_FITS] = {
		{"events", leader->map_fds[LEADER_EVENTS], 0, NULL, 0},
		{"prev_readings", leader->map_fds[LEADER_PREV], 0, NULL, 0},
		{"leader_cpus", leader->map_fds[LEADER_CPUS], 0, NULL, 0},
		{"total_readings", leader->map_fds[LEADER_TOTAL], 0, NULL, 0},
		{"accum_readings", -1, slots, NULL, 0},
	};
	for (int i = 0; i < FOLLOWER_FITS; i++)
		fits[OWN + i] = subject->fits[i];
	return loader_open(&follower->loader, object, fits, OWN + FOLLOWER_FITS, err);
}

static int hang_on_leader(struct follower *follower, const struct leader *leader, struct err *err)
{
	if (!leader->func_id)
		return err_set(err, -ENOENT, "the leader has no BTF");
	const struct loader_hang hang = {BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, leader->prog_fd, leader->func_id};
	follower->prog_fd = loader_prog(&follower->loader, "follower", &hang, err);
	if (follower->prog_fd < 0)
		return follower->prog_fd;
	follower->link_fd = sys_bpf_raw_tracepoint_open(NULL, follower->prog_fd);
	if (follower->link_fd < 0) {
		err_sys(err, follower->link_fd, "cannot attach it");
		fd_close(&follower->prog_fd);
	}
	return follower->link_fd;
}

static int hang_on_tracepoint(struct follower *follower, struct err *err)
{
	const struct loader_hang hang = {BPF_PROG_TYPE_RAW_TRACEPOINT, 0, -1, 0};
	follower->prog_fd = loader_prog(&follower->loader, "follower", &hang, err);
	if (follower->prog_fd < 0)
		return follower->prog_fd;
	follower->link_fd = sys_bpf_raw_tracepoint_open("sched_switch", follower->prog_fd);
	if (follower->link_fd < 0)
		err_sys(err, follower->link_fd, "cannot attach the follower to sched_switch");
	return follower->link_fd;
}

static int hang_exec(struct follower *follower, struct err *err)
{
	const struct loader_hang hang = {BPF_PROG_TYPE_RAW_TRACEPOINT, 0, -1, 0};
	int prog_fd = loader_prog(&follower->loader, "on_exec", &hang, err);
	if (prog_fd < 0)
		return prog_fd;
	follower->exec_link_fd = sys_bpf_raw_tracepoint_open("sched_process_exec", prog_fd);
	fd_close(&prog_fd); /* the link holds the program */
	if (follower->exec_link_fd < 0)
		err_sys(err, follower->exec_link_fd, "cannot attach on_exec to sched_process_exec");
	return follower->exec_link_fd;
}

void follower_init(struct follower *follower)
{
	*follower = (struct follower){.prog_fd = -1, .link_fd = -1, .exec_link_fd = -1};
}

int follower_open(struct follower *follower, const struct leader *leader, const struct follower_subject *subject,
		  unsigned slots, bool with_exec, const char *name, struct err *err)
{
	follower_init(follower);
	follower->control.eager = leader->is_perfs;
	int result = load_maps(follower, leader, subject, slots, err);
	if (result < 0)
		return result;
	struct err why = {0};
	result = hang_on_leader(follower, leader, &why);
	follower->is_fexit = result >= 0;
	if (follower->is_fexit) {
		err_note(1, "%s: follower by fexit on the leader", name);
	} else {
		err_note(1, "%s: follower by tracepoint, as fexit is refused: %s", name, why.text);
		out_print(follower->refused, sizeof(follower->refused), "%s", why.text);
		result = hang_on_tracepoint(follower, err);
	}
	if (result >= 0 && with_exec)
		result = hang_exec(follower, err);
	if (result < 0)
		follower_close(follower);
	return result < 0 ? result : 0;
}

static int write_control(const struct follower *follower, struct err *err)
{
	const uint32_t zero = 0;
	int result = sys_bpf_map_update(loader_map(&follower->loader, ".bss"), &zero, &follower->control, BPF_ANY);
	return result < 0 ? err_sys(err, result, "cannot tell the follower to count") : 0;
}

/* On one CPU: leader, then follower. -ENXIO: offline. The first time the leader has just been triggered. */
static int trigger(const struct follower *follower, const struct leader *leader, int cpu, bool first)
{
	int status, result = 0;
	if (follower->is_fexit || !first)
		result = leader_trigger(leader, cpu, &status);
	if (!result && !follower->is_fexit)
		result = sys_bpf_prog_test_run(follower->prog_fd, cpu, &status);
	return result;
}

/* Takes out of `pending` the CPUs that have caught up. Returns 0 or -errno. */
static int drop_settled(const struct follower *follower, struct cpulist *pending, const struct cpulist *possible,
			struct follower_cpu *states)
{
	const struct cpulist all = *pending;
	const uint32_t zero = 0;
	int result = sys_bpf_map_lookup(loader_map(&follower->loader, "cpu_states"), &zero, states);
	*pending = (struct cpulist){0};
	for (int cpu = -1; !result && (cpu = cpulist_next(&all, cpu)) >= 0;) {
		const struct follower_cpu *state = &states[cpulist_index(possible, (unsigned)cpu)];
		if (state->epoch != follower->control.epoch || state->baseline != follower->control.baseline)
			cpulist_add(pending, (unsigned)cpu);
	}
	return result;
}

/* Triggers the CPUs of `pending` and takes out those that are offline. Returns 0 or -errno. */
static int trigger_all(const struct follower *follower, const struct leader *leader, struct cpulist *pending, bool first)
{
	const struct cpulist all = *pending;
	*pending = (struct cpulist){0};
	for (int cpu = -1; (cpu = cpulist_next(&all, cpu)) >= 0;) {
		int result = trigger(follower, leader, cpu, first);
		if (!result)
			cpulist_add(pending, (unsigned)cpu);
		else if (result != -ENXIO)
			return result;
	}
	return 0;
}

int follower_arm(struct follower *follower, bool enable, uint32_t workload, struct err *err)
{
	if (enable) {
		follower->control.baseline = ++follower->enablings;
		follower->control.workload = workload;
	}
	follower->control.epoch++;
	int result = write_control(follower, err);
	/* on_exec clears its copy; the next write must not bring it back */
	follower->control.workload = 0;
	return result;
}

/* The epoch was set before the triggers and comes back with each CPU's state: a run that stood in the way of another's, or
 * that began before, does not show it, and is triggered again. */
int follower_settle(struct follower *follower, const struct leader *leader, const struct cpulist *cpus,
		    const struct cpulist *possible, struct err *err)
{
	struct cpulist pending = *cpus;
	struct follower_cpu *states = memory_take(cpulist_count(possible), sizeof(*states));
	if (!states)
		return err_sys(err, -ENOMEM, "cannot read the followers' state");
	int result = drop_settled(follower, &pending, possible, states);
	for (int tries = 0; !result && cpulist_count(&pending); tries++) {
		if (tries == SYNC_TRIES) {
			memory_free(states);
			return err_set(err, -EBUSY, "the follower does not run on CPU %d", cpulist_next(&pending, -1));
		}
		result = trigger_all(follower, leader, &pending, tries == 0);
		if (!result)
			result = drop_settled(follower, &pending, possible, states);
	}
	memory_free(states);
	return result < 0 ? err_sys(err, result, "cannot trigger the leader and the follower") : 0;
}

int follower_disable(struct follower *follower, struct err *err)
{
	follower->control.baseline = 0;
	return write_control(follower, err);
}

int follower_read(const struct follower *follower, uint32_t slot, struct reading *readings)
{
	return sys_bpf_map_lookup(loader_map(&follower->loader, "accum_readings"), &slot, readings);
}

void follower_close(struct follower *follower)
{
	fd_close(&follower->exec_link_fd);
	fd_close(&follower->link_fd);
	fd_close(&follower->prog_fd);
	loader_close(&follower->loader);
}
