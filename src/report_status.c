/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include "out.h"
#include "status.h"

static uint64_t counters(const struct status_leader *leader)
{
	return leader->is_hardware ? leader->cpus : 0;
}

/* What as many sessions would take without sharing, less what they take. */
static uint64_t saved(const struct status_leader *leader)
{
	return leader->sessions ? counters(leader) * (leader->sessions - 1) : 0;
}

int report_status_text(struct out *out, const struct status *status)
{
	uint64_t used = 0, spared = 0;
	if (!status->count)
		out_text(out, "nothing is shared now\n");
	for (int i = 0; i < status->count; i++) {
		const struct status_leader *l = &status->leaders[i];
		out_format(out, "%s: leader %u by %s, %s%llu s old, %u CPU%s, %u follower%s, %u session%s\n", l->event,
			   l->prog_id, l->is_perfs ? "perf" : "bperf-mini", l->link_id ? "" : "not attached, ",
			   (unsigned long long)(l->age_ns / 1000000000U), l->cpus, l->cpus == 1 ? "" : "s", l->followers,
			   l->followers == 1 ? "" : "s", l->sessions, l->sessions == 1 ? "" : "s");
		for (unsigned s = 0; s < l->sessions && s < STATUS_SESSIONS_MAX; s++) {
			out_format(out, "%9d ", l->who[s].pid);
			out_clean(out, l->who[s].command);
			out_text(out, "\n");
		}
		if (l->sessions > STATUS_SESSIONS_MAX)
			out_format(out, "          and %u more\n", l->sessions - STATUS_SESSIONS_MAX);
		used += counters(l);
		spared += saved(l);
	}
	if (status->has_more)
		out_format(out, "and more leaders than %d\n", STATUS_LEADERS_MAX);
	if (status->count)
		out_format(out, "hardware counters in use: %llu, saved by sharing: %llu\n", (unsigned long long)used,
			   (unsigned long long)spared);
	return out_flush(out);
}

int report_status_json(struct out *out, const struct status *status)
{
	for (int i = 0; i < status->count; i++) {
		const struct status_leader *l = &status->leaders[i];
		out_text(out, "{\"event\" : ");
		report_json_text(out, l->event);
		out_format(out,
			   ", \"type\" : %u, \"config\" : %llu, \"prog-id\" : %u, \"link-id\" : %u, \"made-by\" : \"%s\"",
			   l->attr.type, (unsigned long long)l->attr.config, l->prog_id, l->link_id,
			   l->is_perfs ? "perf" : "bperf-mini");
		out_format(out,
			   ", \"age-ns\" : %llu, \"cpus\" : %u, \"followers\" : %u, \"sessions\" : %u, \"processes\" : [",
			   (unsigned long long)l->age_ns, l->cpus, l->followers, l->sessions);
		for (unsigned s = 0; s < l->sessions && s < STATUS_SESSIONS_MAX; s++) {
			out_format(out, "%s{\"pid\" : %d, \"command\" : ", s ? ", " : "", l->who[s].pid);
			report_json_text(out, l->who[s].command);
			out_text(out, "}");
		}
		out_format(out, "], \"counters-used\" : %llu, \"counters-saved\" : %llu}\n", (unsigned long long)counters(l),
			   (unsigned long long)saved(l));
	}
	return out_flush(out);
}
