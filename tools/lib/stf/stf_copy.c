// SPDX-License-Identifier: BSD-2-Clause
/* Copying groups from a reader to a writer as bytes. */
#include <string.h>

#include "stf/stf_bytes.h"
#include "stf/stf_inst.h"
#include "stf/stf_reader.h"
#include "stf/stf_writer.h"

/*
 * Bytes of records: the longest one of fixed_length(), which is also as long as a target
 * with the longest opcode.
 */
enum { LONGEST = 1 + 8 + 2 + 2 + 1, TARGET = 1 + 8 };

/* So many opcodes are copied with one look at all bounds, and the most bytes of these. */
enum { RUN = 16, RUN_BYTES = RUN * (1 + 4) };

static const struct stf_pc_range any_pc = { 0, UINT64_MAX };

struct plain_group {
	size_t length; /* bytes */
	unsigned int others; /* records before the opcode */
	unsigned int size; /* bytes of the instruction */
	bool has_target;
	uint64_t target;
};

/* Returns the length of a record whose layout is the same in each trace, or 0. */
static inline unsigned int fixed_length(const uint8_t *p)
{
	switch (*p) {
	case STF_INST_16:
		return 1 + 2;
	case STF_INST_32:
		return 1 + 4;
	case STF_INST_PC_TARGET:
	case STF_INST_MEM_CONTENT:
		return 1 + 8;
	case STF_INST_MEM_ACCESS:
		return LONGEST;
	case STF_INST_REG:
		return (p[3] & 0xf) == STF_REG_VEC ? 0 : 1 + 2 + 1 + 8;
	}
	return 0;
}

/*
 * The group at p, if it has only records that the writer takes without a further look.
 * last is that of last_place().
 */
static inline bool read_plain(struct plain_group *group, const uint8_t *p,
			      const uint8_t *last)
{
	struct stf_order order = { .header_ended = true, .in_insts = true };
	const uint8_t *const start = p;
	unsigned int length;

	group->has_target = false;
	for (group->others = 0; p < last; group->others++) {
		length = fixed_length(p);
		if (!length || !stf_order_quick(&order, *p))
			return false;
		if (*p == STF_INST_PC_TARGET) {
			group->target = stf_get64(p + 1);
			group->has_target = true;
		}
		if (stf_is_marker(*p)) {
			group->size = length - 1;
			group->length = (size_t)(p + length - start);
			return true;
		}
		stf_order_took(&order, *p);
		p += length;
	}
	return false;
}

/* Returns the size of the instruction whose opcode is here, or 0. */
static inline unsigned int opcode_size(const uint8_t *p)
{
	/* Constants, so that the processor goes on with the kind that it has guessed. */
	if (*p == STF_INST_16)
		return 2;
	return *p == STF_INST_32 ? 4 : 0;
}

/* Returns the end of the opcodes at p that are their whole groups, at most RUN of them. */
static inline const uint8_t *run_end(const uint8_t *p, unsigned int *n)
{
	for (*n = 0; *n < RUN; ++*n) {
		if (*p == STF_INST_16)
			p += 1 + 2;
		else if (*p == STF_INST_32)
			p += 1 + 4;
		else
			break;
	}
	return p;
}

/* Are both between two groups, with the same next PC? */
static bool may_copy(const struct stf_writer *writer,
		     const struct stf_inst_iter *iter)
{
	const struct stf_order *order = &writer->order;

	return !iter->reader->failed && iter->reader->params.header_ended &&
	       iter->has_pc && !iter->flags && order->in_insts &&
	       !order->last && !order->prev &&
	       writer->len < writer->quick_end && writer->has_pc &&
	       writer->pc == iter->pc;
}

/*
 * Each record of fixed_length() that begins before this place lies in the window as a
 * whole, and there is room for it. Returns the window's pos if there is no such place.
 */
static const uint8_t *last_place(const struct stf_writer *writer,
				 const struct stf_window *win)
{
	const size_t room = writer->quick_end - writer->len;
	const size_t size = (size_t)(win->end - win->pos);
	const size_t n = size < room ? size : room;

	return win->pos + (n < LONGEST ? 0 : n - LONGEST + 1);
}

/* The groups up to p were read. */
static void took(struct stf_inst_iter *iter, const uint8_t *p, uint64_t groups,
		 uint64_t records)
{
	struct stf_window *win = &iter->reader->src->win;

	iter->group = win->keep = win->pos = win->marker_end = p;
	win->markers += groups;
	iter->reader->instructions += groups;
	iter->reader->records += records;
}

/* Write `size` bytes of groups, for which there is room. */
static void append(struct stf_writer *writer, const uint8_t *p, size_t size,
		   uint64_t groups, uint64_t records)
{
	if (!writer->markers)
		writer->chunk_pc = writer->pc;
	memcpy(writer->buf + writer->len, p, size);
	writer->len += size;
	writer->group = writer->len;
	writer->markers += groups;
	writer->instructions += groups;
	writer->records += records;
}

uint64_t stf_write_groups(struct stf_writer *writer, struct stf_inst_iter *iter,
			  uint64_t n, const struct stf_pc_range *range)
{
	const struct stf_window *win = &iter->reader->src->win;
	const struct stf_pc_range in = range ? *range : any_pc;
	const uint8_t *const start = win->pos, *p = start, *last, *end;
	uint64_t done, pc = iter->pc, others = 0;
	struct plain_group group = { 0 }; /* gcc 12 does not see that the target is set */
	unsigned int size, run;

	if (!may_copy(writer, iter))
		return 0;
	last = last_place(writer, win);
	if (n > writer->full - writer->markers)
		n = writer->full - writer->markers;
	for (done = 0; done < n && p < last && pc - in.start < in.size;
	     done++) {
		if (n - done > RUN && last - p > RUN_BYTES &&
		    in.size - (pc - in.start) > RUN_BYTES) {
			end = run_end(p, &run);
			done += run;
			pc += (uint64_t)(end - p) - run;
			p = end;
		}
		size = opcode_size(p);
		if (size) {
			p += 1 + size;
			pc += size;
			continue;
		}
		size = *p == STF_INST_PC_TARGET ? opcode_size(p + TARGET) : 0;
		if (size) {
			pc = stf_get64(p + 1);
			p += TARGET + 1 + size;
			others++;
			continue;
		}
		if (!read_plain(&group, p, last))
			break;
		p += group.length;
		pc = group.has_target ? group.target : pc + group.size;
		others += group.others;
	}
	if (!done)
		return 0;
	append(writer, start, (size_t)(p - start), done, done + others);
	took(iter, p, done, done + others);
	writer->pc = iter->pc = pc;
	return done;
}
