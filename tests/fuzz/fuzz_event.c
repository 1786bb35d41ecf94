/* SPDX-License-Identifier: GPL-2.0-only */
/* Any text is a list of events xor an error with a text; what is accepted reads the same when its names are read again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "event.h"

enum { EVENTS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text)
{
	if (!*text)
		abort();
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			abort();
	}
}

static void check_again(const struct event *event, bool is_same_length)
{
	struct event again;
	struct err err = {0};
	if (!*event->name || !memchr(event->name, '\0', sizeof(event->name)) || strpbrk(event->name, ", /") || !is_same_length)
		abort();
	if (event_parse_list(&again, 1, event->name, &err) != 1 || memcmp(&again, event, sizeof(again)))
		abort();
	if (event->attr.type > PERF_TYPE_RAW || (event->attr.type != PERF_TYPE_RAW && event->attr.config > 11))
		abort();
	if (event_is_clock(event) && event->attr.type != PERF_TYPE_SOFTWARE)
		abort();
	if (event_ignores_modifiers(event) && !strchr(event->name, ':'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* on the heap and no longer than it must be: reading past its end is found */
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';

	static struct event events[EVENTS_MAX];
	struct err err = {0};
	int count = event_parse_list(events, EVENTS_MAX, text, &err);
	if (count < 0) {
		if (count != -EINVAL && count != -E2BIG)
			abort();
		check_text(err.text);
		if (err.hint[0])
			check_text(err.hint);
	} else {
		if (count < 1 || count > EVENTS_MAX || err.text[0] || err.hint[0])
			abort();
		for (int i = 0; i < count; i++)
			check_again(&events[i], strlen(events[i].name) <= strlen(text));
	}
	if (event_parse_list(events, EVENTS_MAX, text, NULL) != count)
		abort();
	free(text);
	return 0;
}
