/* SPDX-License-Identifier: GPL-2.0-only */
/* Events on fifteen machines that tests/data/pmus.txt describes, each planted under a folder that stands for /. */
#include "plant.h"

#include <errno.h>
#include <unistd.h>

#include "err.h"
#include "options.h"
#include "plan.h"
#include "sysfs.h"

static struct plan plan;
static struct err err;
static struct cpulist online;

/* --- events ----------------------------------------------------------------------------------------------------------- */

/* scope: "-a", "-C LIST" or "-p LIST" */
static int build(const char *events, const char *scope)
{
	struct options options = {.events = {events}, .events_count = 1};
	options.scopes[0] = (struct options_scope){scope[1], scope[2] ? scope + 3 : ""};
	options.scopes_count = 1;
	memset(&err, 0, sizeof(err));
	memset(&plan, 0xff, sizeof(plan));
	return plan_build(&plan, &options, &online, &online, &err);
}

static const char *attr_text(const struct event *event)
{
	static char text[512];
	const struct perf_event_attr *attr = &event->attr;
	struct cpulist cpus;
	event_cpus(&cpus, event, &plan.cpus);
	char config3[40] = "";
	if (attr->config3)
		sprintf(config3, " config3=%#" PRIx64, attr->config3);
	sprintf(text, "type=%u config=%#" PRIx64 " config1=%#" PRIx64 " config2=%#" PRIx64 "%s%s%s%s%s cpus=%d", attr->type,
		attr->config, attr->config1, attr->config2, config3, attr->exclude_user ? " exclude_user" : "",
		attr->exclude_kernel ? " exclude_kernel" : "", attr->exclude_hv ? " exclude_hv" : "",
		attr->exclude_idle ? " exclude_idle" : "", cpulist_next(&cpus, -1));
	return text;
}

static void check_sound(const char *name)
{
	for (int i = 0; i < plan.events_count; i++) {
		const struct event *event = &plan.events[i];
		OK(event->scale && event->name[0] && event->family >= 0 && event->family <= i &&
		   plan.events[event->family].family == event->family, "%s: event %d is sound", name, i);
		OK(!event->is_cpus_only || event->has_cpus, "%s: event %d has the CPUs that it is bound to", name, i);
		OK(!event->attr.size && !event->attr.sample_period && !event->attr.read_format, "%s: event %d: nothing else is set",
		   name, i);
	}
}

/* A line of pmu_events.txt. */
static void check_line(char *line)
{
	char *fields[4] = {line}, text[4096] = "";
	for (int i = 1; i < 4; i++) {
		fields[i] = strchr(fields[i - 1], '\t');
		if (!OK(fields[i], "a line of four fields: %s", line))
			return;
		*fields[i]++ = '\0';
	}
	plant(fields[0]);
	int result = build(fields[1], fields[2]);
	if (fields[3][0] == '!') {
		EQ_INT(result, -EINVAL, "%s: %s (%s) is refused", fields[0], fields[1], fields[2]);
		if (!OK(strstr(err.text, fields[3] + 1), "... with '%s'", fields[3] + 1))
			printf("# got %s\n", err.text);
		OK(strstr(err.text, "event syntax: '") == err.text && strstr(err.shown, "^\n"), "... and shows where");
		return;
	}
	EQ_INT(result, 0, "%s: %s (%s) is accepted", fields[0], fields[1], fields[2]);
	if (result < 0) {
		printf("# %s\n", err.text);
		return;
	}
	for (int i = 0; i < plan.events_count; i++)
		sprintf(text + strlen(text), "%s%s", i ? " | " : "", attr_text(&plan.events[i]));
	EQ_TEXT(text, fields[3], "... its attr");
	check_sound(fields[1]);
}

static void test_table(void)
{
	static char line[LINE_SIZE];
	FILE *file = fopen("tests/data/pmu_events.txt", "r");
	int lines = 0;
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#')
			continue;
		lines++;
		check_line(line);
	}
	if (file)
		fclose(file);
	OK(lines >= 124, "so many events are in the table: %d", lines);
}

/* --- what a table of attrs does not show ------------------------------------------------------------------------------ */

static void test_names(void)
{
	static const struct {
		const char *machine, *events, *names, *families;
	} cases[] = {
		{"vm-nopmu", "msr/tsc,name=foo.bar.baz/", "foo.bar.baz", "0"},
		{"vm-nopmu", "msr/name='a b,c/d',tsc/", "a b,c/d", "0"},
		{"vm-nopmu", "{cs,faults:u,msr/tsc/}:I,cycles:uk", NULL, NULL},
		{"vm-nopmu", "{cs,faults:u}:k,cycles:ku", "cs:k faults:uk cycles:ku", "0 1 2"},
		{"vm-nopmu", "{cs:u,r1}:uG", "cs:uG r1:uG", "0 1"},
		{"skl-client", "tsc,power/energy-pkg/,cpu/cycles/k", "tsc power/energy-pkg/ cpu/cycles/k", "0 1 2"},
		{"skl-client", "{cpu/mem-loads/,cs}:u", "cpu/mem-loads/u cs:u", "0 1"},
		{"skx-2s", "uncore_imc/clockticks/,cs", "uncore_imc/clockticks/ uncore_imc/clockticks/ uncore_imc/clockticks/ "
		 "uncore_imc/clockticks/ uncore_imc/clockticks/ uncore_imc/clockticks/ cs", "0 0 0 0 0 0 6"},
		{"qpi-2s", "cs,clockticks", "cs clockticks clockticks", "0 1 1"},
		{"qpi-2s", "qpi/clockticks,name=x/", "x x", "0 0"},
		{"adl-hybrid", "cycles,cs", "cpu_core/cycles/ cpu_atom/cycles/ cs", "0 1 2"},
		{"adl-hybrid", "cs,LLC-loads:u,r1c0:k", "cs cpu_core/LLC-loads/u cpu_atom/LLC-loads/u cpu_core/r1c0/k cpu_atom/r1c0/k",
		 "0 1 2 3 4"},
		{"adl-hybrid", "mem-loads", "cpu_core/mem-loads/ cpu_atom/mem-loads/", "0 1"},
		{"adl-hybrid", "cpu/cpu-cycles/u", "cpu_core/cpu-cycles/u cpu_atom/cpu-cycles/u", "0 1"},
		{"adl-hybrid", "cpu/cpu-cycles,name=x/u", "x x", "0 1"},
		{"adl-hybrid", "slots", "slots", "0"},
		{"adl-hybrid", "uncore_imc_free_running/data_read/", "uncore_imc_free_running/data_read/ "
		 "uncore_imc_free_running/data_read/", "0 0"},
		{"rk3399", "{cpu_cycles,cs}:u", "armv8_cortex_a53/cpu_cycles/u armv8_cortex_a72/cpu_cycles/u cs:u", "0 1 2"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char names[512] = "", families[64] = "";
		plant(cases[i].machine);
		int result = build(cases[i].events, "-a");
		if (!cases[i].names) {
			EQ_INT(result, -EINVAL, "%s is refused: %s", cases[i].events, err.text);
			continue;
		}
		EQ_INT(result, 0, "%s: %s: %s", cases[i].machine, cases[i].events, err.text);
		for (int e = 0; !result && e < plan.events_count; e++) {
			sprintf(names + strlen(names), "%s%s", e ? " " : "", plan.events[e].name);
			sprintf(families + strlen(families), "%s%d", e ? " " : "", plan.events[e].family);
		}
		EQ_TEXT(names, cases[i].names, "... the names");
		EQ_TEXT(families, cases[i].families, "... the rows");
	}
	plant("adl-hybrid");
	EQ_INT(build("cs,cycles", "-C 3,4"), 0, "where one kind of CPU only is asked for");
	EQ_INT(plan.events_count, 2, "... the others have no row");
	EQ_TEXT(plan.events[1].name, "cpu_core/cycles/", "... but it is named");
	EQ_TEXT(plan.events[1].pmu, "cpu_core", "... and so is the PMU");
	EQ_INT(plan.events[1].family, 1, "... of a family of its own");
}

static void test_groups(void)
{
	plant("adl-hybrid");
	struct options options = {.scopes = {{'a', ""}}, .scopes_count = 1, .events = {"cs,{cycles,faults},faults", "{cs}", "{cs,faults}:u"},
				  .events_count = 3};
	static const int groups[] = {0, 2, 2, 2, 0, 5, 6, 6};
	EQ_INT(plan_build(&plan, &options, &online, &online, &err), 0, "groups in several lists");
	EQ_INT(plan.events_count, 8, "... all their members");
	for (int i = 0; i < 8 && i < plan.events_count; i++)
		EQ_INT(plan.events[i].group, groups[i], "... the group of event %d", i);
}

static void test_levels(void)
{
	plant("skl-client");
	for (int i = 0; i < 2; i++) {
		struct options options = {.scopes = {{'a', ""}}, .scopes_count = 1, .all_user = !i, .all_kernel = i,
					  .events = {"cycles,cycles:u,cycles:k,cycles:uk,cs,cycles:I,tsc:Wb"}, .events_count = 1};
		static const struct {
			bool user, kernel, hv; /* are excluded; with --all-user, with --all-kernel */
		} want[2][6] = {{{0, 1, 0}, {0, 1, 1}, {1, 0, 1}, {0, 0, 1}, {0, 1, 0}, {0, 1, 0}},
				{{1, 0, 0}, {0, 1, 1}, {1, 0, 1}, {0, 0, 1}, {1, 0, 0}, {1, 0, 0}}};
		EQ_INT(plan_build(&plan, &options, &online, &online, &err), -EINVAL, "no levels in msr");
		OK(strstr(err.text, i ? "--all-kernel" : "--all-user"), "... is said: %s", err.text);
		options.events[0] = "cycles,cycles:u,cycles:k,cycles:uk,cs,cycles:I";
		EQ_INT(plan_build(&plan, &options, &online, &online, &err), 0, "levels for all");
		for (int e = 0; e < 6; e++) {
			const struct perf_event_attr *attr = &plan.events[e].attr;
			OK(attr->exclude_user == want[i][e].user && attr->exclude_kernel == want[i][e].kernel &&
			   attr->exclude_hv == want[i][e].hv, "... of %s", plan.events[e].name);
		}
	}
}

static void test_about(void)
{
	static const struct {
		const char *machine, *event;
		uint64_t scale;
		int exponent;
		const char *unit;
		bool is_snapshot;
	} cases[] = {
		{"skl-client", "power/energy-pkg/", 2328306436538696289, -28, "Joules", false},
		{"skl-client", "energy-pkg", 2328306436538696289, -28, "Joules", false},
		{"skl-client", "msr/cpu_thermal_margin/", 1, 0, "C", true},
		{"skl-client", "cpu/topdown-total-slots/", 2, 0, "", false},
		{"skl-client", "cpu/instructions/", 1, 0, "", false},
		{"skl-client", "uncore_imc/data_reads/", 6103515625, -14, "MiB", false},
		{"skx-2s", "uncore_iio_free_running_0/bw_in_port0/", 3814697266, -15, "MiB", false},
		{"amd-f15-power", "power/power-pkg/", 1, -3, "mWatts", false},
		{"amd-f15-power", "power/event=1/", 1, 0, "", false},
		{"vm-nopmu", "cycles", 1, 0, "", false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		plant(cases[i].machine);
		EQ_INT(build(cases[i].event, "-a"), 0, "%s", cases[i].event);
		EQ_U64(plan.events[0].scale, cases[i].scale, "... its scale");
		EQ_INT(plan.events[0].scale_exponent, cases[i].exponent, "... the exponent");
		EQ_TEXT(plan.events[0].unit, cases[i].unit, "... its unit");
		OK(plan.events[0].is_snapshot == cases[i].is_snapshot && !plan.events[0].is_per_package, "... its kind");
	}
}

static void test_scales(void)
{
	static const struct {
		const char *text;
		uint64_t scale;
		int exponent;
	} cases[] = {
		{"1", 1, 0}, {"0.5", 5, -1}, {"100", 1, 2}, {"1e3", 1, 3}, {"1E+03", 1, 3}, {"1.e-2", 1, -2}, {".25", 25, -2},
		{"9999999999999999999", 9999999999999999999U, 0}, {"99999999999999999995", 1, 20}, {"12345678901234567894", 1234567890123456789, 1},
		{"12345678901234567895", 123456789012345679, 2}, {"0.00000000000000000000000000000000000000000001", 1, -44}, {"1e99", 1, 99}, {"1e-99", 1, -99},
		/* refused */
		{"1e400", 0, 0}, {"1,5", 0, 0}, {"", 0, 0}, {"0", 0, 0}, {"0.0", 0, 0}, {"-1", 0, 0}, {"e5", 0, 0}, {"1e", 0, 0}, {"1e+", 0, 0},
		{"1.2.3", 0, 0}, {"x", 0, 0}, {"1 2", 0, 0}, {"nan", 0, 0}, {"inf", 0, 0}, {"0x10", 0, 0}, {"1e100", 0, 0}, {"10e99", 0, 0},
		{"1e-0x5", 0, 0}, {"1e99999999999999999999999", 0, 0},
	};
	plant("vm-nopmu");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_file(DEVICES "/msr/events/tsc.scale", cases[i].text, strlen(cases[i].text));
		EQ_INT(build("tsc", "-a"), cases[i].scale ? 0 : -EINVAL, "a scale of '%s'", cases[i].text);
		if (cases[i].scale) {
			EQ_U64(plan.events[0].scale, cases[i].scale, "... its digits");
			EQ_INT(plan.events[0].scale_exponent, cases[i].exponent, "... its exponent");
		} else {
			OK(strstr(err.text, "/msr/events/tsc.scale"), "... is refused by its file: %s", err.text);
		}
	}
	put_file(DEVICES "/msr/events/tsc.scale", "1", 1);
	put_file(DEVICES "/msr/events/tsc.unit", "M\"i\x1b[1mB,\xff\n", 11);
	put_file(DEVICES "/msr/events/tsc.per-pkg", "1\n", 2);
	EQ_INT(build("tsc", "-a"), 0, "a hostile unit");
	EQ_TEXT(plan.events[0].unit, "M\"i?[1mB,?", "... has no controls");
	OK(plan.events[0].is_per_package && !plan.events[0].is_snapshot, "... of a package");
	put_file(DEVICES "/msr/events/tsc.unit", "a unit that is longer than any unit is", 38);
	EQ_INT(build("tsc", "-a"), -EINVAL, "a long unit");
	OK(strstr(err.text, "/msr/events/tsc.unit"), "... is refused by its file");
	machine[0] = '\0';
}

static void test_tracepoints(void)
{
	static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	for (int i = 0; i < 2; i++) {
		char path[PATH_SIZE];
		machine[0] = '\0';
		plant("vm-nopmu");
		snprintf(path, sizeof(path), "%s/events/sched/sched_switch/id", roots[i]);
		put_file(path, "314\n", 4);
		EQ_INT(build("sched:sched_switch,sched:sched_switch:u", "-a"), 0, "a tracepoint: %s", err.text);
		OK(plan.events[0].attr.type == 2 && plan.events[0].attr.config == 314 && !plan.events[0].attr.exclude_kernel,
		   "... its number");
		OK(plan.events[1].attr.config == 314 && plan.events[1].attr.exclude_kernel, "... with modifiers");
		EQ_TEXT(plan.events[1].name, "sched:sched_switch:u", "... and name");
		OK(!plan.events[0].is_cpus_only && !plan.events[0].has_cpus, "... anywhere");
		snprintf(path, sizeof(path), "%s/events/sched/bad/id", roots[i]);
		put_file(path, "x\n", 2);
		EQ_INT(build("sched:bad", "-a"), -EINVAL, "a number that is none");
		OK(err.text[0], "... is refused: %s", err.text);
		EQ_INT(build("sched:sched_swich", "-a"), -EINVAL, "an unknown one");
		if (i)
			continue;
		OK(strstr(err.text, "unknown tracepoint 'sched:sched_swich'"), "... is said");
		EQ_TEXT(err.hint, "", "... with no advice to mount");
	}
	machine[0] = '\0';
	plant("vm-nopmu");
	EQ_INT(build("sched:sched_switch", "-a"), -EINVAL, "no tracefs");
	OK(strstr(err.text, "cannot open ") && strstr(err.text, "/sys/kernel/tracing/events: No such file or directory"),
	   "... is said: %s", err.text);
	EQ_TEXT(err.hint, "mount -t tracefs tracefs /sys/kernel/tracing", "... and can be mounted");
}

static void test_hints(void)
{
	static const struct {
		const char *machine, *event, *hint;
	} cases[] = {
		{"vm-nopmu", "cycels", "did you mean 'cycles'?"}, {"vm-nopmu", "tcs", "did you mean 'cs'?"},
		{"vm-nopmu", "L1-dcache-load-mises", "did you mean 'L1-dcache-load-misses'?"},
		{"vm-nopmu", "LLC-lods:u", "did you mean 'LLC-loads'?"}, {"vm-nopmu", "LLC-", ""},
		{"vm-nopmu", "iTLB-stores", "did you mean 'dTLB-stores'?"}, {"vm-nopmu", "xyzzy", ""},
		{"vm-nopmu", "instruction:u", "did you mean 'instructions'?"}, {"vm-nopmu", "CYCLES", "did you mean 'cycles'?"},
		{"vm-nopmu", "contextswitches", "did you mean 'context-switches'?"},
		{"vm-nopmu", "ms/tsc/", "did you mean 'msr'?"}, {"vm-nopmu", "msr/tcs/", ""}, {"vm-nopmu", "msr/evnt=1/", "did you mean 'event'?"},
		{"vm-nopmu", "an-event-name-that-is-longer-than-any-known-one", ""},
		{"skl-client", "mem-load", "did you mean 'mem-loads'?"}, {"skl-client", "enrgy-pkg", "did you mean 'energy-pkg'?"},
		{"skl-client", "cpu/cycles-cx/", "did you mean 'cycles-ct'?"}, {"skl-client", "cpu/umsk=1/", "did you mean 'umask'?"},
		{"skl-client", "uncore_imk/data_reads/", "did you mean 'uncore_imc'?"},
		{"skl-client", "power/energy-pkg.unit/", "did you mean 'energy-pkg'?"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		plant(cases[i].machine);
		EQ_INT(build(cases[i].event, "-a"), -EINVAL, "%s is refused", cases[i].event);
		EQ_TEXT(err.hint, cases[i].hint, "... with this advice");
	}
	sysfs_root = "/nonexistent";
	EQ_INT(build("cycles,r1,LLC-loads", "-a"), 0, "without /sys: what needs none: %s", err.text);
	EQ_INT(build("cpu/event=1/", "-a"), -EINVAL, "... and what does");
	EQ_INT(build("mem-loads", "-a"), -EINVAL, "... or may");
	sysfs_root = root;
}

/* Expansion up to the last place, and not beyond. */
static void test_many(void)
{
	char text[4096] = "";
	plant("skx-2s");
	for (int i = 0; i < PLAN_EVENTS_MAX / 6; i++)
		strcat(text, "uncore_imc/clockticks/,");
	strcat(text, "cs,cs"); /* 126 and 2 */
	EQ_INT(build(text, "-a"), 0, "as many as fit: %s", err.text);
	EQ_INT(plan.events_count, PLAN_EVENTS_MAX, "... all are there");
	EQ_INT(plan.events[125].family, 120, "... with their rows");
	strcat(text, ",cs");
	EQ_INT(build(text, "-a"), -EINVAL, "one too many");
	OK(strstr(err.text, "more than 128 events"), "... is said: %s", err.text);
	EQ_INT(build("uncore_imc/clockticks/,uncore_imc_1/clockticks/", "-a"), 0, "a few more");
	EQ_INT(plan.events_count, 7, "... are as many as they are");
}

int main(void)
{
	if (!mkdtemp(root) || cpulist_parse(&online, "0-255", NULL))
		return 1;
	sysfs_root = root;
	test_table();
	test_names();
	test_groups();
	test_levels();
	test_about();
	test_scales();
	test_tracepoints();
	test_hints();
	test_many();
	fell();
	rmdir(root);
	return test_done();
}
