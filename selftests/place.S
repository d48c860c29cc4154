/* SPDX-License-Identifier: GPL-2.0-only */
/* Code to be copied to places of its own: it refers to nothing outside of it. */
#include "place.h"

	.text
	.option	norvc

	/* void place_loop(uint64_t rounds) */
	.globl	place_loop, place_loop_end
place_loop:
	addi	a0, a0, -1
	bnez	a0, place_loop
	ret
place_loop_end:

	/*
	 * void place_stay(uint64_t *turns): calls, returns, branches and jumps for
	 * ever, never outside of here. Counts its turns and yields after each. In
	 * between is a stretch without branches, in which there is time for a sample:
	 * it still shows what was recorded at the turn's begin and before.
	 */
	.globl	place_stay, place_stay_end
place_stay:
	mv	s0, a0
1:	li	s1, 20
2:	jal	ra, 4f
	addi	s1, s1, -1
	bnez	s1, 2b
	li	s1, 8
5:	.option	rvc
	.rept	PLACE_STRETCH
	c.nop
	.endr
	.option	norvc
	addi	s1, s1, -1
	beqz	s1, 6f
	j	5b
6:
	ld	t1, 0(s0)
	addi	t1, t1, 1
	sd	t1, 0(s0)
	li	a7, 124		/* sched_yield */
	ecall
3:	auipc	t1, 0
	jalr	zero, 8(t1)
	j	1b
4:	ret
place_stay_end:

	.section .note.GNU-stack, "", @progbits
