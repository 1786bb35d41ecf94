/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <time.h>

#include "event.h"
#include "metric.h"
#include "number.h"
#include "plan.h"
#include "report.h"

enum { EVENTS_MAX = 40, THREADS_MAX = 4097 };

static struct plan plan;
static struct event events[EVENTS_MAX];
static int events_count;
static struct report_row rows[EVENTS_MAX * THREADS_MAX];
static struct thread_info threads[THREADS_MAX];
static struct report report;

static void begin(void)
{
	memset(&plan, 0, sizeof(plan));
	plan.scopes_count = 2;
	report = (struct report){.plan = &plan, .rows = rows, .elapsed_ns = 1000000000, .runs = 1};
	events_count = 0;
}

static struct event *event_named(const char *name)
{
	struct event *event = &events[events_count++];
	if (event_parse_list(event, 1, name, NULL) != 1)
		OK(false, "%s is no event", name);
	return event;
}

/* name NULL: of the event of the row before. */
static struct report_row *row(const char *name, uint64_t value)
{
	struct report_row *r = &rows[report.rows_count++];
	*r = (struct report_row){.event = name ? event_named(name) : r[-1].event, .scope = plan.scopes, .state = REPORT_COUNTED,
				 .value = value, .enabled = 100, .running = 100};
	return r;
}

/* "12.34% of all branches", "1.234 K/sec"; "": nothing. */
static const char *text_of(struct metric metric)
{
	static char text[100];
	*text = '\0';
	if (metric.unit)
		snprintf(text, sizeof(text), "%s%s %s", number_format(metric.value, metric.decimals, false).text, metric.is_percent ? "%" : "",
			 metric.unit);
	return text;
}

static struct metric of(int index)
{
	struct metric_finder finder = {.report = &report};
	return metric_of(&finder, &rows[index]);
}

static const char *said(int index)
{
	return text_of(of(index));
}

static void test_each(void)
{
	static const struct {
		const char *of, *by;
		uint64_t value, by_value;
		const char *text;
	} cases[] = {
		{"instructions", "cycles", 1060000, 2000000, "0.53 insn per cycle"},
		{"instructions", "cpu-cycles", 3, 2, "1.50 insn per cycle"},
		{"instructions", "cycles", 1005, 1000, "1.01 insn per cycle"},
		{"instructions", "cycles", 1004, 1000, "1.00 insn per cycle"},
		{"cycles", "task-clock", 2345678901, 1000000000, "2.346 GHz"},
		{"cycles", "cpu-clock", 0, 1, "0.000 GHz"},
		{"branch-misses", "branches", 123, 1000, "12.30% of all branches"},
		{"branch-misses", "branch-instructions", 3, 2, "150.00% of all branches"},
		{"branch-misses", "branches", 99999, 100000, "99.99% of all branches"},
		{"branch-misses", "branches", 0, 7, "0.00% of all branches"},
		{"cache-misses", "cache-references", 1, 3, "33.33% of all cache refs"},
		{"stalled-cycles-frontend", "cycles", 2, 3, "66.67% frontend cycles idle"},
		{"stalled-cycles-backend", "cycles", 1, 1, "100.00% backend cycles idle"},
		{"L1-dcache-load-misses", "L1-dcache-loads", 1, 8, "12.50% of all L1-dcache accesses"},
		{"L1-icache-load-misses", "L1-icache-loads", 1, 8, "12.50% of all L1-icache accesses"},
		{"LLC-load-misses", "LLC-loads", 1, 8, "12.50% of all LL-cache accesses"},
		{"dTLB-load-misses", "dTLB-loads", 1, 8, "12.50% of all dTLB cache accesses"},
		{"iTLB-load-misses", "iTLB-loads", 1, 8, "12.50% of all iTLB cache accesses"},
		/* what perf has no word for has a rate; other parts of a cache are no denominator */
		{"L1-dcache-store-misses", "L1-dcache-stores", 1, 8, ""},
		{"L1-dcache-load-misses", "L1-dcache-stores", 1, 8, ""},
		{"L1-dcache-load-misses", "L1-icache-loads", 1, 8, ""},
		{"node-load-misses", "node-loads", 1, 8, ""},
		{"node-load-misses", "cpu-clock", 1, 1000000000, "1.000 /sec"},
		{"L1-dcache-loads", "cpu-clock", 1, 1000000000, "1.000 /sec"},
		/* what has a word of its own has no rate */
		{"instructions", "cpu-clock", 1, 8, ""},
		{"branch-misses", "task-clock", 1, 8, ""},
		{"cycles", "instructions", 1, 8, ""},
		/* another event of the same number */
		{"r1", "r0", 1, 8, ""},
		{"r5", "r4", 1, 8, ""},
		{"instructions", "r0", 1, 8, ""},
		{"faults", "cycles", 1, 8, ""},
		/* what does not fit, or was divided by nothing */
		{"instructions", "cycles", 1, 0, ""},
		{"instructions", "cycles", INT64_MAX, 1, ""},
		{"branch-misses", "branches", INT64_MAX, 1, ""},
		{"cycles", "cpu-clock", 1, 0, ""},
		{"cs", "cpu-clock", 1, 0, ""},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int behind = 0; behind < 2; behind++) {
			begin();
			if (behind)
				row(cases[i].by, cases[i].by_value);
			row(cases[i].of, cases[i].value);
			if (!behind)
				row(cases[i].by, cases[i].by_value);
			EQ_TEXT(said(behind), cases[i].text, "%s, with %s %s it: %s", cases[i].of, cases[i].by,
				behind ? "in front of" : "behind", cases[i].text);
		}
	}
}

static void test_clocks(void)
{
	begin();
	row("task-clock", 2500000000);
	row("cpu-clock", 500000);
	EQ_TEXT(said(0), "2.500 CPUs utilized", "a clock and the time");
	EQ_TEXT(said(1), "0.001 CPUs utilized", "... the other one, too, rounded up");
	report.elapsed_ns = 0;
	EQ_TEXT(said(0), "", "no time");
	report.elapsed_ns = 1;
	rows[0].value = INT64_MAX;
	EQ_TEXT(said(0), "", "one that does not fit");
}

static void test_rates(void)
{
	static const struct {
		uint64_t value, ns;
		const char *text;
	} cases[] = {
		{0, 1, "0.000 /sec"},
		{1, 3000000000, "0.333 /sec"},
		{714155, 1000000000000, "714.155 /sec"},
		{1000, 1000000000, "1000.000 /sec"},
		{10000004, 10000000000000, "1000.000 /sec"}, /* less than a digit more than 1000 */
		{10000005, 10000000000000, "1.000 K/sec"},
		{10000004, 10000000000, "1000.000 K/sec"},
		{10000005, 10000000000, "1.000 M/sec"},
		{1500000, 1000000000, "1.500 M/sec"},
		{1234567, 1000000000, "1.235 M/sec"},
		{1234499600, 1000000000000, "1.234 M/sec"}, /* rounded once: 1,234,499.6 a second */
		{48, 513000, "93.567 K/sec"},
		{2345678901, 1000000000, "2.346 G/sec"},
		{INT64_MAX, 1000000000, "9223372036.855 G/sec"},
		{INT64_MAX, 1, ""},
		{1, INT64_MAX, "0.000 /sec"},
		{INT64_MAX, INT64_MAX, "1000.000 M/sec"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin();
		row("task-clock", cases[i].ns);
		row("faults", cases[i].value);
		EQ_TEXT(said(1), cases[i].text, "%" PRIu64 " in %" PRIu64 " ns", cases[i].value, cases[i].ns);
	}
	begin();
	row("cpu-clock", 2000000000);
	struct event *event = (struct event *)row("r1", UINT64_C(5333) << 32)->event;
	event->scale = UINT64_C(2328306436538696289);
	event->scale_exponent = -28;
	EQ_TEXT(said(1), "2.667 K/sec", "of energy: in its unit, 2666.5 a second");
	rows[1].value = 3;
	EQ_TEXT(said(1), "0.000 /sec", "... too little to see");
	rows[1].value = INT64_MAX;
	EQ_TEXT(said(1), "1073.742 M/sec", "... the most: its six decimals leave no more room");
	rows[1].value = 4;
	event->scale = 25;
	event->scale_exponent = -2;
	EQ_TEXT(said(1), "0.500 /sec", "of a scale with two decimals");
	event->scale_exponent = 2;
	EQ_TEXT(said(1), "5.000 K/sec", "of a scale above one");
	event->scale_exponent = 99;
	EQ_TEXT(said(1), "", "of one that does not fit");
	event->scale_exponent = 0;
	event->is_snapshot = true;
	EQ_TEXT(said(1), "", "a level has no rate");
}

/* Rows that do not go together. */
static void test_subjects(void)
{
	static const struct report_place cpus[2] = {{"CPU0", 1}, {"CPU1", 1}};
	static const struct report_program programs[2] = {{"a", 1}, {"b", 2}};
	begin();
	row("cycles", 200);
	row("instructions", 100);
	EQ_TEXT(said(1), "0.50 insn per cycle", "of one scope");
	rows[0].scope++;
	EQ_TEXT(said(1), "", "of another scope");
	rows[1].scope++;
	EQ_TEXT(said(1), "0.50 insn per cycle", "both of it");
	rows[0].cgroup = "web";
	EQ_TEXT(said(1), "", "one of a cgroup");
	rows[1].cgroup = rows[0].cgroup;
	EQ_TEXT(said(1), "0.50 insn per cycle", "both of it");
	rows[0].place = &cpus[0];
	rows[1].place = &cpus[1];
	EQ_TEXT(said(1), "", "of two CPUs");
	rows[1].place = &cpus[0];
	EQ_TEXT(said(1), "0.50 insn per cycle", "both of one");
	static const struct report_place fewer = {"CPU0", 7};
	rows[0].place = &fewer;
	EQ_TEXT(said(1), "0.50 insn per cycle", "... by its name");
	rows[0].place = NULL;
	EQ_TEXT(said(1), "", "one of none");
	rows[0].place = &cpus[0];
	rows[0].program = &programs[1];
	EQ_TEXT(said(1), "", "one of a program");

	begin();
	row("cycles", 200)->place = &cpus[0];
	row(NULL, 1000)->place = &cpus[1];
	row("instructions", 100)->place = &cpus[1];
	row(NULL, 100)->place = &cpus[0];
	EQ_TEXT(said(2), "0.10 insn per cycle", "in another order: the second CPU's");
	EQ_TEXT(said(3), "0.50 insn per cycle", "... the first one's");

	/* -e cycles,instructions,cycles,instructions -G a,a,b,b */
	begin();
	row("cycles", 200)->cgroup = "a";
	row("instructions", 100)->cgroup = rows[0].cgroup;
	row("cycles", 1000)->cgroup = "b";
	row("instructions", 100)->cgroup = rows[2].cgroup;
	EQ_TEXT(said(1), "0.50 insn per cycle", "an event for each cgroup: the first's");
	EQ_TEXT(said(3), "0.10 insn per cycle", "... the second's");
}

static void test_events(void)
{
	static const struct {
		const char *by, *of, *text;
	} cases[] = {
		{"cycles:u", "instructions:u", "0.50 insn per cycle"},
		{"cycles:u", "instructions", ""},
		{"cycles", "instructions:k", ""},
		{"cycles:uk", "instructions:uk", "0.50 insn per cycle"},
		{"cycles:H", "instructions:G", ""},
		{"cycles:I", "instructions", ""},
		{"cpu-clock:u", "cycles:k", "0.500 GHz"}, /* clocks have no levels */
		{"branches:k", "branch-misses:k", "50.00% of all branches"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin();
		row(cases[i].by, 200);
		row(cases[i].of, 100);
		EQ_TEXT(said(1), cases[i].text, "%s with %s: %s", cases[i].of, cases[i].by, cases[i].text);
	}
	/* two kinds of CPU: the type of their PMU is the config's upper half */
	begin();
	((struct event *)row("cycles", 200)->event)->attr.config |= UINT64_C(4) << 32;
	((struct event *)row("instructions", 100)->event)->attr.config |= UINT64_C(10) << 32;
	((struct event *)row("cycles", 400)->event)->attr.config |= UINT64_C(10) << 32;
	EQ_TEXT(said(1), "0.25 insn per cycle", "by the cycles of the same kind of CPU");
	((struct event *)rows[2].event)->attr.type = PERF_TYPE_RAW;
	EQ_TEXT(said(1), "", "there are none");
}

static void test_states(void)
{
	begin();
	row("cycles", 200)->state = REPORT_NOT_COUNTED;
	row("instructions", 100);
	row("cpu-clock", 0)->state = REPORT_NOT_SUPPORTED;
	row("task-clock", 100);
	row("cycles", 50);
	EQ_TEXT(said(0), "", "what was not counted has none");
	EQ_TEXT(said(2), "", "nor has what is not supported");
	EQ_TEXT(said(1), "2.00 insn per cycle", "by the first that was counted");
	EQ_TEXT(said(4), "0.500 GHz", "... so for the clocks");
	rows[4].enabled = 20000;
	rows[4].running = 1;
	EQ_TEXT(said(4), "0.500 GHz", "scaled up by 20,000");
	EQ_TEXT(said(1), "2.00 insn per cycle", "... by that");
	rows[4].enabled++;
	EQ_TEXT(said(4), "", "by more: that is a guess");
	EQ_TEXT(said(1), "", "... that nothing is divided by");
	rows[4].enabled = rows[4].running = 0;
	EQ_TEXT(said(4), "0.500 GHz", "no times are known");
}

static void test_second(void)
{
	struct metric_finder finder;
	begin();
	row("instructions", 1000);
	row("cycles", 2000);
	row("stalled-cycles-frontend", 200);
	row("stalled-cycles-backend", 500);
	finder = (struct metric_finder){.report = &report};
	EQ_TEXT(text_of(metric_of(&finder, rows)), "0.50 insn per cycle", "the first");
	EQ_TEXT(text_of(metric_second(&finder, rows)), "0.50 stalled cycles per insn", "the second, of what stalled longest");
	rows[3].value = 100;
	finder = (struct metric_finder){.report = &report};
	EQ_TEXT(text_of(metric_second(&finder, rows)), "0.20 stalled cycles per insn", "... the other end");
	rows[0].value = 0;
	EQ_TEXT(text_of(metric_second(&finder, rows)), "", "no instructions");
	rows[0].value = 5;
	rows[2].value = rows[3].value = 0;
	EQ_TEXT(text_of(metric_second(&finder, rows)), "", "nothing stalled");
	rows[2].value = 1;
	rows[0].state = REPORT_NOT_COUNTED;
	EQ_TEXT(text_of(metric_second(&finder, rows)), "", "not counted");
	finder = (struct metric_finder){.report = &report};
	EQ_TEXT(text_of(metric_second(&finder, &rows[1])), "", "cycles have no second");
}

static void test_colours(void)
{
	static const struct {
		const char *of, *by;
		uint64_t yellow, magenta, red;
	} cases[] = {
		{"branch-misses", "branches", 500, 1000, 2000},
		{"cache-misses", "cache-references", 500, 1000, 2000},
		{"LLC-load-misses", "LLC-loads", 500, 1000, 2000},
		{"iTLB-load-misses", "iTLB-loads", 500, 1000, 2000},
		{"stalled-cycles-frontend", "cycles", 1000, 3000, 5000},
		{"stalled-cycles-backend", "cycles", 2000, 5000, 7500},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin();
		row(cases[i].of, 0);
		row(cases[i].by, 10000);
		EQ_INT(of(0).colour, METRIC_PLAIN, "%s: none at all", cases[i].of);
		const uint64_t limits[] = {cases[i].yellow, cases[i].magenta, cases[i].red};
		for (int colour = METRIC_PLAIN; colour < METRIC_RED; colour++) {
			rows[0].value = limits[colour];
			EQ_INT(of(0).colour, colour, "... at the limit of colour %d", colour);
			rows[0].value++;
			EQ_INT(of(0).colour, colour + 1, "... above it");
		}
		rows[0].value = INT64_MAX / 10000;
		EQ_INT(of(0).colour, METRIC_RED, "... and far above it");
	}
	begin();
	row("instructions", 10000);
	row("cycles", 1);
	EQ_INT(of(0).colour, METRIC_PLAIN, "no colour of what is no percentage");
}

static void test_programs(void)
{
	static const struct report_program program = {"on_switch", 7};
	begin();
	row("instructions", 12345)->program = &program;
	row("cycles", 12345)->program = &program;
	row("cpu-clock", 1000)->program = &program;
	EQ_TEXT(said(0), "", "no run");
	for (int i = 0; i < 3; i++)
		rows[i].runs = 1000;
	EQ_TEXT(said(0), "12.35 per run", "for each run, to nearest");
	EQ_TEXT(said(2), "1.00 ns per run", "of a clock: nanoseconds");
	rows[0].value = INT64_MAX;
	rows[0].runs = 1;
	EQ_TEXT(said(0), "", "one that does not fit");
	rows[0].state = REPORT_NOT_COUNTED;
	EQ_TEXT(said(0), "", "not counted");
}

/* CPU time of the metrics of all rows, in ms. */
static long cost(int *with_metric)
{
	clock_t before = clock();
	struct metric_finder finder = {.report = NULL};
	*with_metric = 0;
	for (int i = 0; i < report.rows_count; i++) {
		if (!i || rows[i].event != rows[i - 1].event)
			finder = (struct metric_finder){.report = &report};
		*with_metric += metric_of(&finder, &rows[i]).unit != NULL;
	}
	return (clock() - before) * 1000 / CLOCKS_PER_SEC;
}

static void test_cost(void)
{
	int with_metric;
	begin();
	for (int e = 0; e < EVENTS_MAX; e++) {
		for (int i = 0; i < THREADS_MAX; i++) {
			threads[i].tid = (uint32_t)i + 1;
			row(i ? NULL : e == EVENTS_MAX - 1 ? "cpu-clock" : e % 2 ? "faults" : "cycles", 1000)->thread = &threads[i];
		}
	}
	long ms = cost(&with_metric);
	EQ_INT(with_metric, report.rows_count, "all of %d events of %d threads", EVENTS_MAX, THREADS_MAX);
	/* seen: 70 ms with the sanitizers; 2200 where each looks through all the threads */
	OK(ms < 1000, "... in %ld ms", ms);
	for (int i = 0; i < report.rows_count; i++) {
		if (i % 3 == 0)
			rows[i].state = REPORT_NOT_COUNTED;
	}
	ms = cost(&with_metric);
	OK(with_metric > 0 && with_metric < report.rows_count, "some of them");
	OK(ms < 1000, "... in %ld ms, where a third was not counted", ms);
}

int main(void)
{
	test_each();
	test_clocks();
	test_rates();
	test_subjects();
	test_events();
	test_states();
	test_second();
	test_colours();
	test_programs();
	test_cost();
	return test_done();
}
