/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * void zoo(unsigned long rounds): one transfer of every kind that the instruction
 * set has, compressed or not, in each round. zoo_KIND is its address; the table
 * in filter.c says what each is.
 */
	.macro	site name
	.globl	zoo_\name
zoo_\name:
	.endm

	.macro	long
	.option	push
	.option	norvc
	.endm

	.macro	end
	.option	pop
	.endm

	.text
	.option	rvc
	.globl	zoo
	.type	zoo, @function
zoo:
	addi	sp, sp, -32
	sd	ra, 24(sp)
	sd	s0, 16(sp)
	sd	s1, 8(sp)
	mv	s0, a0
round:
	/* branches */
	long
	site	not_taken
	beq	s0, zero, 1f
	site	taken
	bne	s0, zero, 1f
	nop
1:
	end
	site	not_taken_c
	c.beqz	s0, 1f
	site	taken_c
	c.bnez	s0, 1f
	nop
1:
	/* jumps */
	long
	site	jump
	jal	zero, 1f
	nop
1:
	site	link_jump
	jal	t1, 1f
	nop
1:
	la	t2, 1f
	site	ind_jump
	jalr	zero, 0(t2)
	nop
1:
	la	t2, 1f
	site	ind_link_jump
	jalr	t1, 0(t2)
	nop
1:
	end
	site	jump_c
	c.j	1f
	nop
1:
	la	t2, 1f
	site	ind_jump_c
	c.jr	t2
	nop
1:
	/* calls */
	long
	site	call
	jal	ra, leaf
	site	call_t0
	jal	t0, leaf_t0
	la	s1, leaf_c
	site	ind_call
	jalr	ra, 0(s1)
	la	s1, leaf_t0
	site	ind_call_t0
	jalr	t0, 0(s1)
	la	ra, leaf
	site	ind_call_same
	jalr	ra, 0(ra)
	end
	la	s1, leaf_other
	site	ind_call_c
	c.jalr	s1
	/* co-routines: each swap leads to the place after the nop behind it */
	long
	la	t0, 1f
	site	swap
	jalr	ra, 0(t0)
	nop
1:
	la	ra, 1f
	site	swap_t0
	jalr	t0, 0(ra)
	nop
1:
	end
	la	t0, 1f
	site	swap_c
	c.jalr	t0
	nop
1:
	addi	s0, s0, -1
	long
	site	again
	bne	s0, zero, round
	end
	ld	ra, 24(sp)
	ld	s0, 16(sp)
	ld	s1, 8(sp)
	addi	sp, sp, 32
	ret
	.size	zoo, . - zoo

	long
leaf:
	site	ret
	jalr	zero, 0(ra)
leaf_t0:
	site	ret_t0
	jalr	zero, 0(t0)
leaf_other:
	site	ret_other
	jalr	t1, 0(ra)
	end
leaf_c:
	site	ret_c
	c.jr	ra

	.section .note.GNU-stack, "", @progbits
