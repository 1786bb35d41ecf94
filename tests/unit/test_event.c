/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>

#include "err.h"
#include "event.h"

enum { USER = 1, KERNEL = 2, HV = 4, HOST = 8, GUEST = 16, IDLE = 32 };

static int excluded(const struct event *e)
{
	return e->attr.exclude_user * USER + e->attr.exclude_kernel * KERNEL + e->attr.exclude_hv * HV +
	       e->attr.exclude_host * HOST + e->attr.exclude_guest * GUEST + e->attr.exclude_idle * IDLE;
}

/* Only the fields that are promised are set. */
static bool nothing_else(const struct event *e)
{
	struct perf_event_attr attr = e->attr, none = {0};
	attr.type = 0;
	attr.config = 0;
	attr.exclude_user = attr.exclude_kernel = attr.exclude_hv = attr.exclude_host = attr.exclude_guest = attr.exclude_idle = 0;
	return !memcmp(&attr, &none, sizeof(attr));
}

static void test_names(void)
{
	/* from linux/perf_event.h, by number */
	static const struct {
		const char *name;
		unsigned type, config;
	} cases[] = {
		{"cpu-cycles", 0, 0}, {"cycles", 0, 0}, {"instructions", 0, 1}, {"cache-references", 0, 2}, {"cache-misses", 0, 3},
		{"branch-instructions", 0, 4}, {"branches", 0, 4}, {"branch-misses", 0, 5}, {"bus-cycles", 0, 6},
		{"stalled-cycles-frontend", 0, 7}, {"idle-cycles-frontend", 0, 7}, {"stalled-cycles-backend", 0, 8},
		{"idle-cycles-backend", 0, 8}, {"ref-cycles", 0, 9}, {"cpu-clock", 1, 0}, {"task-clock", 1, 1},
		{"page-faults", 1, 2}, {"faults", 1, 2}, {"context-switches", 1, 3}, {"cs", 1, 3}, {"cpu-migrations", 1, 4},
		{"migrations", 1, 4}, {"minor-faults", 1, 5}, {"major-faults", 1, 6}, {"alignment-faults", 1, 7},
		{"emulation-faults", 1, 8}, {"dummy", 1, 9}, {"bpf-output", 1, 10}, {"cgroup-switches", 1, 11},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e;
		struct err err = {0};
		EQ_INT(event_parse_list(&e, 1, cases[i].name, &err), 1, "%s is known", cases[i].name);
		EQ_U64(e.attr.type, cases[i].type, "%s: type", cases[i].name);
		EQ_U64(e.attr.config, cases[i].config, "%s: config", cases[i].name);
		EQ_INT(excluded(&e), 0, "%s: nothing excluded", cases[i].name);
		OK(nothing_else(&e), "%s: nothing else set", cases[i].name);
		EQ_TEXT(e.name, cases[i].name, "%s: name", cases[i].name);
		OK(e.kind == EVENT_DONE && e.scale == 1 && !e.group, "%s: nothing is left to do", cases[i].name);
		EQ_TEXT(err.text, "", "%s: no error", cases[i].name);
	}
}

static void test_raw(void)
{
	static const struct {
		const char *name;
		uint64_t config;
	} cases[] = {
		{"r1a8", 0x1a8}, {"r0", 0}, {"rFFFFFFFFFFFFFFFF", UINT64_MAX}, {"r00000000000000000001", 1}, {"rAbC", 0xabc},
		{"rdd", 0xdd}, {"re", 0xe}, {"r8000000000000000", UINT64_C(1) << 63}, {"r0x1a8", 0x1a8}, {"r0xF", 0xf},
		{"r0x0", 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e;
		EQ_INT(event_parse_list(&e, 1, cases[i].name, NULL), 1, "%s is known", cases[i].name);
		EQ_U64(e.attr.type, PERF_TYPE_RAW, "%s: type", cases[i].name);
		EQ_U64(e.attr.config, cases[i].config, "%s: config", cases[i].name);
	}
	struct event e;
	EQ_INT(event_parse_list(&e, 1, "r1a8:u", NULL), 1, "a raw event with a modifier");
	EQ_INT(excluded(&e), KERNEL | HV, "... which is heeded");
}

/* As perf 6.1 sets them (pmu-fixtures/expected.tsv, vm-nopmu), but for its exclude_guest of its own accord. */
static void test_modifiers(void)
{
	static const struct {
		const char *modifiers;
		int want;
	} cases[] = {
		{"u", KERNEL | HV}, {"k", USER | HV}, {"h", USER | KERNEL}, {"uk", HV}, {"ku", HV}, {"uh", KERNEL}, {"kh", USER},
		{"ukh", 0}, {"G", HOST}, {"H", GUEST}, {"GH", 0}, {"HG", 0}, {"uG", KERNEL | HV | HOST}, {"Gu", KERNEL | HV | HOST},
		{"kH", USER | HV | GUEST}, {"ukhGH", 0}, {"HkGu", HV}, {"I", IDLE}, {"uI", KERNEL | HV | IDLE}, {"W", 0}, {"b", 0},
		{"Wub", KERNEL | HV},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e;
		char name[32];
		snprintf(name, sizeof(name), "instructions:%s", cases[i].modifiers);
		EQ_INT(event_parse_list(&e, 1, name, NULL), 1, "%s is accepted", name);
		EQ_INT(excluded(&e), cases[i].want, "%s: exclude bits", name);
		OK(nothing_else(&e) && e.attr.type == 0 && e.attr.config == 1, "%s: the rest", name);
		EQ_TEXT(e.name, name, "%s: name", name);
	}
}

static void test_lists(void)
{
	struct event e[4];
	struct err err = {0};
	memset(e, 0xff, sizeof(e));
	EQ_INT(event_parse_list(e, 4, " cycles , instructions:u,faults  ,  r1 ", &err), 4, "spaces around events");
	EQ_TEXT(e[0].name, "cycles", "... the first's name");
	EQ_TEXT(e[1].name, "instructions:u", "... the second's name");
	EQ_TEXT(e[2].name, "faults", "... the third's name");
	EQ_TEXT(e[3].name, "r1", "... the fourth's name");
	OK(nothing_else(&e[3]), "... and nothing of what was in the memory");
	EQ_INT(event_parse_list(e, 4, "cs,cs,cs,cs", &err), 4, "repeats are kept, as many as fit");
	EQ_INT(event_parse_list(e, 4, "cs,cs,cs,cs,cs", &err), -E2BIG, "one too many");
	EQ_TEXT(err.text, "more than 4 events", "... is said");
	EQ_INT(event_parse_list(e, 0, "cs", &err), -E2BIG, "no room at all");
}

struct refused {
	const char *list;
	int at;
	const char *message;
};

/* of kind ALIAS, PMU, TRACEPOINT: what of the text is whose */
static void test_pending(void)
{
	static const struct {
		const char *text, *item;
		int kind;
		size_t pmu_length;
		int excluded;
		const char *name;
	} cases[] = {
		{"cycels", "cycels", EVENT_ALIAS, 0, 0, "cycels"},
		{"mem-loads:u", "mem-loads", EVENT_ALIAS, 0, KERNEL | HV, "mem-loads:u"},
		{"CYCLES", "CYCLES", EVENT_ALIAS, 0, 0, "CYCLES"},
		{"R1a8", "R1a8", EVENT_ALIAS, 0, 0, "R1a8"},
		{"r", "r", EVENT_ALIAS, 0, 0, "r"},
		{"cycles instructions", "cycles instructions", EVENT_ALIAS, 0, 0, "cycles instructions"},
		{"cycles\n", "cycles\n", EVENT_ALIAS, 0, 0, "cycles?"},
		{"cy\033[1mcles", "cy\033[1mcles", EVENT_ALIAS, 0, 0, "cy?[1mcles"},
		{" tsc ", "tsc", EVENT_ALIAS, 0, 0, "tsc"},
		{"L1-dcache-loads-loads", "L1-dcache-loads-loads", EVENT_ALIAS, 0, 0, "L1-dcache-loads-loads"},
		{"cpu//", "cpu//", EVENT_PMU, 3, 0, "cpu//"},
		{"cpu/event=1,umask=2/", "cpu/event=1,umask=2/", EVENT_PMU, 3, 0, "cpu/event=1,umask=2/"},
		{"cpu/event=1/u", "cpu/event=1/", EVENT_PMU, 3, KERNEL | HV, "cpu/event=1/u"},
		{"cpu/event=1/:k", "cpu/event=1/", EVENT_PMU, 3, USER | HV, "cpu/event=1/:k"},
		{"cpu/name='a/b,c{}:'/u", "cpu/name='a/b,c{}:'/", EVENT_PMU, 3, KERNEL | HV, "cpu/name='a/b,c{}:'/u"},
		{"a:b/c/", "a:b/c/", EVENT_PMU, 3, 0, "a:b/c/"},
		{"sched:sched_switch", "sched:sched_switch", EVENT_TRACEPOINT, 0, 0, "sched:sched_switch"},
		{"sched:sched_switch:k", "sched:sched_switch", EVENT_TRACEPOINT, 0, USER | HV, "sched:sched_switch:k"},
		{"sched:*", "sched:*", -1, 0, 0, ""},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e;
		struct err err = {0};
		int result = event_parse_list(&e, 1, cases[i].text, &err);
		EQ_INT(result, cases[i].kind < 0 ? -EINVAL : 1, "'%s': %s", cases[i].text, err.text);
		if (cases[i].kind < 0 || result < 0)
			continue;
		EQ_INT(e.kind, cases[i].kind, "... its kind");
		OK(e.item.length == strlen(cases[i].item) && !memcmp(e.item.start, cases[i].item, e.item.length), "... its text: %.*s",
		   (int)e.item.length, e.item.start);
		EQ_U64(e.pmu_length, cases[i].pmu_length, "... the PMU's name");
		EQ_INT(excluded(&e), cases[i].excluded, "... exclude bits");
		EQ_TEXT(e.name, cases[i].name, "... name");
		OK(nothing_else(&e) && e.attr.type == 0 && e.attr.config == 0, "... nothing else");
	}
}

/* All of perf's spellings (tools/perf/Documentation and 6.1's behaviour): type, op and result, the last two in any order. */
static void test_caches(void)
{
	static const char *const types[][5] = {
		{"L1-dcache", "l1-d", "l1d", "L1-data"}, {"L1-icache", "l1-i", "l1i", "L1-instruction"}, {"LLC", "L2"},
		{"dTLB", "d-tlb", "Data-TLB"}, {"iTLB", "i-tlb", "Instruction-TLB"}, {"branch", "bpu", "btb", "bpc"}, {"node"},
	};
	static const char *const ops[][4] = {
		{"load", "loads", "read"}, {"store", "stores", "write"},
		{"prefetch", "prefetches", "speculative-read", "speculative-load"},
	};
	static const char *const results[][4] = {{"refs", "Reference", "ops", "access"}, {"misses", "miss"}};
	static const bool can[7][3] = {{1, 1, 1}, {1, 0, 1}, {1, 1, 1}, {1, 1, 1}, {1, 0, 0}, {1, 0, 0}, {1, 1, 1}};
	int wrong = 0, count = 0;
	for (int n = 0; n < 7 * 5 * 3 * 4 * 2 * 4 * 2; n++) {
		const int t = n / 960, ts = n / 192 % 5, o = n / 64 % 3, os = n / 16 % 4, r = n / 8 % 2, rs = n / 2 % 4;
		char name[64];
		struct event e;
		if (!types[t][ts] || !ops[o][os] || !results[r][rs])
			continue;
		snprintf(name, sizeof(name), "%s-%s-%s", types[t][ts], n % 2 ? ops[o][os] : results[r][rs],
			 n % 2 ? results[r][rs] : ops[o][os]);
		count++;
		if (event_parse_list(&e, 1, name, NULL) != 1 || (e.kind == EVENT_DONE) != can[t][o] ||
		    (can[t][o] && (e.attr.type != 3 || e.attr.config != (uint64_t)(t | o << 8 | r << 16)))) {
			wrong++;
			printf("# %s\n", name);
		}
	}
	EQ_INT(wrong, 0, "all %d spellings of three parts", count);
	static const struct {
		const char *name;
		uint64_t config;
	} cases[] = {
		{"L1-dcache-load-misses", 0x10000}, {"LLC-loads", 2}, {"dTLB-load-misses", 0x10003}, {"LLC", 2}, {"node-misses", 0x10006},
		{"branch-loads", 5}, {"branch-load-misses", 0x10005}, {"branches-loads", 5}, {"L1-icache-prefetches", 0x201},
		{"llc-LOADS", 2}, {"L1d-write", 0x100}, {"LLC-access", 2}, {"iTLB-misses", 0x10004},
		/* hardware events come first */
		{"branch-misses", 0}, {"branches", 0}, {"cache-misses", 0},
		/* none */
		{"L1-dcache-", 0}, {"L1-dcach", 0}, {"L1-dcache_loads", 0}, {"LLC-loads-", 0}, {"LLC-misses-miss", 0}, {"-loads", 0}, {"iTLB-stores", 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e;
		EQ_INT(event_parse_list(&e, 1, cases[i].name, NULL), 1, "%s", cases[i].name);
		OK(cases[i].config ? e.kind == EVENT_DONE && e.attr.type == 3 && e.attr.config == cases[i].config
				   : e.kind != EVENT_DONE || e.attr.type == 0, "... is what it says");
	}
}

static void test_groups(void)
{
	struct event e[6];
	struct err err = {0};
	EQ_INT(event_parse_list(e, 6, "cs,{cycles, faults:u} ,{cpu/a,b/,r1}:kI,cs", &err), 6, "groups: %s", err.text);
	static const struct {
		const char *name;
		int group, excluded;
	} want[] = {{"cs", 0, 0}, {"cycles", 2, 0}, {"faults:u", 2, KERNEL | HV}, {"cpu/a,b/kI", 4, USER | HV | IDLE},
		    {"r1:kI", 4, USER | HV | IDLE}, {"cs", 0, 0}};
	for (int i = 0; i < 6; i++) {
		EQ_TEXT(e[i].name, want[i].name, "... member %d", i);
		EQ_INT(e[i].group, want[i].group, "... its group");
		EQ_INT(excluded(&e[i]), want[i].excluded, "... its modifiers");
	}
	/* the group's are added to the member's own: perf does so */
	EQ_INT(event_parse_list(e, 6, "{cs:u,cs:uk,cs:G}:k", &err), 3, "modifiers of both");
	EQ_INT(excluded(&e[0]), HV, "... user and kernel");
	EQ_INT(excluded(&e[1]), HV, "... the same again");
	EQ_INT(excluded(&e[2]), USER | HV | HOST, "... of another kind");
	EQ_TEXT(e[0].name, "cs:uk", "... show in the name");
	EQ_TEXT(e[1].name, "cs:uk", "... once");
	EQ_TEXT(e[2].name, "cs:Gk", "... in this order");
}

static void test_malformed(void)
{
	static const struct refused cases[] = {
		{"", 1, "an event name is missing"}, {" ", 2, "an event name is missing"}, {",cs", 1, "an event name is missing"},
		{"cs,", 4, "an event name is missing"}, {"cs,,cs", 4, "an event name is missing"}, {"cs, ,cs", 5, "an event name is missing"},
		{":u", 1, "an event name is missing"}, {"/x/", 1, "an event name is missing"}, {"{}", 2, "an event name is missing"},
		{"{cs,}", 5, "an event name is missing"}, {"{,cs}", 2, "an event name is missing"},
		{"cs:", 4, "a modifier is missing"}, {"cs:,cs", 4, "a modifier is missing"}, {"{cs}:", 6, "a modifier is missing"},
		{"cpu//:", 7, "a modifier is missing"}, {"{cs}: u", 6, "a modifier is missing"},
		{"cs:x", 4, "unknown modifier 'x': known are u, k, h, G, H and I"},
		{"cs,cs:ux", 8, "unknown modifier 'x': known are u, k, h, G, H and I"},
		{"cs:U", 4, "unknown modifier 'U': known are u, k, h, G, H and I"},
		{"cs:R", 4, "unknown modifier 'R': known are u, k, h, G, H and I"},
		{"cycles:u:k", 9, "unknown modifier ':': known are u, k, h, G, H and I"},
		{"cpu//uz", 7, "unknown modifier 'z': known are u, k, h, G, H and I"},
		{"cs:uu", 5, "repeated modifier 'u'"}, {"cs:GkG", 6, "repeated modifier 'G'"}, {"{cs,cs}:kk", 10, "repeated modifier 'k'"},
		{"cycles:p", 8, "unusable modifier 'p': a count through a shared leader needs no precise_ip"},
		{"cycles:upp", 9, "unusable modifier 'p': a count through a shared leader needs no precise_ip"},
		{"{cs,cycles}:P", 13, "unusable modifier 'P': a count through a shared leader needs no precise_ip"},
		{"cs:S", 4, "unusable modifier 'S': a count takes no samples"},
		{"cs:D", 4, "unusable modifier 'D': others would get no counter"},
		{"cs:e", 4, "unusable modifier 'e': others would get no counter"},
		{"r1z", 1, "after the r of a raw event come hexadecimal digits only"},
		{"cs,r0x1z", 4, "after the r of a raw event come hexadecimal digits only"},
		{"r10000000000000000", 1, "a raw event has 64 bits at most"},
		{"cs,mem:0x1000:rw", 4, "breakpoints are not supported"}, {"mem:0x1000", 1, "breakpoints are not supported"},
		{"cpu/event=1", 12, "expected the closing /"}, {"cs,cpu/", 8, "expected the closing /"},
		{"cpu/name='a/", 13, "expected the closing '"}, {"cpu/name='a/,b", 15, "expected the closing '"},
		{"{cs", 4, "expected , or }"}, {"{cs,{cs}}", 5, "an event name is missing"}, {"{cs}}", 5, "expected ,"}, {"cs}", 3, "expected ,"},
		{"{cs}{cs}", 5, "expected ,"}, {"{cs}u", 5, "expected ,"}, {"{cs:u k}", 7, "expected , or }"}, {"cs:u k", 6, "expected ,"},
		{"cpu//u{", 7, "unknown modifier '{': known are u, k, h, G, H and I"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e[4];
		struct err err = {0};
		char want[256];
		const char *list = cases[i].list;
		snprintf(want, sizeof(want), "event syntax: '%s' at character %d: %s", list, cases[i].at, cases[i].message);
		EQ_INT(event_parse_list(e, 4, list, &err), -EINVAL, "'%s' is refused", list);
		EQ_TEXT(err.text, want, "'%s': the message", list);
		snprintf(want, sizeof(want), "  %s\n%*s^\n", list, cases[i].at + 1, "");
		EQ_TEXT(err.shown, want, "'%s': the caret", list);
		EQ_TEXT(err.hint, "", "'%s': no hint", list);
		EQ_INT(event_parse_list(e, 4, list, NULL), -EINVAL, "'%s' is refused without err", list);
	}
}

/* Of a long list a piece around the character is shown, and what a terminal would obey is not. */
static void test_shown(void)
{
	enum { EVENTS = 80 };
	struct event e[2 * EVENTS];
	char list[1024];
	for (int before = 0; before < EVENTS; before += 7) {
		for (int after = 0; after < EVENTS; after += 11) {
			struct err err = {0};
			list[0] = '\0';
			for (int i = 0; i < before; i++)
				strcat(list, "cs,");
			strcat(list, "cs:\033");
			for (int i = 0; i < after; i++)
				strcat(list, ",\t\377s");
			EQ_INT(event_parse_list(e, 2 * EVENTS, list, &err), -EINVAL, "a mistake after %d events, before %d", before, after);
			const char *end = strchr(err.shown, '\n'), *caret = strchr(err.shown, '^');
			if (!OK(end && caret > end && !strcmp(caret, "^\n"), "... is shown, with a caret at the end"))
				continue;
			OK(end - err.shown <= 72, "... on a line: %zu", (size_t)(end - err.shown));
			OK(caret - end <= end - err.shown && err.shown[caret - end - 1] == '?', "... that is under the character");
			OK(strspn(err.shown, " cs:,?^\n") == strlen(err.shown), "... without what a terminal obeys");
		}
	}
}

static void test_long(void)
{
	enum { FITS = EVENT_NAME_SIZE - 16 };
	struct event e[4];
	struct err err = {0};
	char text[1024], want[2048];

	memset(text, '0', sizeof(text));
	text[0] = 'r';
	text[FITS] = '\0';
	EQ_INT(event_parse_list(e, 4, text, &err), 1, "a name that just fits");
	EQ_TEXT(e[0].name, text, "... is kept whole");
	text[FITS] = '0';
	text[FITS + 1] = '\0';
	EQ_INT(event_parse_list(e, 4, text, &err), -EINVAL, "a name that does not fit");
	snprintf(want, sizeof(want), "event syntax: '%s' at character 1: too long an event", text);
	EQ_TEXT(err.text, want, "... is said");
	snprintf(want, sizeof(want), "{%.*s}:ukhGHIWb", FITS, text);
	EQ_INT(event_parse_list(e, 4, want, &err), 1, "one that fits, with all modifiers of a group");
	EQ_INT(strlen(e[0].name), FITS + 9, "... gets them, too");

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	EQ_INT(event_parse_list(e, 4, text, &err), -EINVAL, "a very long name");
	snprintf(want, sizeof(want), "event syntax: '%.200s...' at character 1: too long an event", text);
	EQ_TEXT(err.text, want, "... is cut in the message");
}

static void test_format(void)
{
	static const char *const same[] = {"cycles", "instructions", "branches", "page-faults", "cs:x", "context-switches:u", "L1-dcache-loads",
		"L1-dcache-load-misses", "LLC-prefetches:k", "node-store-misses", "branch-load-misses", "dTLB-stores", "r1a8", "r0",
		"cycles:G", "cycles:H", "instructions:ukG", "cpu-clock:I", "cgroup-switches", "stalled-cycles-backend", "ref-cycles"};
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct event e;
		char text[64];
		if (event_parse_list(&e, 1, same[i], NULL) != 1)
			continue;
		event_format(text, sizeof(text), &e.attr);
		EQ_TEXT(text, same[i], "%s there and back", same[i]);
	}
	static const struct {
		struct perf_event_attr attr;
		const char *text;
	} cases[] = {
		{{.type = 0, .config = 10}, "type:0/config=0xa,config1=0x0,config2=0x0/"},
		{{.type = 0, .config = 16}, "type:0/config=0x10,config1=0x0,config2=0x0/"},
		{{.type = 0, .config = 0x400000000}, "type:0/config=0x400000000,config1=0x0,config2=0x0/"},
		{{.type = 1, .config = 12}, "type:1/config=0xc,config1=0x0,config2=0x0/"},
		{{.type = 3, .config = 7}, "type:3/config=0x7,config1=0x0,config2=0x0/"},
		{{.type = 3, .config = 0x300}, "type:3/config=0x300,config1=0x0,config2=0x0/"},
		{{.type = 3, .config = 0x20000}, "type:3/config=0x20000,config1=0x0,config2=0x0/"},
		{{.type = 4, .config = 1, .config1 = 2}, "type:4/config=0x1,config1=0x2,config2=0x0/"},
		{{.type = 77, .config = UINT64_MAX, .exclude_kernel = 1}, "type:77/config=0xffffffffffffffff,config1=0x0,config2=0x0/:uh"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[96];
		event_format(text, sizeof(text), &cases[i].attr);
		EQ_TEXT(text, cases[i].text, "%s is written so", cases[i].text);
	}
}

static struct event parsed(const char *text)
{
	struct event e = {0};
	OK(event_parse_list(&e, 1, text, NULL) == 1, "%s is accepted", text);
	return e;
}

static void test_kinds(void)
{
	static const struct {
		const char *name;
		bool clock, ignores;
	} cases[] = {
		{"cpu-clock", true, false}, {"task-clock", true, false}, {"cpu-clock:u", true, true}, {"task-clock:k", true, true},
		{"cpu-clock:h", true, true}, {"cpu-clock:uk", true, false}, {"cpu-clock:G", true, true}, {"cpu-clock:H", true, false},
		{"cpu-clock:ukhGH", true, false}, {"cycles", false, false}, {"cycles:u", false, false}, {"cycles:G", false, false},
		{"instructions", false, false}, {"r0", false, false}, {"r1", false, false}, {"faults", false, false},
		{"faults:u", false, false}, {"faults:G", false, true}, {"cs:k", false, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e = parsed(cases[i].name);
		OK(event_is_clock(&e) == cases[i].clock, "%s is %sa clock", cases[i].name, cases[i].clock ? "" : "not ");
		OK(event_ignores_modifiers(&e) == cases[i].ignores, "%s: modifiers are %s", cases[i].name,
		   cases[i].ignores ? "ignored" : "heeded");
	}
}

int main(void)
{
	test_names();
	test_raw();
	test_modifiers();
	test_lists();
	test_pending();
	test_caches();
	test_groups();
	test_malformed();
	test_shown();
	test_long();
	test_format();
	test_kinds();
	return test_done();
}
