// SPDX-License-Identifier: GPL-2.0-only
#include "test.h"
#include "ctr_entry.h"

#define USER	0x10000ull
#define KERNEL	0xffffffff80001000ull

/* ctrdata by the figure in "Control Transfer Record Metadata Register". */
static __u64 data(unsigned int type, bool ccv, unsigned int cce, unsigned int ccm)
{
	return (__u64)cce << 28 | (__u64)ccm << 16 | (__u64)ccv << 15 | type;
}

static __u32 cycles(unsigned int cce, unsigned int ccm)
{
	struct ctr_entry entry = { 1, 0, data(5, true, cce, ccm) };

	return ctr_entry_cycles(&entry);
}

static struct perf_branch_entry decode(__u64 source, __u64 target, __u64 data)
{
	struct ctr_entry entry = { source, target, data };
	struct perf_branch_entry perf;

	ctr_entry_to_perf(&entry, &(struct ctr_entry_context){ 0 }, &perf);
	return perf;
}

static struct perf_branch_entry decode_with(__u64 target, unsigned int type,
					    bool tells_misp, enum ctr_cause cause)
{
	struct ctr_entry entry = { USER | 1, target, type };
	struct ctr_entry_context context = {
		.tells_misp = tells_misp,
		.cause = cause,
	};
	struct perf_branch_entry perf;

	ctr_entry_to_perf(&entry, &context, &perf);
	return perf;
}

TEST(valid_is_bit_0_of_the_source)
{
	struct ctr_entry entry = { USER, USER | 1, ~0ull };

	CHECK(!ctr_entry_valid(&entry));
	entry.source |= 1;
	CHECK(ctr_entry_valid(&entry));
}

TEST(pcs_lose_their_flag_bits)
{
	struct perf_branch_entry perf = decode(USER | 3, USER | 7, 5);

	CHECK_EQ(perf.from, USER | 2);
	CHECK_EQ(perf.to, USER | 6);
}

TEST(high_pc_bits_are_kept)
{
	struct perf_branch_entry perf = decode(~0ull, ~0ull, 5);

	CHECK_EQ(perf.from, ~1ull);
	CHECK_EQ(perf.to, ~1ull);
}

TEST(misp_is_bit_0_of_the_target)
{
	CHECK_EQ(decode(1, 1, 5).mispred, 1);
	CHECK_EQ(decode(1, 0, 5).mispred, 0);
}

TEST(a_hart_that_was_not_seen_to_tell_predicts_nothing)
{
	CHECK_EQ(decode(1, 0, 5).predicted, 0);
	CHECK_EQ(decode(1, 1, 5).predicted, 0);
}

TEST(a_hart_that_tells_predicts_what_it_does_not_miss)
{
	CHECK_EQ(decode_with(USER, 5, true, 0).predicted, 1);
	CHECK_EQ(decode_with(USER, 5, true, 0).mispred, 0);
	CHECK_EQ(decode_with(USER | 1, 5, true, 0).predicted, 0);
	CHECK_EQ(decode_with(USER | 1, 5, true, 0).mispred, 1);
}

/* All that a record may say, of a hart that says it: MISP if @misp, 100 cycles. */
static struct perf_branch_entry decode_less(bool misp, bool no_flags,
					    bool no_cycles)
{
	struct ctr_entry entry = { USER | 1, USER | misp, data(5, true, 0, 100) };
	struct ctr_entry_context context = {
		.tells_misp = true,
		.no_flags = no_flags,
		.no_cycles = no_cycles,
	};
	struct perf_branch_entry perf;

	ctr_entry_to_perf(&entry, &context, &perf);
	return perf;
}

TEST(no_flags_leaves_out_prediction_and_misprediction)
{
	for (unsigned int misp = 0; misp < 2; misp++) {
		struct perf_branch_entry perf = decode_less(misp, true, false);

		CHECK_EQ(perf.mispred | perf.predicted, 0);
		CHECK_EQ(perf.cycles, 100);
		CHECK_EQ(perf.type, PERF_BR_COND);
	}
}

TEST(no_cycles_leaves_out_the_cycles)
{
	for (unsigned int misp = 0; misp < 2; misp++) {
		struct perf_branch_entry perf = decode_less(misp, false, true);

		CHECK_EQ(perf.cycles, 0);
		CHECK_EQ(perf.mispred, misp);
		CHECK_EQ(perf.predicted, !misp);
		CHECK_EQ(perf.type, PERF_BR_COND);
	}
}

TEST(traps_are_not_predicted)
{
	for (unsigned int type = 0; type < 16; type++)
		CHECK_EQ(decode_with(USER, type, true, 0).predicted, type > 3);
}

TEST(cycles_without_exponent_are_the_mantissa)
{
	CHECK_EQ(cycles(0, 0), 0);
	CHECK_EQ(cycles(0, 1), 1);
	CHECK_EQ(cycles(0, 4095), 4095);
}

TEST(cycles_with_exponent_have_a_hidden_bit)
{
	CHECK_EQ(cycles(1, 0), 4096);
	CHECK_EQ(cycles(2, 0), 8192);
	CHECK_EQ(cycles(3, 1), (4096 + 1) << 2);
}

/* The column "Max elapsed cycle value" of "Cycle Counter Size Options". */
TEST(largest_cycles_are_those_of_the_specification)
{
	CHECK_EQ(cycles(1, 4095), 8191);
	CHECK_EQ(cycles(3, 4095), 32764);
	CHECK_EQ(cycles(7, 4095), 524224);
	CHECK_EQ(cycles(15, 4095), 134201344);
}

TEST(cycles_without_ccv_are_not_known)
{
	CHECK_EQ(decode(1, 0, data(5, false, 0, 100)).cycles, 0);
	CHECK_EQ(decode(1, 0, data(5, true, 0, 100)).cycles, 100);
}

TEST(cycles_saturate_in_perfs_16_bits)
{
	CHECK_EQ(decode(1, 0, data(5, true, 4, 4095)).cycles, 65528);
	CHECK_EQ(decode(1, 0, data(5, true, 5, 0)).cycles, 65535);
	CHECK_EQ(decode(1, 0, data(5, true, 15, 4095)).cycles, 65535);
}

/* One row for every row of "Control Transfer Type Definitions". */
TEST(every_type_has_its_perf_type)
{
	static const unsigned int want[16] = {
		PERF_BR_UNKNOWN,  PERF_BR_UNKNOWN, PERF_BR_IRQ,
		PERF_BR_ERET,	  PERF_BR_COND,	   PERF_BR_COND,
		PERF_BR_UNKNOWN,  PERF_BR_UNKNOWN, PERF_BR_IND_CALL,
		PERF_BR_CALL,	  PERF_BR_IND,	   PERF_BR_UNCOND,
		PERF_BR_IND_CALL, PERF_BR_RET,	   PERF_BR_IND,
		PERF_BR_UNCOND,
	};

	for (unsigned int type = 0; type < 16; type++)
		CHECK_EQ(decode(USER | 1, USER, type).type, want[type]);
}

TEST(the_cause_is_an_exceptions_type)
{
	static const struct {
		enum ctr_cause cause;
		unsigned int type, new_type;
	} rows[] = {
		{ CTR_CAUSE_UNKNOWN, PERF_BR_UNKNOWN, 0 },
		{ CTR_CAUSE_ECALL, PERF_BR_SYSCALL, 0 },
		{ CTR_CAUSE_BREAKPOINT, PERF_BR_EXTEND_ABI, PERF_BR_NEW_ARCH_1 },
		{ CTR_CAUSE_DATA, PERF_BR_EXTEND_ABI, PERF_BR_NEW_FAULT_DATA },
		{ CTR_CAUSE_FETCH, PERF_BR_EXTEND_ABI, PERF_BR_NEW_FAULT_INST },
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_branch_entry perf =
			decode_with(KERNEL, CTR_TYPE_EXCEPTION, false,
				    rows[i].cause);

		CHECK_EQ(perf.type, rows[i].type);
		CHECK_EQ(perf.new_type, rows[i].new_type);
	}
}

TEST(a_cause_changes_no_other_type)
{
	CHECK_EQ(decode_with(USER, CTR_TYPE_RETURN, false, CTR_CAUSE_ECALL).type,
		 PERF_BR_RET);
	CHECK_EQ(decode_with(USER, CTR_TYPE_INTERRUPT, false, CTR_CAUSE_DATA).type,
		 PERF_BR_IRQ);
}

TEST(privilege_is_that_of_the_mode_entered)
{
	CHECK_EQ(decode(USER | 1, KERNEL, 1).priv, PERF_BR_PRIV_KERNEL);
	CHECK_EQ(decode(KERNEL | 1, USER, 3).priv, PERF_BR_PRIV_USER);
	CHECK_EQ(decode(KERNEL | 1, 0, 3).priv, PERF_BR_PRIV_KERNEL);
	CHECK_EQ(decode(1, KERNEL, 1).priv, PERF_BR_PRIV_KERNEL);
	/* No side is blank: user code at address 0. */
	CHECK_EQ(decode(1, 0, 5).priv, PERF_BR_PRIV_USER);
}

TEST(reserved_bits_stay_zero)
{
	struct perf_branch_entry perf = decode(~0ull, ~0ull, ~0ull);

	CHECK_EQ(perf.reserved, 0);
	CHECK_EQ(perf.new_type, 0);
	CHECK_EQ(perf.spec, 0);
	CHECK_EQ(perf.in_tx | perf.abort, 0);
}
