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

void follower_init(struct follower *follower)
{
	*follower = (struct follower){.prog_fd = -1, .link_fd = -1, .exec_link_fd = -1};
}

/* --- opening ---------------------------------------------------------------------------------------------------------- */

static int load_maps(struct follower *follower, const struct leader *const *leaders, unsigned events,
		     const struct follower_subject *subject, struct err *err)
{
	const struct object *object = embed_object(subject->object, err);
	if (!object)
		return -EINVAL;
	enum { OWN = 2, LEADERS = 2 * FOLLOWER_EVENTS, NAME_SIZE = 16 };
	char names[LEADERS][NAME_SIZE];
	struct loader_fit fits[OWN + FOLLOWER_FITS + LEADERS] = {
		{"accum_readings", -1, subject->slots > 1 ? events * subject->slots : 1, NULL, 0},
		{".rodata", -1, 0, &subject->settings, subject->settings_size},
	};
	for (int i = 0; i < FOLLOWER_FITS; i++)
		fits[OWN + i] = subject->fits[i];
	const struct leader *any = NULL;
	for (unsigned i = 0; i < events; i++)
		any = leaders[i] ? leaders[i] : any;
	for (unsigned i = 0; i < LEADERS; i++) {
		const struct leader *leader = i / 2 < events && leaders[i / 2] ? leaders[i / 2] : any;
		out_print(names[i], NAME_SIZE, "%s_%u", i % 2 ? "cpus" : "leader", i / 2);
		fits[OWN + FOLLOWER_FITS + i] =
			(struct loader_fit){names[i], leader->map_fds[i % 2 ? LEADER_CPUS : LEADER_EVENTS], 0, NULL, 0};
	}
	return loader_open(&follower->loader, object, fits, sizeof(fits) / sizeof(*fits), err);
}

int follower_open(struct follower *follower, const struct leader *const *leaders, unsigned events,
		  const struct follower_subject *subject, const struct cpulist *possible, bool with_exec, struct err *err)
{
	follower_init(follower);
	follower->slots = subject->slots;
	follower->possible = possible;
	follower->states = memory_take(cpulist_count(possible), sizeof(*follower->states));
	int result = follower->states ? load_maps(follower, leaders, events, subject, err)
				      : err_sys(err, -ENOMEM, "cannot read the follower");
	if (!result)
		result = follower->link_fd =
			loader_link(&follower->loader, "follower", "sched_switch", &follower->prog_fd, err);
	if (result >= 0 && with_exec)
		result = follower->exec_link_fd = loader_link(&follower->loader, "on_exec", "sched_process_exec", NULL, err);
	if (result < 0)
		follower_close(follower);
	return result < 0 ? result : 0;
}

/* --- counting --------------------------------------------------------------------------------------------------------- */

static int write_control(const struct follower *follower, struct err *err)
{
	const uint32_t zero = 0;
	int result = sys_bpf_map_update(loader_map(&follower->loader, ".bss"), &zero, &follower->control, BPF_ANY);
	return result < 0 ? err_sys(err, result, "cannot tell the follower to count") : 0;
}

/* Returns how many CPUs were triggered, or -errno with a text. */
static int trigger(const struct follower *follower, const struct cpulist *cpus, bool all, struct err *err)
{
	static const uint64_t args[] = {0, FOLLOWER_ASKED, 0};
	int triggered = 0;
	for (int cpu = -1; (cpu = cpulist_next(cpus, cpu)) >= 0;) {
		int32_t status;
		unsigned index = cpulist_index(follower->possible, (unsigned)cpu);
		if (!all && follower->states[index].verdict == VERDICT_UNWANTED)
			continue;
		int result = sys_bpf_prog_test_run(follower->prog_fd, cpu, args, sizeof(args), &status);
		if (result < 0 && result != -ENXIO)
			return err_sys(err, result, "cannot trigger the follower on CPU %d", cpu);
		triggered++;
	}
	return triggered;
}

int follower_enable(struct follower *follower, const struct cpulist *cpus, uint32_t workload, struct err *err)
{
	follower->control = (struct follower_control){++follower->enablings, workload};
	int result = write_control(follower, err);
	if (!result)
		result = trigger(follower, cpus, true, err);
	return result < 0 ? result : 0;
}

static int read_states(const struct follower *follower, struct err *err)
{
	const uint32_t zero = 0;
	int result = sys_bpf_map_lookup(loader_map(&follower->loader, "cpu_states"), &zero, follower->states);
	return result < 0 ? err_sys(err, result, "cannot read the follower's state") : 0;
}

/* A task that comes to a CPU after its state was read has begun there after the reading has, and one that leaves a CPU is in the sums. */
int follower_bring_up(const struct follower *follower, const struct cpulist *cpus, struct err *err)
{
	int result = read_states(follower, err);
	if (!result)
		result = trigger(follower, cpus, false, err);
	return result > 0 ? read_states(follower, err) : result;
}

int follower_disable(struct follower *follower, struct err *err)
{
	follower->control = (struct follower_control){0};
	return write_control(follower, err);
}

int follower_read(const struct follower *follower, unsigned event, uint32_t slot, struct reading *readings)
{
	if (follower->slots > 1) {
		const uint32_t index = event * follower->slots + slot;
		return sys_bpf_map_lookup(loader_map(&follower->loader, "accum_readings"), &index, readings);
	}
	for (unsigned i = 0; i < cpulist_count(follower->possible); i++)
		readings[i] = follower->states[i].events[event].sum;
	return 0;
}

void follower_close(struct follower *follower)
{
	fd_close(&follower->exec_link_fd);
	fd_close(&follower->link_fd);
	fd_close(&follower->prog_fd);
	loader_close(&follower->loader);
	memory_free(follower->states);
	follower->states = NULL;
}
