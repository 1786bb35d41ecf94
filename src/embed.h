/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF objects inside the binary (embed_bytes.S), parsed when first asked for. */
#ifndef EMBED_H
#define EMBED_H

struct err;
struct object;

enum embed_name { EMBED_LEADER, EMBED_FOLLOWER, EMBED_CHILDREN, EMBED_GROUPS, EMBED_TARGET, EMBED_COUNT };

/* The object's spec, which lives as long as the process; of all but the leader without btf_bytes, so that no BTF is loaded. NULL, with a
 * text, if its bytes are broken. */
const struct object *embed_object(enum embed_name name, struct err *err);

#endif
