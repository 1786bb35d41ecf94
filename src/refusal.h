/* SPDX-License-Identifier: GPL-2.0-only */
/* Why bpf(2) and perf_event_open(2) are refused: what this process lacks, as the kernel tells it without /proc. */
#ifndef REFUSAL_H
#define REFUSAL_H

struct err;

enum refusal_call { REFUSAL_BPF, REFUSAL_PERF };

/* Sets the advice (unless there is one) that goes with result, the call's own -errno: none where it is no refusal. */
void refusal_hint(enum refusal_call call, int result, struct err *err);

#endif
