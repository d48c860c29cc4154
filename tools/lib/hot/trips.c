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

/* A loop that control is in, in one of the open calls. */
struct run {
	uint32_t loop, trips;
	size_t line; /* in which it began */
	float weight; /* of that line */
	double ran; /* instructions of the stack up to its end */
	bool seen; /* that it began there */
};

struct call {
	uint32_t function;
	size_t first; /* of its runs; they go on up to the next call's */
};

/* What was seen of a loop. */
struct tally {
	double insns; /* weighed, of the places that are in none of its loops */
	double visits, edges; /* of the head; entries and exits, each a half; weights */
	double visits2, edges2; /* the sums of the squares of what stacks have */
	float now_visits, now_edges; /* of the stack at work */
	uint64_t nr_visits;
	uint32_t part, part_lines; /* the longest of the runs not seen as a whole */
	uint32_t most_lines; /* of those that were */
	uint64_t runs;
	double weight, trips, weight2, trips2, trips22; /* sums of w, wt, w2, w2t, w2t2 */
	float *of; /* runs by trips: weights; as many as lines in a stack, and 2 */
};

/*
 * A jump within a function, and a line that is in one loop alone, or in none: if control is
 * there already, no run begins or ends. Most steps are so.
 */
struct brief {
	bool is; /* or all below is 0 */
	bool head; /* of the loop, which the line runs once */
	uint32_t function, loop;
	double insns;
};

struct walk {
	const struct hot *hot;
	const struct brief *briefs; /* by step */
	const bool *turns; /* by place: is it a head, or not of the loops of the one before? */
	struct tally *tallies;
	size_t depth; /* lines of a stack */
	struct run *runs;
	size_t nr_runs, cap_runs;
	struct call *calls;
	size_t nr_calls, cap_calls;
	uint32_t *touched; /* loops that the stack at work has */
	size_t nr_touched, cap_touched;
	bool failed; /* out of memory */
	/* Of the stack and the line at work: */
	float own, one, weight;
	size_t line;
	uint32_t length;
	double ran;
	double insns; /* of all lines, weighed */
};

/* --- runs --- */

static struct tally *touch(struct walk *w, uint32_t loop)
{
	struct tally *t = &w->tallies[loop];

	if (t->now_visits || t->now_edges)
		return t;
	w->failed |= !array_room(&w->touched, w->nr_touched, &w->cap_touched,
				 sizeof(*w->touched));
	if (!w->failed)
		w->touched[w->nr_touched++] = loop;
	return t;
}

/*
 * Of a run that was seen as a whole: its line's weight is one of two, 1 / (what the lines
 * after it take, from which it is seen); of these fewer see the end.
 */
static float whole_weight(const struct walk *w, const struct run *run)
{
	const double lines = w->line - run->line, depth = w->depth + 1;
	/* Whole numbers as weights are: nothing is left of what is after long lines. */
	const double one = run->weight > w->own ? run->weight - w->own : 0;
	const double takes = w->one / one - (w->ran + w->length - run->ran);

	if (!w->one)
		return 1;
	return w->own * depth / (depth - lines) + w->one / (takes > 1 ? takes : 1);
}

static void add_run(struct walk *w, const struct run *run)
{
	struct tally *t = &w->tallies[run->loop];
	const double weight = whole_weight(w, run), trips = run->trips;
	const size_t lines = w->line - run->line;

	if (!t->of)
		t->of = calloc(w->depth + 2, sizeof(*t->of));
	w->failed |= !t->of;
	if (w->failed)
		return;
	t->of[run->trips] += weight;
	if (lines > t->most_lines)
		t->most_lines = lines;
	t->runs++;
	t->weight += weight;
	t->trips += weight * trips;
	t->weight2 += weight * weight;
	t->trips2 += weight * weight * trips;
	t->trips22 += weight * weight * trips * trips;
}

/* ended: it is known to be over. */
static void end_run(struct walk *w, const struct run *run, bool ended)
{
	struct tally *t = touch(w, run->loop);
	const size_t lines = w->line - run->line;

	if (ended)
		t->now_edges += w->weight / 2;
	if (ended && run->seen) {
		add_run(w, run);
		return;
	}
	if (run->trips > t->part)
		t->part = run->trips;
	if (lines > t->part_lines)
		t->part_lines = lines;
}

static void begin_run(struct walk *w, uint32_t loop, bool seen)
{
	w->failed |= !array_room(&w->runs, w->nr_runs, &w->cap_runs,
				 sizeof(*w->runs));
	if (w->failed)
		return;
	w->runs[w->nr_runs++] = (struct run){ .loop = loop, .line = w->line,
					      .weight = w->weight,
					      .ran = w->ran + w->length,
					      .seen = seen };
	if (seen)
		touch(w, loop)->now_edges += w->weight / 2;
}

/* Is the inner loop in the outer one, or is it that? */
static bool is_of_loop(const struct hot *hot, uint32_t inner, uint32_t outer)
{
	if (inner == HOT_NO_LOOP)
		return false;
	while (hot->loops[inner].depth > hot->loops[outer].depth)
		inner = hot->loops[inner].outer;
	return inner == outer;
}

/* Control is in a loop of the newest call, and in those that it is in. */
static void enter(struct walk *w, uint32_t loop, uint32_t outermost, bool seen)
{
	const uint32_t outer = w->hot->loops[loop].outer;

	if (outer != outermost)
		enter(w, outer, outermost, seen);
	begin_run(w, loop, seen);
}

static void run_head(struct walk *w, struct run *run)
{
	struct tally *t = touch(w, run->loop);

	run->trips++;
	t->now_visits += w->weight;
	t->nr_visits++;
}

/* Control is at a place of the newest call; come: it was elsewhere in it before. */
static void visit(struct walk *w, uint32_t place, bool come)
{
	const size_t first = w->calls[w->nr_calls - 1].first;
	const uint32_t loop = w->hot->in_loop[place];
	uint32_t at = HOT_NO_LOOP;

	for (; w->nr_runs > first; w->nr_runs--) {
		at = w->runs[w->nr_runs - 1].loop;
		if (at == loop || is_of_loop(w->hot, loop, at))
			break;
		at = HOT_NO_LOOP;
		end_run(w, &w->runs[w->nr_runs - 1], true);
	}
	if (at != loop)
		enter(w, loop, at, come);
	/* A head is in none of the loops that are in its own. */
	if (w->failed || !come || loop == HOT_NO_LOOP ||
	    w->hot->loops[loop].head != place)
		return;
	run_head(w, &w->runs[w->nr_runs - 1]);
}

/* --- calls --- */

static void begin_call(struct walk *w, uint32_t function)
{
	w->failed |= !array_room(&w->calls, w->nr_calls, &w->cap_calls,
				 sizeof(*w->calls));
	if (!w->failed)
		w->calls[w->nr_calls++] = (struct call){ function, w->nr_runs };
}

/* The newest one. */
static void end_call(struct walk *w, bool ended)
{
	const size_t first = w->calls[--w->nr_calls].first;

	while (w->nr_runs > first)
		end_run(w, &w->runs[--w->nr_runs], ended);
}

/* Nothing is known of how control came to a place. */
static void begin_at(struct walk *w, uint32_t place)
{
	while (w->nr_calls)
		end_call(w, false);
	begin_call(w, function_of(w->hot, place));
	if (!w->failed)
		visit(w, place, false);
}

static bool is_in(const struct walk *w, uint32_t place)
{
	return w->nr_calls &&
	       w->calls[w->nr_calls - 1].function == function_of(w->hot, place);
}

static void come_back(struct walk *w, uint32_t to)
{
	end_call(w, true);
	while (w->nr_calls && !is_in(w, to))
		end_call(w, false);
	if (!w->nr_calls)
		begin_at(w, to);
}

/* Traps are calls, of code that is recorded or not. */
enum {
	COMES = CALLS | 1 << PERF_BR_SYSCALL | 1 << PERF_BR_IRQ | 1 << PERF_BR_SERROR,
	GOES = RETURNS | 1 << PERF_BR_SYSRET | 1 << PERF_BR_ERET,
};

static void transfer(struct walk *w, const struct hot_step *s)
{
	if (!is_in(w, s->from))
		begin_at(w, s->from);
	if (w->failed)
		return;
	if (is_of(s->type, COMES)) {
		begin_call(w, function_of(w->hot, s->to));
	} else if (is_of(s->type, GOES)) {
		come_back(w, s->to);
	} else if (hot_enters(w->hot, s->type, s->from, s->to)) {
		/* A tail call; or code that was moved away, and comes back. */
		end_call(w, false);
		begin_call(w, function_of(w->hot, s->to));
	} else if (!is_in(w, s->to)) {
		begin_at(w, s->to);
	}
}

/* --- stacks --- */

/* Does the first place of a line begin or end runs, or trips? Most do not. */
static inline bool is_news(const struct walk *w, uint32_t place)
{
	const uint32_t loop = w->hot->in_loop[place];

	if (w->nr_runs == w->calls[w->nr_calls - 1].first)
		return loop != HOT_NO_LOOP;
	return w->runs[w->nr_runs - 1].loop != loop ||
	       w->hot->loops[loop].head == place;
}

/* The innermost loop that both are in, or HOT_NO_LOOP. */
static uint32_t loop_of_both(const struct hot *hot, uint32_t a, uint32_t b)
{
	while (a != b && a != HOT_NO_LOOP && b != HOT_NO_LOOP) {
		if (hot->loops[a].depth >= hot->loops[b].depth)
			a = hot->loops[a].outer;
		else
			b = hot->loops[b].outer;
	}
	return a == b ? a : HOT_NO_LOOP;
}

static void add_insns(struct walk *w, uint32_t loop, double insns)
{
	if (loop != HOT_NO_LOOP)
		w->tallies[loop].insns += insns;
}

/* The places of a line; its instructions are as long as each other, for want of better. */
static void walk_places(struct walk *w, const struct hot_step *s)
{
	const struct hot_place *p = w->hot->places;
	const uint32_t *in = w->hot->in_loop;
	const double insns = (double)w->weight * hot_insns_of(w->hot, s);
	const double each = insns / (double)(p[s->end].offset - p[s->to].offset + HOT_LAST_BYTES);
	uint32_t place, from = s->to;

	w->insns += insns;
	for (place = s->to; place <= s->end && !w->failed; place++) {
		/* Control is in the loops of the place before. */
		if (place == s->to ? !is_news(w, place) : !w->turns[place])
			continue;
		visit(w, place, true);
		if (place == s->to)
			continue;
		/* What is behind a loop's last place is not in it, nor what is before its first. */
		add_insns(w, in[from],
			  each * (double)(p[place - 1].offset + HOT_LAST_BYTES - p[from].offset));
		add_insns(w, loop_of_both(w->hot, in[from], in[place]),
			  each * ((double)(p[place].offset - p[place - 1].offset) - HOT_LAST_BYTES));
		from = place;
	}
	add_insns(w, in[from], each * (double)(p[s->end].offset + HOT_LAST_BYTES - p[from].offset));
}

static struct brief brief_of(const struct hot *hot, const struct hot_step *s)
{
	struct brief b = { .is = true };
	uint32_t place;

	if (!is_of(s->type, JUMPS | UNKNOWN) || !hot_is_line(hot, s) ||
	    !is_within(hot, s->from, s->to))
		return (struct brief){ 0 };
	b.function = function_of(hot, s->to);
	b.loop = hot->in_loop[s->to];
	b.insns = hot_insns_of(hot, s);
	for (place = s->to; place <= s->end; place++) {
		if (hot->in_loop[place] != b.loop)
			return (struct brief){ 0 };
		b.head |= b.loop != HOT_NO_LOOP && hot->loops[b.loop].head == place;
	}
	return b;
}

/* Returns whether that was all of it. */
static bool walk_brief(struct walk *w, const struct brief *b)
{
	const struct call *c;
	uint32_t loop = HOT_NO_LOOP;

	if (!b->is || !w->nr_calls)
		return false;
	c = &w->calls[w->nr_calls - 1];
	if (w->nr_runs > c->first)
		loop = w->runs[w->nr_runs - 1].loop;
	if (c->function != b->function || loop != b->loop)
		return false;
	w->insns += (double)w->weight * b->insns;
	add_insns(w, b->loop, (double)w->weight * b->insns);
	if (b->head)
		run_head(w, &w->runs[w->nr_runs - 1]);
	return true;
}

static void walk_line(struct walk *w, const struct hot_step *s)
{
	transfer(w, s);
	if (!w->failed && hot_is_line(w->hot, s)) {
		walk_places(w, s);
		return;
	}
	w->insns += (double)w->weight * s->length;
	while (w->nr_calls)
		end_call(w, false);
}

static void end_stack(struct walk *w)
{
	size_t i;

	while (w->nr_calls)
		end_call(w, false);
	for (i = 0; i < w->nr_touched; i++) {
		struct tally *t = &w->tallies[w->touched[i]];
		const double visits = t->now_visits, edges = t->now_edges;

		t->visits += visits;
		t->edges += edges;
		t->visits2 += visits * visits;
		t->edges2 += edges * edges;
		t->now_visits = t->now_edges = 0;
	}
	w->nr_touched = 0;
}

static void walk_stack(struct walk *w, const struct count_line *lines, size_t nr,
		       float own)
{
	size_t i;

	w->own = own;
	w->one = !(w->hot->how & HOT_WEIGHED) ? 0 : own ? WEIGH_ONE : WEIGH_MOST;
	w->ran = 0;
	for (i = 0; i < nr && !w->failed; i++) {
		const struct count_line *line = &lines[nr - 1 - i];
		const struct hot_step *s = &w->hot->steps[line->step];

		w->line = i;
		w->weight = line->weight;
		w->length = s->length;
		if (!walk_brief(w, &w->briefs[line->step]))
			walk_line(w, s);
		w->ran += s->length;
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
static uint32_t quantile(const struct tally *t, size_t depth, double share)
{
	double sum = 0;
	uint32_t i, last = 0;

	for (i = 0; i < depth + 2; i++) {
		if (!t->of[i])
			continue;
		last = i;
		sum += t->of[i];
		if (sum >= share * t->weight)
			break;
	}
	return last;
}

static void count_runs(const struct tally *t, size_t depth, struct hot_trips *trips)
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

static void estimate(const struct tally *t, struct hot_trips *trips)
{
	/* Of so many stacks that were alike, at least one. */
	const double edges = t->edges2 ? t->edges * t->edges / t->edges2 : 0;
	const double visits = t->visits * t->visits / t->visits2;
	const double own = OWN_ERROR * OWN_ERROR + SIGMAS * SIGMAS / visits;
	/* Of a Poisson process of which none was seen, at 19 of 20. */
	const double none = 3.0 / 2 * t->visits / t->nr_visits;

	*trips = (struct hot_trips){ .known = HOT_AT_LEAST, .high = INFINITY };
	if (!t->edges) {
		trips->low = fmax(1, t->visits / none * exp(-sqrt(own)));
		return;
	}
	trips->known = HOT_ESTIMATED;
	trips->mean = t->visits / t->edges;
	trips->low = trips->mean *
		     exp(-sqrt(own + pow(log(bound(edges, 1) / edges), 2)));
	/* Loops run their heads, but for those that are entered elsewhere, too. */
	trips->low = fmax(trips->low, fmin(1, trips->mean));
	trips->high = trips->mean *
		      exp(sqrt(own + pow(log(bound(edges, -1) / edges), 2)));
}

static void tell(const struct tally *t, size_t depth, struct hot_trips *trips)
{
	/* Of one that is longer a part would be seen that is. */
	const bool fits = t->runs >= MIN_RUNS && t->most_lines + 2 <= depth &&
			  t->part_lines <= t->most_lines &&
			  t->part <= quantile(t, depth, 2);
	struct hot_trips counted;

	if (t->visits)
		estimate(t, trips);
	if (!fits)
		return;
	count_runs(t, depth, &counted);
	/* Of runs nearly as long as stacks too few may have been seen as a whole. */
	if (counted.least == counted.most || trips->known != HOT_ESTIMATED ||
	    (counted.mean >= trips->low && counted.mean <= trips->high))
		*trips = counted;
}

static size_t most_lines(const struct count_stacks *stacks)
{
	size_t i, begin = 0, most = 0;

	for (i = 0; i < stacks->nr; begin = stacks->v[i++].end)
		if (stacks->v[i].end - begin > most)
			most = stacks->v[i].end - begin;
	return most;
}

/* With those of the loops in them, which come after them. */
static void tell_shares(const struct walk *w, struct hot *hot)
{
	size_t i;

	for (i = hot->nr_loops; i-- && w->insns;) {
		const struct hot_loop *l = &hot->loops[i];

		hot->loops[i].share = w->tallies[i].insns / w->insns;
		if (l->outer != HOT_NO_LOOP)
			w->tallies[l->outer].insns += w->tallies[i].insns;
	}
}

static struct brief *make_briefs(const struct hot *hot, size_t nr)
{
	struct brief *briefs = malloc((nr + 1) * sizeof(*briefs));
	size_t i;

	for (i = 0; briefs && i < nr; i++)
		briefs[i] = brief_of(hot, &hot->steps[i]);
	return briefs;
}

static bool *make_turns(const struct hot *hot)
{
	bool *turns = malloc(hot->nr_places + 1);
	size_t i;

	for (i = 1; turns && i < hot->nr_places; i++) {
		const uint32_t loop = hot->in_loop[i];

		turns[i] = loop != hot->in_loop[i - 1] ||
			   (loop != HOT_NO_LOOP && hot->loops[loop].head == i);
	}
	return turns;
}

bool hot_find_trips(struct hot *hot)
{
	struct walk w = { .hot = hot, .depth = most_lines(&hot->stacks) };
	struct brief *briefs;
	bool *turns;
	size_t i;

	if (!hot->nr_loops || !hot->stacks.nr)
		return true;
	briefs = make_briefs(hot, hot->nr_steps);
	w.briefs = briefs;
	turns = make_turns(hot);
	w.turns = turns;
	w.tallies = calloc(hot->nr_loops, sizeof(*w.tallies));
	w.failed = !briefs || !turns || !w.tallies;
	walk_all(&w);
	if (!w.failed)
		tell_shares(&w, hot);
	for (i = 0; i < hot->nr_loops && w.tallies; i++) {
		if (!w.failed)
			tell(&w.tallies[i], w.depth, &hot->loops[i].trips);
		free(w.tallies[i].of);
	}
	free(briefs);
	free(turns);
	free(w.tallies);
	free(w.runs);
	free(w.calls);
	free(w.touched);
	return !w.failed;
}
