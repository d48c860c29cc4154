// SPDX-License-Identifier: GPL-2.0-only
/* How many trips the entries of a loop make: what is counted, and what is estimated. */
#include "hot-build.h"

#include <math.h>

/* Of f, 0x40 bytes, and g behind it. The loop is f+4 to f+c. */
#define ENTRY	{ 0x40, 0x00, CALL, 0 }
#define BACK	{ 0x0c, 0x04, COND, 0 }
#define EXIT	{ 0x1c, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 }

static const struct step two[] = { ENTRY, BACK, EXIT };
static const struct step three[] = { ENTRY, BACK, BACK, EXIT };
static const struct step four[] = { ENTRY, BACK, BACK, BACK, EXIT };

#define ADD_SOME(_nr, _steps)                                                  \
	for (unsigned int _i = 0; _i < (_nr); _i++)                            \
	ADD_STEPS(_steps)

/* The loop whose head is at an offset of f. */
static const struct hot_loop *loop_at(uint64_t offset)
{
	for (size_t i = 0; i < hot.nr_loops; i++)
		if (hot.places[hot.loops[i].head].offset == offset)
			return &hot.loops[i];
	CHECK(!"a loop");
	return NULL;
}

static void check_alike(int line, uint64_t head, unsigned int trips, unsigned int runs)
{
	const struct hot_trips *t = &loop_at(head)->trips;

	if (t->known != HOT_COUNTED || t->mean != trips || t->low != trips ||
	    t->high != trips || t->least != trips || t->median != trips ||
	    t->most != trips || t->runs != runs)
		test_fail(__FILE__, line, "%d: %g (%g to %g), %u to %u, %u runs",
			  t->known, t->mean, t->low, t->high, t->least, t->most,
			  (unsigned int)t->runs);
}

#define CHECK_ALIKE(_head, _trips, _runs) check_alike(__LINE__, _head, _trips, _runs)

/* The last of a test: the loop's runs, of what was added, have 3 trips, all of them. */
#define CHECK_THREE(_runs)                                                     \
	do {                                                                   \
		find();                                                        \
		CHECK_ALIKE(0x04, 3, _runs);                                   \
		end();                                                         \
	} while (0)

/* Or they are not counted. */
#define CHECK_ESTIMATED()                                                      \
	do {                                                                   \
		find();                                                        \
		CHECK_EQ(loop_at(0x04)->trips.known, HOT_ESTIMATED);           \
		end();                                                         \
	} while (0)

TEST(a_hundred_runs_that_are_alike_are_counted)
{
	begin_two();
	ADD_SOME(100, three);
	CHECK_THREE(100);
}

TEST(a_run_goes_on_behind_a_function_within_the_loop)
{
	static const struct step steps[] = {
		ENTRY, BACK, BACK, { 0x1c, 0x44, RET, 0 },
		{ 0x4c, 0x08, CALL, 0 }, { 0x0a, 0x50, RET, 0 },
	};

	begin_two();
	add_function("inner", 0x08, 0x04);
	ADD_SOME(100, steps);
	CHECK_THREE(100);
}

TEST(fewer_are_an_estimate)
{
	const struct hot_trips *t;

	begin_two();
	ADD_SOME(99, three);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_ESTIMATED);
	CHECK(fabs(t->mean - 3) < 1e-6);
	/* Reckoned apart, by what estimate() says of its errors. */
	CHECK(fabs(t->low - 2.256428) < 1e-4 && fabs(t->high - 4.018255) < 1e-4);
	end();
}

TEST(an_entry_without_an_exit_makes_an_estimate)
{
	static const struct step begun[] = { ENTRY, BACK, BACK, BACK };
	const struct hot_trips *t;

	begin_two();
	ADD_STEPS(begun);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_ESTIMATED);
	/* Of half of an entry's edges. */
	CHECK_EQ(t->mean, 6);
	CHECK(t->high > 6 && isfinite(t->high));
	end();
}

static const struct step begun_alone[] = { ENTRY, BACK, BACK, BACK, BACK };
static const struct step ended_alone[] = { BACK, BACK, BACK, BACK, EXIT };

/* As many as runs ended must have begun. Of the 880 visits, 44 are by entry, and 4.4 by exit. */
TEST(the_range_has_the_means_by_entries_and_by_exits_if_these_differ)
{
	const struct hot_trips *t;

	begin_two();
	ADD_SOME(20, begun_alone);
	ADD_SOME(200, ended_alone);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_ESTIMATED);
	CHECK(fabs(t->mean - 8) < 1e-6);
	CHECK(t->low > 3 && t->low < 4.4 && t->high > 44 && t->high < 100);
	end();
	begin_two();
	ADD_SOME(200, begun_alone);
	ADD_SOME(20, ended_alone);
	find();
	t = &loop_at(0x04)->trips;
	CHECK(t->low > 3 && t->low < 4.4 && t->high > 44 && t->high < 100);
	end();
}

/* 800 visits, of which 4 are by exit. */
TEST(many_exits_without_an_entry_are_a_lower_bound)
{
	const struct hot_trips *t;

	begin_two();
	ADD_SOME(200, ended_alone);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_AT_LEAST);
	CHECK(t->low > 3 && t->low < 4 && isinf(t->high));
	end();
}

/* By chance there are more of one kind: 180 visits, 20 entries and 25 exits. */
TEST(entries_and_exits_that_differ_by_chance_are_added_up)
{
	const struct hot_trips *t;

	begin_two();
	ADD_SOME(20, begun_alone);
	ADD_SOME(25, ended_alone);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_ESTIMATED);
	CHECK(fabs(t->mean - 8) < 1e-6 && t->low > 5 && t->high < 12.5);
	end();
}

TEST(runs_that_differ_have_quartiles)
{
	const struct hot_trips *t;

	begin_two();
	ADD_SOME(60, two);
	ADD_SOME(40, four);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_COUNTED);
	CHECK_EQ(t->least, 2);
	CHECK_EQ(t->lower, 2);
	CHECK_EQ(t->median, 2);
	CHECK_EQ(t->upper, 4);
	CHECK_EQ(t->most, 4);
	/* 1.96 times the root of (60 * 0.8^2 + 40 * 1.2^2) / 100^2, and 3 % of the mean. */
	CHECK(fabs(t->mean - 2.8) < 1e-6 && fabs(t->low - 2.52396) < 1e-4 &&
	      fabs(t->high - 3.07604) < 1e-4);
	end();
}

/* It may be the part of one that no stack can have. */
TEST(a_part_that_is_longer_than_all_runs_makes_it_an_estimate)
{
	static const struct step part[] = { BACK, BACK, BACK, BACK, BACK };

	begin_two();
	ADD_SOME(200, three);
	ADD_STEPS(part);
	CHECK_ESTIMATED();
}

/* What its body calls leaves no room for more trips in the stack. */
TEST(a_part_of_more_transfers_makes_it_one_too)
{
	static const struct step part[] = {
		{ 0x08, 0x40, CALL, 0 }, { 0x4c, 0x44, COND, 0 },
		{ 0x4c, 0x44, COND, 0 }, { 0x4c, 0x44, COND, 0 },
		{ 0x4c, 0x44, COND, 0 }, { 0x4c, 0x44, COND, 0 },
	};

	begin_two();
	ADD_SOME(200, three);
	ADD_STEPS(part);
	CHECK_ESTIMATED();
}

/* Of a longer one no stack would have more. */
TEST(runs_as_long_as_stacks_are_an_estimate)
{
	static const struct step all[] = { ENTRY, BACK, BACK, BACK, { 0x1c, 0x44, RET, 0 } };
	static const struct step less[] = { ENTRY, BACK, BACK, { 0x1c, 0x44, RET, 0 },
					    { 0x4c, 0x50, UNCOND, 0 } };

	begin_two();
	ADD_SOME(100, all);
	CHECK_ESTIMATED();
	begin_two();
	ADD_SOME(100, less);
	CHECK_THREE(100);
}

/* Longer ones are hardly ever seen as a whole, and what is seen of them tells their number. */
TEST(runs_that_are_too_few_for_all_the_parts_make_it_an_estimate)
{
	static const struct step part[] = { BACK, BACK, BACK };

	begin_two();
	ADD_SOME(200, two);
	ADD_STEPS(four);
	ADD_SOME(20, part);
	find();
	CHECK_EQ(loop_at(0x04)->trips.known, HOT_COUNTED);
	end();
	begin_two();
	ADD_SOME(200, two);
	ADD_STEPS(four);
	ADD_SOME(300, part);
	CHECK_ESTIMATED();
}

TEST(a_part_that_is_shorter_does_not)
{
	static const struct step begun[] = { ENTRY, BACK, BACK };
	static const struct step ended[] = { BACK, EXIT };

	begin_two();
	ADD_SOME(100, three);
	ADD_STEPS(begun);
	ADD_STEPS(ended);
	CHECK_THREE(100);
}

TEST(nor_does_a_part_that_is_as_long)
{
	static const struct step part[] = { BACK, BACK, BACK, EXIT };

	begin_two();
	ADD_SOME(100, three);
	ADD_STEPS(part);
	CHECK_THREE(100);
}

TEST(loops_in_loops_are_counted_each)
{
	static const struct step nested[] = {
		ENTRY,
		{ 0x0c, 0x08, COND, 0 }, { 0x0c, 0x08, COND, 0 }, /* 3, */
		{ 0x14, 0x04, COND, 0 },
		{ 0x0c, 0x08, COND, 0 }, { 0x0c, 0x08, COND, 0 }, /* and 3 */
		EXIT,
	};

	begin_two();
	ADD_SOME(100, nested);
	find();
	CHECK_ALIKE(0x08, 3, 200);
	CHECK_ALIKE(0x04, 2, 100);
	end();
}

/*
 * An unrolled loop that is entered in its midst: its body is 00 to 2c, and 10 and 20 are
 * places where it is entered, too. A line from 00 on leads through all three.
 */
TEST(a_line_through_several_heads_is_one_trip)
{
	static const struct step first[] = {
		ENTRY, { 0x2c, 0x00, IND, 0 }, { 0x2c, 0x00, IND, 0 },
		{ 0x2e, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	}, second[] = {
		{ 0x40, 0x10, CALL, 0 }, { 0x2c, 0x00, IND, 0 }, { 0x2c, 0x00, IND, 0 },
		{ 0x2e, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	}, third[] = {
		{ 0x40, 0x20, CALL, 0 }, { 0x2c, 0x00, IND, 0 }, { 0x2c, 0x00, IND, 0 },
		{ 0x2e, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};

	begin_two();
	ADD_SOME(100, first);
	ADD_SOME(100, second);
	ADD_SOME(100, third);
	find();
	CHECK_EQ(hot.nr_loops, 1);
	CHECK(hot.loops[0].many_heads);
	CHECK_ALIKE(0x00, 3, 300);
	CHECK_EQ(hot.loops[0].iterations, 900);
	CHECK_EQ(hot.loops[0].entries, 300);
	end();
}

TEST(what_the_body_calls_is_no_exit)
{
	static const struct step calls[] = {
		{ 0x60, 0x00, CALL, 0 },
		{ 0x08, 0x40, CALL, 0 }, { 0x44, 0x0a, RET, 0 }, BACK,
		{ 0x08, 0x40, CALL, 0 }, { 0x44, 0x0a, RET, 0 }, BACK,
		{ 0x08, 0x40, CALL, 0 }, { 0x44, 0x0a, RET, 0 },
		{ 0x1c, 0x64, RET, 0 }, { 0x6c, 0x70, UNCOND, 0 },
	};

	begin_two();
	ADD_SOME(100, calls);
	CHECK_THREE(100);
}

TEST(the_runs_of_calls_of_itself_are_apart)
{
	static const struct step itself[] = {
		ENTRY, BACK, { 0x08, 0x00, CALL, 0 }, /* in its second trip: */
		BACK, BACK, BACK, { 0x1c, 0x0a, RET, 0 }, /* 4 */
		BACK, EXIT, /* and 3 */
	};
	const struct hot_trips *t;

	begin_two();
	ADD_SOME(100, itself);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_COUNTED);
	CHECK_EQ(t->runs, 200);
	CHECK_EQ(t->least, 3);
	CHECK_EQ(t->most, 4);
	CHECK(fabs(t->mean - 3.5) < 1e-6);
	end();
}

TEST(a_return_out_of_the_body_ends_a_run)
{
	static const struct step early[] = {
		ENTRY, BACK, BACK, { 0x08, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
		{ 0x58, 0x5c, UNCOND, 0 },
	};

	begin_two();
	ADD_SOME(50, early);
	ADD_SOME(50, three);
	CHECK_THREE(100);
}

/* Code that was moved away begins a function of its own, and comes back. */
TEST(a_jump_out_of_the_function_ends_nothing_that_is_counted)
{
	static const struct step away[] = {
		ENTRY, BACK, { 0x08, 0x40, UNCOND, 0 }, { 0x44, 0x0a, UNCOND, 0 },
		BACK, BACK, EXIT,
	};

	begin_two();
	ADD_SOME(100, away);
	find();
	CHECK_EQ(loop_at(0x04)->trips.known, HOT_ESTIMATED);
	CHECK_EQ(loop_at(0x04)->trips.runs, 0);
	end();
}

/* Of a single run nearly nothing is known, but that. */
TEST(an_entry_makes_at_least_one_trip)
{
	const struct hot_trips *t;

	begin_two();
	ADD_STEPS(two);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_ESTIMATED);
	CHECK_EQ(t->mean, 2);
	CHECK_EQ(t->low, 1);
	end();
}

TEST(without_an_entry_there_is_a_lower_bound)
{
	static const struct step part[] = { BACK, BACK, BACK, BACK, BACK };
	const struct hot_trips *t;

	begin_two();
	ADD_SOME(1000, part);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_AT_LEAST);
	/* Of 4,000 visits none was behind an entry or before an exit. */
	CHECK(fabs(t->low - 2446.27) < 0.01 && isinf(t->high));
	end();
}

/* --- what was seen on one side alone --- */

/* A branch at 06 skips a rare call at 08, which returns to 0a. */
#define SKIP	{ 0x06, 0x0c, COND, 0 }
#define AGAIN	{ 0x10, 0x04, COND, 0 }

static const struct step rounds[] = { SKIP, AGAIN, SKIP, AGAIN, SKIP, AGAIN, SKIP, AGAIN };
static const struct step rare_call[] = {
	SKIP, AGAIN, { 0x08, 0x40, CALL, 0 }, { 0x44, 0x48, COND, 0 },
};
static const struct step rare_return[] = { { 0x44, 0x0a, RET, 0 }, AGAIN, SKIP, AGAIN };

TEST(a_rare_call_neither_ends_a_run_nor_begins_one)
{
	const struct hot_trips *t;

	begin_two();
	ADD_SOME(20, rounds);
	ADD_SOME(3, rare_call);
	find();
	CHECK_EQ(loop_at(0x04)->trips.known, HOT_AT_LEAST);
	end();
	begin_two();
	ADD_SOME(20, rounds);
	ADD_SOME(3, rare_return);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_AT_LEAST);
	CHECK_EQ(loop_at(0x04)->entries, 0);
	/* Of 63 visits, by 21.7 stacks, if they were alike: two thirds, and by 0.425 less. */
	CHECK(fabs(t->low - 27.44) < 0.1);
	end();
}

/* One of code that is not known, of which these may be the only entries. */
TEST(what_may_be_an_entry_lowers_the_lower_limit)
{
	static const struct step whole[] = {
		ENTRY, SKIP, AGAIN, SKIP, AGAIN, SKIP, AGAIN, SKIP, EXIT,
	};
	FILE *map = fopen(test_path("tmp/perf-5.map"), "w");
	const struct hot_trips *t;

	CHECK(map && fprintf(map, "%x 40 f\n%x 40 g\n", MAP_AT, MAP_AT + 0x40) > 0 &&
	      !fclose(map));
	begin(NULL, 0);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, 0, "//anon", 1);
	ADD_SOME(20, rounds);
	ADD_SOME(24, rare_return);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_AT_LEAST);
	/* Of 84 visits, and 24 halves of an entry: these may be 17.85 entries; and by 0.338 less. */
	CHECK(fabs(t->low - 3.355) < 0.01);
	end();
	begin(NULL, 0);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, 0, "//anon", 1);
	ADD_SOME(20, rounds);
	ADD_SOME(24, rare_return);
	ADD_SOME(2, whole);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_ESTIMATED);
	/* Four halves are known: two entries, and two exits. */
	CHECK_EQ(t->mean, 46);
	CHECK(t->low > 3 && t->low < 5 && t->high > 84);
	end();
	remove(test_path("tmp/perf-5.map"));
}

/* The compiler moved the rare call away; what jumps there does not leave the loop. */
TEST(a_jump_to_the_function_s_cold_part_does_not_end_a_run)
{
	static const struct step away[] = {
		AGAIN, SKIP, { 0x0e, 0x14, COND, 0 }, { 0x16, 0x80, UNCOND, 0 },
		{ 0x84, 0x88, COND, 0 },
	};

	static const char *const names[] = { "h", "f.cold", "f.cold.0" };

	for (unsigned int i = 0; i < 3; i++) {
		begin(NULL, 0);
		add_function("f", 0x00, 0x40);
		add_function("g", 0x40, 0x40);
		add_function(names[i], 0x80, 0x40);
		ADD_SOME(20, rounds);
		ADD_SOME(3, away);
		find();
		CHECK_EQ(loop_at(0x04)->trips.known, i ? HOT_AT_LEAST : HOT_ESTIMATED);
		end();
	}
}

/* All instructions have two bytes. */
TEST(shares_are_of_what_ran_in_the_body)
{
	begin_two();
	ADD_STEPS(three);
	find();
	/* 00 to 0c: 5 of 7; 04 to 0c: 5; 04 to 1c: 5 of 13; 44 to 4c: 5. */
	CHECK(fabs(loop_at(0x04)->share - 15.0 / 30) < 1e-6);
	end();
}

/* Of four bytes in f, of two behind it; also if there is no weight, and no name. */
TEST(shares_are_of_instructions)
{
	static const struct step round[] = {
		{ 0x60, 0x04, CALL, 0 }, { 0x0c, 0x04, COND, 0 }, { 0x0c, 0x04, COND, 0 },
		{ 0x0c, 0x04, COND, 0 }, { 0x0c, 0x50, CALL, 0 }, { 0x60, 0x04, CALL, 0 },
	};
	uint16_t nops[0x80 / 2];
	unsigned int i;

	for (i = 0; i < 0x80 / 2; i++)
		nops[i] = i >= 0x40 / 2 ? 0x0001 : i % 2 ? 0 : 0x0013;
	begin(nops, sizeof(nops));
	add_function("f", 0x00, 0x40);
	ADD_STEPS(round);
	find();
	/* 04 to 0c, four times: 12; 50 to 60: 9. */
	CHECK(fabs(hot.functions[hot.places[loop_at(0x04)->head].function].share - 12.0 / 21) < 1e-6);
	CHECK(fabs(loop_at(0x04)->share - 12.0 / 21) < 1e-6);
	CHECK(fabs(hot_unnamed(&hot) - 9.0 / 21) < 1e-6);
	end();
}

/* What is around the loop has instructions of four bytes; those of the loop have two. */
TEST(shares_are_not_of_bytes)
{
	static const struct step steps[] = {
		{ 0x40, 0x00, CALL, 0 }, { 0x1a, 0x10, COND, 0 }, { 0x1a, 0x10, COND, 0 },
		{ 0x2c, 0x44, RET, 0 }, { 0x4c, 0x50, UNCOND, 0 },
	};
	uint32_t nops[0x80 / 4];
	unsigned int i;

	for (i = 0; i < 0x80 / 4; i++)
		nops[i] = i >= 0x10 / 4 && i < 0x20 / 4 ? 0x00010001 : 0x00000013;
	begin(nops, sizeof(nops));
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x40);
	ADD_STEPS(steps);
	find();
	/* 00 to 1a: 6 of 10; 10 to 1a: 6; 10 to 2c: 6 of 12; 44 to 4c: 3. */
	CHECK(fabs(loop_at(0x10)->share - 18.0 / 31) < 1e-6);
	CHECK(fabs(hot.functions[hot.places[loop_at(0x10)->head].function].share - 28.0 / 31) < 1e-6);
	CHECK_EQ(hot.unread, 0);
	end();
}

/* As in a perf map; the lines of 9 and 27 bytes take 3 bytes for an instruction. */
TEST(of_unknown_code_it_is_told_how_much_it_is)
{
	static const struct step steps[] = {
		{ 0x0a, 0x04, COND, 0 }, { 0x0a, 0x04, COND, 0 }, { 0x0a, 0x04, COND, 0 },
		{ 0x16, 0x104, UNCOND, 0 }, { 0x10a, 0x0, UNCOND, 0 },
	};
	FILE *map = fopen(test_path("tmp/perf-5.map"), "w");

	CHECK(map && fprintf(map, "%x 40 f\n", MAP_AT) > 0 && !fclose(map));
	begin(NULL, 0);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, 0, "//anon", 1);
	ADD_STEPS(steps);
	find();
	/* 04 to 0a, twice: 3 each; 04 to 16, of which 12 bytes are behind the loop: 7; the rest: 3. */
	CHECK(fabs(hot.unread - 13.0 / 16) < 1e-6);
	CHECK(fabs(loop_at(0x04)->share - 9.0 / 16) < 1e-6);
	end();
	remove(test_path("tmp/perf-5.map"));
}

/* A line from f into g is as long as each of two in the loop. */
TEST(weighed_shares_are_of_all_that_ran)
{
	static const struct step round[] = {
		{ 0x44, 0x04, UNCOND, 0 }, { 0x0c, 0x04, COND, 0 }, { 0x0c, 0x3c, UNCOND, 0 },
		{ 0x44, 0x04, UNCOND, 0 }, { 0x0c, 0x04, COND, 0 }, { 0x0c, 0x3c, UNCOND, 0 },
		{ 0x44, 0x04, UNCOND, 0 }, { 0x0c, 0x04, COND, 0 }, { 0x0c, 0x3c, UNCOND, 0 },
		{ 0x44, 0x04, UNCOND, 0 },
	};
	/* c.nop, so that the lengths are known. */
	uint16_t nops[0x80 / 2];
	unsigned int i;

	for (i = 0; i < 0x80 / 2; i++)
		nops[i] = 0x0001;
	weighed = true;
	begin(nops, sizeof(nops));
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x40);
	for (i = 0; i < 100; i++)
		ADD_STEPS(round);
	find();
	weighed = false;
	CHECK(fabs(loop_at(0x04)->share - 2.0 / 3) < 0.05);
	end();
}

/*
 * One that ends before it begins, as where records are missing, of which nothing is known; and
 * one that ends in another function.
 */
TEST(shares_are_of_lines_within_no_function_too)
{
	static const struct step back[] = {
		{ 0x30, 0x20, UNCOND, 0 }, { 0x10, 0x80, UNCOND, 0 },
	};
	static const struct step across[] = {
		{ 0x20, 0x3c, UNCOND, 0 }, { 0x44, 0x80, UNCOND, 0 },
	};

	begin_two();
	ADD_STEPS(three);
	ADD_STEPS(back);
	ADD_STEPS(across);
	find();
	CHECK(fabs(loop_at(0x04)->share - 15.0 / (30 + 5)) < 1e-6);
	end();
}

TEST(an_outer_loop_s_share_is_with_the_inner_one)
{
	static const struct step nested[] = {
		ENTRY, { 0x0c, 0x08, COND, 0 }, { 0x14, 0x04, COND, 0 },
		{ 0x0c, 0x08, COND, 0 }, EXIT,
	};

	begin_two();
	ADD_STEPS(nested);
	find();
	/*
	 * Both, inner and line: 00 to 0c: 10, 6, 14; 08 to 14: 14, 6, 14; 04 to 0c: 10, 6, 10;
	 * 08 to 1c: 14, 6, 22; 44 to 4c: 0, 0, 10.
	 */
	CHECK(fabs(loop_at(0x04)->share - 48.0 / 70) < 1e-6);
	CHECK(fabs(loop_at(0x08)->share - 24.0 / 70) < 1e-6);
	end();
}

/*
 * A loop of 2 or 20 trips, as often as each other. Of the short runs more are seen as a
 * whole, and that is put right by their weights.
 */
TEST(long_runs_count_for_those_that_are_not_seen)
{
	enum { RUNS = 3000, STACKS = 4000, DEPTH = 32 };
	static struct step log[RUNS * 24];
	static const struct step entry = ENTRY, back = BACK, out[] = { EXIT };
	unsigned int nr = 0, runs[2] = { 0, 0 }, i, k;
	const struct hot_trips *t;
	double mean;

	for (i = 0; i < RUNS; i++) {
		const bool is_long = test_random() & 1;

		runs[is_long]++;
		log[nr++] = entry;
		for (k = 1; k < (is_long ? 20 : 2); k++)
			log[nr++] = back;
		log[nr++] = out[0];
		/* To the next call. */
		log[nr++] = (struct step){ 0x4c, 0x40, UNCOND, 0 };
	}
	mean = (2.0 * runs[0] + 20.0 * runs[1]) / RUNS;
	weighed = true;
	begin_two();
	for (i = 0; i < STACKS; i++)
		add_steps(&log[test_random() % (nr - DEPTH)], DEPTH);
	find();
	t = &loop_at(0x04)->trips;
	CHECK_EQ(t->known, HOT_COUNTED);
	CHECK_EQ(t->least, 2);
	CHECK_EQ(t->lower, 2);
	CHECK_EQ(t->upper, 20);
	CHECK_EQ(t->most, 20);
	if (fabs(t->mean - mean) > 0.1 * mean)
		test_fail(__FILE__, __LINE__, "%g, not %g", t->mean, mean);
	weighed = false;
	end();
}

/* Through two functions, from anywhere to anywhere. */
static void add_random_stack(void)
{
	static const uint8_t types[] = { COND, UNCOND, IND, CALL, RET };
	const unsigned int nr = 2 + test_random() % 31;
	uint64_t at = test_random() % 0x40 * 2;
	struct step steps[32];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		/* As far as the end of the function. */
		const uint64_t left = 0x40 - at % 0x40;

		steps[i].from = at + test_random() % left / 2 * 2;
		steps[i].to = test_random() % 0x40 * 2;
		steps[i].type = types[test_random() % sizeof(types)];
		steps[i].flags = 0;
		at = steps[i].to;
	}
	add_steps(steps, nr);
}

/* Whatever stacks come: it is what room there is for. */
TEST(no_run_has_more_trips_than_a_stack_has_lines)
{
	unsigned int round, i;
	size_t k;

	for (round = 0; round < 100; round++) {
		begin_two();
		for (i = test_random() % 200; i < 200; i++)
			add_random_stack();
		find();
		for (k = 0; k < hot.nr_loops; k++)
			CHECK(hot.loops[k].trips.most < 32);
		end();
	}
}

/* h calls f, which can lead on into g. */
static void begin_falling(void)
{
	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x20);
	add_function("h", 0x60, 0x40);
}

/* f leads on into g, and the loop is at its start: control comes into it from outside. */
TEST(a_line_from_the_function_before_enters_a_loop)
{
	static const struct step steps[] = {
		{ 0x60, 0x3c, CALL, 0 }, { 0x48, 0x40, COND, 0 }, { 0x48, 0x40, COND, 0 },
		{ 0x50, 0x64, RET, 0 }, { 0x6c, 0x70, UNCOND, 0 },
	};

	begin_falling();
	ADD_SOME(100, steps);
	find();
	CHECK_ALIKE(0x00, 3, 100);
	end();
}

/* The loop is at the end of f, and leads on into g. */
TEST(a_line_into_the_next_function_leaves_a_loop)
{
	static const struct step steps[] = {
		{ 0x60, 0x30, CALL, 0 }, { 0x3e, 0x34, COND, 0 }, { 0x3e, 0x34, COND, 0 },
		{ 0x44, 0x64, RET, 0 }, { 0x6c, 0x70, UNCOND, 0 },
	};

	begin_falling();
	ADD_SOME(100, steps);
	find();
	CHECK_ALIKE(0x34, 3, 100);
	end();
}

/* As of code with -msave-restore: h calls f, which leads on into g, and that returns to h. */
TEST(a_call_that_leads_on_into_another_function_does_not_end_runs)
{
#define ROUND { 0x68, 0x3c, CALL, 0 }, { 0x44, 0x6c, RET, 0 }
	static const struct step steps[] = {
		{ 0x90, 0x60, CALL, 0 }, ROUND, { 0x70, 0x64, COND, 0 }, ROUND,
		{ 0x70, 0x64, COND, 0 }, ROUND, { 0x78, 0x94, RET, 0 }, { 0x98, 0x90, UNCOND, 0 },
	};
#undef ROUND

	begin(NULL, 0);
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x20);
	add_function("h", 0x60, 0x20);
	add_function("main", 0x80, 0x40);
	ADD_SOME(100, steps);
	find();
	CHECK_ALIKE(0x04, 3, 100);
	end();
}
