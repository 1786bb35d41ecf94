/* SPDX-License-Identifier: GPL-2.0-only */
/* Any bytes are a packed stream xor an error; nothing outside of the buffers is read or written, whatever room there is. Two bytes
 * before the stream say how it was packed: lc, lp, pb. What comes out, or went in, goes through the filters. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

enum { ROOM = 1 << 16, HEADER = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct unpacking work;
	if (size < HEADER)
		return 0;
	const unsigned properties = (unsigned)(data[0] | data[1] << 8);
	data += HEADER;
	size -= HEADER;
	/* of their exact sizes, so that the sanitizer sees a byte too many */
	unsigned char *in = malloc(size), *out = malloc(ROOM);
	if (size)
		memcpy(in, data, size);
	long length = unpack(out, ROOM, in, size, properties, &work);
	if (length != -EINVAL && (length < 0 || length > ROOM))
		abort();
	if (length >= 0) {
		unsigned char *exact = malloc((size_t)length + !length);
		if (unpack(exact, (size_t)length, in, size, properties, &work) != length || memcmp(exact, out, (size_t)length))
			abort();
		unpack_x86(exact, (size_t)length);
		unpack_arm64(exact, (size_t)length);
		unpack_armthumb(exact, (size_t)length);
		filter_riscv(exact, (size_t)length, true);
		filter_riscv(exact, (size_t)length, false);
		if (length && unpack(exact, (size_t)length - 1, in, size, properties, &work) != -EINVAL)
			abort();
		free(exact);
	}
	unpack_x86(in, size);
	unpack_arm64(in, size);
	unpack_armthumb(in, size);
	filter_riscv(in, size, true);
	filter_riscv(in, size, false);
	free(out);
	free(in);
	return 0;
}
