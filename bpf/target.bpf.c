/* SPDX-License-Identifier: GPL-2.0-only */
/* What a BPF program's runs cost: one pair of programs around it reads all events of the session. A run is known by where its
 * trampoline keeps its arguments: both are given that address, and no other run has it at the same time. So an end without its
 * beginning (the run was under way when we came) is nothing, and neither nested runs nor those of other tasks are mixed up. */
#include "readings.h"

const volatile struct target_settings settings;
struct target_control control;

#define LOST UINT64_MAX /* in a frame's `running`: no reading was to be had */
#define STACK_SIZE 0x4000

/* The leaders' `events`, by number of the event; none: this host cannot count it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(uint32_t));
	__uint(max_entries, 1);
} leaders SEC(".maps");

PERCPU(target_cpus, struct target_cpu);

/* By frame, then event. max_entries: as many. */
PERCPU(target_frames, struct target_frame);

PERCPU_READINGS(target_readings); /* by target, then event: the sums */
PERCPU_READINGS(run_readings);    /* by target: the number of runs, in each field */

INLINE struct target_frame *frame_of(uint32_t frame, uint32_t event)
{
	uint32_t index = frame * settings.events + event;
	return bpf_map_lookup_elem(&target_frames, &index);
}

INLINE long read_event(uint32_t event, struct reading *now)
{
	void *leader = bpf_map_lookup_elem(&leaders, &event);
	return leader ? bpf_perf_event_read_value(leader, BPF_F_CURRENT_CPU, now, sizeof(*now)) : -1;
}

/* Which run it is: the context's address, from the CPU's state on. A difference of addresses is a number, which may be kept. */
INLINE uint64_t run_of(const void *ctx, const struct target_cpu *cpu)
{
	uint64_t run = (uint64_t)ctx - (uint64_t)cpu;
	__asm__ volatile("" : "+r"(run));
	return run;
}

/* The number of a frame, as one that the verifier does not know: else it looks at all that follows once for each. */
INLINE uint32_t any_frame(struct target_cpu *cpu, uint32_t frame)
{
	return cpu->numbers[frame % TARGET_FRAMES] % TARGET_FRAMES;
}

/* The last of the frames that are free. A run whose end was not seen (the kernel leaves fexit out where a trampoline is changed
 * meanwhile) has left its frame behind: the stack above a new one is then not its any more. */
INLINE uint32_t take_frame(struct target_cpu *cpu, uint64_t task, uint64_t run)
{
	uint32_t frame = TARGET_FRAMES;
#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < TARGET_FRAMES; i++) {
		if (cpu->tasks[i] == task && run - cpu->runs[i] < STACK_SIZE) {
			cpu->tasks[i] = 0;
			__sync_fetch_and_add(&cpu->lost, 1);
		}
		if (!cpu->tasks[i])
			frame = i;
	}
	if (frame == TARGET_FRAMES) {
		__sync_fetch_and_add(&cpu->lost, 1);
		frame = cpu->lost;
	}
	frame %= TARGET_FRAMES;
	cpu->numbers[frame] = frame;
	return any_frame(cpu, frame);
}

/* The innermost of the target's runs that this one has interrupted. */
INLINE void find_outer(struct target_cpu *cpu, uint32_t frame, uint64_t task)
{
	uint32_t depth = 0;
	cpu->outers[frame] = TARGET_FRAMES;
#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < TARGET_FRAMES; i++) {
		if (i == frame || cpu->tasks[i] != task || cpu->targets[i] != settings.target || cpu->depths[i] < depth)
			continue;
		depth = cpu->depths[i] + 1;
		cpu->outers[frame] = i;
	}
	cpu->depths[frame] = depth;
}

SEC("fentry/target")
int on_entry(void *ctx)
{
	uint32_t zero = 0, baseline = control.baseline;
	struct target_cpu *cpu = bpf_map_lookup_elem(&target_cpus, &zero);
	if (!baseline || !cpu)
		return 0;
	uint64_t task = bpf_get_current_task(), run = run_of(ctx, cpu);
	uint32_t frame = take_frame(cpu, task, run);
	find_outer(cpu, frame, task);
	cpu->runs[frame] = run;
	cpu->baselines[frame] = baseline;
	cpu->targets[frame] = settings.target;
	BARRIER();
	/* from here on on_target_switch puts it aside: what was not read yet will be read over it */
	cpu->tasks[frame] = task;
	BARRIER();
#pragma clang loop unroll(disable)
	for (uint32_t event = 0; event < TARGET_EVENTS_MAX && event < settings.events; event++) {
		struct target_frame *of = frame_of(frame, event);
		if (!of)
			return 0;
		of->nested = (struct reading){0};
		if (read_event(event, &of->at))
			of->at.running = LOST;
	}
	return 0;
}

/* What the event has come to. Once more if the task was put aside meanwhile: then `at` has been moved. */
INLINE int finish(struct reading *diff, const struct reading *at, const struct target_cpu *cpu, uint32_t event)
{
	struct reading now;
#pragma clang loop unroll(disable)
	for (int tries = 0; tries < 2; tries++) {
		uint64_t switches = cpu->switches;
		BARRIER();
		if (at->running == LOST || read_event(event, &now))
			return 0;
		uint64_t began = at->enabled;
		subtract(diff, &now, at);
		BARRIER();
		if (cpu->switches == switches)
			return now.enabled >= began; /* else another event by now */
	}
	return 0;
}

/* A run in an interrupt may add to it, too. */
INLINE void add_at_once(struct reading *sum, const struct reading *diff)
{
	__sync_fetch_and_add(&sum->counter, diff->counter);
	__sync_fetch_and_add(&sum->enabled, diff->enabled);
	__sync_fetch_and_add(&sum->running, diff->running);
}

INLINE void add_event(struct target_cpu *cpu, uint32_t frame, uint32_t outer, uint32_t event)
{
	uint32_t index = settings.target * settings.events + event;
	struct reading diff, own, *sum = bpf_map_lookup_elem(&target_readings, &index);
	struct target_frame *of = frame_of(frame, event);
	if (!of || !sum || !finish(&diff, &of->at, cpu, event))
		return;
	subtract(&own, &diff, &of->nested);
	add_at_once(sum, &own);
	if (outer >= TARGET_FRAMES)
		return;
	of = frame_of(outer, event);
	if (of)
		add(&of->nested, &of->nested, &diff);
}

SEC("fexit/target")
int on_return(void *ctx)
{
	uint32_t zero = 0, target = settings.target, frame = 0;
	struct target_cpu *cpu = bpf_map_lookup_elem(&target_cpus, &zero);
	if (!cpu)
		return 0;
	uint64_t task = bpf_get_current_task(), run = run_of(ctx, cpu);
#pragma clang loop unroll(disable)
	while (frame < TARGET_FRAMES && (cpu->tasks[frame] != task || cpu->runs[frame] != run))
		frame++;
	if (frame == TARGET_FRAMES)
		return 0;
	frame = any_frame(cpu, frame);
	if (cpu->baselines[frame] == control.baseline) {
		uint32_t outer = cpu->outers[frame];
		if (outer < TARGET_FRAMES && (cpu->tasks[outer] != task || cpu->targets[outer] != target))
			outer = TARGET_FRAMES; /* gone, unseen */
#pragma clang loop unroll(disable)
		for (uint32_t event = 0; event < TARGET_EVENTS_MAX && event < settings.events; event++)
			add_event(cpu, frame, outer, event);
		struct reading *runs = bpf_map_lookup_elem(&run_readings, &target);
		const struct reading one = {1, 1, 1};
		if (runs)
			add_at_once(runs, &one);
	}
	cpu->tasks[frame] = 0;
	return 0;
}

/* A program's run may be preempted, or sleep, and others' run on its CPU meanwhile; it comes back to the same CPU. Taken from the
 * reading of now, the reading at the beginning becomes what the run has come to, and that a beginning again.
 * Arguments of the tracepoint: bool preempt, struct task_struct *prev, *next. */
SEC("raw_tp/sched_switch")
int on_target_switch(uint64_t *ctx)
{
	uint32_t zero = 0;
	struct target_cpu *cpu = bpf_map_lookup_elem(&target_cpus, &zero);
	if (!cpu)
		return 0;
#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < TARGET_FRAMES; i++) {
		uint64_t task = cpu->tasks[i];
		if (!task || (task != ctx[1] && task != ctx[2]))
			continue;
		const uint32_t frame = any_frame(cpu, i);
		cpu->switches++;
#pragma clang loop unroll(disable)
		for (uint32_t event = 0; event < TARGET_EVENTS_MAX && event < settings.events; event++) {
			struct reading now;
			struct target_frame *of = frame_of(frame, event);
			if (!of || of->at.running == LOST)
				continue;
			if (read_event(event, &now) || now.enabled < of->at.enabled)
				of->at.running = LOST;
			else
				subtract(&of->at, &now, &of->at);
		}
	}
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
