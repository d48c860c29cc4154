// SPDX-License-Identifier: GPL-2.0-only
/* Calls, by caller and callee. */
#include "hot-build.h"

TEST(calls_from_several_places_of_a_function_are_one_pair)
{
	static const struct step steps[] = {
		{ 0x04, 0x40, CALL, 0 }, { 0x48, 0x08, RET, 0 },
		{ 0x10, 0x44, IND_CALL, 0 }, { 0x48, 0x14, RET, 0 },
		{ 0x18, 0x40, UNCOND, 0 }, /* a tail call */
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x40);
	CHECK_LIST(steps, HOT_CALLS,
		   "3 f g\n");
}

TEST(the_most_frequent_pair_comes_first_and_then_the_lower_address)
{
	static const struct step steps[] = {
		{ 0x84, 0x00, CALL, 0 }, { 0x04, 0x80, CALL, 0 },
		{ 0x04, 0x40, CALL, 0 }, { 0x44, 0x80, CALL, 0 },
		{ 0x44, 0x80, CALL, 0 }, { 0x84, 0x80, CALL, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x40);
	add_function("h", 0x80, 0x40);
	ADD_STEPS(steps);
	find();
	CHECK_STR(list_of(HOT_CALLS), "2 g h\n"
				      "1 f g\n"
				      "1 f h\n"
				      "1 h f\n"
				      "1 h h\n");
	CHECK_STR(list_of(HOT_FUNCTIONS), "4 h\n1 f\n1 g\n");
	end();
}
