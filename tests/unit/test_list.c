/* SPDX-License-Identifier: GPL-2.0-only */
/* What is listed on the machines of plant.h, and how it is printed. */
#include "plant.h"

#include <errno.h>
#include <unistd.h>

#include "cpulist.h"
#include "err.h"
#include "event.h"
#include "event_resolve.h"
#include "list.h"
#include "out.h"
#include "report.h"
#include "sysfs.h"

static char text[1 << 20];
static struct err err;
static struct cpulist online;

/* mode: "" text, "v" with details, "j" JSON. The text of the list, or of the error. */
static const char *list(const char *pattern, const char *mode)
{
	struct out out = out_memory(text, sizeof(text));
	struct report_list report = {&out, &online, *mode == 'j', *mode == 'v', 0};
	memset(&err, 0, sizeof(err));
	return list_each(pattern, *mode, report_list, &report, &err) < 0 ? err.text : text;
}

/* The names alone, between spaces. */
static void add_name(void *context, const struct list_entry *entry)
{
	out_format(context, "%s ", entry->name);
}

static const char *names(const char *pattern)
{
	struct out out = out_memory(text, sizeof(text));
	memset(&err, 0, sizeof(err));
	return list_each(pattern, false, add_name, &out, &err) < 0 ? "-" : text;
}

static void test_patterns(void)
{
	static const struct {
		const char *pattern, *names;
	} cases[] = {
		{"faults", "page-faults faults minor-faults major-faults alignment-faults emulation-faults "},
		{"FAULTS", "page-faults faults minor-faults major-faults alignment-faults emulation-faults "},
		{"m*faults", "minor-faults major-faults "}, {"*r-f*", "minor-faults major-faults "},
		{"?aults", "faults "}, {"??", "cs "}, {"faults*", "faults "}, {"*faults", "page-faults faults minor-faults major-faults "
		 "alignment-faults emulation-faults "}, {"faults?", "-"}, {"**f*u**lts*", "page-faults faults minor-faults major-faults "
		 "alignment-faults emulation-faults "}, {"cs", "cs "}, {"CS", "cs "}, {"m*n*r*s", "minor-faults "},
		{"tsc", "msr/tsc/ "}, {"msr/*", "msr/tsc/ msr/term=value,.../ "}, {"MSR/t?c/", "msr/tsc/ "}, {"pmu", "msr/tsc/ msr/term=value,.../ "},
		{"sc/ ", "-"}, {"msr/tsc//", "-"}, {"dummyx", "-"}, {"xdummy", "-"}, {"dummy ", "-"}, {"uprobe", "-"}, {"rNNN", "-"},
		{"minor\r", "-"},
		{"software", "cpu-clock task-clock page-faults faults context-switches cs cpu-migrations migrations minor-faults "
		 "major-faults alignment-faults emulation-faults dummy bpf-output cgroup-switches "},
		{"LLC", "LLC-loads LLC-load-misses LLC-stores LLC-store-misses LLC-prefetches LLC-prefetch-misses "},
		{"tracepoint", "-"}, {"hardware", "cpu-cycles cycles instructions cache-references cache-misses branch-instructions branches "
		 "branch-misses bus-cycles stalled-cycles-frontend idle-cycles-frontend stalled-cycles-backend idle-cycles-backend "
		 "ref-cycles "},
	};
	plant("vm-nopmu");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		EQ_TEXT(names(cases[i].pattern), cases[i].names, "the pattern '%s'", cases[i].pattern);
	static const char *const same[][2] = {{"hw", "hardware"}, {"sw", "software"}, {"cache", "hwcache"}};
	for (int i = 0; i < 3; i++) {
		char *one = strdup(names(same[i][0]));
		EQ_TEXT(names(same[i][1]), one, "%s is %s", same[i][0], same[i][1]);
		OK(strlen(one) > 100, "... and many");
		free(one);
	}
	EQ_TEXT(names(""), names(NULL), "an empty pattern is in all names");
	EQ_TEXT(names("*"), names(NULL), "... and a star is all");
	EQ_TEXT(list("xyzzy", ""), "no event of this host matches 'xyzzy'", "no match");
	EQ_TEXT(list("a\033[1m", ""), "no event of this host matches 'a?[1m'", "no match of controls");
}

static void test_text(void)
{
	static const struct {
		const char *machine, *pattern, *mode, *text;
	} cases[] = {
		{"vm-nopmu", "cycles", "",
		 "Hardware events, if it has them (PMU: none here):\n  cpu-cycles\n  cycles\n  bus-cycles\n"
		 "  stalled-cycles-frontend\n  idle-cycles-frontend\n  stalled-cycles-backend\n  idle-cycles-backend\n  ref-cycles\n"},
		{"skl-client", "c*s", "",
		 "Hardware events, if it has them (PMU: cpu):\n  cpu-cycles\n  cycles\n  cache-references\n  cache-misses\n\n"
		 "Software events (PMU: software):\n  context-switches\n  cs\n  cpu-migrations\n  cgroup-switches\n"},
		{"skl-client", "energy", "v",
		 "Events (PMU: power):\n"
		 "  power/energy-cores/                       Joules\n\ttype=9 config=0x1 config1=0 config2=0 cpus=0-3\n"
		 "  power/energy-pkg/                         Joules\n\ttype=9 config=0x2 config1=0 config2=0 cpus=0-3\n"
		 "  power/energy-ram/                         Joules\n\ttype=9 config=0x3 config1=0 config2=0 cpus=0-3\n"},
		{"skl-client", "energy-pkg", "j",
		 "{\"event\" : \"power/energy-pkg/\", \"unit\" : \"Joules\", \"scale\" : 2328306436538696289e-28, \"pmu\" : \"power\", "
		 "\"type\" : 9, \"config\" : 2, \"config1\" : 0, \"config2\" : 0, \"cpus\" : \"0-3\"}\n"},
		{"skl-client", "mem-loads", "j",
		 "{\"event\" : \"cpu/mem-loads/\", \"unit\" : \"\", \"scale\" : 1e0, \"pmu\" : \"cpu\", \"type\" : 4, \"config\" : 461, "
		 "\"config1\" : 3, \"config2\" : 0, \"cpus\" : \"0-255\"}\n"},
		{"skl-client", "ref-cycles", "j",
		 "{\"event\" : \"ref-cycles\", \"unit\" : \"\", \"scale\" : 1e0, \"pmu\" : \"cpu\", \"type\" : 0, \"config\" : 9, "
		 "\"config1\" : 0, \"config2\" : 0, \"cpus\" : \"0-255\"}\n"
		 "{\"event\" : \"cpu/ref-cycles/\", \"unit\" : \"\", \"scale\" : 1e0, \"pmu\" : \"cpu\", \"type\" : 4, \"config\" : 768, "
		 "\"config1\" : 0, \"config2\" : 0, \"cpus\" : \"0-255\"}\n"},
		{"vm-nopmu", "ref-cycles", "j",
		 "{\"event\" : \"ref-cycles\", \"unit\" : \"\", \"scale\" : 1e0, \"pmu\" : \"\", \"type\" : 0, \"config\" : 9, "
		 "\"config1\" : 0, \"config2\" : 0, \"cpus\" : \"0-255\"}\n"},
		{"skl-client", "term=", "j", ""},
		{"skl-client", "intel", "",
		 "Events (PMU: intel_pt):\n"
		 "  intel_pt/term=value,.../                  branch, cyc, cyc_thresh, fup_on_ptw,\n"
		 "                                            mtc, mtc_period, noretcomp,\n"
		 "                                            psb_period, pt, ptw, pwr_evt, tsc\n"},
		{"skx-2s", "uncore_imc", "v",
		 "Events (PMU: uncore_imc):\n"
		 "  uncore_imc/cas_count_read/                MiB\n\ttype=14 config=0x304 config1=0 config2=0 cpus=0,18\n"
		 "  uncore_imc/cas_count_write/               MiB\n\ttype=14 config=0xc04 config1=0 config2=0 cpus=0,18\n"
		 "  uncore_imc/clockticks/\n\ttype=14 config=0 config1=0 config2=0 cpus=0,18\n"
		 "  uncore_imc/term=value,.../                edge, event, inv, thresh, umask\n"},
		{"skx-2s", "iio", "",
		 "Events (PMU: uncore_iio_0):\n"
		 "  uncore_iio_0/term=value,.../              ch_mask, edge, event, fc_mask, inv,\n"
		 "                                            thresh, umask\n\n"
		 "Events (PMU: uncore_iio_free_running_0):\n"
		 "  uncore_iio_free_running_0/bw_in_port0/    MiB\n"
		 "  uncore_iio_free_running_0/ioclk/\n"
		 "  uncore_iio_free_running_0/term=value,.../ event, umask\n"},
		{"qpi-2s", "uncore*[a-z]", "", "no event of this host matches 'uncore*[a-z]'"},
		{"qpi-2s", "uncore*a*/", "",
		 "Events (PMU: uncore_qpi):\n  uncore_qpi/drs_data/\n  uncore_qpi_0/ncb_data/\n  uncore_qpi_0/txl_flits_active/\n"
		 "  uncore_qpi/term=value,.../                edge, event, inv, mask0, mask1,\n"
		 "                                            match0, match1, match_rds,\n"
		 "                                            match_rnid30, match_rnid4, thresh,\n"
		 "                                            umask\n"},
		{"adl-hybrid", "ref-cycles", "",
		 "Hardware events, if it has them (PMU: cpu_atom, cpu_core):\n  ref-cycles\n\n"
		 "Events (PMU: cpu_atom):\n  cpu_atom/ref-cycles/\n\nEvents (PMU: cpu_core):\n  cpu_core/ref-cycles/\n"},
		{"adl-hybrid", "ref-cycles", "v",
		 "Hardware events, if it has them (PMU: cpu_atom, cpu_core):\n"
		 "  cpu_core/ref-cycles/\n\ttype=0 config=0x400000009 config1=0 config2=0 cpus=0-15\n"
		 "  cpu_atom/ref-cycles/\n\ttype=0 config=0xa00000009 config1=0 config2=0 cpus=16-23\n\n"
		 "Events (PMU: cpu_atom):\n  cpu_atom/ref-cycles/\n\ttype=10 config=0x300 config1=0 config2=0 cpus=16-23\n\n"
		 "Events (PMU: cpu_core):\n  cpu_core/ref-cycles/\n\ttype=4 config=0x300 config1=0 config2=0 cpus=0-15\n"},
		{"adl-hybrid", "data_read", "",
		 "Events (PMU: uncore_imc_free_running):\n  uncore_imc_free_running/data_read/        MiB\n"},
		{"rk3399", "r*n", "",
		 "Events (PMU: armv8_cortex_a53):\n  rNNN                                      by its number in hexadecimal\n\n"
		 "Events (PMU: armv8_cortex_a72):\n  rNNN                                      by its number in hexadecimal\n"},
		{"rk3399", "*a7*/c*", "", "Events (PMU: armv8_cortex_a72):\n  armv8_cortex_a72/cpu_cycles/\n"},
		{"s390", "rNNN", "", "Events (PMU: cpum_cf):\n  rNNN                                      by its number in hexadecimal\n"},
		{"riscv-sbi", "pmu", "",
		 "Events (PMU: cpu):\n  rNNN                                      by its number in hexadecimal\n"
		 "  cpu/term=value,.../                       event, firmware\n"},
		{"abi-corner", "param", "", "Events (PMU: cpu):\n  cpu/param/                                param needs a value: umask=..\n"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		plant(cases[i].machine);
		EQ_TEXT(list(cases[i].pattern, cases[i].mode), cases[i].text, "%s: %s %s", cases[i].machine, cases[i].pattern,
			cases[i].mode);
	}
}

/* --- of all machines --------------------------------------------------------------------------------------------------- */

/* What is listed is taken by -e: a line that is no form, and has no reason why not, resolves. */
static void check_entry(void *context, const struct list_entry *entry)
{
	static struct event events[64];
	int *counts = context;
	const bool is_form = strstr(entry->name, "/term=value,.../") || !strcmp(entry->name, "rNNN");
	counts[is_form]++;
	if (is_form || (!entry->event && *entry->note)) {
		OK(*entry->note, "%s: %s says what is missing", machine, entry->name);
		return;
	}
	int count = event_parse_list(events, 64, entry->name, &err);
	if (count > 0)
		count = event_resolve(events, count, 64, NULL, EVENT_LEVELS_ALL, &err);
	if (!OK(count > 0, "%s: %s is an event", machine, entry->name))
		printf("# %s\n", err.text);
	OK(*entry->owner || entry->section == LIST_HARDWARE || entry->section == LIST_CACHE, "... of a PMU");
	OK(!strchr(entry->name, '.'), "... and no file beside one");
}

static void test_machines(void)
{
	static const char *const machines[] = {"vm-nopmu", "skl-client", "skx-2s", "qpi-2s", "icx-cha", "adl-hybrid", "amd-zen2", "amd-zen4",
					       "amd-f15-power", "rk3399", "arm-server", "apple-m2pro", "riscv-sbi", "s390", "abi-corner"};
	for (int i = 0; i < 15; i++) {
		plant(machines[i]);
		for (int details = 0; details < 2; details++) {
			int counts[2] = {0};
			memset(&err, 0, sizeof(err));
			EQ_INT(list_each(NULL, details, check_entry, counts, &err), 0, "%s: all events", machine);
			OK(counts[0] > 50 && counts[1] + !strcmp(machine, "amd-f15-power") > 0, "... are %d, and %d forms", counts[0],
			   counts[1]);
		}
		bool is_narrow = true;
		list(NULL, "");
		for (const char *line = text; *line && strcmp(machine, "abi-corner"); line += strcspn(line, "\n") + 1)
			is_narrow &= strcspn(line, "\n") <= 80;
		OK(is_narrow, "%s: all is in 80 columns", machine);
	}
}

static void test_broken(void)
{
	plant("abi-corner");
	OK(strstr(list("evil/", ""), "  evil/x/                                   cannot make sense of\n"), "a broken type is no reason to end");
	OK(strstr(text, "/evil/type:\n                                            'abc'\n"), "... but is told");
	list("evil2/", "v");
	static const char *const aliases[] = {"x", "loop", "huge", "nul", "long", "e", "f", "g"};
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		char line[32];
		snprintf(line, sizeof(line), "  evil2/%s/ ", aliases[i]);
		OK(strstr(text, line), "evil2/%s/ is told", aliases[i]);
	}
	OK(!strstr(text, "type="), "... and none can be counted");
	EQ_TEXT(list("evil2/", "j"), "", "... nor is it JSON");

	put_file(DEVICES "/cpu/events/a\033[1mb", "event=1\n", 8);
	put_file(DEVICES "/cpu/events/unit", "event=1\n", 8);
	put_file(DEVICES "/cpu/events/unit.unit", "\"\033[1m\n", 6);
	put_file(DEVICES "/cpu/format/\033x", "config:0\n", 9);
	list("cpu/", "");
	OK(strstr(text, "  cpu/unit/                                 \"?[1m\n"), "a hostile unit has no controls");
	OK(strstr(text, "  cpu/a?[1mb/"), "... nor has a name");
	OK(!strchr(text, '\033'), "... nor has a term");
	list("cpu/unit", "j");
	OK(strstr(text, "\"unit\" : \"\\\"?[1m\""), "... nor in JSON");

	/* a PMU that has the family's name is not the family */
	machine[0] = '\0';
	plant("skx-2s");
	put_file(DEVICES "/uncore_imc/type", "77\n", 3);
	put_file(DEVICES "/uncore_imc/events/clockticks", "event=9\n", 8);
	put_file(DEVICES "/uncore_imc/format/event", "config:0-7\n", 11);
	EQ_TEXT(names("clockticks"), "uncore_imc/clockticks/ uncore_imc_0/clockticks/ uncore_imc_1/clockticks/ uncore_imc_2/clockticks/ "
		"uncore_imc_3/clockticks/ uncore_imc_4/clockticks/ uncore_imc_5/clockticks/ ", "a PMU with its family's name");

	/* names beyond a bound are left out */
	machine[0] = '\0';
	plant("vm-nopmu");
	for (int i = 0; i < 4200; i++) {
		char path[PATH_SIZE];
		snprintf(path, sizeof(path), DEVICES "/msr/events/event-%04d", i);
		put_file(path, "event=1\n", 8);
	}
	names("msr");
	int count = 0;
	for (const char *p = text; (p = strchr(p, ' ')); p++)
		count++;
	EQ_INT(count, 4096 + 1, "as many as have room");
	machine[0] = '\0';
	fell();
	OK(strstr(list(NULL, ""), "PMU: none here") && strstr(text, "  cpu-clock\n"), "without sysfs there is the kernel's own");
}

static void test_tracepoints(void)
{
	static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	for (int i = 0; i < 2; i++) {
		static const struct {
			const char *path, *text;
		} files[] = {{"sched/sched_switch/id", "314\n"}, {"sched/sched_wakeup/id", "315\n"}, {"sched/enable", "0\n"},
			     {"sched/filter", ""}, {"enable", "0\n"}, {"header_page", "x\n"}, {"irq/irq_entry/id", "9\n"}};
		char path[PATH_SIZE];
		machine[0] = '\0';
		plant("vm-nopmu");
		for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
			snprintf(path, sizeof(path), "%s/events/%s", roots[i], files[f].path);
			put_file(path, files[f].text, strlen(files[f].text));
		}
		EQ_TEXT(names("tracepoint"), "irq:irq_entry sched:sched_switch sched:sched_wakeup ", "tracepoints in %s", roots[i]);
		EQ_TEXT(names("sched:*"), "sched:sched_switch sched:sched_wakeup ", "... of a system");
		EQ_TEXT(list("*up", "v"), "Tracepoints (PMU: tracepoint):\n"
			"  sched:sched_wakeup\n\ttype=2 config=0x13b config1=0 config2=0 cpus=0-255\n", "... with details");
		EQ_TEXT(list("sched_switch", "j"), "{\"event\" : \"sched:sched_switch\", \"unit\" : \"\", \"scale\" : 1e0, \"pmu\" : \"tracepoint\", "
			"\"type\" : 2, \"config\" : 314, \"config1\" : 0, \"config2\" : 0, \"cpus\" : \"0-255\"}\n", "... as JSON");
		OK(strstr(names(NULL), " sched:sched_switch "), "... among all");
	}
	machine[0] = '\0';
}

int main(void)
{
	if (!mkdtemp(root) || cpulist_parse(&online, "0-255", NULL))
		return 1;
	sysfs_root = root;
	err_verbosity = -1; /* no notes */
	test_patterns();
	test_text();
	test_machines();
	test_broken();
	test_tracepoints();
	fell();
	rmdir(root);
	return test_done();
}
