// SPDX-License-Identifier: BSD-2-Clause
/* Writing many records in one call. */
#include "stf/stf_bytes.h"
#include "stf/stf_writer.h"

/* The bytes of the longest record that quick() writes, and of others. */
enum { LONGEST = 1 + 8 + 2 + 2 + 1, REG = 1 + 2 + 1 + 8, WORD = 1 + 8 };

/* What quick() holds in registers. */
struct batch {
	uint8_t *p; /* the next byte */
	uint8_t *group; /* the start of the open group */
	unsigned int last; /* the record before in the open group, or 0 */
	uint64_t pc;
	uint64_t target; /* of the open group, if has_target */
	bool has_target;
	uint64_t markers;
};

/* An opcode of `size` bytes was put. */
static inline void took_opcode(struct batch *b, unsigned int size)
{
	b->p += 1 + size;
	b->group = b->p;
	b->markers++;
	b->pc += size;
	if (!b->last)
		return;
	if (b->has_target)
		b->pc = b->target;
	b->has_target = false;
	b->last = 0;
}

/* May an opcode follow? An access needs its content before. */
static inline bool may_close(const struct batch *b)
{
	return b->last != STF_INST_MEM_ACCESS && b->last != STF_BUS_MASTER_ACCESS;
}

/*
 * Put one of the most frequent records, for which there is room, and which is not refused.
 * Returns false if it is not one of these.
 */
static inline bool put(struct batch *b, const struct stf_record *rec)
{
	uint8_t *p = b->p;

	if (rec->desc == STF_INST_16) {
		if (rec->opcode > UINT16_MAX || !may_close(b))
			return false;
		*p = STF_INST_16;
		stf_put16(p + 1, (uint16_t)rec->opcode);
		took_opcode(b, 2);
		return true;
	}
	if (rec->desc == STF_INST_32) {
		if (!may_close(b))
			return false;
		*p = STF_INST_32;
		stf_put32(p + 1, rec->opcode);
		took_opcode(b, 4);
		return true;
	}
	if (rec->desc == STF_INST_MEM_ACCESS) {
		if (b->last > STF_INST_MEM_CONTENT || b->last == STF_INST_MEM_ACCESS)
			return false;
		*p = STF_INST_MEM_ACCESS;
		stf_put64(p + 1, rec->mem_access.address);
		stf_put16(p + 9, rec->mem_access.size);
		stf_put16(p + 11, rec->mem_access.attributes);
		p[13] = rec->mem_access.access;
		b->p += LONGEST;
	} else if (rec->desc == STF_INST_MEM_CONTENT) {
		if (b->last != STF_INST_MEM_ACCESS)
			return false;
		*p = STF_INST_MEM_CONTENT;
		stf_put64(p + 1, rec->content);
		b->p += WORD;
	} else if (rec->desc == STF_INST_PC_TARGET) {
		if (b->last > STF_INST_PC_TARGET)
			return false;
		*p = STF_INST_PC_TARGET;
		stf_put64(p + 1, rec->pc);
		b->target = rec->pc;
		b->has_target = true;
		b->p += WORD;
	} else if (rec->desc == STF_INST_REG) {
		if (b->last > STF_INST_REG || rec->reg.type > 0xf ||
		    rec->reg.operand > 0xf || rec->reg.type == STF_REG_VEC)
			return false;
		*p = STF_INST_REG;
		stf_put16(p + 1, rec->reg.number);
		p[3] = (uint8_t)(rec->reg.operand << 4 | rec->reg.type);
		stf_put64(p + 4, rec->reg.value);
		b->p += REG;
	} else {
		return false;
	}
	b->last = rec->desc;
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
		.last = order->last,
		.pc = writer->pc,
		.target = writer->target,
		.has_target = writer->has_target,
	};
	const struct stf_record *rec = recs, *const end = recs + n;
	size_t done;

	for (;; rec++) {
		if (!b.last)
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
	order->last = order->prev = (uint8_t)b.last;
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

	if (!order->header_ended || order->transactions ||
	    order->last != order->prev || writer->len >= writer->quick_end)
		return 0;
	n = (writer->quick_end - writer->len) / LONGEST;
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
		done = quick(writer, recs, n < most ? n : most);
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
