/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "err.h"
#include "options.h"
#include "plan.h"
#include "sysfs.h"

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

/* A line's scopes. */
#define ONE(letter, text) .scopes = {{letter, text}}, .scopes_count = 1
#define TWO(letter, text, letter2, text2) .scopes = {{letter, text}, {letter2, text2}}, .scopes_count = 2

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
	BUILT(ONE('a', ""));
	OK(plan.scopes[0].kind == PLAN_SYSTEM && plan_scope_is_cpus(plan.scopes) && !plan.command && !plan.scopes[0].subject && plan.ids_count == 0,
	   "... for the system");
	EQ_TEXT(cpus_text(), "0-3,6", "... on every online CPU");
	OK(!memcmp(&plan.online, &online, sizeof(online)) && !memcmp(&plan.possible, &possible, sizeof(possible)),
	   "... the host's CPUs are kept");

	BUILT(ONE('C', " 1,0 , 1-2,6 "));
	OK(plan.scopes[0].kind == PLAN_CPUS && plan_scope_is_cpus(plan.scopes), "... for CPUs");
	EQ_TEXT(cpus_text(), "0-2,6", "... those asked for, once each");
	EQ_TEXT(plan.scopes[0].subject, " 1,0 , 1-2,6 ", "... as they were written");

	BUILT(TWO('a', "", 'C', "6"), .command = command);
	OK(plan.scopes[0].kind == PLAN_CPUS && plan.command == command, "-a and -C: the list, as perf takes it");
	EQ_TEXT(cpus_text(), "6", "... and no more");

	BUILT(ONE('p', "12,13,12"));
	OK(plan.scopes[0].kind == PLAN_PROCESS && !plan_scope_is_cpus(plan.scopes) && !plan.command, "... for processes");
	EQ_TEXT(cpus_text(), "0-3,6", "... on every online CPU");
	EQ_TEXT(ids_text(), "12,13", "... repeats merged");
	EQ_TEXT(plan.scopes[0].subject, "12,13,12", "... as they were written");

	BUILT(ONE('t', "7"), .command = command);
	OK(plan.scopes[0].kind == PLAN_THREAD && !plan_scope_is_cpus(plan.scopes) && plan.command == command, "... for threads, while it runs");

	BUILT(.command = command);
	OK(plan.scopes[0].kind == PLAN_WORKLOAD && !plan_scope_is_cpus(plan.scopes) && plan.command == command, "... for the workload");
	EQ_TEXT(plan.scopes[0].subject, "sleep", "... named by its first word");
}

static void test_rest(void)
{
	BUILT(.command = command);
	OK(plan.timeout_ms == 0 && !plan.output && !plan.append && plan.inherit && plan.mount, "the defaults");
	OK(plan.share == PLAN_SHARE_AUTO && !plan.per_thread && plan.interval_ms == 0 && plan.interval_count == 0 &&
	   plan.delay_ms == 0 && !plan.starts_disabled && plan.repeat == 1 && !plan.summary, "... of times, runs and sharing");
	OK(!plan.control.is_given && plan.control.fd == -1 && plan.control.ack_fd == -1 && !plan.control.path &&
	   !plan.control.ack_path, "... nobody else is in control");
	BUILT(.command = command, .timeout_ms = 5, .output = "x", .append = true, .no_inherit = true, .no_mount = true,
	      .attr_map = "m");
	OK(plan.timeout_ms == 5 && plan.append && !plan.inherit && !plan.mount, "the rest is passed on");
	EQ_TEXT(plan.output, "x", "... with the output");
	EQ_TEXT(plan.attr_map, "m", "... and perf's map");

	static const enum plan_share shares[] = {
		[OPTIONS_SHARE_AUTO] = PLAN_SHARE_AUTO,
		[OPTIONS_SHARE_ALWAYS] = PLAN_SHARE_ALWAYS,
		[OPTIONS_SHARE_NEVER] = PLAN_SHARE_NEVER,
	};
	for (int i = 0; i < 3; i++) {
		BUILT(ONE('a', ""), .share = (enum options_share)i);
		EQ_INT(plan.share, shares[i], "... shares in way %d", i);
	}
}

static void test_times(void)
{
	BUILT(ONE('a', ""), .timeout_ms = 9, .interval_ms = 5, .interval_count = 4, .delay_ms = 3, .summary = true);
	OK(plan.timeout_ms == 9 && plan.interval_ms == 5 && plan.interval_count == 4 && plan.delay_ms == 3 &&
	   !plan.starts_disabled && plan.summary && plan.repeat == 1, "the times are passed on");
	BUILT(ONE('a', ""), .starts_disabled = true, .control = "fd:3");
	OK(plan.starts_disabled && plan.delay_ms == 0 && plan.control.is_given, "a start by control");

	BUILT(ONE('a', ""), .repeats = true, .repeat = 1);
	EQ_U64(plan.repeat, 1, "... one run, which need not end by itself");
	BUILT(ONE('a', ""), .repeat = 7);
	EQ_U64(plan.repeat, 1, "... one run without -r");
	BUILT(.command = command, .repeats = true, .repeat = 7);
	EQ_U64(plan.repeat, 7, "... runs that end with the command");
	BUILT(ONE('p', "1"), .command = command, .repeats = true, .repeat = 0);
	EQ_U64(plan.repeat, 0, "... until a signal");
	BUILT(ONE('C', "0"), .repeats = true, .repeat = 2, .timeout_ms = 1);
	BUILT(ONE('a', ""), .repeats = true, .repeat = 0, .interval_ms = 1, .interval_count = 1);

	BUILT(ONE('p', "1"), .per_thread = true);
	OK(plan.per_thread, "... a row a thread");
	BUILT(ONE('t', "1"), .per_thread = true, .interval_ms = 1, .summary = true);
	BUILT(.command = command, .per_thread = true, .repeats = true, .repeat = 1);
	OK(plan.per_thread && plan.repeat == 1, "... of one run");
}

static void test_control(void)
{
	static const struct {
		const char *text;
		int fd, ack_fd;
		const char *path, *ack_path; /* path: up to the comma */
	} good[] = {
		{"fd:0", 0, -1, NULL, NULL},
		{"fd:3", 3, -1, NULL, NULL},
		{"fd:10,11", 10, 11, NULL, NULL},
		{"fd:007,7", 7, 7, NULL, NULL},
		{"fd:2147483647,0", 2147483647, 0, NULL, NULL},
		{"fifo:x", -1, -1, "x", NULL},
		{"fifo:/run/ctl,/run/ack", -1, -1, "/run/ctl", "/run/ack"},
		{"fifo: , ", -1, -1, " ", " "},
		{"fifo:a,b,c", -1, -1, "a", "b,c"},
		{"fifo:a,,", -1, -1, "a", ","},
		{"fifo:fd:3", -1, -1, "fd:3", NULL},
	};
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		EQ_INT(build((struct options){ONE('a', ""), .control = good[i].text}), 0, "'%s' is accepted", good[i].text);
		const struct plan_control *control = &plan.control;
		OK(control->is_given, "... as given");
		EQ_INT(control->fd, good[i].fd, "... the descriptor");
		EQ_INT(control->ack_fd, good[i].ack_fd, "... that for answers");
		EQ_U64(control->path_length, good[i].path ? strlen(good[i].path) : 0, "... the path's length");
		OK(good[i].path ? !strncmp(control->path, good[i].path, control->path_length) : !control->path, "... the path");
		EQ_TEXT(control->ack_path ? control->ack_path : "none", good[i].ack_path ? good[i].ack_path : "none",
			"... that for answers");
	}

	static const char *const bad[] = {
		"", "3", "fd", "fd:", "fd:,", "fd:,3", "fd:3,", "fd:3,,", "fd:3,,4", "fd:3,4,", "fd:3,4,5", "fd:-1", "fd:3,-1",
		"fd:+3", "fd: 3", "fd:3 ", "fd:3, 4", "fd:3 4", "fd:x", "fd:3x", "fd:3,x", "fd:3,4x", "fd:0x3", "fd:2147483648",
		"fd:3,2147483648", "fd:18446744073709551619", "FD:3", " fd:3", "fifo", "fifo:", "fifo:,", "fifo:,b", "fifo:a,",
		"Fifo:a", "pipe:a", "/run/ctl",
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char want[160];
		EQ_INT(build((struct options){ONE('a', ""), .control = bad[i]}), -EINVAL, "'%s' is refused", bad[i]);
		snprintf(want, sizeof(want), "--control: '%s' is neither fd:CTL[,ACK] nor fifo:PATH[,PATH]", bad[i]);
		EQ_TEXT(err.text, want, "'%s': the message", bad[i]);
	}
	static char text[2000];
	memset(text, 'x', sizeof(text) - 1);
	EQ_INT(build((struct options){ONE('a', ""), .control = text}), -EINVAL, "a long word is refused");
	OK(strlen(err.text) < 250 && strstr(err.text, "xx' is neither fd:"), "... is cut in the message: %s", err.text);
}

static void test_events(void)
{
	static const char rest[] = "context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses";
	static const struct options scopes[] = {
		{ONE('a', "")}, {ONE('C', "0")}, {ONE('p', "1")}, {ONE('t', "1")}, {.command = command},
	};
	for (int i = 0; i < 5; i++) {
		char want[256];
		EQ_INT(build(scopes[i]), 0, "default events, scope %d", i);
		snprintf(want, sizeof(want), "%s-clock,%s", i < 2 ? "cpu" : "task", rest);
		EQ_TEXT(events_text(), want, "... are perf stat's");
	}
	BUILT(ONE('a', ""), .events = {"cs,faults", "cycles:u", "r1"}, .events_count = 3);
	EQ_TEXT(events_text(), "cs,faults,cycles:u,r1", "... from several lists, in order");
	OK(plan.events[2].attr.exclude_kernel == 1 && plan.events[2].attr.type == PERF_TYPE_HARDWARE, "... with their modifiers");

	static char full[PLAN_EVENTS_MAX * 3 + 1];
	for (int i = 0; i < PLAN_EVENTS_MAX; i++)
		strcat(full, "cs,");
	full[strlen(full) - 1] = '\0';
	BUILT(ONE('a', ""), .events = {full}, .events_count = 1);
	EQ_INT(plan.events_count, PLAN_EVENTS_MAX, "... as many events as fit");
	EQ_INT(build((struct options){ONE('a', ""), .events = {full, "cs"}, .events_count = 2}), -EINVAL, "one too many");
	EQ_TEXT(err.text, "more than 128 events", "... is said");
}

static void test_refused(void)
{
	static const struct {
		struct options options;
		const char *message;
	} cases[] = {
		{{0}, "nothing to count: give a command, -a, -C, -p, -t, -G or -b"},
		{{.events = {"cs"}, .events_count = 1}, "nothing to count: give a command, -a, -C, -p, -t, -G or -b"},
		{{ONE('C', "5")}, "CPU 5 of -C 5 is not online (online: 0-3,6)"},
		{{ONE('C', "0-6")}, "CPU 4 of -C 0-6 is not online (online: 0-3,6)"},
		{{ONE('C', "1,8191")}, "CPU 8191 of -C 1,8191 is not online (online: 0-3,6)"},
		{{ONE('C', "")}, "-C: bad CPU list '': it is empty at character 1"},
		{{ONE('C', "1-0")}, "-C: bad CPU list '1-0': a range that ends before it starts at character 1"},
		{{ONE('a', ""), .events = {"cs", "cycels"}, .events_count = 2}, "event syntax: 'cycels' at character 1: unknown event 'cycels'"},
		{{ONE('p', "")}, "-p: no process id is given"},
		{{ONE('t', "  ")}, "-t: no thread id is given"},
		{{ONE('p', "0")}, "-p 0: '0' is not a process id"},
		{{ONE('t', "-1")}, "-t -1: '-1' is not a thread id"},
		{{ONE('p', "1,,2")}, "-p 1,,2: '' is not a process id"},
		{{ONE('p', ",1")}, "-p ,1: '' is not a process id"},
		{{ONE('p', "1,")}, "-p 1,: '' is not a process id"},
		{{ONE('p', "1, ,2")}, "-p 1, ,2: '' is not a process id"},
		{{ONE('t', "1,x2")}, "-t 1,x2: 'x2' is not a thread id"},
		{{ONE('t', "1 2x 3")}, "-t 1 2x 3: '2x' is not a thread id"},
		{{ONE('p', "2147483648")}, "-p 2147483648: '2147483648' is not a process id"},
		{{ONE('p', "99999999999999999999")}, "-p 99999999999999999999: '99999999999999999999' is not a process id"},
		{{ONE('p', "0x10")}, "-p 0x10: '0x10' is not a process id"},
		{{ONE('p', "self")}, "-p self: 'self' is not a process id"},
		{{ONE('p', "1\n")}, "-p 1?: '1?' is not a process id"},
		{{ONE('a', ""), .interval_count = 1}, "--interval-count needs -I"},
		{{.command = command, .interval_count = 1, .summary = true, .timeout_ms = 5}, "--interval-count needs -I"},
		{{.command = command, .summary = true}, "--summary needs -I"},
		{{ONE('a', ""), .per_thread = true}, "--per-thread goes with -p, -t or a command"},
		{{ONE('C', "0"), .per_thread = true, .command = command}, "--per-thread goes with -p, -t or a command"},
		{{.command = command, .per_thread = true, .repeats = true, .repeat = 2},
		 "--per-thread and -r do not mix: rows of different threads have no mean"},
		{{.command = command, .per_thread = true, .repeats = true, .repeat = 0},
		 "--per-thread and -r do not mix: rows of different threads have no mean"},
		{{ONE('a', ""), .repeats = true, .repeat = 2},
		 "-r needs a command, --timeout or --interval-count: each run must end by itself"},
		{{ONE('p', "1"), .repeats = true, .repeat = 0, .interval_ms = 1},
		 "-r needs a command, --timeout or --interval-count: each run must end by itself"},
		{{ONE('b', "1,x")}, "-b: 'x' is none of ID, name:NAME, pin:PATH and all"},
		{{ONE('b', "")}, "-b: '' is none of ID, name:NAME, pin:PATH and all"},
		{{ONE('b', "1"), .share = OPTIONS_SHARE_NEVER}, "-b and --share never do not mix: it takes BPF to count around BPF programs"},
		{{ONE('b', "1"), .per_thread = true}, "--per-thread goes with -p, -t or a command"},
		{{ONE('b', "1"), .aggregate = OPTIONS_EACH_CPU}, "-A and --per-core, .. go with -a, -C or -G: a task has no CPU of its own"},
		{{ONE('a', ""), .starts_disabled = true}, "-D -1 needs --control: nothing else would start the count"},
		{{ONE('a', ""), .control = "3"}, "--control: '3' is neither fd:CTL[,ACK] nor fifo:PATH[,PATH]"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EQ_INT(build(cases[i].options), -EINVAL, "case %zu is refused", i);
		EQ_TEXT(err.text, cases[i].message, "case %zu: the message", i);
		EQ_INT(plan_build(&plan, &cases[i].options, &online, &possible, NULL), -EINVAL, "case %zu without err", i);
	}
	EQ_INT(build((struct options){ONE('a', ""), .events = {"cycels"}, .events_count = 1}), -EINVAL, "a misspelt event");
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
		EQ_INT(build((struct options){ONE('p', cases[i].text)}), 0, "-p '%s' is accepted", cases[i].text);
		EQ_TEXT(ids_text(), cases[i].want, "... as %s", cases[i].want);
	}
	static char text[(PLAN_IDS_MAX + 1) * 5 + 8];
	for (int i = 0; i < PLAN_IDS_MAX; i++)
		sprintf(text + strlen(text), "%d,", 1000 + i);
	strcat(text, "1000");
	BUILT(ONE('t', text));
	EQ_INT(plan.ids_count, PLAN_IDS_MAX, "... as many ids as fit");
	strcat(text, ",1");
	EQ_INT(build((struct options){ONE('t', text)}), -EINVAL, "one too many");
	EQ_TEXT(err.text, "-t names more than 1024 ids", "... is said");
	text[strlen(text) - 1] = 'x';
	EQ_INT(build((struct options){ONE('t', text)}), -EINVAL, "a long list with a mistake at its end");
	OK(strlen(err.text) < 250 && strstr(err.text, "...: 'x' is not a thread id"), "... is cut in the message: %s", err.text);

	static char cpus[2000] = "0";
	while (strlen(cpus) < 1000)
		strcat(cpus, ",1");
	strcat(cpus, ",77");
	EQ_INT(build((struct options){ONE('C', cpus)}), -EINVAL, "a long CPU list");
	OK(strlen(err.text) < 250 && strstr(err.text, "CPU 77 of -C 0,1,1") == err.text && strstr(err.text, "... is not online"),
	   "... is cut in the message: %s", err.text);
}

/* kind, subject and CPUs of a scope, as text */
static const char *scope_text(int index)
{
	static const char *const kinds[] = {"system", "CPUs", "process", "thread", "workload", "cgroups", "programs"};
	static char text[256];
	char cpus[64];
	const struct plan_scope *scope = &plan.scopes[index];
	cpulist_format(cpus, sizeof(cpus), &scope->cpus);
	snprintf(text, sizeof(text), "%s %s on %s, ids %d+%d%s", kinds[scope->kind], scope->subject ? scope->subject : "-", cpus,
		 scope->first_id, scope->ids_count, scope->each ? ", each" : "");
	return text;
}

/* Where perf takes options together they mean what they do there; else each is a scope. */
static void test_mixes(void)
{
	BUILT(TWO('a', "", 'G', "web,db"));
	EQ_INT(plan.scopes_count, 1, "-a -G: the groups alone, as perf takes it");
	EQ_TEXT(scope_text(0), "cgroups web,db on 0-3,6, ids 0+0", "... on all CPUs");
	BUILT(TWO('G', "web", 'C', "1-2"));
	EQ_INT(plan.scopes_count, 1, "-C -G: likewise");
	EQ_TEXT(scope_text(0), "cgroups web on 1-2, ids 0+0", "... on these CPUs");
	EQ_TEXT(cpus_text(), "1-2", "... and events nowhere else");
	BUILT(ONE('g', "a,b"));
	EQ_TEXT(scope_text(0), "cgroups a,b on 0-3,6, ids 0+0, each", "--for-each-cgroup");

	BUILT(.scopes = {{'a', ""}, {'C', "0"}, {'G', "web,db"}, {'p', "100,200"}, {'t', "100"}}, .scopes_count = 5,
	      .per_thread = true);
	EQ_INT(plan.scopes_count, 5, "with tasks among them each is a scope");
	EQ_TEXT(scope_text(0), "system - on 0-3,6, ids 0+0", "... all CPUs");
	EQ_TEXT(scope_text(1), "CPUs 0 on 0, ids 0+0", "... a CPU");
	EQ_TEXT(scope_text(2), "cgroups web,db on 0-3,6, ids 0+0", "... groups");
	EQ_TEXT(scope_text(3), "process 100,200 on 0-3,6, ids 0+2", "... processes");
	EQ_TEXT(scope_text(4), "thread 100 on 0-3,6, ids 2+1", "... a thread of the same id");
	BUILT(TWO('C', "0", 'C', "1,2"));
	EQ_TEXT(scope_text(0), "CPUs 0 on 0, ids 0+0", "two of -C: the first");
	EQ_TEXT(scope_text(1), "CPUs 1,2 on 1-2, ids 0+0", "... and the second");
	EQ_TEXT(cpus_text(), "0-2", "... and events on all of them");
	BUILT(TWO('b', "all", 'C', "1"));
	EQ_INT(plan.scopes_count, 1, "-C -b: on which CPUs");
	EQ_TEXT(scope_text(0), "programs all on 1, ids 0+0", "... the programs");
	BUILT(TWO('a', "", 'b', "1,name:x"));
	EQ_TEXT(scope_text(0), "programs 1,name:x on 0-3,6, ids 0+0", "-a -b: on all");
	BUILT(TWO('b', "1", 'G', "web"));
	EQ_TEXT(scope_text(0), "programs 1 on 0-3,6, ids 0+0", "-b -G: each a scope");
	EQ_TEXT(scope_text(1), "cgroups web on 0-3,6, ids 0+0", "... of its own");
	BUILT(.scopes = {{'b', "1"}, {'C', "0"}, {'p', "1"}}, .scopes_count = 3);
	EQ_INT(plan.scopes_count, 3, "-b -C -p: likewise");
	BUILT(TWO('p', "7", 'p', "7"));
	EQ_INT(plan.scopes_count, 2, "a process may be counted twice");
}

/* -A, --per-core, ..: where rows are split. */
static void test_places(void)
{
	BUILT(TWO('a', "", 'p', "1"), .aggregate = OPTIONS_EACH_CORE);
	OK(plan.aggregate == PLAN_EACH_CORE, "--per-core");
	OK(plan_scope_has_places(&plan, &plan.scopes[0]), "the system has places");
	OK(!plan_scope_has_places(&plan, &plan.scopes[1]), "a process has none");
	BUILT(TWO('C', "1", 'g', "web"), .aggregate = OPTIONS_EACH_NODE);
	OK(plan_scope_has_places(&plan, &plan.scopes[0]), "so have cgroups");
	BUILT(ONE('a', ""));
	OK(!plan_scope_has_places(&plan, &plan.scopes[0]), "without an option nothing has");
	static const char *const want = "-A and --per-core, .. go with -a, -C or -G: a task has no CPU of its own";
	EQ_INT(build((struct options){.command = command, .aggregate = OPTIONS_EACH_CPU}), -EINVAL, "-A of a command is refused");
	EQ_TEXT(err.text, want, "... is said");
	EQ_INT(build((struct options){TWO('p', "1", 't', "2"), .aggregate = OPTIONS_EACH_SOCKET}), -EINVAL, "--per-socket of tasks is refused");
	EQ_TEXT(err.text, want, "... is said");
}

/* --live: a bar a CPU where CPUs are counted; at the end none of it is seen. */
static void test_live(void)
{
	static const struct {
		struct options options;
		enum plan_aggregate aggregate;
		bool joins;
	} cases[] = {
		{{ONE('a', ""), .live = true}, PLAN_EACH_CPU, true},
		{{TWO('C', "0", 'p', "1"), .live = true}, PLAN_EACH_CPU, true},
		{{ONE('a', ""), .live = true, .aggregate = OPTIONS_EACH_CPU}, PLAN_EACH_CPU, false},
		{{ONE('a', ""), .live = true, .aggregate = OPTIONS_EACH_CORE}, PLAN_EACH_CORE, false},
		{{ONE('p', "1"), .live = true}, PLAN_ALL_CPUS, false},
		{{ONE('G', "web"), .live = true}, PLAN_ALL_CPUS, false},
		{{ONE('a', "")}, PLAN_ALL_CPUS, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EQ_INT(build(cases[i].options), 0, "--live %zu", i);
		EQ_INT(plan.aggregate, cases[i].aggregate, "... whose CPUs make a row");
		OK(plan.joins_at_end == cases[i].joins, "... and whether at the end, too");
		EQ_U64(plan.interval_ms, plan.live ? 1000 : 0, "... each second");
	}
	BUILT(ONE('a', ""), .live = true, .interval_ms = 20, .ascii = true, .summary = true);
	OK(plan.interval_ms == 20 && plan.ascii, "... or as -I says");

	static const struct {
		struct options options;
		const char *message;
	} refused[] = {
		{{ONE('a', ""), .ascii = true}, "--ascii needs --live"},
		{{ONE('a', ""), .live = true, .quiet = true}, "--live and -q do not mix"},
		{{ONE('a', ""), .live = true, .output = "x"}, "--live and -o do not mix"},
		{{.command = command, .live = true, .repeats = true, .repeat = 2}, "--live and -r do not mix"},
		{{ONE('a', ""), .live = true, .format = OPTIONS_JSON}, "--live draws on a terminal: it does not mix with -x, -j and --openmetrics"},
	};
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		EQ_INT(build(refused[i].options), -EINVAL, "refused: %s", refused[i].message);
		EQ_TEXT(err.text, refused[i].message, "... so");
	}
}

int main(void)
{
	if (cpulist_parse(&online, "0-3,6", NULL) || cpulist_parse(&possible, "0-7", NULL))
		return 1;
	sysfs_root = "/nonexistent"; /* this host's PMUs are no matter: see test_event_resolve */
	test_scopes();
	test_places();
	test_mixes();
	test_rest();
	test_times();
	test_control();
	test_events();
	test_refused();
	test_ids();
	test_live();
	return test_done();
}
