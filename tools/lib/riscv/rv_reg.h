/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an instruction does to one integer register, as far as the instruction alone tells
 * it.
 */
#ifndef RV_REG_H
#define RV_REG_H

#include <stdint.h>

enum rv_effect {
	RV_KEEPS, /* the register keeps its value */
	RV_SETS, /* the register gets a constant: li, lui */
	RV_CHANGES, /* the register may get any value */
};

/* the register of the system call's number in the ABI of Linux */
enum { RV_A7 = 17 };

/*
 * Returns the effect of an opcode of size bytes, 2 or 4, on register reg. With RV_SETS,
 * *value is the constant. For calls and jumps, only the registers that they write
 * themselves count. RV_CHANGES is also the result for an instruction that seems to write
 * the register, but writes one of another kind.
 */
enum rv_effect rv_effect_on(uint32_t opcode, unsigned int size,
			    unsigned int reg, int64_t *value);

#endif
