// SPDX-License-Identifier: GPL-2.0-only
/* Loops: what is one, where it begins and ends, how often it ran and was entered. */
#include "hot-build.h"

#include <math.h>
#include <time.h>

/* Of f, 0x40 bytes, and g behind it; each stack begins with a call of f. */
static void check(int line, const char *want)
{
	find();
	if (strcmp(list_of(HOT_LOOPS), want))
		test_fail(__FILE__, line, "loops are\n%snot\n%s", hot_text, want);
	end();
}

#define CHECK_LOOPS(_want) check(__LINE__, _want)

TEST(a_loop_runs_once_more_than_it_jumps_back)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x0c, 0x04, COND, 0 }, { 0x0c, 0x04, COND, 0 },
		{ 0x1c, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	ADD_STEPS(steps);
	CHECK_LOOPS("6 of 2: f+4 f+c\n");
}

TEST(a_loop_without_a_symbol_is_none)
{
	static const struct step steps[] = {
		{ 0x8c, 0x84, COND, 0 }, { 0x8c, 0x84, COND, 0 },
		{ 0x8c, 0x84, COND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("");
}

/* The loop is entered once, and its head runs four times, whatever its code is called. */
TEST(a_loop_around_another_function_is_one)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x0c, 0x04, COND, 0 }, { 0x0c, 0x04, COND, 0 }, { 0x0c, 0x04, COND, 0 },
		{ 0x1c, 0x44, RET, 0 },
		/* Places of the function within it. */
		{ 0x4c, 0x08, CALL, 0 }, { 0x0a, 0x50, RET, 0 },
	};

	begin_two();
	add_function("inner", 0x08, 0x04);
	ADD_STEPS(steps);
	CHECK_LOOPS("4 of 1: f+4 f+c\n");
}

TEST(a_jump_back_into_another_function_is_none)
{
	static const struct step steps[] = {
		{ 0x44, 0x04, COND, 0 }, { 0x08, 0x40, UNCOND, 0 },
		{ 0x44, 0x04, COND, 0 }, { 0x08, 0x40, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("");
}

TEST(several_jumps_back_to_one_head_are_one_loop)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x08, 0x04, COND, 0 }, /* continue */
		{ 0x10, 0x04, COND, 0 }, /* the end of the body */
		{ 0x08, 0x04, COND, 0 },
		{ 0x1c, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("4 of 1: f+4 f+10\n");
}

TEST(a_loop_of_one_place_jumps_to_itself)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 }, { 0x04, 0x04, UNCOND, 0 },
		{ 0x04, 0x04, UNCOND, 0 }, { 0x04, 0x04, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	/* Behind the youngest it is not known what ran. */
	CHECK_LOOPS("3 of 1: f+4 f+4\n");
}

TEST(the_outer_loop_has_the_inner_one_in_its_body)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x0c, 0x08, COND, 0 }, { 0x0c, 0x08, COND, 0 },
		{ 0x0c, 0x08, COND, 0 }, /* 4 times, */
		{ 0x14, 0x04, COND, 0 },
		{ 0x0c, 0x08, COND, 0 }, /* and twice */
		{ 0x1c, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	find();
	CHECK_STR(list_of(HOT_LOOPS), "2 of 1: f+4 f+14\n"
				      "6 of 2: f+8 f+c\n");
	CHECK_EQ(hot.loops[0].depth, 0);
	CHECK_EQ(hot.loops[0].outer, HOT_NO_LOOP);
	CHECK_EQ(hot.loops[1].depth, 1);
	CHECK_EQ(hot.loops[1].outer, 0);
	end();
}

/* Eighteen, each around the next one, which jumps back once. */
TEST(of_loops_in_loops_seventeen_are_found)
{
	enum { NR = 18, BODY = 4 * NR + 4, END = 8 * NR + 8 };
	struct step steps[NR + 3] = { { END, 0, CALL, 0 } };
	static uint8_t zeroes[END + 0x10];
	unsigned int i;

	begin(zeroes, sizeof(zeroes));
	add_function("f", 0, END);
	add_function("g", END, 0x10);
	for (i = 1; i <= NR; i++)
		steps[i] = (struct step){ BODY + 4 * i, 4 * (NR + 1 - i), COND, 0 };
	steps[i++] = (struct step){ END - 4, END + 4, RET, 0 };
	steps[i++] = (struct step){ END + 8, END + 12, UNCOND, 0 };
	add_steps(steps, i);
	find();
	CHECK_EQ(hot.nr_loops, 17);
	for (i = 0; i < hot.nr_loops; i++)
		CHECK(hot.loops[i].depth < 17);
	end();
}

TEST(loops_one_behind_the_other_are_two)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x08, 0x04, COND, 0 },
		{ 0x14, 0x10, COND, 0 },
		{ 0x1c, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("2 of 1: f+4 f+8\n"
		    "2 of 1: f+10 f+14\n");
}

TEST(a_call_in_the_body_comes_back_to_it)
{
	static const struct step steps[] = {
		{ 0x60, 0x00, CALL, 0 },
		{ 0x08, 0x40, CALL, 0 }, { 0x44, 0x0c, RET, 0 },
		{ 0x10, 0x04, COND, 0 },
		{ 0x08, 0x40, CALL, 0 }, { 0x44, 0x0c, RET, 0 },
		{ 0x10, 0x04, COND, 0 },
		{ 0x08, 0x40, CALL, 0 }, { 0x44, 0x0c, RET, 0 },
		{ 0x1c, 0x64, RET, 0 }, { 0x6c, 0x70, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("3 of 1: f+4 f+10\n");
}

TEST(what_a_call_in_the_body_comes_back_to_may_be_the_end_of_the_function)
{
	static const struct step steps[] = {
		{ 0x60, 0x00, CALL, 0 },
		{ 0x08, 0x40, CALL, 0 }, { 0x44, 0x0c, RET, 0 },
		{ 0x0c, 0x04, COND, 0 },
		{ 0x08, 0x40, CALL, 0 }, { 0x44, 0x0c, RET, 0 },
		{ 0x0c, 0x04, COND, 0 },
		{ 0x08, 0x40, CALL, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("3 of 1: f+4 f+c\n");
}

/* What a call returns to lies behind it, and not elsewhere. */
TEST(a_return_that_is_far_from_the_call_does_not_go_on)
{
	static const struct step steps[] = {
		{ 0x08, 0x40, CALL, 0 }, { 0x44, 0x10, RET, 0 },
		{ 0x14, 0x04, COND, 0 },
		{ 0x08, 0x40, CALL, 0 }, { 0x44, 0x10, RET, 0 },
		{ 0x14, 0x04, COND, 0 },
		{ 0x08, 0x40, CALL, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("");
}

/* Behind 08, that is, which only led to the call at 0a; the head is where it was entered. */
TEST(a_return_to_the_call_itself_does_not_come_from_before_it)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 }, { 0x02, 0x0a, UNCOND, 0 },
		{ 0x0a, 0x40, CALL, 0 }, { 0x44, 0x0a, RET, 0 }, { 0x10, 0x08, COND, 0 },
		{ 0x0a, 0x40, CALL, 0 }, { 0x44, 0x0a, RET, 0 },
		{ 0x1c, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("2 of 1: f+a f+10\n");
}

/* The last instruction of a, and what lies behind the first one of b. */
TEST(a_return_to_another_function_does_not_go_on_either)
{
	static const struct step steps[] = {
		{ 0x00, 0x40, CALL, 0 }, { 0x44, 0x04, RET, 0 },
		{ 0x08, 0x04, COND, 0 }, { 0x08, 0x04, COND, 0 },
		{ 0x1c, 0x48, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin(NULL, 0);
	add_function("a", 0x00, 0x02);
	add_function("b", 0x02, 0x3e);
	ADD_STEPS(steps);
	CHECK_LOOPS("2 of 0: b+2 b+6\n");
}

TEST(a_jump_into_the_body_enters_it)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x02, 0x0c, UNCOND, 0 }, /* behind the head */
		{ 0x10, 0x08, COND, 0 }, { 0x10, 0x08, COND, 0 },
		{ 0x10, 0x08, COND, 0 },
		{ 0x1c, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	/* At its test, which runs once more than the body. */
	CHECK_LOOPS("4 of 1: f+c f+10\n");
}

TEST(a_block_behind_the_function_s_end_is_in_the_body)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x08, 0x30, COND, 0 }, { 0x38, 0x0c, UNCOND, 0 },
		{ 0x10, 0x04, COND, 0 }, { 0x10, 0x04, COND, 0 },
		{ 0x1c, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	/* The block jumps back, but nothing leads from 0c to it but by 04. */
	CHECK_LOOPS("3 of 1: f+4 f+38\n");
}

TEST(a_jump_that_is_the_youngest_leads_nowhere)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 }, { 0x0c, 0x04, COND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("");
}

TEST(a_tail_call_of_its_own_start_is_a_loop_entered_by_the_call)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x0c, 0x00, UNCOND, 0 }, { 0x0c, 0x00, UNCOND, 0 },
		{ 0x1c, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("3 of 1: f+0 f+c\n");
}

/* Compilers put the less frequent way of a body before its head. */
TEST(a_block_before_the_head_is_in_the_body)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 },
		{ 0x02, 0x10, UNCOND, 0 },
		{ 0x14, 0x08, COND, 0 }, /* and on to the head */
		{ 0x14, 0x08, COND, 0 },
		{ 0x1c, 0x10, COND, 0 },
		{ 0x1e, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	find();
	CHECK_STR(list_of(HOT_LOOPS), "4 of 1: f+10 f+1c\n");
	CHECK_EQ(hot.places[hot.loops[0].first].offset, 0x08);
	end();
}

/* Once over the block and once through it; both ways meet at 08. */
TEST(ways_that_meet_again_are_no_loop)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 }, { 0x06, 0x30, COND, 0 }, { 0x34, 0x08, UNCOND, 0 },
		{ 0x1c, 0x44, RET, 0 }, { 0x48, 0x00, CALL, 0 }, { 0x1c, 0x4c, RET, 0 },
		{ 0x50, 0x54, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("");
}

/* As compilers put the test of a loop behind it; what calls is nobody's, and lies before. */
TEST(entries_are_counted_once_whatever_follows_them)
{
	static const struct step steps[] = {
		{ 0x80000, 0x18, CALL, 0 }, { 0x1c, 0x04, UNCOND, 0 },
		{ 0x0c, 0x04, COND, 0 }, { 0x0a, 0x80010, RET, 0 },
		{ 0x80020, 0x18, CALL, 0 }, { 0x1c, 0x04, UNCOND, 0 },
		{ 0x0a, 0x80010, RET, 0 }, { 0x80020, 0x80030, UNCOND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	ADD_STEPS(steps);
	CHECK_LOOPS("3 of 2: f+4 f+c\n");
}

/* f calls itself in its loop; what returns there does not enter it. */
TEST(a_return_into_the_body_does_not_enter_it)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 }, { 0x0c, 0x04, COND, 0 }, { 0x08, 0x00, CALL, 0 },
		{ 0x0c, 0x04, COND, 0 }, { 0x1c, 0x0a, RET, 0 }, { 0x0c, 0x04, COND, 0 },
		{ 0x1c, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(steps);
	CHECK_LOOPS("5 of 2: f+4 f+c\n");
}

/* Each of 18 in the one before. */
TEST(loops_are_told_that_are_in_up_to_16_others)
{
	struct step steps[21] = { { 0x80, 0x00, CALL, 0 } };
	unsigned int i, nr = 1;

	for (i = 18; i-- > 0;)
		steps[nr++] = (struct step){ 0x60 - 2 * i, 2 * i, COND, 0 };
	steps[nr++] = (struct step){ 0x70, 0x84, RET, 0 };
	steps[nr++] = (struct step){ 0x8c, 0x90, UNCOND, 0 };
	begin(NULL, 0);
	add_function("f", 0x00, 0x80);
	add_function("g", 0x80, 0x40);
	ADD_STEPS(steps);
	find();
	CHECK_EQ(hot.nr_loops, 17);
	for (i = 0; i < 17; i++)
		CHECK_EQ(hot.loops[i].depth, i);
	end();
}

/* Handlers of an interpreter at 00, 10 and 20, each of which may be the first and the last. */
TEST(handlers_that_jump_to_each_other_are_one_loop)
{
	static const struct step first[] = {
		{ 0x40, 0x00, CALL, 0 }, { 0x0c, 0x10, IND, 0 }, { 0x1c, 0x20, IND, 0 },
		{ 0x2c, 0x10, IND, 0 }, { 0x1c, 0x00, IND, 0 }, { 0x0c, 0x20, IND, 0 },
		{ 0x2c, 0x00, IND, 0 }, { 0x0e, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	}, second[] = {
		{ 0x40, 0x10, CALL, 0 }, { 0x1c, 0x20, IND, 0 }, { 0x2c, 0x20, IND, 0 },
		{ 0x2e, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	}, third[] = {
		{ 0x40, 0x20, CALL, 0 }, { 0x2c, 0x10, IND, 0 },
		{ 0x1e, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(first);
	ADD_STEPS(second);
	ADD_STEPS(third);
	/* Each of the twelve handlers that ran is a turn of it. Its end, at 2e, does not come back. */
	CHECK_LOOPS("12 of 3: f+0 f+2c\n");
}

/* --- what was seen on one side alone --- */

/*
 * The loop is f+4 to f+10. A branch at 06 skips a rare call at 08, which returns to 0a. All
 * instructions have two bytes and go on to the next one, as far as the code tells.
 */
#define SKIP	{ 0x06, 0x0c, COND, 0 }
#define AGAIN	{ 0x10, 0x04, COND, 0 }

static const struct step mostly[] = {
	{ 0x60, 0x00, CALL, 0 }, SKIP, AGAIN, SKIP, AGAIN, SKIP, AGAIN,
};

static void begin_made(void)
{
	FILE *map = fopen(test_path("tmp/perf-5.map"), "w");

	CHECK(map && fprintf(map, "%x 40 f\n%x 40 g\n", MAP_AT, MAP_AT + 0x40) > 0 &&
	      !fclose(map));
	begin(NULL, 0);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, 0, "//anon", 1);
}

TEST(a_return_of_a_call_that_was_not_seen_does_not_enter_the_loop)
{
	static const struct step rare[] = {
		{ 0x44, 0x0a, RET, 0 }, AGAIN, SKIP, AGAIN, SKIP,
	};

	begin_two();
	ADD_STEPS(mostly);
	ADD_STEPS(rare);
	CHECK_LOOPS("5 of 1: f+4 f+10\n");
	/* Of code that is not known, it is not known whether it is in the loop. */
	begin_made();
	ADD_STEPS(mostly);
	ADD_STEPS(rare);
	CHECK_LOOPS("5 of 1: f+4 f+10\n");
	remove(test_path("tmp/perf-5.map"));
}

TEST(a_return_before_the_loop_enters_it)
{
	static const struct step within[] = { SKIP, AGAIN, SKIP, AGAIN };
	static const struct step rare[] = { { 0x44, 0x02, RET, 0 }, SKIP, AGAIN, SKIP };

	begin_two();
	ADD_STEPS(within);
	ADD_STEPS(rare);
	CHECK_LOOPS("3 of 1: f+4 f+10\n");
}

/* Of two of them, one is behind the other. */
TEST(what_was_not_seen_may_be_around_another_place_that_was)
{
	static const struct step call[] = {
		AGAIN, { 0x08, 0x40, CALL, 0 }, { 0x44, 0x48, COND, 0 },
	}, back[] = {
		{ 0x44, 0x0e, RET, 0 }, { 0x10, 0x04, COND, 0 }, { 0x06, 0x10, COND, 0 }, AGAIN,
	}, skip[] = {
		{ 0x60, 0x00, CALL, 0 }, { 0x06, 0x10, COND, 0 }, AGAIN, { 0x06, 0x10, COND, 0 },
		AGAIN,
	};

	/* The call at 08 is a dead end, and behind it is another one, which returns to 0e. */
	begin_two();
	ADD_STEPS(skip);
	ADD_STEPS(call);
	ADD_STEPS(back);
	find();
	CHECK_STR(list_of(HOT_LOOPS), "4 of 1: f+4 f+10\n");
	for (size_t i = 0; i < hot.nr_places; i++)
		CHECK_EQ(hot.in_loop[i] == 0, hot.places[i].function == 0 &&
			 hot.places[i].offset >= 0x04 && hot.places[i].offset <= 0x10);
	end();
}

/* Only the jump from a register at 06 leads to 20, behind a jump; there, a call is at 22. */
TEST(a_rare_part_of_a_switch_is_in_the_loop)
{
	static const struct step often[] = {
		{ 0x60, 0x00, CALL, 0 }, { 0x06, 0x0c, IND, 0 }, AGAIN, { 0x06, 0x0c, IND, 0 },
		AGAIN, { 0x06, 0x0c, IND, 0 },
	}, rare[] = {
		{ 0x44, 0x24, RET, 0 }, { 0x28, 0x0c, UNCOND, 0 }, AGAIN, { 0x06, 0x0c, IND, 0 },
	};
	uint16_t code[0x80 / 2];
	unsigned int i;

	for (i = 0; i < 0x80 / 2; i++)
		code[i] = 0x0001; /* c.nop */
	code[0x06 / 2] = 0x8782; /* c.jr a5 */
	code[0x1e / 2] = 0xa001; /* c.j to itself */
	code[0x22 / 2] = 0x9782; /* c.jalr a5 */
	begin(code, sizeof(code));
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x40);
	ADD_STEPS(often);
	ADD_STEPS(rare);
	CHECK_LOOPS("4 of 1: f+4 f+28\n");
	/* Another one, which is before the loop, may lead there, too. */
	code[0x02 / 2] = 0x8782;
	begin(code, sizeof(code));
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x40);
	ADD_STEPS(often);
	ADD_STEPS(rare);
	CHECK_LOOPS("4 of 1: f+4 f+10\n");
}

/* Returns the processor time of hot_find() for so many loops, one behind the other, in f. */
static double time_of(unsigned int nr)
{
	struct timespec from, to;
	unsigned int i, k;
	FILE *map = fopen(test_path("tmp/perf-5.map"), "w");

	CHECK(map && fprintf(map, "%x %x f\n", MAP_AT, 8 * nr) > 0 && !fclose(map));
	begin(NULL, 0);
	pdb_mmap2(&rec, 5, MAP_AT, 8 * nr, 0, "//anon", 1);
	for (i = 0; i < nr; i += 16) {
		struct step steps[32];

		for (k = 0; k < 32; k++)
			steps[k] = (struct step){ 8 * (i + k / 2) + 6, 8 * (i + k / 2), COND, 0 };
		ADD_STEPS(steps);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	find();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	CHECK_EQ(hot.nr_loops, nr);
	end();
	return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/*
 * A function of 64,000 instructions is not looked through for each of its 16,000 loops: this
 * would take 256 times as long. What else the machine does only adds to a time.
 */
TEST(sixteen_times_as_many_loops_take_no_more_than_sixty_four_times_as_long)
{
	double few = time_of(1000), many = time_of(16000);
	unsigned int i;

	for (i = 0; i < 20 && many > 64 * few; i++) {
		few = fmin(few, time_of(1000));
		many = fmin(many, time_of(16000));
	}
	if (many > 64 * few)
		test_fail(__FILE__, __LINE__, "%.3f s and %.3f s", few, many);
}

/* The loop is at the start of g, into which f leads. */
TEST(control_comes_into_a_loop_from_the_function_before)
{
	static const struct step steps[] = {
		{ 0x60, 0x30, CALL, 0 }, { 0x48, 0x40, COND, 0 }, { 0x48, 0x40, COND, 0 },
		{ 0x50, 0x64, RET, 0 }, { 0x68, 0x60, UNCOND, 0 },
	};

	begin_two();
	CHECK_LIST(steps, HOT_LOOPS, "3 of 1: g+0 g+8\n");
}
