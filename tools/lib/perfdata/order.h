/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that wait for their turn. perf reads the ring buffers one after
 * another and writes FINISHED_ROUND when it has been through all of them: what
 * is read after that is younger than what had been read before the round ended.
 *
 * perf looks twice at how far a buffer is filled, once for what it writes and once
 * for where it goes on. What comes between the two it writes again in the next
 * round. That is dropped here.
 */
#ifndef PERFDATA_ORDER_H
#define PERFDATA_ORDER_H

#include "perfdata/block.h"

#include <stddef.h>
#include <stdint.h>

struct pd_entry {
	uint64_t time;
	const uint8_t *rec;
	struct pd_block *block; /* where rec is, referenced; NULL: a mapped file */
	uint32_t round; /* in which it was read */
};

struct pd_order {
	struct pd_entry *v;
	struct pd_entry *tmp;
	size_t nr, cap;
	size_t next; /* the first not yet delivered */
	size_t ready; /* those before it may be delivered */
	uint64_t max; /* the youngest seen */
	uint64_t limit; /* the youngest when the last round ended */
	uint32_t round;
};

/* 0 or PD_ENOMEM. The entry's reference passes to order. */
int pd_order_add(struct pd_order *order, const struct pd_entry *entry);

/* 0 or PD_ENOMEM. Records that were dropped are added to *again. */
int pd_order_round(struct pd_order *order, struct pd_blocks *blocks,
		   uint64_t *again);
int pd_order_end(struct pd_order *order, struct pd_blocks *blocks,
		 uint64_t *again);
void pd_order_free(struct pd_order *order, struct pd_blocks *blocks);

#endif
