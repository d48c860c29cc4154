// SPDX-License-Identifier: GPL-2.0-only
#include "tracejoin/tracejoin.h"
#include "stf/stf_process.h"
#include "tracecut/group.h"
#include "tracejoin/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct join {
	const struct tjoin_opts *opts;
	struct tjoin_part *parts;
	struct tcut_header header;
	struct tcut_out out;
	/* Of each trace if they take turns, and otherwise of all. NULL: not told */
	struct tcut_regs **regs;
	const struct tjoin_part *last; /* the one that was written last */
	struct tjoin_result *result;
	struct error *error;
};

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!strcmp(path, "-"))
		return "standard input";
	return slash ? slash + 1 : path;
}

static int output_error(struct join *join, const struct tjoin_part *part, int err)
{
	const char *text = stf_writer_error(join->out.writer);

	if (err == STF_E_NOMEM)
		return error_nomem(join->error);
	if (err == STF_E_IO)
		return error_set(join->error, ERROR_OUTPUT, "%s", text);
	/* The reader is not as strict as the writer. */
	return error_set(join->error, ERROR_INPUT,
			 "%s cannot be copied: instruction %" PRIu64 ": %s",
			 part->name, part->inst.index, text);
}

/* ------------------------------------------------------------------ the header */

static uint64_t new_features(const struct tjoin_opts *opts)
{
	uint64_t features = 0;

	if (opts->reader.event_bits == 64)
		features |= STF_FEATURE_EVENT64;
	if (opts->nr < 2)
		return features;
	if (!opts->slice)
		features |= STF_FEATURE_SAMPLING;
	if (opts->slice || opts->number)
		features |= STF_FEATURE_PROCESS_ID;
	if (opts->number == TJOIN_HARTS)
		features |= STF_FEATURE_MULTI_CORE;
	else if (opts->slice || opts->number)
		features |= STF_FEATURE_MULTI_THREAD;
	return features;
}

static int write_header(struct join *join, const struct tjoin_part *part)
{
	struct tcut_edit edit = {
		.tool = "ssctr join " SSCTR_VERSION,
		.generator = STF_GEN_STF_MERGE,
		.comments = join->opts->comments,
		.isa = join->opts->isa,
		.add = new_features(join->opts),
		.moved = part != join->parts || join->opts->number,
		.pc = part->inst.pc,
		.process = part->inst.process,
	};

	return tcut_header_write(&join->header, &edit, join->out.writer);
}

/* ------------------------------------------------------------ the instructions */

static struct tcut_regs *regs_of(const struct join *join,
				 const struct tjoin_part *part)
{
	if (!join->regs)
		return NULL;
	return join->regs[join->opts->slice ? part - join->parts : 0];
}

/* One number is too few for a trace that has several harts, or processes. */
static void find_several(struct join *join, struct tjoin_part *part)
{
	const struct stf_process *its = &part->inst.process, unknown = { 0 };
	struct stf_process *first = &part->process;

	if (stf_same_process(first, &unknown))
		*first = *its;
	else if ((join->opts->number == TJOIN_HARTS ? its->hart != first->hart :
						       its->pid != first->pid) &&
		 !join->result->several)
		join->result->several = part->path;
}

/* Its instructions have another hart or process in the new trace. */
static void rename_process(struct join *join, struct tjoin_part *part)
{
	uint32_t i = (uint32_t)(part - join->parts);

	if (join->opts->number)
		find_several(join, part);
	if (join->opts->number == TJOIN_HARTS) {
		join->out.set_hart = true;
		join->out.hart = part->inst.process.hart = i;
	} else if (join->opts->number == TJOIN_PROCESSES) {
		join->out.set_pid = true;
		join->out.pid = part->inst.process.pid = i + 1;
	}
}

/* Another trace is written from here on. Returns like stf_write(). */
static int change(struct join *join, const struct tjoin_part *part)
{
	char text[512];

	if (part->inst.mode == STF_MODE_UNKNOWN &&
	    join->out.mode != STF_MODE_UNKNOWN && !join->result->no_mode)
		join->result->no_mode = part->path;
	if (part->inst.index)
		return 0;
	snprintf(text, sizeof(text), "ssctr join: %s begins here", part->name);
	return stf_write_comment(join->out.writer, text);
}

static int write_inst(struct join *join, struct tjoin_part *part)
{
	struct tcut_regs *regs = regs_of(join, part);
	bool begins, changes = join->last && join->last != part;
	int err = 0;

	rename_process(join, part);
	join->out.tell = &part->tell;
	if (changes)
		origin_tell_again(&part->tell, join->opts->number != TJOIN_PROCESSES);
	if (!tcut_group_maps(&join->out, &part->inst, part->iter))
		return error_nomem(join->error);
	begins = changes && (part->inst.index ||
			     !tcut_group_goes_on(&join->out, &part->inst));
	if (!join->last)
		err = write_header(join, part);
	if (!err && changes)
		err = change(join, part);
	if (regs && begins && !part->inst.index)
		tcut_regs_forget(regs);
	if (regs)
		tcut_regs_before(regs, &part->inst);
	if (!err)
		err = tcut_group_write(&join->out, &part->inst, part->iter,
				       begins, regs);
	if (err)
		return output_error(join, part, err);
	join->last = part;
	if (regs && !tcut_regs_after(regs, &part->inst, part->iter))
		return error_nomem(join->error);
	return 0;
}

/*
 * The records after its last instruction. Only a comment can stand between two traces: the
 * next one has a PC and a process of its own.
 */
static int write_rest(struct join *join, struct tjoin_part *part, bool last)
{
	struct stf_record rec;
	int err = 0;

	if (!join->last)
		return 0;
	join->out.tell = &part->tell;
	if (last)
		err = tcut_group_rest(&join->out, part->iter);
	while (!err && !last && stf_inst_iter_record(part->iter, &rec) > 0)
		if (rec.desc == STF_COMMENT && !tcut_is_of_the_whole(&rec))
			err = stf_write(join->out.writer, &rec);
	return err ? output_error(join, part, err) : 0;
}

static int failed(struct join *join, const struct tjoin_part *part, int ret)
{
	if (ret == ERROR_INPUT)
		join->result->failed = part->path;
	return ret;
}

/*
 * Write the next instructions of one trace. left: so many traces have not ended. Readers
 * expect the target of a taken branch behind it, but some loops have nothing else.
 */
static int take_turn(struct join *join, struct tjoin_part *part, size_t left)
{
	uint64_t slice = join->opts->slice ?: UINT64_MAX, more = slice;
	bool taken = false;
	int ret = 0;

	if (!part->iter)
		ret = failed(join, part, tjoin_part_start(part, &join->opts->reader,
							  join->error));
	while (!ret && part->has_inst && (slice || (taken && more--))) {
		slice -= !!slice;
		taken = part->inst.flags & STF_INST_F_TAKEN;
		ret = write_inst(join, part);
		if (!ret && !join->regs && slice > 1)
			slice -= tcut_group_copy(&join->out, &part->inst,
						 part->iter, slice - 1);
		if (!ret)
			ret = failed(join, part, tjoin_part_next(part, join->error));
	}
	if (!ret && part->ended)
		ret = write_rest(join, part, left == 1);
	if (!ret && part->ended)
		tjoin_part_close(part);
	return ret;
}

static int write_all(struct join *join)
{
	size_t i, left = join->opts->nr;
	int ret = 0;

	while (left)
		for (i = 0; i < join->opts->nr; i++) {
			if (join->parts[i].ended && !join->parts[i].reader)
				continue;
			ret = take_turn(join, &join->parts[i], left);
			if (ret)
				return ret;
			left -= join->parts[i].ended;
		}
	join->result->instructions = join->out.written;
	if (join->out.written)
		return 0;
	return error_set(join->error, ERROR_NOTHING, "no trace has an instruction");
}

/* ------------------------------------------------------------------- the start */

static void note_end(struct join *join, const struct tjoin_part *part)
{
	struct stf_stats stats = { .size = sizeof(stats) };

	stf_reader_stats(part->reader, &stats);
	if (stats.recovered && !join->result->unfinished)
		join->result->unfinished = part->path;
}

static int open_all(struct join *join)
{
	const struct tjoin_opts *opts = join->opts;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < opts->nr; i++) {
		struct tjoin_part *part = &join->parts[i];

		part->path = opts->paths[i];
		part->name = name_of(part->path);
		ret = failed(join, part, tjoin_part_open(part, &opts->reader,
							 join->error));
		if (!ret)
			note_end(join, part);
		if (!ret && !opts->slice)
			tjoin_part_rest(part);
	}
	if (!ret)
		ret = tjoin_merge(&join->header, join->parts, opts->nr, opts->isa,
				  &join->result->remedy, join->error);
	for (i = 0; i < opts->nr; i++)
		tcut_header_free(&join->parts[i].header);
	return ret;
}

static int open_regs(struct join *join)
{
	size_t i, nr = join->opts->slice ? join->opts->nr : 1;

	for (i = 0; i < join->header.nr; i++)
		if (join->header.v[i].desc == STF_TRACE_INFO_FEATURE &&
		    join->header.v[i].features & STF_FEATURE_OPERAND_VALUE)
			break;
	if (i == join->header.nr)
		return 0;
	join->regs = calloc(join->opts->nr, sizeof(*join->regs));
	if (!join->regs)
		return error_nomem(join->error);
	for (i = 0; i < nr; i++) {
		join->regs[i] = tcut_regs_new();
		if (!join->regs[i])
			return error_nomem(join->error);
	}
	return 0;
}

/* Returns the trace before this one that begins in the same process, or NULL. */
static const struct tjoin_part *twin(const struct join *join,
				     const struct tjoin_part *part)
{
	const struct tjoin_part *other;

	for (other = join->parts; other < part; other++)
		if (other->has_inst &&
		    stf_same_process(&other->inst.process, &part->inst.process))
			return other;
	return NULL;
}

/* Traces that take turns are all open, and readers must be able to tell them apart. */
static int start_all(struct join *join)
{
	const struct tjoin_part *other;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < join->opts->nr; i++) {
		struct tjoin_part *part = &join->parts[i];

		ret = failed(join, part, tjoin_part_start(part, &join->opts->reader,
							  join->error));
		other = ret || join->opts->number || part->ended ?
				NULL : twin(join, part);
		if (!other)
			continue;
		join->result->remedy = TJOIN_GIVE_NUMBERS;
		ret = error_set(join->error, ERROR_USAGE,
				"%s and %s both begin as %" PRIu32 "/%" PRIu32
				"/%" PRIu32 " (hart/pid/tid), so that nobody could tell them apart",
				other->name, part->name, part->inst.process.hart,
				part->inst.process.pid, part->inst.process.tid);
	}
	return ret;
}

static void free_join(struct join *join)
{
	size_t i;

	for (i = 0; join->parts && i < join->opts->nr; i++) {
		tjoin_part_close(&join->parts[i]);
		tcut_header_free(&join->parts[i].header);
		if (join->regs)
			tcut_regs_free(join->regs[i]);
	}
	free(join->regs);
	free(join->parts);
	tcut_header_free(&join->header);
}

int tjoin_run(const struct tjoin_opts *opts, struct stf_writer *writer,
	      struct tjoin_result *result, struct error *error)
{
	struct join join = {
		.opts = opts,
		.parts = calloc(opts->nr, sizeof(*join.parts)),
		/* The coverage that one of several traces tells is not that of all. */
		.out = { .writer = writer,
			 .mode = STF_MODE_UNKNOWN,
			 .partial = opts->nr > 1 },
		.result = result,
		.error = error,
	};
	int ret = join.parts ? open_all(&join) : error_nomem(error);

	if (!ret)
		ret = open_regs(&join);
	if (!ret && opts->slice)
		ret = start_all(&join);
	if (!ret)
		ret = write_all(&join);
	free_join(&join);
	return ret;
}
