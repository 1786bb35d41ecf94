/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include "cmdline.h"

enum { WORDS_MAX = 64, TEXT_SIZE = 512 };

/* Words in <>, as they come out. */
static const char *joined(char **words, int count)
{
	static char text[TEXT_SIZE];
	size_t used = 0;
	text[0] = '\0';
	for (int i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "<%s>", words[i]);
	return text;
}

/* argv: words between blanks, from argv[1] on. */
static void check(const char *line, const char *argv, const char *want, int want_strays)
{
	char copy[TEXT_SIZE], words[TEXT_SIZE], *from[WORDS_MAX] = {"/bperf-mini"}, *to[WORDS_MAX];
	int argc = 1, strays = -1;
	snprintf(copy, sizeof(copy), "%s", line);
	snprintf(words, sizeof(words), "%s", argv);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		from[argc++] = word;
	int count = cmdline_arguments(to, copy, argc, from, &strays);
	EQ_TEXT(to[0], "/bperf-mini", "argv[0], '%s'", line);
	EQ_TEXT(joined(to + 1, count - 1), want, "'%s' and '%s'", line, argv);
	EQ_INT(strays, want_strays, "its strays");
	OK(count >= 1 && !to[count], "NULL ends them");
}

static void test_behind_dashes(void)
{
	check("", "", "", 0);
	check("\n", "", "", 0);
	check("quiet rdinit=/bperf-mini\n", "", "", 0);
	check("quiet -- -a -e cs\n", "-a -e cs", "<-a><-e><cs>", 0);
	check("--  -a\t-e\n", "-a -e", "<-a><-e>", 0);
	check("a=-- --x -- -a", "-a", "<-a>", 0);
	/* the kernel stops at the second one */
	check("-- -a -- prog --x -- y\n", "-a", "<-a><--><prog><--x><--><y>", 0);
	check("-- -- prog\n", "", "<--><prog>", 0);
	check("\"--\" -a\n", "-a", "<-a>", 0);
}

static void test_own_words(void)
{
	check("bperf=-a", "", "<-a>", 0);
	check("bperf=-a ro bperf=--timeout=5 bperf=-e bperf=cs,faults:u\n", "", "<-a><--timeout=5><-e><cs,faults:u>", 0);
	check("bperf=\"-e cs -a  --timeout 5\" ro\n", "", "<-e><cs><-a><--timeout><5>", 0);
	check("\"bperf=-e cs -a\" ro\n", "", "<-e><cs><-a>", 0);
	check("bperf=\"-e \tcs \" -- -a", "-a", "<-e><cs><-a>", 0);
	check("bperf= bperf=\"\" bperf=\"  \" xbperf=-a bperf.x=-a bperf bperf=-i\n", "", "<-i>", 0);
	/* behind the dashes it is a word as any other */
	check("-- bperf=-a", "bperf=-a", "<bperf=-a>", 0);
}

static void test_quotes(void)
{
	check("-- \"a b\" c\"d e\"f g=\"h i\" \"j=k l\" =\"m n\"\n", "", "<a b><c\"d e\"f><g=h i><j=k l><=\"m n\">", 0);
	check("-- \"\" x=\"\" \"y\" \"", "", "<><x=><y><>", 0);
	check("-- x=\"", "", "<x=>", 0);
	check("-- \"a b", "", "<a b>", 0);
	check("-- x=\"a b", "", "<x=a b>", 0);
	check("-- x=y=\"a b\" z", "", "<x=y=\"a b\"><z>", 0);
	check("-- a\xa0"
	      "b\x0b"
	      "c",
	      "", "<a><b><c>", 0);
}

static void test_strays(void)
{
	check("ro splash single", "splash single", "", 2);
	check("splash ro bperf=-a single -- -e cs", "splash single -e cs", "<-a><-e><cs>", 2);
	check("splash -- splash", "splash splash", "<splash>", 1);
	check("a a -- -x", "a a -x", "<-x>", 2);
}

/* Executed by another init, which had words of its own. */
static void test_others_words(void)
{
	check("rdinit=/init -- x", "-a -e cs", "<-a><-e><cs>", 0);
	check("rdinit=/init bperf=-v -- x", "-a x", "<-v><-a><x>", 0);
	check("splash bperf=-v", "splash -a", "<-v><splash><-a>", 0);
	check("", "-a", "<-a>", 0);
	check("splash -- -a", "splash -b", "<splash><-b>", 0);
}

static void test_no_name(void)
{
	char line[] = "bperf=-a", *from[] = {NULL}, *to[WORDS_MAX];
	int strays;
	EQ_INT(cmdline_arguments(to, line, 0, from, &strays), 2, "no argv at all");
	EQ_TEXT(joined(to, 2), "<bperf-mini><-a>", "a name is put there");
	EQ_INT(strays, 0, "no strays");
}

int main(void)
{
	test_behind_dashes();
	test_own_words();
	test_quotes();
	test_strays();
	test_others_words();
	test_no_name();
	return test_done();
}
