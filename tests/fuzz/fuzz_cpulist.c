/* SPDX-License-Identifier: GPL-2.0-only */
/* Any text is a CPU list xor an error with a text; a list reads the same after it was written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpulist.h"
#include "err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_members(const struct cpulist *list)
{
	unsigned met = 0;
	for (int cpu = -1; (cpu = cpulist_next(list, cpu)) >= 0; met++) {
		if (!cpulist_has(list, (unsigned)cpu))
			abort();
		/* it counts from the start each time: not for every one of 8192 */
		if ((met < 16 || met % 997 == 0) && cpulist_index(list, (unsigned)cpu) != met)
			abort();
	}
	if (met == 0 || met != cpulist_count(list) || !cpulist_contains(list, list, NULL))
		abort();
}

static void check_again(const struct cpulist *list, size_t cut_size)
{
	static char whole[64 * 1024];
	struct cpulist again;
	struct err err = {0};
	cpulist_format(whole, sizeof(whole), list);
	if (cpulist_parse(&again, whole, &err) || memcmp(&again, list, sizeof(again)))
		abort();

	char *cut = malloc(cut_size);
	cpulist_format(cut, cut_size, list);
	size_t length = strlen(cut);
	bool is_whole = !strcmp(cut, whole);
	if (length >= cut_size || is_whole != (strlen(whole) < cut_size))
		abort();
	/* before the dots stands a beginning of the whole */
	if (!is_whole && (strcmp(cut + length - 3, "...") || memcmp(cut, whole, length - 3)))
		abort();
	free(cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';

	struct cpulist list;
	struct err err = {0};
	int result = cpulist_parse(&list, text, &err);
	if (result == 0) {
		if (err.text[0])
			abort();
		check_members(&list);
		check_again(&list, 4 + size % 29);
	} else if (result != -EINVAL || !err.text[0] || cpulist_count(&list) != 0) {
		abort();
	}
	free(text);
	return 0;
}
