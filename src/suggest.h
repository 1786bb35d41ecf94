/* SPDX-License-Identifier: GPL-2.0-only */
/* Of many names the one that was probably meant, and the list of all. */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <stddef.h>

#include "out.h"

enum { SUGGEST_NAME_SIZE = 32, SUGGEST_LIST_SIZE = 256 };

struct suggest {
	const char *name; /* what was written; it need not end */
	size_t length;
	unsigned best;    /* so many letters would be too many that differ */
	char nearest[SUGGEST_NAME_SIZE]; /* "": none is near */
	struct out list;
	char list_text[SUGGEST_LIST_SIZE]; /* "a, b, c", cut to fit */
};

void suggest_init(struct suggest *suggest, const char *name, size_t length);

/* Looks at a name. Returns 0: for sysfs_each and event_each_name. */
int suggest_consider(void *suggest, const char *name);

#endif
