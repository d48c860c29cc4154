// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "truth_shapes.h"

#define NOINLINE __attribute__((noinline, noclone))

/*
 * Each class of jump, with each link register, as often as its argument says; once
 * with compressed instructions where there are any, once without.
 */
#define JUMPS(_name, _option)						\
	asm(".option push\n"						\
	    ".option " _option "\n"					\
	    ".text\n"							\
	    ".globl " _name "\n"					\
	    ".type " _name ", @function\n"				\
	    ".balign 4\n"						\
	    _name ":\n"							\
	    "	mv	t6, ra\n"					\
	    "	mv	a5, a0\n"					\
	    "1:	jal	ra, 10f\n"	/* direct calls */		\
	    "	jal	t0, 11f\n"					\
	    "	jal	t1, 2f\n"	/* direct, other link */	\
	    "	nop\n"							\
	    "2:	lla	a1, 10f\n"					\
	    "	jalr	a1\n"		/* indirect calls */		\
	    "	lla	a1, 11f\n"					\
	    "	jalr	t0, 0(a1)\n"					\
	    "	lla	ra, 10f\n"					\
	    "	jalr	ra\n"		/* one by its own link */	\
	    "	lla	a1, 3f\n"					\
	    "	jr	a1\n"		/* indirect jump */		\
	    "	nop\n"							\
	    "3:	lla	a1, 4f\n"					\
	    "	jalr	t1, 0(a1)\n"	/* indirect, other link */	\
	    "	nop\n"							\
	    "4:	j	5f\n"		/* direct jump */		\
	    "	nop\n"							\
	    "5:	jal	ra, 12f\n"					\
	    "	jalr	t0\n"		/* co-routines there and back */ \
	    "	andi	a1, a5, 1\n"					\
	    "	beqz	a1, 6f\n"					\
	    "	bltu	a1, a5, 6f\n"					\
	    "	nop\n"							\
	    "6:	addi	a5, a5, -1\n"					\
	    "	bnez	a5, 1b\n"					\
	    "	mv	ra, t6\n"					\
	    "	ret\n"							\
	    "10:	ret\n"						\
	    "11:	jr	t0\n"					\
	    "12:	jalr	t0, 0(ra)\n"				\
	    "	ret\n"							\
	    ".size " _name ", . - " _name "\n"				\
	    ".option pop\n")

JUMPS("truth_jumps_c", "rvc");
JUMPS("truth_jumps", "norvc");
void truth_jumps_c(uint64_t times);
void truth_jumps(uint64_t times);

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static NOINLINE uint64_t leaf(uint64_t x)
{
	return x * 6364136223846793005ull + 1442695040888963407ull;
}

static NOINLINE uint64_t branchy(uint64_t x)
{
	uint64_t sum = 0;

	for (; x; x >>= 2)
		sum += x & 1 ? x & 2 ? 3 : 5 : x & 2 ? sum >> 1 : 7;
	return sum;
}

static NOINLINE uint64_t tail(uint64_t x)
{
	return x & 4 ? leaf(x + 1) : branchy(x & 0xff);
}

static NOINLINE uint64_t tail_of_tail(uint64_t x)
{
	return tail(x >> 1);
}

static NOINLINE uint64_t recurse(uint64_t x, unsigned int depth)
{
	uint64_t left;

	if (!depth)
		return leaf(x);
	left = recurse(x >> 1, depth - 1);
	return x & 1 ? left + recurse(x >> 2, depth - 1) : left ^ x;
}

static NOINLINE uint64_t choose(uint64_t x)
{
	switch (x % 11) {
	case 0: return leaf(x);
	case 1: return x ^ 0x5555;
	case 2: return branchy(x & 0xfff);
	case 3: return ~x;
	case 4: return tail(x);
	case 5: return x << 1;
	case 6: return x >> 1;
	case 7: return x * 5 + 1;
	case 8: return leaf(x) - leaf(x + 1);
	case 9: return x - 7;
	default: return x / 3;
	}
}

static int compare(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

static NOINLINE void sort(uint64_t x)
{
	qsort(&x, sizeof(x), 1, compare);
}

static NOINLINE void leap(jmp_buf env, uint64_t x)
{
	if (x & 0x10)
		longjmp(env, 1 + (x & 3));
}

static NOINLINE void jump_out(uint64_t x)
{
	jmp_buf env;
	volatile uint64_t left = x;
	int from = setjmp(env);

	if (from != 2)
		leap(env, left = leaf(left));
}

static sigjmp_buf out_of_handler;

static void handle(int signal)
{
	(void)signal;
	leaf(signal);
}

static void handle_by_jump(int signal)
{
	siglongjmp(out_of_handler, signal);
}

static NOINLINE void take_signals(uint64_t x)
{
	signal(SIGUSR1, handle);
	signal(SIGUSR2, handle_by_jump);
	if (x & 1)
		raise(SIGUSR1);
	else if (!sigsetjmp(out_of_handler, 1))
		raise(SIGUSR2);
}

void truth_shapes(uint64_t *state)
{
	static uint64_t (*volatile const table[])(uint64_t) = {
		leaf, branchy, tail, tail_of_tail, choose
	};
	uint64_t x = next(state);

	for (uint64_t i = x % 17; i; i--)
		x = table[x % 5](next(state));
	recurse(next(state), x % 6);
	truth_jumps_c(1 + x % 3);
	truth_jumps(1 + x % 5);
	sort(next(state));
	for (int i = 0; i < 8; i++)
		x = choose(x ^ next(state));
	jump_out(next(state));
	if (next(state) % 64 == 0)
		syscall(SYS_getppid);
	if (next(state) % 512 == 0)
		take_signals(next(state));
}
