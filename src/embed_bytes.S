/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF objects, as clang made them, one behind the other, packed by lz4; and how long each is. */
	.section .rodata.embed, "a"
	.balign 4
	.globl embed_lengths, embed_packed, embed_packed_end
embed_lengths:
	.include "embed.lengths"
embed_packed:
	.incbin "embed.lz4"
embed_packed_end:

	.section .note.GNU-stack, "", %progbits
