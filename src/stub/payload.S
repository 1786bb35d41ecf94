/* SPDX-License-Identifier: GPL-2.0-only */
/* The program that the stub unpacks: the plain file as lz4(1) packed it, frame and all; and the addresses it takes. */
	.section .rodata, "a"
	.balign 8
	.globl program_range, payload_count
program_range:
	.include "program.range"
	.globl program_end
	.quad program_start, program_end
payload_count:
	.quad payload_end - payload

	.section .payload, "a"
	.globl payload
payload:
	.incbin "bperf-mini.lz4"
payload_end:

	.section .note.GNU-stack, "", %progbits
