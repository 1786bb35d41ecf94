/* SPDX-License-Identifier: GPL-2.0-only */
#include "span.h"

#include <string.h>

static inline bool has(struct span span, uint64_t offset, uint64_t size)
{
	return offset <= span.size && size <= span.size - offset;
}

bool span_part(struct span *part, struct span span, uint64_t offset, uint64_t size)
{
	if (!has(span, offset, size))
		return false;
	/* an empty span may have no data: NULL + 0 is undefined in C */
	const unsigned char *data = offset ? span.data + offset : span.data;
	*part = (struct span){.data = data, .size = (uint32_t)size, .swap = span.swap};
	return true;
}

bool span_u8(uint8_t *value, struct span span, uint64_t offset)
{
	if (!has(span, offset, sizeof(*value)))
		return false;
	*value = span.data[offset];
	return true;
}

/* Copied, as they may stand at any alignment; of a length that the compiler knows, which makes it one instruction. */
bool span_u16(uint16_t *value, struct span span, uint64_t offset)
{
	if (!has(span, offset, sizeof(*value)))
		return false;
	memcpy(value, span.data + offset, sizeof(*value));
	if (span.swap)
		*value = __builtin_bswap16(*value);
	return true;
}

bool span_u32(uint32_t *value, struct span span, uint64_t offset)
{
	if (!has(span, offset, sizeof(*value)))
		return false;
	memcpy(value, span.data + offset, sizeof(*value));
	if (span.swap)
		*value = __builtin_bswap32(*value);
	return true;
}

bool span_u64(uint64_t *value, struct span span, uint64_t offset)
{
	if (!has(span, offset, sizeof(*value)))
		return false;
	memcpy(value, span.data + offset, sizeof(*value));
	if (span.swap)
		*value = __builtin_bswap64(*value);
	return true;
}

uint32_t span_get_u32(struct span span, uint64_t offset)
{
	uint32_t value = 0;
	span_u32(&value, span, offset);
	return value;
}

const char *span_text(struct span span, uint64_t offset)
{
	if (offset >= span.size)
		return NULL;
	/* A table that ends in NUL ends every text in it: no search, else many texts of one long table cost its square. */
	if (span.data[span.size - 1] && !memchr(span.data + offset, '\0', span.size - (uint32_t)offset))
		return NULL;
	return (const char *)span.data + offset;
}
