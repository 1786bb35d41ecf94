/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include <string.h>

#include "cpulist.h"
#include "event.h"
#include "out.h"
#include "plan.h"

enum { LIST_SIZE = 4096, CONFIGS = 4 };

/* In the order of bits. */
static const char *const flags = "exclude_user;exclude_kernel;exclude_hv;exclude_idle;exclude_host;exclude_guest";

static void print_attr(struct out *out, const struct perf_event_attr *attr, bool json)
{
	const uint64_t configs[CONFIGS] = {attr->config, attr->config1, attr->config2, attr->config3};
	unsigned bits = (attr->flags >> 4 & 15) | (attr->flags >> 19 & 3) << 4;
	out_format(out, json ? ", \"type\" : %u" : "\ttype=%u", attr->type);
	for (int i = 0; i < CONFIGS - !attr->config3; i++) {
		const char number[] = {i ? (char)('0' + i) : '\0', '\0'};
		/* JSON has no hexadecimal */
		out_format(out,
			   json         ? ", \"config%s\" : %llu"
			   : configs[i] ? " config%s=0x%llx"
					: " config%s=%llx",
			   number, (unsigned long long)configs[i]);
	}
	for (const char *flag = flags; bits; bits >>= 1) {
		const int length = (int)strcspn(flag, ";");
		if (bits & 1)
			out_format(out, json ? ", \"%.*s\" : true" : " %.*s", length, flag);
		flag += length + 1;
	}
}

void report_attr(struct out *out, const struct event *event, const struct cpulist *cpus, bool json)
{
	struct cpulist its;
	char list[LIST_SIZE];
	event_cpus(&its, event, cpus);
	cpulist_format(list, sizeof(list), &its);
	print_attr(out, &event->attr, json);
	out_format(out, json ? ", \"cpus\" : \"%s\"}\n" : " cpus=%s\n", list);
}

/* The text has what a table of perf's attrs has; a person sees the rest by the names. */
void report_event(struct out *out, const struct event *event, const struct cpulist *cpus, bool json)
{
	if (json) {
		out_text(out, "{\"event\" : ");
		report_json_text(out, event->name);
		out_text(out, ", \"unit\" : ");
		report_json_text(out, event->unit);
		out_format(out, ", \"scale\" : %llue%d, \"pmu\" : \"%s\"", (unsigned long long)event->scale,
			   event->scale_exponent, event->pmu);
	} else {
		out_clean(out, event->name);
	}
	report_attr(out, event, cpus, json);
}

int report_plan(struct out *out, const struct plan *plan, bool json)
{
	for (int i = 0; i < plan->events_count; i++)
		report_event(out, &plan->events[i], &plan->cpus, json);
	return out_flush(out);
}
