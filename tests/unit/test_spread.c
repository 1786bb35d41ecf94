/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include "spread.h"

static const uint64_t max = UINT64_MAX;

/* The wanted numbers of this file are computed with Python's integers and decimals of 80 digits, then rounded half up. */
static void test_few(void)
{
	static const struct {
		uint64_t values[10];
		size_t count;
		struct spread want;
	} cases[] = {
		{{0}, 0, {0, 0, 0}},
		{{0}, 1, {0, 0, 0}},
		{{7}, 1, {7, 0, 0}},
		{{UINT64_MAX}, 1, {UINT64_MAX, 0, 0}},
		{{0, 0, 0, 0, 0}, 5, {0, 0, 0}},
		{{3, 3, 3}, 3, {3, 0, 0}},
		{{UINT64_MAX, UINT64_MAX, UINT64_MAX}, 3, {UINT64_MAX, 0, 0}},
		{{0, 1}, 2, {1, 1, 10000}},
		{{3, 4}, 2, {4, 1, 1429}},
		{{4, 3}, 2, {4, 1, 1429}},
		/* the percentage is of 3.33, not of 3, and the error in it is not 0 */
		{{3, 3, 4}, 3, {3, 0, 1000}},
		{{2, 3, 4}, 3, {3, 1, 1925}},
		{{0, 0, 1}, 3, {0, 0, 10000}},
		{{57, 57, 58, 57, 60}, 5, {58, 1, 101}},
		{{11388163, 11174577, 11384062}, 3, {11315601, 70522, 62}},
		{{1000000007, 1000000009, 1000000033, 999999937}, 4, {999999997, 21, 0}},
		{{1, 1, 1, 1, 1, 1, 1, 1000000}, 8, {125001, 125000, 10000}},
		{{4294967295, 4294967296, 4294967297, 8589934592}, 4, {5368709120, 1073741824, 2000}},
		{{UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, (UINT64_C(1) << 63) + 2}, 3, {(UINT64_C(1) << 63) + 1, 1, 0}},
		{{UINT64_MAX - 1, UINT64_MAX}, 2, {UINT64_MAX, 1, 0}},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct spread got = spread_of(cases[i].values, cases[i].count);
		EQ_U64(got.mean, cases[i].want.mean, "case %zu: mean", i);
		EQ_U64(got.error, cases[i].want.error, "case %zu: error", i);
		EQ_U64(got.percent, cases[i].want.percent, "case %zu: percent", i);
	}
}

/* The mean to the last digit, the error to the part in 10^6 that the header promises. */
static void is_about(struct spread got, uint64_t mean, uint64_t error, uint64_t percent, const char *name)
{
	EQ_U64(got.mean, mean, "%s: mean", name);
	uint64_t off = got.error > error ? got.error - error : error - got.error;
	if (!OK(off <= error / 1000000, "%s: error", name))
		printf("# got %" PRIu64 ", want %" PRIu64 "\n", got.error, error);
	EQ_U64(got.percent, percent, "%s: percent", name);
}

static void test_large(void)
{
	is_about(spread_of((uint64_t[]){0, max}, 2), UINT64_C(1) << 63, UINT64_C(1) << 63, 10000, "0 and the largest");
	is_about(spread_of((uint64_t[]){1, max}, 2), UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1, 10000, "1 and the largest");
	is_about(spread_of((uint64_t[]){0, max, max}, 3), UINT64_C(12297829382473034410), UINT64_C(6148914691236517205), 5000,
		 "twice the largest");
	is_about(spread_of((uint64_t[]){max, 0, 0}, 3), UINT64_C(6148914691236517205), UINT64_C(6148914691236517205), 10000,
		 "once the largest");
	is_about(spread_of((uint64_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0, max}, 10), UINT64_C(1844674407370955162),
		 UINT64_C(1844674407370955162), 10000, "once in ten");
	is_about(spread_of((uint64_t[]){123456789012345678, 123456789012345679, 223456789012345678}, 3),
		 UINT64_C(156790122345679012), UINT64_C(33333333333333333), 2126, "one that stands out");
}

static uint64_t values[1 << 20];

/* Fills in a fixed series of pseudo-random numbers. */
static void fill(size_t count, uint64_t base, int shift, uint64_t mask)
{
	uint64_t x = 1;
	for (size_t i = 0; i < count; i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		values[i] = base + (x >> shift & mask);
	}
}

static void test_many(void)
{
	fill(1000, 0, 33, 1023);
	is_about(spread_of(values, 1000), 494, 9, 188, "1000 values, up to 1023");
	fill(1000, 0, 33, 1);
	is_about(spread_of(values, 1000), 1, 0, 298, "1000 of 0 and 1");
	fill(1000, 1000000000000, 33, 0x7fffffff);
	is_about(spread_of(values, 1000), 1001090805564, 19663022, 0, "1000 about 10^12");
	fill(1000, max - (1 << 20), 33, (1 << 20) - 1);
	is_about(spread_of(values, 1000), max - 520880, 9802, 0, "1000 near the largest");
	fill(1000, 0, 0, max);
	is_about(spread_of(values, 1000), UINT64_C(9369948449547999289), UINT64_C(168904074626200158), 180, "1000 of all sizes");
	memset(values, 0, sizeof(values));
	values[500] = max;
	is_about(spread_of(values, 1000), UINT64_C(18446744073709552), UINT64_C(18446744073709552), 10000, "once in 1000");

	size_t all = sizeof(values) / sizeof(values[0]);
	is_about(spread_of(values, all), UINT64_C(17592186044416), UINT64_C(17592186044416), 10000, "once in 2^20");
	values[500] = 1;
	is_about(spread_of(values, all), 0, 0, 10000, "1 once in 2^20");
	for (size_t i = 0; i < all; i++)
		values[i] = i % 2 ? max : 0;
	is_about(spread_of(values, all), UINT64_C(1) << 63, UINT64_C(9007203549711360), 10, "the largest every second time");
	/* small deviations, all of them with the same bits below what is kept, beside a large one */
	for (size_t i = 0; i < all; i++)
		values[i] = (UINT64_C(1) << 62) + (i % 2) * ((UINT64_C(1) << 52) + (UINT64_C(1) << 41) + 1);
	values[all - 1] = max;
	is_about(spread_of(values, all), UINT64_C(4613952107595169792), UINT64_C(13374193561658), 0, "half of them a little larger");
}

int main(void)
{
	test_few();
	test_large();
	test_many();
	return test_done();
}
