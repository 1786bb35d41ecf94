/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>
#include <locale.h>

#include "event.h"
#include "out.h"
#include "plan.h"
#include "report.h"

enum { ROWS_MAX = 8 };

static struct plan plan;
static struct event events[ROWS_MAX];
static struct report_row rows[ROWS_MAX];
static struct report report;
static char *output;

/* Starts a report for this scope. */
static void begin(enum plan_scope scope, const char *subject, char **command)
{
	memset(&plan, 0, sizeof(plan));
	plan.scope = scope;
	plan.subject = subject;
	plan.command = command;
	report = (struct report){.plan = &plan, .rows = rows, .elapsed_ns = 1000000000};
}

/* Adds a counted row that ran all the time; returns it for changes. */
static struct report_row *row(const char *name, uint64_t value)
{
	struct event *event = &events[report.rows_count];
	struct report_row *r = &rows[report.rows_count++];
	if (event_parse_list(event, 1, name, NULL) != 1)
		OK(false, "%s is no event", name);
	*r = (struct report_row){.event = event, .state = REPORT_COUNTED, .value = value, .enabled = 100, .running = 100};
	return r;
}

static const char *printed(void)
{
	static char text[8192];
	struct out out = out_memory(text, sizeof(text));
	OK(report_text(&out, &report) == 0, "it is written");
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
	EQ_TEXT(line(4), " 18446744073.709551615 seconds time elapsed", "the longest time");
	report.elapsed_ns = 7;
	EQ_TEXT(line(4), "       0.000000007 seconds time elapsed", "the shortest time");
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
	EQ_TEXT(line(3), "18,446,744,073,709,551,615      instructions                     # 184467440737095516.15  insn per cycle",
		"a ratio that does not fit is the largest");

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
	*r = (struct report_row){r->event, REPORT_COUNTED, 1000, UINT64_MAX, UINT64_MAX / 3};
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
		EQ_INT(report_text(&out, &report), -ENOSPC, "a disk that is full after %d buffers is told", takes);
		EQ_INT(sink.calls, takes + 1, "... and not asked again");
	}
	char buffer[40];
	struct sink sink = {.takes = -1};
	struct out out = {.buffer = buffer, .size = sizeof(buffer), .write = sink_write, .context = &sink};
	EQ_INT(report_text(&out, &report), 0, "written through a small buffer");
	EQ_TEXT(sink.text, printed(), "... whole, to the last byte");
}

int main(void)
{
	/* field report V29: no locale may change a byte */
	setlocale(LC_ALL, "");
	test_as_perf();
	test_header();
	test_numbers();
	test_metrics();
	test_states();
	test_writing();
	return test_done();
}
