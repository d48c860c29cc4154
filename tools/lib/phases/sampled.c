// SPDX-License-Identifier: GPL-2.0-only
#include "phases/sampled.h"

static bool add_line(struct phases_bbv *bbv, const struct counts *counts,
		     const struct count_line *line, double period)
{
	const struct count_step *step = &counts->steps[line->step];
	const struct phases_key key = { .start = step->to,
					.size = (uint32_t)step->line };

	if (step->line == COUNT_NO_LINE || !line->weight)
		return true;
	return phases_bbv_count(bbv, &key,
				period * line->weight * step->length / WEIGH_ONE);
}

static bool add_lines(struct phases_bbv *bbv, const struct counts *counts,
		      double period)
{
	const struct count_stacks *stacks = counts->stacks;
	size_t i;

	for (i = 0; i < stacks->nr_lines; i++)
		if (!add_line(bbv, counts, &stacks->lines[i], period))
			return false;
	return true;
}

int phases_add_sample(struct phases_bbv *bbv, struct counts *counts,
		      uint64_t period, uint64_t time, struct error *error)
{
	struct windows_interval *now = &bbv->now;

	if (!add_lines(bbv, counts, (double)period))
		return error_nomem(error);
	count_stacks_clear(counts->stacks);
	if (!now->samples++)
		now->from = time;
	now->to = time;
	now->length += period;
	return now->length < bbv->size ? 0 :
					 phases_bbv_end_interval(bbv, error);
}
