// SPDX-License-Identifier: GPL-2.0-only
#include "champsim/champsim.h"

#include <endian.h>

#include "riscv/rv_insn.h"
#include "riscv/rv_mem.h"
#include "riscv/rv_operands.h"
#include "stats/executed.h"
#include "stats/harts.h"

_Static_assert(sizeof(struct champsim_record) == 64, "ChampSim reads 64 bytes");

enum { N_RECORDS = 1024, X_SP = 2 };

struct job {
	const struct champsim_opts *opts;
	struct stf_inst_iter *iter;
	struct packed *out;
	struct champsim_result *result;
	unsigned int flags; /* enum rv_flags */
	struct champsim_record records[N_RECORDS];
	unsigned int n;
	struct stats_harts harts;
	struct stats_turns turns;
	bool gap; /* before the next instruction that is written */
};

static uint8_t number(unsigned int operand)
{
	return operand == X_SP ? CHAMPSIM_SP : (uint8_t)(CHAMPSIM_X + operand);
}

static void source(struct champsim_record *rec, unsigned int reg)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (!rec->source_regs[i] || rec->source_regs[i] == reg) {
			rec->source_regs[i] = (uint8_t)reg;
			return;
		}
}

static void dest(struct champsim_record *rec, unsigned int reg)
{
	rec->dest_regs[rec->dest_regs[0] ? 1 : 0] = (uint8_t)reg;
}

/*
 * The operands of a branch: sp does not count, because ChampSim would take the branch for
 * a call or return. Returns whether one is left.
 */
static bool branch_sources(struct champsim_record *rec, const struct rv_operands *ops)
{
	unsigned int i;
	bool any = false;

	for (i = 0; i < ops->n_sources; i++) {
		if (ops->sources[i] == X_SP)
			continue;
		source(rec, number(ops->sources[i]));
		any = true;
	}
	return any;
}

static void indirect_sources(struct champsim_record *rec, const struct rv_operands *ops)
{
	if (!branch_sources(rec, ops))
		source(rec, CHAMPSIM_NOTHING);
}

static void conditional(struct champsim_record *rec, const struct rv_operands *ops,
			bool flags)
{
	source(rec, CHAMPSIM_IP);
	if (flags || !branch_sources(rec, ops))
		source(rec, CHAMPSIM_FLAGS);
}

/* Calls and returns read and write the stack pointer, as they do on x86. */
static void stack(struct champsim_record *rec)
{
	source(rec, CHAMPSIM_SP);
	dest(rec, CHAMPSIM_SP);
}

/* The link register that a jump writes, unless that would make it a call. */
static void link_register(struct champsim_record *rec, const struct rv_operands *ops)
{
	if (ops->n_dests && ops->dests[0] != X_SP)
		dest(rec, number(ops->dests[0]));
}

static void branch(struct champsim_record *rec, enum rv_xfer xfer,
		   const struct rv_operands *ops, bool flags)
{
	dest(rec, CHAMPSIM_IP);
	switch (xfer) {
	case RV_XFER_BRANCH:
		conditional(rec, ops, flags);
		break;
	case RV_XFER_DIR_CALL:
		source(rec, CHAMPSIM_IP);
		stack(rec);
		break;
	case RV_XFER_IND_CALL:
		source(rec, CHAMPSIM_IP);
		stack(rec);
		indirect_sources(rec, ops);
		break;
	case RV_XFER_RETURN:
		stack(rec);
		indirect_sources(rec, ops);
		break;
	case RV_XFER_DIR_JUMP:
	case RV_XFER_DIR_LINK:
		source(rec, CHAMPSIM_IP);
		link_register(rec, ops);
		break;
	default: /* indirect jumps, and returns from traps */
		indirect_sources(rec, ops);
		link_register(rec, ops);
	}
}

static void registers(struct champsim_record *rec, const struct rv_operands *ops)
{
	unsigned int i;

	for (i = 0; i < ops->n_sources; i++)
		source(rec, number(ops->sources[i]));
	for (i = 0; i < ops->n_dests; i++)
		dest(rec, number(ops->dests[i]));
}

/* Put the address into the first free place of n. Returns false if there is none. */
static bool put_address(uint64_t *places, unsigned int n, uint64_t address)
{
	unsigned int i;

	for (i = 0; address && i < n; i++) {
		if (places[i] && places[i] != htole64(address))
			continue;
		places[i] = htole64(address);
		return true;
	}
	return false;
}

static void memory(struct job *job, struct champsim_record *to)
{
	struct stf_record rec;
	bool put;

	while (stf_inst_iter_record(job->iter, &rec) > 0) {
		if (rec.desc != STF_INST_MEM_ACCESS)
			continue;
		put = rec.mem_access.access == STF_ACCESS_WRITE ?
			      put_address(to->dest_memory, 2, rec.mem_access.address) :
			      put_address(to->source_memory, 4, rec.mem_access.address);
		job->result->left_out += !put;
	}
}

static void convert(struct job *job, const struct stf_inst *inst,
		    const struct rv_insn *insn)
{
	struct rv_operands ops = rv_operands(inst->opcode, inst->size, job->flags);
	struct champsim_record *to = &job->records[job->n++];
	struct champsim_result *result = job->result;
	bool accesses;

	*to = (struct champsim_record){ .ip = htole64(inst->pc) };
	to->is_branch = insn->xfer != RV_XFER_NONE && !rv_always_traps(insn);
	to->taken = rv_never_falls_through(insn) ||
		    (to->is_branch && inst->flags & STF_INST_F_TAKEN);
	if (to->is_branch)
		branch(to, insn->xfer, &ops, job->opts->flags);
	else
		registers(to, &ops);
	accesses = rv_mem_of(inst->opcode, inst->size, job->flags).way != RV_MEM_NONE;
	if (inst->flags & STF_INST_F_MEM)
		memory(job, to);
	else
		result->no_address += accesses;
	result->memory += accesses || inst->flags & STF_INST_F_MEM;
	result->instructions++;
}

static int flush(struct job *job, struct error *error)
{
	size_t bytes = job->n * sizeof(job->records[0]);

	job->n = 0;
	return packed_write(job->out, job->records, bytes, error);
}

static int input_error(struct stf_reader *reader, struct error *error)
{
	return error_set(error, ERROR_INPUT, "%s", stf_reader_error(reader));
}

/* Write an instruction, unless it did not execute. */
static int take(struct job *job, const struct stf_inst *inst, struct error *error)
{
	struct rv_insn insn;

	if (stats_harts_several(&job->harts, inst))
		return error_set(error, ERROR_INPUT, STATS_HARTS_SEVERAL);
	if (rv_decode_word(&insn, inst->opcode, job->flags) < 0)
		insn = (struct rv_insn){ 0 };
	job->gap |= job->result->instructions && inst->flags & STF_INST_F_GAP;
	if (!stats_executed(job->iter, inst, insn.xfer)) {
		job->result->interrupted++;
		return 0;
	}
	job->result->gaps += job->gap;
	job->gap = false;
	stats_turns_take(&job->turns, inst);
	convert(job, inst, &insn);
	return job->n == N_RECORDS ? flush(job, error) : 0;
}

static int take_all(struct job *job, struct stf_reader *reader, struct error *error)
{
	uint64_t left = job->opts->limit ? job->opts->limit : UINT64_MAX;
	struct stf_inst inst;
	int ret, more = 1;

	if (job->opts->start)
		more = stf_inst_iter_seek(job->iter, job->opts->start);
	for (; more > 0 && left; left--) {
		more = stf_inst_iter_next(job->iter, &inst);
		ret = more > 0 ? take(job, &inst, error) : 0;
		if (ret)
			return ret;
	}
	job->result->changes = job->turns.changes;
	if (!more)
		job->result->coverage = origin_coverage_behind(job->iter);
	return more < 0 ? input_error(reader, error) : flush(job, error);
}

static int read_header(struct job *job, struct stf_reader *reader,
		       struct error *error)
{
	const struct stf_params *params = stf_reader_params(reader);
	struct stf_record rec;
	int more = 1;

	while (more > 0 && !params->header_ended)
		more = stf_reader_next(reader, &rec);
	if (more < 0)
		return input_error(reader, error);
	if (!more)
		return error_set(error, ERROR_INPUT, "the trace has no END_HEADER");
	job->flags = stats_rv_flags(params);
	return 0;
}

int champsim_write(const struct champsim_opts *opts, struct stf_reader *reader,
		   struct packed *out, struct champsim_result *result,
		   struct error *error)
{
	struct job job = { .opts = opts, .out = out, .result = result };
	int ret;

	*result = (struct champsim_result){ .coverage = ORIGIN_COVERAGE_UNKNOWN };
	ret = read_header(&job, reader, error);
	if (ret)
		return ret;
	job.iter = stf_inst_iter_new(reader, sizeof(struct stf_inst));
	if (!job.iter)
		return error_set(error, ERROR_NOMEM, "%s", stf_reader_error(reader));
	ret = take_all(&job, reader, error);
	stf_inst_iter_free(job.iter);
	if (!ret && !result->instructions)
		return error_set(error, ERROR_NOTHING, "there is no instruction to write");
	return ret;
}
