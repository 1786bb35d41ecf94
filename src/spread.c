/* SPDX-License-Identifier: GPL-2.0-only */
#include "spread.h"

#include "reading.h"

/* whole + rest / n: the mean before it is rounded. Of values such as 3, 3, 4 the rest is most of the deviation. */
struct mean {
	uint64_t whole, rest, n;
};

static struct mean mean_of(const uint64_t *values, size_t count)
{
	struct mean mean = {.n = count};
	for (size_t i = 0; i < count; i++) { /* the sum of the values themselves may not fit */
		mean.whole += values[i] / mean.n;
		mean.rest += values[i] % mean.n;
	}
	mean.whole += mean.rest / mean.n;
	mean.rest %= mean.n;
	return mean;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* value * 2^shift; shift may be negative, then what falls below 1 is cut off. */
static uint64_t scale(uint64_t value, int shift)
{
	return shift < 0 ? value >> -shift : value << shift;
}

/* value / 2^shift, to nearest; shift is 0 or more. */
static uint64_t unscale(uint64_t value, int shift)
{
	return (value + ((UINT64_C(1) << shift) >> 1)) >> shift;
}

/* The square root, to nearest. */
static uint64_t root(uint64_t square)
{
	uint64_t result = 0;
	for (uint64_t bit = UINT64_C(1) << 62; bit; bit >>= 2) {
		uint64_t step = result + bit;
		result /= 2;
		if (square >= step) {
			square -= step;
			result += bit;
		}
	}
	return result + (square > result);
}

/* By how many bits deviations are to be scaled so that they keep as many as they can while the sum of squares / (n * (n - 1))
 * stays below 2^64: n squares of 2^bits come to 2^(2 * bits) / (n - 1). */
static int best_shift(uint64_t largest, uint64_t n)
{
	int bits = 31;
	while ((n - 1) >> (2 * bits - 61))
		bits++;
	return bits - 64 + __builtin_clzll(largest);
}

/* The standard error * 2^shift. */
static uint64_t error_of(const uint64_t *values, struct mean mean, int shift)
{
	uint64_t fraction = scale(mean.rest, shift) / mean.n, sum = 0;
	for (uint64_t i = 0; i < mean.n; i++) {
		uint64_t deviation = scale(distance(values[i], mean.whole), shift);
		deviation += values[i] > mean.whole ? -fraction : fraction;
		sum += reading_ratio(deviation, mean.n * (mean.n - 1), deviation);
	}
	return root(sum);
}

struct spread spread_of(const uint64_t *values, size_t count)
{
	struct spread spread = {0, 0, 0};
	if (!count)
		return spread;
	struct mean mean = mean_of(values, count);
	spread.mean = mean.whole + (mean.rest >= mean.n - mean.rest);

	uint64_t largest = 0;
	for (size_t i = 0; i < count; i++) {
		if (largest < distance(values[i], mean.whole))
			largest = distance(values[i], mean.whole);
	}
	if (!largest) /* so for one value, too */
		return spread;
	int shift = best_shift(largest, mean.n);
	uint64_t error = error_of(values, mean, shift);
	if (shift < 0) {
		error <<= -shift;
		shift = 0;
	}
	spread.error = unscale(error, shift);

	/* of the mean before rounding: a third of 3.33 is no 11 %; scaled alike as far as it fits */
	int room = __builtin_clzll(mean.whole | 1);
	if (room > shift)
		room = shift;
	uint64_t divisor = scale(mean.whole, room) + scale(mean.rest, room) / mean.n;
	spread.percent = unscale(reading_ratio(error, divisor, 10000), shift - room);
	return spread;
}
