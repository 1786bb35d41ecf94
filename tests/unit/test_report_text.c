/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "event.h"
#include "out.h"
#include "memory.h"
#include "plan.h"
#include "reading.h"
#include "report.h"

enum { EVENTS_MAX = 8, THREADS_MAX = 4097, ROWS_MAX = 3 * THREADS_MAX };

static struct plan plan;
static struct event events[EVENTS_MAX];
static int events_count;
static struct report_row rows[ROWS_MAX];
static struct thread_info threads[ROWS_MAX];
static struct report report;
static int (*print)(struct out *out, const struct report *report);
static char *output;

/* Starts a report for this scope. */
static void begin(enum plan_kind scope, const char *subject, char **command)
{
	memset(&plan, 0, sizeof(plan));
	plan.big_num = true;
	plan.scopes_count = 1;
	plan.scopes[0].kind = scope;
	plan.scopes[0].subject = subject;
	plan.command = command;
	report = (struct report){.plan = &plan, .rows = rows, .elapsed_ns = 1000000000, .runs = 1};
	events_count = 0;
	print = report_write;
}

static struct report_row *add_row(const struct event *event, const struct thread_info *thread, uint64_t value)
{
	struct report_row *r = &rows[report.rows_count++];
	*r = (struct report_row){.event = event, .scope = plan.scopes, .thread = thread, .state = REPORT_COUNTED, .value = value, .enabled = 100,
				 .running = 100};
	return r;
}

static const struct event *event_named(const char *name)
{
	struct event *event = &events[events_count++];
	if (event_parse_list(event, 1, name, NULL) != 1)
		OK(false, "%s is no event", name);
	return event;
}

/* Adds a counted row that ran all the time; returns it for changes. */
static struct report_row *row(const char *name, uint64_t value)
{
	return add_row(event_named(name), NULL, value);
}

/* The same for a thread; name NULL: of the event of the row before. */
static struct report_row *thread_row(const char *name, int tid, const char *comm, uint64_t value)
{
	struct thread_info *thread = &threads[report.rows_count];
	thread->tid = tid;
	snprintf(thread->comm, sizeof(thread->comm), "%s", comm);
	plan.per_thread = true;
	return add_row(name ? event_named(name) : rows[report.rows_count - 1].event, thread, value);
}

static const char *printed(void)
{
	static char text[2 << 20];
	struct out out = out_memory(text, sizeof(text));
	OK(print(&out, &report) == 0, "it is written");
	output = text;
	return text;
}

/* The report's n-th line (0 is the empty one at the top). */
static const char *line(int n)
{
	static char text[512];
	const char *p = printed();
	while (n-- && p)
		p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
	snprintf(text, sizeof(text), "%.*s", p ? (int)strcspn(p, "\n") : 0, p ? p : "");
	return text;
}

#define PAD10 "          "
/* what perf prints where there is no metric */
#define NO_METRIC PAD10 PAD10 PAD10 "     "

/* The bytes that perf 6.1 printed on a machine without a PMU, but for the metrics that are left out (/sec). */
static void test_as_perf(void)
{
	char *sleep[] = {"sleep", "0.1", NULL};
	begin(PLAN_WORKLOAD, "sleep", sleep);
	report.elapsed_ns = 101594867;
	report.has_times = true;
	report.user_ns = 1587000;
	row("faults", 57);
	row("dummy", 0);
	row("cs", 1);
	EQ_TEXT(printed(),
		"\n"
		" Performance counter stats for 'sleep 0.1':\n"
		"\n"
		"                57      faults                                                             \n"
		"                 0      dummy                                                              \n"
		"                 1      cs                                                                 \n"
		"\n"
		"       0.101594867 seconds time elapsed\n"
		"\n"
		"       0.001587000 seconds user\n"
		"       0.000000000 seconds sys\n"
		"\n"
		"\n",
		"a workload, as perf prints it");

	begin(PLAN_CPUS, "9", NULL);
	report.elapsed_ns = 101393538;
	row("cycles", 0)->state = REPORT_NOT_SUPPORTED;
	row("cpu-clock", 0)->state = REPORT_NOT_SUPPORTED;
	row("task-clock:u", 0)->state = REPORT_NOT_SUPPORTED;
	row("dummy", 0)->state = REPORT_NOT_SUPPORTED;
	EQ_TEXT(printed(),
		"\n"
		" Performance counter stats for 'CPU(s) 9':\n"
		"\n"
		"   <not supported>      cycles                                                      \n"
		"   <not supported> msec cpu-clock                                                   \n"
		"   <not supported> msec task-clock:u                                                \n"
		"   <not supported>      dummy                                                       \n"
		"\n"
		"       0.101393538 seconds time elapsed\n"
		"\n",
		"a CPU list without events, as perf prints it");

	begin(PLAN_SYSTEM, NULL, sleep);
	report.elapsed_ns = 1501650691;
	report.has_times = true;
	row("cpu-clock", 3003270000);
	row("task-clock", 3003280000);
	EQ_TEXT(printed(),
		"\n"
		" Performance counter stats for 'system wide':\n"
		"\n"
		"          3,003.27 msec cpu-clock                        #    2.000 CPUs utilized          \n"
		"          3,003.28 msec task-clock                       #    2.000 CPUs utilized          \n"
		"\n"
		"       1.501650691 seconds time elapsed\n"
		"\n",
		"the system's clocks, as perf prints them, with thousands separators");
}

/* ... and now with metrics. */
static void test_rates(void)
{
	char *sleep[] = {"sleep", "0.1", NULL};
	begin(PLAN_WORKLOAD, "sleep", sleep);
	report.elapsed_ns = 100300435;
	report.has_times = true;
	report.user_ns = 1503000;
	row("task-clock", 774000);
	row("cs", 1);
	row("faults", 75);
	row("dummy", 0);
	EQ_TEXT(printed(),
		"\n"
		" Performance counter stats for 'sleep 0.1':\n"
		"\n"
		"              0.77 msec task-clock                       #    0.008 CPUs utilized          \n"
		"                 1      cs                               #    1.292 K/sec                  \n"
		"                75      faults                           #   96.899 K/sec                  \n"
		"                 0      dummy                            #    0.000 /sec                   \n"
		"\n"
		"       0.100300435 seconds time elapsed\n"
		"\n"
		"       0.001503000 seconds user\n"
		"       0.000000000 seconds sys\n"
		"\n"
		"\n",
		"a workload with its clock, as perf 6.1 prints it");
	begin(PLAN_WORKLOAD, "true", (char *[]){"true", NULL});
	plan.null_run = true;
	report.elapsed_ns = 1619064;
	report.has_times = true;
	report.user_ns = 1368000;
	EQ_TEXT(printed(),
		"\n"
		" Performance counter stats for 'true':\n"
		"\n"
		"       0.001619064 seconds time elapsed\n"
		"\n"
		"       0.001368000 seconds user\n"
		"       0.000000000 seconds sys\n"
		"\n"
		"\n",
		"-n, as perf prints it");
	report.is_interval = true;
	EQ_TEXT(printed(), "", "... an interval has nothing to say");

	begin(PLAN_SYSTEM, NULL, NULL);
	row("cycles", 2000000000);
	row("instructions", 1000000000);
	row("stalled-cycles-frontend", 800000000);
	row("stalled-cycles-backend", 100)->cgroup = "web";
	row("branches", 300000000);
	struct report_row *r = row("branch-misses", 45000000);
	r->running = 50;
	row("cpu-clock", 500000000);
	plan.big_num = false;
	EQ_TEXT(line(3), "        2000000000      cycles                           #    4.000 GHz                    ", "GHz; no commas");
	EQ_TEXT(line(4), "        1000000000      instructions                     #    0.50  insn per cycle         ", "a line");
	EQ_TEXT(line(5), "                                                         #    0.80  stalled cycles per insn",
		"... and a second one below it");
	EQ_TEXT(line(6), "         800000000      stalled-cycles-frontend          #   40.00% frontend cycles idle   ", "a percentage");
	EQ_TEXT(line(7), "               100      stalled-cycles-backend           web             " NO_METRIC, "of a cgroup");
	EQ_TEXT(line(8), "         300000000      branches                         #  600.000 M/sec                  ", "a rate");
	EQ_TEXT(line(9), "          45000000      branch-misses                    #   15.00% of all branches          (50.00%)",
		"metric and share");
	r->enabled = 100000;
	r->running = 99999;
	EQ_TEXT(line(9), "          45000000      branch-misses                    #   15.00% of all branches          (99.99%)",
		"nearly all of the time is not all of it");
	EQ_TEXT(line(11), "", "nothing else");
	OK(!strchr(output, '\033'), "no colours but on a terminal");
	report.is_terminal = true;
	EQ_TEXT(line(3), "        2000000000      cycles                           #    4.000 GHz                    ", "no colour where all is well");
	EQ_TEXT(line(6), "         800000000      stalled-cycles-frontend          # \033[35m  40.00%\033[m frontend cycles idle   ", "magenta");
	EQ_TEXT(line(9), "          45000000      branch-misses                    # \033[35m  15.00%\033[m of all branches          (99.99%)", "likewise");
	r->value = 15000001;
	OK(strstr(line(9), " # \033[m") == NULL && strstr(line(9), "#    5.00% of"), "5 %% is plain");
	r->value = 18000000;
	OK(strstr(line(9), " # \033[33m   6.00%\033[m of"), "6 %% is yellow");
	r->value = 300000001;
	OK(strstr(line(9), " # \033[31m 100.00%\033[m of"), "all is red");
}

static void test_units(void)
{
	begin(PLAN_SYSTEM, NULL, NULL);
	row("cs", 1);
	struct event *joules = (struct event *)row("r1", 1234567)->event;
	snprintf(joules->unit, sizeof(joules->unit), "Joules");
	joules->scale_exponent = -3;
	row("cycles", 1)->state = REPORT_NOT_COUNTED;
	EQ_TEXT(line(3), "                 1        cs                              " NO_METRIC, "a wide unit makes room in all rows");
	EQ_TEXT(line(4), "          1,234.57 Joules r1                              " NO_METRIC, "... itself");
	EQ_TEXT(line(5), "     <not counted>        cycles                   " NO_METRIC, "... in those that were not counted");
	report.is_interval = true;
	OK(!strncmp(printed(), "#           time             counts unit   events\n", 50), "... and in the header");
}

static void test_places(void)
{
	static const struct report_place cpus[] = {{"CPU0", 1}, {"CPU12", 1}}, cores[] = {{"S0-D0-C0", 2}, {"S10-D1-C123", 1024}},
					 dies[] = {{"S0-D0", 2}}, sockets[] = {{"S0", 2}}, nodes[] = {{"N0", 2}};
	begin(PLAN_SYSTEM, NULL, NULL);
	plan.aggregate = PLAN_EACH_CPU;
	report.elapsed_ns = 101489881;
	row("task-clock", 101490000)->place = &cpus[0];
	add_row(rows[0].event, NULL, 101500000)->place = &cpus[1];
	row("cs", 58)->place = &cpus[0];
	add_row(rows[2].event, NULL, 803)->place = &cpus[1];
	struct report_row *r = row("cycles", 0);
	r->place = &cpus[0];
	r->state = REPORT_NOT_SUPPORTED;
	EQ_TEXT(printed(),
		"\n"
		" Performance counter stats for 'system wide':\n"
		"\n"
		"CPU0               101.49 msec task-clock                       #    1.000 CPUs utilized          \n"
		"CPU12              101.50 msec task-clock                       #    1.000 CPUs utilized          \n"
		"CPU0                   58      cs                               #  571.485 /sec                   \n"
		"CPU12                 803      cs                               #    7.911 K/sec                  \n"
		"CPU0      <not supported>      cycles                                                      \n"
		"\n"
		"       0.101489881 seconds time elapsed\n"
		"\n",
		"-A, in the columns of perf 6.12: each row with its own CPU's clock");
	report.is_interval = true;
	report.time_ns = 100178453;
	EQ_TEXT(line(0), "#           time cpu                counts unit events", "... its header");
	EQ_TEXT(line(4), "     0.100178453 CPU12                 803      cs                               #    7.911 K/sec                  ",
		"... its interval");
	rows[3].place = NULL;
	EQ_TEXT(line(4), "     0.100178453                       803      cs                              " NO_METRIC,
		"a row that has no place leaves the column empty, and has no clock here");

	static const struct {
		enum plan_aggregate aggregate;
		const struct report_place *place;
		const char *header, *text;
	} cases[] = {
		{PLAN_EACH_CORE, &cores[0], "#           time core               cpus             counts unit events",
		 "S0-D0-C0              2                  7      cs       "},
		{PLAN_EACH_CORE, &cores[1], "#           time core               cpus             counts unit events",
		 "S10-D1-C123        1024                  7      cs       "},
		{PLAN_EACH_DIE, dies, "#           time die          cpus             counts unit events",
		 "S0-D0           2                  7      cs       "},
		{PLAN_EACH_SOCKET, sockets, "#           time socket cpus             counts unit events",
		 "S0        2                  7      cs       "},
		{PLAN_EACH_NODE, nodes, "#           time node   cpus             counts unit events",
		 "N0        2                  7      cs       "},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(PLAN_SYSTEM, NULL, NULL);
		plan.aggregate = cases[i].aggregate;
		row("cs", 7)->place = cases[i].place;
		OK(!strncmp(line(3), cases[i].text, strlen(cases[i].text)), "%s", cases[i].text);
		report.is_interval = true;
		EQ_TEXT(line(0), cases[i].header, "... its header");
		OK(!strncmp(line(1) + 17, cases[i].text, strlen(cases[i].text)), "... its interval");
		rows[0].place = NULL;
		EQ_INT(strstr(line(1) + 17, " cs ") - line(1), (int)strlen(cases[i].text) + 17 - 10, "... the same columns without a place");
	}
}

static void test_programs(void)
{
	static const struct report_program programs[] = {{"on_switch", 123}, {"\033[2J", UINT32_MAX}};
	begin(PLAN_SYSTEM, NULL, NULL);
	struct report_row *r = row("instructions", 123456);
	r->program = &programs[0];
	r->runs = 1000;
	r = row("cpu-clock", 1000000);
	r->program = &programs[1];
	EQ_TEXT(line(3), "       on_switch-123                123,456      instructions                     #  123.46  per run                ",
		"a program, and what a run of it takes");
	EQ_TEXT(line(4), "            ?[2J-4294967295               1.00 msec cpu-clock                       " NO_METRIC,
		"one that never ran, of a strange name");
	report.is_interval = true;
	EQ_TEXT(line(0), "#           time             name-id                  counts unit events", "the header over programs");
}

/* Field reports V24 and V27, from what the kernel says of each CPU to the text. */
static const char *counted(const struct reading *readings, int cpus)
{
	struct count count = {0};
	begin(PLAN_SYSTEM, NULL, NULL);
	struct report_row *r = row("instructions", 0);
	*r = (struct report_row){.event = r->event, .scope = r->scope, .state = REPORT_NOT_SUPPORTED};
	for (int i = 0; i < cpus; i++)
		count_add(&count, readings[i]);
	report_add(r, &count);
	return line(3);
}

static void test_field_reports(void)
{
	static const struct {
		struct reading reading;
		const char *text;
	} lies[] = {
		{{395, 1000000000, 1000000000}, "               395      instructions                    " NO_METRIC},
		{{0, 0, 0}, "     <not counted>      instructions             " NO_METRIC},
		{{5, 1000000000, 0}, "     <not counted>      instructions             " NO_METRIC "  (0.00%)"},
		{{5, 1000000000, 500000000}, "                10      instructions                    " NO_METRIC "  (50.00%)"},
		{{UINT64_C(1) << 63, 2, 1}, "     <not counted>      instructions             " NO_METRIC "  (50.00%)"},
		{{7, 10, 20}, "                 7      instructions                    " NO_METRIC},
		{{INT64_MAX, 10, 10}, "9,223,372,036,854,775,807      instructions                    " NO_METRIC},
		/* V32: a counter that ran backwards */
		{{-(uint64_t)5, 10, 10}, "     <not counted>      instructions             " NO_METRIC},
		{{-(uint64_t)5, 10, 1}, "     <not counted>      instructions             " NO_METRIC "  (10.00%)"},
		{{1, UINT64_MAX, 1}, "     <not counted>      instructions             " NO_METRIC "  (0.00%)"},
	};
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		const char *text = counted(&lies[i].reading, 1);
		EQ_TEXT(text, lies[i].text, "V24: %" PRIu64 " in %" PRIu64 " of %" PRIu64, lies[i].reading.counter,
			lies[i].reading.running, lies[i].reading.enabled);
	}
	static const struct reading two[] = {{100, 10, 5}, {100, 10, 10}}, backwards[] = {{1000, 10, 10}, {-(uint64_t)5, 10, 10}, {7, 1, 1}};
	EQ_TEXT(counted(two, 2), "               300      instructions                    " NO_METRIC "  (75.00%)", "V27: scaled, then added");
	EQ_TEXT(counted(backwards, 3), "     <not counted>      instructions             " NO_METRIC, "V32: one CPU's ran backwards");
	/* V32: what wraps is no step backwards */
	const struct reading wrapped = reading_sub((struct reading){5, 20, 20}, (struct reading){UINT64_MAX - 2, 10, 10});
	EQ_TEXT(counted(&wrapped, 1), "                 8      instructions                    " NO_METRIC, "V32: over the end of the counter");
	/* a scale that makes too much of it */
	struct event large = *event_named("r1");
	large.scale_exponent = 19;
	struct report_row r = {.event = &large};
	report_add(&r, &(struct count){1, 1, 1});
	EQ_INT(r.state, REPORT_NOT_COUNTED, "10^19 of a unit");
	r.value = 0;
	large.scale_exponent = 18;
	report_add(&r, &(struct count){1, 1, 1});
	EQ_INT(r.state, REPORT_COUNTED, "10^18 of it");
}

/* Field report V26 */
static void test_watchdog(void)
{
	static const struct {
		const char *event;
		bool can_be_short;
	} events_of[] = {{"cycles", true}, {"LLC-loads", true}, {"r1", true}, {"cs", false}, {"cpu-clock", false}};
	for (size_t i = 0; i < sizeof(events_of) / sizeof(events_of[0]); i++) {
		begin(PLAN_SYSTEM, NULL, NULL);
		struct report_row *r = row(events_of[i].event, 1);
		report.has_watchdog = true;
		OK(!strstr(printed(), "watchdog"), "%s: counted all the time, no hint", events_of[i].event);
		r->running = 0;
		r->state = REPORT_NOT_COUNTED;
		EQ_INT(strstr(printed(), "\n\nSome events were not counted all the time. The NMI watchdog may hold a counter of each CPU: "
					 "echo 0 > /proc/sys/kernel/nmi_watchdog\n\n") != NULL, events_of[i].can_be_short, "... not counted");
		r->running = 99;
		r->state = REPORT_COUNTED;
		EQ_INT(strstr(printed(), "watchdog") != NULL, events_of[i].can_be_short, "... or for a part of the time");
		add_row(r->event, NULL, 1)->running = 1;
		const char *first = strstr(printed(), "Some events");
		OK(!first || !strstr(first + 1, "Some events"), "... said once");
		report.is_interval = true;
		OK(!strstr(printed(), "watchdog"), "... not of an interval");
		report.is_interval = report.has_watchdog = false;
		OK(!strstr(printed(), "watchdog"), "... nor without the watchdog");
	}
}

static void test_started(void)
{
	static const struct {
		uint64_t seconds;
		const char *text;
	} cases[] = {
		{0, "Thu Jan  1 00:00:00 1970"},
		{86399, "Thu Jan  1 23:59:59 1970"},
		{86400, "Fri Jan  2 00:00:00 1970"},
		{951782399, "Mon Feb 28 23:59:59 2000"},
		{951782400, "Tue Feb 29 00:00:00 2000"},
		{951868800, "Wed Mar  1 00:00:00 2000"},
		{1709164800, "Thu Feb 29 00:00:00 2024"},
		{1735689599, "Tue Dec 31 23:59:59 2024"},
		{1735689600, "Wed Jan  1 00:00:00 2025"},
		{1796082012, "Mon Nov 30 23:40:12 2026"},
		{2147483648, "Tue Jan 19 03:14:08 2038"},
		{4107542399, "Sun Feb 28 23:59:59 2100"},
		{4107542400, "Mon Mar  1 00:00:00 2100"},
		{253402300799, "Fri Dec 31 23:59:59 9999"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[100], want[100];
		struct out out = out_memory(text, sizeof(text));
		report_started(&out, cases[i].seconds);
		snprintf(want, sizeof(want), "# started on %s UTC\n\n", cases[i].text);
		EQ_TEXT(text, want, "%s", cases[i].text);
	}
	int wrong = 0;
	setlocale(LC_TIME, "C");
	for (time_t at = 0; at < INT64_C(8000000000); at += 86400 * 3 - 7) {
		char text[100], date[100];
		struct out out = out_memory(text, sizeof(text));
		report_started(&out, (uint64_t)at);
		strftime(date, sizeof(date), "# started on %a %b %e %T %Y UTC\n\n", gmtime(&at));
		wrong += strcmp(text, date) != 0;
	}
	EQ_INT(wrong, 0, "each third day until 2223 is as gmtime(3) has it");
}

static void test_header(void)
{
	begin(PLAN_CPUS, " 0-1, 3", NULL);
	EQ_TEXT(line(1), " Performance counter stats for 'CPU(s)  0-1, 3':", "CPUs are named as they were written");
	begin(PLAN_PROCESS, "1,2", NULL);
	EQ_TEXT(line(1), " Performance counter stats for process id '1,2':", "processes");
	begin(PLAN_THREAD, "7", NULL);
	EQ_TEXT(line(1), " Performance counter stats for thread id '7':", "threads");
	char *empty[] = {"", "", NULL};
	begin(PLAN_WORKLOAD, "", empty);
	EQ_TEXT(line(1), " Performance counter stats for ' ':", "empty words");
	char *foreign[] = {"/b\303\251/\033[2J", "a\nb\tc\177", "\342\202\254\360\237\230\200", "\302\233x", "\233y",
			   "\342\202z", "\377\303", NULL};
	begin(PLAN_WORKLOAD, "", foreign);
	EQ_TEXT(line(1), " Performance counter stats for '/b\303\251/?[2J a?b?c? \342\202\254\360\237\230\200 ?\?x ?y ?\?z ?\?':",
		"nothing that a terminal obeys, nor broken UTF-8, in the command line");
}

static void test_numbers(void)
{
	static const struct {
		uint64_t value;
		const char *text;
	} counts[] = {
		{0, "                 0      cs"}, {999, "               999      cs"}, {1000, "             1,000      cs"},
		{999999, "           999,999      cs"}, {1000000, "         1,000,000      cs"},
		{12345678901234, "12,345,678,901,234      cs"}, {UINT64_MAX, "18,446,744,073,709,551,615      cs"},
		{UINT64_C(1) << 63, "9,223,372,036,854,775,808      cs"},
	}, clocks[] = {
		{0, "              0.00 msec task-clock"}, {4999, "              0.00 msec task-clock"},
		{5000, "              0.01 msec task-clock"}, {14999, "              0.01 msec task-clock"},
		{1234567890, "          1,234.57 msec task-clock"}, {999995000, "          1,000.00 msec task-clock"},
		{999994999, "            999.99 msec task-clock"}, {UINT64_MAX, "18,446,744,073,709.55 msec task-clock"},
	};
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		begin(PLAN_SYSTEM, NULL, NULL);
		row("cs", counts[i].value);
		OK(!strncmp(line(3), counts[i].text, strlen(counts[i].text)), "count %s", counts[i].text);
	}
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		begin(PLAN_SYSTEM, NULL, NULL);
		row("task-clock", clocks[i].value);
		OK(!strncmp(line(3), clocks[i].text, strlen(clocks[i].text)), "clock %s", clocks[i].text);
	}
	begin(PLAN_SYSTEM, NULL, NULL);
	report.elapsed_ns = UINT64_MAX;
	EQ_TEXT(line(3), " 18446744073.709551615 seconds time elapsed", "the longest time");
	report.elapsed_ns = 7;
	EQ_TEXT(line(3), "       0.000000007 seconds time elapsed", "the shortest time");
}

static void test_metrics(void)
{
	begin(PLAN_SYSTEM, NULL, NULL);
	row("cycles", 2000000);
	row("instructions", 1060000);
	row("cycles:u", 1000);
	row("instructions:u", 1234567890);
	row("instructions:k", 5);
	row("cycles:uk", 3);
	EQ_TEXT(line(3), "         2,000,000      cycles                          " NO_METRIC, "cycles: no metric");
	EQ_TEXT(line(4), "         1,060,000      instructions                     #    0.53  insn per cycle         ",
		"instructions per cycle");
	EQ_TEXT(line(6), "     1,234,567,890      instructions:u                   # 1234567.89  insn per cycle      ",
		"by the cycles with the same modifiers, however large");
	EQ_TEXT(line(7), "                 5      instructions:k                  " NO_METRIC, "no cycles with the same modifiers");

	begin(PLAN_SYSTEM, NULL, NULL);
	row("instructions", 3);
	row("cpu-cycles", 2);
	EQ_TEXT(line(3), "                 3      instructions                     #    1.50  insn per cycle         ",
		"cycles that come later, by their other name");
	rows[1].value = 0;
	EQ_TEXT(line(3), "                 3      instructions                    " NO_METRIC, "no cycles counted: no metric");
	rows[1].value = 2;
	rows[1].state = REPORT_NOT_COUNTED;
	EQ_TEXT(line(3), "                 3      instructions                    " NO_METRIC, "cycles without a count: no metric");
	rows[1].state = REPORT_COUNTED;
	rows[0].value = UINT64_MAX;
	rows[1].value = 1;
	EQ_TEXT(line(3), "18,446,744,073,709,551,615      instructions                    " NO_METRIC,
		"a ratio that does not fit: no metric");

	begin(PLAN_SYSTEM, NULL, NULL);
	row("task-clock", 500);
	report.elapsed_ns = 1000;
	EQ_TEXT(line(3), "              0.00 msec task-clock                       #    0.500 CPUs utilized          ",
		"half a CPU");
	report.elapsed_ns = 0;
	EQ_TEXT(line(3), "              0.00 msec task-clock                      " NO_METRIC, "no time: no metric");
	begin(PLAN_SYSTEM, NULL, NULL);
	row("r1", 500);
	row("cycles", 10);
	EQ_TEXT(line(3), "               500      r1                              " NO_METRIC,
		"a raw event of the same number: no metric");
}

static void test_states(void)
{
	begin(PLAN_SYSTEM, NULL, NULL);
	struct report_row *r = row("branches", 1000);
	r->running = 49;
	EQ_TEXT(line(3), "             1,000      branches                        " NO_METRIC "  (49.00%)", "half of the time");
	r->enabled = UINT64_MAX;
	r->running = UINT64_MAX / 3;
	EQ_TEXT(line(3), "             1,000      branches                        " NO_METRIC "  (33.33%)",
		"a third of a long time");
	r->enabled = 0;
	EQ_TEXT(line(3), "             1,000      branches                        " NO_METRIC, "ran longer than enabled: no share");
	r->enabled = r->running = 0;
	EQ_TEXT(line(3), "             1,000      branches                        " NO_METRIC, "no times: no share");
	r->state = REPORT_NOT_COUNTED;
	EQ_TEXT(line(3), "     <not counted>      branches                 " NO_METRIC, "not counted");
	r->enabled = 100;
	EQ_TEXT(line(3), "     <not counted>      branches                 " NO_METRIC "  (0.00%)", "never got a counter");
	r = row("instructions", 7);
	r->running = 50;
	row("cycles", 7);
	EQ_TEXT(line(4), "                 7      instructions                     #    1.00  insn per cycle           (50.00%)",
		"metric and share");
	begin(PLAN_SYSTEM, NULL, NULL);
	r = row("task-clock:u", 0);
	r->state = REPORT_NOT_COUNTED;
	EQ_TEXT(line(3), "     <not counted> msec task-clock:u             " NO_METRIC, "a clock that was not counted");
	OK(!strstr(output, "inf") && !strstr(output, "nan") && !strstr(output, "-0"), "no inf, nan or -0");
}

#define HEADER "#           time             counts unit events\n"
#define THREAD_HEADER "#           time             comm-pid                 counts unit events\n"

static void test_intervals(void)
{
	begin(PLAN_SYSTEM, NULL, NULL);
	report.is_interval = true;
	row("cs", 1234);
	row("task-clock", 50000000);
	row("cycles", 0)->state = REPORT_NOT_SUPPORTED;
	row("faults", 0)->state = REPORT_NOT_COUNTED;
	report.time_ns = 100082729;
	report.elapsed_ns = 100000000;
	report.has_times = true;
	EQ_TEXT(printed(),
		HEADER
		"     0.100082729              1,234      cs                               #   24.680 K/sec                  \n"
		"     0.100082729              50.00 msec task-clock                       #    0.500 CPUs utilized          \n"
		"     0.100082729    <not supported>      cycles                                                      \n"
		"     0.100082729      <not counted>      faults                                                      \n",
		"the first interval: with a header, without title and footer; the metric is of its own length");
	report.intervals = 1;
	report.time_ns = 1200000000000;
	rows[1].state = REPORT_NOT_COUNTED;
	EQ_TEXT(line(0), "  1200.000000000              1,234      cs                              " NO_METRIC,
		"the second one has no header");
	rows[0].value = report.time_ns = UINT64_MAX;
	EQ_TEXT(line(0), "18446744073.709551615 18,446,744,073,709,551,615      cs                              " NO_METRIC,
		"the longest time and the largest count");
	report.time_ns = 0;
	OK(!strncmp(printed(), "     0.000000000 ", 17), "no time");

	for (report.intervals = 0; report.intervals < 101; report.intervals++)
		EQ_INT(printed()[0] == '#', report.intervals % 25 == 0, "a header over interval %" PRIu64, report.intervals);
	report.intervals = UINT64_MAX / 25 * 25;
	OK(printed()[0] == '#', "... and over a late one");
	report.rows_count = 0;
	EQ_TEXT(printed(), HEADER, "no rows");
	plan.per_thread = true;
	EQ_TEXT(printed(), THREAD_HEADER, "no thread yet: its columns are there all the same");
}

static void test_threads(void)
{
	begin(PLAN_PROCESS, "7", NULL);
	thread_row("task-clock", 7, "sh", 300000000);
	thread_row(NULL, 123456, "worker/1", 1000000000);
	thread_row(NULL, INT_MAX, "fifteen bytes..", 0)->state = REPORT_NOT_COUNTED;
	thread_row(NULL, 0, "kept out", 700000000);
	thread_row(NULL, 8, "", 300000000);
	thread_row("cycles", 9, "a", 0)->state = REPORT_NOT_SUPPORTED;
	thread_row(NULL, 7, "sh", 0)->state = REPORT_NOT_COUNTED;
	thread_row(NULL, 0, "", 0)->running = 0;
	EQ_TEXT(printed(),
		"\n"
		" Performance counter stats for process id '7':\n"
		"\n"
		"        worker/1-123456            1,000.00 msec task-clock                       #    1.000 CPUs utilized          \n"
		"          others                     700.00 msec task-clock                       #    0.700 CPUs utilized          \n"
		"              sh-7                   300.00 msec task-clock                       #    0.300 CPUs utilized          \n"
		"                -8                   300.00 msec task-clock                       #    0.300 CPUs utilized          \n"
		" fifteen bytes..-2147483647      <not counted> msec task-clock                                                  \n"
		"          others                          0      cycles                                                               (0.00%)\n"
		"               a-9          <not supported>      cycles                                                      \n"
		"              sh-7            <not counted>      cycles                                                      \n"
		"\n"
		"       1.000000000 seconds time elapsed\n"
		"\n",
		"threads, the largest first in each event, those without a count last, else in the given order");

	begin(PLAN_THREAD, "1,2", NULL);
	report.is_interval = true;
	report.time_ns = 20106702;
	thread_row("dummy", 1, "\033]0;x\a\233[2J\377", 1);
	thread_row(NULL, 2, "n\303\251e\342\202\254", UINT64_MAX);
	thread_row(NULL, 3, "cut \360\237\230", 2);
	thread_row(NULL, 4, "%s%n", 3);
	EQ_TEXT(printed(),
		THREAD_HEADER
		"     0.020106702             n\303\251e\342\202\254-2       18,446,744,073,709,551,615      dummy                           " NO_METRIC "\n"
		"     0.020106702             %s%n-4                        3      dummy                           " NO_METRIC "\n"
		"     0.020106702          cut ?\?\?-3                        2      dummy                           " NO_METRIC "\n"
		"     0.020106702      ?]0;x?\?[2J?-1                        1      dummy                           " NO_METRIC "\n",
		"intervals of threads: names that a terminal would obey, in UTF-8, cut within a character");
}

static void test_thread_metrics(void)
{
	begin(PLAN_PROCESS, "7", NULL);
	thread_row("cs", 1, "a", 5);
	thread_row("instructions", 1, "a", 100);
	thread_row(NULL, 2, "b", 300);
	thread_row(NULL, 3, "c", 200);
	thread_row(NULL, 0, "", 400);
	thread_row("cycles:u", 1, "a", 1);
	thread_row("cycles", 2, "b", 0)->state = REPORT_NOT_COUNTED;
	thread_row(NULL, 0, "", 100);
	thread_row(NULL, 1, "x", 50);
	thread_row("instructions:u", 1, "a", 7);
	row("instructions", 9);
	EQ_TEXT(line(4), "          others                        400      instructions                     #    4.00  insn per cycle         ",
		"the others' cycles");
	EQ_TEXT(line(5), "               b-2                      300      instructions                    " NO_METRIC,
		"this thread's cycles were not counted");
	EQ_TEXT(line(6), "               c-3                      200      instructions                    " NO_METRIC,
		"no cycles of this thread");
	EQ_TEXT(line(7), "               a-1                      100      instructions                     #    2.00  insn per cycle         ",
		"the thread's own cycles, wherever they stand");
	EQ_TEXT(line(12), "               a-1                        7      instructions:u                   #    7.00  insn per cycle         ",
		"... and with the same modifiers");
	EQ_TEXT(line(13), "                 9      instructions                    " NO_METRIC, "the whole scope has no thread's cycles");
}

/* As many threads as there are rows for, in no order: the count of thread i is i * step modulo a prime, many of them equal. */
static void add_threads(const char *name)
{
	for (unsigned i = 0; i < THREADS_MAX; i++) {
		struct report_row *r = thread_row(i ? NULL : name, (int)i + 1, "t", UINT64_MAX - i * 7919 % 2003 * 1000);
		if (i % 5 == 0)
			r->state = REPORT_NOT_COUNTED;
	}
}

/* Every row of the text stands once, and behind the one that it must follow. */
static bool is_sorted(const char *p)
{
	bool seen[THREADS_MAX] = {false};
	int last = -1;
	for (int n = 0; n < THREADS_MAX; n++, p = strchr(p, '\n') + 1) {
		const char *dash = strchr(p, '-');
		int i = dash ? atoi(dash + 1) - 1 : -1;
		if (i < 0 || i >= THREADS_MAX || seen[i])
			return false;
		seen[i] = true;
		if (last >= 0) {
			const struct report_row *a = &rows[last], *b = &rows[i];
			bool counted = a->state == REPORT_COUNTED;
			if (counted != (b->state == REPORT_COUNTED) ? !counted :
			    counted && a->value != b->value ? a->value < b->value : last > i)
				return false;
		}
		last = i;
	}
	return *p == '\n' || !*p;
}

static void test_many_threads(void)
{
	begin(PLAN_PROCESS, "7", NULL);
	report.is_interval = true;
	report.intervals = 1;
	add_threads("cs");
	OK(is_sorted(printed()), "%d threads in order", THREADS_MAX);
	add_threads("cycles");
	add_threads("instructions");
	const char *third = printed();
	int with_metric = 0;
	for (int n = 0; n < 2 * THREADS_MAX; n++)
		third = strchr(third, '\n') + 1;
	OK(is_sorted(third), "... and in the third event");
	for (const char *p = third; (p = strstr(p, "#    1.00  insn per cycle")); p++)
		with_metric++;
	EQ_INT(with_metric, THREADS_MAX - (THREADS_MAX + 4) / 5, "... each with its own cycles");

	begin(PLAN_PROCESS, "7", NULL);
	thread_row("cs", 1, "a", 1);
	thread_row(NULL, 2, "b", 2);
	struct rlimit kept, none;
	OK(getrlimit(RLIMIT_AS, &kept) == 0, "the limit of memory");
	printed();
	none = kept;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_AS, &none);
	for (size_t size = 1; size < 1 << 20; size *= 2) {
		while (memory_take(1, size))
			continue; /* the pool's */
	}
	const char *first = line(3);
	setrlimit(RLIMIT_AS, &kept);
	EQ_TEXT(first, "               a-1                        1      cs                              " NO_METRIC,
		"without memory: in the given order");
}

static void test_runs(void)
{
	char *sleep[] = {"sleep", "0.01", NULL};
	begin(PLAN_WORKLOAD, "", sleep);
	report.runs = 3;
	report.elapsed_ns = 11315612;
	report.elapsed_error_ns = 72468;
	report.elapsed_error = 64;
	report.has_times = true;
	row("faults", 57)->error = 58;
	row("dummy", 0);
	struct report_row *r = row("instructions", 150);
	r->error = 10000;
	r->running = 50;
	row("cycles", 100)->error = 1;
	r = row("branches", 0);
	r->state = REPORT_NOT_COUNTED;
	r->error = 123456;
	r->running = 0;
	EQ_TEXT(printed(),
		"\n"
		" Performance counter stats for 'sleep 0.01' (3 runs):\n"
		"\n"
		"                57      faults                                                               ( +-  0.58% )\n"
		"                 0      dummy                                                              \n"
		"               150      instructions                     #    1.50  insn per cycle           ( +-100.00% )  (50.00%)\n"
		"               100      cycles                                                               ( +-  0.01% )\n"
		"     <not counted>      branches                                                      ( +-1234.56% )  (0.00%)\n"
		"\n"
		"         0.0113156 +- 0.0000725 seconds time elapsed  ( +-  0.64% )\n"
		"\n",
		"three runs; the last line as perf 6.12 printed it; no times of the workload");

	static const struct {
		uint64_t elapsed, error, percent;
		const char *text;
	} times[] = {
		{1000000000, 0, 0, "       1.000000000 +- 0.000000000 seconds time elapsed"},
		{0, 0, 0, "       0.000000000 +- 0.000000000 seconds time elapsed"},
		{1234567890, 1, 0, "       1.234567890 +- 0.000000001 seconds time elapsed"},
		{1234567890, 999, 1, "       1.234567890 +- 0.000000999 seconds time elapsed  ( +-  0.01% )"},
		{1234567890, 1000, 1, "        1.23456789 +- 0.00000100 seconds time elapsed  ( +-  0.01% )"},
		{1234567890, 9996, 1, "        1.23456789 +- 0.00001000 seconds time elapsed  ( +-  0.01% )"},
		{1234567895, 12345, 1, "         1.2345679 +- 0.0000123 seconds time elapsed  ( +-  0.01% )"},
		{1999999999, 99999999, 500, "            2.0000 +- 0.1000 seconds time elapsed  ( +-  5.00% )"},
		{12345678901, 100000000, 81, "            12.346 +- 0.100 seconds time elapsed  ( +-  0.81% )"},
		{12345678901, 999999999, 810, "            12.346 +- 1.000 seconds time elapsed  ( +-  8.10% )"},
		{12345678901, 1000000000, 810, "             12.35 +- 1.00 seconds time elapsed  ( +-  8.10% )"},
		{123456789012, 23456789012, 1900, "            123.46 +- 23.46 seconds time elapsed  ( +- 19.00% )"},
		{UINT64_MAX, UINT64_MAX, UINT64_MAX,
		 "    18446744073.71 +- 18446744073.71 seconds time elapsed  ( +-184467440737095516.15% )"},
	};
	begin(PLAN_CPUS, "0", NULL);
	report.runs = UINT64_MAX;
	EQ_TEXT(line(1), " Performance counter stats for 'CPU(s) 0' (18446744073709551615 runs):", "as many runs as can be");
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		report.elapsed_ns = times[i].elapsed;
		report.elapsed_error_ns = times[i].error;
		report.elapsed_error = times[i].percent;
		EQ_TEXT(line(3), times[i].text, "elapsed %s", times[i].text);
	}
}

/* A writer that takes some buffers, then fails. */
struct sink {
	int takes, calls;
	char text[1024];
	size_t used;
};

static int sink_write(void *context, const char *bytes, size_t count)
{
	struct sink *sink = context;
	if (sink->calls++ == sink->takes)
		return -ENOSPC;
	memcpy(sink->text + sink->used, bytes, count);
	sink->used += count;
	return 0;
}

static void test_writing(void)
{
	begin(PLAN_SYSTEM, NULL, NULL);
	row("cs", 1);
	for (int takes = 0; takes < 3; takes++) {
		char buffer[40];
		struct sink sink = {.takes = takes};
		struct out out = {.buffer = buffer, .size = sizeof(buffer), .write = sink_write, .context = &sink};
		EQ_INT(report_write(&out, &report), -ENOSPC, "a disk that is full after %d buffers is told", takes);
		EQ_INT(sink.calls, takes + 1, "... and not asked again");
		sink.calls = out.error = 0;
		report.is_interval = true;
		EQ_INT(report_write(&out, &report), -ENOSPC, "... at an interval, too");
	}
	char buffer[40];
	struct sink sink = {.takes = -1};
	struct out out = {.buffer = buffer, .size = sizeof(buffer), .write = sink_write, .context = &sink};
	EQ_INT(report_write(&out, &report), 0, "written through a small buffer");
	EQ_TEXT(sink.text, printed(), "... whole, to the last byte");
}

int main(void)
{
	/* field report V29: no locale may change a byte */
	setlocale(LC_ALL, "");
	test_as_perf();
	test_rates();
	test_units();
	test_places();
	test_programs();
	test_field_reports();
	test_watchdog();
	test_started();
	test_header();
	test_numbers();
	test_metrics();
	test_states();
	test_intervals();
	test_threads();
	test_thread_metrics();
	test_many_threads();
	test_runs();
	test_writing();
	return test_done();
}
