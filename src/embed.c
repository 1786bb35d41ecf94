/* SPDX-License-Identifier: GPL-2.0-only */
#include "embed.h"

#include <stdbool.h>

#include "err.h"
#include "object.h"

/* embed_bytes.S: bytes from embed_x up to embed_x_end */
extern const char embed_leader[], embed_leader_end[];
extern const char embed_follower[], embed_follower_end[];
extern const char embed_children[], embed_children_end[];

const struct object *embed_object(enum embed_name name, struct err *err)
{
	static const struct {
		const char *start, *end;
	} bytes[EMBED_COUNT] = {
		[EMBED_LEADER] = {embed_leader, embed_leader_end},
		[EMBED_FOLLOWER] = {embed_follower, embed_follower_end},
		[EMBED_CHILDREN] = {embed_children, embed_children_end},
	};
	static struct object objects[EMBED_COUNT];
	static bool parsed[EMBED_COUNT];
	if (!parsed[name]) {
		const char *start = bytes[name].start;
		if (object_parse(&objects[name], start, (unsigned long)(bytes[name].end - start), err) < 0)
			return NULL;
		parsed[name] = true;
	}
	return &objects[name];
}
