/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which record may follow which: the rules of the header (specification, the
 * records' own sections) and of the group of records that belong to one opcode.
 */
#ifndef STF_STF_ORDER_H
#define STF_STF_ORDER_H

#include "stf/stf.h"

/* All 0 before the first record. */
struct stf_order {
	bool header_ended;
	bool transactions; /* the trace is one of transactions */
	bool event; /* the open group has an EVENT */
	uint8_t last; /* the record before, 0 at the start of a group */
	uint8_t prev; /* the same without those that may stand anywhere */
	uint32_t seen; /* header records, a bit for each descriptor */
};

/*
 * Whether a record of this descriptor may come next. Returns NULL if so, else
 * the rule that it breaks, in words.
 */
const char *stf_order_check(const struct stf_order *order, unsigned int desc);

/*
 * Whether a record of one of the most frequent kinds may come next, at once: a
 * yes is stf_order_check()'s yes, a no says nothing.
 */
static inline bool stf_order_quick(const struct stf_order *order,
				   unsigned int desc)
{
	if (!order->header_ended || order->transactions)
		return false;
	switch (desc) {
	case STF_INST_32:
	case STF_INST_16:
		/* No access without its content. */
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

/* stf_order_take() for a record that stf_order_quick() took. */
static inline void stf_order_took(struct stf_order *order, unsigned int desc)
{
	if (desc >= STF_INST_32) {
		order->last = order->prev = 0;
		order->event = false;
	} else {
		order->last = order->prev = (uint8_t)desc;
	}
}

/* The record came. */
void stf_order_take(struct stf_order *order, unsigned int desc);

/* Whether the trace may end here; as stf_order_check(). */
const char *stf_order_end(const struct stf_order *order);

/* These close a group, and are what a container counts. */
static inline bool stf_is_marker(unsigned int desc)
{
	return desc == STF_INST_32 || desc == STF_INST_16 ||
	       desc == STF_TRANSACTION;
}

#endif
