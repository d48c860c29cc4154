// SPDX-License-Identifier: GPL-2.0-only
#include "tracestat/tracestat.h"
#include "riscv/rv_insn.h"
#include "stats/stats.h"

static bool count_accesses(struct tstat *stat, const struct stf_inst *inst,
			   struct stf_inst_iter *iter, bool mem_bits)
{
	struct stf_record rec;
	unsigned int bytes;

	while (stf_inst_iter_record(iter, &rec) > 0) {
		if (rec.desc != STF_INST_MEM_ACCESS)
			continue;
		bytes = stats_access_bytes(&rec.mem_access, inst,
					   stat->mix.rv_flags, mem_bits);
		if (!tstat_memory_access(&stat->memory, inst->process.pid,
					 &rec.mem_access, bytes))
			return false;
	}
	return true;
}

/* False: out of memory. */
static bool count_inst(struct tstat *stat, const struct stf_inst *inst,
		       struct stf_inst_iter *iter, bool mem_bits)
{
	const struct tstat_opcode *op = tstat_mix_count(&stat->mix, inst);

	if (!op)
		return false;
	stat->gaps += !!(inst->flags & STF_INST_F_GAP);
	if (op->xfer && stat->parts & TSTAT_BRANCHES &&
	    !tstat_branches_count(&stat->branches, inst, op->xfer))
		return false;
	if (stat->parts & TSTAT_CODE &&
	    !tstat_footprint_use(&stat->code, inst->process.pid, inst->pc,
				 inst->size))
		return false;
	if (stat->parts & TSTAT_THREADS &&
	    !tstat_threads_count(&stat->threads, inst, op->class))
		return false;
	if (!(stat->parts & TSTAT_MEMORY))
		return true;
	tstat_memory_inst(&stat->memory, inst, op->class);
	return !(inst->flags & STF_INST_F_MEM) ||
	       count_accesses(stat, inst, iter, mem_bits);
}

static int count_insts(struct tstat *stat, struct stf_reader *reader,
		       struct error *error)
{
	struct stf_inst inst;
	struct stf_inst_iter *iter = stf_inst_iter_new(reader, sizeof(inst));
	bool mem_bits = stf_reader_params(reader)->mem_bits;
	bool ok = iter;
	int more = 1;

	while (ok && (more = stf_inst_iter_next(iter, &inst)) > 0)
		ok = count_inst(stat, &inst, iter, mem_bits);
	stf_inst_iter_free(iter);
	if (!ok)
		return error_nomem(error);
	return more < 0 ? error_set(error, ERROR_INPUT, "%s",
				    stf_reader_error(reader)) : 0;
}

int tstat_read(struct tstat *stat, struct stf_reader *reader,
	       struct error *error)
{
	const struct stf_params *params = stf_reader_params(reader);
	int ret;

	stat->mix.rv_flags = params->iem == STF_IEM_RV32 ? RV_RV32 : 0;
	ret = count_insts(stat, reader, error);
	tstat_mix_sort(&stat->mix);
	tstat_branches_sort(&stat->branches);
	tstat_threads_sort(&stat->threads);
	return ret;
}

void tstat_free(struct tstat *stat)
{
	tstat_mix_free(&stat->mix);
	tstat_branches_free(&stat->branches);
	tstat_footprint_free(&stat->code);
	tstat_memory_free(&stat->memory);
	tstat_threads_free(&stat->threads);
}
