// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bare program for QEMU's virt machine with two harts, in machine mode: one hart
 * writes an instruction, the other executes fence.i and then that instruction, and goes
 * on with the one from before. docs/qemu-patching.md tells how to run it.
 */
#include <stdbool.h>
#include <stdint.h>

#define PATIENCE	(5 * 10000000ul)	/* 5 s of the machine's clock */
#define MTIME	((volatile uint64_t *)0x200bff8)

/* li a0, _value; 0 to 2047 */
#define LI(_value)	(0x513 | (uint32_t)(_value) << 20)
#define RET		0x8067

static volatile uint32_t code[1024] __attribute__((aligned(4096))) = { LI(0), RET };
static uint32_t written;	/* the value that the code returns */
static uint32_t seen;		/* the last one that the reader has called it for */
static bool old;		/* and was returned another */

static void put(const char *text)
{
	volatile uint8_t *uart = (uint8_t *)0x10000000;

	while (*text)
		*uart = *text++;
}

static uint32_t call(void)
{
	return ((uint32_t (*)(void))code)();
}

void reader(void)
{
	uint32_t value;

	for (;;) {
		value = __atomic_load_n(&written, __ATOMIC_ACQUIRE);
		if (value == seen) {
			call();
			continue;
		}
		/* Nobody writes until this is seen. */
		asm volatile("fence.i" : : : "memory");
		if (call() != value)
			__atomic_store_n(&old, true, __ATOMIC_RELAXED);
		__atomic_store_n(&seen, value, __ATOMIC_RELEASE);
	}
}

void writer(void)
{
	const uint64_t end = *MTIME + PATIENCE;
	uint32_t value = 0;

	while (*MTIME < end && !__atomic_load_n(&old, __ATOMIC_RELAXED)) {
		value = (value + 1) % 2048;
		code[0] = LI(value);
		asm volatile("fence rw, rw\nfence.i" : : : "memory");
		__atomic_store_n(&written, value, __ATOMIC_RELEASE);
		while (__atomic_load_n(&seen, __ATOMIC_ACQUIRE) != value)
			;
	}
	put(old ? "old code\n" : "new code\n");
	*(volatile uint32_t *)0x100000 = 0x5555;
	for (;;)
		;
}

asm(".section .text.startup\n"
    ".globl _start\n"
    "_start: csrr a0, mhartid\n"
    ".option push\n"
    ".option norelax\n"
    "la gp, __global_pointer$\n"
    ".option pop\n"
    "la sp, stacks_end\n"
    "slli a1, a0, 12\n"
    "sub sp, sp, a1\n"
    "bnez a0, 1f\n"
    "call writer\n"
    "1: call reader\n"
    ".section .bss\n"
    ".space 8192\n"
    "stacks_end:\n"
    ".text\n");
