/* SPDX-License-Identifier: GPL-2.0-only */
/* What xz(1) packed at build time, with --format=raw: LZMA (lzma-specification.txt of the LZMA SDK), ended by a marker; and before
 * that the filters that make branches easier to pack (--x86, --arm64, --armthumb); xz 5.4 has
 * none for RISC-V: that one is our own (src/stub/filter.c). */
#ifndef UNPACK_H
#define UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What xz was told: of literal context bits and literal position bits at most 4 in all, at most 4 position bits. */
#define UNPACK_PROPERTIES(lc, lp, pb) ((unsigned)(lc) | (unsigned)(lp) << 4 | (unsigned)(pb) << 8)

enum {
	UNPACK_LITERAL = 0x300,                                    /* the probabilities of one context of literals */
	UNPACK_PROBABILITIES = 1856 + (UNPACK_LITERAL << (4 + 0)), /* all others, and sixteen of those */
};

/* The memory that unpacking takes, besides a little stack; nothing in it is for the caller. */
struct unpacking {
	const unsigned char *in;
	size_t count, next;
	uint32_t range, code;
	uint16_t probability[UNPACK_PROBABILITIES];
};

/* Returns how many bytes were written to `to`, at most size; or -EINVAL: what is packed is broken, or goes on behind its end, or
 * does not fit. No byte outside the two buffers is touched, whatever is in them. */
long unpack(void *to, size_t size, const void *from, size_t count, unsigned properties, struct unpacking *work);

/* The filter undone, in all that was unpacked. */
void unpack_x86(void *bytes, size_t size);
void unpack_arm64(void *bytes, size_t size);
void unpack_armthumb(void *bytes, size_t size);
/* The other way round where it does not unpack; of few bytes in a million it is not the way back: who packs must look. */
void filter_riscv(void *bytes, size_t size, bool unpacks);

#endif
