/* SPDX-License-Identifier: BSD-2-Clause */
/* The short way of writing: the bytes of the most frequent records. */
#ifndef STF_STF_QUICK_H
#define STF_STF_QUICK_H

#include "stf/stf_bytes.h"
#include "stf/stf_order.h"

/* No record that stf_quick_put() puts is longer, in bytes. */
enum { STF_QUICK_ROOM = 1 + 8 + 2 + 2 + 1 };

/*
 * Put the bytes of a record to p, where STF_QUICK_ROOM bytes must be free, if it is one of
 * the most frequent records, and nothing about it is to be refused. Returns the length in
 * bytes. Otherwise returns 0, which proves nothing. The order's question is asked with a
 * constant, so that little of it is left.
 */
static inline unsigned int stf_quick_put(const struct stf_order *order,
					 const struct stf_record *rec, uint8_t *p)
{
	switch (rec->desc) {
	case STF_INST_16:
		if (!stf_order_quick(order, STF_INST_16) ||
		    rec->opcode > UINT16_MAX)
			return 0;
		p[0] = STF_INST_16;
		stf_put16(p + 1, (uint16_t)rec->opcode);
		return 1 + 2;
	case STF_INST_32:
		if (!stf_order_quick(order, STF_INST_32))
			return 0;
		p[0] = STF_INST_32;
		stf_put32(p + 1, rec->opcode);
		return 1 + 4;
	case STF_INST_MEM_ACCESS:
		if (!stf_order_quick(order, STF_INST_MEM_ACCESS))
			return 0;
		p[0] = STF_INST_MEM_ACCESS;
		stf_put64(p + 1, rec->mem_access.address);
		stf_put16(p + 9, rec->mem_access.size);
		stf_put16(p + 11, rec->mem_access.attributes);
		p[13] = rec->mem_access.access;
		return STF_QUICK_ROOM;
	case STF_INST_MEM_CONTENT:
		if (!stf_order_quick(order, STF_INST_MEM_CONTENT))
			return 0;
		p[0] = STF_INST_MEM_CONTENT;
		stf_put64(p + 1, rec->content);
		return 1 + 8;
	case STF_INST_PC_TARGET:
		if (!stf_order_quick(order, STF_INST_PC_TARGET))
			return 0;
		p[0] = STF_INST_PC_TARGET;
		stf_put64(p + 1, rec->pc);
		return 1 + 8;
	case STF_INST_REG:
		if (!stf_order_quick(order, STF_INST_REG) ||
		    rec->reg.type > 0xf || rec->reg.operand > 0xf ||
		    rec->reg.type == STF_REG_VEC)
			return 0;
		p[0] = STF_INST_REG;
		stf_put16(p + 1, rec->reg.number);
		p[3] = (uint8_t)(rec->reg.operand << 4 | rec->reg.type);
		stf_put64(p + 4, rec->reg.value);
		return 1 + 2 + 1 + 8;
	}
	return 0;
}

#endif
