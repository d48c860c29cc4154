// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_order.h"

#define BIT(_desc) (UINT32_C(1) << (_desc))

/* Header records have descriptors below 32, so a set of them is a word. */
#define HEADER_RECORDS                                                         \
	(BIT(STF_IDENTIFIER) | BIT(STF_VERSION) | BIT(STF_COMMENT) |           \
	 BIT(STF_ISA) | BIT(STF_INST_IEM) | BIT(STF_TRACE_INFO) |              \
	 BIT(STF_TRACE_INFO_FEATURE) | BIT(STF_PROCESS_ID_EXT) |               \
	 BIT(STF_FORCE_PC) | BIT(STF_VLEN_CONFIG) | BIT(STF_PROTOCOL_ID) |     \
	 BIT(STF_CLOCK_ID) | BIT(STF_ISA_EXTENDED) | BIT(STF_END_HEADER))

#define REPEATABLE (BIT(STF_COMMENT) | BIT(STF_TRACE_INFO) | BIT(STF_CLOCK_ID))

/* In the header and anywhere between the records of a group. */
#define ANYWHERE (BIT(STF_COMMENT) | BIT(STF_PROCESS_ID_EXT) | BIT(STF_FORCE_PC))

static bool in_set(uint32_t set, unsigned int desc)
{
	return desc < 32 && set & BIT(desc);
}

/*
 * What readers demand. A COMMENT is demanded by the specification alone, and
 * missing from what simulators write: stf_check() reports that.
 */
static const char *check_end_header(const struct stf_order *order)
{
	static const struct {
		enum stf_desc desc;
		bool of_all; /* of transactions, too */
		const char *missing;
	} demanded[] = {
		{ STF_ISA, false, "the header has no ISA" },
		{ STF_INST_IEM, false, "the header has no INST_IEM" },
		{ STF_TRACE_INFO, true, "the header has no TRACE_INFO" },
		{ STF_TRACE_INFO_FEATURE, true,
		  "the header has no TRACE_INFO_FEATURE" },
		{ STF_FORCE_PC, false, "the header has no FORCE_PC" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(demanded) / sizeof(demanded[0]); i++)
		if ((demanded[i].of_all || !order->transactions) &&
		    !in_set(order->seen, demanded[i].desc))
			return demanded[i].missing;
	return NULL;
}

static const char *check_header(const struct stf_order *order,
				unsigned int desc)
{
	if (!order->seen)
		return desc == STF_IDENTIFIER ?
			       NULL : "a trace starts with IDENTIFIER";
	if (order->seen == BIT(STF_IDENTIFIER))
		return desc == STF_VERSION ?
			       NULL : "VERSION follows IDENTIFIER";
	if (!in_set(HEADER_RECORDS, desc))
		return "it is not a header record, and the header has not ended";
	if (in_set(order->seen & ~REPEATABLE, desc))
		return "the header has one already";
	if (desc == STF_INST_IEM && !in_set(order->seen, STF_ISA))
		return "ISA comes before INST_IEM";
	if (desc == STF_END_HEADER)
		return check_end_header(order);
	return NULL;
}

/* The exceptions from "descriptors of a group do not decrease". */
static bool may_decrease(unsigned int prev, unsigned int desc)
{
	switch (desc) {
	case STF_INST_PC_TARGET:
		return prev == STF_INST_REG || prev == STF_PAGE_TABLE_WALK;
	case STF_INST_REG:
		return prev == STF_PAGE_TABLE_WALK ||
		       prev == STF_INST_MEM_CONTENT ||
		       prev == STF_BUS_MASTER_CONTENT;
	case STF_INST_MEM_ACCESS:
		return prev == STF_INST_MEM_CONTENT;
	case STF_BUS_MASTER_ACCESS:
		return prev == STF_BUS_MASTER_CONTENT;
	case STF_EVENT:
		return prev == STF_EVENT_PC_TARGET;
	case STF_TRANSACTION:
		return prev == STF_TRANSACTION_DEPENDENCY;
	}
	return false;
}

static const char *check_kind(const struct stf_order *order, unsigned int desc)
{
	bool transaction = desc == STF_TRANSACTION ||
			   desc == STF_TRANSACTION_DEPENDENCY;

	if (transaction && !order->transactions)
		return "only a trace with PROTOCOL_ID has transactions";
	if (!transaction && order->transactions)
		return "a trace of transactions has no instructions";
	return NULL;
}

static const char *check_group(const struct stf_order *order, unsigned int desc)
{
	if (order->last == STF_INST_MEM_ACCESS && desc != STF_INST_MEM_CONTENT)
		return "INST_MEM_CONTENT follows INST_MEM_ACCESS";
	if (order->last == STF_BUS_MASTER_ACCESS &&
	    desc != STF_BUS_MASTER_CONTENT)
		return "BUS_MASTER_CONTENT follows BUS_MASTER_ACCESS";
	if (in_set(ANYWHERE, desc))
		return NULL;
	if (in_set(HEADER_RECORDS, desc))
		return "it is a header record, and the header has ended";
	if (desc == STF_INST_MEM_CONTENT && order->prev != desc &&
	    order->prev != STF_INST_MEM_ACCESS)
		return "INST_MEM_CONTENT needs an INST_MEM_ACCESS before it";
	if (desc == STF_BUS_MASTER_CONTENT && order->prev != desc &&
	    order->prev != STF_BUS_MASTER_ACCESS)
		return "BUS_MASTER_CONTENT needs a BUS_MASTER_ACCESS before it";
	if (desc == STF_EVENT_PC_TARGET && !order->event)
		return "EVENT_PC_TARGET needs an EVENT in its group";
	if (desc < order->prev && !may_decrease(order->prev, desc))
		return "descriptors of a group do not decrease";
	return check_kind(order, desc);
}

const char *stf_order_check(const struct stf_order *order, unsigned int desc)
{
	return order->header_ended ? check_group(order, desc) :
				     check_header(order, desc);
}

static void take_header(struct stf_order *order, unsigned int desc)
{
	order->seen |= BIT(desc);
	if (desc == STF_PROTOCOL_ID)
		order->transactions = true;
	if (desc == STF_END_HEADER) {
		order->header_ended = true;
		order->in_insts = !order->transactions;
	}
}

void stf_order_take(struct stf_order *order, unsigned int desc)
{
	if (!order->header_ended) {
		take_header(order, desc);
	} else if (stf_is_marker(desc)) {
		order->last = 0;
		order->prev = 0;
		order->event = false;
	} else {
		order->last = (uint8_t)desc;
		if (!in_set(ANYWHERE, desc))
			order->prev = (uint8_t)desc;
		if (desc == STF_EVENT)
			order->event = true;
	}
}

const char *stf_order_end(const struct stf_order *order)
{
	if (!order->header_ended)
		return "the header has not ended";
	if (order->prev)
		return "the last group has no opcode";
	return NULL;
}
