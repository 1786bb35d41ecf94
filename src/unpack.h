/* SPDX-License-Identifier: GPL-2.0-only */
/* LZ4's block format (lz4_Block_format.md of the LZ4 project): what lz4(1) packed at build time. */
#ifndef UNPACK_H
#define UNPACK_H

#include <stddef.h>

/* Returns how many bytes were written to `to`, at most size; or -EINVAL: the block is broken, or does not fit. No byte outside
 * the two buffers is touched, whatever the block says. */
long unpack(void *to, size_t size, const void *from, size_t count);

#endif
