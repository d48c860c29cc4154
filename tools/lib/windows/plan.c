// SPDX-License-Identifier: GPL-2.0-only
#include "windows/plan.h"

void windows_add_up(struct windows_plan *plan)
{
	struct windows_stratum *s;
	size_t i;

	plan->length = 0;
	plan->windows = 0;
	for (s = plan->strata; s < plan->strata + plan->nr_strata; s++)
		*s = (struct windows_stratum){ .spread = s->spread };
	for (i = 0; i < plan->nr; i++) {
		const struct windows_interval *v = &plan->v[i];
		const uint64_t length = plan->recorded ? plan->recorded[i].weight : v->length;

		s = &plan->strata[v->stratum];
		s->intervals++;
		s->length += length;
		plan->length += length;
		if (!v->chosen)
			continue;
		s->windows++;
		s->window_length += v->length;
		plan->windows++;
	}
}

double windows_weight(const struct windows_plan *plan, size_t window)
{
	const struct windows_interval *v = &plan->v[window];
	const struct windows_stratum *s = &plan->strata[v->stratum];

	if (!plan->length)
		return 0;
	if (plan->recorded)
		return (double)plan->recorded[window].weight / (double)plan->length;
	return (double)s->length / (double)plan->length *
	       ((double)v->length / (double)s->window_length);
}
