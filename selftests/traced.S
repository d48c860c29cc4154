/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells the plug-in `transfers` to log a program from its first instruction on:
 *
 *   traced MW PROGRAM [ARGUMENT]...
 *
 * M is the number of a mark (mark.h), W a character, whose code is the window's
 * number. It takes no branch, so that a recording of it shows none.
 */
#define SYS_exit	93
#define SYS_execve	221

	.globl	_start
_start:
	ld	t0, 16(sp)
	lbu	a0, 0(t0)
	addi	a0, a0, -'0'
	lbu	a1, 1(t0)
	slti	x0, x0, 0x5c7
	/* The arguments from the second on, and behind all of them what is set. */
	ld	a0, 24(sp)
	addi	a1, sp, 24
	ld	a2, 0(sp)
	slli	a2, a2, 3
	add	a2, a2, sp
	addi	a2, a2, 16
	/* What the plug-in knows the program by: the kernel leaves these as they are. */
	li	ra, 0
	li	tp, 0
	li	a7, SYS_execve
	ecall
	li	a0, 127
	li	a7, SYS_exit
	ecall
	.section .note.GNU-stack, "", %progbits
