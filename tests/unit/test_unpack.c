/* SPDX-License-Identifier: GPL-2.0-only */
/* LZ4 blocks, written by hand, and made at random by a packer of the test's own: what comes out is what went in, and a broken
 * block touches nothing outside (AddressSanitizer looks, as each buffer is exactly as long as it is said to be). */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "unpack.h"

static uint64_t state = 1;

static unsigned below(unsigned limit)
{
	state = state * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)(state >> 33) % limit;
}

/* In buffers of its own, as long as they are said to be. */
static long run(const void *block, size_t count, void *out, size_t size)
{
	unsigned char *from = malloc(count ? count : 1), *to = malloc(size ? size : 1);
	memcpy(from, block, count);
	/* an end that is no end of the allocation would not be seen */
	unsigned char *exact_from = count ? from : from + 1, *exact_to = size ? to : to + 1;
	long result = unpack(exact_to, size, exact_from, count);
	if (result > 0)
		memcpy(out, exact_to, (size_t)result);
	free(from);
	free(to);
	return result;
}

static void test_by_hand(void)
{
	static const struct {
		const char *block;
		size_t count, size;
		long want;
		const char *text, *name;
	} cases[] = {
		{"\x50hello", 6, 5, 5, "hello", "literals only"},
		{"\x50hello", 6, 4, -EINVAL, "", "literals that do not fit"},
		{"\x50hell", 5, 9, -EINVAL, "", "literals that are not there"},
		{"\x00", 1, 9, 0, "", "nothing"},
		{"", 0, 9, -EINVAL, "", "no token"},
		{"\x10\x61\x01\x00\x10z", 6, 6, 6, "aaaaaz", "a match into itself"},
		{"\x10\x61\x01\x00\x10z", 6, 5, -EINVAL, "", "no room for the last literal"},
		{"\x10\x61\x01\x00\x10z", 6, 4, -EINVAL, "", "no room for the match"},
		{"\x10\x61\x02\x00\x10z", 6, 9, -EINVAL, "", "a match from before the start"},
		{"\x10\x61\x00\x00\x10z", 6, 9, -EINVAL, "", "a match from nowhere"},
		{"\x10\x61\x01", 3, 9, -EINVAL, "", "half a distance"},
		{"\x10\x61\x01\x00", 4, 9, -EINVAL, "", "an end behind a match"},
		{"\x1f\x61\x01\x00\x02\x10z", 7, 23, 23, "aaaaaaaaaaaaaaaaaaaaaaz", "a long match"},
		{"\x1f\x61\x01\x00\xff", 5, 999, -EINVAL, "", "a length that ends nowhere"},
		{"\xf0\x01"
		 "0123456789abcdef",
		 18, 16, 16, "0123456789abcdef", "many literals"},
		{"\xf0", 1, 16, -EINVAL, "", "literals of no known length"},
		{"\x84"
		 "01234567\x08\x00\x10z",
		 13, 17, 17, "0123456701234567z", "a match as far as it is long"},
	};
	char out[1024];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(out, 0, sizeof(out));
		EQ_INT(run(cases[i].block, cases[i].count, out, cases[i].size), cases[i].want, "%s", cases[i].name);
		EQ_TEXT(out, cases[i].text, "%s: the bytes", cases[i].name);
	}
}

enum { MOST = 4096 };
static unsigned char text[MOST], block[2 * MOST], got[MOST];

static size_t add_length(size_t at, size_t length)
{
	if (length < 15)
		return at;
	for (length -= 15; length >= 255; length -= 255)
		block[at++] = 255;
	block[at++] = (unsigned char)length;
	return at;
}

/* Any block is a text: sequences are drawn, and what they say is written down beside them. */
static size_t draw(size_t *text_length)
{
	size_t at = 0, out = 0;
	const unsigned sequences = below(40);
	for (unsigned i = 0; i <= sequences; i++) {
		const bool last = i == sequences;
		const size_t literals = below(8) ? below(20) : below(70), limit = out + literals;
		if (limit + 100 > MOST - 400 && !last)
			continue;
		const size_t match = below(8) ? below(20) : below(300);
		const size_t far =
			limit ? (below(2) ? 1 + below(limit < 20 ? (unsigned)limit : 20) : 1 + below((unsigned)limit)) : 0;
		if (!far && !last)
			continue;
		const size_t token = at++;
		block[token] = (unsigned char)((literals < 15 ? literals : 15) << 4 | (last ? 0 : match < 15 ? match : 15));
		at = add_length(at, literals);
		for (size_t j = 0; j < literals; j++)
			block[at++] = text[out++] = (unsigned char)below(256);
		if (last)
			break;
		block[at++] = (unsigned char)far;
		block[at++] = (unsigned char)(far >> 8);
		at = add_length(at, match);
		for (size_t j = 0; j < match + 4; j++, out++)
			text[out] = text[out - far];
		if (out > MOST - 500)
			i = sequences - 1;
	}
	*text_length = out;
	return at;
}

static void test_drawn(void)
{
	unsigned wrong = 0, short_ones = 0, kept = 0, longest = 0;
	for (unsigned i = 0; i < 4000; i++) {
		size_t length, count = draw(&length);
		longest = length > longest ? (unsigned)length : longest;
		wrong += run(block, count, got, length) != (long)length || memcmp(got, text, length) != 0;
		/* with room to spare the result is the same */
		wrong += run(block, count, got, length + 1 + below(40)) != (long)length || memcmp(got, text, length) != 0;
		if (length)
			short_ones += run(block, count, got, length - 1 - below((unsigned)length)) != -EINVAL;
		for (unsigned j = 0; j < 4; j++) {
			block[below((unsigned)count)] = (unsigned char)below(256);
			long result = run(block, below(4) ? count : below((unsigned)count + 1), got, length);
			kept += result != -EINVAL && (result < 0 || result > (long)length);
		}
	}
	EQ_U64(wrong, 0, "what was drawn comes out");
	EQ_U64(short_ones, 0, "a buffer that is too short is refused");
	EQ_U64(kept, 0, "a broken block gives an error or some bytes that fit");
	OK(longest > 2000, "there were long ones");
}

int main(void)
{
	test_by_hand();
	test_drawn();
	return test_done();
}
