/* SPDX-License-Identifier: GPL-2.0-only */
/* Any bytes are a packed block xor an error; nothing outside of the buffers is read or written, whatever room there is. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

enum { ROOM = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of their exact sizes, so that the sanitizer sees a byte too many */
	unsigned char *in = malloc(size), *out = malloc(ROOM);
	if (size)
		memcpy(in, data, size);
	long length = unpack(out, ROOM, in, size);
	if (length != -EINVAL && (length < 0 || length > ROOM))
		abort();
	if (length >= 0) {
		unsigned char *exact = malloc((size_t)length + !length);
		if (unpack(exact, (size_t)length, in, size) != length || memcmp(exact, out, (size_t)length))
			abort();
		if (length && unpack(exact, (size_t)length - 1, in, size) != -EINVAL)
			abort();
		free(exact);
	}
	free(out);
	free(in);
	return 0;
}
