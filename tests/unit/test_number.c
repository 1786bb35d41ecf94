/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include "event.h"
#include "number.h"

static const uint64_t max = UINT64_MAX;

static void test_format(void)
{
	static const struct {
		uint64_t value;
		int decimals;
		const char *plain, *grouped;
	} cases[] = {
		{0, 0, "0", "0"},
		{0, 3, "0.000", "0.000"},
		{7, 9, "0.000000007", "0.000000007"},
		{999, 0, "999", "999"},
		{1000, 0, "1000", "1,000"},
		{1000, 3, "1.000", "1.000"},
		{1234567, 2, "12345.67", "12,345.67"},
		{100000000, 2, "1000000.00", "1,000,000.00"},
		{UINT64_MAX, 0, "18446744073709551615", "18,446,744,073,709,551,615"},
		{UINT64_MAX, 2, "184467440737095516.15", "184,467,440,737,095,516.15"},
		{UINT64_MAX, 19, "1.8446744073709551615", "1.8446744073709551615"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EQ_TEXT(number_format(cases[i].value, cases[i].decimals, false).text, cases[i].plain, "%s", cases[i].plain);
		EQ_TEXT(number_format(cases[i].value, cases[i].decimals, true).text, cases[i].grouped, "%s", cases[i].grouped);
	}
}

static struct event event_of(const char *name, uint64_t scale, int exponent, const char *unit)
{
	struct event event;
	OK(event_parse_list(&event, 1, name, NULL) == 1, "%s is an event", name);
	event.scale = scale;
	event.scale_exponent = exponent;
	snprintf(event.unit, sizeof(event.unit), "%s", unit);
	return event;
}

static void test_count(void)
{
	/* energy-pkg of RAPL: 2^-32 J; uncore_imc: 64 bytes in MiB */
	static const struct {
		const char *name;
		uint64_t scale;
		int exponent;
		uint64_t value;
		const char *people, *programs;
	} cases[] = {
		{"cs", 1, 0, 1234567, "1,234,567", "1234567"},
		/* counts over 2^53, and to the last one, are exact */
		{"cs", 1, 0, (UINT64_C(1) << 53) + 1, "9,007,199,254,740,993", "9007199254740993"},
		{"cs", 1, 0, UINT64_MAX, "18,446,744,073,709,551,615", "18446744073709551615"},
		{"task-clock", 1, 0, 1234567891, "1,234.57", "1234.567891"},
		{"cpu-clock:u", 1, 0, 4999, "0.00", "0.004999"},
		{"cpu-clock", 1, 0, 5000, "0.01", "0.005000"},
		{"cpu-clock", 7, 3, 5000, "0.01", "0.005000"},
		{"r1", UINT64_C(2328306436538696289), -28, 0, "0.00", "0.000000"},
		{"r1", UINT64_C(2328306436538696289), -28, UINT64_C(1) << 32, "1.00", "1.000000"},
		{"r1", UINT64_C(2328306436538696289), -28, UINT64_C(5333) << 32, "5,333.00", "5333.000000"},
		{"r1", 6103515625, -14, 16384, "1.00", "1.000000"},
		{"r1", 6103515625, -14, 123456, "7.54", "7.535156"},
		{"r1", 25, -2, 10, "2.50", "2.50"},
		{"r1", 5, -1, 11, "5.50", "5.5"},
		{"r1", 4, 0, 11, "44", "44"},
		{"r1", 4, 3, 11, "44,000", "44000"},
		/* rounded once: 0.00499.. is no 0.005 */
		{"r1", 1, -10, 49999999, "0.00", "0.005000"},
		{"r1", 1, -99, UINT64_MAX, "0.00", "0.000000"},
		/* as many decimals as fit */
		{"r1", 1, -1, UINT64_MAX - 1, "1,844,674,407,370,955,161.4", "1844674407370955161.4"},
		{"task-clock", 1, 0, UINT64_MAX - 1, "18,446,744,073,709.55", "18446744073709.551614"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event event = event_of(cases[i].name, cases[i].scale, cases[i].exponent, "");
		EQ_TEXT(number_count(&event, cases[i].value, false, true).text, cases[i].people, "%s for people", cases[i].people);
		EQ_TEXT(number_count(&event, cases[i].value, true, false).text, cases[i].programs, "%s for programs",
			cases[i].programs);
	}
	struct event clock = event_of("task-clock", 1, 0, "ns"), other = event_of("cs", 1, 0, ""), joules = event_of("r1", 1, -9, "Joules");
	EQ_TEXT(number_unit(&clock), "msec", "a clock's unit");
	EQ_TEXT(number_unit(&other), "", "no unit");
	EQ_TEXT(number_unit(&joules), "Joules", "a PMU's unit");
}

static void test_scaled(void)
{
	struct event plain = event_of("cs", 1, 0, ""), clock = event_of("task-clock", 1, 0, ""), large = event_of("r1", 1, 19, "");
	EQ_U64(number_scaled(&plain, 5, 0), 5, "as it is");
	EQ_U64(number_scaled(&plain, 5, 3), 5000, "three decimals");
	EQ_U64(number_scaled(&plain, max, 1), max, "no room for a decimal");
	EQ_U64(number_scaled(&clock, 1500000, 0), 2, "milliseconds, to nearest");
	EQ_U64(number_scaled(&clock, 1500000, 6), 1500000, "nanoseconds");
	EQ_U64(number_scaled(&large, 1, 0), UINT64_C(10000000000000000000), "10^19");
	EQ_U64(number_scaled(&large, 2, 0), max, "twice that does not fit");
	EQ_U64(number_scaled(&large, 1, 6), max, "nor does 10^25");
	EQ_U64(number_scaled(&large, 0, 6), 0, "nothing does");
}

static void test_percent(void)
{
	EQ_U64(number_percent(0, 0), 0, "nothing of nothing");
	EQ_U64(number_percent(5, 0), 0, "some of nothing");
	EQ_U64(number_percent(1, 3), 3333, "a third");
	EQ_U64(number_percent(2, 3), 6667, "two thirds");
	EQ_U64(number_percent(7, 7), 10000, "all");
	EQ_U64(number_percent(99999, 100000), 9999, "nearly all is not all");
	EQ_U64(number_percent(max - 1, max), 9999, "... however near");
	EQ_U64(number_percent(max, max), 10000, "all of the largest");
	EQ_U64(number_percent(100001, 100000), 10000, "a little more than all");
	EQ_U64(number_percent(3, 2), 15000, "more than all");
	EQ_U64(number_percent(max, 1), max, "one that does not fit");
}

int main(void)
{
	test_format();
	test_count();
	test_scaled();
	test_percent();
	return test_done();
}
