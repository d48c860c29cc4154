// SPDX-License-Identifier: GPL-2.0-only
/* The reference model, section "RAS (Return Address Stack) Emulation Mode". */
#include "model-build.h"

#define RAS (CTR_CTL_U | CTR_CTL_RASEMU)

static enum model_effect call(struct model *m, uint64_t from)
{
	return go(m, CTR_TYPE_DIR_CALL, MODEL_U, from, from + 0x800);
}

static enum model_effect ret(struct model *m)
{
	return go(m, CTR_TYPE_RETURN, MODEL_U, 0x20, 0x30);
}

static enum model_effect swap(struct model *m, uint64_t from)
{
	return go(m, CTR_TYPE_CO_SWAP, MODEL_U, from, from + 0x800);
}

TEST(calls_are_recorded_as_normal)
{
	struct model m;

	start(&m, RAS);
	CHECK_EQ(call(&m, 0x1000), MODEL_RECORDED);
	CHECK_EQ(go(&m, 8, MODEL_U, 0x2000, 0x3000), MODEL_RECORDED);
	CHECK_RECORD(&m, 0, 8, 0x2000ull, 0x3000);
	CHECK_RECORD(&m, 1, 9, 0x1000ull, 0x1800);
	CHECK_EQ(wrptr(&m), 2);
}

TEST(a_return_pops_the_most_recent_call)
{
	struct model m;
	unsigned int i;

	start(&m, RAS);
	for (i = 1; i <= 16; i++)
		call(&m, 0x1000 * i);
	CHECK_EQ(wrptr(&m), 0);
	CHECK_EQ(ret(&m), MODEL_POPPED);
	CHECK_EQ(wrptr(&m), 15);
	/* "1..depth-1 move to 0..depth-2", and 0, invalid, to depth-1 */
	for (i = 0; i < 15; i++)
		CHECK_RECORD(&m, i, 9, 0x1000ull * (15 - i),
			     0x1000ull * (15 - i) + 0x800);
	/* "by setting ctrsource.V=0" */
	CHECK_EQ(entry_of(&m, 15).source, 0x10000);
}

TEST(a_co_routine_swap_overwrites_the_most_recent_call)
{
	struct model m;

	start(&m, RAS);
	call(&m, 0x1000);
	call(&m, 0x2000);
	CHECK_EQ(swap(&m, 0x5000), MODEL_SWAPPED);
	CHECK_EQ(wrptr(&m), 2);
	CHECK_RECORD(&m, 0, 12, 0x5000ull, 0x5800);
	CHECK_RECORD(&m, 1, 9, 0x1000ull, 0x1800);
}

TEST(other_types_are_inhibited)
{
	static const enum ctr_type others[] = { 1, 2, 3, 4, 5, 10, 11, 14, 15 };
	unsigned int i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct model m;

		start(&m, RAS | CTR_CTL_S | CTR_CTL_NTBREN);
		call(&m, 0x1000);
		CHECK_EQ(go(&m, others[i], MODEL_U, 2, 4), MODEL_NOTHING);
		CHECK_EQ(wrptr(&m), 1);
		CHECK_RECORD(&m, 0, 9, 0x1000ull, 0x1800);
	}
}

TEST(filter_bits_are_ignored)
{
	struct model m;

	start(&m, RAS | 0xffffull << 32);
	CHECK_EQ(call(&m, 0x1000), MODEL_RECORDED);
	CHECK_EQ(go(&m, 8, MODEL_U, 0x2000, 0x3000), MODEL_RECORDED);
	CHECK_EQ(swap(&m, 0x4000), MODEL_SWAPPED);
	CHECK_EQ(ret(&m), MODEL_POPPED);
	CHECK_EQ(go(&m, 4, MODEL_U, 2, 6), MODEL_NOTHING);
}

TEST(external_trap_enables_are_ignored)
{
	struct model m;

	start(&m, RAS);
	model_write_csr(&m, CTR_CSR_MCTRCTL, RAS | CTR_CTL_STE | CTR_CTL_MTE);
	CHECK_EQ(cross(&m, 1, MODEL_U, MODEL_S, 8), MODEL_NOTHING);
	CHECK_EQ(cross(&m, 2, MODEL_U, MODEL_M, 7), MODEL_NOTHING);
}

/* "Control transfers are qualified": mode and FROZEN hold here as well. */
TEST(what_is_not_qualified_does_not_pop)
{
	struct model m;

	start(&m, RAS);
	call(&m, 0x1000);
	CHECK_EQ(go(&m, 13, MODEL_S, 2, 4), MODEL_NOTHING);
	model_write_csr(&m, CTR_CSR_SCTRSTATUS, 1u << 31 | 1);
	CHECK_EQ(ret(&m), MODEL_NOTHING);
	CHECK_EQ(swap(&m, 0x2000), MODEL_NOTHING);
	CHECK_RECORD(&m, 0, 9, 0x1000ull, 0x1800);
}

TEST(deeper_calls_than_the_buffer_lose_the_outermost)
{
	struct model m;
	unsigned int i;

	start(&m, RAS);
	for (i = 1; i <= 20; i++)
		call(&m, 0x1000 * i);
	for (i = 0; i < 16; i++)
		CHECK_EQ(ret(&m), MODEL_POPPED);
	for (i = 0; i < 16; i++)
		CHECK_NO_RECORD(&m, i);
}

/* --- the note on cycles --- */

static unsigned int ccv(const struct model *m)
{
	return entry_of(m, 0).data >> 15 & 1;
}

static unsigned int cc(const struct model *m)
{
	return entry_of(m, 0).data >> 16 & 0xffff;
}

static void choose(struct model *m, enum model_ras_cycles choice)
{
	const struct model_hart hart = { .depths = 1, .control = ~0ull,
					 .types = true, .cce_bits = 4,
					 .ras_cycles = choice };

	model_init(m, &hart);
	model_write_csr(m, CTR_CSR_SCTRCTL, RAS);
	/* A first call, whose CCV is 0, and one that has 10 cycles. */
	call(m, 0x1000);
	model_pass(m, MODEL_U, 10);
	call(m, 0x2000);
	model_pass(m, MODEL_U, 20);
}

TEST(a_pop_adds_the_popped_entry_s_cycles)
{
	struct model m;

	choose(&m, MODEL_RAS_ADD);
	CHECK_EQ(ccv(&m), 1);
	CHECK_EQ(cc(&m), 10);
	ret(&m);
	model_pass(&m, MODEL_U, 5);
	call(&m, 0x3000);
	CHECK_EQ(ccv(&m), 1);
	CHECK_EQ(cc(&m), 35);
}

TEST(a_swap_counts_from_the_record_before_the_one_it_replaces)
{
	struct model m;

	choose(&m, MODEL_RAS_ADD);
	swap(&m, 0x3000);
	CHECK_EQ(ccv(&m), 1);
	CHECK_EQ(cc(&m), 30);
}

/* The first call's own count is not known: neither is that of what replaces it. */
TEST(a_popped_entry_without_a_count_leaves_none)
{
	struct model m;

	choose(&m, MODEL_RAS_ADD);
	ret(&m);
	ret(&m);
	call(&m, 0x3000);
	CHECK_EQ(ccv(&m), 0);
	model_pass(&m, MODEL_U, 4);
	call(&m, 0x4000);
	CHECK_EQ(ccv(&m), 1);
	CHECK_EQ(cc(&m), 4);
}

/* V=0: "data ... is valid" is not implied, though CCV still stands there. */
TEST(an_invalid_entry_s_cycles_are_not_added)
{
	struct model m;

	choose(&m, MODEL_RAS_ADD);
	ret(&m);
	model_write_csr(&m, CTR_CSR_SCTRSTATUS, 2);
	CHECK_NO_RECORD(&m, 0);
	CHECK_EQ(ccv(&m), 1);
	ret(&m);
	call(&m, 0x3000);
	CHECK_EQ(ccv(&m), 0);
}

/* "or those whose parent call was popped" */
TEST(a_hart_may_not_count_where_the_parent_was_popped)
{
	struct model m;

	choose(&m, MODEL_RAS_PARENT);
	CHECK_EQ(ccv(&m), 1);
	ret(&m);
	call(&m, 0x3000);
	CHECK_EQ(ccv(&m), 0);
	call(&m, 0x4000);
	CHECK_EQ(ccv(&m), 1);
	swap(&m, 0x5000);
	CHECK_EQ(ccv(&m), 0);
}

/* "an implementation may opt to record CCV=0 for all calls" */
TEST(a_hart_may_not_count_calls)
{
	struct model m;

	choose(&m, MODEL_RAS_NONE);
	CHECK_EQ(ccv(&m), 0);
	swap(&m, 0x5000);
	CHECK_EQ(ccv(&m), 0);
	/* Without RAS emulation it counts. */
	model_write_csr(&m, CTR_CSR_SCTRCTL, CTR_CTL_U);
	call(&m, 0x1000);
	model_pass(&m, MODEL_U, 3);
	call(&m, 0x2000);
	CHECK_EQ(ccv(&m), 1);
}
