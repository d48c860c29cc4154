/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps and samples of one input of a merge, in the merged file's numbers of binaries
 * and with their counts times a factor.
 */
#ifndef COUNTFILE_FEED_H
#define COUNTFILE_FEED_H

#include "base/saturate.h"
#include "countfile/file.h"
#include "countfile/sum.h"

/* What a merge leaves out. */
struct cf_rules {
	const bool *wanted; /* by the number of a binary; NULL: all are wanted */
	uint64_t drop_below; /* steps with fewer transfers are left out */
};

/* How much of it was left out. */
struct cf_left_out {
	uint64_t transfers, weight;
};

/* Add more. What does not fit into 64 bits is the most there can be. */
static inline void cf_leave_out(struct cf_left_out *sum, uint64_t transfers, uint64_t weight)
{
	sum->transfers = saturate_plus(sum->transfers, transfers);
	sum->weight = saturate_plus(sum->weight, weight);
}

struct cf_feed {
	const char *name; /* for messages */
	struct cf_reader *reader; /* a counts file, or NULL for a temporary file */
	struct cf_in in; /* the temporary file */
	uint32_t *map; /* of the binaries; NULL: they have their numbers */
	uint64_t factor;
	uint64_t seed; /* of the rounding */
	const bool *wanted; /* as in struct cf_rules */
	bool remains; /* the factor has left some transfers */
	struct cf_left_out left_out;
	struct cf_step step; /* the current one, if there is one */
	struct cf_sample sample;
	uint32_t input; /* its number, or CF_NO_INPUT for a temporary file */
};

#define CF_NO_INPUT UINT32_MAX

/* Read the next item. Both return 1, 0 after the last one, or ERROR_* with a text. */
int cf_feed_step(struct cf_feed *feed, struct error *error);
int cf_feed_sample(struct cf_feed *feed, struct error *error);

/* Returns what makes the rounding of these sources' counts differ from that of others. */
uint64_t cf_feed_seed(const struct cf_head *head);

/* Close the input. The temporary file stays open. */
void cf_feed_end(struct cf_feed *feed);

#endif
