/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When to record, and how densely, so that the cost stays within a budget.
 *
 * The budget is a share of the time of all CPUs. It is an account: time that passes pays
 * in, and each turn is paid from it. A turn begins only if the account can pay for one
 * that costs as much as the dearest of the last turns. So all turns together never cost
 * more than what was paid in, except when one turn costs more than it was estimated to;
 * the account is then below 0, and the next turn waits.
 *
 * All turns of a period sample with nearly the same distance between two samples. Turns
 * come at random times, which do not depend on the load. So each part of the period has
 * the weight that it had on the machine. Where the distance must change, and from one period
 * to the next, the weights of the counts do (tally_by_events()).
 *
 * There is no clock and no input in here. All times are in ns.
 */
#ifndef COLLECT_BUDGET_H
#define COLLECT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct collect_limits {
	double share; /* of the time of all CPUs: 0.005 is 0.5 % */
	uint64_t period; /* the time of a file */
	uint64_t turn; /* the length of a turn */
	uint64_t samples; /* how many samples a period should have at most */
};

enum {
	/* as many turns as this make a period, if the budget can pay for them */
	COLLECT_TURNS = 100,
	/* a turn with more than so many times the samples that it should have ends early */
	COLLECT_TOO_MANY = 4,
};

struct collect_budget {
	struct collect_limits limits;
	uint64_t random; /* the state of base/random */
	double balance; /* what can be spent */
	double need; /* the balance at which the next turn may begin */
	bool took_turn; /* in this period */
	double dearest; /* the largest cost of the last turns, which fades */
	double fixed; /* what a turn costs without samples, as a mean of the last ones */
	double sample; /* what one sample costs, likewise */
	double events; /* how many events a turn sees, likewise */
	uint64_t distance; /* events between two samples, without the random part */
	uint64_t gap; /* from the end of a turn to the next one, at least */
	uint64_t since; /* the end of the last turn */
};

/* How a turn samples. */
struct collect_sampling {
	uint64_t distance; /* events between two samples */
	/* What a sample stands for: the same without the random part, which evens out. */
	uint64_t events;
	uint64_t most; /* end the turn when it has so many samples */
};

/* What a turn has cost and found. */
struct collect_turn {
	uint64_t own; /* processor time of this process, without `counting` */
	uint64_t counting; /* processor time of this process to write and count samples */
	uint64_t kernel; /* what the samples cost where they were taken, as estimated */
	uint64_t span; /* how long it was */
	uint64_t samples; /* that were taken, with those that are left out */
	uint64_t outside; /* of these, those that are left out: see pd_is_outside() */
	uint64_t events; /* how often the event happened; 0: not known */
	bool cut; /* it had too many samples, and ended early */
	/* See samples_lost(), samples_lost_tracking(). */
	uint64_t lost, lost_tracking;
};

/* Begin at time `now`. The seed is for base/random. */
void collect_budget_init(struct collect_budget *b, const struct collect_limits *limits,
			 uint64_t now, uint64_t seed);

/* Pay in for `span` during which there were so many CPUs. */
void collect_budget_pay(struct collect_budget *b, uint64_t span, unsigned int cpus);

/* Pay `cost` out, for something that is not a turn. */
void collect_budget_spend(struct collect_budget *b, uint64_t cost);

/*
 * Returns the time until a turn may begin, if so many CPUs stay, or 0 if it may begin
 * now.
 */
uint64_t collect_budget_wait(const struct collect_budget *b, uint64_t now,
			     unsigned int cpus);

/* Returns whether the budget can pay for a turn now. */
bool collect_budget_pays(const struct collect_budget *b);

/* Returns how the next turn samples. */
struct collect_sampling collect_budget_sampling(struct collect_budget *b,
						unsigned int cpus);

/* A turn has ended at time `now`. Pay for it, and learn from it. */
void collect_budget_turn(struct collect_budget *b, const struct collect_turn *turn,
			 uint64_t now);

/*
 * A new period begins. The distance between samples may change, and what is left of the
 * budget is forgotten, so that no period costs more than its own budget. Only what was not
 * enough for a turn all the period is saved, up to what a turn costs: otherwise there would
 * be no turn ever.
 */
void collect_budget_period(struct collect_budget *b);

#endif
