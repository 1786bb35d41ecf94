/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>

#include "err.h"
#include "options.h"
#include "out.h"

enum { ARGS_MAX = 100 };

static struct options options;
static struct err err;
static char *args[ARGS_MAX + 1];
static char words[4096];

/* Parses a line's words: between blanks; '_' in a word stands for a blank, "''" is an empty word. */
static int parse(const char *line)
{
	int count = 0;
	snprintf(words, sizeof(words), "%s", line);
	args[count++] = "bperf-mini";
	for (char *word = strtok(words, " "); word && count < ARGS_MAX; word = strtok(NULL, " ")) {
		for (char *p = word; *p; p++) {
			if (*p == '_')
				*p = ' ';
		}
		args[count++] = strcmp(word, "''") ? word : "";
	}
	args[count] = NULL;
	memset(&options, 0xff, sizeof(options));
	memset(&err, 0, sizeof(err));
	return options_parse(&options, count, args, &err);
}

#define PARSED(line) EQ_INT(parse(line), 0, "'%s' is accepted", (line))

/* The text of the first scope of this letter, or NULL. */
static const char *scope(char letter)
{
	for (int i = 0; i < options.scopes_count; i++) {
		if (options.scopes[i].letter == letter)
			return options.scopes[i].text;
	}
	return NULL;
}

static void test_nothing(void)
{
	PARSED("");
	OK(options.action == OPTIONS_COUNT && options.events_count == 0 && !options.scopes_count && !options.command && !options.timeout_ms && !options.output && !options.append &&
	   !options.no_inherit && !options.no_mount && !options.verbose, "no words: nothing is set");
	OK(options.share == OPTIONS_SHARE_AUTO && !options.per_thread && !options.interval_ms && !options.interval_count &&
	   !options.delay_ms && !options.starts_disabled && !options.repeats && !options.summary && !options.control &&
	   !options.attr_map && !(options.format == OPTIONS_JSON), "... neither of times, runs and sharing");
	char *none[] = {NULL};
	EQ_INT(options_parse(&options, 0, none, &err), 0, "not even a program name");
	OK(!options.command, "... is no command");
}

static void test_spellings(void)
{
	static const char *const lines[] = {
		"-e cs -a -C 0-3 -p 1 -t 2 -o out --append -i -v --timeout 50 --no-mount --bpf-counters",
		"--event cs --all-cpus --cpu 0-3 --pid 1 --tid 2 --output out --append --no-inherit --verbose --timeout 50 --no-mount",
		"--event=cs --all-cpus --cpu=0-3 --pid=1 --tid=2 --output=out --append --no-inherit --verbose --timeout=50 --no-mount",
		"-ecs -aivC0-3 -p1 -t2 -oout --append --timeout=0050 --no-mount",
		"-aivC 0-3 -ecs -p1 -t2 -oout --append --timeout=50 --no-mount",
		"stat --no-mount -ecs -ai -C0-3 -p1 -t2 -v -oout --append --timeout=50 --bpf-counters --bpf-counters",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		PARSED(lines[i]);
		OK(options.events_count == 1 && scope('a') && options.append && options.no_inherit && options.no_mount &&
		   options.verbose == 1 && options.timeout_ms == 50 && !options.command && options.action == OPTIONS_COUNT,
		   "... all are set");
		EQ_TEXT(options.events[0], "cs", "... -e");
		EQ_TEXT(scope('C'), "0-3", "... -C");
		EQ_TEXT(scope('p'), "1", "... -p");
		EQ_TEXT(scope('t'), "2", "... -t");
		EQ_TEXT(options.output, "out", "... -o");
	}
	PARSED("-e a -e b,c --event=d");
	EQ_INT(options.events_count, 3, "several -e");
	EQ_TEXT(options.events[1], "b,c", "... are kept as they are");
	EQ_TEXT(options.events[2], "d", "... in order");
	PARSED("-vv -v --verbose -a -a -i -i");
	EQ_INT(options.verbose, 4, "-v is counted");
	PARSED("--event= -C '' --pid==");
	EQ_TEXT(options.events[0], "", "an empty value after =");
	EQ_TEXT(scope('C'), "", "an empty value of its own");
	EQ_TEXT(scope('p'), "=", "only the first = ends the word");
	PARSED("-C -a -p --");
	EQ_TEXT(scope('C'), "-a", "a value may begin with -");
	EQ_TEXT(scope('p'), "--", "a value may be --");
	OK(!scope('a') && !options.command, "... and is nothing else then");
}

static void test_times(void)
{
	static const char *const lines[] = {
		"--per-thread -I 100 --interval-count 3 -D 7 -r 5 --summary --control fd:3",
		"--per-thread --interval-print 100 --interval-count 3 --delay 7 --repeat 5 --summary --control fd:3",
		"--per-thread --interval-print=100 --interval-count=3 --delay=7 --repeat=5 --summary --control=fd:3",
		"stat -I100 --interval-count=003 -D07 -r5 --summary --summary --per-thread --per-thread --control fd:3",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		PARSED(lines[i]);
		OK(options.per_thread && options.summary && options.repeats && !options.starts_disabled, "... all are set");
		EQ_U64(options.interval_ms, 100, "... -I");
		EQ_U64(options.interval_count, 3, "... --interval-count");
		EQ_U64(options.delay_ms, 7, "... -D");
		EQ_U64(options.repeat, 5, "... -r");
		EQ_U64(options.timeout_ms, 0, "... and no --timeout");
		EQ_TEXT(options.control, "fd:3", "... --control");
	}
	static const char *const disabled[] = {"-D -1", "-D-1", "--delay -1", "--delay=-1", "-vD -1"};
	for (size_t i = 0; i < sizeof(disabled) / sizeof(disabled[0]); i++) {
		PARSED(disabled[i]);
		OK(options.starts_disabled && options.delay_ms == 0 && !options.command, "... starts disabled");
	}
	PARSED("-D 0 -r 0");
	OK(!options.starts_disabled && options.delay_ms == 0, "a delay of 0 is none");
	OK(options.repeats && options.repeat == 0, "0 runs: until a signal");
	PARSED("--control ''");
	EQ_TEXT(options.control, "", "what --control says is looked at later");
}

static void test_numbers(void)
{
	static const struct {
		const char *option, *unit;
		int min;
		const uint64_t *field;
	} numbers[] = {
		{"--timeout", " of milliseconds", 1, &options.timeout_ms},
		{"-I", " of milliseconds", 1, &options.interval_ms},
		{"--interval-print", " of milliseconds", 1, &options.interval_ms},
		{"--interval-count", "", 1, &options.interval_count},
		{"-D", " of milliseconds", -1, &options.delay_ms},
		{"--delay", " of milliseconds", -1, &options.delay_ms},
		{"-r", "", 0, &options.repeat},
		{"--repeat", "", 0, &options.repeat},
	};
	static const char *const bad[] = {"-2", "-0", "-01", "--1", "-", "1s", "1.5", "+1", "_1", "1_", "-1_", "''", "0x10",
					  "9223372036855", "18446744073709551615", "18446744073709551617",
					  "99999999999999999999999999", "-1", "0"};
	enum { BAD_COUNT = sizeof(bad) / sizeof(bad[0]) };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char line[96], want[200];
		snprintf(line, sizeof(line), "%s 9223372036854", numbers[i].option);
		PARSED(line);
		EQ_U64(*numbers[i].field, 9223372036854, "... the greatest");
		snprintf(line, sizeof(line), "%s %d", numbers[i].option, numbers[i].min);
		PARSED(line);
		EQ_U64(*numbers[i].field, numbers[i].min > 0, "... the least");
		/* the last two are good for some */
		for (int j = 0; j < BAD_COUNT - (1 - numbers[i].min); j++) {
			snprintf(line, sizeof(line), "%s %s", numbers[i].option, bad[j]);
			EQ_INT(parse(line), -EINVAL, "'%s' is refused", line);
			snprintf(want, sizeof(want), "option %s: '%s' is not a number%s from %d to 9223372036854",
				 numbers[i].option, args[2], numbers[i].unit, numbers[i].min);
			EQ_TEXT(err.text, want, "'%s': the message", line);
		}
	}
}

static void test_share(void)
{
	static const struct {
		const char *line;
		enum options_share want;
	} good[] = {
		{"--share auto", OPTIONS_SHARE_AUTO},
		{"--share=always", OPTIONS_SHARE_ALWAYS},
		{"--share never", OPTIONS_SHARE_NEVER},
		{"--bpf-counters", OPTIONS_SHARE_ALWAYS},
		{"--share auto --share auto", OPTIONS_SHARE_AUTO},
		{"--share never --share=never --share never", OPTIONS_SHARE_NEVER},
		{"--share always --bpf-counters --bpf-counters --share always", OPTIONS_SHARE_ALWAYS},
	};
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		PARSED(good[i].line);
		EQ_INT(options.share, good[i].want, "'%s': how", good[i].line);
	}
	static const struct {
		const char *line, *message;
	} bad[] = {
		{"--share ''", "option --share: '' is not auto, always or never"},
		{"--share Auto", "option --share: 'Auto' is not auto, always or never"},
		{"--share=alway", "option --share: 'alway' is not auto, always or never"},
		{"--share=nevermore", "option --share: 'nevermore' is not auto, always or never"},
		{"--share auto --share x", "option --share: 'x' is not auto, always or never"},
		{"--share auto --share never", "--share auto and --share never do not mix"},
		{"--share never --share auto", "--share never and --share auto do not mix"},
		{"--share auto --bpf-counters", "--share auto and --bpf-counters do not mix"},
		{"--share never --bpf-counters", "--share never and --bpf-counters do not mix"},
		{"--bpf-counters --share never", "--bpf-counters and --share never do not mix"},
		{"--bpf-counters --share always --share auto", "--share always and --share auto do not mix"},
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EQ_INT(parse(bad[i].line), -EINVAL, "'%s' is refused", bad[i].line);
		EQ_TEXT(err.text, bad[i].message, "'%s': the message", bad[i].line);
	}
}

static void test_status(void)
{
	PARSED("status");
	OK(options.action == OPTIONS_STATUS && !(options.format == OPTIONS_JSON), "status is an action");
	PARSED("status -jv --bpf-attr-map m");
	OK(options.action == OPTIONS_STATUS && (options.format == OPTIONS_JSON) && options.verbose == 1, "... with what goes with it");
	EQ_TEXT(options.attr_map, "m", "... and perf's map");
	PARSED("status --then /init");
	EQ_TEXT(options.then, "/init", "... and what comes then, as for init");
	PARSED("status -h");
	OK(options.action == OPTIONS_HELP, "help, of status too");
	PARSED("status -a --version");
	OK(options.action == OPTIONS_VERSION, "the version, whatever is before it");
	static const char *const others[] = {
		"-e cs", "-a", "-C 0", "-p 1", "-t 1", "--per-thread", "-i", "--timeout 1", "-I 1", "--interval-count 1", "--summary",
		"-D 0", "-D -1", "-r 1", "--control fd:0", "-o x", "--append", "--share auto", "--bpf-counters", "--no-mount",
		"--all-user", "--all-kernel", "--dry-run",
	};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char line[64];
		snprintf(line, sizeof(line), "status -j %s -v", others[i]);
		EQ_INT(parse(line), -EINVAL, "'%s' is refused", line);
		EQ_TEXT(err.text, "status counts nothing: it takes -j, -v and --bpf-attr-map only", "'%s': the message", line);
	}
	EQ_INT(parse("status -a x"), -EINVAL, "status of an operand is refused");
	EQ_TEXT(err.text, "status takes no operand: 'x'", "... is said");
	EQ_INT(parse("-j -x, true"), -EINVAL, "two formats are refused");
	EQ_TEXT(err.text, "-j and -x do not mix", "... is said");
	PARSED("-j -j true");
	EQ_INT(parse("--per-core -A true"), -EINVAL, "two aggregations are refused");
	EQ_TEXT(err.text, "--per-core and -A do not mix", "... is said");
	EQ_INT(parse("-x= true"), 0, "a separator of its own");
	EQ_TEXT(options.separator, "=", "... is kept");
	PARSED("-x \\t true");
	EQ_TEXT(options.separator, "\t", "... and a tab by its name");
	EQ_INT(parse("--field-separator= true"), -EINVAL, "none is refused");
	EQ_INT(parse("--log-fd=2147483648 true"), -EINVAL, "a descriptor that is no int is refused");
	EQ_TEXT(err.text, "option --log-fd: '2147483648' is not a number from 0 to 2147483647", "... is said");
	PARSED("-j --dry-run true");
	OK((options.format == OPTIONS_JSON) && options.dry_run && options.action == OPTIONS_COUNT, "... goes with --dry-run");
}

static void test_check(void)
{
	PARSED("check");
	OK(options.action == OPTIONS_CHECK && options.format == OPTIONS_TEXT && !options.verbose, "check is an action");
	PARSED("check -v --json-output");
	OK(options.action == OPTIONS_CHECK && options.format == OPTIONS_JSON && options.verbose == 1, "... with what goes with it");
	PARSED("check -h");
	OK(options.action == OPTIONS_HELP, "help, of check too");
	PARSED("-- check");
	OK(options.action == OPTIONS_COUNT && !strcmp(options.command[0], "check"), "a command of this name");
	static const char *const others[] = {"-a", "-e cs", "--share never", "--no-mount", "--bpf-attr-map m", "-x,"};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char line[64];
		snprintf(line, sizeof(line), "check %s", others[i]);
		EQ_INT(parse(line), -EINVAL, "'%s' is refused", line);
		EQ_TEXT(err.text, "check counts nothing: it takes -j and -v only", "'%s': the message", line);
	}
	EQ_INT(parse("check -j x"), -EINVAL, "check of an operand is refused");
	EQ_TEXT(err.text, "check takes no operand: 'x'", "... is said");
}

static void test_list(void)
{
	PARSED("list");
	OK(options.action == OPTIONS_LIST && !(options.format == OPTIONS_JSON) && !options.command, "list is an action");
	PARSED("list -jv msr/*");
	OK(options.action == OPTIONS_LIST && (options.format == OPTIONS_JSON) && options.verbose == 1, "... with what goes with it");
	EQ_TEXT(options.command[0], "msr/*", "... and a pattern");
	PARSED("list -- -misses");
	EQ_TEXT(options.command[0], "-misses", "... that may begin with a dash");
	PARSED("list --help -a");
	OK(options.action == OPTIONS_HELP, "help, of list too");
	PARSED("-- list");
	OK(options.action == OPTIONS_COUNT && !strcmp(options.command[0], "list"), "a command of this name");
	PARSED("stat list");
	OK(options.action == OPTIONS_COUNT && !strcmp(options.command[0], "list"), "... behind stat, too");
	EQ_INT(parse("list hw -v"), -EINVAL, "an option behind the pattern is refused");
	EQ_TEXT(err.text, "list takes no second operand: '-v'", "... is said");
	static const char *const others[] = {"-e cs", "-a", "-o x", "--dry-run", "--bpf-attr-map m", "--all-user"};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char line[64];
		snprintf(line, sizeof(line), "list -j %s -v", others[i]);
		EQ_INT(parse(line), -EINVAL, "'%s' is refused", line);
		EQ_TEXT(err.text, "list counts nothing: it takes -j and -v only", "'%s': the message", line);
	}
}

static void test_levels(void)
{
	PARSED("--all-user true");
	OK(options.all_user && !options.all_kernel && !options.dry_run, "... user space");
	PARSED("--all-kernel --all-kernel true");
	OK(options.all_kernel && !options.all_user, "... the kernel");
	EQ_INT(parse("--all-kernel --all-user true"), -EINVAL, "both are refused");
	EQ_TEXT(err.text, "--all-user and --all-kernel do not mix", "... is said");
}

static void test_command(void)
{
	PARSED("-a sleep -a 1");
	OK(options.command == args + 2 && scope('a'), "the command begins at the first operand");
	PARSED("-- -a");
	OK(options.command == args + 2 && !scope('a'), "or after --");
	PARSED("-a -- sleep -- 1");
	OK(options.command == args + 3, "only the first -- is taken");
	PARSED("-a --");
	OK(!options.command, "nothing after --: no command");
	PARSED("-");
	OK(options.command == args + 1, "- is an operand");
	PARSED("stat stat x");
	OK(options.command == args + 2, "only the first stat is skipped");
	PARSED("-a stat");
	OK(options.command == args + 2, "stat after an option is a command");
	PARSED("-- stat");
	OK(options.command == args + 2, "stat after -- is a command");
	PARSED("''");
	OK(options.command == args + 1, "an empty word is an operand");
	PARSED("stat");
	OK(!options.command, "stat alone is no command");
}

static void test_actions(void)
{
	static const char *const help[] = {"-h", "--help", "stat -h", "-ah", "-hz", "--help --bogus", "-e cs --help true"};
	for (size_t i = 0; i < sizeof(help) / sizeof(help[0]); i++) {
		PARSED(help[i]);
		OK(options.action == OPTIONS_HELP, "... asks for help");
	}
	PARSED("--version --bogus");
	OK(options.action == OPTIONS_VERSION, "--version");
	PARSED("-C -h");
	OK(options.action == OPTIONS_COUNT, "-h as a value is none");
	PARSED("true --help");
	OK(options.action == OPTIONS_COUNT, "--help of the command is none");
}

static void test_refused(void)
{
	static const char listed[] = "bperf-mini --help lists the options";
	static const struct {
		const char *line, *message, *hint;
	} cases[] = {
		{"--bogus", "unknown option '--bogus'", listed},
		{"--bogus=1", "unknown option '--bogus=1'", listed},
		{"--all", "unknown option '--all'", listed},
		{"--cpus 0", "unknown option '--cpus'", listed},
		{"--=1", "unknown option '--=1'", listed},
		{"--Cpu 0", "unknown option '--Cpu'", listed},
		{"--a", "unknown option '--a'", listed},
		{"-z", "unknown option '-z'", listed},
		{"-az", "unknown option '-z' in '-az'", listed},
		{"-a=1", "unknown option '-=' in '-a=1'", listed},
		{"-a\xc3\xa9", "unknown option '-a\xc3\xa9'", listed},
		{"-a\033[1m", "unknown option '-a?[1m'", listed},
		{"---", "unknown option '---'", listed},
		{"-e", "option -e needs a value", "-e LIST: what to count: cycles,instructions:u,pmu/term=1/ (may be repeated)"},
		{"-aC", "option -C needs a value", "-C LIST: count on these CPUs: 0-3,7"},
		{"-p", "option -p needs a value", "-p LIST: count these processes, with the threads they start"},
		{"--tid", "option --tid needs a value", "--tid LIST: count these threads"},
		{"-a --output", "option --output needs a value", "--output FILE: write the counts there instead of to stderr"},
		{"--timeout", "option --timeout needs a value", "--timeout MS: stop after so many milliseconds"},
		{"-I", "option -I needs a value", "-I MS: print what was counted every so many milliseconds"},
		{"--interval-count", "option --interval-count needs a value",
		 "--interval-count N: with -I: stop after so many intervals"},
		{"-vD", "option -D needs a value", "-D MS: start counting so many ms after the start; -1: when --control says so"},
		{"--repeat", "option --repeat needs a value",
		 "--repeat N: run so many times, show mean and spread; 0: until a signal"},
		{"--share", "option --share needs a value",
		 "--share WHEN: share counters: auto (where BPF is refused, do not), always, never"},
		{"--control", "option --control needs a value",
		 "--control WHERE: obey enable, disable, ping, stop from fd:CTL[,ACK] or fifo:PATH[,PATH]"},
		{"-V", "unknown option '-V'", listed},
		{"--per-thread=1", "option --per-thread takes no value", ""},
		{"--summary=", "option --summary takes no value", ""},
		{"--bpf-counters=always", "option --bpf-counters takes no value", ""},
		{"--all-cpus=yes", "option --all-cpus takes no value", ""},
		{"--append=", "option --append takes no value", ""},
		{"--help=x", "option --help takes no value", ""},
		{"-o a -ob", "option -o is given twice", ""},
		{"--timeout 1 --timeout 1", "option --timeout is given twice", ""},
		{"--timeout 1 --timeout x", "option --timeout is given twice", ""},
		{"--bpf-attr-map a --bpf-attr-map a", "option --bpf-attr-map is given twice", ""},
		{"-I1 --interval-print=1", "option --interval-print is given twice", ""},
		{"--interval-count 1 --interval-count 2", "option --interval-count is given twice", ""},
		{"-D 0 -D 0", "option -D is given twice", ""},
		{"-D -1 -D 5", "option -D is given twice", ""},
		{"--delay 5 --delay=-1", "option --delay is given twice", ""},
		{"-r 0 -r 0", "option -r is given twice", ""},
		{"-r 1 --repeat 1", "option --repeat is given twice", ""},
		{"--control fd:1 -a --control fd:1", "option --control is given twice", ""},
		{"-o ''", "option -o: the file name is empty", ""},
		{"--output=", "option --output: the file name is empty", ""},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EQ_INT(parse(cases[i].line), -EINVAL, "'%s' is refused", cases[i].line);
		EQ_TEXT(err.text, cases[i].message, "'%s': the message", cases[i].line);
		EQ_TEXT(err.hint, cases[i].hint, "'%s': the hint", cases[i].line);
	}
}

static void test_limits(void)
{
	static char line[OPTIONS_LISTS_MAX * 4 + 16], word[400];
	for (int i = 0; i < OPTIONS_LISTS_MAX; i++)
		strcat(line, "-ex ");
	PARSED(line);
	EQ_INT(options.events_count, OPTIONS_LISTS_MAX, "as many -e as fit");
	strcat(line, "--event=x");
	EQ_INT(parse(line), -EINVAL, "one -e too many");
	EQ_TEXT(err.text, "option --event is given more than 64 times", "... is said");

	memset(word, 'y', sizeof(word) - 1);
	word[0] = word[1] = '-';
	EQ_INT(parse(word), -EINVAL, "a very long option");
	OK(strlen(err.text) < 150 && strstr(err.text, "yyy...'"), "... is cut: %s", err.text);
	word[1] = 'a';
	EQ_INT(parse(word), -EINVAL, "a very long cluster");
	OK(strlen(err.text) < 150 && strstr(err.text, "unknown option '-y' in '-ay"), "... is cut: %s", err.text);

	char *bad[] = {"bperf-mini", "--bogus", NULL};
	EQ_INT(options_parse(&options, 2, bad, NULL), -EINVAL, "err may be NULL");
}

static void test_usage(void)
{
	static char text[8192];
	struct out out = out_memory(text, sizeof(text));
	options_usage(&out);
	static const char *const words_known[] = {
		"-e, --event LIST ", "-a, --all-cpus ", "-C, --cpu LIST ", "-p, --pid LIST ", "-t, --tid LIST ", "-i, --no-inherit ",
		"    --timeout MS ", "-o, --output FILE ", "    --append ", "    --no-mount ", "    --bpf-counters ",
		"    --bpf-attr-map FILE ", "    --per-thread ", "-I, --interval-print MS ", "    --interval-count N ", "    --summary ",
		"-D, --delay MS ", "-r, --repeat N ", "    --control WHERE ", "    --share WHEN ", "    --then WHAT ",
		"-v, --verbose ", "-h, --help ", "    --version ",
	};
	for (size_t i = 0; i < sizeof(words_known) / sizeof(words_known[0]); i++)
		OK(strstr(text, words_known[i]) != NULL, "--help has '%s'", words_known[i]);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		OK(strlen(line) <= 120, "no wider than a terminal: %s", line);
		if (!strncmp(line, "  ", 2))
			OK(strlen(line) > 29 && line[28] == ' ' && line[29] != ' ', "... its text in column 30");
	}
}

int main(void)
{
	test_nothing();
	test_spellings();
	test_times();
	test_numbers();
	test_share();
	test_status();
	test_list();
	test_check();
	test_levels();
	test_command();
	test_actions();
	test_refused();
	test_limits();
	test_usage();
	return test_done();
}
