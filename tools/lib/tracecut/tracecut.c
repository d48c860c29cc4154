// SPDX-License-Identifier: GPL-2.0-only
#include "tracecut/tracecut.h"
#include "stats/executed.h"
#include "tracecut/group.h"
#include "tracecut/header.h"

#include <inttypes.h>

struct cut {
	const struct tcut_opts *opts;
	struct stf_reader *reader;
	struct stf_inst_iter *iter;
	struct tcut_header header;
	/* The comments of the instructions left out since the last one that was written. */
	struct tcut_header comments;
	struct origin_tell tell; /* for out */
	struct tcut_regs *regs; /* NULL: the trace does not tell them, or they are left out */
	struct stf_select *select;
	struct tcut_out out;
	uint64_t index; /* of the instruction that is copied */
	bool jumped; /* over a part of the trace, so that the state may not be known */
	bool begins; /* a window whose first instruction is left out, or not read yet */
	struct tcut_result *result;
	struct error *error;
};

static int input_error(struct cut *cut)
{
	return error_set(cut->error, ERROR_INPUT, "%s",
			 stf_reader_error(cut->reader));
}

static int output_error(struct cut *cut, int err)
{
	if (err == STF_E_NOMEM)
		return error_nomem(cut->error);
	/* The reader is not as strict as the writer. */
	if (err != STF_E_IO)
		return error_set(cut->error, ERROR_INPUT,
				 "the trace cannot be copied: instruction %" PRIu64 ": %s",
				 cut->index, stf_writer_error(cut->out.writer));
	return error_set(cut->error, ERROR_OUTPUT, "%s",
			 stf_writer_error(cut->out.writer));
}

static int write_header(struct cut *cut, const struct stf_inst *inst)
{
	struct tcut_edit edit = {
		.tool = "ssctr cut " SSCTR_VERSION,
		.generator = STF_GEN_STF_EXTRACT,
		.comments = cut->opts->comments,
		.isa = cut->opts->isa,
		.remove = tcut_drop_features(cut->out.drop),
		.moved = inst->index,
		.pc = inst->pc,
		.process = inst->process,
	};

	/* A MODE_CHANGE says in which mode the trace begins. */
	if (inst->index && inst->mode != STF_MODE_UNKNOWN &&
	    !(cut->out.drop & TCUT_DROP_MODES))
		edit.add |= STF_FEATURE_EVENT;
	if (cut->opts->windows.every || cut->opts->windows.from.kind)
		edit.add |= STF_FEATURE_SAMPLING;
	if (cut->opts->event_bits == 64)
		edit.add |= STF_FEATURE_EVENT64;
	return tcut_header_write(&cut->header, &edit, cut->out.writer);
}

static int write_comments(struct cut *cut)
{
	struct tcut_header *comments = &cut->comments;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < comments->nr; i++)
		err = stf_write(cut->out.writer, &comments->v[i]);
	if (comments->nr)
		tcut_header_free(comments);
	return err;
}

static int take(struct cut *cut, const struct stf_inst *inst)
{
	int err = 0;

	cut->index = inst->index;
	if (!cut->out.written)
		err = write_header(cut, inst);
	if (!err)
		err = write_comments(cut);
	if (!err)
		err = tcut_group_write(&cut->out, inst, cut->iter, cut->begins,
				       cut->regs);
	cut->begins = false;
	return err ? output_error(cut, err) : 0;
}

/*
 * An instruction that an event stopped comes again when it executes. Without its event, it
 * would have executed twice.
 */
static bool goes_with_its_event(const struct cut *cut, const struct stf_inst *inst)
{
	return cut->out.drop & TCUT_DROP_EVENTS &&
	       stats_interrupted(cut->iter, inst, cut->out.rv_flags);
}

/* Its comments stay. Those that tell mappings come where the new trace needs them. */
static int leave_out(struct cut *cut, const struct stf_inst *inst)
{
	struct origin_mapping mapping;
	struct stf_record rec;
	bool ok = true;

	if (!(inst->flags & STF_INST_F_COMMENT) || cut->out.drop & TCUT_DROP_COMMENTS)
		return 0;
	while (ok && stf_inst_iter_record(cut->iter, &rec) > 0)
		if (rec.desc == STF_COMMENT && !tcut_is_mapping(&rec, &mapping))
			ok = tcut_header_add(&cut->comments, &rec);
	stf_inst_iter_again(cut->iter);
	return ok ? 0 : error_nomem(cut->error);
}

/* Does the trace tell its mappings, which it then repeats? */
static bool tells_origin(const struct cut *cut)
{
	struct origin_line line;
	size_t i;

	for (i = 0; i < cut->header.nr; i++) {
		const struct stf_record *rec = &cut->header.v[i];

		if (rec->desc == STF_COMMENT &&
		    origin_line(&line, rec->text.data, rec->text.size) == ORIGIN_FORM)
			return true;
	}
	return false;
}

/* Is a mode or a process needed, to be told or to select by it? */
static bool needs_mode(const struct cut *cut)
{
	return !(cut->out.drop & TCUT_DROP_MODES) || cut->opts->windows.modes;
}

static bool needs_process(const struct cut *cut)
{
	const struct stf_select_opts *windows = &cut->opts->windows;

	return !(cut->out.drop & TCUT_DROP_PROCESSES) || windows->by_hart ||
	       windows->by_pid || windows->by_tid || tells_origin(cut);
}

/*
 * At the start of the part: what does the trace tell before the place to which the reader
 * jumped, but not behind it, and is needed? Returns whether there is such a thing.
 */
static bool lacks_state(struct cut *cut, const struct stf_inst *inst)
{
	const uint64_t features = stf_reader_params(cut->reader)->features;
	struct tcut_result *result = cut->result;

	result->no_mode = features & STF_FEATURE_EVENT &&
			  needs_mode(cut) &&
			  inst->mode == STF_MODE_UNKNOWN;
	result->no_process = features & STF_FEATURE_PROCESS_ID &&
			     needs_process(cut) &&
			     !inst->process.hart && !inst->process.pid &&
			     !inst->process.tid;
	result->no_registers = cut->regs;
	return result->no_mode || result->no_process;
}

/* Read all from the beginning after all. */
static int go_back(struct cut *cut)
{
	int more = stf_inst_iter_seek(cut->iter, 0);

	*cut->result = (struct tcut_result){ 0 };
	cut->out.partial = false;
	return more < 0 ? input_error(cut) : 0;
}

/* Returns 1 if the rest of the trace is not needed, and 0 or ERROR_* otherwise. */
static int handle(struct cut *cut, const struct stf_inst *inst)
{
	enum stf_selected selected;
	int ret = 0;

	if (cut->jumped && inst->index >= cut->opts->windows.start) {
		cut->jumped = false;
		if (lacks_state(cut, inst) && !cut->opts->near)
			return go_back(cut);
	}
	if (!tcut_group_maps(&cut->out, inst, cut->iter))
		return error_nomem(cut->error);
	if (cut->regs)
		tcut_regs_before(cut->regs, inst);
	selected = stf_select_decide(cut->select, inst, cut->iter);
	cut->begins |= selected == STF_SELECT_BEGIN;
	cut->result->windows += selected == STF_SELECT_BEGIN;
	if (selected == STF_SELECT_SKIP)
		cut->out.partial = true;
	else if (goes_with_its_event(cut, inst))
		ret = leave_out(cut, inst);
	else
		ret = take(cut, inst);
	if (!ret && cut->regs && !tcut_regs_after(cut->regs, inst, cut->iter))
		return error_nomem(cut->error);
	return ret ? ret : stf_select_is_done(cut->select);
}

/*
 * Near to the start, by the index: not at it, since the mode, the process, the mappings
 * and the registers are what was told before.
 */
static int go_near(struct cut *cut)
{
	struct stf_stats stats = { .size = sizeof(stats) };
	uint64_t start = cut->opts->windows.start, back;
	int more;

	stf_reader_stats(cut->reader, &stats);
	back = stats.chunk_markers;
	if (back < ORIGIN_REPEAT && tells_origin(cut))
		back = ORIGIN_REPEAT;
	if ((cut->regs && !cut->opts->near) ||
	    stats.container != STF_CONTAINER_ZSTF || !stats.chunk_markers ||
	    start < back + stats.chunk_markers ||
	    start / stats.chunk_markers > stats.chunks)
		return 0;
	cut->jumped = cut->out.partial = true;
	more = stf_inst_iter_seek(cut->iter, start - back);
	return more < 0 ? input_error(cut) : 0;
}

static int finish(struct cut *cut)
{
	const struct stf_select_opts *windows = &cut->opts->windows;
	bool inside = stf_select_is_inside(cut->select);
	int err = inside ? write_comments(cut) : 0;

	if (inside && !err)
		err = tcut_group_rest(&cut->out, cut->iter);
	cut->result->ended_inside = inside &&
				    (windows->limit || windows->to.kind);
	return err ? output_error(cut, err) : 0;
}

static bool may_begin_again(const struct stf_select_opts *windows)
{
	return windows->every || windows->from.kind || windows->first_window ||
	       windows->last_window;
}

/* Copy what follows this instruction, for which nothing is to be decided any more. */
static void copy_sure(struct cut *cut, const struct stf_inst *inst)
{
	uint64_t n = stf_select_sure(cut->select);

	/* The registers are written where the next window begins. */
	if (!n || (cut->regs && may_begin_again(&cut->opts->windows)))
		return;
	n = tcut_group_copy(&cut->out, inst, cut->iter, n);
	stf_select_skip(cut->select, n);
}

static int copy(struct cut *cut)
{
	struct stf_inst inst;
	int ret, more = 1;

	ret = go_near(cut);
	while (!ret && (more = stf_inst_iter_next(cut->iter, &inst)) > 0) {
		ret = handle(cut, &inst);
		if (!ret)
			copy_sure(cut, &inst);
	}
	if (ret < 0)
		return ret;
	if (more < 0)
		return input_error(cut);
	cut->result->instructions = cut->out.written;
	if (!cut->out.written)
		return error_set(cut->error, ERROR_NOTHING,
				 "no instruction of the trace is selected");
	return ret ? 0 : finish(cut);
}

static int start(struct cut *cut)
{
	struct stf_error why;
	int ret;

	cut->select = stf_select_new(&cut->opts->windows, &why);
	if (!cut->select)
		return error_set(cut->error, ERROR_INPUT, "%s", why.text);
	ret = tcut_header_read(&cut->header, cut->reader, "the trace", cut->error);
	if (ret)
		return ret;
	cut->out.rv_flags = stats_rv_flags(stf_reader_params(cut->reader));
	cut->iter = stf_inst_iter_new(cut->reader, sizeof(struct stf_inst));
	if (!cut->iter)
		return error_nomem(cut->error);
	if (!(stf_reader_params(cut->reader)->features &
	      STF_FEATURE_OPERAND_VALUE) || cut->out.drop & TCUT_DROP_REGISTERS)
		return 0;
	cut->regs = tcut_regs_new();
	return cut->regs ? 0 : error_nomem(cut->error);
}

/* The header is copied with what it tells. */
static bool take_header_maps(struct cut *cut)
{
	struct origin_mapping mapping;
	size_t i;

	for (i = 0; i < cut->header.nr; i++) {
		if (!tcut_is_mapping(&cut->header.v[i], &mapping))
			continue;
		if (!origin_tell_add(&cut->tell, &mapping))
			return false;
		origin_tell_told(&cut->tell, &mapping, 0);
	}
	return true;
}

int tcut_run(const struct tcut_opts *opts, struct stf_reader *reader,
	     struct stf_writer *writer, struct tcut_result *result,
	     struct error *error)
{
	struct cut cut = {
		.opts = opts,
		.reader = reader,
		.out = { .writer = writer,
			 .drop = opts->drop,
			 .user = opts->windows.modes == 1 << STF_MODE_USER,
			 .mode = STF_MODE_UNKNOWN },
		.result = result,
		.error = error,
	};
	int ret;

	if (opts->drop & TCUT_DROP_EVENTS)
		cut.out.drop |= TCUT_DROP_TARGETS;
	cut.out.tell = &cut.tell;
	ret = start(&cut);
	if (!ret && !take_header_maps(&cut))
		ret = error_nomem(error);
	if (!ret)
		ret = copy(&cut);
	stf_inst_iter_free(cut.iter);
	tcut_header_free(&cut.header);
	tcut_header_free(&cut.comments);
	origin_tell_free(&cut.tell);
	tcut_regs_free(cut.regs);
	stf_select_free(cut.select);
	return ret;
}

/*
 * To the last chunk, whose number is known where there is an index. *before gets how many
 * instructions are before it, which may be all.
 */
static int go_to_the_end(struct stf_reader *reader, struct stf_inst_iter *iter, uint64_t *before)
{
	struct stf_stats stats = { .size = sizeof(stats) };

	stf_reader_stats(reader, &stats);
	if (stats.container != STF_CONTAINER_ZSTF || stats.chunks < 2)
		return 1;
	*before = (stats.chunks - 1) * stats.chunk_markers;
	return stf_inst_iter_seek(iter, *before);
}

int tcut_count(struct stf_reader *reader, const struct stf_select *filter, uint64_t most,
	       uint64_t *instructions, uint64_t *end, struct error *error)
{
	struct stf_inst inst;
	struct stf_inst_iter *iter = stf_inst_iter_new(reader, sizeof(inst));
	int more = 1;

	*instructions = 0;
	if (!iter)
		return error_nomem(error);
	if (!filter)
		more = go_to_the_end(reader, iter, instructions);
	*end = *instructions;
	while (*instructions < most && more > 0 &&
	       (more = stf_inst_iter_next(iter, &inst)) > 0) {
		if (filter && !stf_select_passes(filter, &inst))
			continue;
		++*instructions;
		*end = inst.index + 1;
	}
	stf_inst_iter_free(iter);
	return more < 0 ? error_set(error, ERROR_INPUT, "%s",
				    stf_reader_error(reader)) : 0;
}
