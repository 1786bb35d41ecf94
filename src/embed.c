/* SPDX-License-Identifier: GPL-2.0-only */
#include "embed.h"

#include <stdbool.h>
#include <stdint.h>

#include "object.h"

/* embed_bytes.S: the objects' lengths, in the order of enum embed_name; and all of them, one behind the other */
extern const uint32_t embed_lengths[EMBED_COUNT];
extern const char embed_bytes[];

const struct object *embed_object(enum embed_name name, struct err *err)
{
	static struct object objects[EMBED_COUNT];
	static bool parsed[EMBED_COUNT];
	if (!parsed[name]) {
		const char *start = embed_bytes;
		for (int i = 0; i < (int)name; i++)
			start += embed_lengths[i];
		if (object_parse(&objects[name], start, embed_lengths[name], err) < 0)
			return NULL;
		/* perf's followers hang on the leader, by its function's id in its BTF; the others' would be loaded for nobody */
		if (name != EMBED_LEADER)
			objects[name].btf_bytes = (struct span){0};
		parsed[name] = true;
	}
	return &objects[name];
}
