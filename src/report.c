/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include "out.h"
#include "plan.h"

int report_write(struct out *out, const struct report *report)
{
	static void (*const formats[])(struct out *, const struct report *) = {
		[PLAN_TEXT] = report_text,
		[PLAN_CSV] = report_csv,
		[PLAN_JSON] = report_json,
		[PLAN_OPENMETRICS] = report_openmetrics,
	};
	formats[report->plan->format](out, report);
	return out_flush(out);
}
