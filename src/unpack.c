/* SPDX-License-Identifier: GPL-2.0-only */
#include "unpack.h"

#include <errno.h>

/* --- bits and codes -------------------------------------------------------------------------------------------------------- */

/* The highest `have` bits of `hold` are the next ones. In the loop below all of it is in registers. */
struct bits {
	uint64_t hold;
	const uint32_t *words;
	size_t next, count;
	unsigned have;
};

#define INLINED static inline __attribute__((always_inline))

/* There are 32 bits then, which is enough for all that is taken until the next time. Behind the last word come zeros: next goes
 * on, so that it is seen. */
INLINED void refill(struct bits *in)
{
	if (in->have >= 32)
		return;
	in->hold |= (uint64_t)(in->next < in->count ? in->words[in->next] : 0U) << (32 - in->have);
	in->next++;
	in->have += 32;
}

INLINED uint32_t take(struct bits *in, unsigned count)
{
	const uint32_t taken = (uint32_t)(in->hold >> 32 >> (32 - count));
	in->hold <<= count;
	in->have -= count;
	return taken;
}

/* The entry for each sequence of so many bits that begins with a code: its symbol, and how long it is (in the lowest 4 bits). */
INLINED uint32_t take_symbol(struct bits *in, const uint16_t *code, unsigned bits)
{
	const uint32_t entry = code[in->hold >> (64 - bits)];
	in->hold <<= entry & 15;
	in->have -= entry & 15;
	return entry >> 4;
}

/* Where small counts for more than fast. */
static __attribute__((noinline)) uint32_t take_some(struct bits *in, unsigned count)
{
	refill(in);
	return take(in, count);
}

/* The shorter codes come first, of the same length those of the lower symbols. No sequence may be without a code, none with two:
 * so each symbol is taken from at least one bit. */
static bool make_code(uint16_t *code, unsigned bits, const unsigned char *lengths, unsigned count)
{
	uint32_t many[16] = {0}, first[16], all = 0;
	for (unsigned symbol = 0; symbol < count; symbol++)
		many[lengths[symbol]]++;
	for (unsigned length = 1; length <= bits; length++) {
		first[length] = all;
		all += many[length] << (bits - length);
	}
	if (all != 1U << bits)
		return false;
	for (unsigned symbol = 0; symbol < count; symbol++) {
		const unsigned length = lengths[symbol];
		if (!length || length > bits)
			continue;
		for (const uint32_t end = first[length] + (1U << (bits - length)); first[length] < end; first[length]++)
			code[first[length]] = (uint16_t)(symbol << 4 | length);
	}
	return true;
}

static bool take_code(struct bits *in, struct unpacking *work, uint16_t *code, unsigned bits, unsigned count)
{
	unsigned char lengths[UNPACK_SYMBOLS];
	unsigned before = 0;
	for (unsigned i = 0; i < count;) {
		refill(in);
		const unsigned symbol = take_symbol(in, work->length[before], UNPACK_SMALL_BITS);
		if (symbol < UNPACK_RUN) {
			before = lengths[i++] = (unsigned char)symbol;
			continue;
		}
		unsigned run = symbol == UNPACK_RUN ? UNPACK_RUN_LEAST + take_some(in, UNPACK_RUN_BITS)
						    : UNPACK_LONG_LEAST + take_some(in, UNPACK_LONG_BITS);
		before = 0;
		if (run > count - i)
			return false;
		for (; run; run--)
			lengths[i++] = 0;
	}
	return make_code(code, bits, lengths, count);
}

/* All before the first symbol. Returns how many bits of the position matter; -1 if it is broken. */
static int take_header(struct bits *in, size_t size, struct unpacking *work)
{
	unsigned char lengths[UNPACK_LENGTH_SYMBOLS];
	const unsigned position_bits = take_some(in, 2), regions = take_some(in, 2) + 1;
	bool fine = position_bits < 3;
	for (unsigned i = 0; i < UNPACK_REGIONS; i++) {
		const uint32_t end = i + 1 < regions ? take_some(in, UNPACK_SIZE_BITS) : (uint32_t)size;
		work->ends[i] = end < size ? end : (uint32_t)size;
	}
	for (unsigned i = 0; i < 256; i++)
		work->classes[i] = (unsigned char)take_some(in, 3);
	const unsigned codes = take_some(in, 4) + 1, places = fine ? regions * UNPACK_PLACES << position_bits : 0;
	for (unsigned i = 0, code = 0; i < places; i++) {
		if (take_some(in, 1))
			code = take_some(in, 4);
		work->places[i] = (unsigned char)code;
		fine &= code < codes;
	}
	for (unsigned i = 0; i <= UNPACK_BITS; i++) {
		for (unsigned symbol = 0; symbol < UNPACK_LENGTH_SYMBOLS; symbol++)
			lengths[symbol] = (unsigned char)take_some(in, 3);
		fine &= make_code(work->length[i], UNPACK_SMALL_BITS, lengths, UNPACK_LENGTH_SYMBOLS);
	}
	for (unsigned i = 0; fine && i < codes; i++)
		fine = take_code(in, work, work->main[i], UNPACK_BITS, UNPACK_SYMBOLS);
	for (unsigned i = 0; fine && i < regions * UNPACK_SLOT_CODES; i++)
		fine = take_code(in, work, work->slot[i], UNPACK_SMALL_BITS, UNPACK_SLOTS);
	for (unsigned i = 0; fine && i < regions; i++)
		fine = take_code(in, work, work->low[i], UNPACK_SMALL_BITS, 1 << UNPACK_LOW_BITS);
	return fine ? (int)position_bits : -1;
}

/* --- literals and matches -------------------------------------------------------------------------------------------------- */

const uint16_t unpack_length[UNPACK_LENGTHS + 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 40, 72, 200, 4296};
const unsigned char unpack_length_bits[UNPACK_LENGTHS] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 7, 12};

INLINED uint32_t take_distance(struct bits *in, struct unpacking *work, unsigned region, uint32_t length)
{
	const unsigned code = length < UNPACK_SLOT_CODES + 1 ? length - 1 - (length > 1) : UNPACK_SLOT_CODES - 1;
	/* of the plain bits there are so many at most */
	_Static_assert(2 * UNPACK_SMALL_BITS + (UNPACK_SLOTS - 1) / 2 - 1 - UNPACK_LOW_BITS <= 32, "32 bits are enough");
	refill(in);
	const uint32_t slot = take_symbol(in, work->slot[region * UNPACK_SLOT_CODES + code], UNPACK_SMALL_BITS);
	if (slot < 4)
		return slot + 1;
	const unsigned bits = slot / 2 - 1;
	uint32_t distance = (2 | (slot & 1)) << bits;
	if (bits < UNPACK_LOW_BITS)
		return distance + take(in, bits) + 1;
	distance += take(in, bits - UNPACK_LOW_BITS) << UNPACK_LOW_BITS;
	return distance + take_symbol(in, work->low[region], UNPACK_SMALL_BITS) + 1;
}

/* Eight bytes at a time where they do not reach into themselves; what is written too far is written again, or is not there. */
INLINED void copy(unsigned char *to, uint32_t distance, uint32_t length, size_t room)
{
	const unsigned char *from = to - distance, *end = to + length;
	if (distance < 8 || room - length < 8) {
		do
			*to++ = *from++;
		while (to < end);
		return;
	}
	do {
		__builtin_memcpy(to, from, 8);
		to += 8;
		from += 8;
	} while (to < end);
}

int unpack(void *to, size_t size, const uint32_t *from, size_t words, struct unpacking *work)
{
	struct bits start = {0, from, 0, words, 0};
	const int position_bits = size >> UNPACK_SIZE_BITS ? -1 : take_header(&start, size, work);
	if (position_bits < 0)
		return -EINVAL;
	struct bits in = start;
	const unsigned position_mask = (1U << position_bits) - 1;
	unsigned char *out = to;
	uint32_t first = 1, second = 2, third = 3, fourth = 4; /* the old distances */
	unsigned state = 0, before = 0;
	size_t at = 0;
	for (unsigned region = 0; region < UNPACK_REGIONS; region++) {
		const unsigned char *places = work->places + (region * UNPACK_PLACES << position_bits);
		const size_t end = work->ends[region];
		while (at < end) {
			const unsigned place = ((unsigned)at & position_mask) * UNPACK_PLACES + state * UNPACK_CLASSES +
					       work->classes[before];
			refill(&in);
			const uint32_t symbol = take_symbol(&in, work->main[places[place]], UNPACK_BITS);
			if (symbol < 256) {
				out[at++] = (unsigned char)symbol;
				before = symbol;
				state = state >= UNPACK_AFTER_NEW;
				continue;
			}
			const unsigned kind = (symbol - 256) / UNPACK_LENGTHS, range = symbol % UNPACK_LENGTHS;
			const uint32_t length = unpack_length[range] + take(&in, unpack_length_bits[range]);
			state = UNPACK_AFTER_OLD;
			if (kind) {
				uint32_t distance = second;
				if (kind == UNPACK_OLD) {
					state = UNPACK_AFTER_NEW;
					distance = take_distance(&in, work, region, length);
				} else if (kind > 1) {
					distance = kind == 2 ? third : fourth;
				}
				if (kind > 2)
					fourth = third;
				if (kind > 1)
					third = second;
				second = first;
				first = distance;
			}
			if (first > at || length > size - at)
				return -EINVAL;
			copy(out + at, first, length, size - at);
			at += length;
			before = out[at - 1];
		}
	}
	/* no word, and no bit that is not 0, may be left or missing */
	return in.next == words + in.have / 32 && !in.hold ? 0 : -EINVAL;
}

uint32_t unpack_checksum(const uint32_t *words, size_t count)
{
	uint32_t sum = (uint32_t)count;
	/* by what is odd: two that are unlike each other stay so */
	for (const uint32_t *end = words + count; words < end; words++)
		sum = ((sum << 5 | sum >> 27) ^ *words) * 0x9E3779B1;
	return sum;
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

/* Behind call and jmp (E8, E9) the address goes where the distance was, if it is in the file; the distances of which the address would
 * then be are those that would have led to before or behind it. */
void filter_x86(void *bytes, size_t size, bool unpacks)
{
	unsigned char *const start = bytes, *at = start;
	const uint32_t all = (uint32_t)size;
	for (const unsigned char *end = start + (size < 5 ? 0 : size - 4); at < end; at++) {
		if ((*at & 0xFE) != 0xE8)
			continue;
		const uint32_t next = (uint32_t)(at - start) + 5, value = read32(at + 1);
		/* from -next to all - next - 1: distances in the file; from there to all - 1: others, but for these one to one */
		if (value + next < all + next)
			write32(at + 1, unpacks ? (value < all ? value - next : value + all)
						: (value + next < all ? value + next : value - all));
		at += 4;
	}
}

/* The addresses in place of the distances in bl (in words) and adrp (in pages, where it is less than 512 MB). */
void filter_arm64(void *bytes, size_t size, bool unpacks)
{
	unsigned char *at = bytes;
	for (size_t i = 0; size - i >= 4 && i < size; i += 4) {
		const uint32_t code = read32(at + i), here = unpacks ? -(uint32_t)i : (uint32_t)i;
		if (code >> 26 == 0x25) {
			write32(at + i, 0x94000000 | ((code + here / 4) & 0x3FFFFFF));
		} else if ((code & 0x9F000000) == 0x90000000) {
			uint32_t pages = (code >> 29 & 3) | (code >> 3 & 0x1FFFFC);
			if ((pages + 0x20000) & 0x1C0000)
				continue;
			pages += unpacks ? -(uint32_t)(i >> 12) : (uint32_t)(i >> 12);
			write32(at + i, (code & 0x9000001F) | (pages & 3) << 29 | (pages & 0x3FFFC) << 3 |
						(-(pages & 0x20000) & 0xE00000));
		}
	}
}

/* The addresses in place of the distances in bl, in halfwords. Its two halves have the upper and the lower 11 bits; one that
 * reaches farther (4 MB) is another code. */
void filter_armthumb(void *bytes, size_t size, bool unpacks)
{
	unsigned char *at = bytes;
	for (size_t i = 0; size - i >= 4 && i < size; i += 2) {
		const uint32_t code = read32(at + i), here = ((uint32_t)i + 4) / 2;
		if ((code & 0xF800F800) != 0xF800F000)
			continue;
		const uint32_t distance = ((code & 0x7FF) << 11 | (code >> 16 & 0x7FF)) + (unpacks ? -here : here);
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
