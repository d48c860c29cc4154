// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bare program for QEMU's virt machine, in machine mode: a counter that overflows
 * 100,000 instructions from now sets its interrupt pending, but not the first time
 * after the counter was set so far from its overflow that no timer reaches it, as
 * Linux does to count and not to sample. docs/qemu-overflow.md tells how to run it.
 */
#include <stdint.h>

#define read_csr(_csr)							\
({									\
	uint64_t _value;						\
	asm volatile("csrr %0, " _csr : "=r" (_value));			\
	_value;								\
})
#define write_csr(_csr, _value)						\
	asm volatile("csrw " _csr ", %0" : : "r" ((uint64_t)(_value)))

/* Sscofpmf: mhpmevent3 by number, which older assemblers do not know. */
#define MHPMEVENT3	"0x323"
#define MHPMCOUNTER3	"0xb03"
#define MCOUNTINHIBIT	"0x320"
#define INHIBIT		(1 << 3)
#define INSTRUCTIONS	2	/* the event's number on this machine */
#define LCOFI		(1 << 13)

#define PERIOD		100000
#define PATIENCE	5	/* periods */

static void put(const char *text)
{
	volatile uint8_t *uart = (uint8_t *)0x10000000;

	while (*text)
		*uart = *text++;
}

static void put_number(uint64_t number)
{
	char text[24], *p = text + sizeof(text);

	*--p = 0;
	do
		*--p = '0' + number % 10;
	while (number /= 10);
	put(p);
}

static void count_from(uint64_t value)
{
	write_csr(MCOUNTINHIBIT, INHIBIT);
	write_csr(MHPMEVENT3, INSTRUCTIONS);
	write_csr(MHPMCOUNTER3, value);
	asm volatile("csrc mip, %0" : : "r" (LCOFI));
	write_csr(MCOUNTINHIBIT, 0);
}

/* The overflow is due after a period. */
static void sample(void)
{
	const uint64_t start = read_csr("minstret");
	uint64_t passed;

	count_from(-(uint64_t)PERIOD);
	do
		passed = read_csr("minstret") - start;
	while (!(read_csr("mip") & LCOFI) && passed < PATIENCE * PERIOD);
	put("sample: ");
	if (read_csr("mip") & LCOFI) {
		put("interrupt after ");
		put_number((passed + PERIOD / 2) / PERIOD);
		put(" period\n");
	} else {
		put("no interrupt\n");
	}
}

/* As Linux counts: as far from the overflow as a signed number goes. */
static void count(void)
{
	count_from((uint64_t)1 << 63 | 1);
	put("count\n");
}

void run(void)
{
	while (read_csr("minstret") < 10 * PATIENCE * PERIOD)
		;
	sample();
	count();
	sample();
	sample();
	*(volatile uint32_t *)0x100000 = 0x5555;
	for (;;)
		;
}

asm(".section .text.startup\n"
    ".globl _start\n"
    "_start: la sp, stack_end\n"
    "call run\n"
    ".section .bss\n"
    ".space 4096\n"
    "stack_end:\n"
    ".text\n");
