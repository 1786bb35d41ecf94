/* SPDX-License-Identifier: GPL-2.0-only */
#include "pack.h"

#include <string.h>

/* --- codes ----------------------------------------------------------------------------------------------------------------- */

/* What a code that has no symbol of that kind yet would ask for one is a guess. */
enum { UNUSED = (UNPACK_BITS + 2) * BIT };

struct code main_code[UNPACK_CODES], slot_code[SLOT_CODES], low_code[UNPACK_REGIONS];
unsigned codes, code_of_place[PLACES_MOST];
static struct code place_code[PLACES_MOST];
static uint16_t logarithm[SIZE_MOST + 1]; /* to the base of 2, in 64ths */

/* By squaring what is left of it: the next bit is whether that is 2 or more. */
static void fill_logarithms(void)
{
	for (uint32_t value = 1; value <= SIZE_MOST; value++) {
		const unsigned whole = 31 - (unsigned)__builtin_clz(value);
		uint64_t rest = (uint64_t)value << (31 - whole);
		unsigned result = whole;
		for (int i = 0; i < 6; i++) {
			rest = rest * rest >> 31;
			result = result << 1 | (rest >> 32 & 1);
			rest >>= rest >> 32 & 1;
		}
		logarithm[value] = (uint16_t)result;
	}
}

/* What these symbols take, and to tell of their code: both about. */
static int64_t estimate(const uint32_t *used, const uint32_t *more)
{
	enum { CODE = 14 * BIT, SYMBOL = 29 * BIT / 10 };
	int64_t cost = CODE, all = 0;
	for (unsigned i = 0; i < UNPACK_SYMBOLS; i++) {
		const uint32_t count = used[i] + (more ? more[i] : 0);
		if (!count)
			continue;
		all += count;
		cost += SYMBOL - (int64_t)count * logarithm[count];
	}
	return cost + all * logarithm[all];
}

static unsigned rarest(const uint32_t *weight, unsigned count)
{
	unsigned found = 0;
	for (unsigned i = 1; i < count; i++)
		if (weight[i] && (!weight[found] || weight[i] < weight[found]))
			found = i;
	return found;
}

/* Huffman's code for these weights, at least two of which are not 0. Returns the longest. */
static unsigned huffman(unsigned char *length, uint32_t *weight, unsigned count)
{
	unsigned parent[2 * UNPACK_SYMBOLS] = {0}, depth[2 * UNPACK_SYMBOLS], nodes = count, longest = 0;
	for (;; nodes++) {
		const unsigned a = rarest(weight, nodes);
		const uint32_t lighter = weight[a];
		weight[a] = 0;
		const unsigned b = rarest(weight, nodes);
		if (!weight[b])
			break;
		weight[nodes] = lighter + weight[b];
		weight[b] = 0;
		parent[a] = parent[b] = nodes;
	}
	depth[nodes - 1] = 0;
	for (unsigned i = nodes - 1; i-- > 0;) {
		depth[i] = parent[i] ? depth[parent[i]] + 1 : 0;
		if (i < count) {
			length[i] = (unsigned char)depth[i];
			longest = depth[i] > longest ? depth[i] : longest;
		}
	}
	return longest;
}

/* None longer than `most`: else the rarest count for more. A code has two symbols at least, so that no sequence is without one. */
void make_lengths(struct code *code, unsigned count, unsigned most)
{
	uint32_t weight[2 * UNPACK_SYMBOLS] = {0}, least = 1;
	do {
		unsigned used = 0;
		for (unsigned i = 0; i < count; i++) {
			weight[i] = code->used[i] && code->used[i] < least ? least : code->used[i];
			used += weight[i] > 0;
		}
		for (unsigned i = 0; used < 2; i++)
			if (!weight[i])
				weight[i] = 1, used++;
		least++;
	} while (huffman(code->length, weight, count) > most);
}

static void make_costs(struct code *code, unsigned count, bool estimates)
{
	uint32_t all = 0;
	for (unsigned i = 0; i < count; i++)
		all += code->used[i];
	for (unsigned i = 0; i < count; i++)
		code->cost[i] = !code->used[i] ? UNUSED
				: estimates    ? (uint32_t)(logarithm[all] - logarithm[code->used[i]])
					       : code->length[i] * BIT;
}

/* --- what is used on it ---------------------------------------------------------------------------------------------------- */

static void count_used(void)
{
	memset(place_code, 0, sizeof(place_code));
	memset(slot_code, 0, sizeof(slot_code));
	memset(low_code, 0, sizeof(low_code));
	for (unsigned i = 0; i < steps; i++) {
		const struct step *step = way[i];
		place_code[place_of(step->from, step->state)].used[symbol_of(step)]++;
		if (step->kind != UNPACK_OLD)
			continue;
		const unsigned slot = slot_of(step->distance);
		code_of_slot(step->from, step->length)->used[slot]++;
		if (slot_bits(slot) >= UNPACK_LOW_BITS)
			low_code[region_of(step->from)].used[(step->distance - 1) % LOW_SYMBOLS]++;
	}
}

/* What all would take with a region that ends there, if the codes depended on nothing but region and state. */
static int64_t estimate_regions(uint32_t end)
{
	int64_t sum = 0;
	memset(place_code, 0, sizeof(place_code));
	for (unsigned i = 0; i < steps; i++) {
		const uint32_t at = way[i]->from;
		const unsigned place = (region_of(at) * 2 + (at < end)) * UNPACK_STATES + way[i]->state;
		place_code[place * UNPACK_POSITIONS + (at & ((1U << position_bits) - 1))].used[symbol_of(way[i])]++;
	}
	for (unsigned i = 0; i < 2 * UNPACK_REGIONS * UNPACK_STATES * UNPACK_POSITIONS; i++)
		sum += estimate(place_code[i].used, NULL);
	return sum;
}

/* One more, where it saves most: about there, then exactly. False if it does not. */
static bool add_region(void)
{
	enum { GRAIN = 2048, FINE_GRAIN = 128 };
	int64_t least = estimate_regions(0);
	uint32_t found = 0, from = GRAIN, to = size;
	for (uint32_t grain = GRAIN;; grain = FINE_GRAIN) {
		for (uint32_t end = from; end < to; end += grain) {
			const int64_t cost = estimate_regions(end);
			if (cost < least)
				least = cost, found = end;
		}
		if (!found)
			return false;
		if (grain == FINE_GRAIN)
			break;
		from = found - GRAIN + FINE_GRAIN;
		to = found + GRAIN;
	}
	unsigned i = regions++ - 1;
	for (; i && ends[i - 1] > found; i--)
		ends[i] = ends[i - 1];
	ends[i] = found;
	return true;
}

/* Code, text and data are unlike each other. The first that was found may not be the best any more when there are others. */
void find_regions(void)
{
	while (regions < UNPACK_REGIONS && add_region())
		;
	for (unsigned i = 0; i + 1 < regions; i++) {
		memmove(ends + i, ends + i + 1, (UNPACK_REGIONS - 1 - i) * sizeof(*ends));
		regions--;
		if (!add_region())
			break;
	}
}

static int64_t estimate_all(const struct code *code, const struct code *more, unsigned count)
{
	int64_t sum = 0;
	for (unsigned i = 0; i < count; i++)
		sum += estimate(code[i].used, more ? more[i].used : NULL);
	return sum;
}

/* Joins items, each of which is so many codes: first those that lose least by that, until there are few enough, and it would not
 * save any more. Returns how many groups there are; the codes of a group are those of its first item then. */
static unsigned join(struct code *code, unsigned each, unsigned items, unsigned most, unsigned *group)
{
	static int64_t alone[PLACES_MOST], gain[PLACES_MOST][PLACES_MOST];
	static unsigned left[PLACES_MOST], joined[PLACES_MOST];
	unsigned count = items, fresh = items;
	for (unsigned i = 0; i < items; i++) {
		left[i] = joined[i] = i;
		alone[i] = estimate_all(&code[i * each], NULL, each);
	}
	for (;; count--) {
		unsigned a = 0, b = 0;
		int64_t best = INT64_MIN;
		for (unsigned i = 0; i < count; i++) {
			for (unsigned j = 0; j < i; j++) {
				const unsigned one = left[i], other = left[j];
				int64_t *known = &gain[one][other];
				if (fresh == items || one == fresh || other == fresh)
					*known = alone[one] + alone[other] -
						 estimate_all(&code[one * each], &code[other * each], each);
				if (*known > best)
					best = *known, a = i, b = j;
			}
		}
		if (count == 1 || (best < 0 && count <= most))
			break;
		fresh = left[b];
		for (unsigned i = 0; i < each; i++)
			for (unsigned symbol = 0; symbol < UNPACK_SYMBOLS; symbol++)
				code[fresh * each + i].used[symbol] += code[left[a] * each + i].used[symbol];
		alone[fresh] = estimate_all(&code[fresh * each], NULL, each);
		for (unsigned i = 0; i < items; i++)
			joined[i] = joined[i] == left[a] ? fresh : joined[i];
		memmove(left + a, left + a + 1, (count - a - 1) * sizeof(*left));
	}
	for (unsigned i = 0; i < items; i++)
		for (unsigned j = 0; j < count; j++)
			group[i] = joined[i] == left[j] ? j : group[i];
	return count;
}

/* Bytes behind which the same is to be expected become a class. */
void find_classes(void)
{
	static struct code before_code[256 * UNPACK_POSITIONS];
	const unsigned positions = 1U << position_bits;
	memset(before_code, 0, sizeof(before_code));
	for (unsigned i = 0; i < steps; i++) {
		const uint32_t at = way[i]->from;
		before_code[(at ? in[at - 1] : 0) * positions + at % positions].used[symbol_of(way[i])]++;
	}
	join(before_code, positions, 256, UNPACK_CLASSES, class_of);
}

/* Those at which nothing is take the code of the place before: that is told in one bit. */
static void join_places(void)
{
	const unsigned places = regions * UNPACK_PLACES << position_bits;
	static bool is_used[PLACES_MOST];
	for (unsigned i = 0; i < places; i++) {
		is_used[i] = false;
		for (unsigned symbol = 0; symbol < UNPACK_SYMBOLS; symbol++)
			is_used[i] |= place_code[i].used[symbol] > 0;
	}
	codes = join(place_code, 1, places, UNPACK_CODES, code_of_place);
	memset(main_code, 0, sizeof(main_code));
	for (unsigned i = places; i-- > 0;)
		memcpy(main_code[code_of_place[i]].used, place_code[i].used, sizeof(place_code[i].used));
	for (unsigned i = 1; i < places; i++)
		if (!is_used[i])
			code_of_place[i] = code_of_place[i - 1];
}

void make_codes(bool estimates)
{
	if (!logarithm[2])
		fill_logarithms();
	count_used();
	join_places();
	for (unsigned i = 0; i < codes; i++) {
		make_lengths(&main_code[i], UNPACK_SYMBOLS, UNPACK_BITS);
		make_costs(&main_code[i], UNPACK_SYMBOLS, estimates);
	}
	for (unsigned i = 0; i < SLOT_CODES; i++) {
		make_lengths(&slot_code[i], UNPACK_SLOTS, UNPACK_SMALL_BITS);
		make_costs(&slot_code[i], UNPACK_SLOTS, estimates);
	}
	for (unsigned i = 0; i < UNPACK_REGIONS; i++) {
		make_lengths(&low_code[i], LOW_SYMBOLS, UNPACK_SMALL_BITS);
		make_costs(&low_code[i], LOW_SYMBOLS, estimates);
	}
}
