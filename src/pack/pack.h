/* SPDX-License-Identifier: GPL-2.0-only */
/* What packs the program where it is built: for unpack(), so src/unpack.h has the format. All in whole numbers, so that the same file
 * becomes the same bytes on every host.
 *
 * way.c looks for the cheapest way through the file, by what each symbol costs; codes.c makes codes of what was used on it,
 * and by that the next costs; pack.c lets them take turns, and writes. */
#ifndef PACK_H
#define PACK_H

#include "unpack.h"

enum { SIZE_MOST = 1 << UNPACK_SIZE_BITS, PLACES_MOST = UNPACK_REGIONS * UNPACK_POSITIONS * UNPACK_PLACES };
enum { SLOT_CODES = UNPACK_REGIONS * UNPACK_SLOT_CODES, LOW_SYMBOLS = 1 << UNPACK_LOW_BITS };

/* What is packed, behind the filter. */
extern unsigned char in[SIZE_MOST];
extern uint32_t size, ends[UNPACK_REGIONS];
extern unsigned regions, position_bits, class_of[256];

/* Ends the program: one line, status 1. */
_Noreturn void fail(const char *why);

/* How often each symbol is used, how long its code is, what it is taken to cost, in 64ths of a bit. */
enum { BIT = 64 };
struct code {
	uint32_t used[UNPACK_SYMBOLS], cost[UNPACK_SYMBOLS];
	unsigned char length[UNPACK_SYMBOLS];
};
extern struct code main_code[UNPACK_CODES], slot_code[SLOT_CODES], low_code[UNPACK_REGIONS];
extern unsigned codes, code_of_place[PLACES_MOST];

/* The cheapest way to a position and state: its last step, and the old distances then. */
enum { LITERAL = UNPACK_OLD + 1 }; /* the kind of a step that is no match */
struct step {
	uint32_t cost, from, distance, length, old[UNPACK_OLD];
	unsigned char state, kind;
};
extern struct step *way[SIZE_MOST + 1];
extern unsigned steps;

/* way.c */
void find_matches(void);
void find_way(void);
unsigned region_of(uint32_t at);
unsigned place_of(uint32_t at, unsigned state);
unsigned symbol_of(const struct step *step);
unsigned length_kind(uint32_t length);
unsigned slot_of(uint32_t distance);
unsigned slot_bits(unsigned slot);
struct code *code_of_slot(uint32_t at, uint32_t length);

/* codes.c. Estimates are not in whole bits; to be written, a code must have been made without. */
void find_regions(void);
void find_classes(void);
void make_codes(bool estimates);
void make_lengths(struct code *code, unsigned count, unsigned most);

#endif
