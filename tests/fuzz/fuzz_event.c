/* SPDX-License-Identifier: GPL-2.0-only */
/* Any text is a list of events xor an error with a text and a caret; an event that stands alone reads the same when its name is
 * read again. */
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

/* Two lines, the caret under one of the first one's columns or just behind them. */
static void check_shown(const char *shown)
{
	const char *end = strchr(shown, '\n'), *caret = strchr(shown, '\0');
	if (!end || caret - 2 <= end || strcmp(caret - 2, "^\n") || strspn(end + 1, " ") != (size_t)(caret - 2 - end - 1))
		abort();
	if (caret - 2 - end - 1 > end - shown)
		abort();
	for (; shown < end; shown++) {
		if (*shown < 0x20 || *shown > 0x7e)
			abort();
	}
}

static void check_place(const struct event *event, const char *text, size_t length)
{
	const struct event_item *item = &event->item;
	if (item->list != text || item->start < text || !item->length || item->start + item->length > text + length)
		abort();
	if (event->kind == EVENT_PMU && (!event->pmu_length || event->pmu_length + 1 >= item->length ||
					 item->start[event->pmu_length] != '/' || item->start[item->length - 1] != '/'))
		abort();
	if (event->kind == EVENT_TRACEPOINT && !memchr(item->start, ':', item->length))
		abort();
	if (event->modifiers_at < item->start + item->length || event->modifiers_at > text + length)
		abort();
}

static void check_again(const struct event *event)
{
	static struct event again;
	struct err err = {0};
	check_text(event->name);
	if (!memchr(event->name, '\0', sizeof(event->name)))
		abort();
	if (event->kind == EVENT_DONE && (event->attr.type > PERF_TYPE_RAW || event->attr.type == PERF_TYPE_TRACEPOINT))
		abort();
	if (event->kind != EVENT_DONE && (event->attr.type || event->attr.config))
		abort();
	if (event->attr.config1 || event->attr.size || event->scale != 1 || (event_is_clock(event) && event->attr.type != PERF_TYPE_SOFTWARE))
		abort();
	if (event_ignores_modifiers(event) && !strchr(event->name, ':'))
		abort();
	/* of what is cleaned away another name is made; a group's modifiers may make it longer than what is read */
	if (strlen(event->name) > EVENT_NAME_SIZE - 16 || memchr(event->item.start, '?', event->item.length) || strchr(event->name, '?'))
		return;
	if (event_parse_list(&again, 1, event->name, &err) != 1 || memcmp(&again.attr, &event->attr, sizeof(again.attr)) ||
	    again.kind != event->kind || again.modifiers != event->modifiers || again.item.length != event->item.length ||
	    strcmp(again.name, event->name))
		abort();
}

/* What this host's names for the attr are is read as the attr again. */
static void check_format(const struct event *event)
{
	static struct event again;
	char name[EVENT_NAME_SIZE];
	event_format(name, sizeof(name), &event->attr);
	if (event->kind != EVENT_DONE)
		return;
	if (event_parse_list(&again, 1, name, NULL) != 1 || memcmp(&again.attr, &event->attr, sizeof(again.attr)))
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
		if (count == -EINVAL)
			check_shown(err.shown);
	} else {
		if (count < 1 || count > EVENTS_MAX || err.hint[0] || err.shown[0])
			abort();
		for (int i = 0; i < count; i++) {
			check_place(&events[i], text, strlen(text));
			check_again(&events[i]);
			check_format(&events[i]);
		}
	}
	if (event_parse_list(events, EVENTS_MAX, text, NULL) != count)
		abort();
	free(text);
	return 0;
}
