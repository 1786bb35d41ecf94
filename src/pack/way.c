/* SPDX-License-Identifier: GPL-2.0-only */
#include "pack.h"

#include <stdlib.h>
#include <string.h>

/* --- what is at a place ---------------------------------------------------------------------------------------------------- */

unsigned region_of(uint32_t at)
{
	unsigned region = 0;
	while (region + 1 < regions && at >= ends[region])
		region++;
	return region;
}

unsigned place_of(uint32_t at, unsigned state)
{
	const unsigned before = at ? in[at - 1] : 0, position = at & ((1U << position_bits) - 1);
	return ((region_of(at) << position_bits) + position) * UNPACK_PLACES + state * UNPACK_CLASSES + class_of[before];
}

unsigned length_kind(uint32_t length)
{
	unsigned kind = 0;
	while (length >= unpack_length[kind + 1])
		kind++;
	return kind;
}

unsigned slot_of(uint32_t distance)
{
	const uint32_t less = distance - 1;
	if (less < 4)
		return less;
	const unsigned top = 31 - (unsigned)__builtin_clz(less);
	return 2 * top + (less >> (top - 1) & 1);
}

unsigned slot_bits(unsigned slot)
{
	return slot < 4 ? 0 : slot / 2 - 1;
}

struct code *code_of_slot(uint32_t at, uint32_t length)
{
	return &slot_code[region_of(at) * UNPACK_SLOT_CODES +
			  (length < UNPACK_SLOT_CODES + 1 ? length - 2 : UNPACK_SLOT_CODES - 1)];
}

unsigned symbol_of(const struct step *step)
{
	return step->kind == LITERAL ? in[step->from] : 256 + step->kind * UNPACK_LENGTHS + length_kind(step->length);
}

/* --- matches --------------------------------------------------------------------------------------------------------------- */

enum { LENGTH_MOST = 4295, TRIED = 3000, TRIED_SHORT = 100, CANDIDATES = 4096, LONG = 500 };

struct match {
	uint32_t distance, length;
};
static struct match *matches;
static size_t matches_from[SIZE_MOST + 1]; /* those of a position: to those of the next one */

static uint32_t match_length(uint32_t at, uint32_t distance)
{
	const uint32_t most = size - at < LENGTH_MOST ? size - at : LENGTH_MOST;
	uint32_t length = 0;
	while (length < most && in[at + length] == in[at + length - distance])
		length++;
	return length;
}

/* Those that are longer than all that are nearer; as the last bits of a distance have a price of their own, of each sixteenth. */
void find_matches(void)
{
	static uint32_t head2[1 << 16], head3[1 << 16], next2[SIZE_MOST], next3[SIZE_MOST]; /* positions, 1 more */
	size_t count = 0, room = 0;
	for (uint32_t at = 0; at < size; at++) {
		uint32_t longest[LOW_SYMBOLS] = {0};
		matches_from[at] = count;
		if (at + 2 >= size)
			continue;
		if (room - count < TRIED + TRIED_SHORT) {
			room = 2 * room + CANDIDATES;
			matches = realloc(matches, room * sizeof(*matches));
			if (!matches)
				fail("out of memory");
		}
		const uint32_t two = in[at] | (uint32_t)in[at + 1] << 8,
			       three = (two | (uint32_t)in[at + 2] << 16) * 0x9E3779B1 >> 16;
		for (int pass = 0; pass < 2; pass++) {
			const uint32_t *next = pass ? next3 : next2;
			uint32_t tries = pass ? TRIED : TRIED_SHORT, before = pass ? head3[three] : head2[two];
			for (; before && tries; before = next[before - 1], tries--) {
				const uint32_t distance = at - (before - 1), length = match_length(at, distance);
				uint32_t *known = &longest[distance % LOW_SYMBOLS];
				if (length < 2 || length <= *known)
					continue;
				*known = length;
				matches[count++] = (struct match){distance, length};
				if (length > LONG)
					break;
			}
		}
		next2[at] = head2[two];
		next3[at] = head3[three];
		head2[two] = head3[three] = at + 1;
	}
	matches_from[size] = count;
}

/* --- the way --------------------------------------------------------------------------------------------------------------- */

enum { ALL_LENGTHS = 80 }; /* of longer ones only the longest */

struct step *way[SIZE_MOST + 1];
unsigned steps;
static struct step best[SIZE_MOST + 1][UNPACK_STATES];

static void relax(uint32_t at, unsigned state, unsigned kind, uint32_t length, uint32_t distance, uint32_t cost)
{
	const struct step *from = &best[at][state];
	struct step *to = &best[at + length][kind == LITERAL     ? state >= UNPACK_AFTER_NEW
					     : kind < UNPACK_OLD ? UNPACK_AFTER_OLD
								 : UNPACK_AFTER_NEW];
	if (from->cost + cost >= to->cost)
		return;
	*to = (struct step){from->cost + cost, at, distance, length, {0}, (unsigned char)state, (unsigned char)kind};
	memcpy(to->old, from->old, sizeof(to->old));
	if (kind == LITERAL)
		return;
	for (unsigned i = kind < UNPACK_OLD ? kind : UNPACK_OLD - 1; i; i--)
		to->old[i] = to->old[i - 1];
	to->old[0] = distance;
}

/* The cheapest new distance for each length up to the longest, which is returned. */
static uint32_t price_matches(uint32_t at, uint32_t cost[LENGTH_MOST + 1], uint32_t distance[LENGTH_MOST + 1])
{
	const struct match *from = matches + matches_from[at], *end = matches + matches_from[at + 1], *match;
	const struct code *low = &low_code[region_of(at)];
	uint32_t longest = 0;
	for (match = from; match < end; match++)
		longest = match->length > longest ? match->length : longest;
	for (uint32_t first = 2, last; first <= longest; first = last + 1) {
		const struct code *code = code_of_slot(at, first);
		last = first < UNPACK_SLOT_CODES + 1 ? first : longest;
		for (uint32_t i = first; i <= last; i++)
			cost[i] = UINT32_MAX;
		for (match = from; match < end; match++) {
			const unsigned slot = slot_of(match->distance), bits = slot_bits(slot);
			const uint32_t length = match->length < last ? match->length : last;
			uint32_t price = code->cost[slot] + bits * BIT;
			if (bits >= UNPACK_LOW_BITS)
				price += low->cost[(match->distance - 1) % LOW_SYMBOLS] - UNPACK_LOW_BITS * BIT;
			if (length < first || price >= cost[length])
				continue;
			cost[length] = price;
			distance[length] = match->distance;
		}
		for (uint32_t i = last; i-- > first;) {
			if (cost[i + 1] > cost[i])
				continue;
			cost[i] = cost[i + 1];
			distance[i] = distance[i + 1];
		}
	}
	return longest;
}

static void try_lengths(uint32_t at, unsigned state, unsigned kind, uint32_t longest, const uint32_t *cost,
			const uint32_t *distance)
{
	const uint32_t *symbol = main_code[code_of_place[place_of(at, state)]].cost + 256 + kind * UNPACK_LENGTHS;
	for (uint32_t length = kind ? 2 : 1; length <= longest; length++) {
		if (length > ALL_LENGTHS)
			length = longest;
		const unsigned range = length_kind(length);
		relax(at, state, kind, length, kind < UNPACK_OLD ? *distance : distance[length],
		      symbol[range] + unpack_length_bits[range] * BIT + (kind < UNPACK_OLD ? 0 : cost[length]));
	}
}

void find_way(void)
{
	static uint32_t cost[LENGTH_MOST + 1], distance[LENGTH_MOST + 1];
	for (uint32_t at = 0; at <= size; at++)
		for (unsigned state = 0; state < UNPACK_STATES; state++)
			best[at][state].cost = at || state ? UINT32_MAX / 2 : 0;
	for (unsigned i = 0; i < UNPACK_OLD; i++)
		best[0][0].old[i] = i + 1;
	for (uint32_t at = 0; at < size; at++) {
		const uint32_t longest = price_matches(at, cost, distance);
		for (unsigned state = 0; state < UNPACK_STATES; state++) {
			const struct step *here = &best[at][state];
			if (here->cost == UINT32_MAX / 2)
				continue;
			relax(at, state, LITERAL, 1, 0, main_code[code_of_place[place_of(at, state)]].cost[in[at]]);
			for (unsigned i = 0; i < UNPACK_OLD; i++)
				if (here->old[i] <= at)
					try_lengths(at, state, i, match_length(at, here->old[i]), NULL, &here->old[i]);
			try_lengths(at, state, UNPACK_OLD, longest, cost, distance);
		}
	}
	struct step *last = best[size];
	for (unsigned state = 1; state < UNPACK_STATES; state++)
		last = best[size][state].cost < last->cost ? &best[size][state] : last;
	unsigned at = steps = 0;
	for (struct step *step = last; step != best[0]; step = &best[step->from][step->state])
		way[steps++] = step;
	for (; at < steps / 2; at++) {
		struct step *other = way[at];
		way[at] = way[steps - 1 - at];
		way[steps - 1 - at] = other;
	}
}
