/* SPDX-License-Identifier: GPL-2.0-only */
/* What the counting cost: whose time is whose, the mean of runs, and the rows as text. */
#include "test.h"

#include "err.h"
#include "out.h"
#include "overhead.h"
#include "plan.h"
#include "repeat.h"
#include "report.h"

static struct plan plan;
static struct report_overhead rows[3];
static struct overhead_program programs[8];
static struct overhead overhead;

/* A leader of one event with two followers, of which one is another session's and both run within its time, and a program that does
 * not: as after a start at 1000 ns, a reading at 5000 and another one. */
static void prepare(void)
{
	rows[0] = (struct report_overhead){"leader", "cs", 0, 0, true};
	rows[1] = (struct report_overhead){"follower", "cs", 0, 0, false};
	rows[2] = (struct report_overhead){"hooks", NULL, 0, 0, false};
	programs[0] = (struct overhead_program){{.run_ns = 9000, .runs = 90}, 0, -1, 1000, 10, 5000, 50};
	programs[1] = (struct overhead_program){{.run_ns = 3000, .runs = 90}, 1, 0, 500, 10, 2000, 50};
	programs[2] = (struct overhead_program){{.run_ns = 700, .runs = 30}, -1, 0, 0, 0, 400, 15};
	programs[3] = (struct overhead_program){{.run_ns = 60, .runs = 4}, 2, -1, 10, 1, 10, 1};
	programs[4] = (struct overhead_program){{.run_ns = 40, .runs = 3}, 2, -1, 0, 0, 40, 3};
	overhead = (struct overhead){.stats_fd = -1, .programs = programs, .programs_count = 5, .rows = rows, .rows_count = 3};
}

static void test_rows(void)
{
	prepare();
	overhead_rows(&overhead, true);
	EQ_U64(rows[0].ns, 8000 - 2500 - 700, "in all: the leader's time is without its followers', others' too");
	EQ_U64(rows[0].runs, 80, "its runs");
	EQ_U64(rows[1].ns, 2500, "the follower's own");
	EQ_U64(rows[2].ns, 90, "hooks are added up");
	EQ_U64(rows[2].runs, 6, "and their runs");
	overhead_rows(&overhead, false);
	EQ_U64(rows[0].ns, 4000 - 1000 - 300, "since the last reading: the leader");
	EQ_U64(rows[1].ns, 1000, "the follower");
	EQ_U64(rows[1].runs, 40, "its runs");
	EQ_U64(rows[2].ns, 50, "the hooks");
	programs[1].at.run_ns = 90000;
	overhead_rows(&overhead, true);
	EQ_U64(rows[0].ns, 0, "never less than nothing: a follower's run may be read after the leader's");
}

static const char *text_of(struct report *report)
{
	static char text[4096];
	struct out out = out_memory(text, sizeof(text));
	OK(report_write(&out, report) == 0, "it is written");
	return text;
}

static struct report report_of(void)
{
	prepare();
	overhead_rows(&overhead, true);
	memset(&plan, 0, sizeof(plan));
	plan.big_num = true;
	plan.scopes_count = 1;
	return (struct report){.plan = &plan, .elapsed_ns = 1000000, .runs = 1, .cpus = 2, .overhead = rows, .overhead_count = 3};
}

static void test_text(void)
{
	struct report report = report_of();
	rows[0].ns = 1234567890;
	rows[0].runs = 4567;
	report.elapsed_ns = 2000000000;
	EQ_TEXT(text_of(&report),
		"\n Performance counter stats for 'system wide':\n\n\n"
		"          1,234.57 msec overhead:leader:cs               # 270323.60  ns/run                 (4,567 runs, shared)\n"
		"              0.00 msec overhead:follower:cs             #   31.25  ns/run                   (80 runs)\n"
		"              0.00 msec overhead:hooks                   #   15.00  ns/run                   (6 runs)\n"
		"          1,234.57 msec overhead                         #   30.864% of CPU time           \n"
		"       2.000000000 seconds time elapsed\n\n",
		"text: like a clock's rows");
	plan.big_num = false;
	report.is_interval = true;
	report.intervals = 1;
	report.time_ns = 1500000000;
	report.overhead_count = 1;
	rows[0].runs = rows[0].ns = 0;
	EQ_TEXT(text_of(&report),
		"     1.500000000               0.00 msec overhead:leader:cs               #    0.00  ns/run                   (0 runs, shared)\n"
		"     1.500000000               0.00 msec overhead                         #    0.000% of CPU time           \n",
		"an interval, and nothing ran");
	report.overhead_count = 0;
	EQ_TEXT(text_of(&report), "", "none: nothing at all, no sum either");
}

static void test_mean(void)
{
	struct repeat repeat = {0};
	struct err err = {0};
	struct report report = report_of();
	EQ_INT(repeat_add(&repeat, &report, 3, &err), 0, "a run");
	rows[1].ns += 100;
	rows[1].runs += 5;
	EQ_INT(repeat_add(&repeat, &report, 3, &err), 0, "another");
	report.overhead_count = 0;
	EQ_INT(repeat_add(&repeat, &report, 3, &err), 0, "and one where there was none");
	repeat_mean(&repeat, NULL, &report);
	EQ_INT(report.overhead_count, 3, "the mean has all");
	EQ_U64(report.overhead[1].ns, (2500 + 2600) / 3, "their time");
	EQ_U64(report.overhead[1].runs, (80 + 85) / 3, "and their runs");
	EQ_TEXT(report.overhead[0].kind, "leader", "and what they are");
	OK(report.overhead[0].is_shared, "and whose");
	repeat_close(&repeat);
	repeat_close(&repeat);
}

int main(void)
{
	test_rows();
	test_text();
	test_mean();
	return test_done();
}
