/* SPDX-License-Identifier: GPL-2.0-only */
#include "reading.h"

/* A product of two counts needs 128 bits: both gcc and clang have them on every 64-bit target. */
__extension__ struct wide {
	unsigned __int128 value;
};

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
	/* (2^64 - 1)^2 + 2^63 still fits */
	struct wide w = {numerator};
	w.value = (w.value * scale + denominator / 2) / denominator;
	return w.value > UINT64_MAX ? UINT64_MAX : (uint64_t)w.value;
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
