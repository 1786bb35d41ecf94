/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "err.h"
#include "options.h"
#include "plan.h"

static struct plan plan;
static struct err err;
static struct cpulist online, possible;

static char *command[] = {"sleep", "1", NULL};

static int build(struct options options)
{
	memset(&plan, 0xff, sizeof(plan));
	memset(&err, 0, sizeof(err));
	return plan_build(&plan, &options, &online, &possible, &err);
}

#define BUILT(...) EQ_INT(build((struct options){__VA_ARGS__}), 0, "%s is accepted", #__VA_ARGS__)

static const char *events_text(void)
{
	static char text[4096];
	text[0] = '\0';
	for (int i = 0; i < plan.events_count; i++) {
		strcat(text, i ? "," : "");
		strcat(text, plan.events[i].name);
	}
	return text;
}

static const char *cpus_text(void)
{
	static char text[128];
	cpulist_format(text, sizeof(text), &plan.cpus);
	return text;
}

static const char *ids_text(void)
{
	static char text[1024];
	text[0] = '\0';
	for (int i = 0; i < plan.ids_count && i < 20; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%d", i ? "," : "", plan.ids[i]);
	return text;
}

static void test_scopes(void)
{
	BUILT(.all_cpus = true);
	OK(plan.scope == PLAN_SYSTEM && plan_scope_is_cpus(&plan) && !plan.command && !plan.subject && plan.ids_count == 0,
	   "... for the system");
	EQ_TEXT(cpus_text(), "0-3,6", "... on every online CPU");
	OK(!memcmp(&plan.online, &online, sizeof(online)) && !memcmp(&plan.possible, &possible, sizeof(possible)),
	   "... the host's CPUs are kept");

	BUILT(.cpus = " 1,0 , 1-2,6 ");
	OK(plan.scope == PLAN_CPUS && plan_scope_is_cpus(&plan), "... for CPUs");
	EQ_TEXT(cpus_text(), "0-2,6", "... those asked for, once each");
	EQ_TEXT(plan.subject, " 1,0 , 1-2,6 ", "... as they were written");

	BUILT(.cpus = "6", .all_cpus = true, .command = command);
	OK(plan.scope == PLAN_CPUS && plan.command == command, "-a and -C: the list, as perf takes it");
	EQ_TEXT(cpus_text(), "6", "... and no more");

	BUILT(.pids = "12,13,12");
	OK(plan.scope == PLAN_PROCESS && !plan_scope_is_cpus(&plan) && !plan.command, "... for processes");
	EQ_TEXT(cpus_text(), "0-3,6", "... on every online CPU");
	EQ_TEXT(ids_text(), "12,13", "... repeats merged");
	EQ_TEXT(plan.subject, "12,13,12", "... as they were written");

	BUILT(.tids = "7", .command = command);
	OK(plan.scope == PLAN_THREAD && !plan_scope_is_cpus(&plan) && plan.command == command, "... for threads, while it runs");

	BUILT(.command = command);
	OK(plan.scope == PLAN_WORKLOAD && !plan_scope_is_cpus(&plan) && plan.command == command, "... for the workload");
	EQ_TEXT(plan.subject, "sleep", "... named by its first word");
}

static void test_rest(void)
{
	BUILT(.command = command);
	OK(plan.timeout_ms == 0 && !plan.output && !plan.append && plan.inherit && plan.mount, "the defaults");
	BUILT(.command = command, .timeout_ms = 5, .output = "x", .append = true, .no_inherit = true, .no_mount = true,
	      .attr_map = "m");
	OK(plan.timeout_ms == 5 && plan.append && !plan.inherit && !plan.mount, "the rest is passed on");
	EQ_TEXT(plan.output, "x", "... with the output");
	EQ_TEXT(plan.attr_map, "m", "... and perf's map");
}

static void test_events(void)
{
	static const char rest[] = "context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses";
	static const struct options scopes[] = {
		{.all_cpus = true}, {.cpus = "0"}, {.pids = "1"}, {.tids = "1"}, {.command = command},
	};
	for (int i = 0; i < 5; i++) {
		char want[256];
		EQ_INT(build(scopes[i]), 0, "default events, scope %d", i);
		snprintf(want, sizeof(want), "%s-clock,%s", i < 2 ? "cpu" : "task", rest);
		EQ_TEXT(events_text(), want, "... are perf stat's");
	}
	BUILT(.all_cpus = true, .events = {"cs,faults", "cycles:u", "r1"}, .events_count = 3);
	EQ_TEXT(events_text(), "cs,faults,cycles:u,r1", "... from several lists, in order");
	OK(plan.events[2].attr.exclude_kernel == 1 && plan.events[2].attr.type == PERF_TYPE_HARDWARE, "... with their modifiers");

	static char full[PLAN_EVENTS_MAX * 3 + 1];
	for (int i = 0; i < PLAN_EVENTS_MAX; i++)
		strcat(full, "cs,");
	full[strlen(full) - 1] = '\0';
	BUILT(.all_cpus = true, .events = {full}, .events_count = 1);
	EQ_INT(plan.events_count, PLAN_EVENTS_MAX, "... as many events as fit");
	EQ_INT(build((struct options){.all_cpus = true, .events = {full, "cs"}, .events_count = 2}), -EINVAL, "one too many");
	EQ_TEXT(err.text, "more than 64 events", "... is said");
}

static void test_refused(void)
{
	static const struct {
		struct options options;
		const char *message;
	} cases[] = {
		{{0}, "nothing to count: give a command, -a, -C, -p or -t"},
		{{.events = {"cs"}, .events_count = 1}, "nothing to count: give a command, -a, -C, -p or -t"},
		{{.all_cpus = true, .pids = "1"}, "-a and -p do not mix: give CPUs or processes"},
		{{.all_cpus = true, .tids = "1"}, "-a and -t do not mix: give CPUs or threads"},
		{{.cpus = "0", .pids = "1"}, "-C and -p do not mix: give CPUs or processes"},
		{{.cpus = "0", .all_cpus = true, .tids = "1"}, "-C and -t do not mix: give CPUs or threads"},
		{{.pids = "1", .tids = "1", .command = command}, "-p and -t do not mix: give processes or threads"},
		{{.cpus = "5"}, "CPU 5 of -C 5 is not online (online: 0-3,6)"},
		{{.cpus = "0-6"}, "CPU 4 of -C 0-6 is not online (online: 0-3,6)"},
		{{.cpus = "1,8191"}, "CPU 8191 of -C 1,8191 is not online (online: 0-3,6)"},
		{{.cpus = ""}, "-C: bad CPU list '': it is empty at character 1"},
		{{.cpus = "1-0"}, "-C: bad CPU list '1-0': a range that ends before it starts at character 1"},
		{{.all_cpus = true, .events = {"cs", "cycels"}, .events_count = 2}, "unknown event 'cycels' in 'cycels' at character 1"},
		{{.pids = ""}, "-p: no process id is given"},
		{{.tids = "  "}, "-t: no thread id is given"},
		{{.pids = "0"}, "-p 0: '0' is not a process id"},
		{{.tids = "-1"}, "-t -1: '-1' is not a thread id"},
		{{.pids = "1,,2"}, "-p 1,,2: '' is not a process id"},
		{{.pids = ",1"}, "-p ,1: '' is not a process id"},
		{{.pids = "1,"}, "-p 1,: '' is not a process id"},
		{{.pids = "1, ,2"}, "-p 1, ,2: '' is not a process id"},
		{{.tids = "1,x2"}, "-t 1,x2: 'x2' is not a thread id"},
		{{.tids = "1 2x 3"}, "-t 1 2x 3: '2x' is not a thread id"},
		{{.pids = "2147483648"}, "-p 2147483648: '2147483648' is not a process id"},
		{{.pids = "99999999999999999999"}, "-p 99999999999999999999: '99999999999999999999' is not a process id"},
		{{.pids = "0x10"}, "-p 0x10: '0x10' is not a process id"},
		{{.pids = "self"}, "-p self: 'self' is not a process id"},
		{{.pids = "1\n"}, "-p 1?: '1?' is not a process id"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EQ_INT(build(cases[i].options), -EINVAL, "case %zu is refused", i);
		EQ_TEXT(err.text, cases[i].message, "case %zu: the message", i);
		EQ_INT(plan_build(&plan, &cases[i].options, &online, &possible, NULL), -EINVAL, "case %zu without err", i);
	}
	EQ_INT(build((struct options){.all_cpus = true, .events = {"cycels"}, .events_count = 1}), -EINVAL, "a misspelt event");
	EQ_TEXT(err.hint, "did you mean 'cycles'?", "... keeps its hint");
}

static void test_ids(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"1", "1"}, {"2147483647", "2147483647"}, {"1,2", "1,2"}, {"1 2", "1,2"}, {" 1 , 2  3,4 ", "1,2,3,4"}, {"2,1,2,1", "2,1"},
		{"007,7", "7"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EQ_INT(build((struct options){.pids = cases[i].text}), 0, "-p '%s' is accepted", cases[i].text);
		EQ_TEXT(ids_text(), cases[i].want, "... as %s", cases[i].want);
	}
	static char text[(PLAN_IDS_MAX + 1) * 5 + 8];
	for (int i = 0; i < PLAN_IDS_MAX; i++)
		sprintf(text + strlen(text), "%d,", 1000 + i);
	strcat(text, "1000");
	BUILT(.tids = text);
	EQ_INT(plan.ids_count, PLAN_IDS_MAX, "... as many ids as fit");
	strcat(text, ",1");
	EQ_INT(build((struct options){.tids = text}), -EINVAL, "one too many");
	EQ_TEXT(err.text, "-t names more than 1024 ids", "... is said");
	text[strlen(text) - 1] = 'x';
	EQ_INT(build((struct options){.tids = text}), -EINVAL, "a long list with a mistake at its end");
	OK(strlen(err.text) < 250 && strstr(err.text, "...: 'x' is not a thread id"), "... is cut in the message: %s", err.text);

	static char cpus[2000] = "0";
	while (strlen(cpus) < 1000)
		strcat(cpus, ",1");
	strcat(cpus, ",77");
	EQ_INT(build((struct options){.cpus = cpus}), -EINVAL, "a long CPU list");
	OK(strlen(err.text) < 250 && strstr(err.text, "CPU 77 of -C 0,1,1") == err.text && strstr(err.text, "... is not online"),
	   "... is cut in the message: %s", err.text);
}

int main(void)
{
	if (cpulist_parse(&online, "0-3,6", NULL) || cpulist_parse(&possible, "0-7", NULL))
		return 1;
	test_scopes();
	test_rest();
	test_events();
	test_refused();
	test_ids();
	return test_done();
}
