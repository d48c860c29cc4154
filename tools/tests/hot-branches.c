// SPDX-License-Identifier: GPL-2.0-only
/* Conditional branches, and how often they were taken. */
#include "hot-build.h"

/* The line from 0 goes on at the branch at 4 twice, and ends there three times. */
TEST(a_line_that_goes_on_behind_a_branch_did_not_take_it)
{
	static const struct step steps[] = {
		{ 0x20, 0x00, UNCOND, 0 }, { 0x04, 0x00, COND, 0 },
		{ 0x04, 0x00, COND, 0 }, { 0x0c, 0x00, UNCOND, 0 },
		{ 0x04, 0x00, COND, 0 }, { 0x0c, 0x10, UNCOND, 0 },
		{ 0x18, 0x00, UNCOND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	CHECK_LIST(steps, HOT_BRANCHES,
		   "2 of 5: 3 f+4 f+0\n");
}

/* What runs through other functions is passed all the same. */
TEST(a_line_need_not_be_of_one_function_or_of_any)
{
	static const struct step steps[] = {
		{ 0x20, 0x00, UNCOND, 0 }, { 0x14, 0x00, COND, 0 },
		{ 0x1c, 0x00, UNCOND, 0 }, { 0x1c, 0x00, UNCOND, 0 },
		{ 0x14, 0x00, COND, 0 }, { 0x1c, 0x40, UNCOND, 0 },
		{ 0x44, 0x40, COND, 0 }, { 0x48, 0x40, UNCOND, 0 },
		{ 0x48, 0x40, UNCOND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x10);
	add_function("g", 0x10, 0x10);
	CHECK_LIST(steps, HOT_BRANCHES,
		   "2 of 5: 2 g+4 f+0\n"
		   "1 of 3: 1 /x+1044 /x+1040\n");
}

TEST(one_that_always_or_never_goes_one_way_is_not_hard)
{
	static const struct step steps[] = {
		{ 0x20, 0x00, UNCOND, 0 }, { 0x04, 0x00, COND, 0 },
		{ 0x04, 0x10, COND, 0 }, { 0x18, 0x10, COND, 0 },
		{ 0x18, 0x10, COND, 0 }, { 0x18, 0x10, COND, 0 },
		{ 0x1c, 0x00, UNCOND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	/* At 4 the first of two targets that were as frequent is shown. */
	CHECK_LIST(steps, HOT_BRANCHES,
		   "1 of 4: 3 f+18 f+10\n"
		   "0 of 2: 2 f+4 f+0\n");
}

TEST(of_those_that_are_as_hard_the_more_frequent_comes_first)
{
	static const struct step steps[] = {
		{ 0x20, 0x00, UNCOND, 0 }, { 0x04, 0x00, COND, 0 },
		{ 0x0c, 0x10, UNCOND, 0 }, { 0x18, 0x10, COND, 0 },
		{ 0x18, 0x10, COND, 0 }, { 0x1c, 0x00, UNCOND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	CHECK_LIST(steps, HOT_BRANCHES,
		   "1 of 3: 2 f+18 f+10\n"
		   "1 of 2: 1 f+4 f+0\n");
}

/* As where records are missing in a stack. */
TEST(a_line_that_ends_before_it_begins_passes_nothing)
{
	static const struct step steps[] = {
		{ 0x20, 0x00, UNCOND, 0 }, { 0x04, 0x00, COND, 0 },
		{ 0x08, 0x10, UNCOND, 0 }, { 0x00, 0x1c, UNCOND, 0 },
		{ 0x20, 0x20, UNCOND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	CHECK_LIST(steps, HOT_BRANCHES,
		   "1 of 2: 1 f+4 f+0\n");
}

/* Nothing is known behind the youngest. */
TEST(a_branch_that_is_the_youngest_is_not_counted)
{
	static const struct step steps[] = {
		{ 0x20, 0x00, UNCOND, 0 }, { 0x1c, 0x10, UNCOND, 0 },
		{ 0x18, 0x10, COND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	CHECK_LIST(steps, HOT_BRANCHES,
		   "");
}

TEST(jumps_and_calls_are_no_conditional_branches)
{
	static const struct step steps[] = {
		{ 0x20, 0x00, UNCOND, 0 }, { 0x04, 0x00, IND, 0 },
		{ 0x08, 0x00, CALL, 0 }, { 0x08, 0x00, RET, 0 },
		{ 0x0c, 0x00, UNCOND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	CHECK_LIST(steps, HOT_BRANCHES,
		   "");
}

TEST(where_mispredictions_are_recorded_these_make_a_branch_hard)
{
	static const struct step steps[] = {
		{ 0x20, 0x00, UNCOND, RIGHT }, { 0x04, 0x00, COND, RIGHT },
		{ 0x04, 0x00, COND, RIGHT }, { 0x0c, 0x00, UNCOND, RIGHT },
		{ 0x0c, 0x10, UNCOND, RIGHT }, { 0x18, 0x10, COND, MISSED },
		{ 0x18, 0x10, COND, MISSED }, { 0x18, 0x10, COND, RIGHT },
		{ 0x18, 0x00, COND, MISSED },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	/* The last of them is the youngest: it counts neither as taken nor as hard. */
	CHECK_LIST(steps, HOT_BRANCHES,
		   "2 of 3: 3 f+18 f+10\n"
		   "0 of 4: 2 f+4 f+0\n");
}

/* And is all that there is. */
TEST(a_branch_may_lead_to_itself)
{
	static const struct step steps[] = {
		{ 0x04, 0x04, COND, 0 }, { 0x04, 0x04, COND, 0 }, { 0x04, 0x04, COND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	ADD_STEPS(steps);
	find();
	CHECK_EQ(hot.nr_places, 1);
	CHECK_STR(list_of(HOT_BRANCHES), "0 of 2: 2 f+4 f+4\n");
	end();
}
