/* SPDX-License-Identifier: GPL-2.0-only */
#include <limits.h>
#include <stdint.h>

#include "out.h"
#include "test.h"

/* Every conversion that is known, against the host's own printf. */
#define SAME(...) \
	do { \
		char ours[256], theirs[256]; \
		out_print(ours, sizeof(ours), __VA_ARGS__); \
		snprintf(theirs, sizeof(theirs), __VA_ARGS__); \
		EQ_TEXT(ours, theirs, "as printf: %s", theirs); \
	} while (0)

static void test_as_printf(void)
{
	SAME("plain");
	SAME("%d %i %u %x", -1, INT_MIN, UINT_MAX, 0xdeadbeefU);
	SAME("%ld %lu %lld %llu %zu", LONG_MIN, ULONG_MAX, LLONG_MIN, ULLONG_MAX, SIZE_MAX);
	SAME("%lx %llx", 0xfedcba9876543210UL, 1ULL << 63);
	SAME("[%5d] [%-5d] [%05d] [%5d] [%-5d] [%05d]", 42, 42, 42, -42, -42, -42);
	SAME("[%2u] [%20llu] [%*d] [%-*d]", 12345U, ULLONG_MAX, 7, 1, 7, 1);
	SAME("[%s] [%10s] [%-10s] [%.2s] [%.*s] [%8.3s]", "text", "text", "text", "text", 3, "text", "text");
	SAME("[%c] [%3c] [%-3c] %%", 'a', 'b', 'c');
	SAME("[%s]", "");
	SAME("[%0*d]", 4, 7);
}

static void test_bounds(void)
{
	char small[4] = "xxx";
	out_print(small, sizeof(small), "%s", "abcdef");
	EQ_TEXT(small, "abc", "what does not fit is cut");
	out_print(small, 1, "%d", 12345);
	EQ_TEXT(small, "", "room for the end only");
	struct out out = out_memory(small, sizeof(small));
	out_text(&out, "ab");
	out_text(&out, "");
	out_format(&out, "%d", 77);
	EQ_TEXT(small, "ab7", "pieces go on behind one another");
	char unended[2] = {'a', 'b'};
	char text[8];
	out_print(text, sizeof(text), "%.2s", unended);
	EQ_TEXT(text, "ab", "%%.2s does not read on");
}

struct sink {
	char text[64];
	size_t length;
	int calls, fail_at;
};

static int sink_write(void *context, const char *bytes, size_t count)
{
	struct sink *sink = context;
	if (++sink->calls == sink->fail_at)
		return -28;
	memcpy(sink->text + sink->length, bytes, count);
	sink->length += count;
	sink->text[sink->length] = '\0';
	return 0;
}

static void test_writer(void)
{
	char buffer[5];
	struct sink sink = {.fail_at = 0};
	struct out out = {buffer, sizeof(buffer), 0, sink_write, &sink, 0};
	out_text(&out, "0123456789abc");
	EQ_INT(sink.calls, 2, "a full buffer goes out by itself");
	EQ_INT(out_flush(&out), 0, "the rest by flushing");
	EQ_TEXT(sink.text, "0123456789abc", "all of it, once");
	sink = (struct sink){.fail_at = 2};
	out = (struct out){buffer, sizeof(buffer), 0, sink_write, &sink, 0};
	out_text(&out, "0123456789abc");
	EQ_INT(out_flush(&out), -28, "a failure is kept to the end");
	EQ_INT(sink.calls, 2, "and nothing is written after it");
}

int main(void)
{
	test_as_printf();
	test_bounds();
	test_writer();
	return test_done();
}
