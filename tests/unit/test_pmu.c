/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "err.h"
#include "pmu.h"
#include "sysfs.h"

#define CPU "/sys/bus/event_source/devices/cpu"

static char root[] = "/tmp/bperf-mini-test.XXXXXX";

/* text NULL: a folder. */
static const struct {
	const char *path, *text;
} tree[] = {
	{"/sys", NULL}, {"/sys/bus", NULL}, {"/sys/bus/event_source", NULL}, {"/sys/bus/event_source/devices", NULL}, {CPU, NULL},
	{CPU "/events", NULL}, {CPU "/format", NULL},
	{CPU "/type", "4\n"},
	{CPU "/format/event", "config:0-7\n"},
	{CPU "/format/umask", "config:8-15\n"},
	{CPU "/format/split", "config:0-7,32-35\n"},
	{CPU "/format/edge", "config:18\n"},
	{CPU "/format/whole", "config1:0-63\n"},
	{CPU "/format/second", "config2:4-5\n"},
	{CPU "/format/beyond", "config:60-64\n"},
	{CPU "/format/reversed", "config:8-3\n"},
	{CPU "/format/nowhere", "konfig:0-7\n"},
	{CPU "/format/ninth", "config9:0-7\n"},
	{CPU "/format/trailing", "config:0-7 and more\n"},
	{CPU "/format/empty", ""},
	{CPU "/events/instructions", "event=0xc0\n"},
	{CPU "/events/ref-cycles", "event=0x00,umask=0x03\n"},
	{CPU "/events/no-newline", "umask=1,event=2"},
	{CPU "/events/split", "split=0xabc\n"},
	{CPU "/events/flag", "event=0x01,edge\n"},
	{CPU "/events/whole", "whole=0xffffffffffffffff,second=2\n"},
	{CPU "/events/too-large", "umask=0x100\n"},
	{CPU "/events/too-long", "whole=0x10000000000000000\n"},
	{CPU "/events/no-number", "event=\n"},
	{CPU "/events/no-term", "event=1,nosuch=1\n"},
	{CPU "/events/climbs", "../type=1\n"},
	{CPU "/events/commas", ",,\n"},
	{CPU "/events/empty", ""},
	{CPU "/events/beyond", "beyond=1\n"},
	{CPU "/events/reversed", "reversed=1\n"},
	{CPU "/events/nowhere", "nowhere=1\n"},
	{CPU "/events/ninth", "ninth=1\n"},
	{CPU "/events/trailing", "trailing=1\n"},
	{CPU "/events/unformatted", "empty=1\n"},
};
enum { TREE_COUNT = sizeof(tree) / sizeof(tree[0]) };

static void plant(void)
{
	char path[256];
	for (size_t i = 0; i < TREE_COUNT; i++) {
		snprintf(path, sizeof(path), "%s%s", root, tree[i].path);
		FILE *file = tree[i].text ? fopen(path, "w") : NULL;
		if (!tree[i].text)
			mkdir(path, 0700);
		else if (!file || fputs(tree[i].text, file) < 0 || fclose(file))
			OK(false, "cannot write %s", path);
	}
}

static void fell(void)
{
	char path[256];
	for (size_t i = TREE_COUNT; i--;) {
		snprintf(path, sizeof(path), "%s%s", root, tree[i].path);
		remove(path);
	}
	rmdir(root);
}

static void test_known(void)
{
	static const struct {
		const char *alias;
		uint64_t config, config1, config2;
	} cases[] = {
		{"instructions", 0xc0, 0, 0},
		{"ref-cycles", 0x300, 0, 0},
		{"no-newline", 0x102, 0, 0},
		{"split", 0xa000000bcULL, 0, 0},
		{"flag", 0x40001, 0, 0},
		{"whole", 0, UINT64_MAX, 0x20},
		{"empty", 0, 0, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		struct perf_event_attr attr = {.type = 9, .config = 77, .exclude_kernel = 1};
		EQ_INT(pmu_alias(&attr, "cpu", cases[i].alias, strlen(cases[i].alias), &err), 0, "%s", cases[i].alias);
		EQ_INT(attr.type, 4, "... its type");
		EQ_U64(attr.config, cases[i].config, "... its config");
		EQ_U64(attr.config1, cases[i].config1, "... its config1");
		EQ_U64(attr.config2, cases[i].config2, "... its config2");
		OK(attr.exclude_kernel, "... and the rest stays");
	}
}

static void test_refused(void)
{
	static const char *const aliases[] = {"too-large", "too-long", "no-number", "no-term", "climbs",  "commas",
					      "beyond",	   "reversed", "nowhere",   "ninth",   "trailing", "unformatted"};
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		struct err err = {0};
		struct perf_event_attr attr = {.type = 9, .config = 77};
		EQ_INT(pmu_alias(&attr, "cpu", aliases[i], strlen(aliases[i]), &err), -EINVAL, "%s is refused", aliases[i]);
		OK(err.text[0], "... with a text: %s", err.text);
		OK(attr.type == 9 && attr.config == 77, "... and nothing is changed");
	}
	struct perf_event_attr attr = {.type = 9};
	EQ_INT(pmu_alias(&attr, "cpu", "nosuch", 6, NULL), -ENOENT, "no such alias");
	EQ_INT(pmu_alias(&attr, "nosuch", "instructions", 12, NULL), -ENOENT, "no such PMU");
}

int main(void)
{
	if (!mkdtemp(root))
		return 1;
	sysfs_root = root;
	plant();
	test_known();
	test_refused();
	fell();
	return test_done();
}
