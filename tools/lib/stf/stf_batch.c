// SPDX-License-Identifier: BSD-2-Clause
/* Writing many records in one call. */
#include "stf/stf_quick.h"
#include "stf/stf_writer.h"

/* What quick() holds in registers. */
struct batch {
	uint8_t *p; /* the next byte */
	uint8_t *group; /* the start of the open group */
	struct stf_order order; /* `last` and `prev` are always the same */
	uint64_t pc;
	uint64_t target; /* of the open group, if has_target */
	bool has_target;
	uint64_t markers;
};

/* Put a record for which there is room. Returns false if it is for stf_write(). */
static inline bool put(struct batch *b, const struct stf_record *rec)
{
	unsigned int length = stf_quick_put(&b->order, rec, b->p);

	if (!length)
		return false;
	b->p += length;
	if (rec->desc >= STF_INST_32) {
		b->pc = b->has_target ? b->target : b->pc + length - 1;
		b->has_target = false;
		b->group = b->p;
		b->markers++;
	} else if (rec->desc == STF_INST_PC_TARGET) {
		b->target = rec->pc;
		b->has_target = true;
	}
	stf_order_took(&b->order, rec->desc);
	return true;
}

/*
 * Put opcodes that are their whole group, up to the first other record. Each has a byte more
 * than its instruction, which tells the PC behind them. Returns where it has stopped.
 */
static inline const struct stf_record *put_bare(struct batch *b,
						const struct stf_record *rec,
						const struct stf_record *end)
{
	const struct stf_record *const start = rec;
	uint8_t *p = b->p;
	uint64_t n;

	for (; rec < end; rec++) {
		if (rec->desc == STF_INST_16 && rec->opcode <= UINT16_MAX) {
			*p = STF_INST_16;
			stf_put16(p + 1, (uint16_t)rec->opcode);
			p += 1 + 2;
		} else if (rec->desc == STF_INST_32) {
			*p = STF_INST_32;
			stf_put32(p + 1, rec->opcode);
			p += 1 + 4;
		} else {
			break;
		}
	}
	n = (uint64_t)(rec - start);
	if (!n)
		return rec;
	b->pc += (uint64_t)(p - b->p) - n;
	b->markers += n;
	b->p = b->group = p;
	return rec;
}

/* Returns how many records it has written, at most n, for which there is room. */
static size_t quick(struct stf_writer *writer, const struct stf_record *recs, size_t n)
{
	struct stf_order *order = &writer->order;
	uint8_t *const start = writer->buf + writer->len;
	struct batch b = {
		.p = start,
		.group = start,
		.order = { .header_ended = true, .in_insts = true,
			   .last = order->last, .prev = order->last },
		.pc = writer->pc,
		.target = writer->target,
		.has_target = writer->has_target,
	};
	const struct stf_record *rec = recs, *const end = recs + n;
	size_t done;

	for (;; rec++) {
		if (!b.order.last)
			rec = put_bare(&b, rec, end);
		if (rec == end || !put(&b, rec))
			break;
	}
	done = (size_t)(rec - recs);
	if (!done)
		return 0;
	if (!writer->markers && b.markers)
		writer->chunk_pc = writer->pc;
	if (b.markers) {
		writer->group = (size_t)(b.group - writer->buf);
		order->event = false;
	}
	order->last = order->prev = b.order.last;
	writer->pc = b.pc;
	writer->target = b.target;
	writer->has_target = b.has_target;
	writer->len += (size_t)(b.p - start);
	writer->markers += b.markers;
	writer->instructions += b.markers;
	writer->records += done;
	return done;
}

/* How many records quick() may write, because none of them needs more than this. */
static size_t room(const struct stf_writer *writer)
{
	const struct stf_order *order = &writer->order;
	uint64_t n;

	if (!order->in_insts || order->last != order->prev || writer->len >= writer->quick_end)
		return 0;
	n = (writer->quick_end - writer->len) / STF_QUICK_ROOM;
	if (n > writer->full - writer->markers)
		n = writer->full - writer->markers;
	return n;
}

int stf_write_records(struct stf_writer *writer, const struct stf_record *recs, size_t n)
{
	size_t done, most;
	int err;

	while (n) {
		most = room(writer);
		done = most ? quick(writer, recs, n < most ? n : most) : 0;
		recs += done;
		n -= done;
		if (!n)
			break;
		err = stf_write(writer, recs);
		if (err)
			return err;
		recs++;
		n--;
	}
	return 0;
}
