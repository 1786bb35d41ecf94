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

static void test_nothing(void)
{
	PARSED("");
	OK(options.action == OPTIONS_COUNT && options.events_count == 0 && !options.all_cpus && !options.cpus && !options.pids &&
	   !options.tids && !options.command && !options.timeout_ms && !options.output && !options.append &&
	   !options.no_inherit && !options.no_mount && !options.verbose, "no words: nothing is set");
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
		OK(options.events_count == 1 && options.all_cpus && options.append && options.no_inherit && options.no_mount &&
		   options.verbose == 1 && options.timeout_ms == 50 && !options.command && options.action == OPTIONS_COUNT,
		   "... all are set");
		EQ_TEXT(options.events[0], "cs", "... -e");
		EQ_TEXT(options.cpus, "0-3", "... -C");
		EQ_TEXT(options.pids, "1", "... -p");
		EQ_TEXT(options.tids, "2", "... -t");
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
	EQ_TEXT(options.cpus, "", "an empty value of its own");
	EQ_TEXT(options.pids, "=", "only the first = ends the word");
	PARSED("-C -a -p --");
	EQ_TEXT(options.cpus, "-a", "a value may begin with -");
	EQ_TEXT(options.pids, "--", "a value may be --");
	OK(!options.all_cpus && !options.command, "... and is nothing else then");
	PARSED("--timeout 9223372036854");
	EQ_U64(options.timeout_ms, 9223372036854, "the longest timeout");
	PARSED("--timeout 1");
	EQ_U64(options.timeout_ms, 1, "the shortest timeout");
}

static void test_command(void)
{
	PARSED("-a sleep -a 1");
	OK(options.command == args + 2 && options.all_cpus, "the command begins at the first operand");
	PARSED("-- -a");
	OK(options.command == args + 2 && !options.all_cpus, "or after --");
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
		{"-e", "option -e needs a value", "-e LIST: what to count: cycles,instructions:u,r1a8 (may be repeated)"},
		{"-aC", "option -C needs a value", "-C LIST: count on these CPUs: 0-3,7"},
		{"-p", "option -p needs a value", "-p LIST: count these processes, with the threads they start"},
		{"--tid", "option --tid needs a value", "--tid LIST: count these threads"},
		{"-a --output", "option --output needs a value", "--output FILE: write the counts there instead of to stderr"},
		{"--timeout", "option --timeout needs a value", "--timeout MS: stop after so many milliseconds"},
		{"--all-cpus=yes", "option --all-cpus takes no value", ""},
		{"--append=", "option --append takes no value", ""},
		{"--help=x", "option --help takes no value", ""},
		{"-C 0 -C 1", "option -C is given twice", ""},
		{"-C 0 --cpu 0", "option --cpu is given twice", ""},
		{"-p 1 -a -p 2", "option -p is given twice", ""},
		{"-t1 -t2", "option -t is given twice", ""},
		{"-o a -ob", "option -o is given twice", ""},
		{"--timeout 1 --timeout 1", "option --timeout is given twice", ""},
		{"-o ''", "option -o: the file name is empty", ""},
		{"--output=", "option --output: the file name is empty", ""},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EQ_INT(parse(cases[i].line), -EINVAL, "'%s' is refused", cases[i].line);
		EQ_TEXT(err.text, cases[i].message, "'%s': the message", cases[i].line);
		EQ_TEXT(err.hint, cases[i].hint, "'%s': the hint", cases[i].line);
	}

	static const char *const timeouts[] = {"0", "-1", "1s", "1.5", "+1", "_1", "''", "0x10", "9223372036855",
					       "18446744073709551617", "99999999999999999999999999"};
	for (size_t i = 0; i < sizeof(timeouts) / sizeof(timeouts[0]); i++) {
		char line[64], want[160];
		snprintf(line, sizeof(line), "--timeout %s", timeouts[i]);
		EQ_INT(parse(line), -EINVAL, "'%s' is refused", line);
		snprintf(want, sizeof(want), "option --timeout: '%s' is not a number of milliseconds from 1 to 9223372036854",
			 args[2]);
		EQ_TEXT(err.text, want, "'%s': the message", line);
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

	memset(word, 'x', sizeof(word) - 1);
	word[0] = word[1] = '-';
	EQ_INT(parse(word), -EINVAL, "a very long option");
	OK(strlen(err.text) < 150 && strstr(err.text, "xxx...'"), "... is cut: %s", err.text);
	word[1] = 'a';
	EQ_INT(parse(word), -EINVAL, "a very long cluster");
	OK(strlen(err.text) < 150 && strstr(err.text, "unknown option '-x' in '-ax"), "... is cut: %s", err.text);

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
		"    --bpf-attr-map FILE ",
		"-v, --verbose ", "-h, --help ", "    --version ",
	};
	for (size_t i = 0; i < sizeof(words_known) / sizeof(words_known[0]); i++)
		OK(strstr(text, words_known[i]) != NULL, "--help has '%s'", words_known[i]);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		OK(strlen(line) <= 120, "no wider than a terminal: %s", line);
		if (!strncmp(line, "  ", 2))
			OK(strlen(line) > 26 && line[25] == ' ' && line[26] != ' ', "... its text in column 27");
	}
}

int main(void)
{
	test_nothing();
	test_spellings();
	test_command();
	test_actions();
	test_refused();
	test_limits();
	test_usage();
	return test_done();
}
