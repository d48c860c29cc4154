// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trips of 200 loops that are made here, so that the truth is known: a loop called
 * constant is so, and 19 of 20 ranges hold the mean of all runs.
 *
 * Ranges of exactly 19 of 20 would fall short of that by chance, with every other seed.
 * These are wider, as the errors of the weights are added in full: of 6,000 loops, made
 * from 30 seeds, 98.8 % of the ranges held the mean, and at least 194 of the 200 of each
 * seed. Where that is so, fewer than 190 come once in 20,000 seeds. The seed is fixed all
 * the same; $TEST_SEED sets another.
 */
#include "hot-build.h"

#include <math.h>

enum { LOOPS = 200, HELD = LOOPS * 95 / 100, DEPTH = 32, LOG = 400000,
       ROOM = 2 * LOG };

/* The transfers of f, which g calls again and again, and which calls h. */
enum { ENTER, LEAVE, AGAIN, BACK, CALLED, RETURNED, SKIPPED, INNER, REPEAT, DONE };

static const struct step kinds[] = {
	[ENTER] = { 0x40, 0x00, CALL, 0 },
	[LEAVE] = { 0x1c, 0x44, RET, 0 },
	[AGAIN] = { 0x4c, 0x40, UNCOND, 0 },
	[BACK] = { 0x14, 0x04, COND, 0 },
	/* In the body of the loop, which is 04 to 14: */
	[CALLED] = { 0x08, 0x80, CALL, 0 },
	[RETURNED] = { 0x90, 0x0a, RET, 0 },
	[SKIPPED] = { 0x06, 0x10, COND, 0 },
	[INNER] = { 0x0e, 0x0c, COND, 0 },
	/* Of a loop that tests its condition first, at 04: */
	[REPEAT] = { 0x14, 0x04, UNCOND, 0 },
	[DONE] = { 0x04, 0x18, COND, 0 },
};

enum form { PLAIN, CALLS, BRANCHES, NESTED, TEST_FIRST, NR_FORMS };
enum spread { SAME, UNIFORM, GEOMETRIC, FEW_ARE_LONG, NR_SPREADS };

static uint8_t made[ROOM]; /* kinds, as they ran */
static unsigned int nr_made;

/* How often a loop ran, in truth. */
struct truth {
	double trips, runs;
	uint32_t least, most;
};

/* 0 to 1, without both. */
static double part(void)
{
	return ((double)(test_random() >> 12) + 0.5) / (UINT64_C(1) << 52);
}

static uint32_t draw_trips(enum spread spread, double mean)
{
	double trips = mean;

	if (spread == UNIFORM)
		trips = 1 + 2 * (mean - 1) * part();
	else if (spread == GEOMETRIC)
		trips = 1 + floor(log(part()) / log(1 - 1 / mean));
	else if (spread == FEW_ARE_LONG)
		trips = part() < 0.9 ? mean / 4 : 7.75 * mean;
	return fmax(1, round(trips));
}

static void make(unsigned int kind)
{
	CHECK(nr_made < ROOM);
	made[nr_made++] = kind;
}

static void add_run(struct truth *truth, uint32_t trips)
{
	truth->trips += trips;
	truth->runs++;
	if (!truth->least || trips < truth->least)
		truth->least = trips;
	if (trips > truth->most)
		truth->most = trips;
}

static void make_body(enum form form, double taken, uint32_t inner, struct truth *of_inner)
{
	uint32_t i, trips;

	if (form == CALLS) {
		make(CALLED);
		make(RETURNED);
	} else if (form == BRANCHES && part() < taken) {
		make(SKIPPED);
	} else if (form == NESTED) {
		trips = 1 + test_random() % inner;
		for (i = 1; i < trips; i++)
			make(INNER);
		add_run(of_inner, trips);
	}
}

/* One run, from the call of f to the next. */
static void make_run(enum form form, uint32_t trips, double taken, uint32_t inner,
		     struct truth truth[2])
{
	uint32_t i;

	make(ENTER);
	for (i = 1; i <= trips; i++) {
		/* The head of one that tests first runs once more than the body. */
		if (form == TEST_FIRST && i == trips)
			break;
		make_body(form, taken, inner, &truth[1]);
		if (i < trips)
			make(form == TEST_FIRST ? REPEAT : BACK);
	}
	if (form == TEST_FIRST)
		make(DONE);
	make(LEAVE);
	make(AGAIN);
	add_run(&truth[0], trips);
}

static unsigned int length(unsigned int at)
{
	return (kinds[made[at + 1]].from - kinds[made[at]].to) / 2 + 1;
}

/* Each instruction as likely as each other; the longest lines have 9 of them. */
static void add_samples(unsigned int nr)
{
	struct step stack[DEPTH];
	unsigned int at, i;

	while (nr) {
		at = DEPTH + test_random() % (nr_made - DEPTH - 1);
		if (test_random() % 9 >= length(at))
			continue;
		for (i = 0; i < DEPTH; i++)
			stack[i] = kinds[made[at + 1 - DEPTH + i]];
		add_steps(stack, DEPTH);
		nr--;
	}
}

/* Two bytes each, so that the lengths of lines are known. */
static void begin_nops(void)
{
	static uint16_t nops[0x100 / 2];
	unsigned int i;

	for (i = 0; i < 0x100 / 2; i++)
		nops[i] = 0x0001;
	begin(nops, sizeof(nops));
	add_function("f", 0x00, 0x40);
	add_function("g", 0x40, 0x40);
	add_function("h", 0x80, 0x40);
}

static const struct hot_trips *trips_at(uint64_t offset)
{
	size_t i;

	for (i = 0; i < hot.nr_loops; i++)
		if (hot.places[hot.loops[i].head].offset == offset &&
		    !strcmp(hot.functions[hot.places[hot.loops[i].head].function].name, "f"))
			return &hot.loops[i].trips;
	return NULL;
}

static bool is_constant(const struct hot_trips *t)
{
	return t->known == HOT_COUNTED && t->least == t->most;
}

/* Returns whether the range holds the mean. */
static bool judge(const struct hot_trips *t, const struct truth *truth)
{
	const double mean = truth->trips / truth->runs;

	if (is_constant(t) && (truth->least != t->least || truth->most != t->least))
		test_fail(__FILE__, __LINE__, "always %u, and in truth %u to %u", t->least,
			  truth->least, truth->most);
	return t->low <= mean * (1 + 1e-9) && mean <= t->high * (1 + 1e-9);
}

/* Make a loop, or one with another in it, and judge what is told of them. */
static void try_loop(unsigned int *nr, unsigned int *held, unsigned int *exact)
{
	const enum form form = test_random() % NR_FORMS;
	const enum spread spread = test_random() % NR_SPREADS;
	const double mean = exp(log(1.5) + part() * log(2000)), taken = part();
	const uint32_t inner = 2 + test_random() % 6;
	const unsigned int samples = 200 + test_random() % 1800;
	const uint64_t heads[] = { 0x04, 0x0c };
	struct truth truth[2] = { { 0 } };
	unsigned int i;

	nr_made = 0;
	while (nr_made < LOG)
		make_run(form, draw_trips(spread, mean), taken, inner, truth);
	begin_nops();
	add_samples(samples);
	find();
	for (i = 0; i < 2 && *nr < LOOPS; i++) {
		const struct hot_trips *t = trips_at(heads[i]);

		/* None was seen to go on; or it is not there. */
		if (!t || t->known == HOT_NOTHING)
			continue;
		++*nr;
		*held += judge(t, &truth[i]);
		*exact += is_constant(t);
	}
	end();
}

TEST(of_200_loops_19_of_20_ranges_hold_the_truth_and_all_that_are_called_constant_are)
{
	unsigned int nr = 0, held = 0, exact = 0;

	test_random_from(1);
	weighed = true;
	while (nr < LOOPS)
		try_loop(&nr, &held, &exact);
	weighed = false;
	printf("# %u of %u ranges hold the mean; %u loops are called constant\n", held, nr, exact);
	CHECK(held >= HELD);
}
