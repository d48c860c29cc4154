// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "test.h"
#include "ctr_view.h"

#define USER	0x10000ull
#define KERNEL	0xffffffff80001000ull
#define U	PERF_SAMPLE_BRANCH_USER
#define K	PERF_SAMPLE_BRANCH_KERNEL

static void view_of(struct ctr_view *view, __u64 bits, bool tells_misp)
{
	ctr_filter_t filter;

	CHECK_EQ(ctr_filter_parse(bits, &filter), 0);
	memset(view, 0, sizeof(*view));
	ctr_view_set(view, filter, tells_misp);
}

static __u64 random_below(__u64 limit)
{
	return test_random() % limit;
}

static struct ctr_entry any_entry(void)
{
	__u64 from = random_below(2) ? USER : KERNEL;
	__u64 to = random_below(2) ? USER : KERNEL;

	if (!random_below(8))
		from = 0;
	else if (!random_below(8))
		to = 0;
	return (struct ctr_entry){
		.source = from | random_below(64) << 1 | CTR_SOURCE_V,
		.target = to | random_below(64) << 1 | !random_below(4),
		.data = random_below(16) | (__u64)random_below(1 << 17) << 15,
	};
}

/* The quick way is right where it answers at all. */
TEST(quick_shows_what_filter_and_entry_say)
{
	static const __u64 filters[] = {
		U | PERF_SAMPLE_BRANCH_ANY,
		K | PERF_SAMPLE_BRANCH_ANY,
		U | K | PERF_SAMPLE_BRANCH_ANY,
		U | PERF_SAMPLE_BRANCH_COND,
		U | K | PERF_SAMPLE_BRANCH_ANY_CALL,
		U | PERF_SAMPLE_BRANCH_CALL_STACK,
		U | PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_NO_FLAGS,
		U | PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_NO_CYCLES,
	};
	unsigned int quick = 0;

	for (unsigned int i = 0; i < 200000; i++) {
		__u64 bits = filters[i % (sizeof(filters) / sizeof(filters[0]))];
		struct ctr_entry_context context = {
			.tells_misp = random_below(2),
			.no_flags = bits & PERF_SAMPLE_BRANCH_NO_FLAGS,
			.no_cycles = bits & PERF_SAMPLE_BRANCH_NO_CYCLES,
		};
		struct ctr_entry entry = any_entry();
		struct perf_branch_entry shown, want;
		struct ctr_view view;

		if (!(i & 1023))
			context.tells_misp = i & 1024;
		view_of(&view, bits, context.tells_misp);
		if (!ctr_view_quick(&view, &entry, &shown))
			continue;
		quick++;
		CHECK(ctr_filter_pass(view.filter, &entry));
		ctr_entry_to_perf(&entry, &context, &want);
		CHECK_EQ(memcmp(&shown, &want, sizeof(want)), 0);
	}
	CHECK(quick > 10000);
}

/* It is no help if it never answers. */
TEST(quick_answers_for_all_that_is_common)
{
	struct perf_branch_entry shown;
	struct ctr_view view;

	view_of(&view, U | K | PERF_SAMPLE_BRANCH_ANY, false);
	for (unsigned int type = 2; type < 16; type++) {
		struct ctr_entry user = { USER | 1, USER, type };
		struct ctr_entry kernel = { KERNEL | 1, KERNEL, type };

		if (type == CTR_TYPE_NOT_TAKEN)
			continue;
		CHECK(ctr_view_quick(&view, &user, &shown));
		CHECK(ctr_view_quick(&view, &kernel, &shown));
	}
}

TEST(quick_leaves_what_wants_a_closer_look)
{
	struct ctr_entry exception = { KERNEL | 1, KERNEL, CTR_TYPE_EXCEPTION };
	struct ctr_entry border = { USER | 1, KERNEL, CTR_TYPE_INTERRUPT };
	struct ctr_entry mispredicted = { USER | 1, USER | 1, CTR_TYPE_TAKEN };
	struct perf_branch_entry shown;
	struct ctr_view view;

	view_of(&view, U | K | PERF_SAMPLE_BRANCH_ANY, true);
	CHECK(!ctr_view_quick(&view, &exception, &shown));
	CHECK(!ctr_view_quick(&view, &border, &shown));
	CHECK(!ctr_view_quick(&view, &mispredicted, &shown));
}

/* A branch of 100 cycles on a hart that tells what it predicts. */
static struct perf_branch_entry quick_branch(__u64 bits)
{
	struct ctr_entry branch = { USER | 1, USER,
				    100 << 16 | 1 << 15 | CTR_TYPE_TAKEN };
	struct perf_branch_entry shown = {};
	struct ctr_view view;

	view_of(&view, U | PERF_SAMPLE_BRANCH_ANY | bits, true);
	CHECK(ctr_view_quick(&view, &branch, &shown));
	return shown;
}

TEST(quick_tells_no_more_than_is_wanted)
{
	CHECK_EQ(quick_branch(0).predicted, 1);
	CHECK_EQ(quick_branch(0).cycles, 100);
	CHECK_EQ(quick_branch(PERF_SAMPLE_BRANCH_NO_FLAGS).predicted, 0);
	CHECK_EQ(quick_branch(PERF_SAMPLE_BRANCH_NO_FLAGS).cycles, 100);
	CHECK_EQ(quick_branch(PERF_SAMPLE_BRANCH_NO_CYCLES).predicted, 1);
	CHECK_EQ(quick_branch(PERF_SAMPLE_BRANCH_NO_CYCLES).cycles, 0);
}

/* What is looked at closely is shown by the view's own context. */
TEST(a_view_knows_what_is_told_of_a_record)
{
	struct ctr_view view;

	view_of(&view, U | PERF_SAMPLE_BRANCH_ANY, false);
	CHECK(!view.context.tells_misp);
	CHECK(!view.context.no_flags && !view.context.no_cycles);
	view_of(&view, U | PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_NO_FLAGS,
		true);
	CHECK(view.context.tells_misp);
	CHECK(view.context.no_flags && !view.context.no_cycles);
	view_of(&view, U | PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_NO_CYCLES,
		true);
	CHECK(!view.context.no_flags && view.context.no_cycles);
}

TEST(a_view_follows_its_filter)
{
	struct ctr_entry branch = { USER | 1, USER, CTR_TYPE_TAKEN };
	struct perf_branch_entry shown;
	ctr_filter_t calls;
	struct ctr_view view;

	view_of(&view, U | PERF_SAMPLE_BRANCH_COND, false);
	CHECK(ctr_view_quick(&view, &branch, &shown));
	CHECK_EQ(shown.predicted, 0);
	ctr_view_set(&view, view.filter, true);
	CHECK(ctr_view_quick(&view, &branch, &shown));
	CHECK_EQ(shown.predicted, 1);
	CHECK_EQ(ctr_filter_parse(U | PERF_SAMPLE_BRANCH_CALL, &calls), 0);
	ctr_view_set(&view, calls, true);
	CHECK(!ctr_view_quick(&view, &branch, &shown));
}
