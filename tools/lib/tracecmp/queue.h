/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instructions of a trace, one after another, with the last ones before and as many
 * after as are asked for.
 */
#ifndef TRACECMP_QUEUE_H
#define TRACECMP_QUEUE_H

#include "base/error.h"
#include "stf/stf.h"

enum { TCMP_BEFORE = 3 }; /* so many instructions before stay */

/* An instruction and its records. They belong to the queue. */
struct tcmp_inst {
	struct stf_inst inst;
	bool end; /* the end of the trace: there are only the records that stand there */
	struct stf_record *records; /* of its group, without the opcode */
	size_t nr, cap;
	uint8_t *data; /* what the records point to */
	size_t room; /* bytes */
};

/* Set all members to 0 first. */
struct tcmp_queue {
	struct stf_reader *reader; /* belongs to the caller */
	struct stf_inst_iter *iter;
	const struct stf_select *filter; /* only its filters count; NULL: all */
	bool to_bytes; /* the sizes of accesses, if mem_bits says that they are in bits */
	struct tcmp_inst *v; /* a ring */
	size_t mask; /* its number of elements, a power of two, minus 1 */
	uint64_t at; /* the instructions before this one were skipped */
	uint64_t read; /* so many were read; the end counts as one, too */
	bool ended;
};

/*
 * Begin at instruction start. The reader's header was read. Returns 0, ERROR_NOMEM,
 * ERROR_INPUT, or ERROR_NOTHING without a text if the trace ends before.
 */
int tcmp_queue_open(struct tcmp_queue *queue, struct stf_reader *reader,
		    uint64_t start, const struct stf_select *filter,
		    struct error *error);

/* Read until instruction i from here is there, or the end. Returns 0, ERROR_NOMEM or ERROR_INPUT. */
int tcmp_queue_read(struct tcmp_queue *queue, uint64_t i, struct error *error);

/* Returns instruction i from here, which was read, or the end. Valid until _read(). */
static inline const struct tcmp_inst *tcmp_queue_get(const struct tcmp_queue *queue,
						     uint64_t i)
{
	uint64_t n = queue->at + i;

	return &queue->v[(n < queue->read ? n : queue->read - 1) & queue->mask];
}

/*
 * Returns the instruction that is i, at most TCMP_BEFORE, before this one, or NULL if the
 * trace begins later.
 */
const struct tcmp_inst *tcmp_queue_before(const struct tcmp_queue *queue,
					  unsigned int i);

/* Go on by n instructions, which were read. */
static inline void tcmp_queue_skip(struct tcmp_queue *queue, uint64_t n)
{
	queue->at += n;
}

void tcmp_queue_close(struct tcmp_queue *queue);

#endif
