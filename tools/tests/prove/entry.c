// SPDX-License-Identifier: GPL-2.0-only
/* One record as perf's branch entry, held against the specification's text. */
#include <stddef.h>

#include "ctr/model.h"
#include "prove.h"

static struct ctr_entry any_entry(void)
{
	return (struct ctr_entry){ nondet_u64(), nondet_u64(), nondet_u64() };
}

static struct ctr_entry_context any_context(void)
{
	__u64 cause = nondet_u64();

	ASSUME(cause <= CTR_CAUSE_FETCH);
	return (struct ctr_entry_context){
		.tells_misp = nondet_u64() & 1,
		.cause = (enum ctr_cause)cause,
		.no_flags = nondet_u64() & 1,
		.no_cycles = nondet_u64() & 1,
	};
}

static struct perf_branch_entry shown(const struct ctr_entry *entry,
				      const struct ctr_entry_context *context)
{
	struct perf_branch_entry perf;

	ctr_entry_to_perf(entry, context, &perf);
	return perf;
}

PROVE(cycles_are_those_of_the_specification_s_formula)
{
	struct ctr_entry entry = any_entry();
	__u64 ccm = entry.data >> 16 & 0xfff;
	__u64 cce = entry.data >> 28 & 0xf;
	__u64 want = cce == 0 ? ccm : ((1 << 12) + ccm) << (cce - 1);

	if (!(entry.data >> 15 & 1))
		want = 0;
	CHECK(ctr_entry_cycles(&entry) == want);
	CHECK(want <= 134201344);
}

/* The greater CC is, the greater its cycles are. */
PROVE(cycles_grow_with_what_the_hart_says)
{
	struct ctr_entry less = any_entry(), more = any_entry();

	ASSUME(less.data & more.data & CTR_DATA_CCV);
	ASSUME((less.data >> 16 & 0xffff) < (more.data >> 16 & 0xffff));
	CHECK(ctr_entry_cycles(&less) < ctr_entry_cycles(&more));
	CHECK(ctr_entry_perf_cycles(&less, CTR_PERF_MAX_CYCLES) <=
	      ctr_entry_perf_cycles(&more, CTR_PERF_MAX_CYCLES));
}

/* A branch to 0 after @cycles, as the reference model's hart records it. */
static struct ctr_entry branch_after(__u32 cycles)
{
	static const struct model_transfer branch = { .type = CTR_TYPE_TAKEN };
	struct ctr_entry entry;
	struct model model;

	model_init(&model, NULL);
	model_write_csr(&model, CTR_CSR_SCTRCTL, CTR_CTL_U);
	model_transfer(&model, &branch);
	model_pass(&model, MODEL_U, cycles);
	model_transfer(&model, &branch);
	model_read_entry(&model, 0, &entry);
	return entry;
}

PROVE(cycles_are_those_that_passed_rounded_down_as_the_hart_does)
{
	__u32 passed = nondet_u64() & ~0U;
	struct ctr_entry entry = branch_after(passed);
	__u32 cycles = ctr_entry_cycles(&entry);
	unsigned int cce = entry.data >> 28 & 0xf;

	if (passed > 134217727)		/* the counter is full */
		passed = 134217727;
	CHECK(cycles <= passed);
	CHECK(passed - cycles < (cce ? 1U << (cce - 1) : 1));
	CHECK(passed >= 4096 || cycles == passed);
}

PROVE(cycles_fit_perf_s_field)
{
	struct ctr_entry entry = any_entry();
	__u64 max = nondet_u64();
	__u32 cycles = ctr_entry_cycles(&entry);

	ASSUME(max <= CTR_PERF_MAX_CYCLES);
	CHECK(ctr_entry_perf_cycles(&entry, max) ==
	      (cycles < max ? cycles : max));
}

/* docs/driver.md, "Types, flags, cycles"; the specification's table of types. */
static unsigned int type_of(unsigned int type, enum ctr_cause cause)
{
	switch (type) {
	case 1:	/* exception */
		return cause == CTR_CAUSE_UNKNOWN ? PERF_BR_UNKNOWN :
		       cause == CTR_CAUSE_ECALL	  ? PERF_BR_SYSCALL :
						    PERF_BR_EXTEND_ABI;
	case 2:	/* interrupt */
		return PERF_BR_IRQ;
	case 3:	/* trap return */
		return PERF_BR_ERET;
	case 4:	/* not-taken branch */
	case 5:	/* taken branch */
		return PERF_BR_COND;
	case 8:	/* indirect call */
	case 12:	/* co-routine swap */
		return PERF_BR_IND_CALL;
	case 9:	/* direct call */
		return PERF_BR_CALL;
	case 10:	/* indirect jump without linkage, and others with it */
	case 14:
		return PERF_BR_IND;
	case 11:	/* direct jump, the same */
	case 15:
		return PERF_BR_UNCOND;
	case 13:	/* function return */
		return PERF_BR_RET;
	default:	/* reserved, or the hart does not say */
		return PERF_BR_UNKNOWN;
	}
}

static unsigned int new_type_of(unsigned int type, enum ctr_cause cause)
{
	if (type != 1)
		return 0;
	return cause == CTR_CAUSE_BREAKPOINT ? PERF_BR_NEW_ARCH_1 :
	       cause == CTR_CAUSE_DATA	     ? PERF_BR_NEW_FAULT_DATA :
	       cause == CTR_CAUSE_FETCH	     ? PERF_BR_NEW_FAULT_INST :
					       0;
}

PROVE(each_type_is_perf_s_type_for_it)
{
	struct ctr_entry entry = any_entry();
	struct ctr_entry_context context = any_context();
	struct perf_branch_entry perf = shown(&entry, &context);

	CHECK(perf.type == type_of(entry.data & 15, context.cause));
	CHECK(perf.new_type == new_type_of(entry.data & 15, context.cause));
}

PROVE(addresses_are_the_record_s_without_its_flags)
{
	struct ctr_entry entry = any_entry();
	struct ctr_entry_context context = any_context();
	struct perf_branch_entry perf = shown(&entry, &context);

	CHECK(perf.from == (entry.source >> 1) << 1);
	CHECK(perf.to == (entry.target >> 1) << 1);
	CHECK(ctr_entry_valid(&entry) == (entry.source & 1));
}

PROVE(the_privilege_is_that_of_the_target_or_else_of_the_source)
{
	struct ctr_entry entry = any_entry();
	struct ctr_entry_context context = any_context();
	struct perf_branch_entry perf = shown(&entry, &context);
	__u64 pc = perf.to ? perf.to : perf.from;

	CHECK(perf.priv == (pc >= 1ULL << 63 ? PERF_BR_PRIV_KERNEL :
					       PERF_BR_PRIV_USER));
}

/* Never both, and nothing without the hart's word. */
PROVE(flags_are_what_the_hart_says_and_the_reader_wants)
{
	struct ctr_entry entry = any_entry();
	struct ctr_entry_context context = any_context();
	struct perf_branch_entry perf = shown(&entry, &context);
	bool misp = entry.target & 1;
	bool is_branch = (entry.data & 15) > 3;	/* of an instruction */

	CHECK(perf.mispred == (misp && !context.no_flags));
	CHECK(perf.predicted == (!misp && !context.no_flags &&
				 context.tells_misp && is_branch));
}

PROVE(cycles_are_shown_to_who_wants_them)
{
	struct ctr_entry entry = any_entry();
	struct ctr_entry_context context = any_context();
	struct perf_branch_entry perf = shown(&entry, &context);
	__u32 cycles = ctr_entry_cycles(&entry);

	CHECK(perf.cycles == (context.no_cycles ? 0 :
			      cycles > 65535	? 65535 :
						  cycles));
}

PROVE(nothing_else_is_said_of_a_record)
{
	struct ctr_entry entry = any_entry();
	struct ctr_entry_context context = any_context();
	struct perf_branch_entry perf = shown(&entry, &context);

	CHECK(!perf.in_tx && !perf.abort && !perf.spec && !perf.reserved);
}
