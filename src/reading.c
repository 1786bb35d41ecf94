/* SPDX-License-Identifier: GPL-2.0-only */
#include "reading.h"

/* high * 2^64 + low: a product of two counts. Written out, as 32-bit targets have no 128-bit type, and where there is one
 * its division is longer than the whole of this. */
struct wide {
	uint64_t high, low;
};

static struct wide multiply(uint64_t a, uint64_t b)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t cross = (a0 * b0 >> 32) + (uint32_t)(a1 * b0) + (uint32_t)(a0 * b1);
	return (struct wide){a1 * b1 + (a1 * b0 >> 32) + (a0 * b1 >> 32) + (cross >> 32), a * b};
}

/* Bit by bit; high < denominator, so that the quotient fits. */
static uint64_t divide(struct wide n, uint64_t denominator)
{
	uint64_t quotient = 0;
	for (int bit = 0; bit < 64; bit++) {
		uint64_t carry = n.high >> 63;
		n.high = n.high << 1 | n.low >> 63;
		n.low <<= 1;
		quotient <<= 1;
		if (carry || n.high >= denominator) {
			n.high -= denominator;
			quotient |= 1;
		}
	}
	return quotient;
}

struct reading reading_add(struct reading a, struct reading b)
{
	return (struct reading){
		.counter = a.counter + b.counter,
		.enabled = a.enabled + b.enabled,
		.running = a.running + b.running,
	};
}

struct reading reading_sub(struct reading now, struct reading before)
{
	return (struct reading){
		.counter = now.counter - before.counter,
		.enabled = now.enabled - before.enabled,
		.running = now.running - before.running,
	};
}

uint64_t reading_ratio(uint64_t numerator, uint64_t denominator, uint64_t scale)
{
	if (denominator == 0)
		return 0;
	struct wide n = multiply(numerator, scale);
	n.low += denominator / 2; /* to nearest */
	n.high += n.low < denominator / 2;
	return n.high >= denominator ? UINT64_MAX : divide(n, denominator);
}

uint64_t reading_scaled(struct reading r)
{
	if (r.running == 0)
		return 0;
	if (r.running >= r.enabled)
		return r.counter;
	return reading_ratio(r.counter, r.running, r.enabled);
}

uint64_t reading_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void count_add(struct count *count, struct reading difference)
{
	count->value = reading_sum(count->value, reading_scaled(difference));
	count->enabled = reading_sum(count->enabled, difference.enabled);
	count->running = reading_sum(count->running, difference.running);
}
