// SPDX-License-Identifier: GPL-2.0-only
/*
 * What events ask for, what a hart records for them, and what each is shown of it.
 * The hart is the reference model's.
 */
#include <errno.h>

#include "ctr/model.h"
#include "ctr_filter.h"
#include "prove.h"

#define U	PERF_SAMPLE_BRANCH_USER
#define K	PERF_SAMPLE_BRANCH_KERNEL
#define STACK	PERF_SAMPLE_BRANCH_CALL_STACK
#define ANY	PERF_SAMPLE_BRANCH_ANY

#define KINDS	(ANY | PERF_SAMPLE_BRANCH_ANY_CALL |			\
		 PERF_SAMPLE_BRANCH_ANY_RETURN |			\
		 PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_CALL |	\
		 PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_COND)

/* All that the table of docs/driver.md has an answer for but EINVAL. */
#define SERVED	(U | K | PERF_SAMPLE_BRANCH_HV | KINDS | STACK |	\
		 PERF_SAMPLE_BRANCH_NO_FLAGS |				\
		 PERF_SAMPLE_BRANCH_NO_CYCLES |				\
		 PERF_SAMPLE_BRANCH_TYPE_SAVE |				\
		 PERF_SAMPLE_BRANCH_PRIV_SAVE |				\
		 PERF_SAMPLE_BRANCH_HW_INDEX)

static ctr_filter_t any_bits(void)
{
	return nondet_u64() & ~0U;
}

/* --- ctr_filter_parse(): the table of docs/driver.md --- */

PROVE(bits_are_refused_as_the_table_says)
{
	__u64 bits = nondet_u64();
	ctr_filter_t filter;
	int err = ctr_filter_parse(bits, &filter);
	bool unserved = bits & ~(__u64)SERVED;
	bool no_mode = !(bits & (U | K));
	bool stack_of_kinds = bits & STACK && bits & KINDS;
	bool stack_of_kernel = bits & STACK && bits & K;

	CHECK(err == 0 || err == -EINVAL || err == -EOPNOTSUPP);
	CHECK(!err ==
	      !(unserved || no_mode || stack_of_kinds || stack_of_kernel));
	/* perf drops bits by itself, but only after EINVAL. */
	if (unserved)
		CHECK(err == -EINVAL);
	if (err == -EINVAL)
		CHECK(unserved || stack_of_kinds);
	if (err == -EOPNOTSUPP)
		CHECK(no_mode || stack_of_kernel);
}

/* The bits of the table in whose rows a type stands. */
static __u64 bits_for(unsigned int type)
{
	switch (type) {
	case CTR_TYPE_EXCEPTION:
	case CTR_TYPE_INTERRUPT:
		return ANY | PERF_SAMPLE_BRANCH_ANY_CALL;
	case CTR_TYPE_TRAP_RETURN:
	case CTR_TYPE_RETURN:
		return ANY | PERF_SAMPLE_BRANCH_ANY_RETURN;
	case CTR_TYPE_NOT_TAKEN:
		return 0;
	case CTR_TYPE_TAKEN:
		return ANY | PERF_SAMPLE_BRANCH_COND;
	case CTR_TYPE_IND_CALL:
		return ANY | PERF_SAMPLE_BRANCH_ANY_CALL |
		       PERF_SAMPLE_BRANCH_IND_CALL | STACK;
	case CTR_TYPE_DIR_CALL:
		return ANY | PERF_SAMPLE_BRANCH_ANY_CALL |
		       PERF_SAMPLE_BRANCH_CALL | STACK;
	case CTR_TYPE_IND_JUMP:
	case CTR_TYPE_IND_LINK_JUMP:
		return ANY | PERF_SAMPLE_BRANCH_IND_JUMP;
	case CTR_TYPE_CO_SWAP:
		return ANY | PERF_SAMPLE_BRANCH_ANY_CALL |
		       PERF_SAMPLE_BRANCH_ANY_RETURN |
		       PERF_SAMPLE_BRANCH_IND_CALL | STACK;
	case CTR_TYPE_NONE:	/* calls alone are left in a call stack */
		return ANY | STACK;
	default:
		return ANY;
	}
}

PROVE(bits_ask_for_the_types_of_the_table)
{
	__u64 bits = nondet_u64();
	unsigned int type = nondet_u64() & 15;
	ctr_filter_t filter;

	ASSUME(ctr_filter_parse(bits, &filter) == 0);
	CHECK((ctr_filter_types(filter) >> type & 1) ==
	      !!(bits & bits_for(type)));
}

PROVE(bits_ask_for_modes_and_forms)
{
	__u64 bits = nondet_u64();
	ctr_filter_t filter;

	ASSUME(ctr_filter_parse(bits, &filter) == 0);
	CHECK(!(filter & CTR_FILTER_U) == !(bits & U));
	CHECK(!(filter & CTR_FILTER_S) == !(bits & K));
	CHECK(!(filter & CTR_FILTER_CALL_STACK) == !(bits & STACK));
	CHECK(!(filter & CTR_FILTER_FLAGS) ==
	      !!(bits & PERF_SAMPLE_BRANCH_NO_FLAGS));
	CHECK(!(filter & CTR_FILTER_CYCLES) ==
	      !!(bits & PERF_SAMPLE_BRANCH_NO_CYCLES));
	CHECK(!(filter & 0xffff & ~0x1fU));
}

/* --- sets --- */

/* What is known of the sets that parsing gives, and of those that unite them. */
static bool is_set(ctr_filter_t filter)
{
	ctr_filter_t told = CTR_FILTER_FLAGS | CTR_FILTER_CYCLES;
	__u32 types = ctr_filter_types(filter);

	if (filter & CTR_FILTER_CALL_STACK)
		return (filter & 0xffff & ~told) ==
			       (CTR_FILTER_CALL_STACK | CTR_FILTER_U) &&
		       types == (1U << CTR_TYPE_NONE | 1U << CTR_TYPE_IND_CALL |
				 1U << CTR_TYPE_DIR_CALL |
				 1U << CTR_TYPE_CO_SWAP);
	return filter & (CTR_FILTER_U | CTR_FILTER_S) &&
	       !(filter & 0xffff & ~told & ~(CTR_FILTER_U | CTR_FILTER_S)) &&
	       !(types & 1U << CTR_TYPE_NOT_TAKEN);
}

static ctr_filter_t any_set(void)
{
	ctr_filter_t filter = any_bits();

	ASSUME(is_set(filter));
	return filter;
}

PROVE(what_bits_ask_for_is_a_set)
{
	ctr_filter_t filter;

	ASSUME(ctr_filter_parse(nondet_u64(), &filter) == 0);
	CHECK(is_set(filter));
}

PROVE(sets_that_fit_unite_to_a_set)
{
	ctr_filter_t one = any_set(), other = any_set();

	ASSUME(ctr_filter_fit(one, other));
	CHECK(is_set(one | other));
	CHECK(ctr_filter_covers(one | other, one));
}

PROVE(what_fits_fits_both_ways)
{
	ctr_filter_t one = any_bits(), other = any_bits();

	CHECK(ctr_filter_fit(one, other) == ctr_filter_fit(other, one));
	CHECK(ctr_filter_fit(one, one));
	CHECK(ctr_filter_fit(one, 0));
}

PROVE(a_set_covers_itself_and_what_those_cover_that_it_covers)
{
	ctr_filter_t most = any_bits(), more = any_bits(), few = any_bits();

	CHECK(ctr_filter_covers(most, most) == (most != 0));
	CHECK(!ctr_filter_covers(0, few));
	ASSUME(ctr_filter_covers(most, more) && ctr_filter_covers(more, few));
	CHECK(ctr_filter_covers(most, few));
	CHECK(ctr_filter_fit(most, few));
}

/* --- ctr_filter_sctrctl() --- */

/*
 * "All fields are optional except for M, S, U, and BPFRZ"; "If the Sscofpmf extension
 * is implemented, LCOFIFRZ must be writable", and without it nothing is sampled.
 */
static __u64 any_writable(void)
{
	return nondet_u64() | CTR_CTL_U | CTR_CTL_S | CTR_CTL_BPFRZ |
	       CTR_CTL_LCOFIFRZ;
}

PROVE(no_bit_is_set_that_the_hart_has_not)
{
	__u64 writable = any_writable();

	CHECK(!(ctr_filter_sctrctl(any_bits(), writable) & ~writable));
}

/* Nothing of M mode or of external traps, and bit 32 + 4, NTBREN, never. */
PROVE(no_bit_is_set_that_nobody_asks_for)
{
	ctr_filter_t filter = any_bits();
	__u64 ctl = ctr_filter_sctrctl(filter, any_writable());

	CHECK(!(ctl &
		~(CTR_CTL_U | CTR_CTL_S | CTR_CTL_RASEMU | CTR_CTL_LCOFIFRZ |
		  0xff2eULL << 32)));
	if (!(filter & CTR_FILTER_S))
		CHECK(!(ctl & (CTR_CTL_S | CTR_CTL_LCOFIFRZ)));
	if (!(filter & CTR_FILTER_U) && !(filter & CTR_FILTER_CALL_STACK))
		CHECK(!(ctl & CTR_CTL_U));
	if (!(filter & CTR_FILTER_CALL_STACK))
		CHECK(!(ctl & CTR_CTL_RASEMU));
}

PROVE(nothing_is_recorded_for_nobody_or_where_it_cannot_be)
{
	__u64 writable = any_writable();
	ctr_filter_t filter = any_set();

	CHECK(ctr_filter_sctrctl(0, writable) == 0);
	CHECK(!ctr_filter_sctrctl(filter, writable) ==
	      (filter & CTR_FILTER_CALL_STACK && !(writable & CTR_CTL_RASEMU)));
}

PROVE(with_kernel_code_an_overflow_freezes)
{
	ctr_filter_t filter = any_set();
	__u64 ctl = ctr_filter_sctrctl(filter, any_writable());

	CHECK(!(ctl & CTR_CTL_LCOFIFRZ) == !(filter & CTR_FILTER_S));
}

/*
 * Any transfer of U and S mode. The kernel's addresses are the upper half, and code
 * runs there in S mode. (Where user code jumps there, its exception has such an
 * address as its source, too.)
 */
static struct model_transfer any_transfer(void)
{
	struct model_transfer t = {
		.from = nondet_u64() & ~1ULL,
		.to = nondet_u64() & ~1ULL,
		.type = (enum ctr_type)(nondet_u64() & 15),
		.cause = nondet_u64(),
	};

	t.mode = t.from >> 63 ? MODEL_S : MODEL_U;
	t.next = t.to >> 63 ? MODEL_S : MODEL_U;
	switch (t.type) {
	case CTR_TYPE_EXCEPTION:
	case CTR_TYPE_INTERRUPT:
		ASSUME(t.next == MODEL_S);
		break;
	case CTR_TYPE_TRAP_RETURN:
		ASSUME(t.mode == MODEL_S);
		break;
	default:
		ASSUME(t.mode == t.next);
		ASSUME(t.type != CTR_TYPE_NONE && t.type != 6 && t.type != 7);
	}
	return t;
}

/* A hart with these bits of sctrctl, which tells types or does not. */
static struct model_hart hart_with(__u64 bits, bool types)
{
	return (struct model_hart){
		.control = bits,
		.depths = 1,
		.types = types,
		.cce_bits = MODEL_NO_CYCLES,
	};
}

/* Is @t recorded by @hart for @filter? As what? */
static bool is_recorded(struct model_hart hart, ctr_filter_t filter,
			struct model_transfer t, struct ctr_entry *entry)
{
	enum model_effect effect;
	struct model model;

	model_init(&model, &hart);
	model_write_csr(&model, CTR_CSR_SCTRCTL,
			ctr_filter_sctrctl(filter, hart.control));
	effect = model_transfer(&model, &t);
	model_read_entry(&model, 0, entry);
	return effect == MODEL_RECORDED || effect == MODEL_SWAPPED;
}

static bool is_same(struct ctr_entry one, struct ctr_entry other)
{
	return one.source == other.source && one.target == other.target &&
	       one.data == other.data;
}

PROVE(a_hart_with_all_bits_records_what_the_event_is_shown_and_no_more)
{
	struct model_hart hart = hart_with(~0ULL, true);
	ctr_filter_t filter = any_set();
	struct ctr_entry recorded, left;

	ASSUME(is_recorded(hart, filter, any_transfer(), &recorded));
	left = recorded;
	CHECK(ctr_filter_pass(filter, &left));
	CHECK(is_same(left, recorded));
}

/*
 * Software makes up for what the hart's filter cannot, and for what is recorded
 * for others.
 */
PROVE(an_event_is_shown_the_same_on_any_hart_and_beside_any_other)
{
	ctr_filter_t filter = any_set(), united = any_set();
	struct model_transfer t = any_transfer();
	struct ctr_entry alone, beside;
	__u64 writable = any_writable();
	bool is_alone, is_beside;

	if (filter & CTR_FILTER_CALL_STACK)
		ASSUME(writable & CTR_CTL_RASEMU);
	ASSUME(ctr_filter_covers(united, filter));
	is_alone = is_recorded(hart_with(~0ULL, true), filter, t, &alone);
	is_beside = is_recorded(hart_with(writable, true), united, t, &beside);
	is_beside = is_beside && ctr_filter_pass(filter, &beside);
	CHECK(is_alone == is_beside);
	if (is_alone)
		CHECK(is_same(alone, beside));
}

/* Of traps only those that stay in one mode: who crosses a border is not told. */
PROVE(a_hart_that_tells_no_types_serves_who_wants_all_types)
{
	ctr_filter_t filter = any_set();
	struct model_transfer t = any_transfer();
	struct ctr_entry entry;
	bool wants_all = ctr_filter_types(filter) & 1 << CTR_TYPE_NONE;

	ASSUME(is_recorded(hart_with(any_writable(), false), filter, t, &entry));
	ASSUME(t.mode == t.next);
	CHECK(ctr_filter_pass(filter, &entry) == wants_all);
	CHECK(!wants_all || ctr_entry_from(&entry) == t.from);
	CHECK(!wants_all || ctr_entry_to(&entry) == t.to);
}

PROVE(what_is_told_of_a_record_changes_neither_the_hart_nor_what_is_shown)
{
	ctr_filter_t told = CTR_FILTER_FLAGS | CTR_FILTER_CYCLES;
	ctr_filter_t one = any_set(), other = (one & ~told) | (any_bits() & told);
	struct ctr_entry entry = { nondet_u64(), nondet_u64(), nondet_u64() };
	struct ctr_entry same = entry;
	__u64 writable = any_writable();

	CHECK(ctr_filter_covers(one, other));
	CHECK(ctr_filter_sctrctl(one, writable) ==
	      ctr_filter_sctrctl(other, writable));
	CHECK(ctr_filter_pass(one, &entry) == ctr_filter_pass(other, &same));
	CHECK(is_same(entry, same));
}

/* --- ctr_filter_pass() --- */

PROVE(a_record_is_shown_if_its_type_is_asked_for_and_a_side_can_be_seen)
{
	ctr_filter_t filter = any_bits();
	struct ctr_entry entry = { nondet_u64(), nondet_u64(), nondet_u64() };
	struct ctr_entry left = entry;
	unsigned int type = entry.data & 15;
	bool from_kernel = entry.source >= 1ULL << 63;
	bool to_kernel = entry.target >= 1ULL << 63;
	bool sees_from = filter & (from_kernel ? CTR_FILTER_S : CTR_FILTER_U);
	bool sees_to = filter & (to_kernel ? CTR_FILTER_S : CTR_FILTER_U);
	bool enters = to_kernel && (type == 1 || type == 2);
	bool leaves = from_kernel && type == 3;
	bool passed = ctr_filter_pass(filter, &left);

	CHECK(passed == ((filter >> 16 >> type & 1) &&
			 ((sees_from && sees_to) || (sees_to && enters) ||
			  (sees_from && leaves))));
	CHECK(left.data == entry.data);
	if (!passed)
		return;
	CHECK(ctr_entry_from(&left) == (sees_from ? ctr_entry_from(&entry) : 0));
	CHECK(ctr_entry_to(&left) == (sees_to ? ctr_entry_to(&entry) : 0));
	CHECK(!ctr_entry_valid(&entry) || ctr_entry_valid(&left));
	if (sees_to)
		CHECK(ctr_entry_mispredicted(&left) ==
		      ctr_entry_mispredicted(&entry));
}
