/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "err.h"
#include "fd.h"
#include "sysfs.h"

#define HEAD "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
#define UNIFIED "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
#define MEMORY "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
#define LONG_PART "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
#define LONG_PATH "/" LONG_PART LONG_PART LONG_PART LONG_PART LONG_PART LONG_PART LONG_PART LONG_PART LONG_PART LONG_PART

/* Plain folders stand for cgroups. */
static char root[] = "/tmp/bperf-mini-test.XXXXXX";
static struct cgroup_mounts mounts;

static void make_dir(const char *name)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (mkdir(path, 0700))
		OK(false, "mkdir %s: %s", path, strerror(errno));
}

/* Links are not followed. */
static void remove_all(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		char inner[8192];
		snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			remove_all(inner);
	}
	if (dir)
		closedir(dir);
	remove(path);
}

static int open_fds(void)
{
	int count = 0;
	DIR *dir = opendir("/proc/self/fd");
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* Paths under the root of the tests begin with "@". */
static const char *short_text(const char *text)
{
	static char copy[4096];
	char *to = copy;
	while (*text) {
		bool is_root = !strncmp(text, root, strlen(root));
		*to++ = is_root ? '@' : *text;
		text += is_root ? strlen(root) : 1;
	}
	*to = '\0';
	return copy;
}

static void test_parse(void)
{
	static const struct {
		const char *name, *text, *v2, *v1;
	} cases[] = {
		{"this host's", HEAD MEMORY UNIFIED, "/sys/fs/cgroup/unified", ""},
		{"nothing", "", "", ""},
		{"no cgroups", HEAD, "", ""},
		{"empty lines and no last newline", "\n\n1 2 0:3 / /c rw - cgroup2 cgroup2 rw", "/c", ""},
		{"an optional field", "1 2 0:3 / /c rw shared:9 - cgroup2 none rw\n", "/c", ""},
		{"more of them", "1 2 0:3 / /c rw shared:9 master:1 propagate_from:2 unbindable - cgroup2 none rw\n", "/c", ""},
		{"options behind", "1 2 0:3 / /c rw,nosuid - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n", "/c", ""},
		{"an empty source", "1 2 0:3 / /c rw - cgroup2  rw\n", "/c", ""},
		{"an empty source of v1", "1 2 0:3 / /p rw - cgroup  rw,perf_event\n", "", "/p"},
		{"escapes", "1 2 0:3 / /a\\040b\\011\\134c\\0401,d rw - cgroup2 cgroup2 rw\n", "/a b\t\\c 1,d", ""},
		{"UTF-8", "1 2 0:3 / /gr\xc3\xbcn rw - cgroup2 cgroup2 rw\n", "/gr\xc3\xbcn", ""},
		{"escapes that are none", "1 2 0:3 / /a\\9\\0 rw - cgroup2 cgroup2 rw\n", "/a", ""},
		{"an escape at the end", "1 2 0:3 / /a\\", "", ""},
		{"words of ours in other places", "1 2 0:3 / /x\\040-\\040cgroup2 cgroup2 - ext4 cgroup2 perf_event\n", "", ""},
		{"a mount that is a dash", "1 2 0:3 - - rw - cgroup2 cgroup2 rw\n", "-", ""},
		{"other file systems", "1 2 0:3 / /c rw - cgroup22 cgroup2 rw\n1 2 0:3 / /c rw - cgroup3 x rw,perf_event\n", "", ""},
		{"v1, alone", "1 2 0:3 / /sys/fs/cgroup/perf_event rw - cgroup cgroup rw,perf_event\n", "", "/sys/fs/cgroup/perf_event"},
		{"v1, with others", "1 2 0:3 / /p rw - cgroup cgroup rw,cpu,perf_event,memory\n", "", "/p"},
		{"v1 of other controllers", "1 2 0:3 / /p rw - cgroup cgroup rw,perf_events,noperf_event,name=perf_event\n", "", ""},
		{"v1 with a source of that name", "1 2 0:3 / /p rw - cgroup perf_event rw,memory\n", "", ""},
		{"both", "1 2 0:3 / /p rw - cgroup x rw,perf_event\n" UNIFIED, "/sys/fs/cgroup/unified", "/p"},
		{"two whole ones: the first", "1 2 0:3 / /a rw - cgroup2 x rw\n1 2 0:3 / /b rw - cgroup2 x rw\n", "/a", ""},
		{"a part, then the whole", "1 2 0:3 /k /a rw - cgroup2 x rw\n1 2 0:3 / /b rw - cgroup2 x rw\n", "/b", ""},
		{"the whole, then a part", "1 2 0:3 / /a rw - cgroup2 x rw\n1 2 0:3 /k /b rw - cgroup2 x rw\n", "/a", ""},
		{"parts only: the first", "1 2 0:3 /.. /a rw - cgroup2 x rw\n1 2 0:3 /k /b rw - cgroup2 x rw\n", "/a", ""},
		{"part, whole, part, whole", "1 2 0:3 /k /a rw - cgroup x perf_event\n1 2 0:3 / /b rw - cgroup x perf_event\n"
		 "1 2 0:3 /k /c rw - cgroup x perf_event\n1 2 0:3 / /d rw - cgroup x perf_event\n", "", "/b"},
		{"a path that is too long", "1 2 0:3 / /" LONG_PATH LONG_PATH " rw - cgroup2 x rw\n" UNIFIED, "/sys/fs/cgroup/unified", ""},
		{"half a line", "1 2 0:3 / /c rw - cgroup2\n1 2 0:3 / /d\n1 2\n1", "/c", ""},
		{"half a line of v1", "1 2 0:3 / /c rw - cgroup\n1 2 0:3 / /c rw - cgroup x\n", "", ""},
		{"no dash", "1 2 0:3 / /c rw shared:1 cgroup2 cgroup2 rw\n" UNIFIED, "/sys/fs/cgroup/unified", ""},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* of its very size, for ASan */
		char *text = strdup(cases[i].text);
		memset(&mounts, 'x', sizeof(mounts));
		cgroup_mounts_parse(&mounts, text);
		free(text);
		EQ_TEXT(mounts.paths[CGROUP_V2], cases[i].v2, "mountinfo, %s: v2", cases[i].name);
		EQ_TEXT(mounts.paths[CGROUP_V1], cases[i].v1, "mountinfo, %s: v1", cases[i].name);
	}
}

static void write_mountinfo(const char *text, int padding)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	FILE *file = fopen(path, "w");
	for (int i = 0; i < padding; i++)
		fputs("99 98 0:44 / /var/lib/docker/overlay2/x/merged rw - overlay overlay rw,lowerdir=" LONG_PATH "\n", file);
	fputs(text, file);
	fclose(file);
}

static void test_read(void)
{
	struct err err = {0};
	sysfs_root = root;
	EQ_INT(cgroup_mounts_read(&mounts, &err), -ENOENT, "no mountinfo");
	EQ_TEXT(short_text(err.text), "cannot open @/proc/self/mountinfo: No such file or directory", "... is named");
	make_dir("proc");
	make_dir("proc/self");
	write_mountinfo(HEAD MEMORY, 0);
	EQ_INT(cgroup_mounts_read(&mounts, &err), -ENODEV, "no cgroups that count");
	EQ_TEXT(err.text, "neither cgroup v2 nor v1 with perf_event is mounted", "... are missed");
	EQ_INT(cgroup_mounts_read(&mounts, NULL), -ENODEV, "err may be NULL");
	write_mountinfo(UNIFIED, 3500);
	EQ_INT(cgroup_mounts_read(&mounts, &err), 0, "4 MB of mounts before ours");
	EQ_TEXT(mounts.paths[CGROUP_V2], "/sys/fs/cgroup/unified", "... which is found");
	EQ_TEXT(mounts.paths[CGROUP_V1], "", "... alone");
	write_mountinfo(UNIFIED, 4000);
	EQ_INT(cgroup_mounts_read(&mounts, &err), -E2BIG, "more");
	sysfs_root = "";
}

static void test_list(void)
{
	static const struct {
		const char *list, *want;
	} cases[] = {
		{"a,b", "<a><b>"}, {"", "<>"}, {"foo,,bar", "<foo><><bar>"}, {",", "<><>"}, {"a,", "<a><>"},
		{"a b,c:d,\xc3\xbc", "<a b><c:d><\xc3\xbc>"}, {"a\\,b", "<a\\><b>"}, {"\\x2d", "<\\x2d>"},
		{"\"with,comma\",b", "<with,comma><b>"}, {"b,\"with,comma\"", "<b><with,comma>"}, {"\"\",x", "<><x>"},
		{"\"a\"\"b\"", "<a\"b>"}, {"\"\"\"\"", "<\">"}, {"\"\"\"a\"\"\",b", "<\"a\"><b>"}, {"a\",\"b", "<a,b>"},
		{"\"a", "cgroups '\"a': an open quote or a long name"},
		{"x,\"a,b", "<x>cgroups '\"a,b': an open quote or a long name"},
		{"a\"b", "cgroups 'a\"b': an open quote or a long name"},
		{"\"a\nb", "cgroups '\"a?b': an open quote or a long name"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char got[4096] = "", item[CGROUP_PATH_SIZE];
		struct err err = {0};
		const char *rest = cases[i].list;
		int result;
		while ((result = cgroup_list_next(&rest, item, &err)) > 0)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "<%s>", item);
		strcat(got, err.text);
		EQ_TEXT(got, cases[i].want, "list %s", cases[i].list);
		EQ_INT(result, err.text[0] ? -EINVAL : 0, "... ends so");
	}
}

static void test_long_item(void)
{
	char text[CGROUP_PATH_SIZE + 3], item[CGROUP_PATH_SIZE];
	struct err err = {0};
	const char *rest = text;
	memset(text, 'x', sizeof(text));
	strcpy(text + CGROUP_PATH_SIZE - 1, ",y");
	EQ_INT(cgroup_list_next(&rest, item, &err), 1, "an item that just fits");
	EQ_U64(strlen(item), CGROUP_PATH_SIZE - 1, "... is whole");
	EQ_TEXT(rest, "y", "... and the rest follows");
	strcpy(text + CGROUP_PATH_SIZE - 1, "x,");
	rest = text;
	EQ_INT(cgroup_list_next(&rest, item, &err), -EINVAL, "one that does not");
}

/* The descriptor and the id are right. */
static bool is_good(const struct cgroup *group)
{
	struct stat found;
	return group->fd > 2 && fcntl(group->fd, F_GETFD) == FD_CLOEXEC && !fstat(group->fd, &found) && S_ISDIR(found.st_mode) &&
	       found.st_ino == group->id && !cgroup_is_gone(group);
}

/* What is made of a name: "path name depth v1", or the error. */
static const char *opened(const char *name)
{
	static char text[8192];
	struct cgroup group;
	struct err err = {0};
	int result = cgroup_open(&group, &mounts, name, &err);
	if (result < 0) {
		snprintf(text, sizeof(text), "%d %s", result, short_text(err.text));
		return group.fd < 0 ? text : "a descriptor that was not closed";
	}
	OK(result == 0 && is_good(&group), "a good descriptor and id of %.99s", name);
	snprintf(text, sizeof(text), "%s %s %u%s", short_text(group.path), cgroup_name(&group), group.depth, group.is_v1 ? " v1" : "");
	fd_close(&group.fd);
	return text;
}

static void make_tree(void)
{
	static const char *const names[] = {"the v2", "the v2/web", "the v2/webs", "the v2/a", "the v2/a/b", "the v2/a/b/c", "the v2/with space",
		"the v2/with,comma", "the v2/co:lon", "the v2/\xc3\xbcml\xc3\xa4ut", "the v2/...", "the v2/a+b", "the v2/q\"", "the v2/sys",
		"the v1", "the v1/web", "the v1/only", "the v1/only/b"};
	char text[512];
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make_dir(names[i]);
	snprintf(text, sizeof(text), "%s/the v2/web/cgroup.procs", root);
	close(open(text, O_CREAT | O_WRONLY, 0600));
	snprintf(text, sizeof(text), "1 2 0:3 / %s/the\\040v1 rw - cgroup cgroup rw,perf_event\n1 2 0:3 / %s/the\\040v2 rw - cgroup2 x rw\n", root, root);
	cgroup_mounts_parse(&mounts, text);
}

#define NO_SUCH ": No such file or directory"

static void test_open(void)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{"web", "@/the v2/web web 1"}, {"a/b", "@/the v2/a/b a/b 2"}, {"/a/b", "@/the v2/a/b a/b 2"},
		{"a/b/", "@/the v2/a/b a/b 2"}, {"//a//b//", "@/the v2/a/b a/b 2"}, {"./a/./b/.", "@/the v2/a/b a/b 2"},
		{"/", "@/the v2 / 0"}, {"", "@/the v2 / 0"}, {".", "@/the v2 / 0"}, {"./", "@/the v2 / 0"},
		{"a/../web", "@/the v2/web web 1"}, {"a/b/../..", "@/the v2 / 0"}, {"a/b/../c/..", "@/the v2/a a 1"}, {"nope/../a", "@/the v2/a a 1"},
		{"...", "@/the v2/... ... 1"}, {"with space", "@/the v2/with space with space 1"}, {"with,comma", "@/the v2/with,comma with,comma 1"},
		{"co:lon", "@/the v2/co:lon co:lon 1"}, {"\xc3\xbcml\xc3\xa4ut", "@/the v2/\xc3\xbcml\xc3\xa4ut \xc3\xbcml\xc3\xa4ut 1"},
		{"a+b", "@/the v2/a+b a+b 1"}, {"q\"", "@/the v2/q\" q\" 1"}, {"only", "@/the v1/only only 1 v1"}, {"only/b", "@/the v1/only/b only/b 2 v1"},
		{"no", "-2 cannot open cgroup @/the v2/no" NO_SUCH}, {"a/no", "-2 cannot open cgroup @/the v2/a/no" NO_SUCH},
		{"/sys/fs", "-2 cannot open cgroup @/the v2/sys/fs" NO_SUCH}, {"a\n\033[31mb", "-2 cannot open cgroup @/the v2/a??[31mb" NO_SUCH},
		{".*", "-2 cannot open cgroup @/the v2/.*" NO_SUCH}, {" ", "-2 cannot open cgroup @/the v2/ " NO_SUCH},
		{"..", "-22 cgroup '..' is above @/the v2"}, {"/../the v1", "-22 cgroup '/../the v1' is above @/the v2"},
		{"a/../../a", "-22 cgroup 'a/../../a' is above @/the v2"},
		{"web/cgroup.procs", "-20 cannot open cgroup @/the v2/web/cgroup.procs: Not a directory"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		EQ_TEXT(opened(cases[i].name), cases[i].want, "group '%s'", cases[i].name);
}

/* Behind the root of the tests. */
static void test_absolute(void)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{"/the v2/a/b/", "@/the v2/a/b a/b 2"}, {"/the v2", "@/the v2 / 0"}, {"/the v2/", "@/the v2 / 0"}, {"/the v2//a/..", "@/the v2 / 0"},
		{"/the v1/web", "@/the v1/web web 1 v1"}, {"/the v1", "@/the v1 / 0 v1"},
		{"/the v2/../the v1", "-22 cgroup '@/the v2/../the v1' is above @/the v2"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[256];
		snprintf(name, sizeof(name), "%s%s", root, cases[i].name);
		EQ_TEXT(opened(name), cases[i].want, "group '@%s'", cases[i].name);
	}
	char name[256];
	snprintf(name, sizeof(name), "%s/the v22", root);
	OK(!strncmp(opened(name), "-2 cannot open cgroup @/the v2@/the v22", 39), "a path that only seems to begin with the mount is below it");
}

static void test_too_much(void)
{
	char name[3 * CGROUP_PATH_SIZE] = "";
	for (int i = 0; i <= CGROUP_DEPTH_MAX; i++)
		strcat(name, "x/");
	OK(!strncmp(opened(name), "-36 cannot open cgroup @/the v2/x/x/", 36), "a group that is too deep");
	name[2 * CGROUP_DEPTH_MAX] = '\0';
	OK(!strncmp(opened(name), "-2 cannot", 9), "... and one that is not");
	OK(!strncmp(opened(LONG_PART LONG_PART LONG_PART), "-36 cannot", 10), "a name that the kernel finds too long");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	OK(!strncmp(opened(name), "-36 cannot open cgroup @/the v2: ", 33), "a name that we do");
	memset(name, '/', sizeof(name) - 2);
	EQ_TEXT(opened(name), "-2 cannot open cgroup @/the v2/x" NO_SUCH, "many slashes");
}

static void test_kinds(void)
{
	struct cgroup_mounts both = mounts;
	struct cgroup group;
	strcpy(mounts.paths[CGROUP_V2], "");
	EQ_TEXT(opened("web"), "@/the v1/web web 1 v1", "without v2, v1 is taken");
	EQ_TEXT(opened("a"), "-2 cannot open cgroup @/the v1/a" NO_SUCH, "... and named");
	EQ_INT(cgroup_open(&group, &mounts, "a", NULL), -ENOENT, "err may be NULL");
	mounts = both;
	strcpy(mounts.paths[CGROUP_V1], "");
	EQ_TEXT(opened("only"), "-2 cannot open cgroup @/the v2/only" NO_SUCH, "without v1");
	mounts = both;
	strcpy(mounts.paths[CGROUP_V2], "/");
	EQ_TEXT(opened("/"), "/ / 0", "a mount on /");
	EQ_TEXT(opened("tmp/."), "//tmp tmp 1", "... and below it");
	mounts = both;
}

static void test_groups(void)
{
	static struct cgroup list[6];
	struct err err = {0};
	char from[256], to[256], v1_web[256];
	snprintf(v1_web, sizeof(v1_web), "%s/the v1/web", root);
	const char *const names[] = {"a", "a/b", "web", "webs", "/", v1_web};
	const struct cgroup *a = &list[0], *b = &list[1], *web = &list[2], *webs = &list[3], *top = &list[4], *v1 = &list[5];
	for (int i = 0; i < 6; i++)
		EQ_INT(cgroup_open(&list[i], &mounts, names[i], &err), 0, "group %s", short_text(names[i]));
	OK(cgroup_contains(a, b) && cgroup_contains(a, a) && cgroup_contains(top, b) && cgroup_contains(top, top), "these contain those");
	OK(!cgroup_contains(b, a) && !cgroup_contains(web, webs) && !cgroup_contains(a, web) && !cgroup_contains(top, v1), "these do not");

	snprintf(from, sizeof(from), "%s/the v2/web", root);
	snprintf(to, sizeof(to), "%s/the v2/new", root);
	rename(from, to);
	OK(cgroup_is_gone(web), "a group is gone");
	make_dir("the v2/web");
	OK(cgroup_is_gone(web), "... and is not one of the same name");
	OK(!cgroup_is_gone(a) && !cgroup_is_gone(top), "others are there");
	rmdir(from);
	rename(to, from);
	OK(!cgroup_is_gone(web), "it is back");
	for (int i = 0; i < 6; i++)
		fd_close(&list[i].fd);
}

static void test_match(void)
{
	static const struct {
		const char *pattern, *name;
		int want;
	} cases[] = {
		{"", "", 1}, {"", "a", 1}, {"a", "xay", 1}, {"a", "xy", 0}, {"^a", "ab", 1}, {"^a", "ba", 0}, {"a$", "ba", 1}, {"a$", "ab", 0},
		{"^$", "", 1}, {"^$", "a", 0}, {"$", "a", 1}, {"^", "a", 1}, {"^foo", "foo/bar", 1}, {"foo", "a/foo/b", 1},
		{"^foo/ba[rz]$", "foo/baz", 1}, {"^foo/ba[rz]$", "foo/bay", 0}, {"a.*", "a", 1}, {".*", "", 1}, {"a.c", "abc", 1}, {"a.c", "ac", 0},
		{"^a*$", "aaaa", 1}, {"^a*$", "aaba", 0}, {"^a+$", "", 0}, {"^a+$", "aa", 1}, {"^ab?c$", "ac", 1}, {"^ab?c$", "abc", 1}, {"^ab?c$", "abbc", 0},
		{"a**", "", 1}, {"^a+?$", "", 1}, {"^a?+$", "aaa", 1}, {"*a", "*a", 1}, {"*a", "ba", 0}, {"^*a", "*a", 1}, {"+", "a+", 1}, {"?", "x", 0},
		{"a^b", "a^b", 1}, {"a$b", "a$b", 1}, {"[0-9]+$", "pod42", 1}, {"^[^/]*$", "a", 1}, {"^[^/]*$", "a/b", 0}, {"[]]", "]", 1}, {"[^]]", "]", 0},
		{"[a-]", "-", 1}, {"[-a]", "-", 1}, {"[a-c-]", "-", 1}, {"[.]", "a", 0}, {"[\\]", "\\", 1}, {"[b-a]", "a", 0}, {"[+]", "+", 1},
		{"\\.slice$", "a.slice", 1}, {"\\.slice$", "aslice", 0}, {"a\\\\x2db", "a\\x2db", 1}, {"\\*", "*", 1}, {"\\[", "[", 1}, {"a\\/b\\-c", "a/b-c", 1},
		{"gr.n", "gr\xc3\xbcn", 0}, {"gr..n", "gr\xc3\xbcn", 1}, {"gr[\xc3\xbc]+n", "gr\xc3\xbcn", 1}, {"]", "]", 1}, {"^system\\.slice/[^/]+$", "system.slice/x", 1},
		{"(", "(", -EINVAL}, {"a|b", "a", -EINVAL}, {"a{2}", "aa", -EINVAL}, {"\\", "\\", -EINVAL}, {"a\\", "a", -EINVAL}, {"\\d", "d", -EINVAL},
		{"\\(a\\)", "a", -EINVAL}, {"a\\+", "a", -EINVAL}, {"[", "[", -EINVAL}, {"[]", "]", -EINVAL}, {"[^", "^", -EINVAL}, {"[^]", "a", -EINVAL}, {"[a", "a", -EINVAL},
		{"[a-", "a", -EINVAL}, {"[]-", "a", -EINVAL}, {"[[:digit:]]", "1", -EINVAL}, {"[[]", "[", -EINVAL}, {"zzz(", "a", -EINVAL},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *pattern = strdup(cases[i].pattern), *name = strdup(cases[i].name);
		EQ_INT(cgroup_match(pattern, name), cases[i].want, "pattern '%s' of '%s'", pattern, name);
		free(pattern);
		free(name);
	}
}

/* As a basic expression: there + and ? behind something to repeat are spelled with a backslash. */
static void to_basic(char *basic, const char *pattern)
{
	const char *at = pattern;
	bool repeats = false;
	if (*at == '^')
		*basic++ = *at++;
	while (*at) {
		if (repeats && (*at == '+' || *at == '?'))
			*basic++ = '\\';
		repeats = repeats || (*at != '*' && *at != '+' && *at != '?') || at == pattern || (at == pattern + 1 && *pattern == '^');
		const char *end = at + 1;
		if (*at == '\\')
			end++;
		if (*at == '[') {
			end += *end == '^';
			end = strchr(end + 1, ']') + 1;
		}
		while (at < end)
			*basic++ = *at++;
	}
	*basic = '\0';
}

static unsigned compared;

static bool agrees(const char *pattern)
{
	static const char *const names[] = {"", "a", "b", "aa", "ab", "ba", "bb", "aab", "aba", "abb", "b.a", "*", "+", "a*", "?b", "a^", "$b", "-", "a\\b", "]a", "a]", "[", "a+b"};
	enum { COUNT = sizeof(names) / sizeof(names[0]) };
	if (cgroup_match(pattern, "") < 0)
		return true;
	char basic[64];
	regex_t regex;
	to_basic(basic, pattern);
	int result = regcomp(&regex, basic, REG_NOSUB);
	if (result)
		return result == REG_ERANGE || result == REG_BADRPT; /* "[b-a]" matches nothing here, "a**" is "a*" */
	compared++;
	size_t i = 0;
	while (i < COUNT && cgroup_match(pattern, names[i]) == !regexec(&regex, names[i], 0, NULL, 0))
		i++;
	regfree(&regex);
	if (i < COUNT)
		printf("# pattern '%s' of '%s'\n", pattern, names[i]);
	return i == COUNT;
}

/* What perf calls, over all short patterns. */
static void test_as_regexec(void)
{
	static const char signs[] = "ab.*+?^$[]\\-";
	enum { SIGNS = sizeof(signs) - 1, LENGTH = 4 };
	unsigned wrong = 0, count = 1;
	for (int length = 0; length <= LENGTH; length++, count *= SIGNS) {
		for (unsigned n = 0; n < count; n++) {
			char pattern[LENGTH + 1] = "";
			unsigned rest = n;
			for (int i = 0; i < length; i++, rest /= SIGNS)
				pattern[i] = signs[rest % SIGNS];
			wrong += !agrees(pattern);
		}
	}
	EQ_U64(wrong, 0, "all patterns of up to %d signs match as in regexec(3)", LENGTH);
	OK(compared > 10000, "... of which there are %u", compared);
}

static void test_slow_patterns(void)
{
	static const char *const parts[] = {"a*", "a?", ".*", "[a-z]+", "a+*?"};
	char name[CGROUP_PATH_SIZE], pattern[CGROUP_PATH_SIZE + 2];
	struct timespec start, end;
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		pattern[0] = '\0';
		while (strlen(pattern) + strlen(parts[i]) < CGROUP_PATH_SIZE)
			strcat(pattern, parts[i]);
		EQ_INT(cgroup_match(pattern, name), 1, "1000 signs of %s", parts[i]);
		strcat(pattern, "b$");
		EQ_INT(cgroup_match(pattern, name), 0, "... and an end that is not met");
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	long ms = (end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000;
	OK(ms < 1000, "... in a moment (%ld ms)", ms);
}

struct found {
	struct cgroup list[128];
	int count, stop_at;
};

static struct found found;

static int collect(void *context, const struct cgroup *group)
{
	struct found *to = context;
	to->list[to->count++] = *group;
	return to->count == to->stop_at ? -ECANCELED : 0;
}

static void forget(void)
{
	while (found.count)
		fd_close(&found.list[--found.count].fd);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct cgroup *)a)->path, ((const struct cgroup *)b)->path);
}

/* "result name..." sorted, as the order of folders is the file system's. */
static const char *expanded(const char *item)
{
	static char text[8192];
	struct err err = {0};
	int result = cgroup_expand(&mounts, item, collect, &found, &err);
	qsort(found.list, (size_t)found.count, sizeof(found.list[0]), compare);
	snprintf(text, sizeof(text), "%d", result);
	for (int i = 0; i < found.count; i++) {
		const struct cgroup *group = &found.list[i];
		size_t used = strlen(text);
		snprintf(text + used, sizeof(text) - used, " %s%s%s", cgroup_name(group), group->is_v1 ? " v1" : "", is_good(group) ? "" : " bad");
	}
	if (result < 0)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s", short_text(err.text));
	forget();
	return text;
}

static void test_expand(void)
{
	static const struct {
		const char *item, *want;
	} cases[] = {
		{"web", "1 web"}, {"a/b/", "1 a/b"}, {"", "1 /"}, {"/", "1 /"}, {"only", "1 only v1"}, {"a+b", "1 a+b"},
		{"^web", "2 web webs"}, {"^web$", "1 web"}, {"web*", "2 web webs"}, {"^$", "1 /"}, {"^a/", "2 a/b a/b/c"}, {"^a/[^/]*$", "1 a/b"},
		{"^a.*", "4 a a+b a/b a/b/c"}, {"/c$", "1 a/b/c"}, {"^only", "2 only v1 only/b v1"}, {"^with[ ,]", "2 with space with,comma"},
		{".*", "14 / ... a a+b a/b a/b/c co:lon q\" sys web webs with space with,comma \xc3\xbcml\xc3\xa4ut"},
		{"no", "-2 cannot open cgroup @/the v2/no" NO_SUCH}, {"^no", "-2 no cgroup matches '^no'"}, {"*.slice", "-2 no cgroup matches '*.slice'"},
		{"(web|a)", "-22 cgroups '(web|a)': only . * + ? ^ $ [a-z] \\ are known"}, {"a[", "-22 cgroups 'a[': only . * + ? ^ $ [a-z] \\ are known"},
		{"../.*", "-22 cgroup '../.*' is above @/the v2"}, {"^\033[2J", "-22 cgroups '^?[2J': only . * + ? ^ $ [a-z] \\ are known"},
		{"cgroup.p.*", "-2 no cgroup matches 'cgroup.p.*'"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		EQ_TEXT(expanded(cases[i].item), cases[i].want, "for each '%s'", cases[i].item);
}

static void test_expand_order(void)
{
	struct err err = {0};
	EQ_INT(cgroup_expand(&mounts, ".*", collect, &found, &err), 14, "all groups");
	bool met_a = false, met_b = false, in_order = !strcmp(cgroup_name(&found.list[0]), "/");
	for (int i = 0; i < found.count; i++) {
		const char *name = cgroup_name(&found.list[i]);
		in_order &= (strcmp(name, "a/b") || met_a) && (strcmp(name, "a/b/c") || met_b);
		met_a |= !strcmp(name, "a");
		met_b |= !strcmp(name, "a/b");
	}
	OK(in_order, "... parents first");
	forget();
	found.stop_at = 3;
	EQ_INT(cgroup_expand(&mounts, ".*", collect, &found, &err), -ECANCELED, "add ends the walk");
	EQ_INT(found.count, 3, "... at once");
	found.stop_at = 4;
	err = (struct err){0};
	EQ_INT(cgroup_expand(&mounts, "web", collect, &found, &err), -ECANCELED, "... and a name");
	EQ_TEXT(err.text, "", "... and says why itself");
	found.stop_at = 0;
	forget();
	EQ_INT(cgroup_expand(&mounts, "^no", collect, &found, NULL), -ENOENT, "err may be NULL");
	forget();
}

/* Folders below each other by openat: a path of them all may be too long. */
static void make_chain(int depth, const char *name)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < depth; i++) {
		int inner = mkdirat(fd, i ? name : "chain", 0700) ? -1 : openat(fd, i ? name : "chain", O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = inner;
	}
	OK(fd >= 0, "a chain of %d folders", depth);
	close(fd);
}

static void mount_at(const char *name)
{
	memset(&mounts, 0, sizeof(mounts));
	snprintf(mounts.paths[CGROUP_V2], CGROUP_PATH_SIZE, "%s/%s", root, name);
}

static void test_limits(void)
{
	struct err err = {0};
	mount_at("chain");
	make_chain(CGROUP_DEPTH_MAX + 1, "x");
	EQ_INT(cgroup_expand(&mounts, "^x*", collect, &found, &err), CGROUP_DEPTH_MAX + 1, "the deepest tree that is walked");
	forget();
	remove_all(mounts.paths[CGROUP_V2]);
	make_chain(CGROUP_DEPTH_MAX + 2, "x");
	EQ_INT(cgroup_expand(&mounts, "^x*", collect, &found, &err), -ENAMETOOLONG, "one that is deeper");
	OK(!strncmp(short_text(err.text), "cannot open cgroup @/chain/x/x/", 31), "... is named");
	forget();
	remove_all(mounts.paths[CGROUP_V2]);
	make_chain(7, LONG_PART LONG_PART);
	EQ_INT(cgroup_expand(&mounts, "^0*", collect, &found, &err), -ENAMETOOLONG, "one with a long path");
	forget();
	remove_all(mounts.paths[CGROUP_V2]);
}

/* fans of links to one folder each: as many folders to the walk, and few to make. A real one tells that links are to be looked for. */
static void make_fan(const char *name, int count, const char *target)
{
	make_dir(name);
	for (int i = 0; i <= count; i++) {
		char path[256];
		snprintf(path, sizeof(path), "%s/%s/%d", root, name, i);
		if (i ? symlink(target, path) : mkdir(path, 0700))
			OK(false, "cannot make %s", path);
	}
}

static void test_many(void)
{
	enum { FAN = 255, TWIG = 1 + 1 + FAN };
	_Static_assert(1 + 1 + FAN * TWIG == CGROUP_FOLDERS_MAX + 1, "one too many");
	char path[256];
	struct err err = {0};
	make_dir("leaf");
	make_fan("twig", FAN, "../leaf");
	make_fan("tree", FAN, "../twig");
	mount_at("tree");
	EQ_INT(cgroup_expand(&mounts, "^none$", collect, &found, &err), -EMLINK, "%d folders", CGROUP_FOLDERS_MAX + 1);
	snprintf(path, sizeof(path), "%s/tree/1", root);
	unlink(path);
	EQ_INT(cgroup_expand(&mounts, "^none$", collect, &found, &err), -ENOENT, "%d folders", CGROUP_FOLDERS_MAX + 1 - TWIG);
}

/* Nothing is made here: the root is there wherever v2 is mounted. */
static void test_host(void)
{
	struct {
		struct file_handle head;
		uint64_t id;
	} handle = {.head.handle_bytes = sizeof(uint64_t)};
	struct cgroup group;
	struct err err = {0};
	int mount_id, result = cgroup_mounts_read(&mounts, &err);
	if (result || !mounts.paths[CGROUP_V2][0]) {
		OK(true, "this host's cgroups # SKIP cannot: no cgroup v2 is mounted");
		return;
	}
	EQ_INT(cgroup_open(&group, &mounts, "/", &err), 0, "this host's root %s: %s", mounts.paths[CGROUP_V2], err.text);
	if (name_to_handle_at(AT_FDCWD, group.path, &handle.head, &mount_id, 0))
		OK(true, "its handle # SKIP cannot: no name_to_handle_at (%s)", strerror(errno));
	else
		EQ_U64(group.id, handle.id, "its id is its handle");
	fd_close(&group.fd);
}

int main(void)
{
	int fds = open_fds();
	test_parse();
	test_list();
	test_long_item();
	test_match();
	test_as_regexec();
	test_slow_patterns();
	if (!OK(mkdtemp(root) != NULL, "a directory for the tests"))
		return test_done();
	test_read();
	make_tree();
	test_open();
	test_absolute();
	test_too_much();
	test_kinds();
	test_groups();
	test_expand();
	test_expand_order();
	test_limits();
	test_many();
	remove_all(root);
	OK(access(root, F_OK) != 0, "nothing is left in /tmp");
	test_host();
	EQ_INT(open_fds(), fds, "no descriptor is left");
	return test_done();
}
