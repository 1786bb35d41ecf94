/* SPDX-License-Identifier: GPL-2.0-only */
/* Any bytes as BTF; the first says whether the rest is of the other byte order. An error with a text, or types that are found
 * again by id and by name. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf.h"
#include "err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned sum; /* so that no reading is optimised away */

static void check(bool fact, const char *what)
{
	if (fact)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

static void check_types(const struct btf *btf)
{
	struct btf_type type, same;
	uint32_t id = 0, step = btf->types_count / 100 + 1; /* a search is linear: not for every type */
	for (btf_first(&type, btf); type.id; btf_next(&type, btf)) {
		check(type.id == ++id, "ids in order");
		check(type.kind >= BTF_INT && type.kind <= BTF_ENUM64, "kind");
		sum += (unsigned)strlen(type.name);
		for (uint32_t i = 0; i < type.extra.size; i++)
			sum += type.extra.data[i];
		if (id % step)
			continue;
		check(!btf_by_id(&same, btf, id) && same.offset == type.offset, "by id");
		int64_t bytes = btf_size(btf, id);
		check(bytes == -EINVAL || (bytes >= 0 && bytes <= UINT32_MAX), "size");
	}
	check(id == btf->types_count, "number of types");
	check(btf_by_id(&same, btf, 0) == -ENOENT && btf_by_id(&same, btf, id + 1) == -ENOENT, "ids outside");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct btf btf;
	if (!size)
		return 0;
	struct span span = {.data = data + 1, .size = (uint32_t)size - 1, .swap = data[0] & 1};
	int rc = btf_init(&btf, span, &err);
	check(rc == 0 || rc == -EINVAL, "code");
	check((rc != 0) == (err.text[0] != '\0'), "error without a text, or a text without an error");
	if (!rc)
		check_types(&btf);
	return 0;
}
