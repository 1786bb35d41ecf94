/* SPDX-License-Identifier: GPL-2.0-only */
/* Packs stdin for unpack(), and puts behind it the size of what it was, and the checksum of all that. Or unpacks that.
 *
 * Usage: pack [-d] amd64|arm64|armhf|riscv64
 * Exit status: 1: not all read or written, too large, or what comes out would not be unpacked to what went in (build with PACK=0). */
#include "pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned char in[SIZE_MOST];
uint32_t size, ends[UNPACK_REGIONS];
unsigned regions = 1, position_bits, class_of[256];

static unsigned char plain[SIZE_MOST], back[SIZE_MOST];
static struct code length_code[UNPACK_BITS + 1];

_Noreturn void fail(const char *why)
{
	fprintf(stderr, "pack: %s\n", why);
	exit(1);
}

/* --- writing --------------------------------------------------------------------------------------------------------------- */

enum { WORDS_MOST = SIZE_MOST / 2 };
static uint32_t words[WORDS_MOST];
static size_t bits_written;

static void put(uint32_t value, unsigned bits)
{
	while (bits-- > 0) {
		words[bits_written / 32] |= (value >> bits & 1) << (31 - bits_written % 32);
		bits_written++;
	}
	if (bits_written / 32 >= WORDS_MOST - 3)
		fail("it cannot be packed");
}

/* The code for a symbol comes behind all shorter ones, and those as long of symbols below it. */
static void put_symbol(const struct code *code, unsigned count, unsigned symbol)
{
	const unsigned length = code->length[symbol];
	uint32_t value = 0;
	for (unsigned i = 0; i < count; i++) {
		const unsigned other = code->length[i];
		if (other && other < length + (i < symbol))
			value += 1U << (UNPACK_BITS - other);
	}
	put(value >> (UNPACK_BITS - length), length);
}

/* The lengths of a code: only counted, in how the lengths are told, or put. */
static void tell_lengths(const struct code *code, unsigned count, bool puts)
{
	unsigned before = 0;
	for (unsigned i = 0, run; i < count; i += run) {
		struct code *with = &length_code[before];
		unsigned symbol = code->length[i];
		for (run = 0;
		     i + run < count && !code->length[i + run] && run < UNPACK_LONG_LEAST + (1U << UNPACK_LONG_BITS) - 1;)
			run++;
		if (run >= UNPACK_LONG_LEAST)
			symbol = UNPACK_RUN + 1;
		else if (run >= UNPACK_RUN_LEAST)
			symbol = UNPACK_RUN;
		else
			run = 1;
		before = code->length[i];
		if (!puts) {
			with->used[symbol]++;
			continue;
		}
		put_symbol(with, UNPACK_LENGTH_SYMBOLS, symbol);
		if (symbol == UNPACK_RUN)
			put(run - UNPACK_RUN_LEAST, UNPACK_RUN_BITS);
		else if (symbol > UNPACK_RUN)
			put(run - UNPACK_LONG_LEAST, UNPACK_LONG_BITS);
	}
}

static void tell_codes(bool puts)
{
	for (unsigned i = 0; i < codes; i++)
		tell_lengths(&main_code[i], UNPACK_SYMBOLS, puts);
	for (unsigned i = 0; i < regions * UNPACK_SLOT_CODES; i++)
		tell_lengths(&slot_code[i], UNPACK_SLOTS, puts);
	for (unsigned i = 0; i < regions; i++)
		tell_lengths(&low_code[i], LOW_SYMBOLS, puts);
}

static void write_header(void)
{
	put(position_bits, 2);
	put(regions - 1, 2);
	for (unsigned i = 0; i + 1 < regions; i++)
		put(ends[i], UNPACK_SIZE_BITS);
	for (unsigned i = 0; i < 256; i++)
		put(class_of[i], 3);
	put(codes - 1, 4);
	for (unsigned i = 0, before = 0; i < regions * UNPACK_PLACES << position_bits; before = code_of_place[i++])
		put(code_of_place[i] == before ? 0 : 1 << 4 | code_of_place[i], code_of_place[i] == before ? 1 : 5);
	tell_codes(false);
	for (unsigned i = 0; i <= UNPACK_BITS; i++) {
		make_lengths(&length_code[i], UNPACK_LENGTH_SYMBOLS, UNPACK_LENGTH_BITS);
		for (unsigned symbol = 0; symbol < UNPACK_LENGTH_SYMBOLS; symbol++)
			put(length_code[i].length[symbol], 3);
	}
	tell_codes(true);
}

static void write_way(void)
{
	for (unsigned i = 0; i < steps; i++) {
		const struct step *step = way[i];
		put_symbol(&main_code[code_of_place[place_of(step->from, step->state)]], UNPACK_SYMBOLS, symbol_of(step));
		if (step->kind == LITERAL)
			continue;
		const unsigned range = length_kind(step->length);
		put(step->length - unpack_length[range], unpack_length_bits[range]);
		if (step->kind != UNPACK_OLD)
			continue;
		const unsigned slot = slot_of(step->distance), bits = slot_bits(slot);
		const uint32_t rest = (step->distance - 1) & ((1U << bits) - 1);
		put_symbol(code_of_slot(step->from, step->length), UNPACK_SLOTS, slot);
		if (bits < UNPACK_LOW_BITS) {
			put(rest, bits);
			continue;
		}
		put(rest >> UNPACK_LOW_BITS, bits - UNPACK_LOW_BITS);
		put_symbol(&low_code[region_of(step->from)], LOW_SYMBOLS, rest % LOW_SYMBOLS);
	}
}

/* --- main ------------------------------------------------------------------------------------------------------------------ */

/* How many of the last bits of a position matter, and whether classes of bytes are looked for, or the upper bits are the class: as
 * was tried out. */
static const struct machine {
	const char *name;
	void (*filter)(void *bytes, size_t size, bool unpacks);
	unsigned position_bits;
	bool finds_classes;
} machines[] = {
	{"amd64", filter_x86, 0, true},
	{"arm64", filter_arm64, 2, false},
	{"armhf", filter_armthumb, 1, true},
	{"riscv64", filter_riscv, 1, true},
};

static void write_out(const void *bytes, size_t count)
{
	if (fwrite(bytes, 1, count, stdout) != count)
		fail("it cannot be written");
}

static void unpack_words(const struct machine *machine, unsigned char *to, size_t count)
{
	static struct unpacking work;
	if (unpack(to, size, words, count, &work))
		fail("it cannot be unpacked");
	machine->filter(to, size, true);
}

static void pack(const struct machine *machine)
{
	/* then hardly anything changes any more */
	enum { ROUNDS = 8, ESTIMATES = 6 };
	position_bits = machine->position_bits;
	for (unsigned i = 0; i < 256; i++)
		class_of[i] = i * UNPACK_CLASSES / 256;
	size = (uint32_t)fread(plain, 1, SIZE_MOST, stdin);
	if (!size || size == SIZE_MOST)
		fail("nothing to pack, or too much");
	memcpy(in, plain, size);
	machine->filter(in, size, false);
	find_matches();
	make_codes(true);
	for (int round = 0; round < ROUNDS; round++) {
		find_way();
		if (round == 1)
			find_regions();
		if (machine->finds_classes && (round == 1 || round == 3))
			find_classes();
		make_codes(round < ESTIMATES);
	}
	write_header();
	write_way();
	const size_t count = (bits_written + 31) / 32;
	unpack_words(machine, back, count);
	if (memcmp(back, plain, size) != 0)
		fail("it would not be unpacked to what it was");
	words[count] = size;
	words[count + 1] = unpack_checksum(words, count + 1);
	write_out(words, (count + 2) * sizeof(*words));
}

static void unpack_again(const struct machine *machine)
{
	const size_t count = fread(words, sizeof(*words), WORDS_MOST, stdin);
	size = count < 2 ? SIZE_MOST : words[count - 2];
	if (size >= SIZE_MOST)
		fail("not what is packed here");
	if (unpack_checksum(words, count - 1) != words[count - 1])
		fail("it is damaged");
	unpack_words(machine, plain, count - 2);
	write_out(plain, size);
}

int main(int argc, char **argv)
{
	const struct machine *machine = machines, *end = machines + sizeof(machines) / sizeof(*machines);
	const bool unpacks = argc == 3 && !strcmp(argv[1], "-d");
	while (argc == 2 + unpacks && machine < end && strcmp(machine->name, argv[argc - 1]) != 0)
		machine++;
	if (argc != 2 + unpacks || machine == end)
		fail("usage: pack [-d] amd64|arm64|armhf|riscv64");
	if (unpacks)
		unpack_again(machine);
	else
		pack(machine);
	if (fflush(stdout))
		fail("it cannot be written");
	return 0;
}
