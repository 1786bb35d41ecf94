/* SPDX-License-Identifier: GPL-2.0-only */
/* Any text as a list of -b: items that lie in it in their order, or an error with a text. Any bytes as a program's BTF, behind one for
 * the number of the function: a name that ends, or what was there. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_list(const char *text)
{
	const char *list = text, *end = text;
	struct target_item item;
	struct err err = {0};
	int result;
	while ((result = target_list_next(&list, &item, &err)) > 0) {
		if (item.text < end || item.length < 0 || strnlen(item.text, (size_t)item.length) != (size_t)item.length)
			abort();
		if (memchr(item.text, ',', (size_t)item.length) || (item.kind == TARGET_ID) != (item.id != 0))
			abort();
		if ((item.kind == TARGET_ALL) != (item.length == 0))
			abort();
		end = item.text + item.length;
		if (list && list != end + 1)
			abort();
	}
	if (result ? result != -EINVAL || !err.text[0] : err.text[0] || *end)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), name[TARGET_NAME_SIZE] = "-";
	memcpy(text, data, size);
	text[size] = '\0';
	check_list(text);
	free(text);
	if (!size)
		return 0;
	target_set_name(name, (struct span){data + 1, (uint32_t)size - 1, false}, data[0]);
	if (!name[0] || strnlen(name, sizeof(name)) == sizeof(name))
		abort();
	return 0;
}
