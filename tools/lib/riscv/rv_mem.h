/* SPDX-License-Identifier: GPL-2.0-only */
/* Which way an instruction moves data between memory and registers. */
#ifndef RV_MEM_H
#define RV_MEM_H

#include <stdint.h>

enum rv_mem_way {
	RV_MEM_NONE,
	RV_MEM_LOAD,
	RV_MEM_STORE, /* and atomic operations, which do both */
};

struct rv_mem {
	enum rv_mem_way way;
	unsigned int bytes; /* 0: the opcode does not tell, as for vectors */
};

/* opcode has size bytes, 2 or 4. flags: RV_RV32, whose c.flw is RV64's c.ld. */
struct rv_mem rv_mem_of(uint32_t opcode, unsigned int size, unsigned int flags);

#endif
