// SPDX-License-Identifier: GPL-2.0-only
#include "count/early.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool early_begin(struct early *early, const struct weigh *w, float mean, bool late)
{
	if (!array_room(&early->v, early->nr, &early->cap, sizeof(*early->v)))
		return false;
	early->v[early->nr++] = (struct early_stack){ .context = w->context, .mean = mean,
						      .late = late, .end = early->nr_lines };
	return true;
}

bool early_add(struct early *early, const uint32_t *steps, const uint32_t *lengths,
	       unsigned int nr)
{
	const size_t end = early->nr_lines + nr;

	if (!array_cover(&early->steps, end, &early->cap_steps, sizeof(*steps)) ||
	    !array_cover(&early->lengths, end, &early->cap_lengths, sizeof(*lengths)))
		return false;
	memcpy(&early->steps[early->nr_lines], steps, nr * sizeof(*steps));
	memcpy(&early->lengths[early->nr_lines], lengths, nr * sizeof(*lengths));
	early->nr_lines = early->v[early->nr - 1].end = end;
	return true;
}

void early_clear(struct early *early)
{
	early->nr = early->nr_lines = 0;
}

void early_free(struct early *early)
{
	free(early->steps);
	free(early->lengths);
	free(early->v);
	*early = (struct early){ 0 };
}
