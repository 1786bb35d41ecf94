/* SPDX-License-Identifier: GPL-2.0-only */
#include "unpack.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum { SHORTEST_MATCH = 4, LENGTH_BITS = 15, WORD = 8 };

/* A length of 15 goes on in further bytes, up to one below 255. SIZE_MAX: it ends nowhere. */
static size_t take_length(size_t length, const unsigned char **in, const unsigned char *in_end)
{
	unsigned char more = 255;
	if (length != LENGTH_BITS)
		return length;
	while (more == 255) {
		if (*in == in_end)
			return SIZE_MAX;
		more = *(*in)++;
		length += more;
	}
	return length;
}

/* From so far back in what is out. A word at a time reads nothing that the same word writes, where it is that far. */
static void copy_match(unsigned char *out, size_t distance, size_t length)
{
	if (distance >= WORD)
		for (; length >= WORD; length -= WORD, out += WORD)
			memcpy(out, out - distance, WORD);
	/* byte by byte: a match may reach into itself */
	for (; length; length--, out++)
		*out = out[-(ptrdiff_t)distance];
}

/* Most pieces are short. Where there is room for it, as many bytes as a short one can have are copied, whatever its length: what
 * is too much is written again by the next one. That is twice as fast. */
long unpack(void *to, size_t size, const void *from, size_t count)
{
	enum { SHORT_LITERALS = 2 * WORD, SHORT_MATCH = LENGTH_BITS - 1 + SHORTEST_MATCH };
	const unsigned char *in = from, *in_end = in + count;
	unsigned char *start = to, *out = start, *out_end = out + size;
	while (in < in_end) {
		const unsigned char token = *in++;
		size_t length = token >> 4;
		if (length < LENGTH_BITS && in_end - in >= SHORT_LITERALS && out_end - out >= SHORT_LITERALS) {
			memcpy(out, in, SHORT_LITERALS);
		} else {
			length = take_length(length, &in, in_end);
			if (length > (size_t)(in_end - in) || length > (size_t)(out_end - out))
				return -EINVAL;
			memcpy(out, in, length);
		}
		in += length;
		out += length;
		if (in == in_end)
			return (long)(out - start); /* the last sequence has no match */
		if (in_end - in < 2)
			return -EINVAL;
		const size_t distance = (size_t)(in[0] | in[1] << 8);
		in += 2;
		length = token & LENGTH_BITS;
		if (!distance || distance > (size_t)(out - start))
			return -EINVAL;
		if (length < LENGTH_BITS && distance >= WORD && out_end - out >= SHORT_MATCH) {
			memcpy(out, out - distance, WORD);
			memcpy(out + WORD, out + WORD - distance, WORD);
			memcpy(out + 2 * WORD, out + 2 * WORD - distance, SHORT_MATCH - 2 * WORD);
			out += length + SHORTEST_MATCH;
			continue;
		}
		length = take_length(length, &in, in_end);
		if (length > (size_t)(out_end - out) || (size_t)(out_end - out) - length < SHORTEST_MATCH)
			return -EINVAL;
		copy_match(out, distance, length + SHORTEST_MATCH);
		out += length + SHORTEST_MATCH;
	}
	return -EINVAL;
}
