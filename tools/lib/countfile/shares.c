// SPDX-License-Identifier: GPL-2.0-only
#include "countfile/shares.h"

#include <stdlib.h>

/* As a report counts them. The instruction at the end of a line has two bytes or more. */
static double insns_of(const struct cf_step *step)
{
	enum { LAST_BYTES = 2 };

	if (step->line < 0)
		return 0;
	return (double)step->weight * (step->length ?: (double)step->line + LAST_BYTES);
}

static int add_steps(struct cf_shares *shares, struct cf_reader *reader,
		     struct error *error)
{
	struct cf_share *share;
	struct cf_step step;
	int ret;

	while ((ret = cf_read_step(reader, &step, error)) > 0) {
		share = &shares->v[step.to_binary];
		share->transfers += step.seen;
		share->weight += step.weight;
		share->insns += insns_of(&step);
		shares->insns += insns_of(&step);
		shares->lacking += cf_lacks_length(&step) ? step.weight : 0;
		shares->steps++;
	}
	return ret;
}

static int add_samples(struct cf_shares *shares, struct cf_reader *reader,
		       struct error *error)
{
	struct cf_sample sample;
	int ret;

	while ((ret = cf_read_sample(reader, &sample, error)) > 0) {
		shares->v[sample.binary].samples += sample.count;
		shares->sampled += sample.count;
		shares->places++;
	}
	return ret;
}

/* Descending. The numbers make the order of equal ones certain. */
static int compare_shares(const void *a, const void *b)
{
	const struct cf_share *x = a, *y = b;

	if (x->insns != y->insns)
		return x->insns > y->insns ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->transfers != y->transfers)
		return x->transfers > y->transfers ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->binary < y->binary ? -1 : x->binary > y->binary;
}

int cf_shares_read(struct cf_shares *shares, struct cf_reader *reader,
		   struct error *error)
{
	size_t i, nr = cf_reader_head(reader)->nr_binaries;
	int ret;

	*shares = (struct cf_shares){ .v = calloc(nr, sizeof(*shares->v)), .nr = nr };
	if (!shares->v)
		return error_nomem(error);
	for (i = 0; i < nr; i++)
		shares->v[i].binary = (uint32_t)i;
	ret = add_steps(shares, reader, error);
	if (!ret)
		ret = add_samples(shares, reader, error);
	qsort(shares->v, nr, sizeof(*shares->v), compare_shares);
	return ret;
}

void cf_shares_free(struct cf_shares *shares)
{
	free(shares->v);
	*shares = (struct cf_shares){ 0 };
}
