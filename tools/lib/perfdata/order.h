/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Put records in the order of time. perf reads the ring buffers in turn. It writes
 * FINISHED_ROUND when it has read each of them once. Records that it reads later are
 * newer than those that it had read before the round ended.
 *
 * perf reads the end of a ring buffer twice: once for the data that it writes, and once
 * for the place where it continues. It writes the records in between again in the next
 * round. This code drops the second copy. In a folder, in which files have no rounds, the
 * copies are in another sorted piece of their file.
 */
#ifndef PERFDATA_ORDER_H
#define PERFDATA_ORDER_H

#include "perfdata/block.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pd_entry {
	uint64_t time;
	const uint8_t *rec;
	/* the referenced block that contains rec; NULL: rec is in a mapped file */
	struct pd_block *block;
	/* the offset in the file, of rec or of the compressed record that has its end */
	uint64_t at;
	uint32_t round; /* the round in which the record was read */
};

struct pd_order {
	struct pd_entry *v;
	struct pd_entry *tmp;
	size_t nr, cap;
	size_t next; /* the first entry that is not delivered */
	size_t ready; /* the entries before this one may be delivered */
	uint64_t max; /* the time of the newest record so far */
	/* the time of the newest record when the last round ended */
	uint64_t limit;
	uint32_t round;
};

/* Returns whether two records are the same, byte for byte. */
bool pd_order_same(const struct pd_entry *a, const struct pd_entry *b);

/* Add an entry. Its reference then belongs to order. Returns 0 or PD_ENOMEM. */
int pd_order_add(struct pd_order *order, const struct pd_entry *entry);

/*
 * Call these at the end of a round and at the end of the recording. They add the number
 * of dropped records to *again. All return 0 or PD_ENOMEM.
 */
int pd_order_round(struct pd_order *order, struct pd_blocks *blocks,
		   uint64_t *again);
int pd_order_end(struct pd_order *order, struct pd_blocks *blocks,
		 uint64_t *again);

/*
 * The same for the older half of what waits, although what comes later may be older than
 * that.
 */
int pd_order_half(struct pd_order *order, struct pd_blocks *blocks,
		  uint64_t *again);
void pd_order_free(struct pd_order *order, struct pd_blocks *blocks);

#endif
