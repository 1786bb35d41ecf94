/* SPDX-License-Identifier: GPL-2.0-only */
#include "unpack.h"

#include <errno.h>
#include <stdbool.h>

/* --- LZMA ------------------------------------------------------------------------------------------------------------------ */

/* A probability is that of a 0, in 2048ths; how fast it learns. Below RANGE_LEAST the range takes in another byte. */
enum { CERTAIN_BITS = 11, LEARN_BITS = 5, RANGE_LEAST = 1 << 24, START = 5 };

/* States: 0 to 6 behind a literal, 7 to 11 behind a match. The first match behind another one may be told by less. */
enum { STATES = 12, BEHIND_MATCH = 7, POSITIONS = 16, DISTANCE_LENGTHS = 4, SHORTEST_MATCH = 2, LITERAL_SET = 0x100 };

/* Distances of slot 4 to 13 have a tree each, longer ones have their last four bits in one. */
enum { SLOT_BITS = 6, SLOT_TREES = 4, SLOT_DIRECT = 14, ALIGN_BITS = 4 };

/* Of a length: two choices, then a tree of 8 or of 8 for each position, or one of 256. */
enum { LENGTH_SHORT = 2, LENGTH_BITS = 3, LENGTH_EACH = 8, LENGTH_LONG_BITS = 8 };
enum { LENGTH_MIDDLE = LENGTH_SHORT + POSITIONS * LENGTH_EACH, LENGTH_LONG = LENGTH_MIDDLE + POSITIONS * LENGTH_EACH };

/* Where each kind of probabilities is. A tree of n bits has its root at 1, and room for 1 << n. */
enum {
	IS_MATCH = 0, /* for each state and position */
	IS_LONG = IS_MATCH + STATES * POSITIONS,
	IS_OLD = IS_LONG + STATES * POSITIONS, /* for each state: the distance is one of the last four */
	IS_OLDER = IS_OLD + STATES,            /* and not the 1st; 2nd; 3rd */
	SLOTS = IS_OLDER + 3 * STATES,
	NEAR = SLOTS + (SLOT_TREES << SLOT_BITS),
	ALIGN = NEAR + 128 - SLOT_DIRECT + 2,
	LENGTH = ALIGN + (1 << ALIGN_BITS),
	LENGTH_OLD = LENGTH + LENGTH_LONG + (1 << LENGTH_LONG_BITS),
	LITERALS = LENGTH_OLD + LENGTH_LONG + (1 << LENGTH_LONG_BITS),
};
_Static_assert(LITERALS + (UNPACK_LITERAL << 4) <= UNPACK_PROBABILITIES, "there is room for all probabilities");

/* Another byte. Behind the last one come zeros: next goes on, so that it is seen. */
static inline uint32_t refill(struct unpacking *work, uint32_t range, uint32_t *code)
{
	if (range >= RANGE_LEAST)
		return range;
	*code = *code << 8 | (work->next < work->count ? work->in[work->next] : 0U);
	work->next++;
	return range << 8;
}

/* Takes the bits of a tree, from its root down to where it has so many leaves; a 1 stands before them. Of a literal that comes
 * behind a match (set: LITERAL_SET, else 0) two more sets of probabilities are there, one for each bit of the byte that would have
 * made the match longer, for as long as the two bytes are the same. */
static uint32_t take_tree(struct unpacking *work, unsigned root, uint32_t leaves, uint32_t set, uint32_t expected)
{
	uint32_t range = work->range, code = work->code, taken = 1;
	do {
		expected <<= 1;
		uint16_t *probability = &work->probability[root + set + (expected & set) + taken];
		const uint32_t value = *probability;
		range = refill(work, range, &code);
		const uint32_t bound = (range >> CERTAIN_BITS) * value;
		taken <<= 1;
		if (code < bound) {
			range = bound;
			*probability = (uint16_t)(value + (((1U << CERTAIN_BITS) - value) >> LEARN_BITS));
			set &= ~expected;
		} else {
			range -= bound;
			code -= bound;
			*probability = (uint16_t)(value - (value >> LEARN_BITS));
			taken |= 1;
			set &= expected;
		}
	} while (taken < leaves);
	work->range = range;
	work->code = code;
	return taken;
}

static bool take_bit(struct unpacking *work, unsigned at)
{
	return take_tree(work, at - 1, 2, 0, 0) & 1;
}

static uint32_t take_bits(struct unpacking *work, unsigned root, unsigned bits)
{
	return take_tree(work, root, 1U << bits, 0, 0) - (1U << bits);
}

/* The same, the lowest bit first. */
static uint32_t take_reversed(struct unpacking *work, unsigned root, unsigned bits)
{
	uint32_t taken = take_bits(work, root, bits), result = 0;
	for (; bits; bits--, taken >>= 1)
		result = result << 1 | (taken & 1);
	return result;
}

/* Bits that are as often 0 as 1. */
static uint32_t take_even(struct unpacking *work, unsigned bits)
{
	uint32_t taken = 0;
	for (; bits; bits--) {
		work->range = refill(work, work->range, &work->code) >> 1;
		taken <<= 1;
		if (work->code >= work->range) {
			work->code -= work->range;
			taken |= 1;
		}
	}
	return taken;
}

static uint32_t take_length(struct unpacking *work, unsigned at, unsigned position)
{
	if (!take_bit(work, at))
		return take_bits(work, at + LENGTH_SHORT + position * LENGTH_EACH, LENGTH_BITS);
	if (!take_bit(work, at + 1))
		return LENGTH_EACH + take_bits(work, at + LENGTH_MIDDLE + position * LENGTH_EACH, LENGTH_BITS);
	return 2 * LENGTH_EACH + take_bits(work, at + LENGTH_LONG, LENGTH_LONG_BITS);
}

/* Less one, as all distances here: to the byte before is 0. */
static uint32_t take_distance(struct unpacking *work, uint32_t length)
{
	const unsigned tree = length < SLOT_TREES ? length : SLOT_TREES - 1;
	const uint32_t slot = take_bits(work, SLOTS + (tree << SLOT_BITS), SLOT_BITS);
	if (slot < 4)
		return slot;
	const unsigned bits = (slot >> 1) - 1;
	uint32_t distance = (2 | (slot & 1)) << bits;
	if (slot < SLOT_DIRECT)
		return distance + take_reversed(work, NEAR + distance - slot, bits);
	distance += take_even(work, bits - ALIGN_BITS) << ALIGN_BITS;
	return distance + take_reversed(work, ALIGN, ALIGN_BITS);
}

static bool begin(struct unpacking *work, const unsigned char *from, size_t count)
{
	if (count < START || *from)
		return false;
	work->in = from;
	work->count = count;
	for (work->next = 0; work->next < START;)
		refill(work, 0, &work->code);
	work->range = UINT32_MAX;
	for (int i = 0; i < UNPACK_PROBABILITIES; i++)
		work->probability[i] = 1 << (CERTAIN_BITS - 1);
	return true;
}

/* Takes what comes instead of a literal: how long it is; its distance becomes the first of the last four. */
static uint32_t take_match(struct unpacking *work, unsigned position, unsigned *state, uint32_t old[4])
{
	const unsigned behind = *state >= BEHIND_MATCH ? 3 : 0, before = *state;
	uint32_t distance, length;
	unsigned n = 3;
	*state = BEHIND_MATCH + behind;
	if (!take_bit(work, IS_OLD + before)) {
		length = take_length(work, LENGTH, position);
		distance = take_distance(work, length);
	} else {
		n = 0;
		while (n < 3 && take_bit(work, IS_OLDER + n * STATES + before))
			n++;
		*state += 1;
		if (!n && !take_bit(work, IS_LONG + before * POSITIONS + position)) {
			*state += !behind;
			return 1;
		}
		length = take_length(work, LENGTH_OLD, position);
		distance = old[n];
	}
	for (; n; n--)
		old[n] = old[n - 1];
	old[0] = distance;
	return length + SHORTEST_MATCH;
}

long unpack(void *to, size_t size, const void *from, size_t count, unsigned properties, struct unpacking *work)
{
	const unsigned lc = properties & 15, lp = properties >> 4 & 15, pb = properties >> 8;
	unsigned char *out = to;
	uint32_t old[4] = {0};
	unsigned state = 0;
	size_t at = 0;
	if (lc + lp > 4 || pb > 4 || !begin(work, from, count))
		return -EINVAL;
	while (work->next <= work->count) {
		const unsigned position = at & ((1U << pb) - 1);
		if (!take_bit(work, IS_MATCH + state * POSITIONS + position)) {
			const unsigned before = at ? out[at - 1] : 0;
			const unsigned context = (at & ((1U << lp) - 1)) << lc | before >> (8 - lc);
			const bool matched = state >= BEHIND_MATCH;
			if (at == size)
				break;
			out[at] = (unsigned char)take_tree(work, LITERALS + context * UNPACK_LITERAL, LITERAL_SET,
							   matched ? LITERAL_SET : 0, matched ? out[at - old[0] - 1] : 0);
			at++;
			state = state < 4 ? 0 : state - (state < 10 ? 3 : 6);
			continue;
		}
		uint32_t length = take_match(work, position, &state, old);
		if (old[0] == UINT32_MAX) { /* the marker of the end: nothing may be left */
			refill(work, work->range, &work->code);
			return work->code || work->next != work->count ? -EINVAL : (long)at;
		}
		if (old[0] >= at || length > size - at)
			break;
		for (; length; length--, at++)
			out[at] = out[at - old[0] - 1];
	}
	return -EINVAL;
}

/* --- filters --------------------------------------------------------------------------------------------------------------- */

/* Little-endian, as each architecture here is. */
static uint32_t read32(const unsigned char *from)
{
	uint32_t value;
	__builtin_memcpy(&value, from, sizeof(value));
	return value;
}

static void write32(unsigned char *to, uint32_t value)
{
	__builtin_memcpy(to, &value, sizeof(value));
}

/* Whether it may be the highest byte of a distance. */
static bool is_sign(unsigned char byte)
{
	return (unsigned char)(byte + 1) <= 1;
}

/* Behind a call or jump (E8, E9) the address was put in place of the distance, where that is less than 16 MB. An opcode that was
 * left alone may be part of a distance; so the next three bytes are looked at with care, else the way back would not be clear:
 * opcode: bit n: one is n bytes back and was left alone; bit 4 + n: though its distance was small. Of a distance in which
 * the highest byte of the one at such an opcode was small on the other side, the lower bytes were inverted. */
void unpack_x86(void *bytes, size_t size)
{
	unsigned char *at = bytes;
	unsigned opcodes = 0;
	for (size_t i = 0; size - i >= 5 && i < size; i++, opcodes = opcodes << 1 & 0xEE) {
		if ((at[i] & 0xFE) != 0xE8)
			continue;
		const bool small = is_sign(at[i + 4]);
		/* of the three there is one at most */
		if (!small || opcodes > 8 || (opcodes & (opcodes - 1))) {
			opcodes |= small ? 0x11 : 1;
			continue;
		}
		const uint32_t end = (uint32_t)i + 5;
		uint32_t value = read32(at + i + 1) - end;
		if (opcodes) {
			const unsigned above = opcodes == 2 ? 24 : opcodes == 4 ? 16 : 8; /* the bits up to that byte */
			if (is_sign((unsigned char)(value >> (above - 8))))
				value = (value ^ ((1U << above) - 1)) - end;
		}
		value &= 0x1FFFFFF;
		write32(at + i + 1, value | -(value & 0x1000000));
		opcodes = 0;
		i += 4;
	}
}

/* The addresses were put in place of the distances in bl (in words) and adrp (in pages, where it is less than 512 MB). */
void unpack_arm64(void *bytes, size_t size)
{
	unsigned char *at = bytes;
	for (size_t i = 0; size - i >= 4 && i < size; i += 4) {
		const uint32_t code = read32(at + i);
		if (code >> 26 == 0x25) {
			write32(at + i, 0x94000000 | ((code - (uint32_t)(i >> 2)) & 0x3FFFFFF));
		} else if ((code & 0x9F000000) == 0x90000000) {
			uint32_t pages = (code >> 29 & 3) | (code >> 3 & 0x1FFFFC);
			if ((pages + 0x20000) & 0x1C0000)
				continue;
			pages -= (uint32_t)(i >> 12);
			write32(at + i, (code & 0x9000001F) | (pages & 3) << 29 | (pages & 0x3FFFC) << 3 |
						(-(pages & 0x20000) & 0xE00000));
		}
	}
}

/* The addresses were put in place of the distances in bl, in halfwords. Its two halves have the upper and the lower 11 bits;
 * one that reaches farther (4 MB) is another code. */
void unpack_armthumb(void *bytes, size_t size)
{
	unsigned char *at = bytes;
	for (size_t i = 0; size - i >= 4 && i < size; i += 2) {
		const uint32_t code = read32(at + i);
		if ((code & 0xF800F800) != 0xF800F000)
			continue;
		const uint32_t distance = ((code & 0x7FF) << 11 | (code >> 16 & 0x7FF)) - ((uint32_t)i + 4) / 2;
		write32(at + i, 0xF800F000 | (distance >> 11 & 0x7FF) | (distance & 0x7FF) << 16);
		i += 2;
	}
}

/* Does the instruction (its lower 20 bits) add to what auipc has set in that register what is in its upper 12: jalr (67), addi (13),
 * a load (03)? */
static bool adds_to(uint32_t code, uint32_t target)
{
	const uint32_t opcode = code & 0x7F;
	return (code >> 15 & 31) == target && (opcode == 0x67 || opcode == 0x13 || opcode == 3);
}

/* Of auipc (17) with such an instruction behind it the address went to where that was, the highest byte first, and what was left of
 * it to where auipc had the upper 20 bits. What looked so before was turned the other way round. */
void filter_riscv(void *bytes, size_t size, bool unpacks)
{
	unsigned char *at = bytes;
	for (size_t i = 0; size - i >= 8 && i < size; i += 2) {
		const uint32_t first = read32(at + i), second = read32(at + i + 4), target = first >> 7 & 31;
		if ((first & 0x7F) != 0x17 || !target)
			continue;
		const bool is_plain = adds_to(second, target), is_packed = adds_to(first >> 12, target);
		if (is_packed && (unpacks || !is_plain)) {
			const uint32_t distance = __builtin_bswap32(second) - (uint32_t)i;
			write32(at + i, (first & 0xFFF) | ((distance + 0x800) & 0xFFFFF000));
			write32(at + i + 4, first >> 12 | distance << 20);
		} else if (is_plain) {
			const uint32_t distance = (first & 0xFFFFF000) + (second >> 20) - (second >> 19 & 0x1000);
			write32(at + i, (first & 0xFFF) | second << 12);
			write32(at + i + 4, __builtin_bswap32(distance + (uint32_t)i));
		} else {
			continue;
		}
		i += 6;
	}
}
