/* SPDX-License-Identifier: GPL-2.0-only */
#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "err.h"
#include "fd.h"
#include "out.h"
#include "sysfs.h"

/* Of mountinfo: a host of many containers has megabytes of it. */
enum { TEXT_SIZE = 4 * 1024 * 1024 };

/* --- where cgroups are mounted --- */

/* Cuts off what stands before the next separator. Only one is taken: a mount's source may be empty. */
static char *take(char **text, char separator)
{
	char *field = *text;
	*text = strchrnul(field, separator);
	if (**text)
		*(*text)++ = '\0';
	return field;
}

/* The kernel writes "\040" for a space. */
static void unescape(char *to, const char *text)
{
	for (; *text; to++) {
		unsigned byte = (unsigned char)*text++;
		if (byte == '\\') {
			byte = 0;
			for (int i = 0; i < 3 && *text >= '0' && *text <= '7'; i++)
				byte = byte * 8 + (unsigned)(*text++ - '0');
		}
		*to = (char)byte;
	}
	*to = '\0';
}

/* "41 31 0:38 ROOT PATH rw,relatime [shared:1 ...] - TYPE SOURCE rw,perf_event" */
static void parse_line(struct cgroup_mounts *mounts, char *line)
{
	const char *root = NULL, *path = NULL;
	for (int i = 0; i < 5; i++) {
		root = path;
		path = take(&line, ' ');
	}
	/* no optional field begins so */
	while (*line && *take(&line, ' ') != '-')
		;
	const char *type = take(&line, ' ');
	bool is_v1 = !strcmp(type, "cgroup"), is_root = !strcmp(root, "/");
	if (!is_v1 && strcmp(type, "cgroup2"))
		return;
	take(&line, ' ');
	while (is_v1 && strcmp(take(&line, ','), "perf_event")) {
		if (!*line)
			return;
	}
	char *known = mounts->paths[is_v1];
	if ((*known && !(is_root && !mounts->are_roots[is_v1])) || strlen(path) >= CGROUP_PATH_SIZE)
		return;
	mounts->are_roots[is_v1] = is_root;
	unescape(known, path);
}

void cgroup_mounts_parse(struct cgroup_mounts *mounts, char *text)
{
	memset(mounts, 0, sizeof(*mounts));
	while (*text)
		parse_line(mounts, take(&text, '\n'));
}

int cgroup_mounts_read(struct cgroup_mounts *mounts, struct err *err)
{
	static char text[TEXT_SIZE];
	int result = sysfs_read("/proc/self/mountinfo", text, sizeof(text), err);
	if (result < 0)
		return result;
	cgroup_mounts_parse(mounts, text);
	if (!mounts->paths[CGROUP_V2][0] && !mounts->paths[CGROUP_V1][0])
		return err_set(err, -ENODEV, "neither cgroup v2 nor v1 with perf_event is mounted");
	return 0;
}

/* --- names --- */

int cgroup_list_next(const char **list, char item[CGROUP_PATH_SIZE], struct err *err)
{
	const char *at = *list;
	if (!at)
		return 0;
	size_t used = 0;
	bool is_quoted = false;
	for (; *at && (is_quoted || *at != ',') && used < CGROUP_PATH_SIZE - 1; at++) {
		if (*at == '"') {
			is_quoted = !is_quoted;
			/* of two inside quotes the first seems to end them */
			if (!is_quoted || at == *list || at[-1] != '"')
				continue;
		}
		item[used++] = *at;
	}
	if (is_quoted || (*at && *at != ','))
		return err_set(err, -EINVAL, "cgroups '%s': an open quote or a long name", *list);
	item[used] = '\0';
	*list = *at ? at + 1 : NULL;
	return 1;
}

/* The mounted folder. */
static void start(struct cgroup *group, const struct cgroup_mounts *mounts, int kind)
{
	group->fd = -1;
	group->is_v1 = kind;
	group->depth = 0;
	memcpy(group->path, mounts->paths[kind], CGROUP_PATH_SIZE);
	group->name_at = (unsigned)strlen(group->path) + 1;
}

static bool enter(struct cgroup *group, const char *name, size_t length)
{
	size_t used = strlen(group->path);
	if (used + 1 + length >= sizeof(group->path) || group->depth == CGROUP_DEPTH_MAX)
		return false;
	group->depth++;
	out_print(group->path + used, length + 2, "/%s", name);
	return true;
}

static void leave(struct cgroup *group)
{
	group->depth--;
	*strrchr(group->path, '/') = '\0';
}

/* What follows `folder` in a path at or below it; else NULL. */
static const char *below(const char *path, const char *folder)
{
	size_t length = strlen(folder);
	if (strncmp(path, folder, length))
		return NULL;
	path += length;
	return !*path || *path == '/' ? path : NULL;
}

/* Errors are without a text. -EINVAL: above the mount. */
static int resolve(struct cgroup *group, const char *name)
{
	const char *rest = below(name, group->path);
	if (rest)
		name = rest;
	for (; *name; name += *name == '/') {
		size_t length = strcspn(name, "/");
		/* true of "", "." and ".." too */
		bool is_dots = !strncmp(name, "..", length);
		if (!is_dots && !enter(group, name, length))
			return -ENAMETOOLONG;
		if (is_dots && length == 2) {
			if (!group->depth)
				return -EINVAL;
			leave(group);
		}
		name += length;
	}
	return 0;
}

/* Errors are without a text. */
static int open_folder(struct cgroup *group)
{
	struct stat found;
	/* not O_PATH: perf_event_open(2) refuses that */
	int fd = open(group->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	group->fd = fd < 0 ? -errno : fd_above_std(fd);
	if (group->fd < 0)
		return group->fd;
	if (fstat(group->fd, &found)) {
		const int error = -errno;
		fd_close(&group->fd);
		return error;
	}
	group->id = found.st_ino; /* the same thing since 5.5, where pointers have 64 bits */
	return 0;
}

int cgroup_open(struct cgroup *group, const struct cgroup_mounts *mounts, const char *name, struct err *err)
{
	int result = -ENOENT, told = 0;
	for (int kind = 0; kind < CGROUP_KINDS && result == -ENOENT; kind++) {
		start(group, mounts, kind);
		if (!group->path[0])
			continue;
		result = resolve(group, name);
		if (result == -EINVAL)
			return err_set(err, result, "cgroup '%s' is above %s", name, group->path);
		if (!result)
			result = open_folder(group);
		/* where it is in neither, v2's path is the one to name */
		if (result && result != told)
			told = err_sys(err, result, "cannot open cgroup %s", group->path);
	}
	return result;
}

const char *cgroup_name(const struct cgroup *group)
{
	return group->depth ? group->path + group->name_at : "/";
}

bool cgroup_is_gone(const struct cgroup *group)
{
	struct stat found;
	if (stat(group->path, &found))
		return errno == ENOENT || errno == ENOTDIR;
	return found.st_ino != group->id;
}

bool cgroup_contains(const struct cgroup *group, const struct cgroup *inner)
{
	return below(inner->path, group->path) != NULL;
}

/* --- patterns --- */

/* Which bytes the part of a pattern at `at` fits. Returns what is behind it; NULL: it is malformed, or not known. */
static const char *take_part(bool fits[256], const char *at)
{
	memset(fits, *at == '.', 256);
	if (*at != '[') {
		if (strchr("(){}|", *at) || (*at == '\\' && !memchr(".*[]^$\\/-", *++at, 9)))
			return NULL;
		fits[(unsigned char)*at++] = true;
		return at;
	}
	bool is_negated = *++at == '^';
	at += is_negated;
	memset(fits, is_negated, 256);
	/* a bracket that comes first is a member */
	if (!*at || !strchr(at + 1, ']'))
		return NULL;
	do {
		unsigned byte = (unsigned char)*at;
		if (byte == '[')
			return NULL;
		if (at[1] == '-' && at[2] != ']')
			at += 2;
		for (; byte <= (unsigned char)*at; byte++)
			fits[byte] = !is_negated;
	} while (*++at != ']');
	return at + 1;
}

/* Instead of going back from a wrong turn all turns are taken at once: ends[i] says whether the pattern, as far as it was read,
 * may end before name[i]. So no pattern takes long. */
int cgroup_match(const char *pattern, const char *name)
{
	bool ends[CGROUP_PATH_SIZE], fits[256];
	size_t length = strlen(name);
	memset(ends, *pattern != '^', length + 1);
	ends[0] = true;
	pattern += *pattern == '^';
	while (*pattern && strcmp(pattern, "$")) {
		bool is_optional = false, loops = false, goes_on = false;
		pattern = take_part(fits, pattern);
		if (!pattern)
			return -EINVAL;
		for (; *pattern == '*' || *pattern == '+' || *pattern == '?'; pattern++) {
			is_optional |= *pattern != '+';
			loops |= *pattern != '?';
		}
		unsigned char byte = 0;
		for (size_t i = 0; i <= length; i++) {
			bool was = ends[i];
			ends[i] = (was & is_optional) | (goes_on & fits[byte]);
			goes_on = was | (loops & ends[i]);
			byte = (unsigned char)name[i];
		}
	}
	return *pattern ? ends[length] : memchr(ends, 1, length + 1) != NULL;
}

/* --- walking the tree --- */

struct walk {
	const char *pattern;
	int (*add)(void *context, const struct cgroup *group);
	void *context;
	int folders, found;
	int added;           /* what ended the walk, if it was add */
	struct cgroup group; /* where the walk is; the fd is add's */
};

static int walk_name(void *context, const char *name);

/* Returns 1 if add ended the walk, or -errno without a text. Groups that go meanwhile are none. */
static int walk_folder(struct walk *walk)
{
	struct cgroup *group = &walk->group;
	struct stat found;
	int result = 0;
	if (stat(group->path, &found) || !S_ISDIR(found.st_mode))
		return 0;
	if (walk->folders++ == CGROUP_FOLDERS_MAX)
		return -EMLINK;
	/* the root's is the NUL before what would be its name */
	if (cgroup_match(walk->pattern, group->path + group->name_at - !group->depth)) {
		result = open_folder(group);
		if (!result) {
			walk->found++;
			walk->added = walk->add(walk->context, group);
			result = walk->added != 0;
		}
	}
	/* one that has no folders need not be read: most are such, and each has dozens of files */
	if (!result && found.st_nlink != 2)
		result = sysfs_each(group->path, walk_name, walk);
	return result == -ENOENT ? 0 : result;
}

static int walk_name(void *context, const char *name)
{
	struct walk *walk = context;
	int result = enter(&walk->group, name, strlen(name)) ? walk_folder(walk) : -ENAMETOOLONG;
	if (!result)
		leave(&walk->group); /* else the path says where it ended */
	return result;
}

int cgroup_expand(const struct cgroup_mounts *mounts, const char *item,
		  int (*add)(void *context, const struct cgroup *group), void *context, struct err *err)
{
	struct walk walk = {.pattern = item, .add = add, .context = context};
	int result = cgroup_open(&walk.group, mounts, item, err);
	if (!result) {
		result = add(context, &walk.group);
		return result ? result : 1;
	}
	if (result != -ENOENT || !item[strcspn(item, "{}[]()|*+?^$")])
		return result;
	if (cgroup_match(item, "") < 0)
		return err_set(err, -EINVAL, "cgroups '%s': only . * + ? ^ $ [a-z] \\ are known", item);
	for (int kind = 0; kind < CGROUP_KINDS && !walk.found; kind++) {
		start(&walk.group, mounts, kind);
		result = walk.group.path[0] ? walk_folder(&walk) : 0;
		if (result)
			return result > 0 ? walk.added : err_sys(err, result, "cannot open cgroup %s", walk.group.path);
	}
	return walk.found ? walk.found : err_set(err, -ENOENT, "no cgroup matches '%s'", item);
}
