/* SPDX-License-Identifier: GPL-2.0-only */
/* What a hostile /sys could say: the first line as the format of a term, the rest as the event; an error with a text xor an
 * attr. Up to the files, which are read elsewhere. */
#include <stdlib.h>
#include <string.h>

#define pmu_alias pmu_alias_of_the_fuzzer /* the library has its own */
#include "../../src/pmu.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[FILE_SIZE];
	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	struct perf_event_attr attr = {.type = 4};
	char *event = strchr(text, '\n');
	if (event)
		*event++ = '\0';
	else
		event = text + size;
	put_value(&attr, text, size);
	struct err err = {0};
	int result = put_terms(&attr, "cpu", event, &err);
	if (result < 0 && !err.text[0])
		abort();
	return 0;
}
