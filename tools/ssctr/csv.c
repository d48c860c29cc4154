// SPDX-License-Identifier: GPL-2.0-only
/* ssctr csv: Spike's processor-trace CSV to STF, and back. */
#include "access.h"
#include "csv/csv.h"
#include "csv/data.h"
#include "insns.h"
#include "riscv/rv_insn.h"
#include "ssctr.h"
#include "stf/stf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	OPT_INPUT = 'i',
	OPT_OUTPUT = 'o',
	OPT_DATA = 'd',
	OPT_RV32 = 0x100,
};

static const struct opt options[] = {
	{ OPT_INPUT, "input", "FILE", "a CSV or an STF trace; - is standard input, STF" },
	{ OPT_OUTPUT, "output", "FILE", "what to write; - is standard output" },
	{ OPT_DATA, "data", "FILE", "Spike's data trace, read or written beside the CSV" },
	{ OPT_RV32, "rv32", NULL, "the CSV is of a hart with 32 bits" },
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "csv",
	.usage = "[-i] FILE -o FILE [option]...",
	.about =
		"Turn the instruction CSV of Spike into an STF trace, or an STF trace into\n"
		"that CSV, which the trace encoder's reference flow takes. Exceptions,\n"
		"interrupts and modes are kept, so that both ways together change nothing.\n"
		"So are, with --data, the accesses to memory and CSRs.",
	.example =
		"  ssctr csv spike.csv -o trace.zstf\n"
		"  ssctr csv trace.zstf -o trace.csv\n"
		"  ssctr csv spike.csv --data data.csv -o trace.zstf\n"
		"  ssctr stf -i perf.data -o - | ssctr csv -i - -o perf.csv",
	.opts = options,
};

/* --- CSV to STF --- */

struct to_stf {
	struct stf_writer *writer;
	bool rv32;
	uint64_t mask;
	bool jumped_in; /* the row at work does not follow from the one before */
	uint8_t mode; /* that a reader of the trace knows of */
	struct csv_data_reader *data; /* NULL: none */
	struct access access; /* of the row at work */
	struct csv_data accessed; /* the data trace's next row, if it was read */
	bool peeked;
};

/*
 * The event of a trap's row, with the fields of the specification's table as far
 * as the row has them, which is TVAL's place, too. Not known are the source of an
 * interrupt and the number of a system call; TVAL is then 0 as a rule, and no field
 * says so.
 */
static int write_cause(struct to_stf *t, const struct insn *row)
{
	const bool illegal = !row->interrupt &&
			     row->cause == STF_FAULT_ILLEGAL_INST;
	const bool ecall = row->cause >= STF_FAULT_USER_ECALL &&
			   row->cause <= STF_FAULT_MACHINE_ECALL;
	const uint64_t type = row->interrupt ? STF_EVENT_INTERRUPT : 0;
	uint64_t fields[INSN_TVAL_ILLEGAL + 1] = { row->pc, row->opcode };
	unsigned int n = insn_tval_field(type | row->cause);

	if (illegal)
		fields[2] = t->rv32 ? STF_IEM_RV32 : STF_IEM_RV64;
	fields[n++] = row->tval;
	if (!row->tval && (row->interrupt || ecall))
		n = 0;
	return stf_write_event(t->writer, type | row->cause, fields, n);
}

static int write_header(struct to_stf *t, const char *path,
			const struct insn *row)
{
	char from[512];
	const char *const comments[] = { from, NULL };
	const struct stf_process process = { 0 };
	const struct stf_header header = {
		.size = sizeof(header),
		.comments = comments,
		.iem = t->rv32 ? STF_IEM_RV32 : STF_IEM_RV64,
		.generator = STF_GEN_SPIKE,
		.gen_text = "ssctr csv " SSCTR_VERSION,
		.features = STF_FEATURE_EVENT | STF_FEATURE_PROCESS_ID,
		.process = &process,
		.pc = row->pc,
	};

	snprintf(from, sizeof(from), "ssctr %s csv, from %s", SSCTR_VERSION,
		 path);
	return stf_write_header(t->writer, &header);
}

/* How a row leads to the next one. */
enum flow {
	FLOW_ON, /* straight, or to nowhere */
	FLOW_BRANCH, /* a taken branch or a jump */
	FLOW_TRAP, /* an exception, an interrupt, or the return from one */
	FLOW_GAP, /* not at all: something is missing */
};

static enum flow flow_to(struct to_stf *t, const struct insn *row,
			 const struct insn *next, struct rv_insn *insn)
{
	uint64_t target = (row->pc + row->size) & t->mask;
	bool on = next->pc == target && next->mode == row->mode;

	if (row->trap)
		return FLOW_TRAP;
	if (insn->xfer == RV_XFER_TRAP_RETURN)
		return FLOW_TRAP;
	if (next->mode != row->mode)
		return FLOW_GAP;
	if (insn->xfer != RV_XFER_BRANCH && !rv_is_jump(insn))
		return on ? FLOW_ON : FLOW_GAP;
	if (insn->xfer == RV_XFER_BRANCH && on)
		return FLOW_ON;
	if (rv_target(insn, row->pc, &target) &&
	    (target & t->mask) != next->pc)
		return FLOW_GAP;
	return FLOW_BRANCH;
}

/* next is NULL at the end. */
static int write_row(struct to_stf *t, const struct insn *row,
		     const struct insn *next)
{
	struct stf_writer *w = t->writer;
	enum flow flow = FLOW_ON;
	bool start = t->jumped_in;
	struct rv_insn insn;
	uint64_t target;
	int ret = 0;

	if (rv_decode_word(&insn, row->opcode, t->rv32 ? RV_RV32 : 0) < 0)
		insn = (struct rv_insn){ .raw = row->opcode };
	if (next)
		flow = flow_to(t, row, next, &insn);
	t->jumped_in = flow == FLOW_GAP;
	/* An unconditional jump always has its target. */
	if (flow == FLOW_BRANCH)
		ret = stf_write_pc_target(w, next->pc);
	else if (!row->trap && rv_is_jump(&insn) &&
		 rv_target(&insn, row->pc, &target))
		ret = stf_write_pc_target(w, target & t->mask);
	if (!ret && t->access.rows == ACCESS_ROW)
		ret = access_write(w, &t->access, &t->accessed);
	/*
	 * A mode at a start is the instruction's own if it is the first of two, or
	 * if no trap is in the group.
	 */
	if (!ret && start && (row->mode != t->mode || flow == FLOW_TRAP)) {
		t->mode = row->mode;
		ret = stf_write_mode_change(w, t->mode);
	}
	if (!ret && flow == FLOW_TRAP &&
	    (start || next->mode != t->mode || !row->trap)) {
		t->mode = next->mode;
		ret = stf_write_mode_change(w, t->mode);
	}
	if (!ret && row->trap)
		ret = write_cause(t, row);
	if (!ret && flow == FLOW_TRAP)
		ret = stf_write_event_target(w, next->pc);
	if (!ret)
		ret = stf_write_inst(w, row->opcode, row->size);
	if (!ret && flow == FLOW_GAP)
		ret = stf_write_force_pc(w, next->pc);
	return ret;
}

static int no_access(struct to_stf *t, const struct insn *row, const char *why)
{
	csv_data_fail(t->data, "%s: the next access is of %x at %llx", why,
		      row->opcode, (unsigned long long)row->pc);
	return -1;
}

/* As csv_data_next(), but the row stays the next one until peeked is cleared. */
static int peek(struct to_stf *t)
{
	int got = 1;

	if (!t->peeked)
		got = csv_data_next(t->data, &t->accessed);
	t->peeked = got > 0;
	return got;
}

/*
 * The access of the row at work, if it has one: 0, or negative with
 * csv_data_error(). The row alone tells which rows of the data trace are its own.
 */
static int take_access(struct to_stf *t, const struct insn *row)
{
	const char *why;
	int got;

	t->access = (struct access){ 0 };
	if (!t->data || row->trap)
		return 0;
	t->access = access_of(row->opcode, row->size, t->rv32);
	if (t->access.rows == ACCESS_NO_FORM)
		return no_access(t, row, "a data trace has no form for it");
	if (t->access.rows == ACCESS_NO_ROW)
		return 0;
	got = peek(t);
	if (got < 0)
		return got;
	if (t->access.rows == ACCESS_ROW_IF_FAILED) {
		t->peeked = got && t->accessed.type != CSV_SC_FAILED;
		return 0;
	}
	t->peeked = false;
	if (!got)
		return no_access(t, row, "the data trace ends too early");
	t->accessed.address &= t->mask;
	why = access_mismatch(&t->access, &t->accessed);
	return why ? no_access(t, row, why) : 0;
}

/* Behind the last row. */
static int end_of_data(struct to_stf *t)
{
	int got = t->data ? peek(t) : 0;

	return got > 0 ? csv_data_fail(t->data,
				       "an access, but no instruction is left") :
			 got;
}

/* All rows, each written when the next one is known. Returns CMD_*. */
static int write_rows(struct to_stf *t, struct insns *insns, const char *input)
{
	struct insn rows[2];
	unsigned int i = 0;
	int ret, got = insns_next(insns, &rows[0]);

	if (!got)
		return cmd_error(&cmd, "%s: no instructions", input);
	if (got < 0)
		return cmd_error(&cmd, "%s", insns_error(insns));
	ret = write_header(t, input, &rows[0]);
	t->jumped_in = true;
	t->mode = STF_MODE_UNKNOWN;
	while (!ret && got) {
		if (take_access(t, &rows[i]))
			return cmd_error(&cmd, "%s", csv_data_error(t->data));
		got = insns_next(insns, &rows[!i]);
		if (got < 0)
			return cmd_error(&cmd, "%s", insns_error(insns));
		ret = write_row(t, &rows[i], got ? &rows[!i] : NULL);
		i = !i;
	}
	if (ret)
		return cmd_error(&cmd, "%s", stf_writer_error(t->writer));
	if (end_of_data(t))
		return cmd_error(&cmd, "%s", csv_data_error(t->data));
	return CMD_OK;
}

static int to_stf(struct insns *insns, const char *input, const char *output,
		  struct csv_data_reader *data)
{
	bool rv32 = insns_rv32(insns);
	struct to_stf t = { .rv32 = rv32,
			    .mask = rv32 ? UINT32_MAX : UINT64_MAX,
			    .data = data };
	struct stf_error err;
	int ret;

	t.writer = stf_writer_open(output, NULL, &err);
	if (!t.writer)
		return cmd_error(&cmd, "%s", err.text);
	ret = write_rows(&t, insns, input);
	if (ret)
		stf_writer_abort(t.writer);
	else if (stf_writer_close(t.writer, &err))
		ret = cmd_error(&cmd, "%s", err.text);
	return ret;
}

static int to_stf_with_data(struct insns *insns, const char *input,
			    const char *output, const char *path)
{
	struct csv_data_reader *data;
	int ret;

	if (csv_data_open(&data, path))
		ret = cmd_error(&cmd, "%s", csv_data_error(data));
	else
		ret = to_stf(insns, input, output, data);
	csv_data_close(data);
	return ret;
}

/* --- STF to CSV --- */

struct to_csv {
	struct csv_writer *writer;
	struct csv_data_writer *data; /* NULL: not asked for */
	uint64_t interrupt; /* the bit in a cause */
};

static int write_access(struct to_csv *c, const struct insn *insn)
{
	const struct access *access = &insn->access;

	if (!c->data || access->rows == ACCESS_NO_ROW ||
	    access->rows == ACCESS_ROW_IF_FAILED)
		return CMD_OK;
	if (access->rows == ACCESS_NO_FORM)
		return cmd_error(&cmd,
				 "a data trace has no form for the accesses of %x at %llx; leave out --data",
				 insn->opcode, (unsigned long long)insn->pc);
	if (!access_is_whole(&insn->found, access))
		return cmd_error(&cmd,
				 "the trace has not the access of %x at %llx, which a data trace needs; leave out --data",
				 insn->opcode, (unsigned long long)insn->pc);
	csv_data_write(c->data, &insn->found.data);
	return CMD_OK;
}

/*
 * The row of an instruction, when the next one is known (NULL: there is none).
 * After an interrupt that leads nowhere, and after which the trace goes on
 * without it, a sample was taken there. The instruction then retired.
 */
static int write_inst(struct to_csv *c, const struct insn *insn,
		      const struct insn *next)
{
	struct csv_row row = {
		.address = insn->pc,
		.insn = insn->opcode,
		.privilege = insn->mode,
		.exception = insn->trap,
		.interrupt = insn->interrupt,
		.ecause = insn->cause | (insn->interrupt ? c->interrupt : 0),
		.tval = insn->tval,
	};

	csv_write(c->writer, &row);
	if (!insn->trap)
		return write_access(c, insn);
	if (!insn->interrupt || insn->trap_target ||
	    (!insn->has_target && (!next || next->jumped_in)))
		return CMD_OK;
	row.exception = row.interrupt = false;
	row.ecause = row.tval = 0;
	csv_write(c->writer, &row);
	return write_access(c, insn);
}

static int write_insts(struct to_csv *c, struct insns *insns)
{
	struct insn pair[2];
	unsigned int i = 0;
	int ret = CMD_OK, got = insns_next(insns, &pair[0]);

	while (got > 0 && !ret) {
		got = insns_next(insns, &pair[!i]);
		ret = write_inst(c, &pair[i], got > 0 ? &pair[!i] : NULL);
		i = !i;
	}
	if (ret)
		return ret;
	return got < 0 ? cmd_error(&cmd, "%s", insns_error(insns)) : CMD_OK;
}

/* The CSV itself is the last to get its name. data: NULL for none. */
static int to_csv(struct insns *insns, const char *output, const char *data)
{
	bool rv32 = insns_rv32(insns);
	struct to_csv c = { .interrupt = UINT64_C(1) << (rv32 ? 31 : 63) };
	int ret;

	c.writer = csv_writer_open(output, rv32 ? 32 : 64);
	if (!c.writer)
		return cmd_error(&cmd, "%s: %s", output, strerror(errno));
	if (data) {
		insns_find_data(insns);
		c.data = csv_data_writer_open(data);
	}
	if (data && !c.data)
		ret = cmd_error(&cmd, "%s: %s", data, strerror(errno));
	else
		ret = write_insts(&c, insns);
	if (c.data && csv_data_writer_close(c.data, !ret) && !ret)
		ret = cmd_error(&cmd, "%s: %s", data, strerror(errno));
	if (csv_writer_close(c.writer, !ret) && !ret)
		ret = cmd_error(&cmd, "%s: %s", output, strerror(errno));
	return ret;
}

/* Which way it goes is told by the input's form. */
static int convert(const char *input, const char *output, const char *data,
		   bool rv32)
{
	struct insns *insns;
	char error[512];
	int ret;

	insns = insns_open(input, error, sizeof(error));
	if (!insns)
		return cmd_error(&cmd, "%s", error);
	if (insns_is_csv(insns)) {
		if (rv32)
			insns_set_rv32(insns);
		ret = data ? to_stf_with_data(insns, input, output, data) :
			     to_stf(insns, input, output, NULL);
	} else {
		ret = to_csv(insns, output, data);
	}
	insns_close(insns);
	return ret;
}

int cmd_csv(int argc, char **argv)
{
	const char *input = NULL, *output = NULL, *data = NULL;
	struct cmd_opts opts;
	bool rv32 = false;
	int id;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0) {
		if (id == OPT_INPUT)
			input = opts.arg;
		else if (id == OPT_OUTPUT)
			output = opts.arg;
		else if (id == OPT_DATA)
			data = opts.arg;
		else
			rv32 = true;
	}
	if (id == CMD_OPT_EXIT)
		return opts.status;
	input = cmd_opts_input(&opts, input);
	if (!input)
		return CMD_USAGE;
	if (!output)
		return cmd_usage(&cmd, "give the file to write with -o");
	return convert(input, output, data, rv32);
}
