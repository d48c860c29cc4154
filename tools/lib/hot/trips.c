// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often loops run for each entry. Stacks are walked through from the oldest line to the
 * newest, with the calls that are open and the loops that these are in.
 *
 * A run that begins and ends within a stack is counted whole. The longer it is, the fewer
 * are the places of a sample from which all of it is seen: that is what it is weighed by.
 * Where some runs are too long for that, the head's visits are divided by the entries and
 * exits that were seen, each weighed as its line is.
 */
#include "base/array.h"
#include "hot/internal.h"

#include <math.h>
#include <stdlib.h>

/* Other errors than those of chance: the weights' own (docs/profile.md). */
#define OWN_ERROR	0.06
#define SIGMAS		1.96 /* of 19 cases of 20 */

/* Of fewer it is not known whether all kinds of them were seen. */
#define MIN_RUNS	100

/*
 * A loop that control is in. Or, with HOT_NO_LOOP, an open call, below the loops that
 * control is in there.
 */
struct run {
	uint32_t loop;
	uint32_t trips; /* of a call: the function that is open below it, or NO_FUNCTION */
	uint32_t line; /* in which it began */
	uint32_t headed; /* the last one that ran a head, and 1 */
	bool seen; /* that it began there; of a call: control may be in loops that are not known */
	struct tally *tally; /* of the loop */
	double takes; /* what the lines after that line take, by one of its two weights */
	double ran; /* instructions of the stack up to the end of that line */
};

#define NO_FUNCTION UINT32_MAX

/* The two kinds of a run's edges. Loops have as many of each. */
enum side { ENTRY, EXIT, SIDES };

/* What was seen of a loop. */
struct tally {
	double visits, edges; /* of the head; entries and exits, each a half; weights */
	double sides[SIDES]; /* the same edges, of one kind each; weights */
	/* The same of edges and of what may be edges: how control came or went is not known. */
	double maybe;
	/* the sums of the squares of what stacks have */
	double visits2, edges2, maybe2, sides2[SIDES];
	float now_visits, now_maybe, now_sides[SIDES]; /* of the stack at work */
	uint32_t stack; /* the number of the last one that had it, from 1 on */
	uint32_t most_lines; /* the longest of the runs that were seen as a whole */
	uint32_t part, part_lines; /* the longest of the others */
	uint64_t nr_visits;
	uint64_t runs;
	double weight, weight2, trips, trips2, trips22; /* sums of w, w2, wt, w2t, w2t2 */
	float *of; /* runs by trips: weights; as many as lines in a stack, and 2 */
};

/* How a transfer changes the open calls. */
enum move { COMES, GOES, ENTERS, JUMPS_ON };

/*
 * What is the same each time that a step is walked through. Most steps are short: jumps
 * within a function, and a line that is in one loop alone, or in none. If control is there
 * already, no run begins or ends.
 */
struct plan {
	uint8_t move; /* enum move */
	bool line; /* the functions that the line is in are known */
	bool at_head; /* it begins at the head of its loop */
	bool unsure, from_unsure; /* its places may be in loops that are not known */
	bool is_short, has_head; /* has_head: of a short line, which runs it once */
	uint32_t from, to; /* functions */
	uint32_t from_loop, to_loop; /* the innermost ones, or HOT_NO_LOOP */
	uint32_t both; /* the innermost one that both are in, too */
	uint32_t begins; /* to_loop and those that it is in, up to both */
	uint32_t length; /* instructions; 0: not known */
	uint32_t first; /* of its turns; they go on up to the next plan's */
};

/* Where a line comes into another loop, leaves one, or is at the head of its own. */
struct turn {
	uint32_t loop; /* the innermost one, or HOT_NO_LOOP */
	uint32_t both; /* the innermost one that the place before is in, too */
	uint32_t begins; /* loop and those that it is in, up to both */
	bool head; /* of the loop */
	bool unsure; /* it may be in loops that are not known */
	uint32_t function; /* that it leads on into, or NO_FUNCTION */
};

struct walk {
	const struct hot *hot;
	struct plan *plans; /* by step, and one more */
	struct turn *turns;
	size_t nr_turns, cap_turns;
	struct tally *tallies;
	uint32_t depth; /* lines of a stack */
	bool weighed;
	struct run *runs; /* and calls, the newest one last */
	size_t nr_runs, cap_runs;
	uint32_t function; /* of the newest call; NO_FUNCTION: none is open */
	uint32_t *touched; /* loops that the stack at work has; there is room for all */
	size_t nr_touched;
	bool failed; /* out of memory */
	/* Of the stack and the line at work: */
	uint32_t stack; /* its number, from 1 on */
	float own, one, weight;
	double depth_own; /* own, for as many lines as a run may have */
	uint32_t line;
	double ran; /* instructions of the stack up to the line's end */
};

/* --- runs --- */

/*
 * What the lines take from which all of the line at work is seen: its weight is the sum of
 * two, one of which is 1 / (what they take).
 */
static inline double takes_of(const struct walk *w)
{
	/* Whole numbers as weights are: nothing is left of what is after long lines. */
	const double one = w->weight > w->own ? w->weight - w->own : 0;

	return w->one / one;
}

/* Of a run that was seen as a whole. From fewer lines than its first line the end is seen. */
static inline float whole_weight(const struct walk *w, const struct run *run)
{
	const uint32_t lines = w->depth + 1 - (w->line - run->line);
	const double takes = run->takes - (w->ran - run->ran);

	if (!w->weighed)
		return 1;
	return w->depth_own / lines + w->one / (takes > 1 ? takes : 1);
}

static inline void add_run(struct walk *w, const struct run *run)
{
	struct tally *t = run->tally;
	const float whole = whole_weight(w, run);
	const double weight = whole, trips = run->trips;
	const uint32_t lines = w->line - run->line;

	if (!t->of)
		t->of = calloc(w->depth + 2ul, sizeof(*t->of));
	w->failed |= !t->of;
	if (!t->of)
		return;
	t->of[run->trips] += whole;
	if (lines > t->most_lines)
		t->most_lines = lines;
	t->runs++;
	t->weight += weight;
	t->trips += weight * trips;
	t->weight2 += weight * weight;
	t->trips2 += weight * weight * trips;
	t->trips22 += weight * weight * trips * trips;
}

/* Does a run of the loop begin or end in this line: certainly, perhaps, or only in the stack? */
enum edge { IS_EDGE, MAYBE_EDGE, NO_EDGE };

static inline void add_edge(struct walk *w, struct tally *t, enum edge edge, enum side side)
{
	if (edge == IS_EDGE)
		t->now_sides[side] += w->weight;
	if (edge != NO_EDGE)
		t->now_maybe += w->weight / 2;
}

/* The newest one. */
static inline void end_run(struct walk *w, enum edge edge)
{
	const struct run *run = &w->runs[--w->nr_runs];
	struct tally *t = run->tally;
	const uint32_t lines = w->line - run->line;

	add_edge(w, t, edge, EXIT);
	if (edge == IS_EDGE && run->seen) {
		add_run(w, run);
		return;
	}
	if (run->trips > t->part)
		t->part = run->trips;
	if (lines > t->part_lines)
		t->part_lines = lines;
}

static inline struct tally *touch(struct walk *w, uint32_t loop)
{
	struct tally *t = &w->tallies[loop];

	if (t->stack != w->stack) {
		t->stack = w->stack;
		w->touched[w->nr_touched++] = loop;
	}
	return t;
}

/* How many loops begin if control comes from one loop into another one that is in it. */
static inline uint32_t begins_of(const struct hot *hot, uint32_t both, uint32_t loop)
{
	return (loop == HOT_NO_LOOP ? 0 : hot->loops[loop].depth + 1) -
	       (both == HOT_NO_LOOP ? 0 : hot->loops[both].depth + 1);
}

/*
 * Control comes into nr loops of the newest call: into this one, and into those that it is
 * in. edge: whether it was elsewhere in the call before.
 */
static inline void begin_runs(struct walk *w, uint32_t loop, uint32_t nr, enum edge edge)
{
	const double takes = takes_of(w);
	struct run *run;

	w->failed |= !array_cover(&w->runs, w->nr_runs + nr, &w->cap_runs, sizeof(*w->runs));
	if (w->failed)
		return;
	w->nr_runs += nr;
	for (run = &w->runs[w->nr_runs]; nr--; loop = w->hot->loops[loop].outer) {
		struct tally *t = touch(w, loop);

		*--run = (struct run){ .loop = loop, .line = w->line, .seen = edge == IS_EDGE,
				       .tally = t, .takes = takes, .ran = w->ran };
		add_edge(w, t, edge, ENTRY);
	}
}

/* A line may lead through several heads of one loop, and is one trip of it. */
static inline void run_head(struct walk *w)
{
	struct run *run = &w->runs[w->nr_runs - 1];

	if (run->headed == w->line + 1)
		return;
	run->headed = w->line + 1;
	run->trips++;
	run->tally->now_visits += w->weight;
	run->tally->nr_visits++;
}

/* The loop that control is in, in the newest call, or HOT_NO_LOOP. */
static inline uint32_t loop_now(const struct walk *w)
{
	return w->runs[w->nr_runs - 1].loop;
}

/*
 * Control comes into a loop of the newest call, or into none. both: the innermost loop that
 * it is in before and after that. begins: begins_of() these. edge: whether it was elsewhere in
 * the call before.
 */
static inline void go(struct walk *w, uint32_t both, uint32_t loop, uint32_t begins,
		      enum edge edge)
{
	while (loop_now(w) != both)
		end_run(w, IS_EDGE);
	if (begins)
		begin_runs(w, loop, begins, edge);
}

/* The newest call, while control is in no loop that is known. */
static inline bool *lost(struct walk *w)
{
	return &w->runs[w->nr_runs - 1].seen;
}

/* Control comes to a place of the newest call that may be in loops that are not known. */
static void lose(struct walk *w)
{
	while (loop_now(w) != HOT_NO_LOOP)
		end_run(w, MAYBE_EDGE);
	*lost(w) = true;
}

/* It comes from there, to this loop or to none. */
static void come_from_lost(struct walk *w, uint32_t loop)
{
	*lost(w) = false;
	if (loop != HOT_NO_LOOP)
		begin_runs(w, loop, begins_of(w->hot, HOT_NO_LOOP, loop), MAYBE_EDGE);
}

/* --- calls --- */

static void begin_call(struct walk *w, uint32_t function)
{
	w->failed |= !array_room(&w->runs, w->nr_runs, &w->cap_runs, sizeof(*w->runs));
	if (w->failed)
		return;
	w->runs[w->nr_runs++] = (struct run){ .loop = HOT_NO_LOOP, .trips = w->function };
	w->function = function;
}

/* The newest one. */
static void end_call(struct walk *w, bool ended)
{
	while (loop_now(w) != HOT_NO_LOOP)
		end_run(w, ended ? IS_EDGE : NO_EDGE);
	w->function = w->runs[--w->nr_runs].trips;
}

static void end_calls(struct walk *w)
{
	while (w->nr_runs)
		end_call(w, false);
}

/* Nothing is known of how control came to a place of this function and this loop. */
static void begin_at(struct walk *w, uint32_t function, uint32_t loop, bool unsure)
{
	end_calls(w);
	begin_call(w, function);
	if (w->failed)
		return;
	*lost(w) = unsure;
	go(w, HOT_NO_LOOP, loop, begins_of(w->hot, HOT_NO_LOOP, loop), NO_EDGE);
}

static void come_back(struct walk *w, const struct plan *p)
{
	end_call(w, true);
	while (w->nr_runs && w->function != p->to)
		end_call(w, false);
	if (!w->nr_runs)
		begin_at(w, p->to, p->to_loop, p->unsure);
}

static inline void transfer(struct walk *w, const struct plan *p)
{
	if (w->function != p->from)
		begin_at(w, p->from, p->from_loop, p->from_unsure);
	if (w->failed)
		return;
	if (p->move == COMES) {
		begin_call(w, p->to);
	} else if (p->move == GOES) {
		come_back(w, p);
	} else if (p->move == ENTERS) {
		/* A tail call; or code that was moved away, and comes back. */
		end_call(w, false);
		begin_call(w, p->to);
	} else if (w->function != p->to) {
		begin_at(w, p->to, p->to_loop, p->unsure);
	}
}

/* --- plans --- */

/* Traps are calls, of code that is recorded or not. */
static enum move move_of(const struct hot *hot, const struct hot_step *s)
{
	enum {
		TRAPS = 1 << PERF_BR_SYSCALL | 1 << PERF_BR_IRQ | 1 << PERF_BR_SERROR,
		TRAP_RETURNS = 1 << PERF_BR_SYSRET | 1 << PERF_BR_ERET,
	};

	if (is_of(s->type, CALLS | TRAPS))
		return COMES;
	if (is_of(s->type, RETURNS | TRAP_RETURNS))
		return GOES;
	return hot_enters(hot, s->type, s->from, s->to) ? ENTERS : JUMPS_ON;
}

/* A line goes on from one place to the next, of which the loop is another one, or a head. */
static void add_turn(struct walk *w, uint32_t before, uint32_t place)
{
	const uint32_t *in = w->hot->in_loop;
	const uint32_t both = hot_loop_of_both(w->hot, in[before], in[place]);

	w->failed |= !array_room(&w->turns, w->nr_turns, &w->cap_turns, sizeof(*w->turns));
	if (w->failed)
		return;
	w->turns[w->nr_turns++] = (struct turn){
		.loop = in[place],
		.both = both,
		.begins = begins_of(w->hot, both, in[place]),
		.head = w->hot->is_head[place],
		.unsure = w->hot->unsure[place],
		.function = NO_FUNCTION,
	};
}

static void plan_turns(struct walk *w, uint32_t to, uint32_t end)
{
	const uint32_t *in = w->hot->in_loop;
	uint32_t place, before = to;

	for (place = to + 1; place <= end && !w->failed; place++) {
		/* A function that lies in this one has no part in its loops. */
		if (function_of(w->hot, place) != function_of(w->hot, to))
			continue;
		/* Control is in the loops of the place before. */
		if (in[place] != in[before] || w->hot->is_head[place] ||
		    w->hot->unsure[place] != w->hot->unsure[before])
			add_turn(w, before, place);
		before = place;
	}
}

static void plan_line(struct walk *w, const struct hot_step *s, struct plan *plan)
{
	const size_t first = w->nr_turns;
	size_t i;

	plan_turns(w, s->to, s->end);
	plan->at_head = plan->has_head = w->hot->is_head[s->to];
	plan->is_short = is_of(s->type, JUMPS | UNKNOWN) && is_within(w->hot, s->from, s->to) &&
			 !plan->unsure && !plan->from_unsure;
	for (i = first; i < w->nr_turns; i++) {
		plan->has_head |= w->turns[i].head;
		plan->is_short &= w->turns[i].loop == plan->to_loop && !w->turns[i].unsure;
	}
}

/* A line that leads through several functions: it is in the loops of each in turn. */
static void plan_parts(struct walk *w, const struct hot_part *parts, size_t nr, struct plan *plan)
{
	const struct hot *hot = w->hot;
	size_t i;

	plan->line = true;
	for (i = 0; i < nr; i++)
		plan->line &= hot->functions[function_of(hot, parts[i].to)].known;
	plan->at_head = hot->is_head[parts[0].to];
	for (i = 0; i < nr && plan->line && !w->failed; i++) {
		if (i) {
			add_turn(w, parts[i - 1].end, parts[i].to);
			if (w->failed)
				return;
			w->turns[w->nr_turns - 1].function = function_of(hot, parts[i].to);
		}
		plan_turns(w, parts[i].to, parts[i].end);
	}
}

static void make_plans(struct walk *w)
{
	const struct hot *hot = w->hot;
	size_t i, part = 0, nr;

	w->plans = malloc((hot->nr_steps + 1) * sizeof(*w->plans));
	w->failed |= !w->plans;
	for (i = 0; i < hot->nr_steps && !w->failed; i++) {
		const struct hot_step *s = &hot->steps[i];
		const uint32_t from = hot->in_loop[s->from], to = hot->in_loop[s->to];
		const uint32_t both = hot_loop_of_both(hot, from, to);

		w->plans[i] = (struct plan){
			.move = move_of(hot, s), .line = hot_is_line(hot, s),
			.from = function_of(hot, s->from), .to = function_of(hot, s->to),
			.from_loop = from, .to_loop = to,
			.both = both, .begins = begins_of(hot, both, to),
			.unsure = hot->unsure[s->to], .from_unsure = hot->unsure[s->from],
			.length = s->length, .first = w->nr_turns,
		};
		if (w->plans[i].line)
			plan_line(w, s, &w->plans[i]);
		for (nr = 0; part + nr < hot->nr_parts && hot->parts[part + nr].step == i; nr++)
			;
		if (nr)
			plan_parts(w, &hot->parts[part], nr, &w->plans[i]);
		part += nr;
	}
	if (!w->failed)
		w->plans[i].first = w->nr_turns;
}

/* --- stacks --- */

/*
 * Control goes on from the end of a function into the next one, which returns in its stead. No
 * loop is in both, so that runs end at the place where it comes to.
 */
static inline void fall_into(struct walk *w, uint32_t function)
{
	if (loop_now(w) == HOT_NO_LOOP)
		*lost(w) = false;
	w->function = function;
}

/* The places of a line. */
static inline void walk_places(struct walk *w, const struct plan *p)
{
	const struct turn *t = &w->turns[p->first], *end = &w->turns[p[1].first];
	uint32_t loop = p->to_loop, both = p->both, begins = p->begins;
	bool head = p->at_head, unsure = p->unsure;

	/* Code between that no record tells of; or a call, or a return. */
	if (loop_now(w) != p->from_loop) {
		both = hot_loop_of_both(w->hot, loop_now(w), loop);
		begins = begins_of(w->hot, both, loop);
	}
	for (;; t++) {
		if (unsure)
			lose(w);
		else if (loop_now(w) == HOT_NO_LOOP && *lost(w))
			come_from_lost(w, loop);
		else
			go(w, both, loop, begins, IS_EDGE);
		if (w->failed)
			return;
		if (head)
			run_head(w);
		if (t == end)
			break;
		if (t->function != NO_FUNCTION)
			fall_into(w, t->function);
		both = t->both;
		loop = t->loop;
		begins = t->begins;
		head = t->head;
		unsure = t->unsure;
	}
}

/* Returns whether that was all of it. */
static inline bool walk_short(struct walk *w, const struct plan *p)
{
	if (!p->is_short || w->function != p->to || loop_now(w) != p->to_loop)
		return false;
	if (p->has_head)
		run_head(w);
	return true;
}

static void walk_line(struct walk *w, const struct plan *p)
{
	transfer(w, p);
	if (!w->failed && p->line) {
		walk_places(w, p);
		return;
	}
	end_calls(w);
}

static void end_stack(struct walk *w)
{
	unsigned int k;
	size_t i;

	end_calls(w);
	for (i = 0; i < w->nr_touched; i++) {
		struct tally *t = &w->tallies[w->touched[i]];
		const double visits = t->now_visits, maybe = t->now_maybe;
		const double edges = (t->now_sides[ENTRY] + (double)t->now_sides[EXIT]) / 2;

		t->visits += visits;
		t->edges += edges;
		t->maybe += maybe;
		t->visits2 += visits * visits;
		t->edges2 += edges * edges;
		t->maybe2 += maybe * maybe;
		for (k = 0; k < SIDES; k++) {
			t->sides[k] += t->now_sides[k];
			t->sides2[k] += (double)t->now_sides[k] * t->now_sides[k];
			t->now_sides[k] = 0;
		}
		t->now_visits = t->now_maybe = 0;
	}
	w->nr_touched = 0;
}

static void walk_stack(struct walk *w, const struct count_line *lines, size_t nr,
		       float own)
{
	size_t i;

	w->stack++;
	w->own = own;
	w->depth_own = own * (w->depth + 1.0);
	w->one = own ? WEIGH_ONE : WEIGH_MOST;
	w->ran = 0;
	for (i = 0; i < nr && !w->failed; i++) {
		const struct count_line *line = &lines[nr - 1 - i];
		const struct plan *p = &w->plans[line->step];

		w->line = i;
		w->weight = line->weight;
		w->ran += p->length;
		if (!walk_short(w, p))
			walk_line(w, p);
	}
	end_stack(w);
}

static void walk_all(struct walk *w)
{
	const struct count_stacks *stacks = &w->hot->stacks;
	size_t i, begin = 0;

	for (i = 0; i < stacks->nr && !w->failed; i++) {
		walk_stack(w, &stacks->lines[begin], stacks->v[i].end - begin,
			   stacks->v[i].own);
		begin = stacks->v[i].end;
	}
}

/* --- what they tell --- */

/* The fewest trips that this share of the runs does not exceed. */
static uint32_t quantile(const struct tally *t, uint32_t depth, double share)
{
	double sum = 0;
	uint32_t i, last = 0;

	for (i = 0; i <= depth + 1; i++) {
		if (!t->of[i])
			continue;
		last = i;
		sum += t->of[i];
		if (sum >= share * t->weight)
			break;
	}
	return last;
}

static void count_runs(const struct tally *t, uint32_t depth, struct hot_trips *trips)
{
	const double mean = t->trips / t->weight;
	const double variance = (t->trips22 - 2 * mean * t->trips2 +
				 mean * mean * t->weight2) /
				(t->weight * t->weight);
	double error = 0;

	*trips = (struct hot_trips){ .known = HOT_COUNTED, .mean = mean,
		.runs = t->runs,
		.least = quantile(t, depth, 0), .lower = quantile(t, depth, 0.25),
		.median = quantile(t, depth, 0.5), .upper = quantile(t, depth, 0.75),
		.most = quantile(t, depth, 2) };
	if (trips->least == trips->most)
		trips->mean = trips->least;
	else
		error = SIGMAS * sqrt(fmax(variance, 0)) + OWN_ERROR / 2 * mean;
	trips->low = fmax(trips->mean - error, trips->least);
	trips->high = fmin(trips->mean + error, trips->most);
}

/* What so many that were seen are at least (-1) or at most (1), by Wilson and Hilferty. */
static double bound(double nr, int sign)
{
	const double n = nr + (sign > 0);

	return n * pow(1 - 1 / (9 * n) + sign * SIGMAS / (3 * sqrt(n)), 3);
}

/* The numbers of edges, by their weights, that these sums are at least (-1) or at most (1). */
static double bound_edges(double edges, double edges2, int sign)
{
	/* Of so many stacks that were alike, at least one. */
	const double nr = edges2 ? edges * edges / edges2 : 0;

	return edges * bound(nr, sign) / nr;
}

/* The square of the error of the visits, as a logarithm. */
static double visits_error(const struct tally *t)
{
	return OWN_ERROR * OWN_ERROR + SIGMAS * SIGMAS * t->visits2 / (t->visits * t->visits);
}

/* How many edges of one kind there are at most if none was seen, at 19 of 20: of a Poisson process. */
static double none_seen(const struct tally *t)
{
	return 3 * t->visits / t->nr_visits;
}

/* What is between the means by so many edges and by what these may be (bound_edges()). */
static double error_of(double own, double edges, double may_be)
{
	return exp(sqrt(own + pow(log(may_be / edges), 2)));
}

/* Loops run their heads, but for those that are entered elsewhere, too. */
static double low_of(const struct hot_trips *trips, double low)
{
	return trips->mean >= 1 ? fmax(low, 1) : low;
}

static void estimate(const struct tally *t, struct hot_trips *trips)
{
	const double own = visits_error(t);
	const double most = t->maybe ? bound_edges(t->maybe, t->maybe2, 1) : none_seen(t) / 2;

	*trips = (struct hot_trips){ .known = HOT_AT_LEAST, .high = INFINITY };
	if (!t->edges) {
		trips->low = fmax(1, t->visits / most * exp(-sqrt(own)));
		return;
	}
	trips->known = HOT_ESTIMATED;
	trips->mean = t->visits / t->edges;
	trips->low = low_of(trips, trips->mean / error_of(own, t->edges, most));
	trips->high = trips->mean *
		      error_of(own, t->edges, bound_edges(t->edges, t->edges2, -1));
}

/*
 * If there are more edges of one kind than of the other, by more than their errors, one of
 * them has wrong weights: in front of a line that many samples fall into, for example. It is
 * not known which of them.
 */
static void widen(const struct tally *t, struct hot_trips *trips)
{
	const double own = visits_error(t);
	/* May be all of one kind. */
	const double unsure = 2 * fmax(t->maybe - t->edges, 0);
	double low[SIDES], high[SIDES];
	unsigned int k;

	for (k = 0; k < SIDES; k++) {
		const double edges = t->sides[k], mean = t->visits / edges;

		if (!edges) {
			low[k] = t->visits / (none_seen(t) + unsure) * exp(-sqrt(own));
			high[k] = INFINITY;
			continue;
		}
		low[k] = mean / error_of(own, edges,
					 bound_edges(edges, t->sides2[k], 1) + unsure);
		high[k] = mean * error_of(own, edges, bound_edges(edges, t->sides2[k], -1));
	}
	if (low[ENTRY] <= high[EXIT] && low[EXIT] <= high[ENTRY])
		return;
	trips->low = low_of(trips, fmin(trips->low, fmin(low[ENTRY], low[EXIT])));
	trips->high = fmax(trips->high, fmax(high[ENTRY], high[EXIT]));
	if (isinf(trips->high))
		trips->known = HOT_AT_LEAST;
}

/* Sums have no variance, and no runs that were seen as a whole. */
static void tell_mean(const struct tally *t, struct hot_trips *trips)
{
	if (t->edges)
		*trips = (struct hot_trips){ .known = HOT_MEAN, .mean = t->visits / t->edges };
}

static void tell(const struct tally *t, uint32_t depth, struct hot_trips *trips)
{
	/* Of one that is longer a part would be seen that is. */
	const bool fits = t->runs >= MIN_RUNS && t->most_lines + 2 <= depth &&
			  t->part_lines <= t->most_lines &&
			  t->part <= quantile(t, depth, 2);
	struct hot_trips counted;

	if (t->visits)
		estimate(t, trips);
	if (fits) {
		count_runs(t, depth, &counted);
		/* Of runs nearly as long as stacks too few may have been seen as a whole. */
		if (counted.least == counted.most || trips->known != HOT_ESTIMATED ||
		    (counted.mean >= trips->low && counted.mean <= trips->high)) {
			*trips = counted;
			return;
		}
	}
	if (trips->known == HOT_ESTIMATED)
		widen(t, trips);
}

static size_t most_lines(const struct count_stacks *stacks)
{
	size_t i, begin = 0, most = 0;

	for (i = 0; i < stacks->nr; begin = stacks->v[i++].end)
		if (stacks->v[i].end - begin > most)
			most = stacks->v[i].end - begin;
	return most;
}

bool hot_find_trips(struct hot *hot)
{
	struct walk w = { .hot = hot, .depth = most_lines(&hot->stacks),
			  .weighed = hot->how & HOT_WEIGHED, .function = NO_FUNCTION };
	size_t i;

	if (!hot->nr_loops || !hot->stacks.nr)
		return true;
	w.tallies = calloc(hot->nr_loops, sizeof(*w.tallies));
	w.touched = malloc(hot->nr_loops * sizeof(*w.touched));
	w.failed = !w.tallies || !w.touched;
	make_plans(&w);
	walk_all(&w);
	for (i = 0; i < hot->nr_loops && w.tallies; i++) {
		if (!w.failed && hot->how & HOT_SUMS)
			tell_mean(&w.tallies[i], &hot->loops[i].trips);
		else if (!w.failed)
			tell(&w.tallies[i], w.depth, &hot->loops[i].trips);
		free(w.tallies[i].of);
	}
	free(w.plans);
	free(w.turns);
	free(w.tallies);
	free(w.touched);
	free(w.runs);
	return !w.failed;
}
