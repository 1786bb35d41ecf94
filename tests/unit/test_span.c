/* SPDX-License-Identifier: GPL-2.0-only */
#include "span.h"

#include "test.h"

static const unsigned char bytes[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09};

static struct span whole(bool swap)
{
	return (struct span){.data = bytes, .size = sizeof(bytes), .swap = swap};
}

static void parts(void)
{
	static const struct {
		uint64_t offset, size;
		bool inside;
	} cases[] = {
		{0, 0, true},          {0, 9, true},           {9, 0, true},          {8, 1, true},
		{3, 4, true},          {0, 10, false},         {9, 1, false},         {10, 0, false},
		{1, UINT64_MAX, false}, {UINT64_MAX, 1, false}, {UINT64_MAX, 0, false}, {UINT64_MAX - 3, 8, false},
		{1ull << 32, 0, false}, {0, 1ull << 32, false}, {1, (1ull << 32) + 1, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span part = {.data = bytes + 1, .size = 77};
		bool inside = span_part(&part, whole(true), cases[i].offset, cases[i].size);
		OK(inside == cases[i].inside, "part of %" PRIu64 " at %" PRIu64, cases[i].size, cases[i].offset);
		if (inside)
			OK(part.data == bytes + cases[i].offset && part.size == cases[i].size && part.swap, "it is that part");
		else
			OK(part.data == bytes + 1 && part.size == 77, "the result is left as it was");
	}
	struct span empty = {0}, part;
	OK(span_part(&part, empty, 0, 0) && !part.size, "nothing of nothing");
	OK(!span_part(&part, empty, 0, 1) && !span_part(&part, empty, 1, 0), "something of nothing");
}

static void numbers(void)
{
	const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	OK(span_u8(&u8, whole(false), 8), "u8 at the end");
	EQ_U64(u8, 0x09, "its value");
	struct span big = whole(little), small = whole(!little); /* each byte order, whatever this CPU's */
	OK(span_u16(&u16, big, 1), "big-endian u16 at an odd offset");
	EQ_U64(u16, 0x0203, "its value");
	OK(span_u16(&u16, small, 1), "little-endian u16");
	EQ_U64(u16, 0x0302, "its value");
	OK(span_u32(&u32, big, 5), "big-endian u32 at the end");
	EQ_U64(u32, 0x06070809, "its value");
	OK(span_u32(&u32, small, 5), "little-endian u32 at the end");
	EQ_U64(u32, 0x09080706, "its value");
	OK(span_u64(&u64, big, 1), "big-endian u64 at the end");
	EQ_U64(u64, 0x0203040506070809, "its value");
	OK(span_u64(&u64, small, 0), "little-endian u64 at the start");
	EQ_U64(u64, 0x0807060504030201, "its value");
	u8 = 1, u16 = 2, u32 = 3, u64 = 4;
	OK(!span_u8(&u8, whole(false), 9) && !span_u16(&u16, whole(false), 8) && !span_u32(&u32, whole(true), 6) &&
		   !span_u64(&u64, whole(true), 2),
	   "one byte too far");
	OK(!span_u8(&u8, whole(false), UINT64_MAX) && !span_u64(&u64, whole(true), UINT64_MAX - 6), "far too far");
	OK(u8 == 1 && u16 == 2 && u32 == 3 && u64 == 4, "numbers outside leave the result");
	EQ_U64(span_get_u32(big, 0), 0x01020304, "span_get_u32 inside");
	EQ_U64(span_get_u32(big, 6), 0, "span_get_u32 outside");
}

static void texts(void)
{
	static const unsigned char ended[] = {'a', 'b', 0, 'c', 0}, open[] = {'a', 0, 'b', 'c'};
	struct span a = {.data = ended, .size = sizeof(ended)}, b = {.data = open, .size = sizeof(open)}, none = {0};
	EQ_TEXT(span_text(a, 0), "ab", "first text");
	EQ_TEXT(span_text(a, 1), "b", "from its middle");
	EQ_TEXT(span_text(a, 2), "", "empty text");
	EQ_TEXT(span_text(a, 3), "c", "last text");
	OK(!span_text(a, 5) && !span_text(a, UINT64_MAX), "text outside");
	EQ_TEXT(span_text(b, 0), "a", "text before one without an end");
	OK(!span_text(b, 2) && !span_text(b, 3), "text without an end");
	OK(!span_text(none, 0), "text of nothing");
}

int main(void)
{
	parts();
	numbers();
	texts();
	return test_done();
}
