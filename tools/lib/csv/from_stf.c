// SPDX-License-Identifier: GPL-2.0-only
#include "csv/convert.h"
#include "origin/coverage.h"

enum { C_NOP = 1 };

struct from_stf {
	const char *path;
	struct csv_writer *insns;
	struct csv_writer *data; /* NULL: not asked for */
	struct error *error;
	uint64_t mask; /* of addresses and values */
};

static int write_data(struct from_stf *f, const struct traced_insn *insn)
{
	const enum insn_data_rows rows = insn->data.rows;

	if (!f->data || rows == INSN_DATA_NO_ROW ||
	    rows == INSN_DATA_ROW_IF_FAILED)
		return 0;
	if (rows == INSN_DATA_NO_FORM)
		return error_set(f->error, ERROR_INPUT,
				 "a data trace has no form for the accesses of %x at %llx; leave out --data",
				 insn->opcode, (unsigned long long)insn->pc);
	if (!insn_data_is_whole(&insn->found, &insn->data))
		return error_set(f->error, ERROR_INPUT,
				 "the trace does not have the access of %x at %llx, which a data trace needs; leave out --data",
				 insn->opcode, (unsigned long long)insn->pc);
	csv_write_data(f->data, &insn->found.row);
	return 0;
}

static void write_retired(struct from_stf *f, const struct traced_insn *insn)
{
	const struct csv_insn row = {
		.address = insn->pc & f->mask,
		.insn = insn->opcode,
		.privilege = insn->mode,
	};

	csv_write_insn(f->insns, &row);
}

/*
 * The row of an instruction. After an interrupt that leads nowhere, and after which
 * the trace goes on without it, a sample was taken there. The instruction then
 * retired.
 */
static int write_insn(struct from_stf *f, const struct traced_insn *insn,
		      const struct traced_insn *next)
{
	const uint64_t interrupt = f->mask - (f->mask >> 1);
	struct csv_insn row = {
		.address = insn->pc & f->mask,
		.insn = insn->opcode,
		.privilege = insn->mode,
		.exception = insn->trap,
		.interrupt = insn->interrupt,
		.ecause = (insn->cause & f->mask) |
			  (insn->interrupt ? interrupt : 0),
		.tval = insn->tval & f->mask,
	};

	if (insn->mode == STF_MODE_UNKNOWN)
		return error_set(f->error, ERROR_INPUT,
				 "%s: the trace does not tell the privilege mode of the instruction at %llx, and the CSV must; give the mode with --mode",
				 f->path, (unsigned long long)insn->pc);
	/* Nobody knows the opcode at the target of a branch where the trap came. */
	if (insn->trap && insn->trap_target && insn->jumped) {
		write_retired(f, insn);
		row.address = insn->jump_target & f->mask;
		row.insn = C_NOP;
		csv_write_insn(f->insns, &row);
		return write_data(f, insn);
	}
	csv_write_insn(f->insns, &row);
	if (!insn->trap)
		return write_data(f, insn);
	if (!insn->interrupt || insn->trap_target ||
	    (!insn->has_target && (!next || next->jumped_in)))
		return 0;
	write_retired(f, insn);
	return write_data(f, insn);
}

int csv_from_stf(struct insn_trace *from, const char *output, const char *data,
		 struct notes *notes, struct error *error)
{
	struct from_stf f = { .path = from->path,
			      .error = error,
			      .mask = from->rv32 ? UINT32_MAX : UINT64_MAX };
	int ret = 0;

	f.insns = csv_create(output, CSV_INSNS, error);
	if (!f.insns)
		return ERROR_OUTPUT;
	from->find_data = data;
	if (data) {
		f.data = csv_create(data, CSV_DATA, error);
		ret = f.data ? 0 : ERROR_OUTPUT;
	}
	while (!ret && (ret = insn_trace_next(from)) > 0)
		ret = write_insn(&f, from->insn, from->next);
	ret = csv_finish(f.data, ret);
	/* The CSV itself is the last to get its name. */
	ret = csv_finish(f.insns, ret);
	if (!ret) {
		if (from->coverage.share >= 0 || from->coverage.repeated > 0 || from->gaps)
			origin_note_coverage(&from->coverage, from->insns_read, notes);
		notes_count(notes, from->gaps,
			    "gaps, which the CSV does not mark: the next row is not where the row before it leads, or seems to be where its trap leads");
		notes_count(notes, from->turns.changes,
			    "changes to another thread or process, which the CSV does not mark: the next row is not where the row before it leads, and may be other code at the same address; " STATS_TURNS_APART);
		notes_count(notes, from->further_traps,
			    "traps left out: a row has only the first trap of an instruction");
	}
	return ret;
}
