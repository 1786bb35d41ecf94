/* SPDX-License-Identifier: GPL-2.0-only */
/* What pack.c made of the program that the stub unpacks, with its checksum and size behind it; and the addresses it takes. */
	.section .rodata, "a"
	.balign 4
	.globl program_range, payload_words
program_range:
	.include "payload.include"
	.globl program_end
	.long program_start, program_end
payload_words:
	.long (payload_check - payload) / 4

	.section .payload, "a"
	.balign 4
	.globl payload, payload_check
payload:
	.incbin "bperf-mini.packed"
	.set payload_check, . - 8

	.section .note.GNU-stack, "", %progbits
