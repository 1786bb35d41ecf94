/* SPDX-License-Identifier: GPL-2.0-only */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "err.h"
#include "out.h"

/* Of all numbers: milliseconds still fit in an int64_t as nanoseconds. */
static const int64_t number_max = INT64_MAX / 1000000;

enum { QUOTE_MAX = 100 };

/* What an option takes or does. Those that take a number come last, in the order of the least that is allowed. */
enum kind {
	EVENTS, /* up to SHARE may be given more than once */
	SCOPE,
	SHARE,
	FLAG,
	TEXT,
	FILE_NAME,
	SEPARATOR,
	JSON, /* in the order of enum options_format */
	OPENMETRICS,
	EACH_CPU, /* in the order of enum options_aggregate */
	EACH_CORE,
	EACH_DIE,
	EACH_SOCKET,
	EACH_NODE,
	COUNTERS,
	VERBOSE,
	HELP,
	VERSION,
	FD,
	DELAY,
	REPEAT,
	NUMBER,
	WITH_STATUS = 0x80 /* added where status, list and check take the option */
};

/* The one place where an option is named: parsing and --help both go by it. */
struct option {
	char letter; /* 0: none */
	unsigned char kind;
	unsigned short field; /* where in struct options the value goes; 0: the kind knows */
	const char *
		word; /* its value, as --help calls it, and the help are behind it, each after a NUL; no value: takes none */
};
#define FIELD(name) offsetof(struct options, name)

static const struct option known_options[] = {
	{'e', EVENTS, 0, "event\0LIST\0what to count: cycles,instructions:u,pmu/term=1/ (may be repeated)"},
	{0, FLAG, FIELD(all_user), "all-user\0\0of events without u, k or h: user space only"},
	{0, FLAG, FIELD(all_kernel), "all-kernel\0\0likewise the kernel only"},
	{0, FLAG, FIELD(dry_run), "dry-run\0\0print what the kernel would be asked for, and count nothing"},
	{'a', SCOPE, 0, "all-cpus\0\0count on all CPUs"},
	{'C', SCOPE, 0, "cpu\0LIST\0count on these CPUs: 0-3,7"},
	{'p', SCOPE, 0, "pid\0LIST\0count these processes, with the threads they start"},
	{'t', SCOPE, 0, "tid\0LIST\0count these threads"},
	{'G', SCOPE, 0, "cgroup\0LIST\0count these cgroups: the first for the first event, ..; one is for all"},
	{0, SCOPE, 0, "for-each-cgroup\0LIST\0count all events for each of these cgroups (names or patterns)"},
	{'b', SCOPE, 0, "bpf-prog\0LIST\0count while these BPF programs run: ID, name:NAME, pin:PATH, all"},
	{0, FLAG, FIELD(per_thread), "per-thread\0\0a row for each thread, new threads included"},
	{'i', FLAG, FIELD(no_inherit), "no-inherit\0\0do not count the children of what is counted"},
	{0, NUMBER, FIELD(timeout_ms), "timeout\0MS\0stop after so many milliseconds"},
	{'I', NUMBER, FIELD(interval_ms), "interval-print\0MS\0print what was counted every so many milliseconds"},
	{0, NUMBER, FIELD(interval_count), "interval-count\0N\0with -I: stop after so many intervals"},
	{0, FLAG, FIELD(summary), "summary\0\0with -I: after the intervals the totals"},
	{'D', DELAY, FIELD(delay_ms), "delay\0MS\0start counting so many ms after the start; -1: when --control says so"},
	{'r', REPEAT, FIELD(repeat), "repeat\0N\0run so many times, show mean and spread; 0: until a signal"},
	{0, TEXT, FIELD(control), "control\0WHERE\0obey enable, disable, ping, stop from fd:CTL[,ACK] or fifo:PATH[,PATH]"},
	{'o', FILE_NAME, FIELD(output), "output\0FILE\0write the counts there instead of to stderr"},
	{0, FLAG, FIELD(append), "append\0\0add to the file of -o instead of replacing it"},
	{0, FD, FIELD(log_fd), "log-fd\0FD\0write the counts to this open descriptor"},
	{'x', SEPARATOR, FIELD(separator), "field-separator\0SEP\0write CSV: fields with SEP between them (\\t: a tab)"},
	{0, FLAG, FIELD(csv_header), "csv-header\0\0with -x: the fields' names first"},
	{'j', JSON | WITH_STATUS, 0,
	 "json-output\0\0write JSON, an object a line (also of status, list, check and --dry-run)"},
	{0, OPENMETRICS, 0, "openmetrics\0\0write OpenMetrics, as Prometheus reads it; -o FILE is replaced as a whole"},
	{0, FLAG, FIELD(no_big_num), "no-big-num\0\0write numbers without commas between thousands"},
	{'q', FLAG, FIELD(quiet), "quiet\0\0write nothing but errors"},
	{'A', EACH_CPU, 0, "no-aggr\0\0a row for each CPU"},
	{0, EACH_CORE, 0, "per-core\0\0a row for each core (and so on: of all its CPUs)"},
	{0, EACH_DIE, 0, "per-die\0\0a row for each die"},
	{0, EACH_SOCKET, 0, "per-socket\0\0a row for each socket"},
	{0, EACH_NODE, 0, "per-node\0\0a row for each NUMA node"},
	{0, FLAG, FIELD(live), "live\0\0keep one screen up to date, each second or as -I says"},
	{0, FLAG, FIELD(ascii), "ascii\0\0with --live: plain ASCII, for serial consoles"},
	{0, FLAG, FIELD(overhead), "overhead\0\0add what the counting itself cost"},
	{'n', FLAG, FIELD(null_run), "null\0\0count nothing: only the time"},
	{0, SHARE, 0, "share\0WHEN\0share counters: auto (where BPF is refused, do not), always, never"},
	{0, COUNTERS, 0, "bpf-counters\0\0as --share always"},
	{0, FLAG, FIELD(no_mount), "no-mount\0\0do not mount bpffs where it is missing: count unshared"},
	{0, TEXT | WITH_STATUS, FIELD(then),
	 "then\0WHAT\0as init: at the end poweroff, reboot, halt or exit; or PATH of an init to run now"},
	{0, TEXT | WITH_STATUS, FIELD(attr_map),
	 "bpf-attr-map\0FILE\0share with perf through this map (/sys/fs/bpf/perf_attr_map)"},
	{'v', VERBOSE | WITH_STATUS, 0, "verbose\0\0say what is done and why"},
	{'h', HELP | WITH_STATUS, 0, "help\0\0show this"},
	{0, VERSION | WITH_STATUS, 0, "version\0\0show the version"},
};
enum { KNOWN_COUNT = sizeof(known_options) / sizeof(known_options[0]) };

/* What --help calls the value; empty: the option takes none. */
static const char *value_of(const struct option *option)
{
	return option->word + strlen(option->word) + 1;
}

static const char *help_of(const struct option *option)
{
	const char *value = value_of(option);
	return value + strlen(value) + 1;
}

/* As enum options_share. */
static const char *const share_spellings[] = {"--share auto", "--share always", "--share never"};

/* As enum options_action. */
static const char *const actions[] = {"stat", "status", "list", "check"};

/* An option as it was written, for messages: "-C" or "--cpu". */
struct spelling {
	char text[24];
};

struct parser {
	struct options *options;
	struct err *err;
	char **next;                       /* the first argument that was not looked at */
	uint64_t given;                    /* a bit for each of known_options */
	bool counts;                       /* something was given that status, list and check do not take */
	const char *share;                 /* how sharing was chosen; NULL: not yet */
	struct spelling format, aggregate; /* likewise; empty: not yet */
};
_Static_assert(KNOWN_COUNT <= 64, "given has a bit for each");

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

/* The value is "MS" for milliseconds, "N" for a count. */
static int set_number(uint64_t *field, const struct option *option, const char *value, const char *name, struct err *err)
{
	const int min = option->kind == FD ? 0 : option->kind - REPEAT; /* -1, 0 or 1 */
	const int64_t max = option->kind == FD ? INT_MAX : number_max;
	int64_t number = 0;
	const char *p = value;
	for (; *p >= '0' && *p <= '9' && number <= max; p++)
		number = number * 10 + (*p - '0');
	if (p == value || *p || number < min || number > max)
		return err_set(err, -EINVAL, "option %s: '%.*s' is not a number%s from %d to %lld", name, QUOTE_MAX, value,
			       *value_of(option) == 'M' ? " of milliseconds" : "", min, (long long)max);
	*field = (uint64_t)number;
	return 0;
}

static int add_events(struct options *options, const char *value, const char *name, struct err *err)
{
	if (options->events_count == OPTIONS_LISTS_MAX)
		return err_set(err, -EINVAL, "option %s is given more than %d times", name, OPTIONS_LISTS_MAX);
	options->events[options->events_count++] = value;
	return 0;
}

/* A letter stands for each; g for the one that has none. */
static int add_scope(struct options *options, const struct option *option, const char *value, const char *name,
		     struct err *err)
{
	const char letter = option->letter ? option->letter : 'g';
	for (int i = 0; letter == 'a' && i < options->scopes_count; i++) {
		if (options->scopes[i].letter == letter)
			return 0;
	}
	if (options->scopes_count == OPTIONS_SCOPES_MAX)
		return err_set(err, -EINVAL, "option %s: more than %d scopes", name, OPTIONS_SCOPES_MAX);
	options->scopes[options->scopes_count++] = (struct options_scope){letter, value};
	return 0;
}

/* Said again it must be the same: of two that differ none is likelier to be meant. */
static int set_share(struct parser *parser, enum options_share share, const char *spelling)
{
	if (parser->share && parser->options->share != share)
		return err_set(parser->err, -EINVAL, "%s and %s do not mix", parser->share, spelling);
	parser->options->share = share;
	parser->share = spelling;
	return 0;
}

static int parse_share(struct parser *parser, const char *value, const char *name)
{
	for (int i = OPTIONS_SHARE_AUTO; i <= OPTIONS_SHARE_NEVER; i++) {
		if (!strcmp(share_spellings[i] + strlen("--share "), value))
			return set_share(parser, (enum options_share)i, share_spellings[i]);
	}
	return err_set(parser->err, -EINVAL, "option %s: '%.*s' is not auto, always or never", name, QUOTE_MAX, value);
}

/* One of those that exclude each other: the same again is no harm. */
static int choose(struct parser *parser, struct spelling *chosen, const char *name, bool is_same)
{
	if (chosen->text[0] && !is_same)
		return err_set(parser->err, -EINVAL, "%s and %s do not mix", chosen->text, name);
	out_print(chosen->text, sizeof(chosen->text), "%s", name);
	return 0;
}

static int choose_format(struct parser *parser, enum options_format format, const char *name)
{
	int result = choose(parser, &parser->format, name, parser->options->format == format);
	parser->options->format = format;
	return result;
}

static int choose_aggregate(struct parser *parser, enum options_aggregate aggregate, const char *name)
{
	int result = choose(parser, &parser->aggregate, name, parser->options->aggregate == aggregate);
	parser->options->aggregate = aggregate;
	return result;
}

/* value is empty for an option that takes none. */
static int apply(struct parser *parser, const struct option *option, const char *value, const char *name)
{
	struct options *options = parser->options;
	void *field = (char *)options + option->field;
	const enum kind kind = option->kind & ~WITH_STATUS;
	switch (kind) {
	case FLAG:
		*(bool *)field = true;
		return 0;
	case FILE_NAME:
		if (!*value)
			return err_set(parser->err, -EINVAL, "option %s: the file name is empty", name);
		/* fall through */
	case TEXT:
		*(const char **)field = value;
		return 0;
	case SEPARATOR:
		options->separator = strcmp(value, "\\t") ? value : "\t";
		if (!*value)
			return err_set(parser->err, -EINVAL, "option %s: the separator is empty", name);
		if (value[strcspn(value, "\"\r\n")])
			return err_set(parser->err, -EINVAL, "option %s: quotes and newlines are no separator", name);
		return choose_format(parser, OPTIONS_CSV, name);
	case JSON:
	case OPENMETRICS:
		return choose_format(parser, OPTIONS_JSON + (kind - JSON), name);
	case EACH_CPU:
	case EACH_CORE:
	case EACH_DIE:
	case EACH_SOCKET:
	case EACH_NODE:
		return choose_aggregate(parser, OPTIONS_EACH_CPU + (kind - EACH_CPU), name);
	case EVENTS:
		return add_events(options, value, name, parser->err);
	case SCOPE:
		return add_scope(options, option, value, name, parser->err);
	case SHARE:
		return parse_share(parser, value, name);
	case COUNTERS:
		return set_share(parser, OPTIONS_SHARE_ALWAYS, "--bpf-counters");
	case VERBOSE:
		options->verbose++;
		return 0;
	case HELP:
		options->action = OPTIONS_HELP;
		return 0;
	case VERSION:
		options->action = OPTIONS_VERSION;
		return 0;
	case DELAY:
		options->starts_disabled = !strcmp(value, "-1");
		if (options->starts_disabled)
			return 0;
		break;
	case REPEAT:
		options->repeats = true;
		break;
	case FD:
		options->has_log_fd = true;
		break;
	default:
		break;
	}
	return set_number(field, option, value, name, parser->err);
}

/* attached: the value in the same argument, or NULL: then it is the next one. */
static int take(struct parser *parser, const struct option *option, bool as_word, const char *attached)
{
	const struct spelling name = spell(option, as_word);
	const uint64_t bit = UINT64_C(1) << (option - known_options);
	const char *value = attached ? attached : "";
	const bool takes_value = *value_of(option);
	struct err *err = parser->err;
	if (!takes_value && attached)
		return err_set(err, -EINVAL, "option %s takes no value", name.text);
	if (takes_value && !attached) {
		value = *parser->next;
		if (!value) {
			err_set(err, -EINVAL, "option %s needs a value", name.text);
			err_hint(err, "%s %s: %s", name.text, value_of(option), help_of(option));
			return -EINVAL;
		}
		parser->next++;
	}
	if (takes_value && (parser->given & bit) && option->kind > SHARE)
		return err_set(err, -EINVAL, "option %s is given twice", name.text);
	parser->given |= bit;
	parser->counts |= !(option->kind & WITH_STATUS);
	return apply(parser, option, value, name.text);
}

static int parse_word(struct parser *parser, const char *arg)
{
	const char *word = arg + 2, *equals = strchr(word, '=');
	const struct option *option = by_word(word, equals ? (size_t)(equals - word) : strlen(word));
	if (!option)
		return refuse_unknown(arg, parser->err);
	return take(parser, option, true, equals ? equals + 1 : NULL);
}

/* --help and --version end the line: what follows them is not looked at. */
static bool ends_line(const struct options *options)
{
	return options->action == OPTIONS_HELP || options->action == OPTIONS_VERSION;
}

/* "-av", "-C0-3", "-vC 0" */
static int parse_letters(struct parser *parser, const char *arg)
{
	for (const char *p = arg + 1; *p; p++) {
		const struct option *option = by_letter(*p);
		if (!option) {
			if (!arg[2] || *p <= ' ' || *p > '~')
				return refuse_unknown(arg, parser->err);
			err_set(parser->err, -EINVAL, "unknown option '-%c' in '%.*s'", *p, QUOTE_MAX, arg);
			err_hint(parser->err, "bperf-mini --help lists the options");
			return -EINVAL;
		}
		bool has_rest = *value_of(option) && p[1];
		int result = take(parser, option, false, has_rest ? p + 1 : NULL);
		if (result < 0 || has_rest || ends_line(parser->options))
			return result;
	}
	return 0;
}

/* What goes with status, list and check, and with them only. */
static int check(const struct parser *parser)
{
	const struct options *options = parser->options;
	const bool is_list = options->action == OPTIONS_LIST;
	if (options->all_user && options->all_kernel)
		return err_set(parser->err, -EINVAL, "--all-user and --all-kernel do not mix");
	if (options->action == OPTIONS_COUNT || ends_line(options))
		return 0;
	if (options->command && options->command[is_list])
		return err_set(parser->err, -EINVAL, "%s takes no %soperand: '%.*s'", actions[options->action],
			       is_list ? "second " : "", QUOTE_MAX, options->command[is_list]);
	const bool is_status = options->action == OPTIONS_STATUS;
	if (parser->counts || (!is_status && options->attr_map))
		return err_set(parser->err, -EINVAL, "%s counts nothing: it takes %s only", actions[options->action],
			       is_status ? "-j, -v and --bpf-attr-map" : "-j and -v");
	return 0;
}

int options_parse(struct options *options, int argc, char **argv, struct err *err)
{
	struct parser parser = {.options = options, .err = err, .next = argv + 1};
	memset(options, 0, sizeof(*options));
	if (argc < 1)
		return 0;
	for (int i = OPTIONS_COUNT; *parser.next && i <= OPTIONS_CHECK; i++) {
		if (strcmp(*parser.next, actions[i]))
			continue;
		options->action = (enum options_action)i;
		parser.next++;
		break;
	}
	for (const char *arg; (arg = *parser.next) && arg[0] == '-' && arg[1] && !ends_line(options);) {
		parser.next++;
		if (!strcmp(arg, "--"))
			break;
		int result = arg[1] == '-' ? parse_word(&parser, arg) : parse_letters(&parser, arg);
		if (result < 0)
			return result;
	}
	if (*parser.next && !ends_line(options))
		options->command = parser.next;
	return check(&parser);
}

void options_usage(struct out *out)
{
	out_text(out,
		 "Usage: bperf-mini [stat] [OPTIONS] [--] [COMMAND [ARGS]]\n"
		 "or:    bperf-mini status [-j]\n"
		 "or:    bperf-mini list [-j] [-v] [PATTERN]\n"
		 "or:    bperf-mini check [-j] [-v]\n"
		 "Counts hardware and software events, sharing each hardware counter with all who count the same event.\n"
		 "Without -a, -C, -p, -t, -G or -b the command is what is counted; with one of them, it is how long to "
		 "count.\n\n");
	for (int i = 0; i < KNOWN_COUNT; i++) {
		const struct option *option = &known_options[i];
		char letter[] = {option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
				 option->letter ? ',' : ' ', '\0'};
		char words[32];
		out_print(words, sizeof(words), "%s%s%s", option->word, *value_of(option) ? " " : "", value_of(option));
		out_format(out, "  %s --%-20s %s\n", letter, words, help_of(option));
	}
	out_text(out, "\nThe counts go to stderr. Exit status: the command's own; 2: wrong usage; 125: bperf-mini failed;\n"
		      "126, 127: the command cannot be run, or was not found; 128+N: signal N ended it.\n");
}
