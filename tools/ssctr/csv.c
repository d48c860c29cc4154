// SPDX-License-Identifier: GPL-2.0-only
/* ssctr csv: Spike's processor-trace CSV to STF, and back. */
#include "csv/csv.h"
#include "riscv/rv_insn.h"
#include "ssctr.h"
#include "stf/stf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	OPT_INPUT = 'i',
	OPT_OUTPUT = 'o',
	OPT_RV32 = 0x100,
};

static const struct cmd_opt options[] = {
	{ OPT_INPUT, "input", "FILE", "a CSV or an STF trace; - is standard input, STF" },
	{ OPT_OUTPUT, "output", "FILE", "what to write; - is standard output" },
	{ OPT_RV32, "rv32", NULL, "the CSV is of a hart with 32 bits" },
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "csv",
	.usage = "[-i] FILE -o FILE [option]...",
	.about =
		"Turn the instruction CSV of Spike into an STF trace, or an STF trace into\n"
		"that CSV, which the trace encoder's reference flow takes. Exceptions,\n"
		"interrupts and modes are kept, so that both ways together change nothing.",
	.example =
		"  ssctr csv spike.csv -o trace.zstf\n"
		"  ssctr csv trace.zstf -o trace.csv\n"
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
};

static unsigned int size_of(const struct csv_row *row)
{
	return (row->insn & 3) == 3 ? 4 : 2;
}

/* The event of an exception's row. What is left out of its fields is 0. */
static int write_cause(struct to_stf *t, const struct csv_row *row)
{
	const uint64_t top = t->rv32 ? UINT64_C(1) << 31 : STF_EVENT_INTERRUPT;
	const uint64_t fields[] = { row->address, row->insn, row->tval };
	uint64_t id = row->ecause;

	if (row->interrupt)
		id = (id & ~top) | STF_EVENT_INTERRUPT;
	return stf_write_event(t->writer, id, fields, row->tval ? 3 : 0);
}

static int write_header(struct to_stf *t, const char *path,
			const struct csv_row *row)
{
	char from[512];
	const char *const comments[] = { from, NULL };
	const struct stf_header header = {
		.size = sizeof(header),
		.comments = comments,
		.iem = t->rv32 ? STF_IEM_RV32 : STF_IEM_RV64,
		.generator = STF_GEN_SPIKE,
		.gen_text = "ssctr csv " SSCTR_VERSION,
		.features = STF_FEATURE_EVENT,
		.pc = row->address,
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

static enum flow flow_to(struct to_stf *t, const struct csv_row *row,
			 const struct csv_row *next, struct rv_insn *insn)
{
	uint64_t target = (row->address + size_of(row)) & t->mask;
	bool on = next->address == target && next->privilege == row->privilege;

	if (row->exception)
		return FLOW_TRAP;
	if (insn->xfer == RV_XFER_TRAP_RETURN)
		return FLOW_TRAP;
	if (next->privilege != row->privilege)
		return FLOW_GAP;
	if (insn->xfer != RV_XFER_BRANCH && !rv_is_jump(insn))
		return on ? FLOW_ON : FLOW_GAP;
	if (insn->xfer == RV_XFER_BRANCH && on)
		return FLOW_ON;
	if (rv_target(insn, row->address, &target) &&
	    (target & t->mask) != next->address)
		return FLOW_GAP;
	return FLOW_BRANCH;
}

/* next is NULL at the end. */
static int write_row(struct to_stf *t, const struct csv_row *row,
		     const struct csv_row *next)
{
	struct stf_writer *w = t->writer;
	enum flow flow = FLOW_ON;
	bool start = t->jumped_in;
	struct rv_insn insn;
	uint64_t target;
	int ret = 0;

	if (rv_decode_word(&insn, row->insn, t->rv32 ? RV_RV32 : 0) < 0)
		insn = (struct rv_insn){ .raw = row->insn };
	if (next)
		flow = flow_to(t, row, next, &insn);
	t->jumped_in = flow == FLOW_GAP;
	/* An unconditional jump always has its target. */
	if (flow == FLOW_BRANCH)
		ret = stf_write_pc_target(w, next->address);
	else if (!row->exception && rv_is_jump(&insn) &&
		 rv_target(&insn, row->address, &target))
		ret = stf_write_pc_target(w, target & t->mask);
	/*
	 * A mode at a start is the instruction's own if it is the first of two, or
	 * if no trap is in the group.
	 */
	if (!ret && start && (row->privilege != t->mode || flow == FLOW_TRAP)) {
		t->mode = row->privilege;
		ret = stf_write_mode_change(w, t->mode);
	}
	if (!ret && flow == FLOW_TRAP &&
	    (start || next->privilege != t->mode || !row->exception)) {
		t->mode = next->privilege;
		ret = stf_write_mode_change(w, t->mode);
	}
	if (!ret && row->exception)
		ret = write_cause(t, row);
	if (!ret && flow == FLOW_TRAP)
		ret = stf_write_event_target(w, next->address);
	if (!ret)
		ret = stf_write_inst(w, row->insn, size_of(row));
	if (!ret && flow == FLOW_GAP)
		ret = stf_write_force_pc(w, next->address);
	return ret;
}

/* All rows, each written when the next one is known. Returns CMD_*. */
static int write_rows(struct to_stf *t, struct csv_reader *reader,
		      const char *input)
{
	struct csv_row rows[2];
	unsigned int i = 0;
	int ret, got = csv_reader_next(reader, &rows[0]);

	if (!got)
		return cmd_error(&cmd, "%s: no instructions", input);
	if (got < 0)
		return cmd_error(&cmd, "%s", csv_reader_error(reader));
	rows[0].address &= t->mask;
	ret = write_header(t, input, &rows[0]);
	t->jumped_in = true;
	t->mode = STF_MODE_UNKNOWN;
	while (!ret && got) {
		struct csv_row *next = &rows[!i];

		got = csv_reader_next(reader, next);
		if (got < 0)
			return cmd_error(&cmd, "%s", csv_reader_error(reader));
		next->address &= t->mask;
		ret = write_row(t, &rows[i], got ? next : NULL);
		i = !i;
	}
	if (ret)
		return cmd_error(&cmd, "%s", stf_writer_error(t->writer));
	return CMD_OK;
}

static int to_stf(const char *input, const char *output, bool rv32)
{
	struct to_stf t = { .rv32 = rv32,
			    .mask = rv32 ? UINT32_MAX : UINT64_MAX };
	struct csv_reader *reader;
	struct stf_error err;
	int ret;

	if (csv_reader_open(&reader, input)) {
		ret = cmd_error(&cmd, "%s", csv_reader_error(reader));
		csv_reader_close(reader);
		return ret;
	}
	t.writer = stf_writer_open(output, NULL, &err);
	if (!t.writer) {
		csv_reader_close(reader);
		return cmd_error(&cmd, "%s", err.text);
	}
	ret = write_rows(&t, reader, input);
	csv_reader_close(reader);
	if (ret)
		stf_writer_abort(t.writer);
	else if (stf_writer_close(t.writer, &err))
		ret = cmd_error(&cmd, "%s", err.text);
	return ret;
}

/* --- STF to CSV --- */

struct to_csv {
	struct csv_writer *writer;
	bool rv32;
	struct csv_row row; /* written when the next instruction is known */
	bool waits;
	bool executed; /* an interrupt's instruction goes on all the same */
	bool has_target;
};

/* What the group's records say of an exception. */
static int read_group(struct to_csv *c, struct stf_inst_iter *iter)
{
	const uint64_t top = c->rv32 ? UINT64_C(1) << 31 : STF_EVENT_INTERRUPT;
	struct csv_row *row = &c->row;
	struct stf_record rec;
	int ret;

	while ((ret = stf_inst_iter_record(iter, &rec)) > 0) {
		const struct stf_event *ev = &rec.event;

		if (rec.desc != STF_EVENT || row->exception ||
		    ev->id == STF_EVENT_MODE_CHANGE)
			continue;
		row->exception = true;
		row->interrupt = ev->id & STF_EVENT_INTERRUPT;
		row->ecause = ev->id & ~STF_EVENT_INTERRUPT;
		if (row->interrupt)
			row->ecause |= top;
		row->tval = ev->n_fields > 2 ? ev->fields[2] : 0;
	}
	return ret;
}

/*
 * An interrupt that leads nowhere, and after which the trace goes on without it:
 * a sample was taken there. The instruction then retired.
 */
static void write_waiting(struct to_csv *c, const struct stf_inst *next)
{
	struct csv_row *row = &c->row;

	if (!c->waits)
		return;
	c->waits = false;
	csv_write(c->writer, row);
	if (!row->interrupt || c->has_target ||
	    (!c->executed && (!next || next->flags & STF_INST_F_FORCE_PC)))
		return;
	row->exception = row->interrupt = false;
	row->ecause = row->tval = 0;
	csv_write(c->writer, row);
}

static int read_insts(struct to_csv *c, struct stf_inst_iter *iter)
{
	struct stf_inst inst;
	int ret;

	while ((ret = stf_inst_iter_next(iter, &inst)) > 0) {
		write_waiting(c, &inst);
		c->row = (struct csv_row){
			.address = inst.pc,
			.insn = inst.opcode,
			/* Traces of user code need not say so. */
			.privilege = inst.mode == STF_MODE_UNKNOWN ? 0 :
								     inst.mode,
		};
		c->waits = true;
		c->executed = inst.flags & STF_INST_F_TAKEN;
		c->has_target = inst.flags & STF_INST_F_EVENT_TARGET;
		if (inst.flags & STF_INST_F_EVENT) {
			ret = read_group(c, iter);
			if (ret < 0)
				return ret;
		}
	}
	write_waiting(c, NULL);
	return ret;
}

static int to_csv(const char *input, const char *output)
{
	struct to_csv c = { 0 };
	struct stf_inst_iter *iter;
	struct stf_reader *reader;
	struct stf_record rec;
	struct stf_error err;
	int ret = 1;

	reader = stf_reader_open(input, NULL, &err);
	if (!reader)
		return cmd_error(&cmd, "%s", err.text);
	while (ret > 0 && !stf_reader_params(reader)->header_ended)
		ret = stf_reader_next(reader, &rec);
	c.rv32 = stf_reader_params(reader)->iem == STF_IEM_RV32;
	iter = stf_inst_iter_new(reader);
	if (!iter) {
		stf_reader_close(reader);
		return cmd_error(&cmd, "out of memory");
	}
	c.writer = csv_writer_open(output, c.rv32 ? 32 : 64);
	if (!c.writer) {
		ret = cmd_error(&cmd, "%s: %s", output, strerror(errno));
	} else {
		if (ret >= 0)
			ret = read_insts(&c, iter);
		if (ret < 0)
			ret = cmd_error(&cmd, "%s", stf_reader_error(reader));
		if (csv_writer_close(c.writer, !ret) && !ret)
			ret = cmd_error(&cmd, "%s: %s", output,
					strerror(errno));
	}
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
	return ret;
}

/* Which way it goes is told by the input's first bytes. */
static int convert(const char *input, const char *output, bool rv32)
{
	char start[64];
	ssize_t n = -1;
	struct stat st;
	int fd;

	if (!strcmp(input, "-"))
		return to_csv(input, output);
	fd = open(input, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		n = -1;
	else
		n = S_ISREG(st.st_mode) ? pread(fd, start, sizeof(start), 0) : 0;
	if (n < 0)
		cmd_error(&cmd, "%s: %s", input, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return CMD_FAIL;
	if (csv_is_header(start, n))
		return to_stf(input, output, rv32);
	if (n >= 8 && (!memcmp(start, "PERFILE2", 8) ||
		       !memcmp(start, "2ELIFREP", 8)))
		return cmd_error(
			&cmd,
			"%s: a recording; use `ssctr stf -i %s -o - | ssctr csv -i - -o %s`",
			input, input, output);
	if (n && start[0] != 1 && memcmp(start, "ZSTF", 4))
		return cmd_error(
			&cmd,
			"%s: neither an STF trace nor an instruction CSV, which starts with \"VALID,ADDRESS,INSN,...\"",
			input);
	return to_csv(input, output);
}

int cmd_csv(int argc, char **argv)
{
	const char *input = NULL, *output = NULL;
	struct cmd_opts opts;
	bool rv32 = false;
	int id;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0) {
		if (id == OPT_INPUT)
			input = opts.arg;
		else if (id == OPT_OUTPUT)
			output = opts.arg;
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
	return convert(input, output, rv32);
}
