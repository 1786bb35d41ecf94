/* SPDX-License-Identifier: GPL-2.0-only */
/* Any words are a packed stream xor an error; nothing outside of the buffers is read or written, whatever they say. Three bytes before
 * them are the size of what they should become. What comes out, and what went in, goes through the filters. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

enum { ROOM = 1 << 17, HEADER = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void filter(unsigned char *bytes, size_t size, void (*filters)(void *bytes, size_t size, bool unpacks), bool is_exact)
{
	unsigned char *copy = malloc(size + !size);
	memcpy(copy, bytes, size);
	filters(copy, size, false);
	filters(copy, size, true);
	if (is_exact && memcmp(copy, bytes, size) != 0)
		abort();
	free(copy);
}

static void filter_all(unsigned char *bytes, size_t size)
{
	filter(bytes, size, filter_x86, true);
	filter(bytes, size, filter_arm64, true);
	filter(bytes, size, filter_armthumb, true);
	filter(bytes, size, filter_riscv, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct unpacking work, again;
	if (size < HEADER)
		return 0;
	const size_t room = (data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) % ROOM, words = (size - HEADER) / 4;
	/* of their exact sizes, so that the sanitizer sees a byte too many */
	uint32_t *in = malloc(4 * words + !words);
	unsigned char *out = malloc(room + !room), *same = malloc(room + !room);
	memcpy(in, data + HEADER, 4 * words);
	const int result = unpack(out, room, in, words, &work);
	if (result && result != -EINVAL)
		abort();
	if (!result) {
		/* what was in the memory does not matter */
		memset(&again, 0xAA, sizeof(again));
		if (unpack(same, room, in, words, &again) || memcmp(same, out, room) != 0)
			abort();
		if (words && !unpack(same, room, in, words - 1, &again))
			abort();
		filter_all(out, room);
	}
	filter_all((unsigned char *)in, 4 * words);
	free(same);
	free(out);
	free(in);
	return 0;
}
