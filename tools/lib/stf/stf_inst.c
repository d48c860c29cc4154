// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "stf/stf_bytes.h"
#include "stf/stf_order.h"
#include "stf/stf_reader.h"

struct stf_inst_iter {
	struct stf_reader *reader;
	uint64_t index;
	uint64_t pc; /* of the next opcode */
	bool has_pc;
	uint8_t mode; /* enum stf_mode */
	struct stf_process process;

	/* The open group. */
	uint16_t flags;
	uint64_t target; /* where it leads, if the flags have a target */
	uint64_t expected; /* the PC without the FORCE_PC */
	uint8_t first_mode; /* of its MODE_CHANGEs */
	uint8_t last_mode;
	uint8_t mode_changes;

	/* The records of the group of the instruction returned last. */
	const uint8_t *record;
	const uint8_t *group_end;
};

struct stf_inst_iter *stf_inst_iter_new(struct stf_reader *reader)
{
	struct stf_inst_iter *iter = calloc(1, sizeof(*iter));

	if (!iter)
		return NULL;
	iter->reader = reader;
	iter->mode = STF_MODE_UNKNOWN;
	iter->process = reader->process;
	iter->pc = reader->pc;
	iter->has_pc = reader->has_pc;
	return iter;
}

void stf_inst_iter_free(struct stf_inst_iter *iter)
{
	free(iter);
}

static void force_pc(struct stf_inst_iter *iter, uint64_t pc)
{
	if (!(iter->flags & STF_INST_F_FORCE_PC))
		iter->expected = iter->pc;
	iter->flags |= STF_INST_F_FORCE_PC;
	iter->pc = pc;
	iter->has_pc = true;
}

static void event(struct stf_inst_iter *iter, const struct stf_event *event)
{
	uint8_t mode;

	if (event->id != STF_EVENT_MODE_CHANGE || !event->n_fields ||
	    event->fields[0] > STF_MODE_MACHINE) {
		iter->flags |= STF_INST_F_EVENT;
		return;
	}
	mode = (uint8_t)event->fields[0];
	if (!iter->mode_changes)
		iter->first_mode = mode;
	iter->last_mode = mode;
	if (iter->mode_changes < 2)
		iter->mode_changes++;
	iter->flags |= STF_INST_F_MODE;
}

static int not_an_opcode(struct stf_inst_iter *iter,
			 const struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_PROCESS_ID_EXT:
		iter->process = rec->process;
		iter->flags |= STF_INST_F_PROCESS;
		break;
	case STF_FORCE_PC:
		force_pc(iter, rec->pc);
		break;
	case STF_INST_PC_TARGET:
		iter->target = rec->pc;
		iter->flags |= STF_INST_F_TAKEN;
		break;
	case STF_EVENT:
		event(iter, &rec->event);
		break;
	case STF_EVENT_PC_TARGET:
		iter->target = rec->pc;
		iter->flags |= STF_INST_F_EVENT_TARGET;
		break;
	case STF_INST_MEM_ACCESS:
		iter->flags |= STF_INST_F_MEM;
		break;
	case STF_INST_MEM_CONTENT:
	case STF_BUS_MASTER_CONTENT:
		break;
	case STF_BUS_MASTER_ACCESS:
		iter->flags |= STF_INST_F_BUS;
		break;
	case STF_TRANSACTION:
		return stf_reader_fail(iter->reader, STF_E_ORDER,
				       "a trace of transactions has no instructions");
	case STF_END_HEADER:
		/* The header is no part of the first group. */
		iter->reader->src->win.keep = iter->reader->src->win.pos;
		iter->flags = 0;
		iter->mode_changes = 0;
		break;
	case STF_COMMENT:
		iter->flags |= STF_INST_F_COMMENT;
		break;
	default:
		iter->flags |= STF_INST_F_OTHER;
	}
	return 0;
}

/*
 * Apply the group's MODE_CHANGEs and return the mode of the instruction itself.
 * A MODE_CHANGE holds for what follows. But it is also how a trace states its
 * mode at the start and with a FORCE_PC (specification, EventRecord): there the
 * first one is about this instruction, unless it is the only one and belongs to
 * a trap, which has a target.
 */
static uint8_t take_mode(struct stf_inst_iter *iter)
{
	bool start = !iter->index || iter->flags & STF_INST_F_FORCE_PC;
	bool trap = iter->flags & STF_INST_F_EVENT_TARGET;
	uint8_t own = iter->mode;

	if (!iter->mode_changes)
		return own;
	if (start && (!trap || iter->mode_changes > 1))
		own = iter->first_mode;
	iter->mode = iter->last_mode;
	return own;
}

static int opcode(struct stf_inst_iter *iter, uint32_t code, unsigned int size,
		  struct stf_inst *inst)
{
	struct stf_window *win = &iter->reader->src->win;
	uint16_t flags = iter->flags;

	if (!iter->has_pc)
		return stf_reader_fail(iter->reader, STF_E_ORDER,
				       "an instruction before any FORCE_PC");
	if (flags & STF_INST_F_FORCE_PC && iter->index &&
	    iter->expected != iter->pc)
		flags |= STF_INST_F_GAP;
	inst->index = iter->index;
	inst->pc = iter->pc;
	iter->pc = flags & (STF_INST_F_TAKEN | STF_INST_F_EVENT_TARGET) ?
			   iter->target : iter->pc + size;
	inst->next_pc = iter->pc;
	inst->opcode = code;
	inst->size = (uint8_t)size;
	inst->mode = take_mode(iter);
	inst->flags = flags;
	inst->process = iter->process;
	iter->index++;
	iter->flags = 0;
	iter->mode_changes = 0;
	iter->record = win->keep;
	iter->group_end = win->pos;
	return 1;
}

static int end_of_trace(struct stf_inst_iter *iter)
{
	/* What may stand anywhere may also stand at the end. */
	const uint16_t in_group = (uint16_t)~(STF_INST_F_FORCE_PC |
					      STF_INST_F_PROCESS |
					      STF_INST_F_COMMENT);

	iter->record = iter->reader->src->win.keep;
	iter->group_end = iter->reader->src->win.pos;
	if (iter->flags & in_group)
		return stf_reader_fail(iter->reader, STF_E_CUT,
				       "the trace ends inside an instruction's group");
	return 0;
}

/*
 * The records that nearly all of a trace is made of, without decoding what is
 * not asked for. Returns whether an opcode ended it; everything else, and what
 * does not lie in the window, is left to stf_reader_step(). All that changes is
 * held in registers, and lengths are constants, so that the processor knows the
 * next record's place as soon as it has guessed this one's kind.
 */
static inline bool run(struct stf_inst_iter *iter, struct stf_reader *reader,
		       uint32_t *code, unsigned int *size)
{
	struct stf_window *win = &reader->src->win;
	enum { LONGEST = 14 }; /* INST_MEM_ACCESS */
	const uint8_t *p = win->pos, *last;
	uint64_t records = 0, target = iter->target;
	unsigned int flags = iter->flags;
	bool ended = false;

	if (win->end - p < LONGEST)
		return false;
	last = win->end - LONGEST;
	while (p <= last) {
		switch (*p) {
		case STF_INST_32:
			*code = stf_get32(p + 1);
			*size = 4;
			p += 1 + 4;
			ended = true;
			break;
		case STF_INST_16:
			*code = stf_get16(p + 1);
			*size = 2;
			p += 1 + 2;
			ended = true;
			break;
		case STF_INST_MEM_ACCESS:
			flags |= STF_INST_F_MEM;
			p += 1 + 8 + 2 + 2 + 1;
			records++;
			continue;
		case STF_INST_MEM_CONTENT:
			p += 1 + 8;
			records++;
			continue;
		case STF_INST_PC_TARGET:
			target = stf_get64(p + 1);
			flags |= STF_INST_F_TAKEN;
			p += 1 + 8;
			records++;
			continue;
		}
		break;
	}
	iter->target = target;
	iter->flags = (uint16_t)flags;
	win->pos = p;
	reader->records += records + ended;
	if (ended)
		stf_reader_marker(reader);
	return ended;
}

int stf_inst_iter_next(struct stf_inst_iter *iter, struct stf_inst *inst)
{
	struct stf_reader *reader = iter->reader;
	struct stf_window *win = &reader->src->win;
	struct stf_record rec;
	unsigned int size;
	uint32_t code;
	int err;

	if (reader->failed)
		return reader->failed;
	win->keep = win->pos;
	for (;;) {
		if (run(iter, reader, &code, &size))
			return opcode(iter, code, size, inst);
		err = stf_reader_step(reader, &rec);
		if (err < 0)
			return err;
		if (!err)
			return end_of_trace(iter);
		if (rec.desc == STF_INST_32 || rec.desc == STF_INST_16)
			return opcode(iter, rec.opcode,
				      rec.desc == STF_INST_32 ? 4 : 2, inst);
		err = not_an_opcode(iter, &rec);
		if (err)
			return err;
	}
}

/* Read the header, on which seeking depends. */
static int read_header(struct stf_inst_iter *iter)
{
	struct stf_reader *reader = iter->reader;
	struct stf_record rec;
	int more = 1;

	while (more > 0 && !reader->params.header_ended) {
		reader->src->win.keep = reader->src->win.pos;
		more = stf_reader_step(reader, &rec);
	}
	if (more > 0) {
		iter->process = reader->process;
		iter->pc = reader->pc;
		iter->has_pc = reader->has_pc;
	}
	return more;
}

static int jump(struct stf_inst_iter *iter, uint64_t chunk, uint64_t markers)
{
	struct stf_source *src = iter->reader->src;
	uint64_t pc;
	int err;

	err = src->ops->seek(src, chunk, &pc);
	if (err)
		return err;
	iter->index = chunk * markers;
	iter->flags = 0;
	iter->mode_changes = 0;
	iter->mode = STF_MODE_UNKNOWN;
	iter->record = iter->group_end = NULL;
	if (chunk) {
		iter->pc = pc;
		iter->has_pc = true;
		iter->process = (struct stf_process){ 0 };
	} else {
		/* The header comes again, and says the PC and the process. */
		iter->pc = iter->reader->pc;
		iter->process = iter->reader->process;
	}
	return 0;
}

int stf_inst_iter_seek(struct stf_inst_iter *iter, uint64_t index)
{
	struct stf_reader *reader = iter->reader;
	struct stf_stats stats;
	struct stf_inst inst;
	uint64_t chunk;
	int more;

	if (reader->failed)
		return reader->failed;
	if (!reader->params.header_ended) {
		more = read_header(iter);
		if (more <= 0)
			return more;
	}
	stf_reader_stats(reader, &stats);
	chunk = stats.chunk_markers ? index / stats.chunk_markers : 0;
	if (index < iter->index || chunk > reader->src->chunk) {
		more = reader->src->ops->seek ? 0 : STF_E_INVAL;
		if (!more)
			more = chunk < stats.chunks ?
				       jump(iter, chunk, stats.chunk_markers) :
				       STF_E_INVAL;
		if (more && index < iter->index)
			return more;
		if (more && chunk >= stats.chunks && stats.chunks)
			return 0;
	}
	while (iter->index < index) {
		more = stf_inst_iter_next(iter, &inst);
		if (more <= 0)
			return more;
	}
	return 1;
}

int stf_inst_iter_record(struct stf_inst_iter *iter, struct stf_record *rec)
{
	struct stf_reader *reader = iter->reader;
	int64_t n;

	if (iter->record == iter->group_end)
		return 0;
	n = stf_decode(&reader->codec, iter->record,
		       (size_t)(iter->group_end - iter->record), rec,
		       &reader->scratch);
	if (n < 0) /* cannot be: the records were decoded before */
		return (int)n;
	iter->record += n;
	return 1;
}
