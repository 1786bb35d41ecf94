/* SPDX-License-Identifier: GPL-2.0-only */
/* Any bytes as an object file: an error with a text, or a spec in range whose BTF copies are sound. */
#include <stdint.h>
#include <stdio.h>

#include "../unit/object_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct object object;
	static struct err err;
	int rc;
	const char *wrong = object_check(&object, data, size, &rc, &err);
	if (wrong) {
		fprintf(stderr, "out of range: %s (code %d, text '%s')\n", wrong, rc, err.text);
		abort();
	}
	return 0;
}
