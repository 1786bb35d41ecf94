/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs where the program is built: the filter that makes RISC-V's branches easier to pack, from stdin to stdout.
 * Exit status: 1: not all read or written, or what comes out would not be unpacked to what went in (build with PACK=0). */
#include <string.h>
#include <unistd.h>

#include "unpack.h"

enum { SIZE_MOST = 4 << 20 };
static unsigned char in[SIZE_MOST], out[SIZE_MOST], back[SIZE_MOST];

int main(void)
{
	size_t size = 0, written = 0;
	ssize_t got;
	while (size < SIZE_MOST && (got = read(0, in + size, SIZE_MOST - size)) > 0)
		size += (size_t)got;
	memcpy(out, in, size);
	filter_riscv(out, size, false);
	memcpy(back, out, size);
	filter_riscv(back, size, true);
	if (size == SIZE_MOST || memcmp(in, back, size))
		return 1;
	while (written < size && (got = write(1, out + written, size - written)) > 0)
		written += (size_t)got;
	return written < size;
}
