/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF objects, as clang made them, inside the binary. */
	.macro embed name, file
	.section .rodata.\name, "a"
	.balign 8
	.globl embed_\name, embed_\name\()_end
embed_\name:
	.incbin "\file"
embed_\name\()_end:
	.endm

	embed leader, "leader.bpf.o"
	embed follower, "follower.bpf.o"
	embed children, "children.bpf.o"

	.section .note.GNU-stack, "", %progbits
