// SPDX-License-Identifier: GPL-2.0-only
/* Functions: how often each was entered, and what has no function. */
#include "hot-build.h"

TEST(calls_enter_functions_wherever_they_lead)
{
	static const struct step steps[] = {
		{ 0x04, 0x40, CALL, 0 }, { 0x48, 0x00, IND_CALL, 0 },
		{ 0x08, 0x50, CALL, 0 }, { 0x54, 0x0c, RET, 0 },
	};

	begin_two();
	CHECK_LIST(steps, HOT_FUNCTIONS,
		   "2 g\n1 f\n");
}

TEST(jumps_enter_another_function_at_its_start_alone)
{
	static const struct step steps[] = {
		{ 0x04, 0x40, UNCOND, 0 }, { 0x48, 0x00, IND, 0 },
		{ 0x08, 0x00, COND, 0 }, /* its own start */
		{ 0x0c, 0x44, UNCOND, 0 }, /* not at the start */
		{ 0x4c, 0x40, UNCOND, 0 },
	};

	begin_two();
	CHECK_LIST(steps, HOT_FUNCTIONS,
		   "1 f\n1 g\n");
}

TEST(returns_and_traps_enter_nothing)
{
	static const struct step steps[] = {
		{ 0x04, 0x40, RET, 0 }, { 0x48, 0x00, PERF_BR_IRQ, 0 },
		{ 0x08, 0x40, PERF_BR_ERET, 0 }, { 0x44, 0x00, PERF_BR_SYSCALL, 0 },
	};

	begin_two();
	CHECK_LIST(steps, HOT_FUNCTIONS, "0 g\n0 f\n");
}

TEST(a_type_that_nobody_knows_enters_as_a_jump_does)
{
	static const uint64_t stack[][3] = {
		{ 0x900, MAP_AT + 0x40, 0 }, { 0x900, MAP_AT + 0x44, 0 },
	};

	begin_two();
	add_stack(5, 2, stack);
	find();
	CHECK_STR(list_of(HOT_FUNCTIONS), "1 g\n");
	end();
}

TEST(what_has_no_symbol_is_one_for_its_binary)
{
	static const struct step steps[] = {
		{ 0x84, 0x00, CALL, 0 }, { 0x04, 0x90, CALL, 0 },
		{ 0x94, 0x88, CALL, 0 }, { 0x8c, 0xa0, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	find();
	/* Jumps to what has no known start enter nothing. */
	CHECK_STR(list_of(HOT_FUNCTIONS), "2 /x\n1 f\n");
	CHECK(!hot.functions[hot.lists[HOT_FUNCTIONS].v[0].number].known);
	CHECK(hot.functions[hot.lists[HOT_FUNCTIONS].v[1].number].known);
	CHECK_STR(hot.functions[hot.lists[HOT_FUNCTIONS].v[1].number].binary,
		  "/x");
	end();
}

TEST(functions_of_one_name_are_as_many_as_there_are)
{
	static const struct step steps[] = {
		{ 0x04, 0x40, CALL, 0 }, { 0x44, 0x00, CALL, 0 },
		{ 0x04, 0x40, CALL, 0 },
	};

	begin(NULL, 0);
	add_function("twin", 0x00, 0x40);
	add_function("twin", 0x40, 0x40);
	CHECK_LIST(steps, HOT_FUNCTIONS,
		   "2 twin\n1 twin\n");
}

TEST(a_function_around_another_is_one)
{
	static const struct step steps[] = {
		{ 0x04, 0x40, CALL, 0 }, { 0x44, 0x20, CALL, 0 }, { 0x24, 0x30, CALL, 0 },
		{ 0x34, 0x00, CALL, 0 }, { 0x04, 0x40, CALL, 0 },
	};

	begin(NULL, 0);
	add_function("outer", 0x00, 0x40);
	add_function("inner", 0x20, 0x08);
	add_function("next", 0x40, 0x40);
	CHECK_LIST(steps, HOT_FUNCTIONS, "2 outer\n2 next\n1 inner\n");
}

/* f is entered more often, but g has longer lines, of instructions of two bytes each. */
TEST(the_function_where_most_ran_comes_first)
{
	static const struct step steps[] = {
		{ 0x10, 0x40, CALL, 0 }, { 0x50, 0x00, CALL, 0 }, /* 9 of g */
		{ 0x02, 0x00, CALL, 0 }, { 0x08, 0x44, RET, 0 }, /* 2 and 5 of f */
		{ 0x48, 0x20, RET, 0 }, /* 3 of g */
	};

	begin_two();
	ADD_STEPS(steps);
	find();
	CHECK_STR(list_of(HOT_FUNCTIONS), "1 g\n2 f\n");
	CHECK_EQ(hot.functions[1].share * 19, 12);
	CHECK_EQ(hot.functions[0].share * 19, 7);
	end();
}

/* f goes on into g, and g into h. What enters f does not enter these. */
TEST(each_function_has_its_part_of_a_line_that_leads_through_it)
{
	static const struct step steps[] = {
		{ 0x60, 0x30, CALL, 0 }, { 0x50, 0x00, RET, 0 }, /* 8 of f, 4 of g, 5 of h */
		{ 0x02, 0x60, RET, 0 }, /* 2 of f */
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x08);
	add_function("h", 0x48, 0x38);
	ADD_STEPS(steps);
	find();
	CHECK_STR(list_of(HOT_FUNCTIONS), "1 f\n0 h\n0 g\n");
	CHECK_EQ(hot.functions[0].share * 19, 10);
	CHECK_EQ(hot.functions[1].share * 19, 4);
	CHECK_EQ(hot.functions[2].share * 19, 5);
	end();
}

TEST(what_a_line_has_between_functions_is_of_none)
{
	static const struct step steps[] = {
		{ 0x60, 0x3c, CALL, 0 }, { 0x46, 0x60, RET, 0 }, /* 2 of f, 2 of none, 2 of g */
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	add_function("g", 0x44, 0x3c);
	ADD_STEPS(steps);
	find();
	CHECK_STR(list_of(HOT_FUNCTIONS), "1 f\n0 /x\n0 g\n");
	CHECK_EQ(hot.functions[0].share * 6, 2);
	CHECK_EQ(hot.functions[1].share * 6, 2);
	CHECK_EQ(hot_unnamed(&hot) * 6, 2);
	end();
}

/* Nothing goes on behind a return: a transfer is missing. */
TEST(a_line_over_a_return_is_in_no_function)
{
	static const uint16_t code[0x40] = { [0x3e / 2] = 0x8082 };
	static const struct step steps[] = {
		{ 0x60, 0x3c, CALL, 0 }, { 0x42, 0x60, RET, 0 },
	};

	begin(code, sizeof(code));
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x40);
	CHECK_LIST(steps, HOT_FUNCTIONS, "1 f\n");
}

/* Each has two bytes. Each part has the same share of the instructions, which are not known. */
TEST(a_line_through_too_many_functions_is_in_none)
{
	FILE *map = fopen(test_path("tmp/perf-5.map"), "w");
	unsigned int i, known;

	for (i = 0; i < 100; i++)
		CHECK(map && fprintf(map, "%x 2 f%u\n", MAP_AT + 2 * i, i) > 0);
	CHECK(!fclose(map));
	for (known = 0; known < 2; known++) {
		/* Through 64 functions, and through 65. */
		const struct step steps[] = {
			{ 0x200, 0x00, CALL, 0 }, { 2 * (63 + known), 0x200, RET, 0 },
		};

		begin(NULL, 0);
		pdb_mmap2(&rec, 5, MAP_AT, 0x1000, 0, "//anon", 1);
		ADD_STEPS(steps);
		find();
		CHECK_EQ(hot.functions[0].share * 64, 1 - known);
		CHECK_EQ(hot.lists[HOT_FUNCTIONS].nr, known ? 1 : 64);
		end();
	}
}

/* Between calls alone nobody knows what ran. */
TEST(without_all_branches_entries_are_the_order)
{
	static const struct step steps[] = {
		{ 0x10, 0x40, CALL, 0 }, { 0x50, 0x00, CALL, 0 },
		{ 0x02, 0x00, CALL, 0 },
	};

	left_out = true;
	begin_two();
	ADD_STEPS(steps);
	find();
	CHECK_STR(list_of(HOT_FUNCTIONS), "2 f\n1 g\n");
	CHECK_EQ(hot.insns, 0);
	CHECK_EQ(hot.functions[0].share, 0);
	end();
	left_out = false;
}

TEST(what_is_in_no_binary_is_one_and_the_kernel_another)
{
	static const uint64_t stack[][3] = {
		{ 0x3f00000030, 0xffffffff80000000, (uint64_t)CALL << 20 },
		{ 0xffffffff80000010, 0x3f00000020, (uint64_t)CALL << 20 },
		{ 0x3f00000010, 0xffffffff80000008, (uint64_t)CALL << 20 },
		{ 0xffffffff80000018, 0x3f00000000, (uint64_t)CALL << 20 },
		{ MAP_AT + 0x04, 0xffffffff80000018, (uint64_t)CALL << 20 },
	};

	begin_two();
	add_stack(5, 5, stack);
	find();
	CHECK_EQ(hot.nr_functions, 3);
	CHECK_STR(hot.functions[0].name, "[unknown]");
	CHECK_EQ(hot.functions[0].entries, 2);
	CHECK_STR(hot.functions[1].name, "[kernel]");
	CHECK_EQ(hot.functions[1].entries, 3);
	CHECK_STR(hot.functions[2].name, "f");
	end();
}
