// SPDX-License-Identifier: GPL-2.0-only
/* One of each thing that object_parse knows. tests/unit/test_object.c has its spec; scripts/fuzz takes it as a seed. */
#define SEC(name) __attribute__((section(name), used))
#define __uint(name, value) int(*name)[value]
#define __type(name, value) value *name

struct pair {
	unsigned a;
	unsigned long b;
};
typedef const struct pair pair_t;
typedef pair_t triple_t[3];

struct {
	__uint(type, 1); /* HASH */
	__type(key, unsigned);
	__type(value, pair_t);
	__uint(max_entries, 100);
	__uint(map_flags, 1);
} by_type SEC(".maps");

typedef struct {
	__uint(type, 4); /* PERF_EVENT_ARRAY */
	__uint(key_size, 4);
	__uint(value_size, sizeof(int));
} events_t;
events_t by_size SEC(".maps");

static struct {
	__uint(type, 6); /* PERCPU_ARRAY */
	__type(key, unsigned);
	__type(value, triple_t);
	__uint(max_entries, 1);
} hidden SEC(".maps");

const volatile unsigned limit = 7;
const volatile unsigned long factor = 9;
unsigned long counter = 42;
unsigned long zeroes[5];
static volatile unsigned quiet;

static void *(*lookup)(void *map, const void *key) = (void *)1;

SEC("raw_tp/one")
int first(void *ctx)
{
	unsigned zero = 0;
	struct pair *pair = lookup(&by_type, &zero);
	if (!pair)
		return 0;
	pair->b += limit * factor;
	counter++;
	zeroes[3] += pair->a;
	return 0;
}

SEC("raw_tp/two")
int second(void *ctx)
{
	unsigned zero = 0;
	unsigned *value = lookup(&by_size, &zero);
	if (value)
		quiet++;
	return 0;
}

SEC("raw_tp/two")
int third(void *ctx)
{
	unsigned zero = 0;
	struct pair *pair = lookup(&hidden, &zero);
	if (pair)
		counter += pair->b;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
