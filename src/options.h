/* SPDX-License-Identifier: GPL-2.0-only */
/* argv -> struct options, and the usage text. Knows words and numbers, nothing of the kernel. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct out;

enum { OPTIONS_LISTS_MAX = 64, OPTIONS_SCOPES_MAX = 16 };

enum options_action { OPTIONS_COUNT, OPTIONS_STATUS, OPTIONS_LIST, OPTIONS_CHECK, OPTIONS_HELP, OPTIONS_VERSION };
enum options_share { OPTIONS_SHARE_AUTO, OPTIONS_SHARE_ALWAYS, OPTIONS_SHARE_NEVER };
enum options_format { OPTIONS_TEXT, OPTIONS_CSV, OPTIONS_JSON, OPTIONS_OPENMETRICS };
enum options_aggregate {
	OPTIONS_ALL_CPUS,
	OPTIONS_EACH_CPU,
	OPTIONS_EACH_CORE,
	OPTIONS_EACH_DIE,
	OPTIONS_EACH_SOCKET,
	OPTIONS_EACH_NODE
};

/* All pointers point into argv. */
struct options {
	enum options_action action;
	const char *events[OPTIONS_LISTS_MAX]; /* one per -e */
	int events_count;
	struct options_scope {
		char letter;          /* a, C, p, t, G, b; g: --for-each-cgroup */
		const char *text;     /* "" for -a */
	} scopes[OPTIONS_SCOPES_MAX]; /* in the order in which they were given; -a once */
	int scopes_count;
	bool all_user;         /* --all-user */
	bool all_kernel;       /* --all-kernel; not both */
	bool dry_run;          /* --dry-run */
	char **command;        /* the first operand and what follows, NULL-ended as argv is; NULL if there is none; of list: the pattern */
	enum options_share share; /* --share; --bpf-counters: always */
	bool per_thread;       /* --per-thread */
	uint64_t timeout_ms;   /* --timeout; 0: none */
	uint64_t interval_ms;  /* -I; 0: none */
	uint64_t interval_count; /* --interval-count; 0: none */
	uint64_t delay_ms;     /* -D; 0: none */
	bool starts_disabled;  /* -D -1 */
	bool repeats;          /* -r is given */
	uint64_t repeat;       /* -r; 0: until a signal */
	bool summary;          /* --summary */
	const char *control;   /* --control, or NULL */
	const char *output;    /* -o, or NULL: stderr */
	bool append;           /* --append */
	bool has_log_fd;       /* --log-fd is given: */
	uint64_t log_fd;       /* where to write instead of to stderr */
	enum options_format format; /* -x, -j, --openmetrics */
	const char *separator; /* -x; NULL: none */
	bool csv_header;       /* --csv-header */
	bool no_big_num;       /* --no-big-num */
	enum options_aggregate aggregate; /* -A, --per-core, --per-die, --per-socket, --per-node */
	bool quiet;            /* -q */
	bool null_run;         /* -n */
	bool live;             /* --live */
	bool ascii;            /* --ascii */
	bool overhead;         /* --overhead */
	bool no_inherit;       /* -i */
	const char *attr_map;  /* --bpf-attr-map, or NULL */
	bool no_mount;         /* --no-mount */
	const char *then;      /* --then, or NULL */
	int verbose;           /* -v, counted */
};

/* A leading "status", "list" or "check" is an action of its own. A leading "stat" is skipped and --bpf-counters accepted, so that a line written for perf runs unchanged. Options end at
 * the first operand or at "--". Returns 0, or -EINVAL with a text: the caller exits with 2. */
int options_parse(struct options *options, int argc, char **argv, struct err *err);

/* The text of --help. */
void options_usage(struct out *out);

#endif
