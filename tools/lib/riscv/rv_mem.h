/* SPDX-License-Identifier: GPL-2.0-only */
/* The direction in which an instruction moves data between memory and registers. */
#ifndef RV_MEM_H
#define RV_MEM_H

#include <stdint.h>

enum rv_mem_way {
	RV_MEM_NONE,
	RV_MEM_LOAD,
	RV_MEM_STORE, /* also atomic operations, which do both */
};

struct rv_mem {
	enum rv_mem_way way;
	unsigned int bytes; /* 0: the opcode does not tell it, as for vectors */
};

/*
 * Returns it for an opcode of size bytes, 2 or 4. flags is RV_RV32 or 0, because c.flw of
 * RV32 is c.ld of RV64.
 */
struct rv_mem rv_mem_of(uint32_t opcode, unsigned int size, unsigned int flags);

#endif
