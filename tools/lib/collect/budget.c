// SPDX-License-Identifier: GPL-2.0-only
#include "collect/budget.h"
#include "base/random.h"

enum {
	/* What is estimated before anything was measured: a machine with one slow hart. */
	FIRST_TURN = 200000000, /* ns */
	FIRST_SAMPLE = 40000, /* ns */
	FIRST_DISTANCE = 2000000, /* events, for each CPU */
	LEAST_DISTANCE = 20000, /* events */
	LEAST_SAMPLES = 100, /* of a turn */
	MOST_RATE = 1000, /* samples of a CPU in a second */
	FAR = 4, /* a distance that is wrong by this factor changes within a period */
};

#define SECOND 1e9
/* How much of the dearest turn is left after one turn. */
#define FADES 0.95
/* How much a new measurement counts in a mean. */
#define LEARNS 0.25

static double draw(struct collect_budget *b)
{
	return random_unit(random_next(&b->random));
}

static double at_least(double value, double least)
{
	return value > least ? value : least;
}

static double at_most(double value, double most)
{
	return value < most ? value : most;
}

/* Half as much more, at random. */
static void plan_next(struct collect_budget *b)
{
	b->need = b->dearest * (1 + draw(b) / 2);
}

void collect_budget_init(struct collect_budget *b, const struct collect_limits *limits,
			 uint64_t now, uint64_t seed)
{
	*b = (struct collect_budget){
		.limits = *limits,
		.random = seed,
		.dearest = FIRST_TURN,
		.fixed = FIRST_TURN,
		.sample = FIRST_SAMPLE,
		.since = now,
	};
	plan_next(b);
}

void collect_budget_pay(struct collect_budget *b, uint64_t span, unsigned int cpus)
{
	/* What is left over does not add up to many turns at once. */
	b->balance = at_most(b->balance + b->limits.share * span * cpus, b->need);
}

void collect_budget_spend(struct collect_budget *b, uint64_t cost)
{
	b->balance -= cost;
}

uint64_t collect_budget_wait(const struct collect_budget *b, uint64_t now,
			     unsigned int cpus)
{
	const double lacks = b->need - b->balance;
	const uint64_t due = b->since + b->gap;
	double wait = due > now ? due - now : 0;

	/* One more, so that it is certainly enough. */
	if (lacks > 0)
		wait = at_least(wait, lacks / (b->limits.share * cpus) + 1);
	return wait;
}

bool collect_budget_pays(const struct collect_budget *b)
{
	return b->balance >= b->need;
}

/* --- how densely --- */

/*
 * The samples of a turn: so many that the turns of a period have what is wanted, and
 * that the budget can pay for these turns. If there is money only for fewer turns, then
 * their samples may cost as much as the rest of the turn.
 */
static double samples_of_turn(const struct collect_budget *b, unsigned int cpus)
{
	const struct collect_limits *limits = &b->limits;
	const double paid = limits->share * cpus * limits->period / COLLECT_TURNS;
	const double can = at_least(paid - b->fixed, b->fixed) / b->sample;
	double samples = (double)limits->samples / COLLECT_TURNS;

	samples = at_most(samples, MOST_RATE * (limits->turn / SECOND) * cpus);
	return at_least(at_most(samples, can), LEAST_SAMPLES);
}

struct collect_sampling collect_budget_sampling(struct collect_budget *b,
						unsigned int cpus)
{
	const double samples = samples_of_turn(b, cpus);
	double distance = at_least(b->events / samples, LEAST_DISTANCE);

	if (!b->events)
		distance = (double)FIRST_DISTANCE * cpus;
	if (!b->distance || b->distance > FAR * distance || b->distance < distance / FAR)
		b->distance = distance;
	/* One tenth at random, so that it fits the rhythm of no program. */
	return (struct collect_sampling){
		.distance = (uint64_t)(b->distance * (0.95 + draw(b) / 10)) | 1,
		.events = b->distance,
		.most = COLLECT_TOO_MANY * samples,
	};
}

void collect_budget_period(struct collect_budget *b)
{
	const bool was_poor = !b->took_turn && !collect_budget_pays(b);

	b->balance = at_most(b->balance, was_poor ? b->dearest : 0);
	/* Another draw: what is saved and what the next period pays may be enough for it. */
	if (was_poor)
		plan_next(b);
	b->took_turn = false;
	b->distance = 0;
}

/* --- learning --- */

static void learn(double *mean, double value)
{
	*mean += LEARNS * (value - *mean);
}

static void learn_events(struct collect_budget *b, const struct collect_turn *turn)
{
	double events;

	/*
	 * A machine that works less than before, or a count that was wrong once: with this
	 * distance no turn would ever have a sample again, and so none that tells its events.
	 */
	if (!turn->samples)
		b->events /= FAR;
	if (!turn->samples || !turn->events || !turn->span)
		return;
	/* As if a turn that ended early had been as long as the others. */
	events = (double)turn->events * b->limits.turn / turn->span;
	/* The first turn, or the load is another one now. */
	if (!b->events || turn->cut) {
		b->events = at_least(b->events, events);
		b->distance = 0;
	}
	learn(&b->events, events);
}

void collect_budget_turn(struct collect_budget *b, const struct collect_turn *turn,
			 uint64_t now)
{
	const double by_sample = (double)turn->counting + turn->kernel;
	const double cost = turn->own + by_sample;

	learn(&b->fixed, turn->own);
	if (turn->samples)
		learn(&b->sample, by_sample / turn->samples);
	learn_events(b, turn);
	b->balance -= cost;
	b->took_turn = true;
	b->dearest = at_least(cost, b->dearest * FADES);
	b->since = now - turn->span;
	b->gap = (double)b->limits.period / COLLECT_TURNS * (0.5 + draw(b));
	plan_next(b);
}
