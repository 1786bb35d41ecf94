/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts split by place: what counters read of CPUs (here from pipes) comes out in the rows of -A, --per-core, .. */
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counter.h"
#include "err.h"
#include "memory.h"
#include "plan.h"
#include "session.h"
#include "sysfs.h"

enum { CPUS = 8, EVENTS_MAX = 4, SCOPES_MAX = 2 };

static char root[] = "/tmp/bperf-mini-test.XXXXXX";

static struct plan plan;
static struct session session;
static struct session_scope scopes[SCOPES_MAX];
static struct counter counters[SCOPES_MAX * EVENTS_MAX];
static struct reading scratch[CPUS];
static struct cgroup groups[] = {{.path = "/web", .name_at = 1, .depth = 1}, {.path = "/db", .name_at = 1, .depth = 1}};
static int feeds[SCOPES_MAX * EVENTS_MAX][2 * CPUS]; /* of each plain event the pipe's end that is written to */
static struct err err;

static void put_id(unsigned cpu, const char *file, unsigned id)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%u/topology/%s", root, cpu, file);
	for (char *p = path + sizeof(root); (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	FILE *f = fopen(path, "w");
	if (!f || fprintf(f, "%u\n", id) < 0 || fclose(f))
		OK(false, "cannot write %s", path);
}

/* Two sockets of two cores of two threads, the second threads behind all first ones: S0 has 0, 1, 4, 5; its core 0 has 0, 4. */
static void put_machine(void)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		put_id(cpu, "physical_package_id", cpu / 2 % 2);
		put_id(cpu, "die_id", 0);
		put_id(cpu, "core_id", cpu % 2);
	}
}

static struct cpulist list_of(const char *text)
{
	struct cpulist list = {0};
	if (*text && cpulist_parse(&list, text, &err) < 0)
		OK(false, "%s", err.text);
	return list;
}

/* A plan of so many events, none of them of certain CPUs or of a family, for all CPUs. */
static void plan_for(enum plan_aggregate aggregate, int events)
{
	plan = (struct plan){.events_count = events, .scopes_count = 1, .aggregate = aggregate, .repeat = 1};
	plan.possible = list_of("0-7");
	plan.online = plan.cpus = plan.scopes[0].cpus = list_of("0-7");
	for (int i = 0; i < events; i++) {
		snprintf(plan.events[i].name, sizeof(plan.events[i].name), "event%d", i);
		plan.events[i].family = i;
	}
}

/* Plain events, one for each slot and CPU that counts the event, fed by pipes. */
static void open_counter(int index, const struct counter_env *env)
{
	const int event = index % plan.events_count;
	struct counter *counter = &counters[index];
	const size_t counts = (size_t)env->slots * env->split;
	struct cpulist cpus;
	counter_init(counter, &plan.events[event], 0, env);
	event_cpus(&cpus, &counter->event, &env->cpus);
	counter->way = COUNTER_PLAIN;
	counter->is_on = true;
	counter->since = memory_take(counts, sizeof(*counter->since));
	counter->total = memory_take(counts, sizeof(*counter->total));
	counter->last = memory_take((size_t)env->slots * CPUS, sizeof(*counter->last));
	counter->plain.events = memory_take((size_t)env->slots * CPUS, sizeof(*counter->plain.events));
	for (uint32_t slot = 0; slot < env->slots; slot++) {
		for (int cpu = -1; (cpu = cpulist_next(&cpus, cpu)) >= 0;) {
			int ends[2];
			if (pipe(ends))
				OK(false, "no pipe");
			feeds[index][counter->plain.count] = ends[1];
			counter->plain.events[counter->plain.count++] = (struct plain_event){ends[0], (unsigned)cpu, slot};
		}
	}
}

static void open_session(void)
{
	session = (struct session){.plan = &plan, .scopes = scopes, .counters = counters, .readings = scratch, .cpus = plan.cpus};
	session.counters_count = plan.scopes_count * plan.events_count;
	OK(!session_learn_places(&session, &err), "places are learned");
	for (int i = 0; i < plan.scopes_count; i++) {
		const struct plan_scope *scope = &plan.scopes[i];
		const bool has_groups = scope->kind == PLAN_CGROUPS;
		scopes[i] = (struct session_scope){.groups = {.list = groups, .count = 2}};
		scopes[i].env = (struct counter_env){
			.plan = &plan,
			.scope = scope,
			.groups = has_groups ? &scopes[i].groups : NULL,
			.slots = has_groups ? 2 : 1,
			.split = plan_scope_has_places(&plan, scope) ? CPUS : 1,
			.cpus = scope->cpus,
			.possible_count = CPUS,
			.readings = scratch,
		};
	}
	for (int i = 0; i < session.counters_count; i++)
		open_counter(i, &scopes[i / plan.events_count].env);
	OK(!session_make_rows(&session, &err), "rows have room");
}

static void close_session(void)
{
	for (int i = 0; i < session.counters_count; i++) {
		for (int k = 0; k < counters[i].plain.count; k++)
			close(feeds[i][k]);
		counter_close(&counters[i]);
	}
	topology_close(&session.topology);
	memory_free(session.families);
	memory_free(session.places);
	memory_free(session.rows);
}

/* What the counter's event of the slot and CPU stands at when it is read next. */
static void feed(int index, uint32_t slot, unsigned cpu, struct reading reading)
{
	for (int i = 0; i < counters[index].plain.count; i++) {
		const struct plain_event *event = &counters[index].plain.events[i];
		if (event->slot == slot && event->cpu == cpu && write(feeds[index][i], &reading, sizeof(reading)) != sizeof(reading))
			OK(false, "cannot feed");
	}
}

static void take(int index)
{
	counter_next(&counters[index]);
	if (counter_take(&counters[index], false, 0, &err) < 0)
		OK(false, "%s", err.text);
}

/* "event0 S0(4)=10; ..": of what was counted since the reading before the last, or in all */
static const char *rows(bool all)
{
	static char text[4096];
	size_t used = 0;
	session_rows(&session, all);
	text[0] = '\0';
	for (int i = 0; i < session.rows_count; i++) {
		const struct report_row *row = &session.rows[i];
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? "; " : "", row->event->name);
		if (row->cgroup)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %s", row->cgroup);
		if (row->place)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %s(%u)", row->place->name, row->place->cpus);
		if (row->state == REPORT_COUNTED)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "=%" PRIu64, row->value);
		else
			used += (size_t)snprintf(text + used, sizeof(text) - used, row->state == REPORT_NOT_COUNTED ? "=none" : "=no");
	}
	return text;
}

static void feed_tens(int index, uint32_t slot, uint64_t value)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		feed(index, slot, cpu, (struct reading){value * (cpu + 1), 100 * value, 100 * value});
}

/* Every kind, of CPUs that count 10, 20, .., 80, and then as much again and once more. */
static void test_kinds(void)
{
	static const struct {
		enum plan_aggregate by;
		const char *first, *second, *all;
	} cases[] = {
		{PLAN_ALL_CPUS, "event0=360", "event0=720", "event0=1080"},
		{PLAN_EACH_CPU,
		 "event0 CPU0(1)=10; event0 CPU1(1)=20; event0 CPU2(1)=30; event0 CPU3(1)=40; event0 CPU4(1)=50; event0 CPU5(1)=60; "
		 "event0 CPU6(1)=70; event0 CPU7(1)=80",
		 "event0 CPU0(1)=20; event0 CPU1(1)=40; event0 CPU2(1)=60; event0 CPU3(1)=80; event0 CPU4(1)=100; event0 CPU5(1)=120; "
		 "event0 CPU6(1)=140; event0 CPU7(1)=160",
		 "event0 CPU0(1)=30; event0 CPU1(1)=60; event0 CPU2(1)=90; event0 CPU3(1)=120; event0 CPU4(1)=150; event0 CPU5(1)=180; "
		 "event0 CPU6(1)=210; event0 CPU7(1)=240"},
		{PLAN_EACH_CORE, "event0 S0-D0-C0(2)=60; event0 S0-D0-C1(2)=80; event0 S1-D0-C0(2)=100; event0 S1-D0-C1(2)=120",
		 "event0 S0-D0-C0(2)=120; event0 S0-D0-C1(2)=160; event0 S1-D0-C0(2)=200; event0 S1-D0-C1(2)=240",
		 "event0 S0-D0-C0(2)=180; event0 S0-D0-C1(2)=240; event0 S1-D0-C0(2)=300; event0 S1-D0-C1(2)=360"},
		{PLAN_EACH_DIE, "event0 S0-D0(4)=140; event0 S1-D0(4)=220", "event0 S0-D0(4)=280; event0 S1-D0(4)=440",
		 "event0 S0-D0(4)=420; event0 S1-D0(4)=660"},
		{PLAN_EACH_SOCKET, "event0 S0(4)=140; event0 S1(4)=220", "event0 S0(4)=280; event0 S1(4)=440",
		 "event0 S0(4)=420; event0 S1(4)=660"},
		{PLAN_EACH_NODE, "event0 N-1(8)=360", "event0 N-1(8)=720", "event0 N-1(8)=1080"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		plan_for(cases[i].by, 1);
		open_session();
		feed_tens(0, 0, 10);
		take(0);
		EQ_TEXT(rows(false), cases[i].first, "kind %d: the first interval", cases[i].by);
		feed_tens(0, 0, 30);
		take(0);
		EQ_TEXT(rows(false), cases[i].second, "kind %d: the second", cases[i].by);
		EQ_TEXT(rows(true), cases[i].all, "kind %d: both", cases[i].by);
		close_session();
	}
}

/* Field report V27, and CPUs of which some never ran. */
static void test_scaling(void)
{
	plan_for(PLAN_EACH_CPU, 1);
	plan.cpus = plan.scopes[0].cpus = list_of("0-2");
	open_session();
	feed(0, 0, 0, (struct reading){100, 10, 5});
	feed(0, 0, 1, (struct reading){100, 10, 10});
	feed(0, 0, 2, (struct reading){0, 10, 0});
	take(0);
	EQ_TEXT(rows(true), "event0 CPU0(1)=200; event0 CPU1(1)=100; event0 CPU2(1)=none", "scaled for each CPU; one never counted");
	EQ_U64(session.rows[0].enabled, 10, "... with its own times");
	EQ_U64(session.rows[0].running, 5, "... of both kinds");
	close_session();

	plan_for(PLAN_EACH_SOCKET, 1);
	plan.cpus = plan.scopes[0].cpus = list_of("0-2");
	open_session();
	feed(0, 0, 0, (struct reading){100, 10, 5});
	feed(0, 0, 1, (struct reading){100, 10, 10});
	feed(0, 0, 2, (struct reading){0, 10, 0});
	take(0);
	EQ_TEXT(rows(true), "event0 S0(2)=300; event0 S1(1)=none", "scaled for each CPU, then added: 300, not 266");
	EQ_U64(session.rows[0].enabled, 20, "... so are the times");
	EQ_U64(session.rows[0].running, 15, "... of both kinds");
	close_session();
}

static uint64_t random_number(void)
{
	static uint64_t state = 88172645463325252U;
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* Whatever is read: the places' rows come to the one row that there is without them. */
static void test_sums(void)
{
	struct reading at[20][CPUS] = {0};
	struct report_row one = {0};
	for (int i = 1; i < 20; i++) {
		for (int cpu = 0; cpu < CPUS; cpu++) {
			uint64_t enabled = random_number() % 1000000000, running = random_number() % 3 ? random_number() % (enabled + 1) : enabled;
			at[i][cpu] = reading_add(at[i - 1][cpu], (struct reading){random_number() >> 30, enabled, running});
		}
	}
	for (enum plan_aggregate by = PLAN_ALL_CPUS; by <= PLAN_EACH_NODE; by++) {
		struct report_row sum = {0};
		plan_for(by, 1);
		open_session();
		for (int i = 1; i < 20; i++) {
			for (unsigned cpu = 0; cpu < CPUS; cpu++)
				feed(0, 0, cpu, at[i][cpu]);
			take(0);
		}
		session_rows(&session, true);
		for (int i = 0; i < session.rows_count; i++) {
			sum.value += session.rows[i].value;
			sum.enabled += session.rows[i].enabled;
			sum.running += session.rows[i].running;
		}
		if (by == PLAN_ALL_CPUS)
			one = sum;
		OK(sum.value > 0 && sum.value == one.value && sum.enabled == one.enabled && sum.running == one.running,
		   "kind %d: its rows come to %" PRIu64 " in all", by, one.value);
		close_session();
	}
}

/* Events of some CPUs only have rows of these; a family has those of all its members, each with what they counted there. */
static void test_families(void)
{
	plan_for(PLAN_EACH_SOCKET, 4);
	plan.events[1].has_cpus = plan.events[2].has_cpus = plan.events[3].has_cpus = true;
	plan.events[1].cpus = list_of("1");
	plan.events[2].cpus = list_of("1-2");
	plan.events[3].cpus = list_of("3");
	plan.events[2].family = plan.events[3].family = 1;
	open_session();
	feed_tens(0, 0, 10);
	feed(1, 0, 1, (struct reading){1000, 100, 100});
	feed(2, 0, 1, (struct reading){2000, 100, 100});
	feed(2, 0, 2, (struct reading){30000, 100, 100});
	feed(3, 0, 3, (struct reading){400000, 100, 100});
	for (int i = 0; i < 4; i++)
		take(i);
	EQ_TEXT(rows(true), "event0 S0(4)=140; event0 S1(4)=220; event1 S0(1)=3000; event1 S1(2)=430000", "a family in one row a socket");
	close_session();

	plan.aggregate = PLAN_EACH_CPU;
	open_session();
	feed_tens(0, 0, 1);
	feed(1, 0, 1, (struct reading){1000, 100, 100});
	feed(2, 0, 1, (struct reading){2000, 100, 100});
	feed(2, 0, 2, (struct reading){30000, 100, 100});
	feed(3, 0, 3, (struct reading){400000, 100, 0});
	for (int i = 0; i < 4; i++)
		take(i);
	OK(strstr(rows(true), "event0 CPU7(1)=8; event1 CPU1(1)=3000; event1 CPU2(1)=30000; event1 CPU3(1)=none"), "and in one row a CPU");
	EQ_INT(session.rows_count, 11, "no other rows");
	close_session();

	/* CPUs of another scope only */
	plan_for(PLAN_EACH_CPU, 3);
	plan.scopes_count = 2;
	plan.scopes[0].cpus = list_of("0");
	plan.scopes[1].cpus = plan.cpus = list_of("0-1");
	for (int i = 0; i < 2; i++) {
		plan.events[i].has_cpus = true;
		plan.events[i].cpus = list_of("1");
	}
	plan.events[1].family = 0;
	open_session();
	feed(2, 0, 0, (struct reading){5, 1, 1});
	feed(3, 0, 1, (struct reading){6, 1, 1});
	feed(4, 0, 1, (struct reading){7, 1, 1});
	feed(5, 0, 0, (struct reading){8, 1, 1});
	feed(5, 0, 1, (struct reading){9, 1, 1});
	for (int i = 0; i < 6; i++)
		take(i);
	EQ_TEXT(rows(true), "event2 CPU0(1)=5; event0 CPU1(1)=13; event2 CPU0(1)=8; event2 CPU1(1)=9",
		"an event has no row in a scope without its CPUs");
	close_session();
}

/* Rows of one place have the same report_place, by which they are found to belong together. */
static void test_alike(void)
{
	plan_for(PLAN_EACH_SOCKET, 4);
	plan.events[3].has_cpus = true;
	plan.events[3].cpus = list_of("0");
	open_session();
	counters[0].way = COUNTER_NONE;
	for (int i = 1; i < 3; i++)
		feed_tens(i, 0, 10);
	feed(3, 0, 0, (struct reading){1, 1, 1});
	for (int i = 1; i < 4; i++)
		take(i);
	EQ_TEXT(rows(true), "event0 S0(0)=no; event0 S1(0)=no; event1 S0(4)=140; event1 S1(4)=220; event2 S0(4)=140; event2 S1(4)=220; event3 S0(1)=1",
		"one event that cannot be counted");
	const struct report_row *row = session.rows;
	OK(row[2].place == row[4].place && row[3].place == row[5].place && row[2].place != row[3].place, "two events of the same CPUs share places");
	OK(row[0].place != row[2].place && row[6].place != row[2].place, "those of which less CPUs are counted do not");
	close_session();
}

/* Cgroups: each has the places; of events that go with one cgroup each, only that one. Tasks beside them keep one row. */
static void test_slots(void)
{
	plan_for(PLAN_EACH_SOCKET, 2);
	plan.scopes_count = 2;
	plan.scopes[0].kind = PLAN_CGROUPS;
	plan.scopes[1] = (struct plan_scope){.kind = PLAN_PROCESS, .cpus = plan.online};
	open_session();
	OK(scopes[1].env.split == 1, "tasks have no places");
	feed_tens(0, 0, 1);
	feed_tens(0, 1, 10);
	feed_tens(1, 0, 100);
	feed_tens(1, 1, 1000);
	feed_tens(2, 0, 5);
	feed_tens(3, 0, 7);
	for (int i = 0; i < 4; i++)
		take(i);
	EQ_TEXT(rows(true),
		"event0 web S0(4)=14; event0 web S1(4)=22; event0 db S0(4)=140; event0 db S1(4)=220; event1 web S0(4)=1400; event1 web "
		"S1(4)=2200; event1 db S0(4)=14000; event1 db S1(4)=22000; event0=180; event1=252",
		"two cgroups, and tasks");
	counters[0].only_slot = 0;
	counters[1].only_slot = 1;
	EQ_TEXT(rows(true), "event0 web S0(4)=14; event0 web S1(4)=22; event1 db S0(4)=14000; event1 db S1(4)=22000; event0=180; event1=252",
		"an event for each cgroup");
	for (int i = 0; i < 4; i++)
		counter_next(&counters[i]);
	EQ_TEXT(rows(false), "event0 web S0(4)=none; event0 web S1(4)=none; event1 db S0(4)=none; event1 db S1(4)=none; event0=none; event1=none",
		"begun anew");
	close_session();
}

/* Of a level the last value counts, not the difference, and not the sum of both. */
static void test_level(void)
{
	plan_for(PLAN_EACH_SOCKET, 1);
	plan.events[0].is_snapshot = true;
	open_session();
	feed_tens(0, 0, 10);
	take(0);
	feed_tens(0, 0, 20);
	take(0);
	EQ_TEXT(rows(false), "event0 S0(4)=280; event0 S1(4)=440", "a level, since the last look");
	EQ_TEXT(rows(true), "event0 S0(4)=280; event0 S1(4)=440", "a level, in all");
	close_session();
}

/* A CPU that came online later: it has a row, in its place's order, from then on. */
static void test_online_later(void)
{
	plan_for(PLAN_EACH_CORE, 1);
	plan.online = plan.cpus = plan.scopes[0].cpus = list_of("0,2,7");
	open_session();
	feed_tens(0, 0, 1);
	take(0);
	EQ_TEXT(rows(true), "event0 S0-D0-C0(1)=1; event0 S1-D0-C0(1)=3; event0 S1-D0-C1(1)=8", "three of eight are online");
	const struct cpulist later = list_of("1,3");
	cpulist_add(&scopes[0].env.cpus, 1);
	cpulist_add(&scopes[0].env.cpus, 3);
	topology_learn(&session.topology, &later);
	OK(!session_make_rows(&session, &err), "more rows have room");
	EQ_TEXT(rows(true), "event0 S0-D0-C0(1)=1; event0 S0-D0-C1(1)=none; event0 S1-D0-C0(1)=3; event0 S1-D0-C1(2)=8", "two more");
	close_session();
}

int main(void)
{
	if (!mkdtemp(root))
		OK(false, "cannot make %s", root);
	sysfs_root = root;
	put_machine();
	test_kinds();
	test_scaling();
	test_sums();
	test_families();
	test_alike();
	test_slots();
	test_level();
	test_online_later();
	char command[64];
	snprintf(command, sizeof(command), "rm -rf %s", root);
	OK(!system(command), "cleared");
	return test_done();
}
