// SPDX-License-Identifier: GPL-2.0-only
#include "riscv/rv_mem.h"

#include <stdbool.h>

#include "riscv/rv_insn.h"

static const struct rv_mem none = { RV_MEM_NONE, 0 };

/* c.lbu, c.lhu and c.lh, c.sb, c.sh, in the bits below funct3. */
static struct rv_mem zcb(uint32_t opcode)
{
	const bool signed_half = opcode & 1 << 6;

	switch (opcode >> 10 & 7) {
	case 0:
		return (struct rv_mem){ RV_MEM_LOAD, 1 };
	case 1:
		return (struct rv_mem){ RV_MEM_LOAD, 2 };
	case 2:
		return (struct rv_mem){ RV_MEM_STORE, 1 };
	case 3: /* reserved for a store */
		return signed_half ? none : (struct rv_mem){ RV_MEM_STORE, 2 };
	}
	return none;
}

/* hlv, hlvx and hsv: funct7 is 0110, the width, and whether it stores. */
static struct rv_mem hypervisor(uint32_t opcode)
{
	const unsigned int funct3 = opcode >> 12 & 7;

	if (funct3 != 4 || opcode >> 28 != 6)
		return none;
	return (struct rv_mem){ opcode & 1 << 25 ? RV_MEM_STORE : RV_MEM_LOAD,
				1u << (opcode >> 26 & 3) };
}

/* Quadrants 0 and 2, but for Zcb: funct3 1 to 3 load, 5 to 7 store. */
static struct rv_mem compressed(uint32_t opcode, bool rv32)
{
	const uint8_t bytes[] = { 0, 8, 4, rv32 ? 4 : 8 };
	const unsigned int funct3 = opcode >> 13 & 7;
	enum rv_mem_way way = funct3 & 4 ? RV_MEM_STORE : RV_MEM_LOAD;

	if ((opcode & 3) == 0 && funct3 == 4)
		return zcb(opcode);
	if ((opcode & 3) == 1 || !(funct3 & 3))
		return none;
	return (struct rv_mem){ way, bytes[funct3 & 3] };
}

/* Widths 1 to 4 are of scalars, the others of vectors. */
static struct rv_mem floating(enum rv_mem_way way, unsigned int width)
{
	return (struct rv_mem){ way, width >= 1 && width <= 4 ? 1u << width :
								0 };
}

struct rv_mem rv_mem_of(uint32_t opcode, unsigned int size, unsigned int flags)
{
	const unsigned int funct3 = opcode >> 12 & 7;
	const unsigned int lr = 2, cbo_zero = 4;

	if (size == 2)
		return compressed(opcode, flags & RV_RV32);
	switch (opcode & 0x7f) {
	case 0x03: /* LOAD; the upper half without a sign */
		return (struct rv_mem){ RV_MEM_LOAD, 1u << (funct3 & 3) };
	case 0x07: /* LOAD-FP */
		return floating(RV_MEM_LOAD, funct3);
	case 0x0f: /* MISC-MEM: cbo.zero writes a block, of the hart's size */
		return funct3 == 2 && opcode >> 20 == cbo_zero ?
			       (struct rv_mem){ RV_MEM_STORE, 0 } :
			       none;
	case 0x23: /* STORE */
		return (struct rv_mem){ RV_MEM_STORE, 1u << (funct3 & 3) };
	case 0x27: /* STORE-FP */
		return floating(RV_MEM_STORE, funct3);
	case 0x2f: /* AMO; lr alone only reads */
		return (struct rv_mem){ opcode >> 27 == lr ? RV_MEM_LOAD :
							     RV_MEM_STORE,
					funct3 <= 4 ? 1u << funct3 : 0 };
	case 0x73: /* SYSTEM */
		return hypervisor(opcode);
	default:
		return none;
	}
}
