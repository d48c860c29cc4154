// SPDX-License-Identifier: GPL-2.0-only
/* The code of loops and functions, and what each of its instructions did. */
#include "hot-build.h"

static const uint16_t code[0x40] = {
	0x0001,			/* 00: c.nop */
	0x0001,			/* 02: c.nop */
	0x0463, 0x00b5,		/* 04: beq a0, a1, 0x0c */
	0x0001,			/* 08: c.nop */
	0x0001,			/* 0a: c.nop */
	0x0001,			/* 0c: c.nop */
	0x9782,			/* 0e: c.jalr a5 */
	0xf975,			/* 10: c.bnez a0, 0x04 */
	0x8082,			/* 12: ret */
};

/* Three times round: over 08 and 0a, through them, and over them again. */
static const struct step steps[] = {
	{ 0x40, 0x00, CALL, 0 },
	{ 0x04, 0x0c, COND, 0 },
	{ 0x0e, 0x60, IND_CALL, 0 }, { 0x60, 0x10, RET, 0 },
	{ 0x10, 0x04, COND, 0 },
	{ 0x0e, 0x50, IND_CALL, 0 }, { 0x50, 0x10, RET, 0 },
	{ 0x10, 0x04, COND, 0 },
	{ 0x04, 0x0c, COND, 0 },
	{ 0x0e, 0x50, IND_CALL, 0 }, { 0x50, 0x10, RET, 0 },
	{ 0x12, 0x44, RET, 0 }, { 0x48, 0x40, UNCOND, 0 },
};

enum { MAX = 16 };
static struct hot_insn v[MAX];

static void begin_loop(void)
{
	begin(code, sizeof(code));
	add_function("f", 0x00, 0x14);
	add_function("g", 0x40, 0x40);
	ADD_STEPS(steps);
	find();
	CHECK_STR(list_of(HOT_LOOPS), "3 of 1: f+4 f+10\n");
}

/* The code from a loop's first place to its last. */
static size_t loop_code(const struct hot_loop *loop, size_t room)
{
	return hot_code(&hot, hot.places[loop->head].function, hot.places[loop->first].offset,
			hot.places[loop->last].offset, v, room);
}

static void check_insn(int line, size_t i, uint64_t offset, unsigned int size,
		       uint64_t runs, uint64_t taken)
{
	if (v[i].offset != offset || v[i].insn.size != size ||
	    v[i].runs != runs || v[i].taken != taken || !v[i].edge != !taken)
		test_fail(__FILE__, line,
			  "%u bytes at %x ran %u times, and led %u times",
			  v[i].insn.size, (unsigned int)v[i].offset,
			  (unsigned int)v[i].runs, (unsigned int)v[i].taken);
}

#define CHECK_INSN(...) check_insn(__LINE__, __VA_ARGS__)

TEST(each_instruction_has_how_often_it_ran_and_led)
{
	begin_loop();
	CHECK_EQ(loop_code(&hot.loops[0], MAX), 6);
	CHECK_INSN(0, 0x04, 4, 3, 2);
	CHECK_INSN(1, 0x08, 2, 1, 0);
	CHECK_INSN(2, 0x0a, 2, 1, 0);
	CHECK_INSN(3, 0x0c, 2, 3, 0);
	CHECK_INSN(4, 0x0e, 2, 3, 3);
	CHECK_INSN(5, 0x10, 2, 3, 2);
	/* The most frequent target of the call. */
	CHECK_EQ(v[4].edge->count, 2);
	CHECK_EQ(hot.places[v[4].edge->to].offset, 0x10);
	end();
}

TEST(no_more_than_there_is_room_for)
{
	begin_loop();
	CHECK_EQ(loop_code(&hot.loops[0], 3), 3);
	CHECK_INSN(0, 0x04, 4, 3, 2);
	CHECK_INSN(2, 0x0a, 2, 1, 0);
	CHECK_EQ(loop_code(&hot.loops[0], 0), 0);
	end();
}

/* A place that is inside of an instruction counts from the next one on. */
TEST(places_need_not_be_instructions)
{
	static const struct step odd[] = {
		{ 0x10, 0x06, COND, 0 }, { 0x0a, 0x02, UNCOND, 0 },
		{ 0x10, 0x04, COND, 0 }, { 0x10, 0x04, COND, 0 },
		{ 0x10, 0x04, COND, 0 },
	};

	begin(code, sizeof(code));
	add_function("f", 0x00, 0x14);
	ADD_STEPS(odd);
	find();
	/* To 06 control also comes from 04, in three lines. */
	CHECK_STR(list_of(HOT_LOOPS), "1 of 0: f+2 f+10\n"
				      "3 of 1: f+4 f+10\n"
				      "4 of 3: f+6 f+10\n");
	CHECK_EQ(loop_code(&hot.loops[1], MAX), 6);
	CHECK_INSN(0, 0x04, 4, 3, 0);
	CHECK_INSN(1, 0x08, 2, 4, 0);
	CHECK_INSN(2, 0x0a, 2, 4, 1);
	CHECK_INSN(3, 0x0c, 2, 3, 0);
	CHECK_INSN(5, 0x10, 2, 3, 4);
	end();
}

TEST(code_that_is_not_known_is_none)
{
	static const uint64_t loop[][3] = {
		{ 0x80010, 0x80000, (uint64_t)COND << 20 },
		{ 0x80010, 0x80000, (uint64_t)COND << 20 },
	};
	const struct hot_loop none = { .head = 0, .first = 0, .last = 1, .iterations = 1, .entries = 1 };

	begin(code, sizeof(code));
	add_stack(5, 2, loop);
	find();
	CHECK_EQ(loop_code(&none, MAX), 0);
	end();
}

TEST(a_function_is_shown_from_its_start_on)
{
	begin_loop();
	CHECK_STR(hot.functions[0].name, "f");
	CHECK_EQ(hot_code(&hot, 0, 0, 0x12, v, MAX), 9);
	/* It was entered once, and its last instruction ran once. */
	CHECK_INSN(0, 0x00, 2, 1, 0);
	CHECK_INSN(1, 0x02, 2, 1, 0);
	CHECK_INSN(2, 0x04, 4, 3, 2);
	CHECK_INSN(8, 0x12, 2, 1, 1);
	CHECK_EQ(v[1].place, HOT_NO_PLACE);
	CHECK_EQ(hot.places[v[8].place].offset, 0x12);
	end();
}

TEST(instructions_tell_where_control_came_from)
{
	begin_loop();
	CHECK_EQ(hot_code(&hot, 0, 0, 0x12, v, MAX), 9);
	CHECK_EQ(v[0].came, 1);
	CHECK_EQ(hot.places[v[0].source->from].function, 1);
	CHECK_EQ(v[2].came, 2);
	CHECK_EQ(hot.places[v[2].source->from].offset, 0x10);
	CHECK_EQ(v[3].came, 0);
	CHECK(!v[3].source);
	/* Two of the three returns are from 50, which is g+10. */
	CHECK_EQ(v[7].came, 3);
	CHECK_EQ(v[7].source->count, 2);
	CHECK_EQ(hot.places[v[7].source->from].offset, 0x10);
	end();
}

TEST(conditional_branches_tell_which_way_they_went)
{
	uint64_t taken, passed;

	begin_loop();
	CHECK_EQ(hot_code(&hot, 0, 0, 0x12, v, MAX), 9);
	CHECK(hot_ways(&hot, &v[2], &taken, &passed));
	CHECK_EQ(taken, 2);
	CHECK_EQ(passed, 1);
	CHECK(hot_ways(&hot, &v[7], &taken, &passed));
	CHECK_EQ(taken, 2);
	CHECK_EQ(passed, 1);
	CHECK(!hot_ways(&hot, &v[3], &taken, &passed));
	CHECK(!hot_ways(&hot, &v[6], &taken, &passed));
	end();
}

/* It is no place: neither a transfer nor a line begins or ends there. */
TEST(a_branch_that_was_never_taken_was_passed_as_often_as_it_ran)
{
	static const struct step over[] = {
		{ 0x40, 0x00, CALL, 0 }, { 0x0e, 0x40, IND_CALL, 0 },
		{ 0x44, 0x02, RET, 0 }, { 0x0e, 0x40, IND_CALL, 0 },
		{ 0x44, 0x10, RET, 0 }, { 0x12, 0x44, RET, 0 },
	};
	uint64_t taken, passed;

	begin(code, sizeof(code));
	add_function("f", 0x00, 0x14);
	add_function("g", 0x40, 0x40);
	ADD_STEPS(over);
	find();
	CHECK_EQ(hot_code(&hot, 0, 0, 0x12, v, MAX), 9);
	CHECK_EQ(v[2].place, HOT_NO_PLACE);
	CHECK(hot_ways(&hot, &v[2], &taken, &passed));
	CHECK_EQ(taken, 0);
	CHECK_EQ(passed, 2);
	end();
}

/* From e+4 through f into g; g+2 jumps back to g. */
TEST(instructions_of_a_line_ran_in_each_function_that_it_leads_through)
{
	static const struct step steps_on[] = {
		{ 0x40, 0x04, CALL, 0 }, { 0x10, 0x0e, COND, 0 }, { 0x12, 0x44, RET, 0 },
		{ 0x48, 0x40, UNCOND, 0 },
	};
	uint16_t no_call[0x40];

	memcpy(no_call, code, sizeof(code));
	no_call[0x0e / 2] = 0x0001; /* c.nop */
	begin(no_call, sizeof(no_call));
	add_function("e", 0x00, 0x08);
	add_function("f", 0x08, 0x06);
	add_function("g", 0x0e, 0x06);
	add_function("h", 0x40, 0x40);
	ADD_STEPS(steps_on);
	find();
	CHECK_EQ(hot.nr_functions, 4);
	CHECK_EQ(hot_code(&hot, 0, 0x00, 0x04, v, MAX), 3);
	CHECK_INSN(1, 0x02, 2, 0, 0);
	CHECK_INSN(2, 0x04, 4, 1, 0);
	CHECK_EQ(hot_code(&hot, 1, 0x00, 0x04, v, MAX), 3);
	CHECK_INSN(0, 0x00, 2, 1, 0);
	CHECK_INSN(2, 0x04, 2, 1, 0);
	CHECK_EQ(hot_code(&hot, 2, 0x00, 0x04, v, MAX), 3);
	CHECK_INSN(0, 0x00, 2, 2, 0);
	CHECK_INSN(1, 0x02, 2, 2, 1);
	CHECK_INSN(2, 0x04, 2, 1, 1);
	/* The transfer alone came there. */
	CHECK_EQ(v[0].came, 1);
	end();
}
