/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code of a KVM guest, to be copied to GUEST_START: a0 is where its tries are noted, a1
 * what it is to do, which the host says anew with each answer to its call.
 */
#include "kvm_guest.h"

	.text
	.option	norvc

	/* One instruction, which gives t0 or traps, and the note of it. */
	.macro	try insn:vararg
	li	t1, 0
	\insn
	sd	t0, 0(a0)
	sd	t1, 8(a0)
	addi	a0, a0, 16
	.endm

	.globl	guest_begin, guest_end
guest_begin:
	mv	s0, a0
	lla	t0, trap
	csrw	stvec, t0
again:	mv	s1, a1
	mv	a0, s0
	jal	tries
	/* The same as a user, who ends with a call. */
	lla	t0, user
	csrw	sepc, t0
	li	t0, 1 << 8
	csrc	sstatus, t0
	sret
user:	jal	tries
	ecall

	.balign	4
trap:	csrr	t1, scause
	li	t0, 8
	beq	t1, t0, leave
	csrr	t0, sepc
	addi	t0, t0, 4
	csrw	sepc, t0
	li	t0, 0
	sret
leave:	li	a7, GUEST_CALL
	ecall
	j	again

tries:	andi	t2, s1, GUEST_READ
	beqz	t2, write
	try	csrr	t0, 0x14e		/* sctrctl */
	try	csrr	t0, 0x14f		/* sctrstatus */
	try	csrr	t0, 0x15f		/* sctrdepth */
	try	csrr	t0, 0x24e		/* vsctrctl */
	try	csrr	t0, 0x150		/* siselect */
	li	t2, 0x200
	li	t3, 0x200 + GUEST_ENTRIES
1:	mv	t0, t2
	try	csrw	0x150, t0
	try	csrr	t0, 0x151		/* sireg: ctrsource */
	try	csrr	t0, 0x152		/* sireg2: ctrtarget */
	try	csrr	t0, 0x153		/* sireg3: ctrdata */
	addi	t2, t2, 1
	bne	t2, t3, 1b

write:	andi	t2, s1, GUEST_WRITE
	beqz	t2, 4f
	.insn	0x10400073			/* SCTRCLR */
	/* Record and make many records; write one that never was. */
	li	t0, 3
	csrw	0x14f, zero
	csrw	0x14e, t0
	li	t2, 300
2:	j	3f
	nop
3:	addi	t2, t2, -1
	bnez	t2, 2b
	li	t0, 0x203
	csrw	0x150, t0
	lla	t0, guest_begin + 1
	csrw	0x151, t0
	csrw	0x152, t0
	/* And one that looks like its host's kernel's. */
	li	t0, 0x204
	csrw	0x150, t0
	li	t0, GUEST_FORGED
	csrw	0x151, t0
	csrw	0x152, t0
	/* None before: a full one would have no room for what its host looks for. */
	li	t0, 0x205
	csrw	0x150, t0
	csrw	0x151, zero
	/* Record no more. */
	li	t0, 1 << 31
	csrs	0x14f, t0
4:	ret
guest_end:

	.section .note.GNU-stack, "", @progbits
