/* SPDX-License-Identifier: GPL-2.0-only */
/* All that the stub needs to know of an architecture: how a program starts, how the kernel is called, what makes bytes that were
 * written fit to be executed, and the filter that Makefile has its programs packed with. A new architecture is one more branch here. */
#ifndef STUB_ARCH_H
#define STUB_ARCH_H

#include <stdint.h>

/* Called by _start with the stack as the kernel made it; returns where to go on. There the stack pointer and the registers are
 * what the kernel gave us: all of them zero, but for one that the jump needs where there is no other way. */
uintptr_t stub_main(uintptr_t *stack);

#if defined(__x86_64__)

#define undo_filter unpack_x86

/* Kept by the call: rbx, rbp, r12 to r15. The address of the jump waits below the stack pointer, where nothing is lost: there
 * is no signal handler yet. */
__asm__(".text\n"
	".globl _start\n"
	"_start:\n"
	"	mov %rsp, %rdi\n"
	"	call stub_main\n"
	"	mov %rax, -8(%rsp)\n"
	"	xor %eax, %eax\n"
	"	xor %ecx, %ecx\n"
	"	xor %edx, %edx\n"
	"	xor %esi, %esi\n"
	"	xor %edi, %edi\n"
	"	xor %r8d, %r8d\n"
	"	xor %r9d, %r9d\n"
	"	xor %r10d, %r10d\n"
	"	xor %r11d, %r11d\n"
	"	jmp *-8(%rsp)\n");

static inline long call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* The processor sees to it. */
static inline void make_executable(uintptr_t from, uintptr_t to)
{
	(void)from;
	(void)to;
}

#elif defined(__aarch64__)

#define undo_filter unpack_arm64

/* Kept by the call: x19 to x29. */
__asm__(".text\n"
	".globl _start\n"
	"_start:\n"
	"	mov x0, sp\n"
	"	bl stub_main\n"
	"	mov x16, x0\n"
	"	mov x0, xzr\n"
	"	mov x1, xzr\n"
	"	mov x2, xzr\n"
	"	mov x3, xzr\n"
	"	mov x4, xzr\n"
	"	mov x5, xzr\n"
	"	mov x6, xzr\n"
	"	mov x7, xzr\n"
	"	mov x8, xzr\n"
	"	mov x9, xzr\n"
	"	mov x10, xzr\n"
	"	mov x11, xzr\n"
	"	mov x12, xzr\n"
	"	mov x13, xzr\n"
	"	mov x14, xzr\n"
	"	mov x15, xzr\n"
	"	mov x17, xzr\n"
	"	mov x18, xzr\n"
	"	mov x30, xzr\n"
	"	br x16\n");

static inline long call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}

/* Written lines go out to where instructions are fetched from, old ones are forgotten there (Arm ARM, B2.4.4). ctr_el0 has the
 * lengths of the lines: log2 of their words, for data in bits 16 to 19, for instructions in 0 to 3. */
static inline void make_executable(uintptr_t from, uintptr_t to)
{
	uintptr_t lines;
	__asm__ volatile("mrs %0, ctr_el0" : "=r"(lines));
	const uintptr_t data = (uintptr_t)4 << (lines >> 16 & 15), code = (uintptr_t)4 << (lines & 15);
	for (uintptr_t at = from & -data; at < to; at += data)
		__asm__ volatile("dc cvau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish" : : : "memory");
	for (uintptr_t at = from & -code; at < to; at += code)
		__asm__ volatile("ic ivau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish\n	isb" : : : "memory");
}

#else
/* cppcheck-suppress preprocessorErrorDirective */
#error "src/stub/arch.h does not know this architecture: build with PACK=0"
#endif

#endif
