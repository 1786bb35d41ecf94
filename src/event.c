/* SPDX-License-Identifier: GPL-2.0-only */
#include "event.h"

#include <errno.h>
#include <string.h>

#include "err.h"
#include "out.h"

enum { QUOTE_MAX = 200, ITEM_QUOTE_MAX = 64, KNOWN_NAME_SIZE = 24 };

/* Names inside the table rather than pointers: half the size, and nothing to relocate. */
struct known {
	char name[KNOWN_NAME_SIZE];
	uint8_t type, config;
};

#define HARDWARE(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SOFTWARE(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id
static const struct known known_events[] = {
	{"cpu-cycles", HARDWARE(CPU_CYCLES)},
	{"cycles", HARDWARE(CPU_CYCLES)},
	{"instructions", HARDWARE(INSTRUCTIONS)},
	{"cache-references", HARDWARE(CACHE_REFERENCES)},
	{"cache-misses", HARDWARE(CACHE_MISSES)},
	{"branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS)},
	{"branches", HARDWARE(BRANCH_INSTRUCTIONS)},
	{"branch-misses", HARDWARE(BRANCH_MISSES)},
	{"bus-cycles", HARDWARE(BUS_CYCLES)},
	{"ref-cycles", HARDWARE(REF_CPU_CYCLES)},
	{"stalled-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND)},
	{"idle-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND)},
	{"stalled-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND)},
	{"idle-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND)},
	{"cpu-clock", SOFTWARE(CPU_CLOCK)},
	{"task-clock", SOFTWARE(TASK_CLOCK)},
	{"page-faults", SOFTWARE(PAGE_FAULTS)},
	{"faults", SOFTWARE(PAGE_FAULTS)},
	{"context-switches", SOFTWARE(CONTEXT_SWITCHES)},
	{"cs", SOFTWARE(CONTEXT_SWITCHES)},
	{"cpu-migrations", SOFTWARE(CPU_MIGRATIONS)},
	{"migrations", SOFTWARE(CPU_MIGRATIONS)},
	{"minor-faults", SOFTWARE(PAGE_FAULTS_MIN)},
	{"major-faults", SOFTWARE(PAGE_FAULTS_MAJ)},
	{"alignment-faults", SOFTWARE(ALIGNMENT_FAULTS)},
	{"emulation-faults", SOFTWARE(EMULATION_FAULTS)},
	{"dummy", SOFTWARE(DUMMY)},
	{"bpf-output", SOFTWARE(BPF_OUTPUT)},
	{"cgroup-switches", SOFTWARE(CGROUP_SWITCHES)},
};
enum { KNOWN_COUNT = sizeof(known_events) / sizeof(known_events[0]) };

/* What perf's grammar has beyond this, by how it begins: refused as itself, not as a misspelt name. */
static const struct {
	const char *start, *what;
} later_events[] = {
	{"{", "groups are not supported yet:"},
	{"mem:", "breakpoint events are not supported yet:"},
	{"L1-dcache-", "hardware cache events are not supported yet:"},
	{"L1-icache-", "hardware cache events are not supported yet:"},
	{"LLC-", "hardware cache events are not supported yet:"},
	{"dTLB-", "hardware cache events are not supported yet:"},
	{"iTLB-", "hardware cache events are not supported yet:"},
	{"branch-load", "hardware cache events are not supported yet:"},
	{"node-", "hardware cache events are not supported yet:"},
};

/* A piece of the list: where messages point. */
struct item {
	const char *list, *start;
	size_t length;
};

/* `what 'item' in 'list' at character N: why`; item is not quoted if it is empty. */
static int refuse(struct err *err, struct item item, const char *what, const char *why)
{
	int length = item.length > ITEM_QUOTE_MAX ? ITEM_QUOTE_MAX : (int)item.length;
	const char *quote = length ? "'" : "", *space = length ? " " : "";
	return err_set(err, -EINVAL, "%s%s%s%.*s%s in '%.*s%s' at character %zu%s%s", what, space, quote, length, item.start,
		       quote, QUOTE_MAX, item.list, strlen(item.list) > QUOTE_MAX ? "..." : "",
		       (size_t)(item.start - item.list) + 1, why ? ": " : "", why ? why : "");
}

static struct item item_part(struct item item, size_t offset, size_t length)
{
	return (struct item){item.list, item.start + offset, length};
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Levenshtein's distance, blind to case; length < KNOWN_NAME_SIZE. */
static unsigned distance(const char *text, size_t length, const char *name)
{
	uint8_t row[KNOWN_NAME_SIZE];
	for (size_t i = 0; i <= length; i++)
		row[i] = (uint8_t)i;
	for (; *name; name++) {
		uint8_t diagonal = row[0]++;
		for (size_t i = 1; i <= length; i++) {
			uint8_t best = (uint8_t)(diagonal + (lower(text[i - 1]) != lower(*name)));
			if (best > row[i] + 1)
				best = (uint8_t)(row[i] + 1);
			if (best > row[i - 1] + 1)
				best = (uint8_t)(row[i - 1] + 1);
			diagonal = row[i];
			row[i] = best;
		}
	}
	return row[length];
}

static void hint_nearest(struct err *err, struct item name)
{
	if (name.length >= KNOWN_NAME_SIZE)
		return;
	/* a third of the letters wrong is another word */
	unsigned best = name.length < 6 ? 1 : (unsigned)name.length / 3;
	const char *nearest = NULL;
	for (int i = 0; i < KNOWN_COUNT; i++) {
		unsigned d = distance(name.start, name.length, known_events[i].name);
		if (d < best || (d == best && !nearest)) {
			best = d;
			nearest = known_events[i].name;
		}
	}
	if (nearest)
		err_hint(err, "did you mean '%s'?", nearest);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Has it the look of rNNN: an r and a digit that no name begins with? */
static bool is_raw(struct item name)
{
	if (name.start[0] != 'r' || name.length < 2)
		return false;
	size_t digits = 1;
	while (digits < name.length && hex_digit(name.start[digits]) >= 0)
		digits++;
	return digits == name.length || (name.start[1] >= '0' && name.start[1] <= '9');
}

static int parse_raw(struct event *event, struct item name, struct err *err)
{
	uint64_t config = 0;
	for (size_t i = 1; i < name.length; i++) {
		int digit = hex_digit(name.start[i]);
		if (digit < 0)
			return refuse(err, name, "bad raw event", "after the r come hexadecimal digits only");
		if (config >> 60)
			return refuse(err, name, "bad raw event", "it has more than 64 bits");
		config = config << 4 | (unsigned)digit;
	}
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = config;
	return 0;
}

/* Are these letters that could be meant as modifiers (all of perf's)? */
static bool is_modifiers(struct item modifiers)
{
	for (size_t i = 0; i < modifiers.length; i++) {
		if (!memchr("ukhGHpPSDIWeb", modifiers.start[i], 13))
			return false;
	}
	return true;
}

static int refuse_name(struct item name, struct item modifiers, struct err *err)
{
	struct item whole = item_part(name, 0, (size_t)(modifiers.start + modifiers.length - name.start));
	for (size_t i = 0; i < sizeof(later_events) / sizeof(later_events[0]); i++) {
		/* the list goes on after the name at least with its NUL */
		if (!strncmp(name.start, later_events[i].start, strlen(later_events[i].start)))
			return refuse(err, whole, later_events[i].what, NULL);
	}
	/* one wrong letter is rather a mistake */
	if (name.length && modifiers.length > 2 && !is_modifiers(modifiers))
		return refuse(err, whole, "tracepoint events are not supported yet:", NULL);
	refuse(err, name, name.length ? "unknown event" : "an event name is missing", NULL);
	if (name.length)
		hint_nearest(err, name);
	return -EINVAL;
}

static int parse_name(struct event *event, struct item name, struct item modifiers, struct err *err)
{
	for (int i = 0; i < KNOWN_COUNT; i++) {
		const struct known *known = &known_events[i];
		if (strlen(known->name) != name.length || memcmp(known->name, name.start, name.length))
			continue;
		event->attr.type = known->type;
		event->attr.config = known->config;
		return 0;
	}
	if (is_raw(name))
		return parse_raw(event, name, err);
	return refuse_name(name, modifiers, err);
}

/* The bits as perf stat sets them: u, k and h name what is counted of the privilege levels, G and H of the guests. */
static int parse_modifiers(struct perf_event_attr *attr, struct item modifiers, struct err *err)
{
	static const char letters[] = "ukhGHp";
	unsigned seen = 0;
	if (modifiers.length == 0)
		return refuse(err, modifiers, "a modifier is missing", NULL);
	for (size_t i = 0; i < modifiers.length; i++) {
		struct item one = item_part(modifiers, i, 1);
		const char *found = memchr(letters, *one.start, sizeof(letters) - 1);
		if (!found)
			return refuse(err, one, "unknown modifier", "known are u, k, h, G and H");
		if (*found == 'p')
			return refuse(err, one, "unusable modifier", "a count through a shared leader needs no precise_ip");
		unsigned bit = 1U << (found - letters);
		if (seen & bit)
			return refuse(err, one, "repeated modifier", NULL);
		seen |= bit;
	}
	bool levels = seen & 7, guests = seen & 24;
	attr->exclude_user = levels && !(seen & 1);
	attr->exclude_kernel = levels && !(seen & 2);
	attr->exclude_hv = levels && !(seen & 4);
	attr->exclude_host = guests && !(seen & 16);
	attr->exclude_guest = guests && !(seen & 8);
	return 0;
}

static int parse_event(struct event *event, struct item item, struct err *err)
{
	memset(event, 0, sizeof(*event));
	struct item name = item, modifiers = item_part(item, item.length, 0);
	const char *colon = memchr(item.start, ':', item.length);
	if (colon) {
		name.length = (size_t)(colon - item.start);
		modifiers = item_part(item, name.length + 1, item.length - name.length - 1);
	}
	int result = parse_name(event, name, modifiers, err);
	if (result == 0 && colon)
		result = parse_modifiers(&event->attr, modifiers, err);
	if (result < 0)
		return result;
	/* only rNNN with leading zeros can be as long */
	if (item.length >= sizeof(event->name))
		return refuse(err, item, "event name", "too long");
	memcpy(event->name, item.start, item.length);
	return 0;
}

/* The item that starts at p, without the spaces around it; *end is what follows it: ',' or the end. */
static struct item next_item(const char *list, const char *p, const char **end)
{
	struct item item = {list, p + strspn(p, " "), 0};
	*end = p + strcspn(p, ",");
	if (item.start > *end)
		item.start = *end;
	item.length = (size_t)(*end - item.start);
	while (item.length && item.start[item.length - 1] == ' ')
		item.length--;
	return item;
}

int event_parse_list(struct event *events, int max, const char *text, struct err *err)
{
	int count = 0;
	for (const char *p = text, *end;; p = end + 1) {
		struct item item = next_item(text, p, &end);
		/* commas between slashes do not end an item, so this must be known before it is cut */
		if (memchr(item.start, '/', item.length))
			return refuse(err, item, "pmu/.../ events are not supported yet:", NULL);
		if (count == max)
			return err_set(err, -E2BIG, "more than %d events", max);
		int result = parse_event(&events[count], item, err);
		if (result < 0)
			return result;
		count++;
		if (*end == '\0')
			return count;
	}
}

bool event_is_clock(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CPU_CLOCK || event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

bool event_ignores_modifiers(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	if (attr->type != PERF_TYPE_SOFTWARE)
		return false;
	/* the other software events look at exclude_user and exclude_kernel, none at exclude_host, and no count is made in
	 * a guest or a hypervisor */
	return attr->exclude_host || (event_is_clock(event) && (attr->exclude_user || attr->exclude_kernel));
}

static void format_name(struct out *out, const struct perf_event_attr *attr)
{
	for (int i = 0; i < KNOWN_COUNT; i++) {
		if (known_events[i].type == attr->type && known_events[i].config == attr->config) {
			/* of two names perf shows the second: cycles, branches; but page-faults */
			bool second = i + 1 < KNOWN_COUNT && attr->type == PERF_TYPE_HARDWARE &&
				      known_events[i + 1].type == attr->type && known_events[i + 1].config == attr->config;
			out_text(out, known_events[i + second].name);
			return;
		}
	}
	if (attr->type == PERF_TYPE_RAW && !attr->config1 && !attr->config2)
		out_format(out, "r%llx", (unsigned long long)attr->config);
	else
		out_format(out, "type:%u/config=0x%llx,config1=0x%llx,config2=0x%llx/", attr->type,
			   (unsigned long long)attr->config, (unsigned long long)attr->config1,
			   (unsigned long long)attr->config2);
}

void event_format(char *text, size_t size, const struct perf_event_attr *attr)
{
	struct out out = out_memory(text, size);
	format_name(&out, attr);
	char modifiers[8], *at = modifiers;
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv) {
		if (!attr->exclude_user)
			*at++ = 'u';
		if (!attr->exclude_kernel)
			*at++ = 'k';
		if (!attr->exclude_hv)
			*at++ = 'h';
	}
	if (attr->exclude_host)
		*at++ = 'G';
	if (attr->exclude_guest)
		*at++ = 'H';
	*at = '\0';
	if (at != modifiers)
		out_format(&out, ":%s", modifiers);
}
