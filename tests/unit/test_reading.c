/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include "reading.h"

static const uint64_t max = UINT64_MAX;

static void is_reading(struct reading got, uint64_t counter, uint64_t enabled, uint64_t running, const char *name)
{
	EQ_U64(got.counter, counter, "%s: counter", name);
	EQ_U64(got.enabled, enabled, "%s: enabled", name);
	EQ_U64(got.running, running, "%s: running", name);
}

static void test_sums(void)
{
	is_reading(reading_add((struct reading){1, 2, 3}, (struct reading){10, 20, 30}), 11, 22, 33, "add");
	is_reading(reading_add((struct reading){max, max, 1}, (struct reading){1, 2, 3}), 0, 1, 4, "add wraps");
	is_reading(reading_sub((struct reading){11, 22, 33}, (struct reading){1, 2, 3}), 10, 20, 30, "sub");
	is_reading(reading_sub((struct reading){5, 0, 9}, (struct reading){max - 4, max, 9}), 10, 1, 0, "sub over a wrap");

	struct reading a = {0x123456789abcdef0, max, 7}, b = {max - 3, 5, max / 2};
	is_reading(reading_sub(reading_add(a, b), b), a.counter, a.enabled, a.running, "sub undoes add");
}

/* Cases of field report V24. */
static void test_scaled(void)
{
	static const struct {
		struct reading r;
		uint64_t want;
	} cases[] = {
		{{395, 1000000000, 1000000000}, 395},
		{{0, 0, 0}, 0},
		{{5, 1000000000, 0}, 0},
		{{5, 1000000000, 500000000}, 10},
		{{UINT64_C(1) << 63, 2, 1}, UINT64_MAX},
		{{UINT64_C(1) << 62, 2, 1}, UINT64_C(1) << 63},
		{{7, 10, 20}, 7}, /* ran longer than it was enabled: not scaled down */
		{{UINT64_MAX, UINT64_MAX, UINT64_MAX}, UINT64_MAX},
		{{UINT64_MAX, UINT64_MAX, 1}, UINT64_MAX},
		{{UINT64_MAX, UINT64_MAX, UINT64_MAX - 1}, UINT64_MAX},
		{{UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 1}, UINT64_MAX},
		{{1, 3, 2}, 2},         /* 1.5 up */
		{{1, 4, 3}, 1},         /* 1.33 down */
		{{100, 10, 7}, 143},    /* 142.86 */
		{{1, UINT64_MAX, 2}, UINT64_C(1) << 63},
		{{0, 10, 5}, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		EQ_U64(reading_scaled(cases[i].r), cases[i].want, "scaled %" PRIu64 " of %" PRIu64 "/%" PRIu64,
		       cases[i].r.counter, cases[i].r.running, cases[i].r.enabled);

	/* V27: scale each CPU on its own, then add */
	uint64_t sum = reading_sum(reading_scaled((struct reading){100, 10, 5}), reading_scaled((struct reading){100, 10, 10}));
	EQ_U64(sum, 300, "two CPUs with different shares of time");
}

static void test_ratio(void)
{
	EQ_U64(reading_ratio(1, 0, 100), 0, "ratio by zero");
	EQ_U64(reading_ratio(0, 0, 0), 0, "ratio of nothing");
	EQ_U64(reading_ratio(1, 3, 100), 33, "a third");
	EQ_U64(reading_ratio(2, 3, 100), 67, "two thirds");
	EQ_U64(reading_ratio(1, 200, 100), 1, "a half rounds up");
	EQ_U64(reading_ratio(1, 201, 100), 0, "below a half rounds down");
	EQ_U64(reading_ratio(max, 1, 1), max, "the largest");
	EQ_U64(reading_ratio(max, 1, 2), max, "one that does not fit");
	EQ_U64(reading_ratio(max, max, max), max, "all largest");
	EQ_U64(reading_ratio(max, max, 10000), 10000, "all of the largest");
	EQ_U64(reading_ratio(max - 1, max, 1), 1, "nearly all");
	EQ_U64(reading_ratio(max, 2, 1), UINT64_C(1) << 63, "half of an odd one rounds up");
}

static void test_sum(void)
{
	EQ_U64(reading_sum(1, 2), 3, "sum");
	EQ_U64(reading_sum(max, 0), max, "sum with nothing");
	EQ_U64(reading_sum(max, 1), max, "sum that does not fit");
	EQ_U64(reading_sum(max, max), max, "sum of the largest");
	EQ_U64(reading_sum(max - 1, 1), max, "sum that just fits");
}

int main(void)
{
	test_sums();
	test_scaled();
	test_ratio();
	test_sum();
	return test_done();
}
