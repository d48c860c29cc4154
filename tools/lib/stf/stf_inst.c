// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_inst.h"

#include <inttypes.h>
#include <stdlib.h>

#include "stf/stf_bytes.h"
#include "stf/stf_order.h"
#include "stf/stf_process.h"
#include "stf/stf_struct.h"

/* That of the header, which has none if all are 0. */
static void start_process(struct stf_inst_iter *iter)
{
	const struct stf_process *p = &iter->reader->process;

	iter->process = *p;
	iter->has_process = p->hart || p->pid || p->tid;
}

struct stf_inst_iter *stf_inst_iter_new(struct stf_reader *reader,
					size_t inst_size)
{
	struct stf_inst_iter *iter;

	/* A member that comes after these is set if inst_size has room for it. */
	if (inst_size < STF_SIZE_TO(struct stf_inst, process)) {
		stf_bad_argument(&reader->err, __func__);
		return NULL;
	}
	iter = calloc(1, sizeof(*iter));
	if (!iter) {
		stf_no_memory(&reader->err, reader->path);
		return NULL;
	}
	iter->reader = reader;
	iter->stride = inst_size;
	iter->inst_size = inst_size < sizeof(struct stf_inst) ?
				  inst_size : sizeof(struct stf_inst);
	iter->skipped = 0 - reader->instructions;
	iter->mode = STF_MODE_UNKNOWN;
	start_process(iter);
	iter->pc = reader->pc;
	iter->has_pc = reader->has_pc;
	reader->src->win.keep = reader->src->win.pos;
	return iter;
}

void stf_inst_iter_free(struct stf_inst_iter *iter)
{
	if (iter) {
		stf_threads_free(&iter->threads);
		stf_group_free(&iter->room);
	}
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

static void process(struct stf_inst_iter *iter, const struct stf_process *process)
{
	if (!(iter->flags & STF_INST_F_PROCESS)) {
		iter->before = iter->process;
		iter->had_process = iter->has_process;
	}
	iter->flags |= STF_INST_F_PROCESS;
	iter->process = *process;
	iter->has_process = true;
}

static int not_an_opcode(struct stf_inst_iter *iter,
			 const struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_PROCESS_ID_EXT:
		process(iter, &rec->process);
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
static uint8_t take_mode(struct stf_inst_iter *iter, const struct stf_inst *inst)
{
	bool start = !inst->index || inst->flags & STF_INST_F_FORCE_PC;
	bool trap = inst->flags & STF_INST_F_EVENT_TARGET;
	uint8_t own = iter->mode;

	if (!iter->mode_changes)
		return own;
	if (start && (!trap || iter->mode_changes > 1))
		own = iter->first_mode;
	iter->mode = iter->last_mode;
	return own;
}

/*
 * Is something missing before the instruction? expected: where the one before it leads.
 * Nothing is if another thread only goes on where it was left.
 */
static bool is_gap(struct stf_inst_iter *iter, const struct stf_inst *inst,
		   uint64_t expected)
{
	bool gap = expected != inst->pc;

	if (!inst->index)
		return false;
	if (inst->flags & STF_INST_F_PROCESS && !iter->had_process && iter->jumped)
		return false;
	if (!(inst->flags & STF_INST_F_PROCESS) || !iter->had_process ||
	    stf_same_process(&iter->before, &inst->process))
		return gap;
	stf_threads_leave(&iter->threads, &iter->before, expected);
	return gap && !stf_threads_goes_on(&iter->threads, &inst->process, inst->pc);
}

/*
 * What only few instructions have: a FORCE_PC, a process, or MODE_CHANGEs. Returns 1, and is
 * the last that opcode() calls: there is nothing to save for it.
 */
static __attribute__((noinline)) int take_changes(struct stf_inst_iter *iter,
						  struct stf_inst *inst)
{
	const bool forced = inst->flags & STF_INST_F_FORCE_PC;

	if (is_gap(iter, inst, forced ? iter->expected : inst->pc))
		inst->flags |= STF_INST_F_GAP;
	inst->mode = take_mode(iter, inst);
	iter->mode_changes = 0;
	return 1;
}

/* The group is whole: return its instruction, and begin the next one. */
static inline int opcode(struct stf_inst_iter *iter, uint32_t code,
			 unsigned int size, struct stf_inst *inst)
{
	const uint16_t targets = STF_INST_F_TAKEN | STF_INST_F_EVENT_TARGET;
	const uint16_t changes = STF_INST_F_FORCE_PC | STF_INST_F_MODE |
				 STF_INST_F_PROCESS;

	inst->index = stf_inst_iter_number(iter) - 1;
	inst->pc = iter->pc;
	inst->next_pc = iter->flags & targets ? iter->target : iter->pc + size;
	inst->opcode = code;
	inst->size = (uint8_t)size;
	inst->mode = iter->mode;
	inst->flags = iter->flags;
	inst->process = iter->process;
	iter->pc = inst->next_pc;
	iter->flags = 0;
	return inst->flags & changes ? take_changes(iter, inst) : 1;
}

static int end_of_trace(struct stf_inst_iter *iter)
{
	/* What may stand anywhere may also stand at the end. */
	const uint16_t in_group = (uint16_t)~(STF_INST_F_FORCE_PC |
					      STF_INST_F_PROCESS |
					      STF_INST_F_COMMENT);

	if (iter->flags & in_group)
		return stf_reader_fail(iter->reader, STF_E_CUT,
				       "the trace ends inside an instruction's group");
	return 0;
}

/* The bytes of records, and how many run() must see at once. */
enum {
	ACCESS = 1 + 8 + 2 + 2 + 1,
	CONTENT = 1 + 8,
	TARGET = 1 + 8,
	REG = 1 + 2 + 1 + 8,
	LONGEST = ACCESS + CONTENT,
};

/* What the short way has put into the arrays of the open group. */
struct quick {
	struct stf_mem *mem, *mem_end; /* the next one */
	struct stf_reg *reg, *reg_end;
	uint64_t *word, *word_end;
};

static inline struct quick quick_start(const struct stf_group_room *room)
{
	return (struct quick){
		room->mems, room->mems + STF_GROUP_QUICK,
		room->regs, room->regs + STF_GROUP_QUICK,
		room->words, room->words + STF_GROUP_QUICK,
	};
}

/* An access, and the content after it if that follows as it should. */
static inline bool quick_mem(struct quick *q, const uint8_t *p, bool content)
{
	if (q->mem == q->mem_end || q->word == q->word_end)
		return false;
	*q->mem++ = (struct stf_mem){
		.access = { .address = stf_get64(p + 1),
			    .size = stf_get16(p + 9),
			    .attributes = stf_get16(p + 11),
			    .access = p[13] },
		.n_contents = content,
		.contents = q->word,
	};
	*q->word = stf_get64(p + ACCESS + 1);
	q->word += content;
	return true;
}

static inline bool quick_content(struct quick *q,
				 const struct stf_group_room *room,
				 const uint8_t *p)
{
	if (q->mem == room->mems || q->word == q->word_end)
		return false;
	q->mem[-1].n_contents++;
	*q->word++ = stf_get64(p + 1);
	return true;
}

static inline bool quick_reg(struct quick *q, const uint8_t *p)
{
	if (q->reg == q->reg_end)
		return false;
	q->reg->number = stf_get16(p + 1);
	q->reg->type = p[3] & 0xf;
	q->reg->operand = p[3] >> 4;
	q->reg->value = stf_get64(p + 4);
	q->reg->n_words = 0;
	q->reg->vector = NULL;
	q->reg++;
	return true;
}

/* The group is whole, and is in the arrays. */
static inline void quick_end(struct stf_inst_iter *iter, const struct quick *q)
{
	struct stf_group *group = &iter->quick_group;

	group->n_mems = (uint32_t)(q->mem - iter->room.mems);
	group->n_regs = (uint32_t)(q->reg - iter->room.regs);
	group->mems = iter->room.mems;
	group->regs = iter->room.regs;
}

/*
 * One of the records before the opcode that run() knows. Returns its length, with that of
 * a content that follows an access, or 0: it is left to step().
 */
static inline __attribute__((always_inline)) unsigned int
pass(struct stf_inst_iter *iter, const uint8_t *p, unsigned int *flags,
     struct quick *q, bool grouped)
{
	if (*p == STF_INST_MEM_ACCESS) {
		/* By the format, it always follows. */
		const bool content = p[ACCESS] == STF_INST_MEM_CONTENT;

		if (grouped && !quick_mem(q, p, content))
			return 0;
		*flags |= STF_INST_F_MEM;
		return content ? ACCESS + CONTENT : ACCESS;
	}
	if (*p == STF_INST_MEM_CONTENT)
		return grouped && !quick_content(q, &iter->room, p) ? 0 : CONTENT;
	if (*p == STF_INST_PC_TARGET) {
		iter->target = stf_get64(p + 1);
		*flags |= STF_INST_F_TAKEN;
		return TARGET;
	}
	if (*p == STF_INST_REG && (p[3] & 0xf) != STF_REG_VEC) {
		if (grouped && !quick_reg(q, p))
			return 0;
		*flags |= STF_INST_F_OTHER;
		return REG;
	}
	return 0;
}

/*
 * The records that nearly all of a trace is made of, without decoding what is
 * not asked for. Returns the size of the opcode that ended it, or 0: everything
 * else, and what does not lie in the window, is left to stf_reader_step(). All
 * that changes is held in registers, and lengths are constants, so that the
 * processor knows the next record's place as soon as it has guessed this one's
 * kind. grouped is a constant: the records are put into the group's arrays.
 */
static inline __attribute__((always_inline)) unsigned int
run(struct stf_inst_iter *iter, struct stf_reader *reader, uint32_t *code,
    bool grouped)
{
	struct stf_window *win = &reader->src->win;
	const uint8_t *p = win->pos, *last;
	unsigned int flags = iter->flags, size = 0, length;
	struct quick q = { 0 };
	uint64_t records = 0;

	if (win->end - p < LONGEST)
		return 0;
	if (grouped)
		q = quick_start(&iter->room);
	last = win->end - LONGEST;
	for (; p <= last; records++) {
		if (*p == STF_INST_16) {
			*code = stf_get16(p + 1);
			size = 2;
			break;
		}
		if (*p == STF_INST_32) {
			*code = stf_get32(p + 1);
			size = 4;
			break;
		}
		length = pass(iter, p, &flags, &q, grouped);
		if (!length)
			break;
		p += length;
		records += length == ACCESS + CONTENT;
	}
	iter->flags = (uint16_t)flags;
	win->pos = p;
	if (size) {
		win->pos += 1 + size;
		records++;
		stf_reader_marker(reader);
		if (grouped)
			quick_end(iter, &q);
	}
	reader->records += records;
	return size;
}

/*
 * Of these groups most have only an opcode, with which run() would take longer. Returns
 * its size, or 0 if there are other records, or if it is too near to the window's end.
 */
static inline unsigned int bare(struct stf_inst_iter *iter, uint32_t *code)
{
	struct stf_reader *reader = iter->reader;
	struct stf_window *win = &reader->src->win;
	const uint8_t *p = win->pos;
	unsigned int size = 0;

	if (win->end - p < 1 + 4 || !iter->has_pc)
		return 0;
	if (*p == STF_INST_16) {
		*code = stf_get16(p + 1);
		size = 2;
	} else if (*p == STF_INST_32) {
		*code = stf_get32(p + 1);
		size = 4;
	} else {
		return 0;
	}
	win->pos = p + 1 + size;
	reader->records++;
	stf_reader_marker(reader);
	return size;
}

/* What run() leaves. Not inline: there would be more to save on the short way. */
static __attribute__((noinline)) int step(struct stf_inst_iter *iter,
					  struct stf_inst *inst)
{
	struct stf_reader *reader = iter->reader;
	struct stf_record rec;
	int err;

	for (;;) {
		err = stf_reader_step(reader, &rec);
		if (err < 0)
			return err;
		if (!err)
			return end_of_trace(iter);
		if (rec.desc == STF_INST_32 || rec.desc == STF_INST_16)
			break;
		err = not_an_opcode(iter, &rec);
		if (err)
			return err;
	}
	if (!iter->has_pc)
		return stf_reader_fail(reader, STF_E_ORDER,
				       "an instruction before any FORCE_PC");
	return opcode(iter, rec.opcode, rec.desc == STF_INST_32 ? 4 : 2, inst);
}

/* More records than an opcode. Not inline, like step(). */
static __attribute__((noinline)) int whole(struct stf_inst_iter *iter,
					   struct stf_inst *inst)
{
	unsigned int size = 0;
	uint32_t code;
	int more;

	if (iter->has_pc)
		size = run(iter, iter->reader, &code, false);
	more = size ? opcode(iter, code, size, inst) : step(iter, inst);
	/* step() may have moved the bytes. */
	iter->group = iter->reader->src->win.keep;
	return more;
}

int stf_inst_iter_next(struct stf_inst_iter *iter, struct stf_inst *inst)
{
	struct stf_reader *reader = iter->reader;
	struct stf_window *win = &reader->src->win;
	unsigned int size;
	uint32_t code;

	if (reader->failed)
		return reader->failed;
	iter->group = win->keep = win->pos;
	size = bare(iter, &code);
	return size ? opcode(iter, code, size, inst) : whole(iter, inst);
}

/* The same as whole(), with the group. The records of a long way are read again. */
static __attribute__((noinline)) int whole_group(struct stf_inst_iter *iter,
						 struct stf_inst *inst,
						 const struct stf_group **group)
{
	struct stf_reader *reader = iter->reader;
	unsigned int size = 0;
	uint32_t code;
	int more;

	if (!iter->room.words && !stf_group_start(&iter->room))
		return stf_no_memory(&reader->err, reader->path);
	*group = &iter->quick_group;
	if (iter->has_pc)
		size = run(iter, reader, &code, true);
	if (size)
		return opcode(iter, code, size, inst);
	more = step(iter, inst);
	iter->group = reader->src->win.keep;
	*group = &iter->any_group;
	if (more > 0 && stf_group_fill(&iter->any_group, &iter->room, reader,
				       iter->group, reader->src->win.pos))
		return reader->failed =
			       stf_no_memory(&reader->err, reader->path);
	return more;
}

int stf_inst_iter_next_group(struct stf_inst_iter *iter, struct stf_inst *inst,
			     const struct stf_group **group)
{
	static const struct stf_group empty;
	struct stf_reader *reader = iter->reader;
	struct stf_window *win = &reader->src->win;
	unsigned int size;
	uint32_t code;

	if (reader->failed)
		return reader->failed;
	iter->group = win->keep = win->pos;
	size = bare(iter, &code);
	if (!size)
		return whole_group(iter, inst, group);
	*group = &empty;
	return opcode(iter, code, size, inst);
}

/*
 * Read the header, on which seeking depends. If it has no END_HEADER, it ends before the
 * first record of a group, which is then read, too.
 */
static int read_header(struct stf_inst_iter *iter)
{
	struct stf_reader *reader = iter->reader;
	struct stf_record rec = { .desc = 0 };
	int more = 1;

	while (more > 0 && !reader->params.header_ended &&
	       rec.desc <= STF_END_HEADER) {
		reader->src->win.keep = reader->src->win.pos;
		more = stf_reader_step(reader, &rec);
	}
	/* None of it is a record of an instruction. */
	reader->src->win.keep = reader->src->win.pos;
	if (more > 0) {
		start_process(iter);
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
	iter->skipped = chunk * markers - iter->reader->instructions;
	iter->group = NULL;
	iter->flags = 0;
	iter->mode_changes = 0;
	iter->mode = STF_MODE_UNKNOWN;
	stf_threads_free(&iter->threads);
	iter->jumped = chunk;
	if (chunk) {
		iter->pc = pc;
		iter->has_pc = true;
		iter->process = (struct stf_process){ 0 };
		iter->has_process = false;
	} else {
		/* The header comes again, and says the PC and the process. */
		iter->pc = iter->reader->pc;
		start_process(iter);
	}
	return 0;
}

/* The reader has not failed: it goes on. */
static int cannot_go_back(struct stf_inst_iter *iter, uint64_t index)
{
	struct stf_reader *reader = iter->reader;

	return stf_fail(&reader->err, STF_E_INVAL,
			"%s: cannot go back to instruction %" PRIu64
			": this needs a complete .zstf with the index at its end, in a file or in memory",
			reader->path, index);
}

int stf_inst_iter_seek(struct stf_inst_iter *iter, uint64_t index)
{
	struct stf_reader *reader = iter->reader;
	const struct stf_source *src = reader->src;
	struct stf_inst inst;
	uint64_t chunk;
	int more;

	if (reader->failed)
		return reader->failed;
	iter->owed = 0;
	/* Without an index, the way there leads through it. */
	if (!reader->params.header_ended && !reader->instructions && src->chunks) {
		more = read_header(iter);
		if (more <= 0)
			return more;
		if (!reader->params.header_ended)
			jump(iter, 0, src->chunk_markers);
	}
	chunk = src->chunks ? index / src->chunk_markers : 0;
	if (index < stf_inst_iter_number(iter) || chunk > src->chunk) {
		/* Behind all is where the last chunk ends. */
		if (src->chunks && chunk >= src->chunks)
			chunk = src->chunks - 1;
		more = chunk < src->chunks ?
			       jump(iter, chunk, src->chunk_markers) :
			       STF_E_INVAL;
		if (more && index < stf_inst_iter_number(iter))
			return cannot_go_back(iter, index);
	}
	while (stf_inst_iter_number(iter) < index) {
		more = stf_inst_iter_next(iter, &inst);
		if (more <= 0)
			return more;
	}
	return 1;
}

int stf_inst_iter_record(struct stf_inst_iter *iter, struct stf_record *rec)
{
	struct stf_reader *reader = iter->reader;
	struct stf_window *win = &reader->src->win;
	int64_t n;

	/*
	 * Between keep and pos stand the records of the group returned last that
	 * were not asked for yet. After an error the bytes may be gone.
	 */
	if (reader->failed || win->keep == win->pos)
		return 0;
	n = stf_decode(&reader->codec, win->keep,
		       (size_t)(win->pos - win->keep), rec, &reader->scratch);
	if (n < 0) /* cannot be: the records were decoded before */
		return (int)n;
	win->keep += n;
	return 1;
}

void stf_inst_iter_again(struct stf_inst_iter *iter)
{
	if (!iter->reader->failed && iter->group)
		iter->reader->src->win.keep = iter->group;
}
