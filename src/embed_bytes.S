/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF objects, as clang made them, one behind the other; and how long each is. */
	.section .rodata.embed, "a"
	.balign 4
	.globl embed_lengths, embed_bytes
embed_lengths:
	.include "embed.lengths"
	.balign 8
embed_bytes:
	.incbin "embed.bytes"

	.section .note.GNU-stack, "", %progbits
