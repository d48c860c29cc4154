/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of records: the rules of the header (specification, the sections of the
 * records) and of the group of records that belongs to one opcode.
 */
#ifndef STF_STF_ORDER_H
#define STF_STF_ORDER_H

#include "stf/stf.h"

/* Set all members to 0 before the first record. */
struct stf_order {
	bool header_ended;
	bool transactions; /* this is a trace of transactions */
	bool in_insts; /* header_ended and not transactions, for stf_order_quick() */
	bool event; /* the open group has an EVENT */
	uint8_t last; /* the record before; 0 at the start of a group */
	uint8_t prev; /* the same, without records that can stand anywhere */
	/* the records in the header, one bit for each descriptor */
	uint32_t seen;
};

/*
 * Check whether a record with this descriptor can come next. Returns NULL if it can.
 * Otherwise returns the rule that it breaks, in words.
 */
const char *stf_order_check(const struct stf_order *order, unsigned int desc);

/*
 * A quick check for the most frequent records. true means that stf_order_check() would
 * return NULL. false proves nothing.
 */
static inline bool stf_order_quick(const struct stf_order *order,
				   unsigned int desc)
{
	if (!order->in_insts)
		return false;
	switch (desc) {
	case STF_INST_32:
	case STF_INST_16:
		/* An access must be followed by its content. */
		return order->last != STF_INST_MEM_ACCESS &&
		       order->last != STF_BUS_MASTER_ACCESS;
	case STF_INST_MEM_CONTENT:
		return order->last == STF_INST_MEM_ACCESS;
	case STF_INST_MEM_ACCESS:
		return order->last < STF_INST_MEM_ACCESS &&
		       order->prev < STF_INST_MEM_ACCESS;
	case STF_INST_PC_TARGET:
	case STF_INST_REG:
		return order->last <= desc && order->prev <= desc;
	}
	return false;
}

/* Like stf_order_take(), for a record that stf_order_quick() has accepted. */
static inline void stf_order_took(struct stf_order *order, unsigned int desc)
{
	if (desc >= STF_INST_32) {
		order->last = order->prev = 0;
		order->event = false;
	} else {
		order->last = order->prev = (uint8_t)desc;
	}
}

/* Take a record that comes next. */
void stf_order_take(struct stf_order *order, unsigned int desc);

/* Check whether the trace can end here. Returns like stf_order_check(). */
const char *stf_order_end(const struct stf_order *order);

/* Returns whether the record closes a group. A container counts these records. */
static inline bool stf_is_marker(unsigned int desc)
{
	return desc == STF_INST_32 || desc == STF_INST_16 ||
	       desc == STF_TRANSACTION;
}

#endif
