// SPDX-License-Identifier: GPL-2.0-only
#include "ctr_entry.h"

/*
 * A co-routine swap pops one return address and pushes another; perf has no such
 * type, and its push is what a reader of call chains must not miss. The "other"
 * jumps with linkage write a register that no calling convention returns through:
 * PLT stubs and millicode. To perf they are jumps.
 */
static const __u8 perf_type[CTR_TYPE_COUNT] = {
	[CTR_TYPE_NONE] = PERF_BR_UNKNOWN,
	[CTR_TYPE_EXCEPTION] = PERF_BR_UNKNOWN,
	[CTR_TYPE_INTERRUPT] = PERF_BR_IRQ,
	[CTR_TYPE_TRAP_RETURN] = PERF_BR_ERET,
	[CTR_TYPE_NOT_TAKEN] = PERF_BR_COND,
	[CTR_TYPE_TAKEN] = PERF_BR_COND,
	[6] = PERF_BR_UNKNOWN,
	[7] = PERF_BR_UNKNOWN,
	[CTR_TYPE_IND_CALL] = PERF_BR_IND_CALL,
	[CTR_TYPE_DIR_CALL] = PERF_BR_CALL,
	[CTR_TYPE_IND_JUMP] = PERF_BR_IND,
	[CTR_TYPE_DIR_JUMP] = PERF_BR_UNCOND,
	[CTR_TYPE_CO_SWAP] = PERF_BR_IND_CALL,
	[CTR_TYPE_RETURN] = PERF_BR_RET,
	[CTR_TYPE_IND_LINK_JUMP] = PERF_BR_IND,
	[CTR_TYPE_DIR_LINK_JUMP] = PERF_BR_UNCOND,
};

/*
 * Transfers by instructions: MISP is theirs. A type that the hart does not say may
 * be a trap.
 */
#define TYPES_PREDICTED							\
	(CTR_TYPES_ALL & ~(CTR_TYPES(CTR_TYPE_NONE) |			\
			   CTR_TYPES(CTR_TYPE_EXCEPTION) |		\
			   CTR_TYPES(CTR_TYPE_INTERRUPT) |		\
			   CTR_TYPES(CTR_TYPE_TRAP_RETURN)))

/*
 * The upper half of the address space is the kernel's, the lower one the user's. So is
 * address 0 where neither side has another: the hart never blanks both.
 */
static unsigned int priv_of(__u64 pc)
{
	return pc >> 63 ? PERF_BR_PRIV_KERNEL : PERF_BR_PRIV_USER;
}

static void set_exception(enum ctr_cause cause, struct perf_branch_entry *perf)
{
	switch (cause) {
	case CTR_CAUSE_ECALL:
		perf->type = PERF_BR_SYSCALL;
		return;
	case CTR_CAUSE_BREAKPOINT:
		perf->new_type = PERF_BR_NEW_ARCH_1;
		break;
	case CTR_CAUSE_DATA:
		perf->new_type = PERF_BR_NEW_FAULT_DATA;
		break;
	case CTR_CAUSE_FETCH:
		perf->new_type = PERF_BR_NEW_FAULT_INST;
		break;
	case CTR_CAUSE_UNKNOWN:
		return;
	}
	perf->type = PERF_BR_EXTEND_ABI;
}

void ctr_entry_to_perf(const struct ctr_entry *entry,
		       const struct ctr_entry_context *context,
		       struct perf_branch_entry *perf)
{
	enum ctr_type type = ctr_entry_type(entry);
	__u64 from = ctr_entry_from(entry);
	__u64 to = ctr_entry_to(entry);
	bool mispred = ctr_entry_mispredicted(entry);
	bool predicted = context->tells_misp && !mispred &&
			 (CTR_TYPES(type) & TYPES_PREDICTED);

	*perf = (struct perf_branch_entry){
		.from = from,
		.to = to,
		.mispred = mispred && !context->no_flags,
		.predicted = predicted && !context->no_flags,
		.cycles = context->no_cycles ? 0 :
			  ctr_entry_perf_cycles(entry, CTR_PERF_MAX_CYCLES),
		.type = perf_type[type],
		/* As other architectures do: the mode that was entered. */
		.priv = priv_of(to ? to : from),
	};
	if (type == CTR_TYPE_EXCEPTION)
		set_exception(context->cause, perf);
}
