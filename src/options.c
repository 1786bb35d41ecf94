/* SPDX-License-Identifier: GPL-2.0-only */
#include "options.h"

#include <errno.h>
#include <string.h>

#include "err.h"
#include "out.h"

/* In ms; so that nanoseconds fit in an int64_t. */
static const uint64_t timeout_max = INT64_MAX / 1000000;

enum { QUOTE_MAX = 100 };

enum id {
	ALL_CPUS,
	APPEND,
	ATTR_MAP,
	COUNTERS,
	CPU,
	EVENT,
	HELP,
	JSON,
	NO_INHERIT,
	NO_MOUNT,
	OUTPUT,
	PID,
	TID,
	TIMEOUT,
	VERBOSE,
	VERSION
};

/* The one place where an option is named: parsing and --help both go by it. */
struct option {
	enum id id;
	char letter; /* 0: none */
	const char *word;
	const char *value; /* what --help calls it; NULL: takes none */
	const char *help;
};

static const struct option known_options[] = {
	{EVENT, 'e', "event", "LIST", "what to count: cycles,instructions:u,r1a8 (may be repeated)"},
	{ALL_CPUS, 'a', "all-cpus", NULL, "count on all CPUs"},
	{CPU, 'C', "cpu", "LIST", "count on these CPUs: 0-3,7"},
	{PID, 'p', "pid", "LIST", "count these processes, with the threads they start"},
	{TID, 't', "tid", "LIST", "count these threads"},
	{NO_INHERIT, 'i', "no-inherit", NULL, "do not count the children of what is counted"},
	{TIMEOUT, 0, "timeout", "MS", "stop after so many milliseconds"},
	{OUTPUT, 'o', "output", "FILE", "write the counts there instead of to stderr"},
	{APPEND, 0, "append", NULL, "add to the file of -o instead of replacing it"},
	{JSON, 'j', "json-output", NULL, "with status: JSON, an object a line"},
	{NO_MOUNT, 0, "no-mount", NULL, "do not mount bpffs where it is missing: count unshared"},
	{ATTR_MAP, 0, "bpf-attr-map", "FILE", "share with perf through this map (/sys/fs/bpf/perf_attr_map)"},
	{COUNTERS, 0, "bpf-counters", NULL, "no effect: counters are always shared"},
	{VERBOSE, 'v', "verbose", NULL, "say what is done and why"},
	{HELP, 'h', "help", NULL, "show this"},
	{VERSION, 0, "version", NULL, "show the version"},
};
enum { KNOWN_COUNT = sizeof(known_options) / sizeof(known_options[0]) };

/* An option as it was written, for messages: "-C" or "--cpu". */
struct spelling {
	char text[24];
};

static struct spelling spell(const struct option *option, bool as_word)
{
	struct spelling s = {"-"};
	if (as_word) {
		s.text[1] = '-';
		memcpy(s.text + 2, option->word, strlen(option->word));
	} else {
		s.text[1] = option->letter;
	}
	return s;
}

static const struct option *by_letter(char letter)
{
	for (int i = 0; i < KNOWN_COUNT; i++) {
		if (letter && known_options[i].letter == letter)
			return &known_options[i];
	}
	return NULL;
}

/* word need not end with NUL. A part of a word is not taken for it: the next option may make it ambiguous. */
static const struct option *by_word(const char *word, size_t length)
{
	for (int i = 0; i < KNOWN_COUNT; i++) {
		if (strlen(known_options[i].word) == length && !memcmp(known_options[i].word, word, length))
			return &known_options[i];
	}
	return NULL;
}

static int refuse_unknown(const char *arg, struct err *err)
{
	err_set(err, -EINVAL, "unknown option '%.*s%s'", QUOTE_MAX, arg, strlen(arg) > QUOTE_MAX ? "..." : "");
	err_hint(err, "bperf-mini --help lists the options");
	return -EINVAL;
}

static int set_text(const char **field, const char *value, struct spelling name, struct err *err)
{
	if (*field)
		return err_set(err, -EINVAL, "option %s is given twice", name.text);
	*field = value;
	return 0;
}

static int set_timeout(struct options *options, const char *value, struct spelling name, struct err *err)
{
	uint64_t ms = 0;
	const char *p = value;
	for (; *p >= '0' && *p <= '9' && ms <= timeout_max; p++)
		ms = ms * 10 + (uint64_t)(*p - '0');
	if (*p || ms == 0 || ms > timeout_max)
		return err_set(err, -EINVAL, "option %s: '%.*s' is not a number of milliseconds from 1 to %llu", name.text,
			       QUOTE_MAX, value, (unsigned long long)timeout_max);
	if (options->timeout_ms)
		return err_set(err, -EINVAL, "option %s is given twice", name.text);
	options->timeout_ms = ms;
	return 0;
}

static int add_events(struct options *options, const char *value, struct spelling name, struct err *err)
{
	if (options->events_count == OPTIONS_LISTS_MAX)
		return err_set(err, -EINVAL, "option %s is given more than %d times", name.text, OPTIONS_LISTS_MAX);
	options->events[options->events_count++] = value;
	return 0;
}

/* value is empty for an option that takes none. */
static int apply(struct options *options, enum id id, const char *value, struct spelling name, struct err *err)
{
	switch (id) {
	case ALL_CPUS:
		options->all_cpus = true;
		return 0;
	case APPEND:
		options->append = true;
		return 0;
	case ATTR_MAP:
		return set_text(&options->attr_map, value, name, err);
	case COUNTERS:
		return 0;
	case CPU:
		return set_text(&options->cpus, value, name, err);
	case EVENT:
		return add_events(options, value, name, err);
	case HELP:
		options->action = OPTIONS_HELP;
		return 0;
	case JSON:
		options->json = true;
		return 0;
	case NO_INHERIT:
		options->no_inherit = true;
		return 0;
	case NO_MOUNT:
		options->no_mount = true;
		return 0;
	case OUTPUT:
		if (!*value)
			return err_set(err, -EINVAL, "option %s: the file name is empty", name.text);
		return set_text(&options->output, value, name, err);
	case PID:
		return set_text(&options->pids, value, name, err);
	case TID:
		return set_text(&options->tids, value, name, err);
	case TIMEOUT:
		return set_timeout(options, value, name, err);
	case VERBOSE:
		options->verbose++;
		return 0;
	case VERSION:
		options->action = OPTIONS_VERSION;
		return 0;
	}
	return 0;
}

/* attached: the value in the same argument, or NULL. *next is moved over the value if that is an argument of its own. */
static int take(struct options *options, const struct option *option, bool as_word, const char *attached, char ***next,
		struct err *err)
{
	struct spelling name = spell(option, as_word);
	const char *value = attached ? attached : "";
	if (!option->value && attached)
		return err_set(err, -EINVAL, "option %s takes no value", name.text);
	if (option->value && !attached) {
		value = **next;
		if (!value) {
			err_set(err, -EINVAL, "option %s needs a value", name.text);
			err_hint(err, "%s %s: %s", name.text, option->value, option->help);
			return -EINVAL;
		}
		++*next;
	}
	return apply(options, option->id, value, name, err);
}

static int parse_word(struct options *options, const char *arg, char ***next, struct err *err)
{
	const char *word = arg + 2, *equals = strchr(word, '=');
	const struct option *option = by_word(word, equals ? (size_t)(equals - word) : strlen(word));
	if (!option)
		return refuse_unknown(arg, err);
	return take(options, option, true, equals ? equals + 1 : NULL, next, err);
}

/* --help and --version end the line: what follows them is not looked at. */
static bool ends_line(const struct options *options)
{
	return options->action == OPTIONS_HELP || options->action == OPTIONS_VERSION;
}

/* "-av", "-C0-3", "-vC 0" */
static int parse_letters(struct options *options, const char *arg, char ***next, struct err *err)
{
	for (const char *p = arg + 1; *p; p++) {
		const struct option *option = by_letter(*p);
		if (!option) {
			if (!arg[2] || *p <= ' ' || *p > '~')
				return refuse_unknown(arg, err);
			err_set(err, -EINVAL, "unknown option '-%c' in '%.*s'", *p, QUOTE_MAX, arg);
			err_hint(err, "bperf-mini --help lists the options");
			return -EINVAL;
		}
		bool has_rest = option->value && p[1];
		int result = take(options, option, false, has_rest ? p + 1 : NULL, next, err);
		if (result < 0 || has_rest || ends_line(options))
			return result;
	}
	return 0;
}

/* What goes with status, and with it only. */
static int check(const struct options *options, struct err *err)
{
	if (options->action == OPTIONS_COUNT && options->json)
		return err_set(err, -EINVAL, "option -j goes with status only");
	if (options->action != OPTIONS_STATUS)
		return 0;
	if (options->command)
		return err_set(err, -EINVAL, "status takes no operand: '%.*s'", QUOTE_MAX, options->command[0]);
	if (options->events_count || options->all_cpus || options->cpus || options->pids || options->tids ||
	    options->timeout_ms)
		return err_set(err, -EINVAL, "status counts nothing: it takes -j, -v and --bpf-attr-map only");
	return 0;
}

int options_parse(struct options *options, int argc, char **argv, struct err *err)
{
	memset(options, 0, sizeof(*options));
	if (argc < 1)
		return 0;
	char **next = argv + 1;
	if (*next && !strcmp(*next, "status"))
		options->action = OPTIONS_STATUS;
	if (*next && (!strcmp(*next, "stat") || !strcmp(*next, "status")))
		next++;
	while (*next && (*next)[0] == '-' && (*next)[1] && !ends_line(options)) {
		const char *arg = *next++;
		if (!strcmp(arg, "--"))
			break;
		int result = arg[1] == '-' ? parse_word(options, arg, &next, err) : parse_letters(options, arg, &next, err);
		if (result < 0)
			return result;
	}
	if (*next && !ends_line(options))
		options->command = next;
	return check(options, err);
}

void options_usage(struct out *out)
{
	out_text(out,
		 "Usage: bperf-mini [stat] [OPTIONS] [--] [COMMAND [ARGS]]\n"
		 "or:    bperf-mini status [-j]\n"
		 "Counts hardware and software events, sharing each hardware counter with all who count the same event.\n"
		 "Without -a, -C, -p or -t the command is what is counted; with one of them, it is how long to count.\n\n");
	for (int i = 0; i < KNOWN_COUNT; i++) {
		const struct option *option = &known_options[i];
		char letter[] = {option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
				 option->letter ? ',' : ' ', '\0'};
		char words[32];
		out_print(words, sizeof(words), "%s%s%s", option->word, option->value ? " " : "",
			  option->value ? option->value : "");
		out_format(out, "  %s --%-17s %s\n", letter, words, option->help);
	}
	out_text(out, "\nThe counts go to stderr. Exit status: the command's own; 2: wrong usage; 125: bperf-mini failed;\n"
		      "126, 127: the command cannot be run, or was not found; 128+N: signal N ended it.\n");
}
