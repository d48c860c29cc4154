/* SPDX-License-Identifier: GPL-2.0-only */
/* What an instruction does to one integer register, as far as it alone tells. */
#ifndef RV_REG_H
#define RV_REG_H

#include <stdint.h>

enum rv_effect {
	RV_KEEPS, /* the register holds what it held */
	RV_SETS, /* it holds a constant: li, lui */
	RV_CHANGES, /* it may hold anything */
};

enum { RV_A7 = 17 }; /* the system call's number, by the ABI of Linux */

/*
 * opcode has size bytes, 2 or 4. *value is set for RV_SETS. Calls and jumps are
 * judged by what they write themselves. RV_CHANGES is also what is said of an
 * instruction that looks as if it wrote the register, and writes another kind's.
 */
enum rv_effect rv_effect_on(uint32_t opcode, unsigned int size,
			    unsigned int reg, int64_t *value);

#endif
