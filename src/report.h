/* SPDX-License-Identifier: GPL-2.0-only */
/* Readings -> text. Pure: numbers in, characters out; never sees a file descriptor. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bperf.h" /* struct thread_info */
#include "event.h"
#include "metric.h"

struct count;
struct cpulist;
struct list_entry;
struct out;
struct plan;
struct plan_scope;

enum report_state { REPORT_COUNTED, REPORT_NOT_COUNTED, REPORT_NOT_SUPPORTED };

/* CPUs whose counts make one row: of -A, --per-core, .. */
struct report_place {
	char name[36];             /* as perf has it: "CPU3", "S0-D0-C1", "S0-D0", "S0", "N0" */
	unsigned cpus;             /* how many were counted */
};

/* A BPF program that is counted (-b). */
struct report_program {
	const char *name;
	uint32_t id;
};

struct report_row {
	const struct event *event;
	const struct plan_scope *scope;
	const char *cgroup;        /* its name; NULL: the row is of none */
	const struct thread_info *thread; /* NULL: the row is of none */
	const struct report_place *place; /* likewise */
	const struct report_program *program; /* likewise */
	uint64_t runs;             /* of the program; event_is_runs: they are the row's value, too */
	enum report_state state;
	uint64_t value;            /* scaled per CPU, then added; nanoseconds for clocks; the mean of several runs */
	uint64_t enabled, running; /* ns, summed over CPUs (and runs): for the share of time */
	uint64_t error;            /* of several runs: the mean's standard error in hundredths of a percent */
};

/* What the counting itself cost: all programs of a kind, or those of an event (--overhead). */
struct report_overhead {
	const char *kind;          /* "leader", "follower", "hooks" */
	const char *event;         /* NULL: of all events */
	uint64_t runs, ns;         /* the mean of several runs */
	bool is_shared;            /* with whoever counts the event: it costs no more for two */
};

struct report {
	const struct plan *plan;   /* for the header: scope, subject, command */
	const struct report_row *rows; /* all rows of the first event, then of the next; with format OpenMetrics from the start */
	int rows_count;
	uint64_t elapsed_ns;       /* of an interval: its own length; of several runs: the mean */
	bool is_first;             /* nothing stands before it where it goes: the place for a header */
	bool is_interval, is_summary; /* is_summary: the total after the intervals */
	uint64_t time_ns;          /* of an interval: its end, from the start of the count */
	uint64_t intervals;        /* how many came before this one */
	uint64_t runs;             /* that the rows are the mean of; 1: no mean */
	uint64_t elapsed_error_ns, elapsed_error; /* of several runs: in ns, in hundredths of a percent */
	const struct report_overhead *overhead;
	int overhead_count;
	unsigned cpus;             /* that are counted: the overhead is a share of their time */
	bool has_times;            /* a workload ran: */
	uint64_t user_ns, sys_ns;
	bool has_watchdog;         /* the kernel's NMI watchdog is on */
	bool is_terminal;          /* it goes to one that shows colours, if the user wants them */
};

/* Adds what was counted to the row, whose event is set, and sets its state. Not counted is also what no counter can have come to:
 * 2^63 and above is one that ran backwards, or was scaled beyond all sense. */
void report_add(struct report_row *row, const struct count *count);

/* Writes it in the plan's format. Returns 0, or the -errno of writing. */
int report_write(struct out *out, const struct report *report);

/* A row of the overhead, as all formats have it. */
struct report_cost {
	char name[EVENT_NAME_SIZE + 32]; /* "overhead:leader:cycles", "overhead:hooks", "overhead": the sum */
	uint64_t ns, runs;
	struct metric metric;      /* of a run; of the sum: its part of the time of the CPUs that are counted */
	bool is_shared, is_sum;
};

/* The index-th of them; false: there is none. The sum comes last, and only behind others. */
bool report_cost(struct report_cost *cost, const struct report *report, int index);

/* Adds the numbers of another row, and its state: the sum is counted if one of them is. */
void report_sum(struct report_row *to, const struct report_row *row);

/* Makes one row of those that differ in their place only. Returns how many rows there are then. */
int report_join(struct report_row *rows, int count);

/* "system", "cpu:0-3", "pid:99", cut to fit: which of several scopes. Foreign text. */
void report_scope(char *text, size_t size, const struct plan_scope *scope);

/* The formats. Text is as `perf stat` prints it, for people; an interval as with -I, the first one and each 25th after it under a
 * header. CSV and JSON have the same fields (cells.h), a row a line, each flushed by itself. CSV: as many of them in each row of a
 * run. JSON: an object a row. OpenMetrics: a whole exposition, with its end. */
void report_text(struct out *out, const struct report *report);
void report_csv(struct out *out, const struct report *report);
void report_json(struct out *out, const struct report *report);
void report_openmetrics(struct out *out, const struct report *report);

/* The first line of a file of text, as perf has it, and an empty one: when the count was started,
 * in seconds since 1970 UTC, in some century. */
void report_started(struct out *out, uint64_t seconds);

/* `--dry-run`: what perf_event_open(2) would be given for each event, a line, or a JSON object, each. Returns likewise. */
int report_plan(struct out *out, const struct plan *plan, bool json);

/* Its parts: an event's line or object, with those of `cpus` on which it would be counted; and a line without the name. */
void report_event(struct out *out, const struct event *event, const struct cpulist *cpus, bool json);
void report_attr(struct out *out, const struct event *event, const struct cpulist *cpus, bool json);

struct report_list {
	struct out *out;
	const struct cpulist *cpus;
	bool is_json, is_verbose;
	int group; /* whose heading stands; 0: none yet */
};
/* `bperf-mini list`: prints an entry; a list_visit of a struct report_list. */
void report_list(void *report_list, const struct list_entry *entry);

/* What kind of scope it is, in a word: "system", "cpu", "pid", "tid", "command", "cgroup". */
/* What a place is called as a key or label: "cpu", "core", ..; NULL: the plan has none. */
const char *report_place_key(const struct plan *plan);

/* Is there a command's user and system time to be told? perf leaves them out where the command only says how long to count. */
bool report_has_times(const struct report *report);

const char *report_kind(const struct plan_scope *scope);

/* Puts a text between quotes, as JSON has it: UTF-8 as it stands, what is none as '?'. */
void report_json_text(struct out *out, const char *text);

struct probe;
/* `bperf-mini check`: a row, or a JSON object, each; what is lost, and how to get it, of those that were tried and do not work, or of all. Returns
 * likewise. */
int report_check(struct out *out, const struct probe *probe, bool json, bool verbose);

/* A text from `column` on, in as many lines of 80 as it takes, with a newline; `at`: the column that is reached. */
void report_words(struct out *out, const char *text, size_t column, size_t at);

struct status;
/* `bperf-mini status`: a paragraph a leader, or one JSON object a line. Returns 0, or the -errno of writing. */
int report_status_text(struct out *out, const struct status *status);
int report_status_json(struct out *out, const struct status *status);

#endif
