/* SPDX-License-Identifier: GPL-2.0-only */
#include "targets.h"

#include <errno.h>
#include <string.h>

#include "bperf.h"
#include "embed.h"
#include "fd.h"
#include "memory.h"
#include "out.h"
#include "refusal.h"
#include "sys_bpf.h"

enum { HOOK_ENTRY = 1, PATH_SIZE = 4096, ERROR_ENOTSUPP = 524 /* the kernel's, of no trampolines here */ };

/* fexit first: there is no run whose beginning alone is seen. */
static const struct {
	const char *program;
	uint32_t attach_type;
} hooks[TARGET_HOOKS] = {{"on_return", BPF_TRACE_FEXIT}, {"on_entry", BPF_TRACE_FENTRY}};

void targets_init(struct targets *targets)
{
	*targets = (struct targets){.leaders_fd = -1, .switch_link_fd = -1};
}

/* One is not counted. Of the reasons the last is kept back: it is the error where none is. */
static void refuse(struct targets *targets, const struct err *why, bool is_asked)
{
	if (!is_asked) {
		targets->skipped++;
		err_note(1, "%s", why->text);
		return;
	}
	if (targets->refused.text[0])
		err_note(0, "%s", targets->refused.text);
	targets->refused = *why;
}

/* --- finding them ------------------------------------------------------------------------------------------------------- */

static bool is_named(const struct target_program *program, const struct target_item *item)
{
	const size_t length = (size_t)item->length;
	return !strncmp(program->name, item->text, length) &&
	       (!program->name[length] ||
		(!strncmp(program->short_name, item->text, length) && !program->short_name[length]));
}

/* Takes over the program's descriptor. */
static int add(struct targets *targets, struct target_program *program, bool is_asked, struct err *why)
{
	int result = 0;
	for (int i = 0; i < targets->count; i++) {
		if (targets->list[i].program.id != program->id)
			continue;
		targets->list[i].is_asked |= is_asked;
		fd_close(&program->fd);
		return 0;
	}
	if (!program->func_id)
		result = err_set(why, -EINVAL, "BPF program %u (%s) has no BTF", program->id, program->name);
	else if (!program->is_jited)
		result = err_set(why, -EINVAL, "BPF program %u (%s) is not JITed", program->id, program->name);
	else if (targets->count == TARGETS_MAX)
		result = err_set(why, -E2BIG, "BPF program %u (%s) is one more than %d", program->id, program->name,
				 TARGETS_MAX);
	if (result < 0) {
		fd_close(&program->fd);
		return result;
	}
	struct target *target = &targets->list[targets->count++];
	*target = (struct target){.program = *program, .is_asked = is_asked};
	for (int i = 0; i < TARGET_HOOKS; i++)
		target->link_fds[i] = target->prog_fds[i] = -1;
	return 0;
}

static int find_one(struct targets *targets, uint32_t id)
{
	struct target_program program;
	struct err why = {0};
	int result = target_open(&program, id, &why);
	if (!result)
		result = add(targets, &program, true, &why);
	if (result < 0)
		refuse(targets, &why, true);
	return result;
}

static int find_pinned(struct targets *targets, const struct target_item *item)
{
	char path[PATH_SIZE];
	struct err why = {0};
	uint32_t id = 0;
	out_print(path, sizeof(path), "%.*s", item->length, item->text);
	int result = target_pinned(&id, path, &why);
	if (!result)
		return find_one(targets, id);
	refuse(targets, &why, true);
	return result;
}

/* All, or all of that name. */
static int find_many(struct targets *targets, const struct target_item *item)
{
	static uint32_t
		newest; /* what is newer in a run after the first (-r) may be what the run before has left for a moment */
	const bool by_name = item->kind == TARGET_NAME, is_first = !newest;
	bool found = false;
	int result, failed = 0;
	for (uint32_t id = 0; !(result = sys_bpf_next_id(BPF_PROG_GET_NEXT_ID, &id));) {
		struct target_program program;
		struct err why = {0};
		if (is_first)
			newest = id;
		if (id > newest)
			continue;
		result = target_open(&program, id, &why);
		if (result == -EPERM)
			break;
		if (result < 0) {
			failed = result == -ENOENT ? failed : result; /* else it is gone */
			continue;
		}
		if (by_name && !is_named(&program, item)) {
			fd_close(&program.fd);
			continue;
		}
		found = true;
		if (add(targets, &program, by_name, &why) < 0)
			refuse(targets, &why, by_name);
	}
	struct err why = {0};
	if (result == -ENOENT && !found && failed)
		result = failed;
	if (result != -ENOENT)
		err_sys(&why, result, "cannot look for BPF programs");
	else if (found || !by_name)
		return 0;
	else
		err_set(&why, result, "there is no BPF program named '%.*s'", item->length, item->text);
	refuse(targets, &why, true);
	return result;
}

/* That its owner has let go of one cannot be seen otherwise: we hold it, too. */
static void look_at_links(struct targets *targets)
{
	for (uint32_t id = 0; !sys_bpf_next_id(BPF_LINK_GET_NEXT_ID, &id);) {
		struct bpf_link_info info;
		memset(&info, 0, sizeof(info));
		int fd = sys_bpf_link_by_id(id);
		if (fd >= 0)
			sys_bpf_info(fd, &info, sizeof(info));
		fd_close(&fd);
		for (int i = 0; i < targets->count; i++)
			targets->list[i].is_linked |= targets->list[i].program.id == info.prog_id;
	}
}

int targets_open(struct targets *targets, const char *list, struct err *err)
{
	struct target_item item;
	int result = 0, failed = -ENOENT;
	targets_init(targets);
	targets->list = memory_take(TARGETS_MAX, sizeof(*targets->list));
	if (!targets->list)
		return err_sys(err, -ENOMEM, "cannot count BPF programs");
	while ((result = target_list_next(&list, &item, err)) > 0) {
		result = item.kind == TARGET_ID    ? find_one(targets, item.id)
			 : item.kind == TARGET_PIN ? find_pinned(targets, &item)
						   : find_many(targets, &item);
		failed = result < 0 ? result : failed;
	}
	look_at_links(targets);
	if (result < 0 || targets->count)
		return result;
	err_set(err, failed, "%s", targets->refused.text[0] ? targets->refused.text : "there is no BPF program to count");
	if (failed == -EPERM)
		refusal_hint(REFUSAL_BPF, failed, err);
	return failed;
}

/* --- hanging on them ---------------------------------------------------------------------------------------------------- */

static int make_maps(struct targets *targets, const int *event_fds, struct err *err)
{
	const struct object *object = embed_object(EMBED_TARGET, err);
	const uint32_t events = targets->events, count = (uint32_t)targets->count;
	const struct target_settings settings = {events, 0};
	if (!object)
		return -EINVAL;
	int result = -ENOENT;
	for (uint32_t i = 0; i < events; i++) {
		if (event_fds[i] < 0)
			continue;
		if (targets->leaders_fd < 0)
			targets->leaders_fd = sys_bpf_map_of_maps("leaders", events, event_fds[i]);
		result = targets->leaders_fd < 0 ? targets->leaders_fd
						 : sys_bpf_map_update(targets->leaders_fd, &i, &event_fds[i], BPF_ANY);
		if (result < 0)
			return err_sys(err, result, "cannot make the map of the leaders");
	}
	const struct loader_fit fits[] = {
		{"leaders", targets->leaders_fd, 0, NULL, 0},     {"target_frames", -1, TARGET_FRAMES * events, NULL, 0},
		{"target_readings", -1, count * events, NULL, 0}, {"run_readings", -1, count, NULL, 0},
		{".rodata", -1, 0, &settings, sizeof(settings)},
	};
	return loader_open(&targets->loader, object, fits, sizeof(fits) / sizeof(*fits), err);
}

/* The maps are those of all targets, but for the settings. */
static int open_loader(struct loader *loader, const struct targets *targets, uint32_t slot, struct err *err)
{
	enum { SHARED = 6 };
	static const char *const shared[SHARED] = {"leaders",         "target_cpus",  "target_frames",
						   "target_readings", "run_readings", ".bss"};
	const struct target_settings settings = {targets->events, slot};
	struct loader_fit fits[SHARED + 1] = {{".rodata", -1, 0, &settings, sizeof(settings)}};
	for (int i = 0; i < SHARED; i++)
		fits[1 + i] = (struct loader_fit){shared[i], loader_map(&targets->loader, shared[i]), 0, NULL, 0};
	return loader_open(loader, targets->loader.object, fits, SHARED + 1, err);
}

static void let_go(struct target *target)
{
	for (int i = TARGET_HOOKS; i--;) {
		fd_close(&target->link_fds[i]);
		fd_close(&target->prog_fds[i]);
	}
}

static int hang_on(struct targets *targets, uint32_t slot, struct err *err)
{
	struct target *target = &targets->list[slot];
	struct loader loader;
	int result = open_loader(&loader, targets, slot, err);
	if (result < 0)
		return result;
	for (int i = 0; result >= 0 && i < TARGET_HOOKS; i++) {
		const struct loader_hang hang = {BPF_PROG_TYPE_TRACING, hooks[i].attach_type, target->program.fd,
						 target->program.func_id};
		result = target->prog_fds[i] = loader_prog(&loader, hooks[i].program, &hang, err);
		if (result < 0)
			break;
		result = target->link_fds[i] = sys_bpf_raw_tracepoint_open(NULL, target->prog_fds[i]);
		if (result < 0)
			err_sys(err, result, "cannot attach %s", hooks[i].program);
	}
	loader_close(&loader);
	if (result >= 0)
		return 0;
	let_go(target);
	return result;
}

/* What is not the target's fault, and will be the same for all. */
static bool is_for_all(int result)
{
	return result == -EPERM || result == -ERROR_ENOTSUPP;
}

/* Says what is still to be said: as the error where none is counted. */
static int conclude(struct targets *targets, int counted, int result, struct err *err)
{
	if (counted && targets->refused.text[0])
		err_note(0, "%s", targets->refused.text);
	if (counted && targets->skipped)
		err_note(0, "-b all: BPF programs that cannot be counted: %u%s", targets->skipped,
			 err_verbosity ? "" : " (-v says why)");
	if (counted)
		return 0;
	if (targets->refused.text[0])
		*err = targets->refused;
	else
		err_set(err, result, "none of the BPF programs can be counted (-v says why)");
	return result;
}

int targets_attach(struct targets *targets, const int *event_fds, unsigned events, struct err *err)
{
	int counted = 0, failed = -ENOENT;
	targets->events = events;
	int result = make_maps(targets, event_fds, err);
	/* puts runs aside whose task is switched away from */
	if (!result)
		result = targets->switch_link_fd =
			loader_link(&targets->loader, "on_target_switch", "sched_switch", NULL, err);
	if (result < 0)
		return result;
	for (int i = 0; i < targets->count; i++) {
		const struct target *target = &targets->list[i];
		struct err why = {0};
		result = hang_on(targets, (uint32_t)i, &why);
		if (is_for_all(result)) {
			*err = why;
			err_prefix(err, "this kernel lets nothing hang on BPF programs");
			err_hint(err, "it takes BPF trampolines (fentry, fexit): the architecture's, and a policy that lets "
				      "them be used");
			return result;
		}
		if (!result) {
			counted++;
			err_note(1, "BPF program %u (%s): fentry and fexit attached", target->program.id,
				 target->program.name);
			continue;
		}
		failed = result;
		err_prefix(&why, "BPF program %u (%s)", target->program.id, target->program.name);
		refuse(targets, &why, target->is_asked);
	}
	return conclude(targets, counted, failed, err);
}

/* --- counting ----------------------------------------------------------------------------------------------------------- */

int targets_switch(struct targets *targets, bool on, struct err *err)
{
	const uint32_t zero = 0;
	if (targets->switch_link_fd < 0)
		return 0;
	const struct target_control control = {on ? ++targets->enablings : 0, 0};
	int result = sys_bpf_map_update(loader_map(&targets->loader, ".bss"), &zero, &control, BPF_ANY);
	return result < 0 ? err_sys(err, result, "cannot tell the BPF programs to count") : 0;
}

bool targets_is_counted(const struct targets *targets, uint32_t slot)
{
	return targets->list[slot].link_fds[0] >= 0;
}

int targets_read(const struct targets *targets, uint32_t slot, int event, struct reading *readings)
{
	const bool runs = event == TARGETS_RUNS;
	const uint32_t key = runs ? slot : slot * targets->events + (uint32_t)event;
	return sys_bpf_map_lookup(loader_map(&targets->loader, runs ? "run_readings" : "target_readings"), &key, readings);
}

/* How often the kernel has left a program out, as it was running already (5.12). */
static uint64_t misses(int prog_fd)
{
	struct bpf_prog_info info;
	memset(&info, 0, sizeof(info));
	return sys_bpf_info(prog_fd, &info, sizeof(info)) ? 0 : info.recursion_misses;
}

static void note_gone(struct targets *targets)
{
	for (int i = 0; i < targets->count; i++) {
		targets->list[i].was_linked = targets->list[i].is_linked;
		targets->list[i].is_linked = false;
	}
	look_at_links(targets);
	for (int i = 0; i < targets->count; i++) {
		const struct target *target = &targets->list[i];
		if (target->was_linked && !target->is_linked)
			err_note(0, "BPF program %u (%s) is not attached any more: its owner has let it go",
				 target->program.id, target->program.name);
	}
}

void targets_note_losses(struct targets *targets, unsigned possible_count)
{
	const uint32_t zero = 0;
	uint64_t lost = 0;
	note_gone(targets);
	struct target_cpu *cpus = memory_take(possible_count, sizeof(*cpus));
	if (cpus && !sys_bpf_map_lookup(loader_map(&targets->loader, "target_cpus"), &zero, cpus)) {
		for (unsigned i = 0; i < possible_count; i++)
			lost += cpus[i].lost;
	}
	memory_free(cpus);
	for (int i = 0; i < targets->count; i++)
		lost += misses(targets->list[i].prog_fds[HOOK_ENTRY]);
	if (lost)
		err_note(0, "%llu runs of BPF programs are not in the counts: their beginnings or ends were not seen",
			 (unsigned long long)lost);
}

void targets_close(struct targets *targets)
{
	for (int slot = targets->count; slot--;) {
		let_go(&targets->list[slot]);
		fd_close(&targets->list[slot].program.fd);
	}
	fd_close(&targets->switch_link_fd);
	fd_close(&targets->leaders_fd);
	loader_close(&targets->loader);
	memory_free(targets->list);
	targets->list = NULL;
	targets->count = 0;
}
