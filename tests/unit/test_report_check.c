/* SPDX-License-Identifier: GPL-2.0-only */
/* How the rows of `bperf-mini check` are printed, and what they come to. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "err.h"
#include "out.h"
#include "probe.h"
#include "report.h"

static struct probe probe;

/* All rows work, but for the first, which is `row`. */
static void fill(struct probe_row row)
{
	for (int i = 0; i < PROBE_ROWS; i++)
		probe.rows[i] = (struct probe_row){.name = "x", .lost = "", .answer = PROBE_YES, .is_tried = true};
	probe.rows[0] = row;
}

/* The first row as it is printed, in memory of just its size. */
static const char *print(bool json, bool verbose)
{
	static char *text;
	char big[16384];
	struct out out = out_memory(big, sizeof(big));
	EQ_INT(report_check(&out, &probe, json, verbose), 0, "it is printed");
	free(text);
	text = strdup(big);
	char *rest = strstr(text, json ? "\n{\"check\" : \"x\"" : "\nx  ");
	OK(rest != NULL, "the next row begins a line");
	if (rest)
		rest[1] = '\0';
	return text;
}

static void test_text(void)
{
	struct probe_row row = {.name = "PMU", .lost = "hardware events", .answer = PROBE_YES, .is_tried = true,
				.reason = "cycles counts", .advice = "buy one"};
	fill(row);
	EQ_TEXT(print(false, false), "PMU                  yes  cycles counts\n", "what works is a line");
	EQ_TEXT(print(false, true),
		"PMU                  yes  cycles counts\n"
		"                          lost without it: hardware events\n"
		"                          to get it: buy one\n", "with -v all of it");
	row.answer = PROBE_NO;
	row.reason[0] = '\0';
	fill(row);
	EQ_TEXT(print(false, false),
		"PMU                  no   \n"
		"                          lost without it: hardware events\n"
		"                          to get it: buy one\n", "what does not is more, even without a reason");
	row.answer = PROBE_UNKNOWN;
	row.name = "perf_event_paranoid";
	strcpy(row.reason, "cannot open /proc/sys/kernel/perf_event_paranoid: No such file or directory");
	fill(row);
	EQ_TEXT(print(false, false),
		"perf_event_paranoid  ?    cannot open /proc/sys/kernel/perf_event_paranoid: No\n"
		"                          such file or directory\n"
		"                          lost without it: hardware events\n"
		"                          to get it: buy one\n", "lines end at column 80");
	strcpy(row.reason, "/\033[1m\xc2\x9b\xff\xc3\xa9");
	fill(row);
	EQ_TEXT(print(false, false),
		"perf_event_paranoid  ?    /?[1m???\xc3\xa9\n"
		"                          lost without it: hardware events\n"
		"                          to get it: buy one\n", "nothing that a terminal obeys");
	row.is_tried = false;
	strcpy(row.reason, "not tried");
	fill(row);
	EQ_TEXT(print(false, false), "perf_event_paranoid  ?    not tried\n", "what was not tried has no advice");
	memset(row.reason, 'y', sizeof(row.reason) - 1);
	fill(row);
	EQ_U64(strlen(print(false, false)), 26 + sizeof(row.reason), "a long word is not cut");
	memset(row.reason, ' ', sizeof(row.reason) - 1);
	fill(row);
	OK(strlen(print(false, false)) > 26, "spaces alone");
}

static void test_json(void)
{
	struct probe_row row = {.name = "counters", .lost = "a \"lot\"", .answer = PROBE_NO, .is_tried = true,
				.has_number = true, .number = 0, .reason = "0 free\033now \\", .advice = "wait"};
	fill(row);
	EQ_TEXT(print(true, false),
		"{\"check\" : \"counters\", \"works\" : false, \"number\" : 0, \"answer\" : \"0 free?now \\\\\", "
		"\"lost\" : \"a \\\"lot\\\"\", \"advice\" : \"wait\"}\n", "what does not work");
	row.answer = PROBE_YES;
	row.number = INT64_MIN;
	fill(row);
	EQ_TEXT(print(true, false),
		"{\"check\" : \"counters\", \"works\" : true, \"number\" : -9223372036854775808, \"answer\" : \"0 free?now \\\\\"}\n",
		"what works");
	row.answer = PROBE_UNKNOWN;
	row.has_number = row.is_tried = false;
	strcpy(row.reason, "\xc3\xa9\x7f\xc3");
	fill(row);
	EQ_TEXT(print(true, false), "{\"check\" : \"counters\", \"works\" : null, \"answer\" : \"\xc3\xa9??\"}\n",
		"what was not tried");
	EQ_TEXT(print(true, true),
		"{\"check\" : \"counters\", \"works\" : null, \"answer\" : \"\xc3\xa9??\", \"lost\" : \"a \\\"lot\\\"\", "
		"\"advice\" : \"wait\"}\n", "the same with -v");
}

static int refuse(void *context, const char *bytes, size_t count)
{
	(void)context, (void)bytes, (void)count;
	return -ENOSPC;
}

static void test_failure(void)
{
	char small[16];
	struct out out = {.buffer = small, .size = sizeof(small), .write = refuse};
	EQ_INT(report_check(&out, &probe, false, true), -ENOSPC, "a writer's failure is passed on");
}

static void test_verdict(void)
{
	static const struct {
		enum probe_answer own, all, sharing;
		enum probe_verdict verdict;
	} cases[] = {
		{PROBE_YES, PROBE_YES, PROBE_YES, PROBE_SHARED}, {PROBE_NO, PROBE_YES, PROBE_YES, PROBE_SHARED},
		{PROBE_YES, PROBE_YES, PROBE_NO, PROBE_PLAIN}, {PROBE_YES, PROBE_NO, PROBE_NO, PROBE_PLAIN},
		{PROBE_NO, PROBE_YES, PROBE_NO, PROBE_PLAIN}, {PROBE_NO, PROBE_NO, PROBE_NO, PROBE_NOTHING},
		{PROBE_UNKNOWN, PROBE_UNKNOWN, PROBE_UNKNOWN, PROBE_NOTHING},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		probe.rows[PROBE_OWN_TASKS].answer = cases[i].own;
		probe.rows[PROBE_ALL_CPUS].answer = cases[i].all;
		probe.rows[PROBE_SHARING].answer = cases[i].sharing;
		EQ_INT(probe_verdict(&probe), cases[i].verdict, "verdict %zu", i);
	}
}

int main(void)
{
	test_text();
	test_json();
	test_failure();
	test_verdict();
	return test_done();
}
