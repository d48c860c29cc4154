/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small models of a processor, and what must hold for the estimates of what they count:
 * from at most 2 % of a trace, against all of the trace.
 */
#ifndef TESTS_PHASES_MODELS_H
#define TESTS_PHASES_MODELS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "phases/estimate.h"
#include "phases/trace.h"
#include "riscv/rv_insn.h"
#include "test.h"

enum {
	SHARE = 50, /* one of so many intervals is a window */
	REPETITIONS = 200,
	MODELS = 4,
};

static const char *const model_names[MODELS] = {
	"mispredictions of 2-bit counters", "mispredictions of gshare",
	"misses of a cache of 2 KiB", "misses of a cache of 4 KiB",
};

/* --- the models --- */

struct cache {
	unsigned int sets, ways;
	uint64_t lines[64]; /* by set, the one used last first */
};

struct models {
	uint8_t bimodal[1024], gshare[4096];
	unsigned int history;
	struct cache small, large;
	uint64_t counts[MODELS];
};

static inline bool model_mispredicts(uint8_t *counter, bool taken)
{
	bool wrong = taken != (*counter > 1);

	if (taken && *counter < 3)
		++*counter;
	else if (!taken && *counter)
		--*counter;
	return wrong;
}

static inline bool model_misses(struct cache *c, uint64_t line)
{
	uint64_t *set = &c->lines[line % c->sets * c->ways];
	unsigned int i;

	for (i = 0; i < c->ways && set[i] != line; i++)
		;
	memmove(&set[1], set, (i < c->ways ? i : c->ways - 1) * sizeof(*set));
	set[0] = line;
	return i == c->ways;
}

static inline void model_run(struct models *m, const struct stf_inst *inst)
{
	bool taken = inst->flags & STF_INST_F_TAKEN;
	struct rv_insn insn;

	m->counts[2] += model_misses(&m->small, inst->pc >> 6);
	m->counts[3] += model_misses(&m->large, inst->pc >> 6);
	if (rv_decode_word(&insn, inst->opcode, 0) < 0 || insn.xfer != RV_XFER_BRANCH)
		return;
	m->counts[0] += model_mispredicts(&m->bimodal[inst->pc / 2 % 1024], taken);
	m->counts[1] += model_mispredicts(&m->gshare[(inst->pc / 2 ^ m->history) % 4096],
					  taken);
	m->history = m->history << 1 | taken;
}

/* --- a program --- */

struct judged {
	struct phases_bbv bbv;
	struct windows_plan plan;
	struct windows_value *values[MODELS], *some; /* by interval */
	double truths[MODELS]; /* of the whole run, for each instruction */
	/* Repetitions in which the interval holds the truth, or the error is 3 % at most. */
	unsigned int held[MODELS], near[MODELS];
	double error[MODELS]; /* the root of the mean square, as a share */
};

static inline struct stf_reader *judge_open(const char *path)
{
	struct stf_reader *reader = stf_reader_open(path, NULL, NULL);

	CHECK(reader);
	return reader;
}

static inline void judge_phases(struct judged *j, const char *path, uint64_t interval,
				unsigned int most)
{
	struct stf_reader *reader = judge_open(path);
	struct phases_points points;
	struct phases_clusters clusters;
	struct error error;

	j->bbv = (struct phases_bbv){ .size = interval, .dims = PHASES_DIMS, .seed = 1 };
	CHECK_EQ(phases_read_trace(&j->bbv, reader, NULL, &error), 0);
	stf_reader_close(reader);
	points = (struct phases_points){ j->bbv.points, j->bbv.nr, j->bbv.dims };
	CHECK_EQ(phases_cluster(&clusters, &points, 0, most, 1, &error), 0);
	j->plan = (struct windows_plan){ .v = j->bbv.v, .nr = j->bbv.nr };
	phases_plan_stratify(&j->plan, &clusters);
	phases_clusters_free(&clusters);
}

/* What the models count in an interval. They go on from where the one before ended. */
static inline void judge_interval(struct judged *j, struct models *m, size_t number,
				  struct stf_inst_iter *iter)
{
	const uint64_t length = j->bbv.v[number].length;
	struct stf_inst inst;
	uint64_t i;
	size_t k;

	memset(m->counts, 0, sizeof(m->counts));
	for (i = 0; i < length; i++) {
		CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
		model_run(m, &inst);
	}
	for (k = 0; k < MODELS; k++) {
		j->values[k][number].mean = (double)m->counts[k] / (double)length;
		j->truths[k] += (double)m->counts[k] / (double)j->plan.length;
	}
}

static inline void judge_measure(struct judged *j, const char *path)
{
	struct stf_reader *reader = judge_open(path);
	struct models *m = calloc(1, sizeof(*m));
	struct stf_inst inst;
	struct stf_inst_iter *iter = stf_inst_iter_new(reader, sizeof(inst));
	size_t i;

	CHECK(m && iter);
	m->small = (struct cache){ .sets = 32, .ways = 1 };
	m->large = (struct cache){ .sets = 32, .ways = 2 };
	for (i = 0; i < j->bbv.nr; i++)
		judge_interval(j, m, i, iter);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 0);
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
	free(m);
}

static inline void judge_estimate(struct judged *j, unsigned int model)
{
	struct phases_estimate e;
	struct error error;
	double off;
	size_t i;

	for (i = 0; i < j->plan.nr; i++)
		j->some[i] = (struct windows_value){ j->values[model][i].mean,
						    j->plan.v[i].chosen };
	CHECK_EQ(phases_estimate(&j->plan, j->some, 0.95, &e, &error), 0);
	off = e.mean / j->truths[model] - 1;
	j->held[model] += fabs(e.mean - j->truths[model]) <= e.half;
	j->near[model] += fabs(off) <= 0.03;
	j->error[model] += off * off / REPETITIONS;
}

/* Choose the windows again and again. */
static inline void judge_repeat(struct judged *j)
{
	const size_t windows = j->plan.nr / SHARE;
	uint64_t wanted[PHASES_MAX_CLUSTERS];
	unsigned int r, k;
	size_t i;

	for (r = 0; r < REPETITIONS; r++) {
		for (i = 0; i < j->plan.nr; i++)
			j->plan.v[i].chosen = false;
		windows_add_up(&j->plan);
		phases_plan_allocate(&j->plan, windows, false, wanted);
		phases_plan_choose(&j->plan, wanted, r);
		CHECK_EQ(j->plan.windows, windows);
		for (k = 0; k < MODELS; k++)
			judge_estimate(j, k);
	}
	for (k = 0; k < MODELS; k++)
		j->error[k] = sqrt(j->error[k]);
}

/*
 * Judge a trace with at most so many phases, and print a line for each model. name is that
 * of the program.
 */
static inline void judge(struct judged *j, const char *name, const char *path,
			 uint64_t interval, unsigned int most)
{
	unsigned int k;

	memset(j, 0, sizeof(*j));
	judge_phases(j, path, interval, most);
	for (k = 0; k < MODELS; k++)
		CHECK((j->values[k] = calloc(j->bbv.nr, sizeof(*j->some))));
	CHECK((j->some = calloc(j->bbv.nr, sizeof(*j->some))));
	judge_measure(j, path);
	judge_repeat(j);
	for (k = 0; k < MODELS; k++) {
		printf("# %s: %u phases, %zu of %zu windows, %s: %.3f %%, error %.2f %%, at most 3 %%: %u of %u, held: %u\n",
		       name, j->plan.nr_strata, j->plan.windows, j->plan.nr, model_names[k],
		       100 * j->truths[k], 100 * j->error[k], j->near[k], REPETITIONS,
		       j->held[k]);
		free(j->values[k]);
	}
	free(j->some);
	phases_bbv_free(&j->bbv);
}

#endif
