// SPDX-License-Identifier: GPL-2.0-only
#include "profile/sort.h"

/* COUNT_NO_LINE comes first. */
static uint32_t line_key(const struct count_step *step)
{
	return (uint32_t)step->line ^ UINT32_C(1) << 31;
}

static uint64_t key_by_line(const struct count_step *step, unsigned int word)
{
	(void)word;
	return step->to << 32 | line_key(step);
}

static uint64_t key_by_branch(const struct count_step *step, unsigned int word)
{
	return word ? line_key(step) : step->from << 32 | step->to;
}

#define RADIX_SORT sort_by_line
#define RADIX_ITEM struct count_step
#define RADIX_WORDS 1
#define RADIX_KEY key_by_line
#include "base/radix.h"

#define RADIX_SORT sort_by_branch
#define RADIX_ITEM struct count_step
#define RADIX_WORDS 2
#define RADIX_KEY key_by_branch
#include "base/radix.h"

void prof_sort(struct count_step *v, size_t nr, enum prof_order order)
{
	if (order == PROF_BY_LINE)
		sort_by_line(v, nr);
	else
		sort_by_branch(v, nr);
}
