/* SPDX-License-Identifier: GPL-2.0-only */
/* The program that the stub unpacks: the plain file as xz(1) packed it, then what gzip(1) ends a file with: its CRC-32 and
 * its size. And how it was packed, and the addresses it takes. */
	.section .rodata, "a"
	.balign 4
	.globl program_range, payload_count, payload_properties
program_range:
	.include "payload.include"
	.globl program_end
	.long program_start, program_end
payload_count:
	.long payload_check - payload
payload_properties:
	.long lc | lp << 4 | pb << 8 /* UNPACK_PROPERTIES */

	.section .payload, "a"
	.globl payload, payload_check
payload:
	.incbin "bperf-mini.lzma"
payload_check:
	.incbin "bperf-mini.check"

	.section .note.GNU-stack, "", %progbits
