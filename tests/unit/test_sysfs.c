/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpulist.h"
#include "err.h"
#include "sysfs.h"

#define CPU_DIR "/sys/devices/system/cpu"

static char root[] = "/tmp/bperf-mini-test.XXXXXX";

static void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s%s", root, name);
}

/* NULL removes the file. */
static void write_file(const char *name, const char *text)
{
	char path[256];
	path_of(path, sizeof(path), name);
	unlink(path);
	if (!text)
		return;
	FILE *file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		OK(false, "cannot write %s", path);
}

static void make_dirs(void)
{
	static const char *const dirs[] = {"/sys", "/sys/devices", "/sys/devices/system", CPU_DIR};
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		char path[256];
		path_of(path, sizeof(path), dirs[i]);
		mkdir(path, 0700);
	}
}

static void remove_dirs(void)
{
	static const char *const names[] = {"/file", CPU_DIR "/online", CPU_DIR "/possible", CPU_DIR "/present", CPU_DIR,
					    "/sys/devices/system", "/sys/devices", "/sys", ""};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[256];
		path_of(path, sizeof(path), names[i]);
		remove(path);
	}
}

static void test_read(void)
{
	char buffer[8], want[256];
	struct err err = {0};
	write_file("/file", "1234567");
	EQ_INT(sysfs_read("/file", buffer, sizeof(buffer), &err), 7, "a file that just fits");
	EQ_TEXT(buffer, "1234567", "... is read whole");
	EQ_INT(sysfs_read("/file", buffer, 7, &err), -E2BIG, "one that does not fit");
	snprintf(want, sizeof(want), "cannot read %s/file: it has more than 6 bytes", root);
	EQ_TEXT(err.text, want, "... is named");
	write_file("/file", "");
	EQ_INT(sysfs_read("/file", buffer, 1, &err), 0, "an empty file");
	EQ_TEXT(buffer, "", "... is empty");
	write_file("/file", NULL);
	EQ_INT(sysfs_read("/file", buffer, sizeof(buffer), &err), -ENOENT, "a missing file");
	snprintf(want, sizeof(want), "cannot open %s/file: No such file or directory", root);
	EQ_TEXT(err.text, want, "... is named");
	EQ_INT(sysfs_read("/sys", buffer, sizeof(buffer), &err), -EISDIR, "a directory");
	snprintf(want, sizeof(want), "cannot read %s/sys: Is a directory", root);
	EQ_TEXT(err.text, want, "... is named");
	EQ_INT(sysfs_read("/file", buffer, sizeof(buffer), NULL), -ENOENT, "err may be NULL");

	char path[2048];
	memset(path, 'x', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	EQ_INT(sysfs_read(path, buffer, sizeof(buffer), &err), -ENAMETOOLONG, "a path that is too long");
	OK(!strncmp(err.text, "cannot open /xxx", 16), "... is named");
}

static const char *cpus_text(int result, const struct cpulist *online, const struct cpulist *possible, const struct err *err)
{
	static char text[1024];
	char a[128], b[128];
	if (result < 0) {
		/* without the root, which differs from run to run */
		snprintf(text, sizeof(text), "%s", !strncmp(err->text, root, strlen(root)) ? err->text + strlen(root) : err->text);
		return text;
	}
	cpulist_format(a, sizeof(a), online);
	cpulist_format(b, sizeof(b), possible);
	snprintf(text, sizeof(text), "%s of %s", a, b);
	return text;
}

/* The odd files of field report V11. */
static void test_cpus(void)
{
	static const struct {
		const char *online, *possible, *present, *want;
	} cases[] = {
		{"0\n", "0\n", "0\n", "0 of 0"},
		{"0-1\n", "0-3\n", "0-1\n", "0-1 of 0-3"},
		{"0,2-3\n", "0-3\n", NULL, "0,2-3 of 0-3"},
		{"0-3", "0-3", NULL, "0-3 of 0-3"},
		{"0-1\n", NULL, "0-2\n", "0-1 of 0-2"},
		{"0-1\n", NULL, NULL, "0-1 of 0-1"},
		{"0-1\n", "\n", "0-5\n", "0-1 of 0-5"},
		{"0-1\n", "", "", "0-1 of 0-1"},
		{"0-3\n", "0-1\n", NULL, "0-3 of 0-3"}, /* against all sense */
		{"5\n", "0-1\n", NULL, "5 of 0-1,5"},
		{"x\n", "0-1\n", NULL, CPU_DIR "/online: bad CPU list 'x?': expected a CPU number at character 1"},
		{"0\n", "0-\n", NULL, CPU_DIR "/possible: bad CPU list '0-?': a CPU number is missing at character 3"},
		{"0\n", NULL, "3-1\n",
		 CPU_DIR "/present: bad CPU list '3-1?': a range that ends before it starts at character 1"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpulist online, possible;
		struct err err = {0};
		write_file(CPU_DIR "/online", cases[i].online);
		write_file(CPU_DIR "/possible", cases[i].possible);
		write_file(CPU_DIR "/present", cases[i].present);
		int result = sysfs_cpus(&online, &possible, &err);
		EQ_TEXT(cpus_text(result, &online, &possible, &err), cases[i].want, "cpus, case %zu", i);
	}
}

static void test_affinity(void)
{
	cpu_set_t set;
	struct cpulist online, possible;
	struct err err = {0};
	sched_getaffinity(0, sizeof(set), &set);
	for (int empty = 0; empty < 2; empty++) {
		write_file(CPU_DIR "/online", empty ? "\n" : NULL);
		write_file(CPU_DIR "/possible", NULL);
		write_file(CPU_DIR "/present", NULL);
		EQ_INT(sysfs_cpus(&online, &possible, &err), SYSFS_ONLINE_GUESSED | SYSFS_POSSIBLE_GUESSED, "no list of CPUs: both are guesses");
		bool same = cpulist_count(&online) == (unsigned)CPU_COUNT(&set);
		for (int cpu = -1; (cpu = cpulist_next(&online, cpu)) >= 0;)
			same = same && CPU_ISSET(cpu, &set);
		OK(same, "... falls back to sched_getaffinity");
		OK(cpulist_contains(&possible, &online, NULL), "... and possible holds them");
	}
}

static void test_big_list(void)
{
	/* every second CPU: the longest list that 8192 CPUs have, more than a page */
	char *text = calloc(1, 32 * 1024), *p = text;
	for (int cpu = 0; cpu < CPULIST_MAX; cpu += 2)
		p += sprintf(p, "%s%d", cpu ? "," : "", cpu);
	strcpy(p, "\n");
	write_file(CPU_DIR "/online", text);
	write_file(CPU_DIR "/possible", text);
	free(text);
	struct cpulist online, possible;
	struct err err = {0};
	EQ_INT(sysfs_cpus(&online, &possible, &err), 0, "a list of 20 KB");
	EQ_U64(cpulist_count(&online), CPULIST_MAX / 2, "... is read whole");
}

static void test_numbers(void)
{
	static const struct {
		const char *text;
		long want;
	} cases[] = {
		{"2\n", 2}, {"-1\n", -1}, {"0", 0}, {"4", 4}, {"", 77}, {"\n", 77}, {"-\n", 77}, {"x\n", 77}, {"1x\n", 77}, {"1\n2\n", 77},
		{"9223372036854775807\n", LONG_MAX}, {"9223372036854775808\n", 77}, {"-9223372036854775807\n", -LONG_MAX},
		{"00000000000000000000000000000000000000001\n", 77}, /* longer than any number */
		{"+1\n", 77}, {" 1\n", 77}, {NULL, 77},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_file("/file", cases[i].text);
		EQ_INT(sysfs_number("/file", 77), cases[i].want, "number of '%s'", cases[i].text ? cases[i].text : "(no file)");
	}
	write_file("/file", NULL);
}

int main(void)
{
	struct cpulist online, possible;
	struct err err = {0};
	EQ_INT(sysfs_cpus(&online, &possible, &err), 0, "this host's CPUs");
	EQ_U64(cpulist_count(&online), (uint64_t)sysconf(_SC_NPROCESSORS_ONLN), "... as many as sysconf says");

	if (!OK(mkdtemp(root) != NULL, "a directory for the tests"))
		return test_done();
	sysfs_root = root;
	make_dirs();
	test_read();
	test_cpus();
	test_affinity();
	test_big_list();
	test_numbers();
	remove_dirs();
	OK(access(root, F_OK) != 0, "nothing is left in /tmp");
	return test_done();
}
