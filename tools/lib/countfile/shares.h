/* SPDX-License-Identifier: GPL-2.0-only */
/* What a counts file has of each binary. */
#ifndef COUNTFILE_SHARES_H
#define COUNTFILE_SHARES_H

#include "countfile/countfile.h"

struct cf_share {
	uint32_t binary; /* index in the head */
	/* of the steps that lead into the binary, and so of the lines in it */
	uint64_t transfers, weight;
	double insns; /* the instructions of these lines, weighed */
	uint64_t samples;
};

struct cf_shares {
	struct cf_share *v; /* of each binary, those with the most instructions first */
	size_t nr;
	double insns; /* of all of them */
	uint64_t lacking; /* the weight of lines without a length (cf_lacks_length()) */
	uint64_t steps; /* how many */
	uint64_t places; /* at which samples fell */
	uint64_t sampled; /* samples at them */
};

/* Read all of a file. Returns 0, or ERROR_* with a text. Call cf_shares_free() in each case. */
int cf_shares_read(struct cf_shares *shares, struct cf_reader *reader,
		   struct error *error);

void cf_shares_free(struct cf_shares *shares);

#endif
