/* SPDX-License-Identifier: GPL-2.0-only */
/* A bounds-checked view of bytes: every read of an object file goes through it. */
#ifndef SPAN_H
#define SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	const unsigned char *data;
	uint32_t size; /* 32 bits: a span then fits two registers, and object files are small */
	bool swap;     /* the bytes are of the other endianness than this CPU */
};

/* [offset, offset + size) of span; false, and *part unchanged, if any of it lies outside (no overflow possible). */
bool span_part(struct span *part, struct span span, uint64_t offset, uint64_t size);

/* Numbers at any alignment, in this CPU's order; false if outside. */
bool span_u8(uint8_t *value, struct span span, uint64_t offset);
bool span_u16(uint16_t *value, struct span span, uint64_t offset);
bool span_u32(uint32_t *value, struct span span, uint64_t offset);
bool span_u64(uint64_t *value, struct span span, uint64_t offset);

/* As span_u32, but 0 if outside: for a record that is known to be whole. */
uint32_t span_get_u32(struct span span, uint64_t offset);

/* The NUL-ended text at offset, or NULL if it starts or ends outside. */
const char *span_text(struct span span, uint64_t offset);

#endif
