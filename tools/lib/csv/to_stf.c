// SPDX-License-Identifier: GPL-2.0-only
#include "csv/convert.h"
#include "riscv/rv_insn.h"
#include "tracefile/tracefile.h"

#include <stdio.h>

struct to_stf {
	struct insn_trace *from;
	struct stf_writer *writer;
	struct error *error;
	uint64_t mask;
	bool started;
	bool jumped_in; /* the row at work does not follow from the one before */
	uint64_t left_out, skipped; /* jumps at the end, and targets */
	uint8_t mode; /* that a reader of the trace knows of */
	struct csv_reader *data; /* NULL: none */
	struct insn_data has; /* of the row at work */
	struct csv_data accessed; /* the data trace's next row, if it was read */
	bool peeked;
	/* Of the data trace: rows of sc that fail, and values that nothing writes. */
	uint64_t failed_stores, unwritten;
};

/*
 * The event of a trap's row, with the fields of the specification's table as far
 * as the row has them, which is TVAL's place, too. Not known are the source of an
 * interrupt and the number of a system call; TVAL is then 0 as a rule, and no field
 * says so.
 */
static int write_cause(struct to_stf *t, const struct traced_insn *row)
{
	const bool illegal = !row->interrupt &&
			     row->cause == STF_FAULT_ILLEGAL_INST;
	const bool ecall = row->cause >= STF_FAULT_USER_ECALL &&
			   row->cause <= STF_FAULT_MACHINE_ECALL;
	const uint64_t type = row->interrupt ? STF_EVENT_INTERRUPT : 0;
	uint64_t fields[INSN_TVAL_ILLEGAL + 1] = { row->pc, row->opcode };
	unsigned int n = insn_tval_field(type | row->cause);
	struct stf_record rec = { .desc = STF_EVENT };

	if (illegal)
		fields[2] = t->from->rv32 ? STF_IEM_RV32 : STF_IEM_RV64;
	fields[n++] = row->tval;
	if (!row->tval && (row->interrupt || ecall))
		n = 0;
	/* The cause is the CSV's, also if the format does not define it. */
	rec.event = (struct stf_event){ type | row->cause, n, fields };
	return stf_write(t->writer, &rec);
}

static int write_header(struct to_stf *t, uint64_t pc)
{
	char from[512];
	const char *const comments[] = { from, NULL };
	const struct stf_process process = { 0 };
	const struct stf_header header = {
		.size = sizeof(header),
		.comments = comments,
		.iem = t->from->rv32 ? STF_IEM_RV32 : STF_IEM_RV64,
		.generator = STF_GEN_SPIKE,
		.gen_text = "ssctr csv " SSCTR_VERSION,
		.features = STF_FEATURE_EVENT | STF_FEATURE_PROCESS_ID,
		.process = &process,
		.pc = pc,
	};

	snprintf(from, sizeof(from), "ssctr %s csv, from %s", SSCTR_VERSION,
		 t->from->path);
	return stf_write_header(t->writer, &header);
}

/* How a row leads to the next one. */
enum flow {
	FLOW_ON, /* straight, or to nowhere */
	FLOW_BRANCH, /* a taken branch or a jump */
	FLOW_TRAP, /* an exception, an interrupt, or the return from one */
	FLOW_GAP, /* not at all: something is missing */
};

static struct rv_insn decode(const struct to_stf *t,
			     const struct traced_insn *row)
{
	struct rv_insn insn;

	if (rv_decode_word(&insn, row->opcode, t->from->rv32 ? RV_RV32 : 0) < 0)
		insn = (struct rv_insn){ .raw = row->opcode };
	return insn;
}

/* Only the next row can tell where this one leads. */
static bool needs_next(const struct to_stf *t, const struct traced_insn *row)
{
	const struct rv_insn insn = decode(t, row);

	return !row->trap && rv_is_jump(&insn) && !insn.has_offset;
}

static enum flow flow_to(struct to_stf *t, const struct traced_insn *row,
			 const struct traced_insn *next,
			 const struct rv_insn *insn)
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

/*
 * No interrupt has its handler in user mode: the one that stopped the row was handled where
 * no row is, or it belongs to a sample. It leads back to its own instruction.
 */
static bool leads_back(const struct traced_insn *row, const struct traced_insn *next)
{
	return row->interrupt && next->mode == STF_MODE_USER;
}

/* next is NULL at the end. Returns as stf_write(). */
static int write_row(struct to_stf *t, const struct traced_insn *row,
		     const struct traced_insn *next)
{
	const struct rv_insn insn = decode(t, row);
	struct stf_writer *w = t->writer;
	/* A trap at the end leads to itself: every event has a target. */
	enum flow flow = row->trap ? FLOW_TRAP : FLOW_ON;
	const struct traced_insn *to; /* where a trap leads */
	bool start = t->jumped_in;
	uint64_t target;
	int ret = 0;

	if (next)
		flow = flow_to(t, row, next, &insn);
	else
		next = row;
	to = leads_back(row, next) ? row : next;
	t->jumped_in = flow == FLOW_GAP || to->pc != next->pc;
	/* An unconditional jump always has its target. */
	if (flow == FLOW_BRANCH || (!row->trap && rv_is_jump(&insn))) {
		target = next->pc;
		rv_target(&insn, row->pc, &target);
		target &= t->mask;
		t->skipped += t->jumped_in && target != next->pc;
		ret = stf_write_pc_target(w, target);
	}
	if (!ret && t->has.rows == INSN_DATA_ROW)
		ret = insn_data_write(w, &t->has, &t->accessed);
	/*
	 * A mode at a start is the instruction's own if it is the first of two, or
	 * if no trap is in the group.
	 */
	if (!ret && start && (row->mode != t->mode || flow == FLOW_TRAP)) {
		t->mode = row->mode;
		ret = stf_write_mode_change(w, t->mode);
	}
	if (!ret && flow == FLOW_TRAP &&
	    (start || to->mode != t->mode || !row->trap)) {
		t->mode = to->mode;
		ret = stf_write_mode_change(w, t->mode);
	}
	if (!ret && row->trap)
		ret = write_cause(t, row);
	if (!ret && flow == FLOW_TRAP)
		ret = stf_write_event_target(w, to->pc);
	if (!ret)
		ret = stf_write_inst(w, row->opcode, row->size);
	if (!ret && t->jumped_in)
		ret = stf_write_force_pc(w, next->pc);
	return ret;
}

static int no_access(struct to_stf *t, const struct traced_insn *row,
		     const char *why)
{
	return csv_fail(t->data, "%s: the next access is of %x at %llx", why,
			row->opcode, (unsigned long long)row->pc);
}

/* As csv_next_data(), but the row stays the next one until peeked is cleared. */
static int peek(struct to_stf *t)
{
	int got = 1;

	if (!t->peeked)
		got = csv_next_data(t->data, &t->accessed);
	t->peeked = got > 0;
	return got;
}

/*
 * The access of the row at work, if it has one: 0 or ERROR_*. The row alone tells
 * which rows of the data trace are its own.
 */
static int take_access(struct to_stf *t, const struct traced_insn *row)
{
	const char *why;
	int got;

	t->has = (struct insn_data){ 0 };
	if (!t->data || row->trap)
		return 0;
	t->has = insn_data_of(row->opcode, row->size, t->from->rv32);
	if (t->has.rows == INSN_DATA_NO_FORM)
		return no_access(t, row, "a data trace has no form for it");
	if (t->has.rows == INSN_DATA_NO_ROW)
		return 0;
	got = peek(t);
	if (got < 0)
		return got;
	if (t->has.rows == INSN_DATA_ROW_IF_FAILED) {
		t->peeked = got && t->accessed.type != CSV_SC_FAILED;
		t->failed_stores += got && !t->peeked;
		return 0;
	}
	t->peeked = false;
	if (!got)
		return no_access(t, row, "the data trace ends too early");
	t->accessed.address &= t->mask;
	why = insn_data_mismatch(&t->has, &t->accessed);
	if (why)
		return no_access(t, row, why);
	t->unwritten += !t->has.writes && t->accessed.written;
	return 0;
}

/* Behind the last row. */
static int end_of_data(struct to_stf *t)
{
	int got = t->data ? peek(t) : 0;

	return got > 0 ? csv_fail(t->data,
				  "an access, but no instruction is left") :
			 got;
}

static int not_written(struct to_stf *t)
{
	return error_set(t->error, ERROR_OUTPUT, "%s",
			 stf_writer_error(t->writer));
}

static int write_rows(struct to_stf *t)
{
	const struct insn_trace *from = t->from;
	int ret;

	while ((ret = insn_trace_next(t->from)) > 0) {
		if (!from->next && !from->more && needs_next(t, from->insn)) {
			t->left_out++;
			continue;
		}
		if (!t->started && write_header(t, from->insn->pc))
			return not_written(t);
		t->started = true;
		ret = take_access(t, from->insn);
		if (ret)
			return ret;
		if (write_row(t, from->insn, from->next))
			return not_written(t);
	}
	if (!ret && !t->started)
		return error_set(t->error, ERROR_NOTHING, "%s: no instructions",
				 from->path);
	return ret ? ret : end_of_data(t);
}

static int write_trace(struct to_stf *t, const char *output)
{
	const struct stf_writer_opts opts = { .size = sizeof(opts) };
	struct tracefile file;
	int ret = tracefile_open(&file, output, &opts, t->error);

	if (ret)
		return ret;
	t->writer = file.writer;
	ret = write_rows(t);
	return tracefile_close(&file, !ret, t->error) ?: ret;
}

int csv_to_stf(struct insn_trace *from, const char *output, const char *data,
	       struct notes *notes, struct error *error)
{
	struct to_stf t = { .from = from,
			    .error = error,
			    .mask = from->rv32 ? UINT32_MAX : UINT64_MAX,
			    .jumped_in = true,
			    .mode = STF_MODE_UNKNOWN };
	int ret;

	if (data) {
		t.data = csv_open(data, CSV_DATA, error);
		if (!t.data)
			return ERROR_INPUT;
	}
	ret = write_trace(&t, output);
	csv_close(t.data);
	notes_count(notes, t.left_out,
		    "jump at the end left out: no row tells where it leads");
	notes_count(notes, t.skipped,
		    "jumps whose targets have no row: tools of the reference library stop there");
	notes_count(notes, t.failed_stores,
		    "rows of store-conditionals that failed left out: an STF trace has no place for them");
	notes_count(notes, t.unwritten,
		    "written values of CSRs that are only read left out: an STF trace has no place for them");
	return ret;
}
