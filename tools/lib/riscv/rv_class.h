/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of work an instruction does, for counting an instruction mix. */
#ifndef RISCV_RV_CLASS_H
#define RISCV_RV_CLASS_H

#include <stdint.h>

enum rv_class {
	RV_CLASS_INTEGER,
	RV_CLASS_MULTIPLY, /* and divide */
	RV_CLASS_LOAD, /* scalar, floating-point ones too */
	RV_CLASS_STORE,
	RV_CLASS_ATOMIC, /* AMOs, lr, sc */
	RV_CLASS_FLOAT,
	RV_CLASS_VECTOR, /* vector loads and stores too */
	RV_CLASS_BRANCH, /* conditional */
	RV_CLASS_JUMP,
	RV_CLASS_CALL,
	RV_CLASS_RETURN,
	RV_CLASS_FENCE, /* and cache-block operations: MISC-MEM */
	RV_CLASS_SYSTEM, /* traps, returns from them, CSRs, wfi */
	RV_CLASS_OTHER, /* custom, reserved */
	RV_N_CLASSES
};

/*
 * The class of an encoding in a word, of which 16 bits count if its length is 2.
 * flags are those of rv_decode().
 */
enum rv_class rv_class(uint32_t word, unsigned int flags);

/* "integer", "multiply", ...: one word each; NULL for unknown numbers. */
const char *rv_class_name(unsigned int class);

#endif
