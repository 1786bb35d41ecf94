/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

/* Unpacks a literal stream into memory of that very size. */
#define UNPACKED(stream, size, lc, lp, pb) unpacked(stream, sizeof(stream) - 1, size, UNPACK_PROPERTIES(lc, lp, pb))

static char *out;

static long unpacked(const char *stream, size_t count, size_t size, unsigned properties)
{
	static struct unpacking work;
	char *in = malloc(count + !count);
	memcpy(in, stream, count);
	free(out);
	out = malloc(size + !size);
	long result = unpack(out, size, in, count, properties, &work);
	free(in);
	return result;
}

/* What xz 5.4 made of these: xz --format=raw --lzma1=lc=3,lp=0,pb=0 */
#define NOTHING "\x00\x83\xff\xfb\xff\xff\xc0\x00\x00\x00"
#define ABC "\x00\x30\x99\x4d\xd8\x95\x88\xa4\xff\xf6\x6f\x40\x00"
#define ABCABCABCX "\x00\x30\x99\x4d\xda\x66\x11\x1e\x13\x2b\xff\xff\xb3\x8c\x00\x00"
#define LETTERS "\x00\x30\xf0\x7a\x6e\x77\xdf\xff\xff\xff\xc2\x00\x00\x00"
/* ... lc=1,lp=2,pb=2 */
#define ABCABCABCX_122 "\x00\x30\x98\x88\x72\x04\x78\x84\x1f\xff\xff\xff\xbe\x00\x00\x00"

static void test_streams(void)
{
	EQ_INT(UNPACKED(NOTHING, 0, 3, 0, 0), 0, "nothing at all");
	EQ_INT(UNPACKED(NOTHING, 8, 3, 0, 0), 0, "... where there is room");
	EQ_INT(UNPACKED(ABC, 3, 3, 0, 0), 3, "three literals");
	OK(!memcmp(out, "abc", 3), "... as they are");
	EQ_INT(UNPACKED(ABCABCABCX, 10, 3, 0, 0), 10, "three literals, a match of six, a literal");
	OK(!memcmp(out, "abcabcabcx", 10), "... which reaches into itself");
	EQ_INT(UNPACKED(LETTERS, 999, 3, 0, 0), 275, "one literal, a match of 273, a shorter one");
	OK(out[0] == 'a' && !memcmp(out, out + 1, 274), "... all the same letter");
	EQ_INT(UNPACKED(ABCABCABCX_122, 10, 1, 2, 2), 10, "with bits of the position");
	OK(!memcmp(out, "abcabcabcx", 10), "... the same");
}

static void test_broken(void)
{
	EQ_INT(UNPACKED("", 8, 3, 0, 0), -EINVAL, "nothing to unpack");
	EQ_INT(UNPACKED(ABC, 2, 3, 0, 0), -EINVAL, "three literals where there is room for two");
	EQ_INT(UNPACKED(ABCABCABCX, 8, 3, 0, 0), -EINVAL, "a match where there is no room for its end");
	EQ_INT(UNPACKED(ABC "\x00", 3, 3, 0, 0), -EINVAL, "a byte behind the end");
	EQ_INT(UNPACKED("\x01" "0123456789", 3, 3, 0, 0), -EINVAL, "the first byte is not 0");
	EQ_INT(UNPACKED(ABC, 3, 3, 2, 0), -EINVAL, "more bits of literals than there is memory for");
	EQ_INT(UNPACKED(ABC, 3, 9, 0, 0), -EINVAL, "a context of more bits than a byte has");
	EQ_INT(UNPACKED(ABC, 3, 3, 0, 5), -EINVAL, "more bits of the position than there are");
	/* the first bit of all is a 1, as it is of no stream: a match with nothing before it */
	EQ_INT(UNPACKED("\x00\x80\x00\x00\x00\x00\x00\x00", 8, 3, 0, 0), -EINVAL, "a distance to before the beginning");
	EQ_INT(UNPACKED("\x00\xf0\x00\x00\x00\x00\x00\x00", 8, 3, 0, 0), -EINVAL, "an old distance before there is one");
	int wrong = 0;
	for (size_t count = 0; count < sizeof(ABCABCABCX) - 1; count++)
		wrong += unpacked(ABCABCABCX, count, 10, UNPACK_PROPERTIES(3, 0, 0)) != -EINVAL;
	EQ_INT(wrong, 0, "cut off anywhere");
	for (size_t bit = 0; bit < 8 * (sizeof(ABCABCABCX) - 1); bit++) {
		char changed[] = ABCABCABCX;
		changed[bit / 8] ^= (char)(1 << bit % 8);
		long length = unpacked(changed, sizeof(changed) - 1, 10, UNPACK_PROPERTIES(3, 0, 0));
		wrong += length != -EINVAL && (length > 10 || (length == 10 && !memcmp(out, "abcabcabcx", 10)));
	}
	EQ_INT(wrong, 0, "no bit may be another one and the bytes the same");
}

/* What xz made of these: with --x86, --arm64 or --armthumb, then decoded without. */
#define FILTERED(filter, bytes, original, name) \
	do { \
		char *copy = malloc(sizeof(bytes) - 1); \
		memcpy(copy, bytes, sizeof(bytes) - 1); \
		filter(copy, sizeof(bytes) - 1); \
		OK(!memcmp(copy, original, sizeof(original) - 1), name); \
		free(copy); \
	} while (0)

static void test_x86(void)
{
	FILTERED(unpack_x86, "\xe8\x15\x00\x00\x00\x90\xe9\xfb\xff\xff\xff", "\xe8\x10\x00\x00\x00\x90\xe9\xf0\xff\xff\xff", "a call, a jump back");
	FILTERED(unpack_x86, "\xe8\x04\x00\x00\x00", "\xe8\xff\xff\xff\xff", "to what is before the beginning");
	FILTERED(unpack_x86, "\xe8\x10\x00\x00\x01", "\xe8\x10\x00\x00\x01", "too far");
	FILTERED(unpack_x86, "\xe8\x00\x00\x00", "\xe8\x00\x00\x00", "too near to the end");
	FILTERED(unpack_x86, "\xe8\xed\x10\x00\x00\x00\x00\x00", "\xe8\xe8\x10\x00\x00\x00\x00\x00", "two opcodes");
	FILTERED(unpack_x86, "\xe8\x10\x00\x00\xe8\x09\x00\x00\x00", "\xe8\x10\x00\x00\xe8\x00\x00\x00\x00", "an opcode in a distance");
	FILTERED(unpack_x86, "\x90\xe8\x00\xe8\x0a\x03\xff\xff\xff\xff", "\x90\xe8\x00\xe8\x02\x03\xff\xff\xff\xff", "one two bytes before");
	FILTERED(unpack_x86, "\xe8\x01\x01\xe8\x07\x03\x00\x00\x00", "\xe8\x01\x01\xe8\xf8\x01\x00\x00\x00", "its distance was inverted");
	FILTERED(unpack_x86, "\xe8\xe8\x01\xe8\x05\x01\x00\x00\x00", "\xe8\xe8\x01\xe8\x05\x01\x00\x00\x00", "three opcodes");
}

static void test_arm64(void)
{
	FILTERED(unpack_arm64, "\x1f\x20\x03\xd5\x11\x00\x00\x94", "\x1f\x20\x03\xd5\x10\x00\x00\x94", "bl");
	FILTERED(unpack_arm64, "\x00\x00\x00\x97\x01\x00", "\x00\x00\x00\x97\x01\x00", "two bytes behind it");
	FILTERED(unpack_arm64, "\x1f\x20\x03\xd5\xff", "\x1f\x20\x03\xd5\xff", "no branch");
	char pages[8192 + 13] = {0};
	memcpy(pages + 8192, "\x21\x00\x00\xd0\xe0\x00\x40\xf9\x02\x00\x80\xb0", 12);
	unpack_arm64(pages, sizeof(pages));
	OK(!memcmp(pages + 8192, "\x21\x00\x00\x90\xe0\x00\x40\xf9\x02\x00\x80\xb0", 12), "adrp, and one that goes too far");
}

static void test_armthumb(void)
{
	FILTERED(unpack_armthumb, "\x00\xbf\x00\xf0\x13\xf8", "\x00\xbf\x00\xf0\x10\xf8", "bl");
	FILTERED(unpack_armthumb, "\x00\xbf\xff\xf7\xff\xff\x00\xf0\x07\xf8\x00\xbf", "\x00\xbf\xff\xf7\xfc\xff\x00\xf0\x02\xf8\x00\xbf", "two in a row, behind a nop; to before the beginning");
	FILTERED(unpack_armthumb, "\x00\xbf\x00\xf0", "\x00\xbf\x00\xf0", "the first half of one at the end");
	FILTERED(unpack_armthumb, "\x00\xf0\x10\xe8\x00\xbf", "\x00\xf0\x10\xe8\x00\xbf", "another code's second half");
}

static void unpack_riscv(void *bytes, size_t size)
{
	filter_riscv(bytes, size, true);
}

static void pack_riscv(void *bytes, size_t size)
{
	filter_riscv(bytes, size, false);
}

/* Both ways. At 0: auipc ra, 1; jalr 0x234(ra): to 0x1234. At 2: auipc a0, 0; addi a0, a0, -4: to 0xfffffffe. */
static void test_riscv(void)
{
#define CALL "\x97\x10\x00\x00\xe7\x80\x40\x23"
#define CALL_PACKED "\x97\x70\x0e\x08\x00\x00\x12\x34"
#define BACK "\x01\x00\x17\x05\x00\x00\x13\x05\xc5\xff\x01"
#define BACK_PACKED "\x01\x00\x17\x35\x51\x50\xff\xff\xff\xfe\x01"
	FILTERED(pack_riscv, CALL, CALL_PACKED, "packing a call");
	FILTERED(unpack_riscv, CALL_PACKED, CALL, "a call");
	FILTERED(pack_riscv, BACK, BACK_PACKED, "packing an address of before the beginning");
	FILTERED(unpack_riscv, BACK_PACKED, BACK, "an address of before the beginning");
	FILTERED(pack_riscv, CALL_PACKED, CALL, "packing what looks like a packed call: the other way round");
	FILTERED(unpack_riscv, CALL "\x97\x10\x00\x00\xe7\x00\x40\x23", CALL_PACKED "\x97\x10\x00\x00\xe7\x00\x40\x23",
		 "... and back; another register's address is left alone");
	FILTERED(unpack_riscv, "\x97\x70\x0e\x08\x00\x00\x12", "\x97\x70\x0e\x08\x00\x00\x12", "too near to the end");
}

int main(void)
{
	test_streams();
	test_broken();
	test_x86();
	test_arm64();
	test_armthumb();
	test_riscv();
	free(out);
	return test_done();
}
