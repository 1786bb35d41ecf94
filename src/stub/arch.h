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

#define filter filter_x86

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

#define filter filter_arm64

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

#elif defined(__arm__)

#define filter filter_armthumb

/* Kept by the call: r4 to r11. */
__asm__(".text\n"
	".syntax unified\n"
	".thumb\n"
	".thumb_func\n"
	".globl _start\n"
	"_start:\n"
	"	mov r0, sp\n"
	"	bl stub_main\n"
	"	mov ip, r0\n"
	"	movs r0, #0\n"
	"	movs r1, #0\n"
	"	movs r2, #0\n"
	"	movs r3, #0\n"
	"	mov lr, r0\n"
	"	bx ip\n");

/* The number's place, r7, is the compiler's own: it may have its frame there. */
static inline long call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;
	register long r3 __asm__("r3") = d;
	register long r4 __asm__("r4") = e;
	register long r5 __asm__("r5") = f;
	__asm__ volatile("mov ip, r7\n"
			 "	mov r7, %1\n"
			 "	svc 0\n"
			 "	mov r7, ip"
			 : "+r"(r0)
			 : "r"(number), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5)
			 : "ip", "memory");
	return r0;
}

/* The kernel does it: ARM_cacheflush, arch/arm/include/uapi/asm/unistd.h. */
static inline void make_executable(uintptr_t from, uintptr_t to)
{
	call6(0x0F0002, (long)from, (long)to, 0, 0, 0, 0);
}

#elif defined(__riscv) && __riscv_xlen == 64

#define filter filter_riscv

/* Kept by the call: gp, tp, s0 to s11. */
__asm__(".text\n"
	".globl _start\n"
	"_start:\n"
	"	mv a0, sp\n"
	"	call stub_main\n"
	"	mv t0, a0\n"
	"	li a0, 0\n"
	"	li a1, 0\n"
	"	li a2, 0\n"
	"	li a3, 0\n"
	"	li a4, 0\n"
	"	li a5, 0\n"
	"	li a6, 0\n"
	"	li a7, 0\n"
	"	li t1, 0\n"
	"	li t2, 0\n"
	"	li t3, 0\n"
	"	li t4, 0\n"
	"	li t5, 0\n"
	"	li t6, 0\n"
	"	li ra, 0\n"
	"	jr t0\n");

static inline long call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long a7 __asm__("a7") = number;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
	return a0;
}

/* The kernel does it, as fence.i is for the hart only that we are on now: riscv_flush_icache, for all of them (flags 0;
 * arch/riscv/include/uapi/asm/unistd.h). */
static inline void make_executable(uintptr_t from, uintptr_t to)
{
	call6(244 + 15, (long)from, (long)to, 0, 0, 0, 0);
}

#else
/* cppcheck-suppress preprocessorErrorDirective */
#error "src/stub/arch.h does not know this architecture: build with PACK=0"
#endif

#endif
