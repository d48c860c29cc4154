// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "test.h"
#include "ctr_filter.h"

#define USER	0x10000ull
#define KERNEL	0xffffffff80001000ull
#define ALL	(~0ull)
#define U	PERF_SAMPLE_BRANCH_USER
#define K	PERF_SAMPLE_BRANCH_KERNEL

static ctr_filter_t parse(__u64 bits)
{
	ctr_filter_t filter = 0;

	CHECK_EQ(ctr_filter_parse(bits, &filter), 0);
	return filter;
}

static int refused(__u64 bits)
{
	ctr_filter_t filter;

	return -ctr_filter_parse(bits, &filter);
}

/* sctrctl for @bits on a hart with every bit. */
static __u64 sctrctl(__u64 bits)
{
	return ctr_filter_sctrctl(parse(bits), ALL);
}

/* Shown? And if so, what is left of it. */
static bool pass(__u64 bits, __u64 from, __u64 to, unsigned int type,
		 struct ctr_entry *out)
{
	struct ctr_entry entry = { from | 1, to, type };
	bool passed = ctr_filter_pass(parse(bits), &entry);

	if (out)
		*out = entry;
	return passed;
}

/* Bits of sctrctl by the figure in "Machine Control Transfer Records Control". */
enum {
	EXCINH = 33, INTRINH, TRETINH, NTBREN, TKBRINH,
	INDCALLINH = 40, DIRCALLINH, INDJMPINH, DIRJMPINH, CORSWAPINH, RETINH,
	INDLJMPINH, DIRLJMPINH,
};

static __u64 bit(unsigned int nr)
{
	return 1ull << nr;
}

TEST(any_inhibits_nothing)
{
	CHECK_EQ(sctrctl(U | PERF_SAMPLE_BRANCH_ANY) >> 32, 0);
}

TEST(user_and_kernel_choose_the_modes)
{
	CHECK_EQ(sctrctl(U | PERF_SAMPLE_BRANCH_ANY) & 3, 1);
	CHECK_EQ(sctrctl(K | PERF_SAMPLE_BRANCH_ANY) & 3, 2);
	CHECK_EQ(sctrctl(U | K | PERF_SAMPLE_BRANCH_ANY) & 3, 3);
}

TEST(only_kernel_records_freeze_on_overflow)
{
	CHECK_EQ(sctrctl(U | PERF_SAMPLE_BRANCH_ANY) & bit(12), 0);
	CHECK_EQ(sctrctl(K | PERF_SAMPLE_BRANCH_ANY) & bit(12), bit(12));
}

TEST(not_taken_branches_are_never_enabled)
{
	CHECK_EQ(sctrctl(U | PERF_SAMPLE_BRANCH_ANY) & bit(NTBREN), 0);
	CHECK_EQ(sctrctl(U | PERF_SAMPLE_BRANCH_COND) & bit(NTBREN), 0);
}

TEST(cond_leaves_taken_branches_alone)
{
	CHECK_EQ(sctrctl(U | PERF_SAMPLE_BRANCH_COND) >> 32,
		 (bit(EXCINH) | bit(INTRINH) | bit(TRETINH) | bit(INDCALLINH) |
		  bit(DIRCALLINH) | bit(INDJMPINH) | bit(DIRJMPINH) |
		  bit(CORSWAPINH) | bit(RETINH) | bit(INDLJMPINH) |
		  bit(DIRLJMPINH)) >> 32);
}

TEST(any_return_leaves_returns_alone)
{
	__u64 ctl = sctrctl(U | PERF_SAMPLE_BRANCH_ANY_RETURN);

	CHECK_EQ(ctl & (bit(RETINH) | bit(CORSWAPINH) | bit(TRETINH)), 0);
	CHECK(ctl & bit(TKBRINH) && ctl & bit(DIRCALLINH));
}

TEST(missing_filter_bits_are_not_written)
{
	ctr_filter_t filter = parse(U | PERF_SAMPLE_BRANCH_COND);

	CHECK_EQ(ctr_filter_sctrctl(filter, 3), 1);
}

TEST(nothing_wanted_records_nothing)
{
	CHECK_EQ(ctr_filter_sctrctl(0, ALL), 0);
}

TEST(two_filters_unite)
{
	ctr_filter_t both = parse(U | PERF_SAMPLE_BRANCH_COND) |
			    parse(K | PERF_SAMPLE_BRANCH_CALL);
	__u64 ctl = ctr_filter_sctrctl(both, ALL);

	CHECK_EQ(ctl & 3, 3);
	CHECK_EQ(ctl & (bit(TKBRINH) | bit(DIRCALLINH)), 0);
	CHECK(ctl & bit(RETINH));
}

TEST(no_mode_is_refused)
{
	CHECK_EQ(refused(PERF_SAMPLE_BRANCH_ANY), EOPNOTSUPP);
	CHECK_EQ(refused(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HV),
		 EOPNOTSUPP);
}

TEST(hv_beside_others_is_taken)
{
	CHECK_EQ(parse(U | K | PERF_SAMPLE_BRANCH_HV | PERF_SAMPLE_BRANCH_ANY),
		 parse(U | K | PERF_SAMPLE_BRANCH_ANY));
}

/* perf drops these by itself and tries again, but only on EINVAL. */
TEST(what_perf_can_do_without_is_einval)
{
	__u64 any = U | PERF_SAMPLE_BRANCH_ANY;

	CHECK_EQ(refused(any | PERF_SAMPLE_BRANCH_ABORT_TX), EINVAL);
	CHECK_EQ(refused(any | PERF_SAMPLE_BRANCH_IN_TX), EINVAL);
	CHECK_EQ(refused(any | PERF_SAMPLE_BRANCH_NO_TX), EINVAL);
	CHECK_EQ(refused(any | 1u << 19), EINVAL);
}

TEST(unknown_bits_are_einval)
{
	for (int nr = 20; nr < 64; nr++)
		CHECK_EQ(refused(U | PERF_SAMPLE_BRANCH_ANY | bit(nr)), EINVAL);
}

#define STACK	PERF_SAMPLE_BRANCH_CALL_STACK

TEST(call_stacks_are_emulated_in_user_mode)
{
	CHECK_EQ(sctrctl(U | STACK), bit(7) | 1);
	CHECK_EQ(sctrctl(U | STACK | PERF_SAMPLE_BRANCH_HV |
			 PERF_SAMPLE_BRANCH_NO_FLAGS |
			 PERF_SAMPLE_BRANCH_NO_CYCLES |
			 PERF_SAMPLE_BRANCH_HW_INDEX), bit(7) | 1);
}

TEST(call_stacks_want_a_hart_that_emulates)
{
	CHECK_EQ(ctr_filter_sctrctl(parse(U | STACK), ALL & ~bit(7)), 0);
}

TEST(call_stacks_do_not_go_with_kinds)
{
	static const __u64 kinds[] = {
		PERF_SAMPLE_BRANCH_ANY,	     PERF_SAMPLE_BRANCH_ANY_CALL,
		PERF_SAMPLE_BRANCH_COND,     PERF_SAMPLE_BRANCH_ANY_RETURN,
		PERF_SAMPLE_BRANCH_IND_JUMP, PERF_SAMPLE_BRANCH_IND_CALL,
		PERF_SAMPLE_BRANCH_CALL,
	};

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		CHECK_EQ(refused(U | STACK | kinds[i]), EINVAL);
}

TEST(call_stacks_of_the_kernel_are_eopnotsupp)
{
	CHECK_EQ(refused(K | STACK), EOPNOTSUPP);
	CHECK_EQ(refused(U | K | STACK), EOPNOTSUPP);
}

TEST(call_stacks_show_calls)
{
	/* The columns are types 0 to 15. */
	static const char types[] = "1000000011001000";

	for (unsigned int type = 0; type < 16; type++)
		CHECK_EQ(pass(U | STACK, USER, USER, type, NULL),
			 types[type] == '1');
}

TEST(call_stacks_fit_only_call_stacks)
{
	ctr_filter_t stack = parse(U | STACK);
	ctr_filter_t any = parse(U | PERF_SAMPLE_BRANCH_ANY);

	CHECK(ctr_filter_fit(stack, stack));
	CHECK(ctr_filter_fit(any, parse(K | PERF_SAMPLE_BRANCH_COND)));
	CHECK(ctr_filter_fit(0, stack) && ctr_filter_fit(stack, 0));
	CHECK(!ctr_filter_fit(any, stack) && !ctr_filter_fit(stack, any));
}

TEST(what_is_always_there_changes_no_filter)
{
	CHECK_EQ(parse(U | PERF_SAMPLE_BRANCH_ANY |
		       PERF_SAMPLE_BRANCH_TYPE_SAVE |
		       PERF_SAMPLE_BRANCH_HW_INDEX |
		       PERF_SAMPLE_BRANCH_PRIV_SAVE),
		 parse(U | PERF_SAMPLE_BRANCH_ANY));
}

TEST(flags_and_cycles_are_told_unless_they_are_refused)
{
	static const __u64 kinds[] = { PERF_SAMPLE_BRANCH_ANY, STACK };
	static const ctr_filter_t both = CTR_FILTER_FLAGS | CTR_FILTER_CYCLES;

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		__u64 bits = U | kinds[i];

		CHECK_EQ(parse(bits) & both, both);
		CHECK_EQ(parse(bits | PERF_SAMPLE_BRANCH_NO_FLAGS) & both,
			 CTR_FILTER_CYCLES);
		CHECK_EQ(parse(bits | PERF_SAMPLE_BRANCH_NO_CYCLES) & both,
			 CTR_FILTER_FLAGS);
	}
}

TEST(what_is_told_changes_neither_the_hart_nor_what_is_shown)
{
	__u64 all = U | K | PERF_SAMPLE_BRANCH_ANY_CALL;
	__u64 less = all | PERF_SAMPLE_BRANCH_NO_FLAGS |
		     PERF_SAMPLE_BRANCH_NO_CYCLES;

	CHECK_EQ(sctrctl(less), sctrctl(all));
	CHECK(ctr_filter_fit(parse(less), parse(all)));
	for (unsigned int type = 0; type < 16; type++)
		CHECK_EQ(pass(less, USER, USER, type, NULL),
			 pass(all, USER, USER, type, NULL));
}

/* Which types each filter shows; the columns are types 0 to 15. */
TEST(each_filter_shows_its_types)
{
	static const struct {
		__u64 bits;
		const char *types;
	} rows[] = {
		{ PERF_SAMPLE_BRANCH_ANY,	 "1111011111111111" },
		{ PERF_SAMPLE_BRANCH_ANY_CALL,	 "0110000011001000" },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN, "0001000000001100" },
		{ PERF_SAMPLE_BRANCH_IND_CALL,	 "0000000010001000" },
		{ PERF_SAMPLE_BRANCH_COND,	 "0000010000000000" },
		{ PERF_SAMPLE_BRANCH_IND_JUMP,	 "0000000000100010" },
		{ PERF_SAMPLE_BRANCH_CALL,	 "0000000001000000" },
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned int type = 0; type < 16; type++)
			CHECK_EQ(pass(U | K | rows[i].bits, KERNEL, KERNEL,
				      type, NULL),
				 rows[i].types[type] == '1');
}

TEST(user_events_see_no_kernel_address)
{
	__u64 any = U | PERF_SAMPLE_BRANCH_ANY;

	for (unsigned int type = 0; type < 16; type++) {
		CHECK(!pass(any, KERNEL, KERNEL, type, NULL));
		CHECK(!pass(any, USER, KERNEL, type, NULL));
		CHECK(!pass(any, KERNEL, USER, type, NULL));
	}
	CHECK(pass(any, USER, USER, CTR_TYPE_TAKEN, NULL));
}

TEST(kernel_events_see_no_user_address)
{
	__u64 any = K | PERF_SAMPLE_BRANCH_ANY;
	struct ctr_entry left;

	for (unsigned int type = 0; type < 16; type++) {
		CHECK(!pass(any, USER, USER, type, NULL));
		if (pass(any, USER, KERNEL, type, &left))
			CHECK_EQ(ctr_entry_from(&left), 0);
		if (pass(any, KERNEL, USER, type, &left))
			CHECK_EQ(ctr_entry_to(&left), 0);
	}
}

/* The table "Trap and Trap Return Recording", with U mode as the disabled one. */
TEST(a_border_is_blanked_as_the_hart_would)
{
	__u64 any = K | PERF_SAMPLE_BRANCH_ANY;
	struct ctr_entry left;

	CHECK(pass(any, USER, KERNEL, CTR_TYPE_EXCEPTION, &left));
	CHECK(ctr_entry_valid(&left));
	CHECK_EQ(ctr_entry_to(&left), KERNEL);
	CHECK(pass(any, USER, KERNEL, CTR_TYPE_INTERRUPT, NULL));
	CHECK(pass(any, KERNEL, USER, CTR_TYPE_TRAP_RETURN, &left));
	CHECK_EQ(ctr_entry_from(&left), KERNEL);
	/* A jump cannot cross the border: not a record to believe. */
	CHECK(!pass(any, KERNEL, USER, CTR_TYPE_IND_JUMP, NULL));
}

TEST(what_the_hart_blanked_is_shown)
{
	__u64 any = K | PERF_SAMPLE_BRANCH_ANY;

	CHECK(pass(any, 0, KERNEL, CTR_TYPE_EXCEPTION, NULL));
	CHECK(pass(any, KERNEL, 0, CTR_TYPE_TRAP_RETURN, NULL));
}

TEST(both_modes_show_traps_whole)
{
	struct ctr_entry left;

	CHECK(pass(U | K | PERF_SAMPLE_BRANCH_ANY, USER, KERNEL,
		   CTR_TYPE_EXCEPTION, &left));
	CHECK_EQ(ctr_entry_from(&left), USER);
	CHECK_EQ(ctr_entry_to(&left), KERNEL);
}
