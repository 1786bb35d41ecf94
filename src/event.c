/* SPDX-License-Identifier: GPL-2.0-only */
#include "event.h"

#include <errno.h>
#include <string.h>

#include "err.h"
#include "out.h"

enum { QUOTE_MAX = 200, NAME_MOST = EVENT_NAME_SIZE - 16 }; /* modifiers of a group may yet come behind the name */

/* --- names ------------------------------------------------------------------------------------------------------------ */

/* By config, between semicolons, software behind sixteen of hardware. A text is a quarter of a table of pointers. */
enum { TYPE_NAMES = 16 };
static const char *const names =
	"cpu-cycles,cycles;instructions;cache-references;cache-misses;branch-instructions,branches;"
	"branch-misses;bus-cycles;stalled-cycles-frontend,idle-cycles-frontend;"
	"stalled-cycles-backend,idle-cycles-backend;ref-cycles;;;;;;;"
	"cpu-clock;task-clock;page-faults,faults;context-switches,cs;cpu-migrations,migrations;"
	"minor-faults;major-faults;alignment-faults;emulation-faults;dummy;bpf-output;cgroup-switches";
static const char *const caches = "L1-dcache,L1-d,L1d,L1-data;L1-icache,L1-i,L1i,L1-instruction;LLC,L2;dTLB,d-TLB,Data-TLB;"
				  "iTLB,i-TLB,Instruction-TLB;branch,branches,bpu,btb,bpc;node";
static const char *const ops = "load,loads,read;store,stores,write;prefetch,prefetches,speculative-read,speculative-load";
static const char *const results = "refs,Reference,ops,access;misses,miss";
enum { CACHES = 7, OPS = 3, RESULTS = 2 };
/* three bits a cache: what can be done to it (instructions are never stored, and the last but one only loaded) */
enum { CACHE_OPS = 7 | 5 << 3 | 7 << 6 | 7 << 9 | 1 << 12 | 1 << 15 | 7 << 18 };

/* With `used`: what the text is up to a dash, and blind to case, as perf is to these. */
static int find_word(const char *table, const char *text, size_t length, size_t *used)
{
	int index = 0;
	for (const char *word = table;;) {
		const size_t size = strcspn(word, ",;");
		size_t same = 0;
		for (int other; same < size && same < length; same++) {
			other = word[same] ^ text[same];
			if (other && (!used || other != ('a' ^ 'A') || word[same] < 'A'))
				break;
		}
		if (same == size && (same == length || (used && text[same] == '-'))) {
			if (used)
				*used = size;
			return index;
		}
		if (!word[size])
			return -1;
		index += word[size] == ';';
		word += size + 1;
	}
}

int event_find_word(const char *table, const char *text, size_t length)
{
	return find_word(table, text, length, NULL);
}

/* "L1-dcache-load-misses": what is done and how it ends, in any order; without, loads and all. */
static bool find_cache(uint64_t *config, const char *text, size_t length)
{
	size_t used;
	int op = -1, result = -1, cache = find_word(caches, text, length, &used);
	if (cache < 0)
		return false;
	while (used < length) {
		text += used + 1;
		length -= used + 1;
		int found = op < 0 ? find_word(ops, text, length, &used) : -1;
		if (found >= 0) {
			op = found;
			continue;
		}
		if (result >= 0 || (result = find_word(results, text, length, &used)) < 0)
			return false;
	}
	op = op < 0 ? 0 : op;
	*config = (unsigned)(cache | op << 8 | (result < 0 ? 0 : result) << 16);
	return CACHE_OPS >> (cache * OPS + op) & 1;
}

bool event_find(struct perf_event_attr *attr, const char *name, size_t length)
{
	const int found = event_find_word(names, name, length);
	attr->type = found < TYPE_NAMES ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr->config = (unsigned)found % TYPE_NAMES;
	if (found >= 0)
		return true;
	attr->type = PERF_TYPE_HW_CACHE;
	return find_cache(&attr->config, name, length);
}

unsigned event_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

int event_find_raw(struct perf_event_attr *attr, const char *name, size_t length, struct err *err)
{
	uint64_t config = 0;
	size_t digits = 1;
	if (length < 2 || name[0] != 'r')
		return 0;
	if (name[1] == '0' && length > 3 && name[2] == 'x')
		digits = 3;
	for (; digits < length && event_digit(name[digits]) < 16; digits++) {
		if (config >> 60)
			return err_set(err, -EINVAL, "a raw event has 64 bits at most");
		config = config << 4 | event_digit(name[digits]);
	}
	/* an r and a digit that no name begins with */
	if (digits < length && event_digit(name[1]) < 10)
		return err_set(err, -EINVAL, "after the r of a raw event come hexadecimal digits only");
	attr->type = PERF_TYPE_RAW;
	attr->config = config;
	return digits == length;
}

/* The index-th of a table and of its spellings; NULL where there are not as many. */
static const char *word_at(const char *table, unsigned index, unsigned spelling, int *length)
{
	for (; index && *table; table++)
		index -= *table == ';';
	for (size_t size;; table += size + 1) {
		size = strcspn(table, ",;");
		if (!spelling-- || table[size] != ',') {
			*length = (int)size;
			return size ? table : NULL;
		}
	}
}

const char *event_name(uint32_t type, uint64_t config, unsigned spelling, int *length)
{
	return type <= PERF_TYPE_SOFTWARE && config < TYPE_NAMES
		       ? word_at(names, type * TYPE_NAMES + (unsigned)config, spelling, length)
		       : NULL;
}

static void format_cache(struct out *out, uint64_t config)
{
	const unsigned result = config >> 16 & 1;
	int lengths[3];
	const char *cache = word_at(caches, (unsigned)config & 0xff, 0, &lengths[0]);
	/* loads, but load-misses */
	const char *op = word_at(ops, config >> 8 & 0xff, !result, &lengths[1]);
	const char *end = word_at(results, result, 0, &lengths[2]);
	out_format(out, result ? "%.*s-%.*s-%.*s" : "%.*s-%.*s", lengths[0], cache, lengths[1], op, lengths[2], end);
}

static bool is_cache(uint64_t config)
{
	return config >> 17 == 0 && (config & 0xff) < CACHES && (config >> 8 & 0xff) < OPS;
}

static void format_name(struct out *out, const struct perf_event_attr *attr)
{
	int length;
	/* perf shows cycles and branches by their second names */
	const bool is_second = attr->type == PERF_TYPE_HARDWARE && !(attr->config & ~4ULL);
	const char *word = event_name(attr->type, attr->config, is_second, &length);
	if (word)
		out_bytes(out, word, (size_t)length);
	else if (attr->type == PERF_TYPE_HW_CACHE && is_cache(attr->config))
		format_cache(out, attr->config);
	else if (attr->type == PERF_TYPE_RAW && !attr->config1 && !attr->config2)
		out_format(out, "r%llx", (unsigned long long)attr->config);
	else
		out_format(out, "type:%u/config=0x%llx,config1=0x%llx,config2=0x%llx/", attr->type,
			   (unsigned long long)attr->config, (unsigned long long)attr->config1,
			   (unsigned long long)attr->config2);
}

void event_each_name(int (*visit)(void *context, const char *name), void *context)
{
	char name[32];
	for (const char *word = names; *word;) {
		const size_t length = strcspn(word, ",;");
		memcpy(name, word, length);
		name[length] = '\0';
		if (length)
			visit(context, name);
		word += length + !!word[length];
	}
	for (unsigned i = 0; i < CACHES * OPS * RESULTS; i++) {
		struct out out = out_memory(name, sizeof(name));
		if (CACHE_OPS >> i / RESULTS & 1) {
			format_cache(&out, i / (OPS * RESULTS) | i / RESULTS % OPS << 8 | i % RESULTS << 16);
			visit(context, name);
		}
	}
}

/* --- modifiers -------------------------------------------------------------------------------------------------------- */

/* In the order of the bits of event->modifiers, which is that of the exclude bits. W and b change nothing: no group here is weak,
 * and BPF counts anyway. */
static const char letters[] = "ukhHGIWb";
enum { GUESTS_SHIFT = 3, GUESTS = 3, IDLE = 32 };
enum { FLAG_LEVELS_SHIFT = 4, FLAG_IDLE_SHIFT = 2, FLAG_GUESTS_SHIFT = 19 };
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the other way round the bits of a field are, too");

void event_modifiers_text(char text[EVENT_MODIFIERS_SIZE], unsigned modifiers)
{
	for (int i = 0; letters[i]; i++) {
		if (modifiers >> i & 1)
			*text++ = letters[i];
	}
	*text = '\0';
}

/* The bits as perf stat sets them: u, k and h name what is counted of the privilege levels, G and H of the guests. */
static void set_exclude(struct event *event)
{
	const unsigned seen = event->modifiers, levels = seen & EVENT_LEVELS, guests = seen >> GUESTS_SHIFT & GUESTS;
	event->attr.flags = (levels ? levels ^ EVENT_LEVELS : 0) << FLAG_LEVELS_SHIFT |
			    (guests ? guests ^ GUESTS : 0) << FLAG_GUESTS_SHIFT | (seen & IDLE) << FLAG_IDLE_SHIFT;
}

void event_format(char *text, size_t size, const struct perf_event_attr *attr)
{
	struct out out = out_memory(text, size);
	char modifiers[EVENT_MODIFIERS_SIZE];
	const unsigned levels = attr->flags >> FLAG_LEVELS_SHIFT & EVENT_LEVELS,
		       guests = attr->flags >> FLAG_GUESTS_SHIFT & GUESTS;
	const unsigned seen = (levels ? levels ^ EVENT_LEVELS : 0) | (guests ? guests ^ GUESTS : 0) << GUESTS_SHIFT |
			      (attr->flags >> FLAG_IDLE_SHIFT & IDLE);
	format_name(&out, attr);
	event_modifiers_text(modifiers, seen);
	if (seen)
		out_format(&out, ":%s", modifiers);
}

/* --- lists ------------------------------------------------------------------------------------------------------------ */

struct parser {
	const char *list, *at;
	struct event *events;
	int count, max;
	int group; /* of the one that is open, or 0 */
	struct err *err;
};

int event_refuse(const char *list, const char *at, struct err *err)
{
	const size_t offset = (size_t)(at - list);
	err_prefix(err, "event syntax: '%.*s%s' at character %zu", QUOTE_MAX, list, strlen(list) > QUOTE_MAX ? "..." : "",
		   offset + 1);
	err_show(err, list, offset);
	return -EINVAL;
}

static const char *const no_name = "an event name is missing";

static int refuse(const struct parser *parser, const char *at, const char *what)
{
	err_set(parser->err, -EINVAL, "%s", what);
	return event_refuse(parser->list, at, parser->err);
}

static int refuse_letter(const struct parser *parser, const char *at, const char *what, const char *why)
{
	err_set(parser->err, -EINVAL, "%s modifier '%c'%s", what, *at, why);
	return event_refuse(parser->list, at, parser->err);
}

/* Does an event end here? */
static bool is_end(char c)
{
	return memchr(",} ", c, 4);
}

/* The letters at parser->at, which moves behind them. */
static int parse_modifiers(struct parser *parser, unsigned *seen)
{
	static const char unusable[] = "pPSDe";
	const char *at = parser->at;
	if (is_end(*at))
		return refuse(parser, at, "a modifier is missing");
	for (*seen = 0; !is_end(*at); at++) {
		const char *found = strchr(letters, *at), *bad = strchr(unusable, *at);
		if (bad)
			return refuse_letter(parser, at, "unusable",
					     bad < unusable + 2   ? ": a count through a shared leader needs no precise_ip"
					     : bad < unusable + 3 ? ": a count takes no samples"
								  : ": others would get no counter");
		if (!found)
			return refuse_letter(parser, at, "unknown", ": known are u, k, h, G, H and I");
		const unsigned bit = 1U << (found - letters);
		if (*seen & bit)
			return refuse_letter(parser, at, "repeated", "");
		*seen |= bit;
	}
	parser->at = at;
	return 0;
}

/* Sets the item to what is written from parser->at on, to the end of the event or its modifiers, and moves there. */
static int scan_item(struct parser *parser, struct event *event)
{
	const char *start = parser->at, *end = start + strcspn(start, ",{}/");
	event->item = (struct event_item){parser->list, start, 0};
	parser->at = end;
	if (*end == '/') {
		bool is_quoted = false;
		event->kind = EVENT_PMU;
		event->pmu_length = (size_t)(end - start);
		if (end == start)
			return refuse(parser, start, no_name);
		for (end++; *end && (*end != '/' || is_quoted); end++)
			is_quoted ^= *end == '\'';
		if (!*end)
			return refuse(parser, end, is_quoted ? "expected the closing '" : "expected the closing /");
		parser->at = ++end;
	}
	while (end > start && end[-1] == ' ')
		end--;
	event->item.length = (size_t)(end - start);
	return 0;
}

/* Are these letters that could be meant as modifiers? One wrong letter is rather a mistake than a tracepoint's name. */
static bool is_modifiers(const char *text, size_t length)
{
	size_t known = 0;
	while (known < length && strchr("ukhGHpPSDIWebR", text[known]))
		known++;
	return known == length || length <= 2;
}

/* "name", "name:modifiers", "system:name", "system:name:modifiers": cuts the item before the modifiers, and moves there. */
static int parse_name(struct parser *parser, struct event *event)
{
	struct event_item *item = &event->item;
	const char *start = item->start, *end = start + item->length, *colon = memchr(start, ':', item->length);
	const size_t length = colon ? (size_t)(colon - start) : item->length;
	int found = event_find(&event->attr, start, length);
	if (!found)
		found = event_find_raw(&event->attr, start, length, parser->err);
	if (found < 0)
		return event_refuse(parser->list, start, parser->err);
	if (!found) {
		event->kind = EVENT_ALIAS;
		memset(&event->attr, 0, sizeof(event->attr));
	}
	if (!found && colon) {
		const char *next = memchr(colon + 1, ':', (size_t)(end - colon - 1));
		if (!is_modifiers(colon + 1, (size_t)((next ? next : end) - colon - 1))) {
			event->kind = EVENT_TRACEPOINT;
			colon = next;
		}
	}
	if (event->kind == EVENT_TRACEPOINT && !strncmp(start, "mem:", 4))
		return refuse(parser, start, "breakpoints are not supported");
	if (!length)
		return refuse(parser, start, no_name);
	if (colon) {
		item->length = (size_t)(colon - start);
		parser->at = colon;
	}
	return 0;
}

void event_set_name(struct event *event, const char *text, size_t length)
{
	length = length < sizeof(event->name) ? length : sizeof(event->name) - 1;
	for (size_t i = 0; i < length; i++)
		event->name[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
	event->name[length] = '\0';
}

static int parse_event(struct parser *parser)
{
	if (parser->count == parser->max)
		return err_set(parser->err, -E2BIG, "more than %d events", parser->max);
	struct event *event = &parser->events[parser->count];
	memset(event, 0, sizeof(*event));
	event->scale = 1;
	event->group = parser->group;
	int result = scan_item(parser, event);
	if (!result && event->kind != EVENT_PMU)
		result = parse_name(parser, event);
	if (result < 0)
		return result;
	const bool has_modifiers = !is_end(*parser->at);
	parser->at += *parser->at == ':';
	event->modifiers_at = parser->at;
	if (has_modifiers)
		result = parse_modifiers(parser, &event->modifiers);
	if (result < 0)
		return result;
	set_exclude(event);
	const char *end = has_modifiers ? parser->at : event->item.start + event->item.length;
	if (end - event->item.start > NAME_MOST)
		return refuse(parser, event->item.start, "too long an event");
	event_set_name(event, event->item.start, (size_t)(end - event->item.start));
	parser->count++;
	return 0;
}

/* The modifiers of a group are added to those of its members, as perf does. */
static int end_group(struct parser *parser)
{
	int i = parser->group - 1;
	parser->at++;
	parser->group = 0;
	if (*parser->at != ':')
		return 0;
	const char *at = ++parser->at;
	unsigned seen;
	int result = parse_modifiers(parser, &seen);
	for (; !result && i < parser->count; i++) {
		struct event *event = &parser->events[i];
		char added[EVENT_MODIFIERS_SIZE + 1] = ":";
		const bool has_colon = event->modifiers || event->kind == EVENT_PMU;
		event_modifiers_text(added + 1, seen & ~event->modifiers);
		memcpy(event->name + strlen(event->name), added + has_colon, sizeof(added) - has_colon);
		event->modifiers |= seen;
		event->modifiers_at = at;
		set_exclude(event);
	}
	return result;
}

int event_parse_list(struct event *events, int max, const char *text, struct err *err)
{
	struct parser parser = {.list = text, .at = text, .events = events, .max = max, .err = err};
	for (;;) {
		parser.at += strspn(parser.at, " ");
		if (*parser.at == '{' && !parser.group) {
			parser.group = parser.count + 1;
			parser.at++;
			continue;
		}
		int result = parse_event(&parser);
		parser.at += strspn(parser.at, " ");
		if (!result && *parser.at == '}' && parser.group)
			result = end_group(&parser);
		if (result < 0)
			return result;
		parser.at += strspn(parser.at, " ");
		if (!*parser.at && !parser.group)
			return parser.count;
		if (*parser.at != ',')
			return refuse(&parser, parser.at, parser.group ? "expected , or }" : "expected ,");
		parser.at++;
	}
}

/* --- kinds ------------------------------------------------------------------------------------------------------------ */

void event_cpus(struct cpulist *cpus, const struct event *event, const struct cpulist *among)
{
	*cpus = *among;
	if (event->has_cpus)
		cpulist_and(cpus, &event->cpus);
}

bool event_is_runs(const struct event *event)
{
	return event->attr.type == EVENT_TYPE_RUNS;
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
