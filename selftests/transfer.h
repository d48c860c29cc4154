/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A second opinion on what an instruction can do, written from the instruction
 * set alone: the tests hold the module's records against it.
 */
#ifndef SELFTESTS_TRANSFER_H
#define SELFTESTS_TRANSFER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool is_link(unsigned int reg)
{
	return reg == 1 || reg == 5;
}

static inline int indirect_type(unsigned int rd, unsigned int rs)
{
	if (is_link(rd))
		return PERF_BR_IND_CALL;
	return is_link(rs) ? PERF_BR_RET : PERF_BR_IND;
}

/*
 * perf's type of the transfer that the instruction at @pc makes, and its target
 * where the instruction says it (else 0); 0 if it makes none. @pc is in this
 * program's own memory.
 */
static inline int transfer_at(uint64_t pc, uint64_t *target)
{
	const uint16_t *parcel = (const uint16_t *)pc;
	uint32_t insn = parcel[0];
	unsigned int rd, rs;
	int64_t offset;

	*target = 0;
	if ((insn & 3) == 3)
		insn |= (uint32_t)parcel[1] << 16;
	rd = insn >> 7 & 31;
	rs = insn >> 15 & 31;

	if ((insn & 0x7f) == 0x63) {
		offset = (int32_t)(insn & 0x80000000) >> 19;
		offset |= (insn >> 7 & 0x1e) | (insn >> 20 & 0x7e0) |
			  (insn << 4 & 0x800);
		*target = pc + offset;
		return PERF_BR_COND;
	}
	if ((insn & 0x7f) == 0x6f) {
		offset = (int32_t)(insn & 0x80000000) >> 11;
		offset |= (insn & 0xff000) | (insn >> 9 & 0x800) |
			  (insn >> 20 & 0x7fe);
		*target = pc + offset;
		return is_link(rd) ? PERF_BR_CALL : PERF_BR_UNCOND;
	}
	if ((insn & 0x707f) == 0x67)
		return indirect_type(rd, rs);
	if ((insn & 3) == 2 && (insn & 0xe07c) == 0x8000 && rd)
		return indirect_type(insn & 0x1000 ? 1 : 0, rd);
	if ((insn & 0xe003) == 0xa001) {
		/* c.j: imm[11|4|9:8|10|6|7|3:1|5] in bits 12 to 2 */
		offset = (int64_t)((uint64_t)(insn >> 12 & 1) << 63) >> 52;
		offset |= (insn >> 11 & 1) << 4 | (insn >> 9 & 3) << 8 |
			  (insn >> 8 & 1) << 10 | (insn >> 7 & 1) << 6 |
			  (insn >> 6 & 1) << 7 | (insn >> 3 & 7) << 1 |
			  (insn >> 2 & 1) << 5;
		*target = pc + offset;
		return PERF_BR_UNCOND;
	}
	if ((insn & 0xc003) == 0xc001) {
		/* c.beqz, c.bnez: imm[8|4:3] in 12 to 10, [7:6|2:1|5] in 6 to 2 */
		offset = (int64_t)((uint64_t)(insn >> 12 & 1) << 63) >> 55;
		offset |= (insn >> 10 & 3) << 3 | (insn >> 5 & 3) << 6 |
			  (insn >> 3 & 3) << 1 | (insn >> 2 & 1) << 5;
		*target = pc + offset;
		return PERF_BR_COND;
	}
	return 0;
}

#endif
