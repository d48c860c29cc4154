// SPDX-License-Identifier: GPL-2.0-only
#include "tracestat/intervals.h"

static struct tstat_interval all_of(const struct tstat_mix *mix,
				    const struct tstat_branches *branches,
				    uint64_t gaps, uint64_t next)
{
	struct tstat_interval all = {
		.start = next,
		.instructions = mix->instructions,
		.user = mix->modes[STF_MODE_USER],
		.gaps = gaps,
		.conditional = branches->all,
		.further = branches->further,
	};
	unsigned int i;

	for (i = 0; i < RV_N_CLASSES; i++)
		all.classes[i] = mix->classes[i];
	return all;
}

void tstat_intervals_end(struct tstat_intervals *intervals, const struct tstat_mix *mix,
			 const struct tstat_branches *branches, uint64_t gaps,
			 uint64_t next)
{
	const struct tstat_interval all = all_of(mix, branches, gaps, next);
	const struct tstat_interval *before = &intervals->before;
	struct tstat_interval own = all;
	unsigned int i;

	own.start = before->start;
	own.instructions -= before->instructions;
	for (i = 0; i < RV_N_CLASSES; i++)
		own.classes[i] -= before->classes[i];
	own.user -= before->user;
	own.gaps -= before->gaps;
	own.conditional.ran -= before->conditional.ran;
	own.conditional.taken -= before->conditional.taken;
	own.conditional.wrong_counter -= before->conditional.wrong_counter;
	own.conditional.wrong_gshare -= before->conditional.wrong_gshare;
	own.further -= before->further;
	intervals->before = all;
	if (own.instructions)
		intervals->on_interval(intervals->arg, &own);
}
