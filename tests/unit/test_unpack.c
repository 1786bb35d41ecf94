/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

/* Unpacks a literal block into memory of that very size. */
#define UNPACKED(block, size) unpacked(block, sizeof(block) - 1, size)

static char *out;

static long unpacked(const char *block, size_t count, size_t size)
{
	char *in = malloc(count + !count);
	memcpy(in, block, count);
	free(out);
	out = malloc(size + !size);
	long result = unpack(out, size, in, count);
	free(in);
	return result;
}

/* By the words of LZ4's block format: a token (literals, match), literals, distance, lengths of 15 going on. */
static void test_blocks(void)
{
	EQ_INT(UNPACKED("\x30" "abc", 3), 3, "three literals");
	OK(!memcmp(out, "abc", 3), "... as they are");
	EQ_INT(UNPACKED("\x00", 0), 0, "nothing at all");
	EQ_INT(UNPACKED("\x32" "abc" "\x03\x00" "\x10" "x", 10), 10, "three literals, six of a match, one literal");
	OK(!memcmp(out, "abcabcabcx", 10), "... which reaches into itself");
	EQ_INT(UNPACKED("\x1f" "a" "\x01\x00" "\xff\x00" "\x00", 275), 275, "a match of 15 + 255 + 0 + 4");
	OK(out[0] == 'a' && out[274] == 'a', "... all the same letter");
}

static void test_broken(void)
{
	EQ_INT(UNPACKED("", 8), -EINVAL, "not even a token");
	EQ_INT(UNPACKED("\x30" "ab", 8), -EINVAL, "fewer literals than told");
	EQ_INT(UNPACKED("\x30" "abc", 2), -EINVAL, "more literals than there is room");
	EQ_INT(UNPACKED("\x10" "a" "\x01", 8), -EINVAL, "half a distance");
	EQ_INT(UNPACKED("\x10" "a" "\x00\x00" "\x00", 8), -EINVAL, "a distance of nothing");
	EQ_INT(UNPACKED("\x10" "a" "\x02\x00" "\x00", 8), -EINVAL, "a distance to before the beginning");
	EQ_INT(UNPACKED("\x10" "a" "\x01\x00" "\x00", 4), -EINVAL, "a match of four where there is room for three");
	EQ_INT(UNPACKED("\x1f" "a" "\x01\x00" "\xff", 999), -EINVAL, "a length that goes on, and does not");
	EQ_INT(UNPACKED("\xf0\xff\xff", 999), -EINVAL, "literals of a length that does not end");
	EQ_INT(UNPACKED("\x10" "a" "\x01\x00", 8), -EINVAL, "no last literals");
}

int main(void)
{
	test_blocks();
	test_broken();
	free(out);
	return test_done();
}
