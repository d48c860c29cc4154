// SPDX-License-Identifier: GPL-2.0-only
#include "tracestat/tracestat.h"
#include "stats/executed.h"
#include "stats/stats.h"

/* What was mapped, as far as the trace tells it; NULL: nothing. */
static const struct origin_maps *maps_of(const struct tstat *stat)
{
	const struct origin *origin = stat->names ? names_origin(stat->names) : NULL;

	return origin ? &origin->maps : NULL;
}

static bool count_access(struct tstat *stat, const struct stf_inst *inst,
			 const struct stf_mem_access *access, bool mem_bits)
{
	const uint32_t pid = inst->process.pid;
	unsigned int bytes = stats_access_bytes(access, inst, stat->mix.rv_flags,
						mem_bits);

	if (stat->parts & TSTAT_MEMORY &&
	    !tstat_memory_access(&stat->memory, pid, access, bytes))
		return false;
	if (stat->parts & TSTAT_REGIONS &&
	    !tstat_regions_access(&stat->regions, maps_of(stat), pid, access))
		return false;
	return !(stat->parts & TSTAT_REUSE) ||
	       tstat_reuse_use(&stat->data_reuse, pid, access->address, bytes);
}

static bool count_accesses(struct tstat *stat, const struct stf_inst *inst,
			   struct stf_inst_iter *iter, bool mem_bits)
{
	struct stf_record rec;

	while (stf_inst_iter_record(iter, &rec) > 0)
		if (rec.desc == STF_INST_MEM_ACCESS &&
		    !count_access(stat, inst, &rec.mem_access, mem_bits))
			return false;
	return true;
}

/* What the address of an instruction tells. */
static bool count_place(struct tstat *stat, const struct stf_inst *inst)
{
	const uint32_t pid = inst->process.pid;

	if (stat->parts & TSTAT_CODE &&
	    !tstat_footprint_use(&stat->code, pid, inst->pc, inst->size))
		return false;
	if (stat->parts & TSTAT_REGIONS &&
	    !tstat_regions_inst(&stat->regions, maps_of(stat), inst))
		return false;
	return !(stat->parts & TSTAT_REUSE) ||
	       tstat_reuse_use(&stat->code_reuse, pid, inst->pc, inst->size);
}

static bool take_comments(struct tstat *stat, const struct stf_inst *inst,
			  struct stf_inst_iter *iter)
{
	if (!stat->names || !(inst->flags & STF_INST_F_COMMENT))
		return true;
	tstat_functions_forget(&stat->functions);
	return names_group(stat->names, inst, iter);
}

/* False: out of memory. */
static bool count_executed(struct tstat *stat, const struct stf_inst *inst,
			   struct stf_inst_iter *iter, const struct tstat_opcode *op,
			   bool mem_bits)
{
	tstat_mix_count(&stat->mix, inst, op);
	if (!count_place(stat, inst))
		return false;
	if (stat->parts & TSTAT_MEMORY)
		tstat_memory_inst(&stat->memory, inst, op->class);
	return !(inst->flags & STF_INST_F_MEM) ||
	       !(stat->parts & (TSTAT_MEMORY | TSTAT_REUSE | TSTAT_REGIONS)) ||
	       count_accesses(stat, inst, iter, mem_bits);
}

/* False: out of memory. */
static bool count_inst(struct tstat *stat, const struct stf_inst *inst,
		       struct stf_inst_iter *iter, bool mem_bits)
{
	const struct tstat_opcode *op = tstat_mix_find(&stat->mix, inst);
	bool executed;

	if (!op || !take_comments(stat, inst, iter))
		return false;
	executed = stats_executed(iter, inst, op->xfer);
	if (inst->flags & STF_INST_F_GAP) {
		stat->gaps++;
		tstat_branches_gap(&stat->branches);
	}
	if (op->xfer && stat->parts & TSTAT_BRANCHES &&
	    !tstat_branches_count(&stat->branches, inst, op->xfer, executed))
		return false;
	if (stat->parts & TSTAT_THREADS &&
	    !tstat_threads_count(&stat->threads, inst, op->class, executed))
		return false;
	if (stat->parts & TSTAT_FUNCTIONS && stat->names &&
	    !tstat_functions_count(&stat->functions, stat->names, inst, op->xfer,
				   executed))
		return false;
	stat->interrupted += !executed;
	return !executed || count_executed(stat, inst, iter, op, mem_bits);
}

static int count_insts(struct tstat *stat, struct stf_reader *reader,
		       struct error *error)
{
	struct stf_inst inst;
	struct stf_inst_iter *iter = stf_inst_iter_new(reader, sizeof(inst));
	bool mem_bits = stf_reader_params(reader)->mem_bits;
	bool ok = iter;
	int more = 1;

	while (ok && (more = stf_inst_iter_next(iter, &inst)) > 0) {
		ok = count_inst(stat, &inst, iter, mem_bits);
		tstat_intervals_step(&stat->intervals, &stat->mix,
				     &stat->branches, stat->gaps, inst.index + 1);
	}
	if (ok && !more)
		stat->coverage = origin_coverage_behind(iter);
	stf_inst_iter_free(iter);
	if (!ok)
		return error_nomem(error);
	return more < 0 ? error_set(error, ERROR_INPUT, "%s",
				    stf_reader_error(reader)) : 0;
}

int tstat_read(struct tstat *stat, struct stf_reader *reader,
	       struct error *error)
{
	int ret;

	stat->mix.rv_flags = stats_rv_flags(stf_reader_params(reader));
	ret = count_insts(stat, reader, error);
	if (stat->intervals.size)
		tstat_intervals_end(&stat->intervals, &stat->mix,
				    &stat->branches, stat->gaps, 0);
	tstat_mix_sort(&stat->mix);
	tstat_branches_sort(&stat->branches);
	tstat_threads_sort(&stat->threads);
	tstat_functions_sort(&stat->functions);
	tstat_regions_join(&stat->regions);
	return ret;
}

void tstat_free(struct tstat *stat)
{
	tstat_mix_free(&stat->mix);
	tstat_branches_free(&stat->branches);
	tstat_footprint_free(&stat->code);
	tstat_memory_free(&stat->memory);
	tstat_threads_free(&stat->threads);
	tstat_functions_free(&stat->functions);
	tstat_regions_free(&stat->regions);
	tstat_reuse_free(&stat->code_reuse);
	tstat_reuse_free(&stat->data_reuse);
}
