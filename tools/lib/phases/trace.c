// SPDX-License-Identifier: GPL-2.0-only
#include "phases/trace.h"
#include "origin/coverage.h"

#include <math.h>

enum { MOST_BYTES = 1 << 30 }; /* of a block */

/* The block that has not ended yet. */
struct open_block {
	struct phases_key key; /* size 0: there is none */
	uint64_t instructions;
};

static int end_block(struct phases_bbv *bbv, struct open_block *block,
		     struct error *error)
{
	if (!block->key.size)
		return 0;
	if (!phases_bbv_count(bbv, &block->key, (double)block->instructions))
		return error_nomem(error);
	*block = (struct open_block){ 0 };
	return bbv->now.length < bbv->size ? 0 :
					     phases_bbv_end_interval(bbv, error);
}

/*
 * Does control come to it from elsewhere than from the instruction before? As for stf_bbv,
 * each FORCE_PC says so, also one that is no gap because it leads to the next instruction.
 */
static bool begins_block(const struct open_block *block, const struct stf_inst *inst)
{
	return inst->flags & STF_INST_F_FORCE_PC ||
	       inst->process.pid != block->key.pid ||
	       block->key.size > MOST_BYTES;
}

static void add_inst(struct phases_bbv *bbv, struct open_block *block,
		     const struct stf_inst *inst)
{
	if (!block->key.size)
		block->key = (struct phases_key){ .start = inst->pc,
						  .pid = inst->process.pid };
	block->key.size += inst->size;
	block->instructions++;
	if (!bbv->now.length++)
		bbv->now.start = inst->index;
}

static int count_inst(struct phases_bbv *bbv, struct open_block *block,
		      const struct stf_inst *inst, bool wanted, struct error *error)
{
	int ret = 0;

	if (!wanted)
		return end_block(bbv, block, error);
	if (begins_block(block, inst))
		ret = end_block(bbv, block, error);
	if (ret)
		return ret;
	add_inst(bbv, block, inst);
	/* For stf_bbv, a MODE_CHANGE is an event as all others, also if it repeats the mode. */
	if (inst->flags & (STF_INST_F_TAKEN | STF_INST_F_EVENT | STF_INST_F_MODE))
		ret = end_block(bbv, block, error);
	return ret;
}

static void take_coverage(struct phases_bbv *bbv, struct stf_inst_iter *iter)
{
	const struct origin_coverage coverage = origin_coverage_behind(iter);

	bbv->coverage = fmax(coverage.share, 0);
	bbv->repeated = coverage.repeated;
}

int phases_read_trace(struct phases_bbv *bbv, struct stf_reader *reader,
		      const struct stf_select *wanted, struct error *error)
{
	struct open_block block = { 0 };
	struct stf_inst inst;
	struct stf_inst_iter *iter = stf_inst_iter_new(reader, sizeof(inst));
	bool passes, whole = true;
	int ret = 0, more = 0;

	if (!iter)
		return error_nomem(error);
	bbv->repeated = -1;
	while (!ret && (more = stf_inst_iter_next(iter, &inst)) > 0) {
		passes = !wanted || stf_select_passes(wanted, &inst);
		whole &= passes;
		ret = count_inst(bbv, &block, &inst, passes, error);
	}
	/* What the trace holds of that which was selected is told nowhere. */
	if (!ret && !more && whole)
		take_coverage(bbv, iter);
	stf_inst_iter_free(iter);
	if (!ret && more < 0)
		ret = error_set(error, ERROR_INPUT, "%s", stf_reader_error(reader));
	if (!ret)
		ret = end_block(bbv, &block, error);
	return ret ? ret : phases_bbv_end_interval(bbv, error);
}
