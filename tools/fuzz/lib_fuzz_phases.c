// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a plain trace, whose phases are found; the last four say how. The intervals
 * have all instructions, and the windows are as many as there can be.
 */
#include <math.h>

#include "fuzz.h"
#include "phases/plan.h"
#include "phases/trace.h"

enum { OPTIONS = 4 };

static void check_intervals(const struct phases_bbv *bbv, uint64_t instructions)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < bbv->nr; i++) {
		demand(bbv->v[i].start == sum && bbv->v[i].length,
		       "an interval begins where the one before ends");
		demand(i + 1 == bbv->nr || bbv->v[i].length >= bbv->size,
		       "only the last interval is short");
		sum += bbv->v[i].length;
	}
	demand(sum == instructions, "each instruction is in an interval");
	for (i = 0; i < bbv->nr * bbv->dims; i++)
		demand(fabs(bbv->points[i]) <= 1, "a point is a mean of numbers up to 1");
}

static void check_plan(const struct windows_plan *plan, size_t windows)
{
	double weights = 0;
	size_t i;

	demand(plan->windows == (windows < plan->nr ? windows : plan->nr),
	       "there are as many windows as were asked for");
	for (i = 0; i < plan->nr; i++)
		if (plan->v[i].chosen)
			weights += windows_weight(plan, i);
	demand(fabs(weights - 1) < 1e-6, "the windows stand for the run");
}

static void find_phases(const struct phases_bbv *bbv, const uint8_t *v)
{
	const struct phases_points points = { bbv->points, bbv->nr, bbv->dims };
	struct windows_plan plan = { .source = "", .unit = "instructions", .filter = "",
				     .size = bbv->size, .v = bbv->v, .nr = bbv->nr };
	/* As `ssctr phases` demands it. */
	const unsigned int most = 1 + (v[1] & 7);
	const size_t windows = 2 * most + (v[1] >> 3);
	uint64_t wanted[PHASES_MAX_CLUSTERS];
	struct phases_clusters clusters;
	struct error error;

	demand(!phases_cluster(&clusters, &points, v[2] & 1 ? most : 0, most, v[3], &error),
	       "there is memory");
	demand(clusters.k >= 1 && clusters.k <= most, "there are as many phases as may be");
	phases_plan_stratify(&plan, &clusters);
	phases_plan_allocate(&plan, windows, v[2] & 2, wanted);
	phases_plan_choose(&plan, wanted, v[3]);
	check_plan(&plan, windows);
	phases_clusters_free(&clusters);
}

/* The instructions that can be read. */
static uint64_t count_all(void)
{
	struct stf_reader *r = fuzz_open(0, false);
	struct stf_inst_iter *iter;
	struct stf_inst inst;
	uint64_t n = 0;

	demand(r, "what was opened opens again");
	iter = stf_inst_iter_new(r, sizeof(inst));
	demand(iter, "there is memory");
	while (stf_inst_iter_next(iter, &inst) > 0)
		n++;
	stf_inst_iter_free(iter);
	stf_reader_close(r);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *v = data + size - OPTIONS;
	struct phases_bbv bbv = { 0 };
	struct error error = { "" };
	struct stf_reader *r;
	int ret;

	if (size < OPTIONS || *data != STF_IDENTIFIER)
		return -1;
	fuzz_file(data, size - OPTIONS);
	r = fuzz_open(0, false);
	if (!r)
		return 0;
	bbv.size = 1 + v[0];
	bbv.dims = 1 + (v[2] >> 2) % PHASES_MAX_DIMS;
	bbv.seed = v[3];
	ret = phases_read_trace(&bbv, r, NULL, &error);
	demand(!ret || *error.text, "an error has a text");
	stf_reader_close(r);
	if (!ret)
		check_intervals(&bbv, count_all());
	if (!ret && bbv.nr)
		find_phases(&bbv, v);
	phases_bbv_free(&bbv);
	return 0;
}
