/* SPDX-License-Identifier: GPL-2.0-only */
/* The kind of work that an instruction does, to count an instruction mix. */
#ifndef RISCV_RV_CLASS_H
#define RISCV_RV_CLASS_H

#include <stdint.h>

enum rv_class {
	RV_CLASS_INTEGER,
	RV_CLASS_MULTIPLY, /* also divide */
	RV_CLASS_LOAD, /* scalar loads, also those of floating point */
	RV_CLASS_STORE,
	RV_CLASS_ATOMIC, /* AMOs, lr, sc */
	RV_CLASS_FLOAT,
	RV_CLASS_VECTOR, /* also vector loads and stores */
	RV_CLASS_BRANCH, /* conditional */
	RV_CLASS_JUMP,
	RV_CLASS_CALL,
	RV_CLASS_RETURN,
	RV_CLASS_FENCE, /* also cache-block operations: MISC-MEM */
	RV_CLASS_SYSTEM, /* traps, trap returns, CSRs, wfi */
	RV_CLASS_OTHER, /* custom and reserved encodings */
	RV_N_CLASSES
};

/*
 * Returns the class of an encoding. If its length is 2 bytes, the lower 16 bits of word
 * count. flags are those of rv_decode().
 */
enum rv_class rv_class(uint32_t word, unsigned int flags);

/*
 * Returns the name of a class in one word: "integer", "multiply", ... Returns NULL for an
 * unknown number.
 */
const char *rv_class_name(unsigned int class);

#endif
