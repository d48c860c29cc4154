/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * void chain(void (*bottom)(void)): eight functions, of which each calls the next
 * one and the last calls bottom(). chain_N is the Nth, chain_call_N the call in it.
 */
	.macro	link nr, next
	.globl	chain_\nr, chain_call_\nr
	.type	chain_\nr, @function
chain_\nr:
	addi	sp, sp, -16
	sd	ra, 8(sp)
chain_call_\nr:
	.ifb	\next
	jalr	ra, 0(a0)
	.else
	jal	ra, chain_\next
	.endif
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
	.size	chain_\nr, . - chain_\nr
	.endm

	.text
	.option	norvc
	link	1, 2
	link	2, 3
	link	3, 4
	link	4, 5
	link	5, 6
	link	6, 7
	link	7, 8
	link	8

	/* void dive(uint64_t depth): calls itself so often, and then the loop. */
	.globl	dive, dive_call
	.type	dive, @function
dive:
	addi	sp, sp, -16
	sd	ra, 8(sp)
	beqz	a0, 1f
	addi	a0, a0, -1
dive_call:
	jal	ra, dive
	j	2f
1:	li	a0, 20000
	jal	ra, place_loop
2:	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
	.size	dive, . - dive

	.section .note.GNU-stack, "", @progbits
