/* SPDX-License-Identifier: GPL-2.0-only */
#include "unpack.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum { SHORTEST_MATCH = 4, LENGTH_BITS = 15 };

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

long unpack(void *to, size_t size, const void *from, size_t count)
{
	const unsigned char *in = from, *in_end = in + count;
	unsigned char *start = to, *out = start, *out_end = out + size;
	while (in < in_end) {
		const unsigned char token = *in++;
		size_t length = take_length(token >> 4, &in, in_end);
		if (length > (size_t)(in_end - in) || length > (size_t)(out_end - out))
			return -EINVAL;
		memcpy(out, in, length);
		in += length;
		out += length;
		if (in == in_end)
			return (long)(out - start); /* the last sequence has no match */
		if (in_end - in < 2)
			return -EINVAL;
		const size_t distance = (size_t)(in[0] | in[1] << 8);
		in += 2;
		length = take_length(token & LENGTH_BITS, &in, in_end);
		if (!distance || distance > (size_t)(out - start) || length > (size_t)(out_end - out) ||
		    (size_t)(out_end - out) - length < SHORTEST_MATCH)
			return -EINVAL;
		/* byte by byte: a match may reach into itself */
		for (length += SHORTEST_MATCH; length; length--, out++)
			*out = out[-(ptrdiff_t)distance];
	}
	return -EINVAL;
}
