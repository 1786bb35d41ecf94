/* SPDX-License-Identifier: GPL-2.0-only */
/* What the build packs (src/pack/) and a start unpacks: in a format of our own, made to be unpacked fast.
 *
 * Literals and matches (a length, and a distance back, which may be one of the last four). Each is one symbol of a prefix code; which
 * code depends on its place: in which region of the file, on the last bits of the position, on the class of the byte before, on what came
 * before. A match with a new distance goes on with the code of its slot, then plain bits, then the code of the last four bits.
 *
 * Words of 32 bits, the highest bit first. Before all that: how many last bits of the position matter (2 bits), regions less 1 (2),
 * where each but the last ends (20), the class of each byte (3), codes less 1 (4); for each place 0, or 1 if its code is not that of the place before, and which
 * it is (4); the lengths of the codes in which the lengths of all others are told (3 each; the code depends on the length
 * before); then those. */
#ifndef UNPACK_H
#define UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNPACK_REGIONS = 4, UNPACK_POSITIONS = 4, UNPACK_CODES = 16, UNPACK_SIZE_BITS = 20 };

/* What came before: two literals, one, a match with a new distance, with an old one. A place for each
 * class that the byte before may be of. */
enum { UNPACK_AFTER_ONE = 1, UNPACK_AFTER_NEW, UNPACK_AFTER_OLD, UNPACK_STATES };
enum { UNPACK_CLASSES = 8, UNPACK_PLACES = UNPACK_STATES * UNPACK_CLASSES };

/* Of the symbols of literals and matches: 256 bytes; for each old distance, and for a new one, sixteen kinds of length, which
 * start at unpack_length and have so many more bits. */
enum { UNPACK_OLD = 4, UNPACK_LENGTHS = 16, UNPACK_SYMBOLS = 256 + (UNPACK_OLD + 1) * UNPACK_LENGTHS };
extern const uint16_t unpack_length[UNPACK_LENGTHS + 1];
extern const unsigned char unpack_length_bits[UNPACK_LENGTHS];

/* A slot is the two highest bits of a distance and where they are. Its code depends on the region, and on the length, up to 5. */
enum { UNPACK_SLOTS = 40, UNPACK_SLOT_CODES = 4, UNPACK_LOW_BITS = 4 };

/* The longest codes; and those of lengths: each length, then two symbols for so many zeros at least, and so many more bits. */
enum { UNPACK_BITS = 11, UNPACK_SMALL_BITS = 8, UNPACK_LENGTH_BITS = 7, UNPACK_LENGTH_SYMBOLS = UNPACK_BITS + 3 };
enum { UNPACK_RUN = UNPACK_BITS + 1, UNPACK_RUN_LEAST = 3, UNPACK_RUN_BITS = 3 };
enum { UNPACK_LONG_LEAST = UNPACK_RUN_LEAST + (1 << UNPACK_RUN_BITS), UNPACK_LONG_BITS = 7 };

/* The memory that unpacking takes, besides a little stack; nothing in it is for the caller. */
struct unpacking {
	uint16_t main[UNPACK_CODES][1 << UNPACK_BITS];
	uint16_t slot[UNPACK_REGIONS * UNPACK_SLOT_CODES][1 << UNPACK_SMALL_BITS];
	uint16_t low[UNPACK_REGIONS][1 << UNPACK_SMALL_BITS];
	uint16_t length[UNPACK_BITS + 1][1 << UNPACK_SMALL_BITS];
	unsigned char classes[256], places[UNPACK_REGIONS * UNPACK_POSITIONS * UNPACK_PLACES];
	uint32_t ends[UNPACK_REGIONS];
};

/* Returns 0: exactly `size` bytes came of exactly so many words; or -EINVAL: they are broken. Nothing outside of the two buffers is
 * touched, whatever is in them. */
int unpack(void *to, size_t size, const uint32_t *from, size_t words, struct unpacking *work);

/* Notices each change of one word, and of others all but one in 2^32. */
uint32_t unpack_checksum(const uint32_t *words, size_t count);

/* What makes branches easier to pack, and undoes it. */
void filter_x86(void *bytes, size_t size, bool unpacks);
void filter_arm64(void *bytes, size_t size, bool unpacks);
void filter_armthumb(void *bytes, size_t size, bool unpacks);
/* Of few bytes in a million it is not the way back: who packs must look. */
void filter_riscv(void *bytes, size_t size, bool unpacks);

#endif
