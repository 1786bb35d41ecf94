/* SPDX-License-Identifier: GPL-2.0-only */
#include "metric.h"

#include <string.h>

#include "event.h"
#include "number.h"
#include "reading.h"
#include "report.h"

/* An event in a word, but for its modifiers and the kind of CPU: the type's byte above the config's three (a cache's last one is
 * the result). */
enum {
	CYCLES = PERF_TYPE_HARDWARE << 24,
	INSTRUCTIONS,
	CACHE_REFERENCES,
	CACHE_MISSES,
	BRANCHES,
	BRANCH_MISSES,
	STALLED_FRONTEND = CYCLES + 7,
	STALLED_BACKEND,
	CACHE_LOADS = PERF_TYPE_HW_CACHE << 24,
	CACHE_LOAD_MISSES = CACHE_LOADS + 0x10000,
	CLOCK = 1 << 30,
	ELSE
};

static uint32_t key_of(const struct event *event)
{
	const uint32_t type = event->attr.type;
	if (event_is_clock(event))
		return CLOCK;
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE
		       ? type << 24 | ((uint32_t)event->attr.config & 0xffffff)
		       : ELSE;
}

/* What is said of an event, and of which share of another: with two decimals, a percentage with limits above which it is yellow,
 * magenta and red; with three, without. As in perf's tables, but that cache-misses have three decimals there up to 6.1. */
static const struct rule {
	uint32_t of, by;
	unsigned char decimals, limits[METRIC_RED];
	const char *unit;
} rules[] = {
	{INSTRUCTIONS, CYCLES, 2, {0}, "insn per cycle"},
	{CYCLES, CLOCK, 3, {0}, "GHz"}, /* cycles a nanosecond */
	{STALLED_FRONTEND, CYCLES, 2, {10, 30, 50}, "frontend cycles idle"},
	{STALLED_BACKEND, CYCLES, 2, {20, 50, 75}, "backend cycles idle"},
	{BRANCH_MISSES, BRANCHES, 2, {5, 10, 20}, "of all branches"},
	{CACHE_MISSES, CACHE_REFERENCES, 2, {5, 10, 20}, "of all cache refs"},
	{CACHE_LOAD_MISSES + 0, CACHE_LOADS + 0, 2, {5, 10, 20}, "of all L1-dcache accesses"},
	{CACHE_LOAD_MISSES + 1, CACHE_LOADS + 1, 2, {5, 10, 20}, "of all L1-icache accesses"},
	{CACHE_LOAD_MISSES + 2, CACHE_LOADS + 2, 2, {5, 10, 20}, "of all LL-cache accesses"},
	{CACHE_LOAD_MISSES + 3, CACHE_LOADS + 3, 2, {5, 10, 20}, "of all dTLB cache accesses"},
	{CACHE_LOAD_MISSES + 4, CACHE_LOADS + 4, 2, {5, 10, 20}, "of all iTLB cache accesses"},
};

static const struct metric none;

/* One that was scaled up by more than 20,000, to what is shown as 0.00 % of the time, is no more than a guess. */
static bool is_counted(const struct report_row *row)
{
	return row->state == REPORT_COUNTED &&
	       (row->running >= row->enabled || reading_ratio(row->running, row->enabled, 10000));
}

/* By name: events that are counted on different CPUs of one core have places of their own. */
static bool same_place(const struct report_place *a, const struct report_place *b)
{
	return a == b || (a && b && !strcmp(a->name, b->name));
}

static bool same_subject(const struct report_row *a, const struct report_row *b)
{
	if (a->scope != b->scope || a->cgroup != b->cgroup || a->program != b->program || !same_place(a->place, b->place))
		return false;
	return a->thread == b->thread || (a->thread && b->thread && a->thread->tid == b->thread->tid);
}

/* May the other's event be taken with this row's? Clocks ignore modifiers. The kind of CPU is the config's upper half. */
static bool goes_with(const struct report_row *row, const struct report_row *other, uint32_t key)
{
	const struct perf_event_attr *a = &row->event->attr, *b = &other->event->attr;
	return row->scope == other->scope && key_of(other->event) == key &&
	       (key == CLOCK || (a->flags == b->flags && a->config >> 32 == b->config >> 32));
}

static const struct report_row *first_of(const struct report *report, const struct report_row *row)
{
	while (row > report->rows && row[-1].event == row->event)
		row--;
	return row;
}

/* The subject's count of that event; 0 if there is none. find: which of the finder's it is. */
static uint64_t count_of(struct metric_finder *finder, const struct report_row *row, uint32_t key, int find)
{
	const struct report *report = finder->report;
	const struct report_row *other, *const end = report->rows + report->rows_count, **from = &finder->from[find];
	if (!finder->first)
		finder->first = first_of(report, row);
	if (!*from) {
		for (other = report->rows; other < end && !(goes_with(row, other, key) && is_counted(other)); other++)
			;
		*from = other < end ? first_of(report, other) : end;
	}
	if (row - finder->first < end - *from) {
		other = *from + (row - finder->first);
		if (goes_with(row, other, key) && same_subject(row, other))
			return is_counted(other) ? other->value : 0;
	}
	for (other = *from; other < end; other++) {
		if (same_subject(row, other) && goes_with(row, other, key) && is_counted(other))
			return other->value;
	}
	return 0;
}

/* Of what does not fit nothing is said. */
static struct metric make(uint64_t value, int decimals, const char *unit)
{
	return value < UINT64_MAX ? (struct metric){.value = value, .decimals = decimals, .unit = unit} : none;
}

static struct metric by_rule(const struct rule *rule, uint64_t value, uint64_t by)
{
	if (!by)
		return none;
	if (!rule->limits[0])
		return make(reading_ratio(value, by, rule->decimals == 2 ? 100 : 1000), rule->decimals, rule->unit);
	struct metric metric = make(number_percent(value, by), 2, rule->unit);
	metric.is_percent = metric.unit;
	while (metric.colour < METRIC_RED && metric.value > rule->limits[metric.colour] * 100U)
		metric.colour++;
	return metric;
}

/* Per second of the subject's clock, in perf's units: more than 1000 are a K. */
static struct metric rate_of(struct metric_finder *finder, const struct report_row *row)
{
	static const char units[][8] = {"/sec", "K/sec", "M/sec", "G/sec"};
	const struct event *event = row->event;
	const uint64_t ns = count_of(finder, row, CLOCK, 0);
	if (!ns || event->is_snapshot)
		return none;
	/* what has a scale, with six decimals at most */
	const int decimals = event->scale_exponent >= 0 ? 0 : event->scale_exponent > -6 ? -event->scale_exponent : 6;
	const uint64_t value = number_scaled(event, row->value, decimals);
	uint64_t scale = 1000000000000; /* ns in a second, and three decimals */
	for (int i = 0; i < decimals; i++)
		scale /= 10;
	int unit = 0;
	uint64_t rate = value < UINT64_MAX ? reading_ratio(value, ns, scale) : UINT64_MAX;
	for (; unit < 3 && scale >= 1000 && rate > 1000000 && value < UINT64_MAX; unit++) {
		scale /= 1000;
		rate = reading_ratio(value, ns, scale);
	}
	return make(rate, 3, units[unit]);
}

/* For each run of a BPF program. */
static struct metric per_run(const struct report_row *row)
{
	const bool is_clock = event_is_clock(row->event);
	const uint64_t value = is_clock ? row->value : number_scaled(row->event, row->value, 0);
	return row->runs && value < UINT64_MAX && !event_is_runs(row->event)
		       ? make(reading_ratio(value, row->runs, 100), 2, is_clock ? "ns per run" : "per run")
		       : none;
}

struct metric metric_of(struct metric_finder *finder, const struct report_row *row)
{
	const uint64_t elapsed = finder->report->elapsed_ns;
	const uint32_t key = key_of(row->event);
	if (!is_counted(row))
		return none;
	if (row->program)
		return per_run(row);
	if (key == CLOCK)
		return elapsed ? make(reading_ratio(row->value, elapsed, 1000), 3, "CPUs utilized") : none;
	for (const struct rule *rule = rules; rule < rules + sizeof(rules) / sizeof(rules[0]); rule++) {
		if (rule->of == key)
			return by_rule(rule, row->value, count_of(finder, row, rule->by, 0));
	}
	return rate_of(finder, row);
}

struct metric metric_second(struct metric_finder *finder, const struct report_row *row)
{
	static const struct rule rule = {INSTRUCTIONS, 0, 2, {0}, "stalled cycles per insn"};
	if (key_of(row->event) != INSTRUCTIONS || !is_counted(row) || row->program)
		return none;
	const uint64_t front = count_of(finder, row, STALLED_FRONTEND, 1), back = count_of(finder, row, STALLED_BACKEND, 2);
	const uint64_t stalled = front > back ? front : back;
	return stalled ? by_rule(&rule, stalled, row->value) : none;
}
