// SPDX-License-Identifier: BSD-2-Clause
/* Instructions, accesses and events as arrays of the caller. */
#include "stf/stf_inst.h"
#include "stf/stf_struct.h"

/* Returns whether the block has room for what a record of this kind adds to it. */
static bool has_room(const struct stf_inst_block *block, uint8_t desc)
{
	if (desc == STF_INST_MEM_ACCESS && block->accesses)
		return block->n_accesses < block->max_accesses;
	if (desc == STF_EVENT && block->events)
		return block->n_events < block->max_events;
	return true;
}

static void add_access(struct stf_inst_block *block, uint64_t index,
		       const struct stf_mem_access *mem)
{
	block->accesses[block->n_accesses++] = (struct stf_inst_access){
		.index = index,
		.address = mem->address,
		.size = mem->size,
		.attributes = mem->attributes,
		.access = mem->access,
	};
}

static void add_content(struct stf_inst_block *block, uint64_t index,
			uint64_t content)
{
	struct stf_inst_access *last = block->accesses + block->n_accesses - 1;

	if (!block->n_accesses || last->index != index || last->has_content)
		return;
	last->content = content;
	last->has_content = true;
}

static void add_event(struct stf_inst_block *block, uint64_t index,
		      const struct stf_event *event)
{
	struct stf_inst_event *to = &block->events[block->n_events++];
	unsigned int i;

	*to = (struct stf_inst_event){ .index = index,
				       .id = event->id,
				       .n_fields = event->n_fields };
	for (i = 0; i < event->n_fields && i < 4; i++)
		to->fields[i] = event->fields[i];
}

/* Add what the group of the last instruction still has. Returns false: no room. */
static bool add_records(struct stf_inst_iter *iter, struct stf_inst_block *block)
{
	const struct stf_window *win = &iter->reader->src->win;
	uint64_t index = stf_inst_iter_number(iter) - 1;
	struct stf_record rec;

	while (win->keep != win->pos && has_room(block, *win->keep) &&
	       stf_inst_iter_record(iter, &rec) > 0) {
		if (rec.desc == STF_INST_MEM_ACCESS && block->accesses)
			add_access(block, index, &rec.mem_access);
		else if (rec.desc == STF_INST_MEM_CONTENT && block->accesses)
			add_content(block, index, rec.content);
		else if (rec.desc == STF_EVENT && block->events)
			add_event(block, index, &rec.event);
	}
	return win->keep == win->pos;
}

/* Fill the block. Returns what stf_select_next() returned last, or 1. */
static int fill(struct stf_select *select, struct stf_inst_iter *iter,
		struct stf_inst_block *block)
{
	const unsigned int wanted =
		(block->accesses ? STF_INST_F_MEM : 0) |
		(block->events ? STF_INST_F_EVENT | STF_INST_F_MODE : 0);
	struct stf_inst *inst;
	int more;

	if (iter->owed == stf_inst_iter_number(iter) && !add_records(iter, block))
		return 1;
	iter->owed = 0;
	while (block->n_insts < block->max_insts) {
		inst = (void *)((char *)block->insts +
				block->n_insts * iter->stride);
		more = select ? stf_select_next(select, iter, inst, NULL) :
				stf_inst_iter_next(iter, inst);
		if (more <= 0)
			return more;
		block->n_insts++;
		if (inst->flags & wanted && !add_records(iter, block)) {
			iter->owed = stf_inst_iter_number(iter);
			return 1;
		}
	}
	return 1;
}

static int read_block(const char *function, struct stf_select *select,
		      struct stf_inst_iter *iter, struct stf_inst_block *passed)
{
	struct stf_error *err = &iter->reader->err;
	struct stf_inst_block block = { 0 };
	int more;

	/* Who asks for no instruction wants what is owed, which came before the fault. */
	if (iter->reader->failed && (!passed || passed->max_insts))
		return iter->reader->failed;
	if (!passed)
		return stf_bad_argument(err, function);
	more = stf_struct_take(&block, sizeof(block),
			       STF_SIZE_TO(struct stf_inst_block, n_events),
			       passed, function, err);
	if (more)
		return more;
	if ((block.max_insts && !block.insts) ||
	    (block.accesses && !block.max_accesses) ||
	    (block.events && !block.max_events))
		return stf_bad_argument(err, function);
	block.n_insts = block.n_accesses = block.n_events = 0;
	more = fill(select, iter, &block);
	stf_struct_give(passed, &block, sizeof(block));
	if (block.n_insts || block.n_accesses || block.n_events)
		return 1;
	return more < 0 ? more : 0;
}

int stf_inst_iter_read(struct stf_inst_iter *iter, struct stf_inst_block *block)
{
	return read_block(__func__, NULL, iter, block);
}

int stf_select_read(struct stf_select *select, struct stf_inst_iter *iter,
		    struct stf_inst_block *block)
{
	return read_block(__func__, select, iter, block);
}
