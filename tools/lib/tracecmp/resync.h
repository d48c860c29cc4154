/* SPDX-License-Identifier: GPL-2.0-only */
/* Where two traces that differ agree again. */
#ifndef TRACECMP_RESYNC_H
#define TRACECMP_RESYNC_H

#include "tracecmp/queue.h"

/* The traces agree again where so many instructions in a row are the same. */
enum { TCMP_AGREE = 16 };

/* Memory that is used again by each search. Set all members to 0 first. */
struct tcmp_resync {
	bool any_pc, any_opcode; /* instructions that differ in it are the same */
	uint64_t *grams[2]; /* of each trace: hashes of TCMP_AGREE instructions */
	size_t cap[2];
};

/* Returns whether two instructions are the same, or both are the end. */
bool tcmp_same_inst(const struct tcmp_resync *resync, const struct tcmp_inst *a,
		    const struct tcmp_inst *b);

/*
 * Find the next place where the traces agree: after na instructions of queue a and nb of
 * queue b, of which the larger number is as small as possible, and then their sum. The ends
 * of traces agree with each other. Returns 1 if it was found, 0 if the larger number would
 * be more than bound, ERROR_NOMEM or ERROR_INPUT.
 */
int tcmp_resync_find(struct tcmp_resync *resync, struct tcmp_queue *a,
		     struct tcmp_queue *b, uint64_t bound, uint64_t *na, uint64_t *nb,
		     struct error *error);

void tcmp_resync_free(struct tcmp_resync *resync);

#endif
