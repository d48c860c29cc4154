// SPDX-License-Identifier: GPL-2.0-only
/*
 * The budget of ssctr collect, on made-up machines: their harts, loads and costs are
 * drawn at random, and the test adds up by itself what they spent.
 */
#include "test.h"

#include "base/random.h"
#include "collect/budget.h"

#include <math.h>

#define SECOND UINT64_C(1000000000)
#define HOUR (3600 * SECOND)

/* A machine, and what became of it. */
struct machine {
	unsigned int cpus;
	double load; /* the share of the CPUs that works */
	double fixed; /* ns of a turn */
	double sample; /* ns of a sample, for all of its costs */
	double noise; /* the costs are up to this share larger or smaller */
	double rate; /* events of a busy CPU in a second */
	uint64_t now;
	double spent;
	uint64_t turns, samples, cut;
	uint64_t least_gap, most_gap; /* ns between the begins of turns */
	uint64_t last;
	uint64_t least_distance, most_distance;
	double wrong; /* the next turn with samples tells so many events */
};

static const struct collect_limits usual = {
	.share = 0.005, .period = HOUR, .turn = SECOND, .samples = 100000,
};

static double noise(const struct machine *m)
{
	return 1 + m->noise * (2 * random_unit(test_random()) - 1);
}

static void note_turn(struct machine *m, const struct collect_sampling *how)
{
	const uint64_t gap = m->now - m->last;

	if (m->turns && (!m->least_gap || gap < m->least_gap))
		m->least_gap = gap;
	if (m->turns && gap > m->most_gap)
		m->most_gap = gap;
	if (!m->least_distance || how->distance < m->least_distance)
		m->least_distance = how->distance;
	if (how->distance > m->most_distance)
		m->most_distance = how->distance;
	m->last = m->now;
	m->turns++;
}

static void take_turn(struct machine *m, struct collect_budget *b)
{
	const struct collect_sampling how = collect_budget_sampling(b, m->cpus);
	struct collect_turn turn = { .span = b->limits.turn };

	note_turn(m, &how);
	turn.events = m->rate * m->load * m->cpus * b->limits.turn / SECOND * noise(m);
	turn.samples = turn.events / how.distance;
	if (turn.samples > how.most) {
		turn.events = (double)turn.events * how.most / turn.samples;
		turn.span = (double)turn.span * how.most / turn.samples;
		turn.samples = how.most;
		turn.cut = true;
		m->cut++;
	}
	/* Who has no sample reads no count: see turns_take(). */
	if (!turn.samples)
		turn.events = 0;
	else if (m->wrong) {
		turn.events = m->wrong;
		m->wrong = 0;
	}
	turn.own = m->fixed * noise(m);
	turn.counting = m->sample * turn.samples * noise(m) / 2;
	turn.kernel = m->sample * turn.samples / 2;
	m->samples += turn.samples;
	m->spent += (double)turn.own + turn.counting + turn.kernel;
	m->now += turn.span;
	collect_budget_pay(b, turn.span, m->cpus);
	collect_budget_turn(b, &turn, m->now);
}

static void run_until(struct machine *m, struct collect_budget *b, uint64_t end)
{
	while (m->now < end) {
		uint64_t wait = collect_budget_wait(b, m->now, m->cpus);

		if (!wait) {
			take_turn(m, b);
			continue;
		}
		wait = wait < 60 * SECOND ? wait : 60 * SECOND;
		m->now += wait;
		collect_budget_pay(b, wait, m->cpus);
	}
}

/* Returns the share of all CPUs' time that was spent. */
static double run_period(struct machine *m, struct collect_budget *b)
{
	const uint64_t begin = m->now;
	const double before = m->spent;

	m->turns = m->samples = m->cut = 0;
	m->least_gap = m->most_gap = m->least_distance = m->most_distance = 0;
	collect_budget_period(b);
	run_until(m, b, begin + b->limits.period);
	return (m->spent - before) / ((double)(m->now - begin) * m->cpus);
}

static struct machine usual_machine(unsigned int cpus)
{
	return (struct machine){ .cpus = cpus, .load = 1, .fixed = 20e6, .sample = 20e3,
				 .noise = 0.3, .rate = 1e9 };
}

TEST(a_busy_machine_gets_the_samples_that_are_wanted)
{
	unsigned int cpus;

	for (cpus = 1; cpus <= 64; cpus *= 2) {
		struct machine m = usual_machine(cpus);
		struct collect_budget b;

		collect_budget_init(&b, &usual, 0, test_random());
		run_period(&m, &b);
		CHECK(run_period(&m, &b) <= usual.share);
		/*
		 * A hundred turns of a thousand samples each, one in 36 s. The waits are
		 * drawn: the standard deviation of how many there are is 3.
		 */
		CHECK(m.turns >= 80 && m.turns <= 120);
		CHECK(m.samples >= 60000 && m.samples <= 150000);
	}
}

/* 180 ms are there for a turn, of which 60 ms go before its first sample. */
TEST(samples_get_what_the_rest_of_a_turn_leaves)
{
	struct machine m = usual_machine(1);
	struct collect_budget b;
	unsigned int hour;

	m.noise = 0;
	m.fixed = 60e6;
	m.sample = 300e3;
	collect_budget_init(&b, &usual, 0, test_random());
	for (hour = 0; hour < 3; hour++)
		run_period(&m, &b);
	CHECK(collect_budget_sampling(&b, 1).most / COLLECT_TOO_MANY >= 390);
	CHECK(collect_budget_sampling(&b, 1).most / COLLECT_TOO_MANY <= 410);
}

/* A machine of any size and speed. Its turns are as dear as log10(fixed) says at most. */
static struct machine any_machine(double fixed)
{
	return (struct machine){
		.cpus = 1 + test_random() % 64,
		.load = random_unit(test_random()),
		.fixed = pow(10, 5 + (fixed - 5) * random_unit(test_random())),
		.sample = pow(10, 3 + 2 * random_unit(test_random())), /* 1 to 100 us */
		.noise = 0.3 * random_unit(test_random()),
		.rate = pow(10, 8 + 2 * random_unit(test_random())),
	};
}

/*
 * Hours of 2000 machines. `over` is how many turns an hour may cost more than its budget.
 */
static void check_machines(double fixed, double least_share, double over)
{
	unsigned int i, hour;

	for (i = 0; i < 2000; i++) {
		struct machine m = any_machine(fixed);
		struct collect_limits limits = usual;
		struct collect_budget b;

		limits.share = pow(10, least_share - least_share * 0.4 * random_unit(test_random()));
		collect_budget_init(&b, &limits, 0, test_random());
		for (hour = 0; hour < 4; hour++) {
			const double share = run_period(&m, &b);
			const double turn = (m.fixed + m.sample * 4000) * (1 + m.noise);

			if (share > limits.share + over * turn / (HOUR * m.cpus))
				test_fail(__FILE__, __LINE__,
					  "hour %u of machine %u: %u CPUs, load %.3f, fixed %.0f, sample %.0f, share %g > %g",
					  hour, i, m.cpus, m.load, m.fixed, m.sample, share,
					  limits.share);
		}
	}
}

/* Budgets from 0.1 % on, and turns of up to 0.1 s. */
TEST(no_period_costs_more_than_the_budget)
{
	check_machines(8, -3, 0);
}

/* Budgets from 0.01 % on, which may be less than a turn of up to 1 s costs. */
TEST(no_period_costs_a_turn_more_than_the_budget)
{
	check_machines(9, -4, 1);
}

/* The first turn may cost more than was estimated. The next ones make up for it. */
TEST(what_a_first_turn_cost_too_much_is_made_up_for)
{
	struct machine m = usual_machine(1);
	struct collect_budget b;

	m.fixed = 2e9;
	m.noise = 0; /* of a dearer turn than all before, the next hour knows */
	collect_budget_init(&b, &usual, 0, test_random());
	CHECK(run_period(&m, &b) <= usual.share);
	CHECK(m.turns >= 4 && m.turns <= 9); /* 18 s of budget, 2 s a turn */
}

/*
 * A turn may cost more than a whole period may. Another one comes when the next periods
 * have paid for it, and all of them together stay within the budget but for that one.
 */
TEST(a_turn_dearer_than_a_period_is_not_the_last_one)
{
	const struct collect_limits limits = { .share = 0.005, .period = 60 * SECOND,
					       .turn = SECOND, .samples = 1000 };
	struct machine m = usual_machine(1);
	struct collect_budget b;
	unsigned int period;
	uint64_t turns = 0;

	m.fixed = 1e9; /* a period pays for 0.3 s */
	collect_budget_init(&b, &limits, 0, test_random());
	for (period = 0; period < 600; period++) {
		run_period(&m, &b);
		turns += m.turns;
		CHECK(m.turns <= 1);
	}
	/* A turn comes after seven periods: five of saving, and two draws. 85 +- 4 of them. */
	CHECK(turns >= 60);
	CHECK(m.spent <= limits.share * m.now + 2e9);
	m.fixed = 20e6;
	for (period = 0; period < 60; period++)
		run_period(&m, &b);
	CHECK(m.turns >= 2);
}

/* Load comes and goes: from one hour to the next, and within an hour. */
TEST(changing_loads_stay_within_the_budget)
{
	struct machine m = usual_machine(16);
	struct collect_budget b;
	unsigned int hour, part;

	collect_budget_init(&b, &usual, 0, test_random());
	for (hour = 0; hour < 200; hour++) {
		const uint64_t begin = m.now;
		const double before = m.spent;

		collect_budget_period(&b);
		for (part = 0; part < 12; part++) {
			m.load = test_random() % 4 ? random_unit(test_random()) : 0;
			m.fixed = 20e6 * (1 + test_random() % 10);
			run_until(&m, &b, begin + (part + 1) * HOUR / 12);
		}
		CHECK(m.spent - before <= usual.share * (m.now - begin) * m.cpus);
	}
}

/* A gap that is always the same would fit the rhythm of some program. */
TEST(turns_come_at_random_times)
{
	struct machine m = usual_machine(4);
	struct collect_budget b;

	collect_budget_init(&b, &usual, 0, test_random());
	run_period(&m, &b);
	run_period(&m, &b);
	CHECK(m.least_gap < 25 * SECOND);
	CHECK(m.most_gap > 45 * SECOND);
}

/* A twentieth less to a twentieth more. Before anything was measured it is 2000000 a CPU. */
TEST(the_distance_is_random_by_one_tenth)
{
	uint64_t distance, least = UINT64_MAX, most = 0;
	struct collect_budget b;
	unsigned int i;

	collect_budget_init(&b, &usual, 0, test_random());
	for (i = 0; i < 1000; i++) {
		distance = collect_budget_sampling(&b, 4).distance;
		least = distance < least ? distance : least;
		most = distance > most ? distance : most;
	}
	/* None of 1000 draws is in a tenth at an end with a chance of 1e-46. */
	CHECK(least >= 7600000 && least < 7680000);
	CHECK(most > 8320000 && most <= 8400001);
}

/* Each part of a period has its weight only if its samples stand for as much as others. */
TEST(the_distance_between_samples_hardly_changes_within_a_period)
{
	struct machine m = usual_machine(4);
	struct collect_budget b;
	unsigned int part;

	collect_budget_init(&b, &usual, 0, test_random());
	run_period(&m, &b);
	m.least_distance = m.most_distance = 0;
	collect_budget_period(&b);
	for (part = 0; part < 20; part++) {
		m.load = 0.5 + random_unit(test_random()) / 2;
		run_until(&m, &b, m.now + HOUR / 20);
	}
	CHECK(m.most_distance < 1.12 * m.least_distance);
	CHECK(m.most_distance > m.least_distance); /* but it is not always the same */
}

/* A load that is a hundred times what it was must not cost a hundred times as much. */
TEST(a_turn_with_too_many_samples_ends_early)
{
	struct machine m = usual_machine(64);
	struct collect_budget b;

	m.load = 0.01;
	collect_budget_init(&b, &usual, 0, test_random());
	run_period(&m, &b);
	CHECK_EQ(m.cut, 0);
	m.load = 1;
	CHECK(run_period(&m, &b) <= usual.share);
	CHECK(m.cut >= 1);
	CHECK(m.cut <= 10);
}

/* A night after a day: a thousandth of what was there before is less than a sample a turn. */
TEST(a_load_that_falls_is_still_sampled)
{
	struct machine m = usual_machine(64);
	struct collect_budget b;

	collect_budget_init(&b, &usual, 0, test_random());
	run_period(&m, &b);
	m.load = 1e-4;
	run_period(&m, &b);
	run_period(&m, &b);
	CHECK(m.turns >= 80);
	CHECK(m.samples >= 20 * m.turns);
}

/* A counter of a CPU that went and came back, as an example. */
TEST(a_count_that_was_wrong_once_does_not_end_the_sampling)
{
	struct machine m = usual_machine(4);
	struct collect_budget b;

	collect_budget_init(&b, &usual, 0, test_random());
	m.wrong = 0x1p63;
	run_period(&m, &b);
	run_period(&m, &b);
	CHECK(m.samples >= 60000);
}

/* What nobody spent does not become a crowd of turns. */
TEST(an_idle_night_saves_nothing_for_the_morning)
{
	struct machine m = usual_machine(1);
	struct collect_budget b;

	/* 18 s of budget in an hour: without a bound there would be a turn more. */
	m.fixed = 1e9;
	m.noise = 0;
	collect_budget_init(&b, &usual, 0, test_random());
	run_period(&m, &b);
	collect_budget_pay(&b, 8 * HOUR, m.cpus);
	m.now += 8 * HOUR;
	CHECK(run_period(&m, &b) <= usual.share);
}

TEST(with_no_money_the_wait_says_when_there_is_some)
{
	struct collect_budget b;
	uint64_t wait;

	collect_budget_init(&b, &usual, 0, 1);
	wait = collect_budget_wait(&b, 0, 1);
	/* 200 to 300 ms for the first turn, at 5 ms a second. */
	CHECK(wait >= 40 * SECOND && wait <= 60 * SECOND + 1);
	CHECK(collect_budget_wait(&b, 0, 64) <= wait / 64 + 2);
	collect_budget_pay(&b, wait - SECOND, 1);
	CHECK(collect_budget_wait(&b, wait - SECOND, 1) > 0);
	collect_budget_pay(&b, SECOND + 1, 1);
	CHECK_EQ(collect_budget_wait(&b, wait, 1), 0);
}
