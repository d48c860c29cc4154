// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows as `ssctr record --windows` takes them, of programs whose whole trace is known:
 * what two branch predictors and two caches do in 2 % of the run must tell what they do in
 * all of it, and how exactly.
 */
#include "phases-models.h"
#include "phases-program.h"
#include "windows/windows.h"

enum {
	PROGRAMS = 6,
	WINDOW = 1000,
	EVERY = SHARE * WINDOW,
	WINDOWS = 180,
	LENGTH = WINDOWS * EVERY,
	ROOM = LENGTH + 1000, /* a program ends with a function */
};

/* By instruction: what each model counts, in a bit. */
static uint8_t counted[ROOM];
static uint64_t length;
static double truths[MODELS];

static struct windows_interval v[WINDOWS + 1];
static struct windows_recorded recorded[WINDOWS + 1];
static struct windows_value values[WINDOWS + 1];
static struct windows_plan plan;

static void measure(const char *path)
{
	struct stf_reader *reader = judge_open(path);
	struct models *m = calloc(1, sizeof(*m));
	struct stf_inst inst;
	struct stf_inst_iter *iter = stf_inst_iter_new(reader, sizeof(inst));
	unsigned int k;

	CHECK(m && iter);
	m->small = (struct cache){ .sets = 32, .ways = 1 };
	m->large = (struct cache){ .sets = 32, .ways = 2 };
	memset(truths, 0, sizeof(truths));
	for (length = 0; stf_inst_iter_next(iter, &inst) == 1; length++) {
		CHECK(length < ROOM);
		memset(m->counts, 0, sizeof(m->counts));
		model_run(m, &inst);
		counted[length] = 0;
		for (k = 0; k < MODELS; k++) {
			counted[length] |= m->counts[k] << k;
			truths[k] += (double)m->counts[k];
		}
	}
	for (k = 0; k < MODELS; k++)
		truths[k] /= (double)length;
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
	free(m);
}

static double value_of(uint64_t place, unsigned int model)
{
	unsigned int sum = 0, i;

	for (i = 0; i < WINDOW; i++)
		sum += counted[place + i] >> model & 1;
	return sum / (double)WINDOW;
}

/*
 * A window in each interval, but for those that the end of the run and chance (one in
 * `lost`; 0: none) have left out. The window before one stands for what it would have.
 */
static void take_windows(const struct windows *w, unsigned int lost)
{
	uint64_t interval, place, begin = 0, next;
	size_t i;

	plan = (struct windows_plan){
		.v = v, .recorded = recorded, .nr_strata = 1, .size = WINDOW, .every = EVERY,
		.choice = w->places == WINDOWS_RANDOM ? WINDOWS_CHOICE_RANDOM :
							WINDOWS_CHOICE_SYSTEMATIC,
	};
	for (interval = 0; interval * EVERY < length; interval++) {
		place = windows_place(w, 0, interval);
		if (place + WINDOW > length || (lost && test_random() % lost == 0)) {
			plan.left_out++;
			continue;
		}
		v[plan.nr] = (struct windows_interval){ .length = WINDOW, .chosen = true };
		/* Its interval, for now. */
		recorded[plan.nr++] = (struct windows_recorded){ .weight = interval * EVERY,
								 .place = place };
	}
	for (i = 0; i < plan.nr; i++) {
		next = i + 1 < plan.nr ? recorded[i + 1].weight : length;
		recorded[i].weight = next - begin;
		begin = next;
	}
	windows_add_up(&plan);
	CHECK_EQ(plan.length, length);
}

struct result {
	unsigned int held;
	double error;
};

static void estimate(unsigned int model, struct result *result)
{
	struct phases_estimate e;
	struct error error;
	double off;
	size_t i;

	for (i = 0; i < plan.nr; i++)
		values[i] = (struct windows_value){ value_of(recorded[i].place, model), true };
	CHECK_EQ(phases_estimate(&plan, values, 0.95, &e, &error), 0);
	off = e.mean / truths[model] - 1;
	result->held += fabs(e.mean - truths[model]) <= e.half;
	result->error += off * off / REPETITIONS;
}

/* Record again and again. */
static unsigned int hold_windows(const char *name, enum windows_places places,
				 unsigned int lost)
{
	struct windows w = { .size = WINDOW, .every = EVERY, .places = places };
	struct result results[MODELS] = { 0 };
	unsigned int k, sum = 0;

	for (w.seed = 1; w.seed <= REPETITIONS; w.seed++) {
		take_windows(&w, lost);
		for (k = 0; k < MODELS; k++)
			estimate(k, &results[k]);
	}
	for (k = 0; k < MODELS; k++) {
		printf("# %s, %s: %.3f %%, error %.2f %%, held: %u of %u\n", name,
		       model_names[k], 100 * truths[k], 100 * sqrt(results[k].error),
		       results[k].held, REPETITIONS);
		sum += results[k].held;
		/*
		 * 95 % of 200, less standard deviations of a count, sqrt(200 * 0.95 * 0.05):
		 * six where chance has left out windows, and else three, as the places are
		 * the same each time.
		 */
		CHECK(places == WINDOWS_SYSTEMATIC || results[k].held >= (lost ? 171 : 180));
	}
	return sum;
}

/* Windows that were left out by chance make the interval wider, and it still holds. */
TEST(recorded_windows_of_six_programs_hold_the_truth)
{
	static struct prog p;
	const unsigned int all = PROGRAMS * MODELS * REPETITIONS;
	unsigned int seed, random = 0, fewer = 0, systematic = 0;
	const char *path = test_path("p.stf");

	for (seed = 1; seed <= PROGRAMS; seed++) {
		prog_plan(&p, seed);
		prog_write(&p, path, LENGTH);
		measure(path);
		printf("# program %u\n", seed);
		random += hold_windows("random", WINDOWS_RANDOM, 0);
		fewer += hold_windows("random, one in ten left out", WINDOWS_RANDOM, 10);
		systematic += hold_windows("systematic", WINDOWS_SYSTEMATIC, 0);
	}
	printf("# held in all: random %u, random with some left out %u, systematic %u, of %u\n",
	       random, fewer, systematic, all);
	CHECK(random >= 0.95 * all);
	CHECK(fewer >= 0.95 * all);
}
