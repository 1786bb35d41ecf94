/* SPDX-License-Identifier: GPL-2.0-only */
#include "suggest.h"

#include <stdint.h>
#include <string.h>

void suggest_init(struct suggest *suggest, const char *name, size_t length)
{
	/* a third of the letters wrong is another word */
	*suggest = (struct suggest){.name = name, .length = length, .best = length < 6 ? 2 : (unsigned)length / 3 + 1};
	suggest->list = out_memory(suggest->list_text, sizeof(suggest->list_text));
}

/* Levenshtein's distance, blind to case. */
static unsigned distance(const char *text, size_t length, const char *name)
{
	uint8_t row[SUGGEST_NAME_SIZE];
	for (size_t i = 0; i <= length; i++)
		row[i] = (uint8_t)i;
	for (; *name; name++) {
		uint8_t diagonal = row[0]++;
		for (size_t i = 1; i <= length; i++) {
			uint8_t best = (uint8_t)(diagonal + (((text[i - 1] ^ *name) & ~0x20) != 0));
			if (best > row[i] + 1)
				best = (uint8_t)(row[i] + 1);
			if (best > row[i - 1] + 1)
				best = (uint8_t)(row[i - 1] + 1);
			diagonal = row[i];
			row[i] = best;
		}
	}
	return row[length];
}

int suggest_consider(void *context, const char *name)
{
	struct suggest *suggest = context;
	if (strchr(name, '.')) /* a file beside an alias */
		return 0;
	out_format(&suggest->list, "%s%s", suggest->list.used ? ", " : "", name);
	if (suggest->length >= SUGGEST_NAME_SIZE || strlen(name) >= SUGGEST_NAME_SIZE)
		return 0;
	unsigned d = distance(suggest->name, suggest->length, name);
	if (d < suggest->best) {
		suggest->best = d;
		out_print(suggest->nearest, sizeof(suggest->nearest), "%s", name);
	}
	return 0;
}
