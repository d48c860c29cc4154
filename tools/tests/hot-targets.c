// SPDX-License-Identifier: GPL-2.0-only
/* Indirect branches and where they led. */
#include "hot-build.h"

TEST(targets_are_those_of_each_indirect_branch)
{
	static const struct step steps[] = {
		{ 0x04, 0x50, IND, 0 }, { 0x54, 0x00, UNCOND, 0 },
		{ 0x04, 0x60, IND, 0 }, { 0x64, 0x00, UNCOND, 0 },
		{ 0x04, 0x60, IND, 0 }, { 0x64, 0x08, UNCOND, 0 },
		{ 0x0c, 0x40, IND_CALL, 0 }, { 0x44, 0x10, RET, 0 },
		{ 0x14, 0x40, CALL, 0 }, { 0x44, 0x18, RET, 0 },
		{ 0x1c, 0x00, COND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x40);
	CHECK_LIST(steps, HOT_SITES,
		   "3 IND f+4, 2 g+20, 1 g+10\n"
		   "1 IND_CALL f+c, 1 g+0\n");
}

TEST(targets_that_are_as_frequent_come_by_their_address)
{
	static const struct step steps[] = {
		{ 0x04, 0x60, IND, 0 }, { 0x04, 0x50, IND, 0 },
		{ 0x04, 0x70, IND, 0 }, { 0x02, 0x50, IND, 0 },
		{ 0x02, 0x50, IND, 0 }, { 0x02, 0x50, IND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x80);
	CHECK_LIST(steps, HOT_SITES,
		   "3 IND f+2, 3 f+50\n"
		   "3 IND f+4, 1 f+50, 1 f+60, 1 f+70\n");
}

/* As where one process has changed its code: the two are not mixed. */
TEST(a_jump_and_a_call_at_one_place_are_two)
{
	static const struct step steps[] = {
		{ 0x04, 0x50, IND_CALL, 0 }, { 0x04, 0x60, IND, 0 },
		{ 0x04, 0x60, IND_CALL, 0 }, { 0x04, 0x60, IND_CALL, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x80);
	CHECK_LIST(steps, HOT_SITES,
		   "3 IND_CALL f+4, 2 f+60, 1 f+50\n"
		   "1 IND f+4, 1 f+60\n");
}
