/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

/* --- a stream made by hand: each bit is in the format that unpack.h tells of -------------------------------------------------- */

enum { WORDS = 2000, A = 'a', B = 'b', C = 'c', X = 'x' };
static uint32_t words[WORDS];
static unsigned bits;
static unsigned char main_lengths[UNPACK_SYMBOLS], slot_lengths[UNPACK_SLOTS], low_lengths[16];
static unsigned char *out;

static void put(uint64_t value, unsigned count)
{
	for (; count; count--, bits++)
		words[bits / 32] |= (uint32_t)(value >> (count - 1) & 1) << (31 - bits % 32);
}

static void put_symbol(const unsigned char *lengths, unsigned count, unsigned symbol)
{
	unsigned code = 0;
	for (unsigned length = 1; length < lengths[symbol]; length++) {
		for (unsigned i = 0; i < count; i++)
			code += lengths[i] == length;
		code <<= 1;
	}
	for (unsigned i = 0; i < symbol; i++)
		code += lengths[i] == lengths[symbol];
	put(code, lengths[symbol]);
}

/* The code of lengths: 0 to 11 have four bits (from 0100 on), the runs of zeros have three. */
static const unsigned char length_lengths[UNPACK_LENGTH_SYMBOLS] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3};

static void put_lengths(const unsigned char *lengths, unsigned count)
{
	for (unsigned i = 0, run; i < count; i += run) {
		for (run = 0; i + run < count && !lengths[i + run] && run < 138;)
			run++;
		if (run >= 11) {
			put(1, 3);
			put(run - 11, 7);
		} else if (run >= 3) {
			put(0, 3);
			put(run - 3, 3);
		} else {
			put(lengths[i] + 4U, 4);
			run = 1;
		}
	}
}

/* By its upper bits. */
static void put_classes(void)
{
	for (unsigned byte = 0; byte < 256; byte++)
		put(byte >> 5, 3);
}

static void put_code_of_lengths(void)
{
	for (int before = 0; before <= UNPACK_BITS; before++)
		for (int i = 0; i < UNPACK_LENGTH_SYMBOLS; i++)
			put(length_lengths[i], 3);
}

/* One region, one code for all places: the first one, which is all that there are. */
static unsigned code_of_places;

static void put_header(void)
{
	memset(words, 0, sizeof(words));
	bits = 0;
	put(0, 2);
	put(0, 2);
	put_classes();
	put(0, 4);
	put(code_of_places ? 1U << 4 | code_of_places : 0, code_of_places ? 5 : 1);
	put(0, UNPACK_PLACES - 1);
	put_code_of_lengths();
	put_lengths(main_lengths, UNPACK_SYMBOLS);
	for (int i = 0; i < UNPACK_SLOT_CODES; i++)
		put_lengths(slot_lengths, UNPACK_SLOTS);
	put_lengths(low_lengths, 16);
}

static void put_main(unsigned symbol)
{
	put_symbol(main_lengths, UNPACK_SYMBOLS, symbol);
}

static void put_literals(const char *text)
{
	for (; *text; text++)
		put_main((unsigned char)*text);
}

/* The kind of a length, as it is told; what is more than that is put by the caller. */
static void put_old(unsigned which, unsigned kind)
{
	put_main(256 + which * UNPACK_LENGTHS + kind);
}

static void put_slot(unsigned slot)
{
	put_symbol(slot_lengths, UNPACK_SLOTS, slot);
}

/* In memory of their very sizes, so that the sanitizer sees a byte too many. */
static int unpacked(size_t size, size_t count)
{
	static struct unpacking work;
	uint32_t *in = malloc(count * sizeof(*in) + !count);
	memcpy(in, words, count * sizeof(*in));
	free(out);
	out = malloc(size + !size);
	int result = unpack(out, size, in, count, &work);
	free(in);
	return result;
}

static int unpacked_all(size_t size)
{
	return unpacked(size, (bits + 31) / 32);
}

/* Codes for a few letters, all kinds of matches, some slots. */
static void choose_codes(void)
{
	static const unsigned symbols[] = {A, B, C, X, 256, 257, 260, 271, 274, 290, 306, 320, 321, 322, 323, 332};
	memset(main_lengths, 0, sizeof(main_lengths));
	memset(slot_lengths, 0, sizeof(slot_lengths));
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		main_lengths[symbols[i]] = 4;
	main_lengths[A] = main_lengths[B] = 3;
	main_lengths[256] = main_lengths[257] = main_lengths[260] = main_lengths[271] = 5;
	for (int i = 0; i < 6; i++)
		slot_lengths[i] = 3;
	slot_lengths[12] = slot_lengths[13] = 3;
	memset(low_lengths, 4, sizeof(low_lengths));
}

static void test_streams(void)
{
	choose_codes();
	put_header();
	EQ_INT(unpacked_all(0), 0, "nothing at all");
	put_literals("abcx");
	EQ_INT(unpacked_all(4), 0, "four literals");
	OK(!memcmp(out, "abcx", 4), "... as they are");

	put_header();
	put_literals("abc");
	put_main(332); /* 24 to 39 */
	put(6, 4);
	put_slot(2);
	put_literals("x");
	EQ_INT(unpacked_all(34), 0, "three literals, a match of thirty, a literal");
	OK(!memcmp(out, "abcabcabcabcabcabcabcabcabcabcabcx", 34), "... which reaches into itself");

	put_header();
	put_literals("a");
	put_old(0, 15); /* 200 to 4295 */
	put(4095, 12);
	put_old(0, 0);
	EQ_INT(unpacked_all(4297), 0, "one literal, the longest match of all, the shortest: to the distance that is there at the start");
	OK(out[0] == 'a' && !memcmp(out, out + 1, 4296), "... all the same letter");

	/* the old distances are 1, 2, 3, 4; then 3, 1, 2, 4; then 4, 3, 1, 2; then 5, 4, 3, 1 */
	put_header();
	put_literals("abcxab");
	put_old(2, 2);
	put_old(3, 2);
	put_main(256 + 66);
	put_slot(4);
	put(0, 1);
	put_old(1, 2);
	put_old(2, 2);
	EQ_INT(unpacked_all(21), 0, "old distances and a new one");
	OK(!memcmp(out, "abcxabxabbxaabbaabaab", 21), "... each was where it should be");
}

static void test_far(void)
{
	/* the distances of slot 12 are 65 to 96: one bit, then the code of the last four */
	choose_codes();
	put_header();
	for (int i = 0; i < 25; i++)
		put_literals(i % 2 ? "abcx" : "caba");
	for (int low = 0; low < 16; low++) {
		put_main(256 + 65 + low % 3);
		put_slot(12);
		put(1, 1);
		put_symbol(low_lengths, 16, (unsigned)low);
	}
	unsigned size = 100;
	int wrong = unpacked_all(100 + 15 * 3 + 2) != 0;
	for (int low = 0; low < 16; low++)
		for (int i = 0; i < 2 + low % 3; i++, size++)
			wrong += out[size] != out[size - (65U + 16U + (unsigned)low)];
	EQ_INT(wrong, 0, "far distances, with all the last bits that there can be");
}

/* Each part of the file, each position, what came before and the byte before have codes of their own. */
static void test_places(void)
{
	static const unsigned char one[UNPACK_SYMBOLS] = {[A] = 1, [B] = 2, [256] = 2}, other[UNPACK_SYMBOLS] = {[C] = 1, [256] = 1};
	memset(words, 0, sizeof(words));
	bits = 0;
	put(1, 2);
	put(1, 2);
	put(4, UNPACK_SIZE_BITS);
	put_classes();
	put(1, 4);
	/* before 4: at each even position the first code, at each odd one the second; then the second behind one literal and no match, else the first */
	put(0, 32);
	put(1 << 4 | 1, 5);
	put(0, 31);
	put(1 << 4 | 0, 5);
	put(0, 7);
	put(1 << 4 | 1, 5);
	put(0, 7);
	put(1 << 4 | 0, 5);
	put(0, 47);
	put_code_of_lengths();
	put_lengths(one, UNPACK_SYMBOLS);
	put_lengths(other, UNPACK_SYMBOLS);
	memset(slot_lengths, 0, sizeof(slot_lengths));
	slot_lengths[0] = slot_lengths[1] = 1;
	memset(low_lengths, 4, sizeof(low_lengths));
	for (int i = 0; i < 2 * UNPACK_SLOT_CODES; i++)
		put_lengths(slot_lengths, UNPACK_SLOTS);
	put_lengths(low_lengths, 16);
	put_lengths(low_lengths, 16);
	put(0, 1); /* a: an even position */
	put(0, 1); /* c: an odd one */
	put(2, 2); /* b */
	put(1, 1); /* the byte before */
	put(3, 2); /* the same by the other code: the second region, behind a match */
	put(0, 1); /* a */
	put(0, 1); /* c: behind one literal */
	put(2, 2); /* b */
	EQ_INT(unpacked_all(8), 0, "two regions, two codes");
	OK(!memcmp(out, "acbbbacb", 8), "... each in its place");
}

static void test_broken(void)
{
	choose_codes();
	put_header();
	put_literals("abcx");
	EQ_INT(unpacked_all(3), -EINVAL, "four literals where there is room for three");
	EQ_INT(unpacked_all(40), -EINVAL, "... or for forty");
	EQ_INT(unpacked(4, (bits + 31) / 32 + 1), -EINVAL, "a word behind the end");
	EQ_INT(unpacked_all((size_t)1 << UNPACK_SIZE_BITS), -EINVAL, "more than there can be");

	put_header();
	put_literals("abc");
	put_old(0, 4);
	EQ_INT(unpacked_all(7), -EINVAL, "a match where there is no room for its end");
	EQ_INT(unpacked_all(8), 0, "... and where there is");
	put_header();
	put_literals("abc");
	put_old(3, 2);
	EQ_INT(unpacked_all(6), -EINVAL, "a distance to before the beginning");
	put_header();
	put_old(0, 0);
	EQ_INT(unpacked_all(1), -EINVAL, "a match with nothing before it");

	put_header();
	words[0] |= 3U << 30;
	EQ_INT(unpacked_all(0), -EINVAL, "more bits of the position than there are");
	code_of_places = 1;
	put_header();
	EQ_INT(unpacked_all(0), -EINVAL, "a place has a code that there is not");
	code_of_places = 0;
	main_lengths[X] = 5;
	put_header();
	EQ_INT(unpacked_all(0), -EINVAL, "a sequence without a code");
	main_lengths[X] = 3;
	put_header();
	EQ_INT(unpacked_all(0), -EINVAL, "a sequence with two");
	memset(main_lengths, 0, sizeof(main_lengths));
	put_header();
	EQ_INT(unpacked_all(0), -EINVAL, "a code without symbols");
	choose_codes();
	put_header();
	int wrong = 0;
	for (size_t count = 0; count < bits / 32; count++)
		wrong += unpacked(0, count) != -EINVAL;
	EQ_INT(wrong, 0, "it ends in its codes");
}

/* No bit behind the codes may be another one and the bytes the same. */
static void test_damaged(void)
{
	char right[11];
	int wrong = 0, same = 0;
	choose_codes();
	put_header();
	const unsigned first = bits;
	put_literals("abcx");
	put_main(322);
	put_slot(3);
	put_literals("xcba");
	const size_t count = (bits + 31) / 32;
	for (size_t less = 0; less < count; less++)
		wrong += unpacked(11, less) != -EINVAL;
	EQ_INT(wrong, 0, "cut off anywhere");
	EQ_INT(unpacked(11, count), 0, "not cut off");
	memcpy(right, out, 11);
	for (unsigned bit = first; bit < count * 32; bit++) {
		words[bit / 32] ^= 1U << (31 - bit % 32);
		same += !unpacked(11, count) && !memcmp(out, right, 11);
		words[bit / 32] ^= 1U << (31 - bit % 32);
	}
	EQ_INT(same, 0, "each bit matters");
}

static void test_checksum(void)
{
	static uint32_t some[100];
	int same = 0;
	for (uint32_t i = 0; i < 100; i++)
		some[i] = i * i * i;
	const uint32_t sum = unpack_checksum(some, 100);
	for (int i = 0; i < 3200; i++) {
		some[i / 32] ^= 1U << i % 32;
		same += unpack_checksum(some, 100) == sum;
		/* the upper bits, which a product does not spread */
		for (int j = i / 32 + 1; j < 100; j++) {
			some[j] ^= 1U << 31;
			same += unpack_checksum(some, 100) == sum;
			some[j] ^= 1U << 31;
		}
		some[i / 32] ^= 1U << i % 32;
	}
	EQ_INT(same, 0, "each change of a bit, and of two, is noticed");
	OK(unpack_checksum(some, 100) == sum && unpack_checksum(some, 99) != sum, "... and a word less");
	OK(unpack_checksum(some, 0) != unpack_checksum(some, 1), "... also of a zero");
}

/* --- filters: both ways ---------------------------------------------------------------------------------------------------- */

#define FILTERED(filter, packed, plain, name) \
	do { \
		char *copy = malloc(sizeof(packed) - 1); \
		memcpy(copy, packed, sizeof(packed) - 1); \
		filter(copy, sizeof(packed) - 1, true); \
		OK(!memcmp(copy, plain, sizeof(plain) - 1), name); \
		filter(copy, sizeof(packed) - 1, false); \
		OK(!memcmp(copy, packed, sizeof(packed) - 1), name ": the other way"); \
		free(copy); \
	} while (0)

static void test_x86(void)
{
	FILTERED(filter_x86, "\xe8\x09\x00\x00\x00\x90\xe9\x02\x00\x00\x00", "\xe8\x04\x00\x00\x00\x90\xe9\xf7\xff\xff\xff", "a call, a jump back");
	FILTERED(filter_x86, "\x90\xe8\xfb\xff\xff\xff\x90", "\x90\xe8\x02\x00\x00\x00\x90", "to what is behind the end");
	FILTERED(filter_x86, "\xe8\x10\x00\x00\x01\x90", "\xe8\x10\x00\x00\x01\x90", "too far");
	FILTERED(filter_x86, "\xe8\x00\x00\x00", "\xe8\x00\x00\x00", "too near to the end");
	FILTERED(filter_x86, "\x90\xe8\xe8\x03\x00\x00\xe8\x00\x00\x00\x00\x00", "\x90\xe8\xe8\x03\x00\x00\xe8\xf5\xff\xff\xff\x00", "an opcode in a distance");
	FILTERED(filter_x86, "\xe8\x01\x00\x00\x00", "\xe8\xfc\xff\xff\xff", "at the end");
}

static void test_arm64(void)
{
	FILTERED(filter_arm64, "\x1f\x20\x03\xd5\x11\x00\x00\x94", "\x1f\x20\x03\xd5\x10\x00\x00\x94", "bl");
	FILTERED(filter_arm64, "\x00\x00\x00\x97\x01\x00", "\x00\x00\x00\x97\x01\x00", "two bytes behind it");
	FILTERED(filter_arm64, "\x1f\x20\x03\xd5\xff", "\x1f\x20\x03\xd5\xff", "no branch");
	char pages[8192 + 13] = {0};
	memcpy(pages + 8192, "\x21\x00\x00\xd0\xe0\x00\x40\xf9\x02\x00\x80\xb0", 12);
	filter_arm64(pages, sizeof(pages), true);
	OK(!memcmp(pages + 8192, "\x21\x00\x00\x90\xe0\x00\x40\xf9\x02\x00\x80\xb0", 12), "adrp, and one that goes too far");
	filter_arm64(pages, sizeof(pages), false);
	OK(!memcmp(pages + 8192, "\x21\x00\x00\xd0\xe0\x00\x40\xf9\x02\x00\x80\xb0", 12), "... the other way");
}

static void test_armthumb(void)
{
	FILTERED(filter_armthumb, "\x00\xbf\x00\xf0\x13\xf8", "\x00\xbf\x00\xf0\x10\xf8", "bl");
	FILTERED(filter_armthumb, "\x00\xbf\xff\xf7\xff\xff\x00\xf0\x07\xf8\x00\xbf", "\x00\xbf\xff\xf7\xfc\xff\x00\xf0\x02\xf8\x00\xbf", "two in a row, behind a nop; to before the beginning");
	FILTERED(filter_armthumb, "\x00\xbf\x00\xf0", "\x00\xbf\x00\xf0", "the first half of one at the end");
	FILTERED(filter_armthumb, "\x00\xf0\x10\xe8\x00\xbf", "\x00\xf0\x10\xe8\x00\xbf", "another code's second half");
}

/* At 0: auipc ra, 1; jalr 0x234(ra): to 0x1234. At 2: auipc a0, 0; addi a0, a0, -4: to 0xfffffffe. */
static void test_riscv(void)
{
#define CALL "\x97\x10\x00\x00\xe7\x80\x40\x23"
#define CALL_PACKED "\x97\x70\x0e\x08\x00\x00\x12\x34"
#define BACK "\x01\x00\x17\x05\x00\x00\x13\x05\xc5\xff\x01"
#define BACK_PACKED "\x01\x00\x17\x35\x51\x50\xff\xff\xff\xfe\x01"
	FILTERED(filter_riscv, CALL_PACKED, CALL, "a call");
	FILTERED(filter_riscv, BACK_PACKED, BACK, "an address of before the beginning");
	FILTERED(filter_riscv, CALL "\x97\x10\x00\x00\xe7\x00\x40\x23", CALL_PACKED "\x97\x10\x00\x00\xe7\x00\x40\x23",
		 "what looks like a packed call: the other way round; another register's address is left alone");
	FILTERED(filter_riscv, "\x97\x70\x0e\x08\x00\x00\x12", "\x97\x70\x0e\x08\x00\x00\x12", "too near to the end");
}

int main(void)
{
	test_streams();
	test_far();
	test_places();
	test_broken();
	test_damaged();
	test_checksum();
	test_x86();
	test_arm64();
	test_armthumb();
	test_riscv();
	free(out);
	return test_done();
}
