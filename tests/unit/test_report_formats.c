/* SPDX-License-Identifier: GPL-2.0-only */
/* CSV, JSON and OpenMetrics of rows that are made up: every field, every mode. With FORMATS_DIR each report is also written there, for
 * tests/formats/formats.t to check by other means. */
#include "test.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>

#include "cells.h"
#include "event.h"
#include "out.h"
#include "plan.h"
#include "report.h"

enum { EVENTS_MAX = 16, ROWS_MAX = 16400 };

static struct plan plan;
static struct event events[EVENTS_MAX];
static int events_count;
static struct report_row rows[ROWS_MAX];
static struct thread_info threads[ROWS_MAX];
static struct report_place places[8];
static struct report report;
static char text[8 << 20];

/* Starts a report for this scope. */
static void begin(enum plan_format format, enum plan_kind scope, const char *subject)
{
	memset(&plan, 0, sizeof(plan));
	plan.big_num = true; /* is for people */
	plan.repeat = 1;
	plan.format = format;
	plan.separator = ",";
	plan.scopes_count = 1;
	plan.scopes[0].kind = scope;
	plan.scopes[0].subject = subject;
	report = (struct report){.plan = &plan, .rows = rows, .elapsed_ns = 1000000000, .runs = 1, .is_first = true};
	events_count = 0;
}

static const struct event *event_named(const char *name)
{
	struct event *event = &events[events_count++];
	memset(event, 0, sizeof(*event));
	if (event_parse_list(event, 1, name, NULL) != 1)
		snprintf(event->name, sizeof(event->name), "%s", name);
	if (!event->scale)
		event->scale = 1;
	return event;
}

/* Adds a counted row that ran all the time; returns it for changes. name NULL: of the row before's event. */
static struct report_row *row(const char *name, uint64_t value)
{
	struct report_row *r = &rows[report.rows_count++];
	*r = (struct report_row){
		.event = name ? event_named(name) : r[-1].event,
		.scope = plan.scopes,
		.state = REPORT_COUNTED,
		.value = value,
		.enabled = 100,
		.running = 100,
	};
	return r;
}

static struct report_row *with_thread(struct report_row *r, int tid, const char *comm)
{
	struct thread_info *thread = &threads[r - rows];
	thread->tid = tid;
	snprintf(thread->comm, sizeof(thread->comm), "%s", comm);
	plan.per_thread = true;
	r->thread = thread;
	return r;
}

static struct report_row *with_place(struct report_row *r, const char *name, unsigned cpus)
{
	struct report_place *place = &places[(r - rows) % 8];
	snprintf(place->name, sizeof(place->name), "%s", name);
	place->cpus = cpus;
	r->place = place;
	return r;
}

static const char *printed(void)
{
	struct out out = out_memory(text, sizeof(text));
	OK(report_write(&out, &report) == 0, "it is written");
	return text;
}

/* --- CSV -------------------------------------------------------------------------------------------------------------- */

/* How many fields the line has, as RFC 4180 reads it; the separator has no quote in it. 0: that is none of its lines. */
static int fields_of(const char *line, const char *separator)
{
	const size_t length = strlen(separator);
	int count = 1;
	for (const char *p = line; *p && *p != '\n';) {
		if (*p == '"') {
			for (p++; *p != '"' || *++p == '"'; p++) {
				if (!*p)
					return 0;
			}
			if (*p && *p != '\n' && strncmp(p, separator, length))
				return 0;
			if (*p == '\n' || !*p)
				break;
		} else if (strncmp(p, separator, length)) {
			if (strchr("\"", *p))
				return 0;
			p++;
			continue;
		}
		p += length;
		count++;
	}
	return count;
}

static void every_line_has(int fields, const char *what)
{
	bool right = *printed();
	for (const char *p = text; *p; p = strchr(p, '\n') + 1)
		right &= fields_of(p, plan.separator) == fields && strchr(p, '\n');
	if (!OK(right, "%s: %d fields in each line", what, fields))
		printf("# %.*s\n", (int)strcspn(text, "\n"), text);
}

static void test_csv(void)
{
	begin(PLAN_CSV, PLAN_WORKLOAD, "sleep");
	report.has_times = true;
	row("faults", 57);
	row("cycles", 0)->state = REPORT_NOT_SUPPORTED;
	rows[1].enabled = rows[1].running = 0;
	row("cs", 0)->state = REPORT_NOT_COUNTED;
	rows[2].running = 0;
	row("task-clock", 1234567890);
	row("instructions", UINT64_MAX)->running = 25;
	EQ_TEXT(printed(),
		"57,,faults,100,100.00,46.170,/sec\n"
		"<not supported>,,cycles,0,0.00,,\n"
		"<not counted>,,cs,0,0.00,,\n"
		"1234.567890,msec,task-clock,100,100.00,1.235,CPUs utilized\n"
		"18446744073709551615,,instructions,25,25.00,,\n",
		"perf's fields, in its order; what is not there is empty; no times");
	every_line_has(7, "a command");
	plan.csv_header = true;
	OK(!strncmp(printed(), "counter-value,unit,event,event-runtime,pcnt-running,metric-value,metric-unit\n57,", 80), "the names first");
	every_line_has(7, "names");
	report.is_first = false;
	OK(!strncmp(printed(), "57,", 3), "... once");

	plan.interval_ms = 100;
	report.is_interval = true;
	report.time_ns = 1100000007;
	OK(!strncmp(printed(), "1.100000007,57,,faults,", 23), "an interval's time");
	every_line_has(8, "an interval");
	report.is_interval = false;
	report.is_summary = true;
	OK(!strncmp(printed(), "summary,57,,faults,", 19), "the total says what it is");
	every_line_has(8, "the total");

	plan.repeat = 3;
	every_line_has(9, "a run that has no mean");
	report.runs = 3;
	rows[0].error = 58;
	OK(!strncmp(printed(), "summary,57,,faults,0.58%,100,100.00,46.170,/sec\nsummary,<not supported>,,cycles,,0,0.00,,\n", 90),
	   "the error stands where perf has it");
	every_line_has(9, "a mean");

	begin(PLAN_CSV, PLAN_SYSTEM, NULL);
	plan.null_run = true;
	EQ_TEXT(printed(), "1000000000,ns,duration_time,1000000000,100.00,,\n", "nothing but the time");
	report.has_times = true;
	plan.scopes[0].kind = PLAN_WORKLOAD;
	report.user_ns = 5;
	EQ_TEXT(printed(),
		"1000000000,ns,duration_time,1000000000,100.00,,\n"
		"5,ns,user_time,1000000000,100.00,,\n"
		"0,ns,system_time,1000000000,100.00,,\n",
		"... and the command's");
}

/* Rows of all kinds of subjects in one run. */
static void mix(enum plan_format format)
{
	begin(format, PLAN_SYSTEM, NULL);
	plan.scopes_count = 5;
	plan.scopes[1] = (struct plan_scope){.kind = PLAN_CGROUPS, .subject = "a,\"b"};
	plan.scopes[2] = (struct plan_scope){.kind = PLAN_PROCESS, .subject = "1,2"};
	plan.scopes[3] = (struct plan_scope){.kind = PLAN_CPUS, .subject = "0-1"};
	plan.scopes[4] = (struct plan_scope){.kind = PLAN_WORKLOAD, .subject = "make\\"};
	plan.aggregate = PLAN_EACH_CORE;
	plan.interval_ms = 100;
	report.is_interval = true;
	report.time_ns = 100000000;
	with_place(row("cycles", 1), "S0-D0-C0", 2);
	with_place(row(NULL, 2), "S0-D0-C1", 2);
	row("cycles", 3)->scope = &plan.scopes[1];
	rows[2].cgroup = "a";
	row("cycles", 4)->scope = &plan.scopes[1];
	rows[3].cgroup = "\"b\n\303\251\377\t";
	with_thread(row("instructions", 5), 7, "a\"b,c\\")->scope = &plan.scopes[2];
	with_thread(row(NULL, 6), 0, "")->scope = &plan.scopes[2];
	row("cs", 7)->scope = &plan.scopes[3];
	rows[6].state = REPORT_NOT_SUPPORTED;
	row("cpu/event=1,umask=2/", 8)->scope = &plan.scopes[4];
	static const struct report_program program = {"on_\"switch", 99};
	row("cycles", 9)->program = &program;
	rows[8].runs = UINT64_MAX;
}

static void test_csv_subjects(void)
{
	mix(PLAN_CSV);
	plan.csv_header = true;
	EQ_TEXT(printed(),
		"interval,scope,core,counters,thread,program,program-id,program-runs,counter-value,unit,event,cgroup,event-runtime,"
		"pcnt-running,metric-value,metric-unit\n"
		"0.100000000,system,S0-D0-C0,2,,,,,1,,cycles,,100,100.00,,\n"
		"0.100000000,system,S0-D0-C1,2,,,,,2,,cycles,,100,100.00,,\n"
		"0.100000000,\"cgroup:a,\"\"b\",,,,,,,3,,cycles,a,100,100.00,,\n"
		"0.100000000,\"cgroup:a,\"\"b\",,,,,,,4,,cycles,\"\"\"b?\303\251??\",100,100.00,,\n"
		"0.100000000,\"pid:1,2\",,,\"a\"\"b,c\\-7\",,,,5,,instructions,,100,100.00,,\n"
		"0.100000000,\"pid:1,2\",,,others,,,,6,,instructions,,100,100.00,,\n"
		"0.100000000,cpu:0-1,,,,,,,<not supported>,,cs,,100,100.00,,\n"
		"0.100000000,command:make\\,,,,,,,8,,\"cpu/event=1,umask=2/\",,100,100.00,,\n"
		"0.100000000,system,,,,\"on_\"\"switch\",99,18446744073709551615,9,,cycles,,100,100.00,0.00,per run\n",
		"all kinds of rows have the same fields");
	every_line_has(16, "all of them");
	static const char *const separators[] = {";", "\t", "ab", "aa", "?", "-", "::", "1", "\303\251", " ", "|"};
	for (size_t i = 0; i < sizeof(separators) / sizeof(*separators); i++) {
		plan.separator = separators[i];
		every_line_has(16, separators[i]);
	}
}

/* --- JSON ------------------------------------------------------------------------------------------------------------- */

#define SCOPE(scope, core) \
	"{\"interval\" : 0.100000000, \"scope\" : \"" scope "\", \"core\" : " core
#define NO_CORE "null, \"counters\" : null, "
#define REST "\"event-runtime\" : 100, \"pcnt-running\" : 100.00}\n"
#define NO_PROGRAM "\"program\" : null, \"program-id\" : null, \"program-runs\" : null, "
#define PLAIN "\"thread\" : null, " NO_PROGRAM

static void test_json(void)
{
	begin(PLAN_JSON, PLAN_WORKLOAD, "sleep");
	report.has_times = true;
	report.user_ns = 12;
	row("faults", 57);
	row("cycles", 0)->state = REPORT_NOT_SUPPORTED;
	row("cs", 0)->state = REPORT_NOT_COUNTED;
	rows[2].running = 0;
	row("task-clock", 1234567890);
	row("instructions", UINT64_MAX)->running = 25;
	EQ_TEXT(printed(),
		"{\"counter-value\" : \"57\", \"unit\" : \"\", \"event\" : \"faults\", \"event-runtime\" : 100, \"pcnt-running\" : 100.00, "
		"\"metric-value\" : 46.170, \"metric-unit\" : \"/sec\"}\n"
		"{\"counter-value\" : null, \"state\" : \"not supported\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 100, "
		"\"pcnt-running\" : 100.00}\n"
		"{\"counter-value\" : null, \"state\" : \"not counted\", \"unit\" : \"\", \"event\" : \"cs\", \"event-runtime\" : 0, "
		"\"pcnt-running\" : 0.00}\n"
		"{\"counter-value\" : \"1234.567890\", \"unit\" : \"msec\", \"event\" : \"task-clock\", \"event-runtime\" : 100, "
		"\"pcnt-running\" : 100.00, \"metric-value\" : 1.235, \"metric-unit\" : \"CPUs utilized\"}\n"
		"{\"counter-value\" : \"18446744073709551615\", \"unit\" : \"\", \"event\" : \"instructions\", \"event-runtime\" : 25, "
		"\"pcnt-running\" : 25.00}\n"
		"{\"counter-value\" : \"1000000000\", \"unit\" : \"ns\", \"event\" : \"duration_time\", \"event-runtime\" : 1000000000, "
		"\"pcnt-running\" : 100.00}\n"
		"{\"counter-value\" : \"12\", \"unit\" : \"ns\", \"event\" : \"user_time\", \"event-runtime\" : 1000000000, "
		"\"pcnt-running\" : 100.00}\n"
		"{\"counter-value\" : \"0\", \"unit\" : \"ns\", \"event\" : \"system_time\", \"event-runtime\" : 1000000000, "
		"\"pcnt-running\" : 100.00}\n",
		"perf's keys; null where there is no count; the times as rows");
	report.rows_count = 1;
	report.runs = plan.repeat = 3;
	report.elapsed_error = rows[0].error = 12345;
	EQ_TEXT(printed(),
		"{\"counter-value\" : \"57\", \"unit\" : \"\", \"event\" : \"faults\", \"variance\" : 123.45, \"event-runtime\" : 100, "
		"\"pcnt-running\" : 100.00}\n"
		"{\"counter-value\" : \"1000000000\", \"unit\" : \"ns\", \"event\" : \"duration_time\", \"variance\" : 123.45, \"event-runtime\" "
		": 1000000000, \"pcnt-running\" : 100.00}\n",
		"a mean; no times of the command");

	mix(PLAN_JSON);
	EQ_TEXT(printed(),
		SCOPE("system", "\"S0-D0-C0\", \"counters\" : 2, ") PLAIN
		"\"counter-value\" : \"1\", \"unit\" : \"\", \"event\" : \"cycles\", \"cgroup\" : null, " REST
		SCOPE("system", "\"S0-D0-C1\", \"counters\" : 2, ") PLAIN
		"\"counter-value\" : \"2\", \"unit\" : \"\", \"event\" : \"cycles\", \"cgroup\" : null, " REST
		SCOPE("cgroup:a,\\\"b", NO_CORE) PLAIN
		"\"counter-value\" : \"3\", \"unit\" : \"\", \"event\" : \"cycles\", \"cgroup\" : \"a\", " REST
		SCOPE("cgroup:a,\\\"b", NO_CORE) PLAIN
		"\"counter-value\" : \"4\", \"unit\" : \"\", \"event\" : \"cycles\", \"cgroup\" : \"\\\"b\\n\303\251??\", " REST
		SCOPE("pid:1,2", NO_CORE) "\"thread\" : \"a\\\"b,c\\\\-7\", " NO_PROGRAM
		"\"counter-value\" : \"5\", \"unit\" : \"\", \"event\" : \"instructions\", \"cgroup\" : null, " REST
		SCOPE("pid:1,2", NO_CORE) "\"thread\" : \"others\", " NO_PROGRAM
		"\"counter-value\" : \"6\", \"unit\" : \"\", \"event\" : \"instructions\", \"cgroup\" : null, " REST
		SCOPE("cpu:0-1", NO_CORE) PLAIN
		"\"counter-value\" : null, \"state\" : \"not supported\", \"unit\" : \"\", \"event\" : \"cs\", \"cgroup\" : null, " REST
		SCOPE("command:make\\\\", NO_CORE) PLAIN
		"\"counter-value\" : \"8\", \"unit\" : \"\", \"event\" : \"cpu/event=1,umask=2/\", \"cgroup\" : null, " REST
		SCOPE("system", NO_CORE) "\"thread\" : null, \"program\" : \"on_\\\"switch\", \"program-id\" : 99, "
		"\"program-runs\" : 18446744073709551615, "
		"\"counter-value\" : \"9\", \"unit\" : \"\", \"event\" : \"cycles\", \"cgroup\" : null, \"event-runtime\" : 100, "
		"\"pcnt-running\" : 100.00, \"metric-value\" : 0.00, \"metric-unit\" : \"per run\"}\n",
		"all kinds of rows");

	begin(PLAN_JSON, PLAN_SYSTEM, NULL);
	plan.aggregate = PLAN_EACH_CPU;
	with_place(row("cs", 1), "CPU12", 1);
	OK(!strncmp(printed(), "{\"cpu\" : \"12\", \"counter-value\" : \"1\", ", 38), "a CPU's number, as perf has it");
}

/* --- OpenMetrics ------------------------------------------------------------------------------------------------------ */

#define FAMILY(name, help) "# TYPE bperf_" name " gauge\n# HELP bperf_" name " " help "\n"
#define SECONDS(name, help) "# TYPE bperf_" name " gauge\n# UNIT bperf_" name " seconds\n# HELP bperf_" name " " help "\n"
#define COUNTS FAMILY("events", "What was counted since the start, scaled to all the time, in the event's unit.")
#define ENABLED SECONDS("enabled_seconds", "How long the event was to be counted, added over CPUs.")
#define RUNNING SECONDS("running_seconds", "How long of this a counter was free and it was counted.")
#define ELAPSED SECONDS("elapsed_seconds", "Time since the start of the count.")

static void test_openmetrics(void)
{
	begin(PLAN_OPENMETRICS, PLAN_WORKLOAD, "a\\b\"c\nd");
	report.has_times = true;
	report.user_ns = 1;
	row("faults", UINT64_MAX);
	row("cycles", 0)->state = REPORT_NOT_SUPPORTED;
	rows[1].running = rows[1].enabled = 0;
	row("task-clock", 1234567890);
	row("temperature", 42)->running = 50;
	events[3].is_snapshot = true;
	strcpy(events[3].unit, "C");
#define SUBJECT "scope=\"command\",subject=\"a\\\\b\\\"c\\nd\",event=\""
	EQ_TEXT(printed(),
		COUNTS "bperf_events{" SUBJECT "faults\"} 18446744073709551615\n"
		FAMILY("level", "Of events that are levels the last value, in the event's unit.")
		"bperf_level{" SUBJECT "temperature\",unit=\"C\"} 42\n"
		SECONDS("clock_seconds", "The same of clocks.")
		"bperf_clock_seconds{" SUBJECT "task-clock\"} 1.234567890\n"
		ENABLED
		"bperf_enabled_seconds{" SUBJECT "faults\"} 0.000000100\n"
		"bperf_enabled_seconds{" SUBJECT "cycles\"} 0.000000000\n"
		"bperf_enabled_seconds{" SUBJECT "task-clock\"} 0.000000100\n"
		"bperf_enabled_seconds{" SUBJECT "temperature\",unit=\"C\"} 0.000000100\n"
		RUNNING
		"bperf_running_seconds{" SUBJECT "faults\"} 0.000000100\n"
		"bperf_running_seconds{" SUBJECT "cycles\"} 0.000000000\n"
		"bperf_running_seconds{" SUBJECT "task-clock\"} 0.000000100\n"
		"bperf_running_seconds{" SUBJECT "temperature\",unit=\"C\"} 0.000000050\n"
		ELAPSED "bperf_elapsed_seconds 1.000000000\n"
		SECONDS("user_seconds", "User time of the command.") "bperf_user_seconds 0.000000001\n"
		SECONDS("system_seconds", "System time of the command.") "bperf_system_seconds 0.000000000\n"
		"# EOF\n",
		"a command: counts, levels, clocks and times");

	begin(PLAN_OPENMETRICS, PLAN_SYSTEM, NULL);
	plan.interval_ms = 1000;
	report.is_interval = true;
	report.time_ns = 3000000000;
	EQ_TEXT(printed(), ELAPSED "bperf_elapsed_seconds 3.000000000\n# EOF\n", "no rows: the time since the start all the same");
	row("power/energy-pkg/", 3)->error = 1250;
	events[0].scale = 25;
	events[0].scale_exponent = -2;
	strcpy(events[0].unit, "Joules");
	report.runs = 4;
	EQ_TEXT(printed(),
		COUNTS "bperf_events{scope=\"system\",event=\"power/energy-pkg/\",unit=\"Joules\"} 0.75\n"
		ENABLED "bperf_enabled_seconds{scope=\"system\",event=\"power/energy-pkg/\",unit=\"Joules\"} 0.000000100\n"
		RUNNING "bperf_running_seconds{scope=\"system\",event=\"power/energy-pkg/\",unit=\"Joules\"} 0.000000100\n"
		"# TYPE bperf_error_ratio gauge\n# UNIT bperf_error_ratio ratio\n"
		"# HELP bperf_error_ratio Of several runs: the standard error of the mean.\n"
		"bperf_error_ratio{scope=\"system\",event=\"power/energy-pkg/\",unit=\"Joules\"} 0.1250\n"
		ELAPSED "bperf_elapsed_seconds 3.000000000\n"
		FAMILY("runs", "How many runs the counts are the mean of.") "bperf_runs 4\n# EOF\n",
		"what has a scale, and is a mean");
}

/* How many lines begin so. */
static int lines_with(const char *start)
{
	int count = 0;
	for (const char *p = text; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
		count += !strncmp(p, start, strlen(start));
	return count;
}

static void one_line(const char *want)
{
	EQ_INT(lines_with(want), 1, "%s", want);
}

static void test_openmetrics_labels(void)
{
	mix(PLAN_OPENMETRICS);
	row("cycles", 10)->scope = &plan.scopes[1];
	rows[9].cgroup = "a";
	plan.scopes[4].kind = PLAN_PROCESS;
	plan.scopes[4].subject = "1,2";
	rows[7].event = rows[4].event;
	rows[7].thread = &(struct thread_info){.tid = 7, .comm = "renamed"};
	row("cycles", 11)->place = rows[1].place;
	printed();
	one_line("bperf_events{scope=\"system\",event=\"cycles\",core=\"S0-D0-C0\"} 1\n");
	one_line("bperf_events{scope=\"system\",event=\"cycles\",core=\"S0-D0-C1\"} 2\n");
	one_line("bperf_events{scope=\"system\",event=\"cycles\",core=\"S0-D0-C1\",nth=\"2\"} 11\n");
	one_line("bperf_events{scope=\"cgroup\",subject=\"a,\\\"b\",event=\"cycles\",cgroup=\"a\"} 3\n");
	one_line("bperf_events{scope=\"cgroup\",subject=\"a,\\\"b\",event=\"cycles\",cgroup=\"a\",nth=\"2\"} 10\n");
	one_line("bperf_events{scope=\"cgroup\",subject=\"a,\\\"b\",event=\"cycles\",cgroup=\"\\\"b\\n\303\251??\"} 4\n");
	one_line("bperf_events{scope=\"pid\",subject=\"1,2\",event=\"instructions\",thread=\"a\\\"b,c\\\\\",tid=\"7\"} 5\n");
	one_line("bperf_events{scope=\"pid\",subject=\"1,2\",event=\"instructions\",thread=\"renamed\",tid=\"7\",nth=\"2\"} 8\n");
	one_line("bperf_events{scope=\"pid\",subject=\"1,2\",event=\"instructions\",thread=\"others\"} 6\n");
	one_line("bperf_events{scope=\"system\",event=\"cycles\",program=\"on_\\\"switch\",program_id=\"99\"} 9\n");
	one_line("bperf_program_runs{scope=\"system\",event=\"cycles\",program=\"on_\\\"switch\",program_id=\"99\"} 18446744073709551615\n");
	EQ_INT(lines_with("bperf_events{"), 10, "what was not counted has no number");
	EQ_INT(lines_with("bperf_enabled_seconds{scope=\"cpu\",subject=\"0-1\",event=\"cs\"} "), 1, "... but is there");
	EQ_INT(lines_with("# EOF\n"), 1, "one end");
	OK(!strcmp(text + strlen(text) - 6, "# EOF\n"), "... at the end");
	begin(PLAN_OPENMETRICS, PLAN_SYSTEM, NULL);
	plan.aggregate = PLAN_EACH_CPU;
	with_place(row("cs", 1), "CPU12", 1);
	printed();
	one_line("bperf_events{scope=\"system\",event=\"cs\",cpu=\"12\"} 1\n");
	static const char *const outputs[][2] = {
		{"/a.prom/x\\y.prom", "x\\\\y"}, {"x.txt", "x.txt"}, {"/x.prom.prom", "x.prom"}, {".prom/x", "x"}, {"a/.prom.x", ".prom.x"}};
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		char want[128];
		plan.output = outputs[i][0];
		printed();
		snprintf(want, sizeof(want), "bperf_elapsed_seconds{session=\"%s\"} ", outputs[i][1]);
		one_line(want);
		snprintf(want, sizeof(want), "bperf_events{scope=\"system\",event=\"cs\",cpu=\"12\",session=\"%s\"} 1\n", outputs[i][1]);
		one_line(want);
	}
	plan.output = ".prom"; /* which leaves nothing */
	printed();
	one_line("bperf_elapsed_seconds 1.000000000\n");
}

/* --- all of them ------------------------------------------------------------------------------------------------------ */

/* Field reports V24 and V32: the numbers that a counter may show, in every format. */
static void test_odd_numbers(void)
{
	static const uint64_t odd[] = {0, 1, 395, UINT64_C(1) << 53, (UINT64_C(1) << 53) + 1, UINT64_C(1) << 63, UINT64_MAX};
	static const enum plan_format formats[] = {PLAN_TEXT, PLAN_CSV, PLAN_JSON, PLAN_OPENMETRICS};
	enum { ODD = sizeof(odd) / sizeof(*odd) };
	for (int f = 0; f < 4; f++) {
		bool right = true;
		for (int i = 0; i < ODD * ODD * ODD; i++) {
			begin(formats[f], PLAN_SYSTEM, NULL);
			report.runs = 3;
			report.elapsed_ns = odd[i / 3 % ODD];
			report.elapsed_error = report.elapsed_error_ns = odd[i % ODD];
			for (int e = 0; e < 3; e++) {
				struct report_row *r = row(e == 0 ? "cycles" : e == 1 ? "instructions" : "task-clock", odd[i % ODD]);
				r->enabled = odd[i / ODD % ODD];
				r->running = odd[i / ODD / ODD];
				r->error = odd[(i + 1) % ODD];
			}
			events[0].scale = i % 2 ? odd[ODD - 1] : 1;
			events[0].scale_exponent = i % 199 - 99;
			printed();
			right &= !strstr(text, "inf") && !strstr(text, "nan") && !strstr(text, "NaN") && !strstr(text, " -") && !strstr(text, ",-");
		}
		OK(right, "format %d: no inf, nan or number below zero", f);
	}
	begin(PLAN_JSON, PLAN_SYSTEM, NULL);
	row("cycles", (UINT64_C(1) << 53) + 1);
	printed();
	one_line("{\"counter-value\" : \"9007199254740993\",");
}

static void test_many_threads(void)
{
	static const enum plan_format formats[] = {PLAN_CSV, PLAN_JSON, PLAN_OPENMETRICS};
	for (int f = 0; f < 3; f++) {
		begin(formats[f], PLAN_PROCESS, "1");
		for (int e = 0; e < 3; e++) {
			for (int i = 0; i < 4097; i++)
				with_thread(row(i ? NULL : e == 0 ? "cycles" : e == 1 ? "instructions" : "cs", 1), i % 4000 + 1, "t");
		}
		printed();
		if (formats[f] == PLAN_OPENMETRICS) {
			EQ_INT(lines_with("bperf_events{"), 3 * 4097, "4097 threads of three events");
			one_line("bperf_events{scope=\"pid\",subject=\"1\",event=\"cs\",thread=\"t\",tid=\"97\",nth=\"2\"} 1\n");
		} else {
			EQ_INT(lines_with(formats[f] == PLAN_CSV ? "t-" : "{\"thread\" : \"t-"), 3 * 4097, "4097 threads of three events");
		}
	}
}

/* A writer that takes some buffers, then fails. */
struct sink {
	int takes, calls;
	bool whole_lines;
};

static int sink_write(void *context, const char *bytes, size_t count)
{
	struct sink *sink = context;
	if (sink->calls++ == sink->takes)
		return -ENOSPC;
	sink->whole_lines &= bytes[count - 1] == '\n';
	return 0;
}

static void test_writing(void)
{
	static const enum plan_format formats[] = {PLAN_CSV, PLAN_JSON, PLAN_OPENMETRICS};
	for (int f = 0; f < 3; f++) {
		mix(formats[f]);
		for (int takes = 0; takes < 5; takes++) {
			char buffer[256];
			struct sink sink = {.takes = takes, .whole_lines = true};
			struct out out = {.buffer = buffer, .size = sizeof(buffer), .write = sink_write, .context = &sink};
			EQ_INT(report_write(&out, &report), -ENOSPC, "format %d: a disk that is full after %d writes is told", f, takes);
			EQ_INT(sink.calls, takes + 1, "... and not asked again");
		}
	}
	for (int f = 0; f < 2; f++) {
		mix(formats[f]);
		char buffer[4096];
		struct sink sink = {.takes = -1, .whole_lines = true};
		struct out out = {.buffer = buffer, .size = sizeof(buffer), .write = sink_write, .context = &sink};
		EQ_INT(report_write(&out, &report), 0, "written");
		EQ_INT(sink.calls, report.rows_count, "a write for each row");
		OK(sink.whole_lines, "... each ends with its line");
	}
}

static void test_utf8(void)
{
	static const struct {
		const char *text, *clean;
	} texts[] = {
		{"\303\251\342\202\254\360\237\230\200", "\303\251\342\202\254\360\237\230\200"},
		{"\302\240\337\277\340\240\200\357\277\277\360\220\200\200\364\217\277\277",
		 "\302\240\337\277\340\240\200\357\277\277\360\220\200\200\364\217\277\277"},
		{"\302\237", "??"}, {"\300\257", "??"}, {"\301\277", "??"}, {"\340\237\277", "???"}, {"\355\237\277", "\355\237\277"},
		{"\355\240\200", "???"}, {"\355\277\277", "???"}, {"\356\200\200", "\356\200\200"}, {"\360\217\277\277", "????"},
		{"\364\220\200\200", "????"}, {"\367\277\277\277", "????"}, {"\370\210\200\200\200", "?????"}, {"\377\376", "??"}, {"\342\202", "??"},
		{"\200", "?"}, {"a\177\033", "a??"},
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char got[64];
		struct out out = out_memory(got, sizeof(got));
		out_clean(&out, texts[i].text);
		char in_place[64];
		out_print(in_place, sizeof(in_place), "%s", texts[i].text);
		out_disarm(in_place);
		EQ_TEXT(got, texts[i].clean, "UTF-8, or not: case %zu", i);
		EQ_TEXT(in_place, texts[i].clean, "the same in place");
	}
	char got[64];
	struct out out = out_memory(got, sizeof(got));
	out_escaped(&out, "a\"b\\\n\t", '\\');
	out_escaped(&out, "a\"b\\\n\t", '"');
	EQ_TEXT(got, "a\\\"b\\\\\\n?a\"\"b\\??", "what comes before quotes and backslashes");
}

/* --- for the checkers of tests/formats/ --------------------------------------------------------------------------------- */

static void dump_one(const char *folder, const char *name)
{
	static const char *const suffixes[] = {"txt", "same.csv", "same.json", "prom"};
	char path[512];
	snprintf(path, sizeof(path), "%s/%s.%s", folder, name, suffixes[plan.format]);
	FILE *file = fopen(path, "w");
	OK(file && fputs(printed(), file) >= 0 && !fclose(file), "%s", path);
}

static void dump(const char *folder)
{
	static const struct {
		const char *name;
		enum plan_aggregate aggregate;
		const char *places[2];
	} aggregates[] = {
		{"cpu", PLAN_EACH_CPU, {"CPU0", "CPU12"}},        {"core", PLAN_EACH_CORE, {"S0-D0-C0", "S0-D0-C1"}},
		{"die", PLAN_EACH_DIE, {"S0-D0", "S0-D1"}},       {"socket", PLAN_EACH_SOCKET, {"S0", "S1"}},
		{"node", PLAN_EACH_NODE, {"N0", "N1"}},
	};
	for (enum plan_format format = PLAN_CSV; format <= PLAN_OPENMETRICS; format++) {
		mix(format);
		plan.csv_header = true;
		dump_one(folder, "mix");
		report.is_interval = false;
		dump_one(folder, "mix-total");
		for (size_t i = 0; i < sizeof(aggregates) / sizeof(*aggregates); i++) {
			begin(format, PLAN_SYSTEM, NULL);
			plan.csv_header = true;
			plan.aggregate = aggregates[i].aggregate;
			with_place(row("instructions", 10), aggregates[i].places[0], 4);
			with_place(row(NULL, UINT64_MAX), aggregates[i].places[1], 4);
			with_place(row("cycles", 4), aggregates[i].places[0], 4)->state = REPORT_NOT_SUPPORTED;
			with_place(row(NULL, 4), aggregates[i].places[1], 4);
			dump_one(folder, aggregates[i].name);
		}
		begin(format, PLAN_CPUS, "0");
		plan.csv_header = true;
		plan.null_run = true;
		dump_one(folder, "null");
		begin(format, PLAN_CPUS, "0");
		plan.csv_header = true;
		plan.repeat = report.runs = 3;
		row("cycles", 1)->error = 10000;
		row("cs", 0)->state = REPORT_NOT_COUNTED;
		dump_one(folder, "runs");
	}
}

int main(void)
{
	/* field report V29: no locale may change a byte */
	setlocale(LC_ALL, "");
	test_csv();
	test_csv_subjects();
	test_json();
	test_openmetrics();
	test_openmetrics_labels();
	test_odd_numbers();
	test_many_threads();
	test_writing();
	test_utf8();
	if (getenv("FORMATS_DIR"))
		dump(getenv("FORMATS_DIR"));
	return test_done();
}
