// SPDX-License-Identifier: GPL-2.0-only
#include "phases/simpoint.h"

#include <inttypes.h>
#include <math.h>

static bool one_in_each(const struct windows_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nr_strata; i++)
		if (plan->strata[i].windows != 1)
			return false;
	return true;
}

void phases_simpoint_points(const struct windows_plan *plan, FILE *file)
{
	const bool by_stratum = one_in_each(plan);
	uint32_t number = 0;
	size_t i;

	for (i = 0; i < plan->nr; i++)
		if (plan->v[i].chosen)
			fprintf(file, "%zu %" PRIu32 "\n", i,
				by_stratum ? plan->v[i].stratum : number++);
}

void phases_simpoint_weights(const struct windows_plan *plan, FILE *file)
{
	const bool by_stratum = one_in_each(plan);
	uint32_t number = 0;
	size_t i;

	for (i = 0; i < plan->nr; i++)
		if (plan->v[i].chosen)
			fprintf(file, "%.12g %" PRIu32 "\n",
				windows_weight(plan, i),
				by_stratum ? plan->v[i].stratum : number++);
}

void phases_simpoint_labels(const struct windows_plan *plan,
			    const struct phases_clusters *clusters, FILE *file)
{
	size_t i;

	for (i = 0; i < plan->nr; i++)
		fprintf(file, "%" PRIu32 " %.6g\n", plan->v[i].stratum,
			sqrt(clusters->squares[i]));
}

void phases_simpoint_starts(const struct windows_plan *plan, FILE *file)
{
	size_t i;

	for (i = 0; i < plan->nr; i++)
		fprintf(file, "%" PRIu64 "\n", plan->v[i].start);
}
