/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "cpulist.h"
#include "err.h"

/* What is accepted, and how it reads when written again. */
static void test_accepted(void)
{
	static const struct {
		const char *text, *again;
		unsigned count;
	} cases[] = {
		{"0", "0", 1}, {"0\n", "0", 1}, {"0-1", "0-1", 2}, {"0-1\n", "0-1", 2}, {"0-3", "0-3", 4}, {"0,2-3\n", "0,2-3", 3},
		{"0,1", "0-1", 2}, {"0,0", "0", 1}, {" 0", "0", 1}, {"0 ", "0", 1}, {" 0 - 3 , 7 \n", "0-3,7", 5}, {"7,0-3", "0-3,7", 5},
		{"0-3,2-5", "0-5", 6}, {"5-5", "5", 1}, {"007", "7", 1}, {"8191", "8191", 1}, {"0-8191", "0-8191", 8192},
		{"62-65", "62-65", 4}, {"63,64", "63-64", 2}, {"0-63", "0-63", 64}, {"64-127", "64-127", 64}, {"1,3,5", "1,3,5", 3},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpulist list;
		struct err err = {0};
		char again[64];
		EQ_INT(cpulist_parse(&list, cases[i].text, &err), 0, "'%s' is accepted", cases[i].text);
		EQ_U64(cpulist_count(&list), cases[i].count, "'%s' has %u CPUs", cases[i].text, cases[i].count);
		cpulist_format(again, sizeof(again), &list);
		EQ_TEXT(again, cases[i].again, "'%s' reads again as '%s'", cases[i].text, cases[i].again);
		EQ_TEXT(err.text, "", "'%s': no error text", cases[i].text);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "bad CPU list '': it is empty at character 1"},
		{"\n", "bad CPU list '?': it is empty at character 1"},
		{"  ", "bad CPU list '  ': it is empty at character 3"},
		{"0-", "bad CPU list '0-': a CPU number is missing at character 3"},
		{"-1", "bad CPU list '-1': expected a CPU number at character 1"},
		{"+1", "bad CPU list '+1': expected a CPU number at character 1"},
		{"1-0", "bad CPU list '1-0': a range that ends before it starts at character 1"},
		{"0,3-2", "bad CPU list '0,3-2': a range that ends before it starts at character 3"},
		{"a", "bad CPU list 'a': expected a CPU number at character 1"},
		{"0-99999999999", "bad CPU list '0-99999999999': a CPU number above 8191 at character 3"},
		{"8192", "bad CPU list '8192': a CPU number above 8191 at character 1"},
		{"4294967296", "bad CPU list '4294967296': a CPU number above 8191 at character 1"},
		{"18446744073709551616", "bad CPU list '18446744073709551616': a CPU number above 8191 at character 1"},
		{"0,", "bad CPU list '0,': a CPU number is missing at character 3"},
		{",0", "bad CPU list ',0': a CPU number is missing at character 1"},
		{"0,,1", "bad CPU list '0,,1': a CPU number is missing at character 3"},
		{"0,\n", "bad CPU list '0,?': a CPU number is missing at character 3"},
		{"0 1", "bad CPU list '0 1': expected ',' or '-' at character 3"},
		{"0-1-2", "bad CPU list '0-1-2': expected ',' or '-' at character 4"},
		{"0x1", "bad CPU list '0x1': expected ',' or '-' at character 2"},
		{"0-3:1/2", "bad CPU list '0-3:1/2': expected ',' or '-' at character 4"},
		{"0\n\n", "bad CPU list '0?\?': expected ',' or '-' at character 3"},
		{"0\n1", "bad CPU list '0?1': expected ',' or '-' at character 3"},
		{"0\t", "bad CPU list '0?': expected ',' or '-' at character 2"},
		{"all", "bad CPU list 'all': expected a CPU number at character 1"},
		{"\xff", "bad CPU list '?': expected a CPU number at character 1"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpulist list;
		struct err err = {0};
		EQ_INT(cpulist_parse(&list, cases[i].text, &err), -EINVAL, "'%s' is refused", cases[i].text);
		EQ_TEXT(err.text, cases[i].message, "'%s': the message", cases[i].text);
		EQ_INT(cpulist_parse(&list, cases[i].text, NULL), -EINVAL, "'%s' is refused without err", cases[i].text);
	}
}

static void test_long(void)
{
	/* the longest argument that Linux passes is 128 KiB */
	enum { SIZE = 128 * 1024 };
	char *text = malloc(SIZE + 1);
	size_t used = 0;
	while (used + 7 < SIZE) {
		memcpy(text + used, "0-8191,", 7);
		used += 7;
	}
	text[used - 1] = '\0';
	struct cpulist list;
	struct err err = {0};
	clock_t start = clock();
	EQ_INT(cpulist_parse(&list, text, &err), 0, "128 KiB of full ranges are accepted");
	OK(clock() - start < CLOCKS_PER_SEC, "... within a second");
	EQ_U64(cpulist_count(&list), CPULIST_MAX, "... and hold every CPU");

	memset(text, '1', SIZE);
	text[SIZE] = '\0';
	EQ_INT(cpulist_parse(&list, text, &err), -EINVAL, "128 KiB of digits are refused");
	OK(strlen(err.text) < 256 && strstr(err.text, "1...': a CPU number above 8191 at character 1"),
	   "... with a message that is cut");
	free(text);
}

static void test_set(void)
{
	struct cpulist list = {0}, part = {0};
	EQ_INT(cpulist_next(&list, -1), -1, "an empty list has no first CPU");
	EQ_U64(cpulist_count(&list), 0, "an empty list has no CPUs");
	OK(cpulist_contains(&list, &part, NULL), "an empty list holds an empty one");
	static const unsigned cpus[] = {0, 1, 63, 64, 127, 4000, 8191};
	enum { COUNT = sizeof(cpus) / sizeof(cpus[0]) };
	for (int i = COUNT - 1; i >= 0; i--)
		cpulist_add(&list, cpus[i]);
	cpulist_add(&list, 8192);
	cpulist_add(&list, UINT32_MAX);
	EQ_U64(cpulist_count(&list), COUNT, "CPUs beyond the end are not added");
	int n = 0;
	for (int cpu = -1; (cpu = cpulist_next(&list, cpu)) >= 0; n++) {
		if (n >= COUNT)
			break;
		EQ_INT(cpu, cpus[n], "member %d in order", n);
		EQ_U64(cpulist_index(&list, cpus[n]), n, "index of CPU %u", cpus[n]);
	}
	EQ_INT(n, COUNT, "every member was met");
	EQ_INT(cpulist_next(&list, 8191), -1, "nothing comes after the last");
	EQ_INT(cpulist_next(&list, 1000000), -1, "nothing comes after the end");
	EQ_U64(cpulist_index(&list, 65), 4, "index of a CPU that is no member: those below it");
	EQ_U64(cpulist_index(&list, UINT32_MAX), COUNT, "index beyond the end");
	OK(cpulist_has(&list, 63) && !cpulist_has(&list, 62) && !cpulist_has(&list, 8192), "has");

	int missing = -2;
	cpulist_add(&part, 64);
	OK(cpulist_contains(&list, &part, &missing) && missing == -2, "a part is contained");
	cpulist_add(&part, 8190);
	cpulist_add(&part, 300);
	OK(!cpulist_contains(&list, &part, &missing), "a part with others is not");
	EQ_INT(missing, 300, "the first that is missing");
	OK(!cpulist_contains(&list, &part, NULL), "missing may be NULL");
}

static const char *formatted(const char *text, size_t size)
{
	static char buffer[256];
	struct cpulist list = {0};
	if (*text)
		cpulist_parse(&list, text, NULL);
	memset(buffer, '#', sizeof(buffer));
	cpulist_format(buffer, size, &list);
	return buffer[size] == '#' ? buffer : "written past the end";
}

static void test_format(void)
{
	EQ_TEXT(formatted("", 4), "", "an empty list");
	EQ_TEXT(formatted("0-3,7", 6), "0-3,7", "one that just fits");
	EQ_TEXT(formatted("0-3,7", 5), "...", "one byte short");
	EQ_TEXT(formatted("0-3,7,9", 8), "0-3,7,9", "three that just fit");
	EQ_TEXT(formatted("0-3,7,9", 9), "0-3,7,9", "three and room to spare");
	EQ_TEXT(formatted("0-3,70,9000", 9), "", "a list that was refused is empty");
	EQ_TEXT(formatted("0-3,70,800", 9), "0-3,...", "dots after the last item that leaves room for them");
	EQ_TEXT(formatted("0-3,70,800", 10), "0-3,...", "dots do not take an item's place");
	EQ_TEXT(formatted("0-3,70,800-900", 12), "0-3,70,...", "dots after the second");
	EQ_TEXT(formatted("8190", 4), "...", "not even the first");
	EQ_TEXT(formatted("1,3,5,7,9", 4), "...", "the smallest buffer");
	EQ_TEXT(formatted("0,2,4,8191", 200), "0,2,4,8191", "single CPUs");
	for (size_t size = 4; size < 40; size++) {
		const char *text = formatted("1,3,5-6,17,19,111,113-2000,8001-8191", size);
		OK(strlen(text) < size && (size > 36 || strstr(text, "...")), "cut to %zu bytes: %s", size, text);
	}
}

int main(void)
{
	test_accepted();
	test_refused();
	test_long();
	test_set();
	test_format();
	return test_done();
}
