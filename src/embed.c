/* SPDX-License-Identifier: GPL-2.0-only */
#include "embed.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "memory.h"
#include "object.h"
#include "unpack.h"

/* embed_bytes.S: the objects' lengths, in the order of enum embed_name; and all of them, packed */
extern const uint32_t embed_lengths[EMBED_COUNT];
extern const char embed_packed[], embed_packed_end[];

/* All objects one behind the other; as long as the process lives. */
static const char *unpacked(struct err *err)
{
	static char *bytes;
	size_t length = 0;
	if (bytes)
		return bytes;
	for (int i = 0; i < EMBED_COUNT; i++)
		length += embed_lengths[i];
	bytes = memory_take(length, 1);
	if (!bytes) {
		err_sys(err, -ENOMEM, "cannot unpack the BPF programs");
		return NULL;
	}
	/* cppcheck-suppress comparePointers ; both are in embed_bytes.S, one behind the other */
	if (unpack(bytes, length, embed_packed, (size_t)(embed_packed_end - embed_packed)) == (long)length)
		return bytes;
	err_set(err, -EINVAL, "the BPF programs in this file are broken");
	memory_free(bytes);
	return bytes = NULL;
}

const struct object *embed_object(enum embed_name name, struct err *err)
{
	static struct object objects[EMBED_COUNT];
	static bool parsed[EMBED_COUNT];
	if (!parsed[name]) {
		const char *start = unpacked(err);
		for (int i = 0; start && i < (int)name; i++)
			start += embed_lengths[i];
		if (!start || object_parse(&objects[name], start, embed_lengths[name], err) < 0)
			return NULL;
		parsed[name] = true;
	}
	return &objects[name];
}
