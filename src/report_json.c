/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

void report_json(struct out *out, const struct report *report)
{
	report_text(out, report);
}
