// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr dump`: an STF trace as text. */
#include <inttypes.h>
#include <string.h>

#include "base/plain.h"
#include "cut.h"
#include "dump.h"
#include "trace_input.h"
#include "trace_names.h"

enum { OPT_DISASM = 256, OPT_FIND };

static const struct opt options[] = {
	TRACE_INPUT_OPTION,
	{ 'r', "records", NULL, "print every STF record with its fields" },
	{ 's', "start", "N", "begin with instruction (or record) N; the first is 0" },
	{ 'n', "limit", "N", "print at most N instructions (or records)" },
	{ OPT_FIND, "find", "PLACE",
	  "print only the instructions at PLACE: 0xPC, opcode:0xCODE, event:NAME or, with --symbols ELF, a symbol" },
	{ OPT_DISASM, "disasm", NULL, "print also the assembly (needs an LLVM library)" },
	TRACE_NAMES_OPTIONS("print also the functions of this file, which was moved by ADDRESS (0x...) when it was loaded; trace: those of the files that the trace says were mapped"),
	{ 'j', "json", NULL, "print one JSON object for each instruction or record, on a line of its own" },
	TRACE_LAYOUT_OPTIONS,
	{ 0 }
};

static const struct cmd cmd = {
	.name = "dump",
	.usage = "[option]... [-i] TRACE",
	.about =
		"Print the instructions of an STF trace, each on a line: the number, the PC, the\n"
		"opcode and the privilege mode (- if it is not known). Then the line can have:\n"
		"  -> PC           a taken branch or jump, and its target\n"
		"  gap             instructions before this one are missing (FORCE_PC)\n"
		"  hart/pid/tid    the thread changed\n"
		"  NAME            an event: trap, interrupt or MODE_CHANGE\n"
		"  => PC           where the event leads\n"
		"  R or W ADDRESS/SIZE=VALUE    a memory access; if another bus master made it,\n"
		"                  the initiator stands before it\n"
		"In a .zstf, --start uses the index. The mode is then not known until it changes.\n"
		"Lines of comments that tell the origin of the trace are left out. `ssctr info`\n"
		"prints them.",
	.example = "  ssctr dump --start 2 --limit 20 program.zstf",
	.opts = options,
};

/* -------------------------------------------------------------------- records */

/* A number that has a name. */
static const char *meaning(const struct stf_record *rec, char *event_name)
{
	switch (rec->desc) {
	case STF_TRACE_INFO:
		return stf_generator_name(rec->trace_info.generator);
	case STF_BUS_MASTER_ACCESS:
		return stf_initiator_name(rec->bus_access.initiator);
	case STF_EVENT:
		return stf_event_name(rec->event.id, event_name);
	}
	return NULL;
}

void dump_record(struct text *text, const struct stf_record *rec)
{
	char event_name[STF_EVENT_NAME_MAX];
	const char *name, *string;
	unsigned int i;
	uint64_t value;

	text_str(text, stf_desc_name(rec->desc));
	for (i = 0; (name = stf_record_field(rec, i, &value, &string)); i++) {
		text_str(text, " ");
		text_str(text, name);
		text_str(text, "=");
		if (string) {
			text_quoted(text, string, value);
		} else {
			text_str(text, "0x");
			text_hex(text, value, 0);
		}
	}
	name = meaning(rec, event_name);
	if (name) {
		text_str(text, " (");
		text_str(text, name);
		text_str(text, ")");
	}
}

static void print_record(struct text *text, uint64_t nr,
			 const struct stf_record *rec)
{
	text_dec(text, nr, 10);
	text_str(text, "  ");
	dump_record(text, rec);
	text_line(text);
}

/*
 * These two return STF_E_* with the reader's text, 0, or 1 if the trace ends before the
 * first that was asked for.
 */
static int dump_records(struct dump *dump)
{
	struct stf_record rec;
	uint64_t nr;
	int more = 1;

	for (nr = 0; nr - dump->start < dump->limit || nr < dump->start; nr++) {
		more = stf_reader_next(dump->reader, &rec);
		if (more <= 0)
			break;
		if (nr < dump->start)
			continue;
		if (dump->json)
			dump_json_record(dump, nr, &rec);
		else
			print_record(&dump->text, nr, &rec);
	}
	return more < 0 ? more : !more && dump->start && nr <= dump->start;
}

/* --------------------------------------------------------------- instructions */

static void access_note(struct text *text, uint8_t access, uint64_t address,
			uint16_t size)
{
	text_str(text, access == STF_ACCESS_READ ? "R " :
		       access == STF_ACCESS_WRITE ? "W " : "? ");
	text_hex(text, address, 0);
	text_str(text, "/");
	text_dec(text, size, 0);
}

static void event_note(struct text *text, const struct stf_event *event)
{
	char name[STF_EVENT_NAME_MAX];
	unsigned int i;

	text_str(text, "  ");
	text_str(text, stf_event_name(event->id, name));
	if (event->id == STF_EVENT_MODE_CHANGE && event->n_fields == 1 &&
	    stf_mode_name((unsigned int)event->fields[0])) {
		text_str(text, " ");
		text_str(text, stf_mode_name((unsigned int)event->fields[0]));
		return;
	}
	for (i = 0; i < event->n_fields; i++) {
		text_str(text, i ? "," : " ");
		text_hex(text, event->fields[i], 0);
	}
}

static void bus_note(struct text *text, const struct stf_bus_access *bus)
{
	const char *name = stf_initiator_name(bus->initiator);

	text_str(text, "  ");
	text_str(text, name ? name : "?");
	text_dec(text, bus->index, 0);
	text_str(text, " ");
	access_note(text, bus->access, bus->address, bus->size);
}

static void comment_note(struct text *text, const struct stf_text *comment)
{
	struct origin_line line;

	if (origin_line(&line, comment->data, comment->size) != ORIGIN_NONE)
		return;
	text_str(text, "  # ");
	text_quoted(text, comment->data, comment->size);
}

void dump_note(struct text *text, const struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_PROCESS_ID_EXT:
		text_str(text, "  ");
		text_dec(text, rec->process.hart, 0);
		text_str(text, "/");
		text_dec(text, rec->process.pid, 0);
		text_str(text, "/");
		text_dec(text, rec->process.tid, 0);
		break;
	case STF_INST_PC_TARGET:
		text_str(text, "  -> ");
		text_hex(text, rec->pc, 0);
		break;
	case STF_EVENT:
		event_note(text, &rec->event);
		break;
	case STF_EVENT_PC_TARGET:
		text_str(text, "  => ");
		text_hex(text, rec->pc, 0);
		break;
	case STF_INST_MEM_ACCESS:
		text_str(text, "  ");
		access_note(text, rec->mem_access.access,
			    rec->mem_access.address, rec->mem_access.size);
		break;
	case STF_BUS_MASTER_ACCESS:
		bus_note(text, &rec->bus_access);
		break;
	case STF_INST_MEM_CONTENT:
	case STF_BUS_MASTER_CONTENT:
		text_str(text, "=");
		text_hex(text, rec->content, 0);
		break;
	case STF_COMMENT:
		comment_note(text, &rec->text);
		break;
	}
}

bool dump_note_is_whole(const struct stf_record *rec)
{
	struct origin_line line;

	switch (rec->desc) {
	case STF_INST_MEM_ACCESS:
		return !rec->mem_access.attributes;
	case STF_BUS_MASTER_ACCESS:
		return !rec->bus_access.attributes;
	case STF_INST_REG:
	case STF_INST_READY_REG:
	case STF_PAGE_TABLE_WALK:
	case STF_INST_MICROOP:
		return false;
	case STF_COMMENT:
		return origin_line(&line, rec->text.data, rec->text.size) == ORIGIN_NONE;
	}
	return true;
}

enum { ASSEMBLY_WIDTH = 28 };

static void print_assembly(struct dump *dump, const struct stf_inst *inst)
{
	char buf[128];
	const char *s = rv_disasm_text(dump->disasm, dump->rv32, inst->pc,
				       inst->opcode, inst->size, buf, sizeof(buf));
	size_t n = strlen(s);

	text_str(&dump->text, "  ");
	text_str(&dump->text, s);
	if (inst->flags)
		for (; n < ASSEMBLY_WIDTH; n++)
			text_str(&dump->text, " ");
}

static void print_symbol(struct dump *dump, uint64_t pc)
{
	const uint64_t from_start = pc - dump->at.function_start;
	struct text *text = &dump->text;

	text_str(text, "  ");
	if (!dump->at.function) {
		text_str(text, "-");
		return;
	}
	plain_text(text, names_shown(dump->names, dump->at.function));
	if (from_start) {
		text_str(text, "+0x");
		text_hex(text, from_start, 0);
	}
}

void dump_inst_open(struct dump *dump, const struct stf_inst *inst)
{
	const char *mode = stf_mode_name(inst->mode);
	struct text *text = &dump->text;

	text_dec(text, inst->index, 10);
	text_hex(text, inst->pc, 18);
	text_opcode(text, inst->opcode, inst->size, 10);
	text_str(text, "  ");
	text_str(text, mode ? mode : "-");
	if (dump->names)
		print_symbol(dump, inst->pc);
	if (dump->disasm)
		print_assembly(dump, inst);
	if (inst->flags & STF_INST_F_GAP)
		text_str(text, "  gap");
}

static void print_inst(struct dump *dump, const struct stf_inst *inst,
		       struct stf_inst_iter *iter)
{
	struct stf_record rec;

	dump_inst_open(dump, inst);
	if (inst->flags)
		while (stf_inst_iter_record(iter, &rec) > 0)
			dump_note(&dump->text, &rec);
	text_line(&dump->text);
}

static bool is_wanted(struct dump *dump, const struct stf_inst *inst,
		      struct stf_inst_iter *iter)
{
	return !dump->find ||
	       stf_select_decide(dump->find, inst, iter) != STF_SELECT_SKIP;
}

/* What the trace tells before the first instruction, as far as it is needed. */
static int go_to_start(struct dump *dump, struct stf_inst_iter *iter)
{
	uint64_t start = dump->start;

	if (dump->names && names_origin(dump->names))
		start -= start < ORIGIN_REPEAT ? start : ORIGIN_REPEAT;
	return start ? stf_inst_iter_seek(iter, start) : 1;
}

/* Returns whether the instruction was printed, or STF_E_NOMEM. */
static int dump_inst(struct dump *dump, const struct stf_inst *inst,
		     struct stf_inst_iter *iter)
{
	if (dump->names && !names_group(dump->names, inst, iter))
		return STF_E_NOMEM;
	if (inst->index < dump->start || !is_wanted(dump, inst, iter))
		return 0;
	if (dump->names &&
	    !names_find(dump->names, inst->process.pid, inst->pc, &dump->at))
		return STF_E_NOMEM;
	if (dump->json)
		dump_json_inst(dump, inst, iter);
	else
		print_inst(dump, inst, iter);
	return 1;
}

static int dump_insts(struct dump *dump)
{
	struct stf_inst inst = { .index = 0 };
	struct stf_inst_iter *iter = stf_inst_iter_new(dump->reader, sizeof(inst));
	uint64_t nr = 0;
	int more, printed = 0;

	if (!iter)
		return STF_E_NOMEM;
	more = go_to_start(dump, iter);
	while (printed >= 0 && more > 0 && nr < dump->limit) {
		more = stf_inst_iter_next(iter, &inst);
		if (more <= 0)
			break;
		printed = dump_inst(dump, &inst, iter);
		nr += printed > 0;
	}
	stf_inst_iter_free(iter);
	if (printed < 0 || more < 0)
		return printed < 0 ? printed : more;
	return !more && !nr && (dump->start || dump->find);
}

/* ---------------------------------------------------------------- the command */

/* It says which instructions they are, RV32 or RV64, and what it knows of its origin. */
static int read_header(struct dump *dump, const char *path)
{
	const struct stf_params *params = stf_reader_params(dump->reader);
	struct stf_record rec;
	int more = 1;

	while (!params->header_ended &&
	       (more = stf_reader_next(dump->reader, &rec)) > 0)
		if (dump->names && !names_record(dump->names, &rec))
			return cmd_error(&cmd, "out of memory");
	if (more < 0)
		return cmd_error(&cmd, "%s", stf_reader_error(dump->reader));
	return more ? CMD_OK :
		      cmd_error(&cmd, "%s: the trace has no END_HEADER, which --disasm and --symbols need",
				path);
}

static int open_disasm(struct dump *dump)
{
	struct error error;

	dump->rv32 = stf_reader_params(dump->reader)->iem == STF_IEM_RV32;
	dump->disasm = rv_disasm_new(&error);
	return dump->disasm ? CMD_OK :
			      cmd_error(&cmd, "--disasm: %s", error.text);
}

static int dump_trace(struct dump *dump, const struct trace_names *asked,
		      const char *path)
{
	int err;

	if ((dump->assembly || dump->names) && read_header(dump, path))
		return CMD_FAIL;
	if (dump->names && !trace_names_check(asked, dump->names, &cmd, path))
		return CMD_FAIL;
	if (dump->assembly && open_disasm(dump))
		return CMD_FAIL;
	err = dump->records ? dump_records(dump) : dump_insts(dump);
	text_flush(&dump->text);
	rv_disasm_free(dump->disasm);
	if (!err)
		return CMD_OK;
	if (err > 0 && dump->find)
		return cmd_error(&cmd, "--find: the trace has no such instruction%s",
				 dump->start ? " from --start on" : "");
	if (err > 0)
		return cmd_error(&cmd, "--start %" PRIu64 ": the trace ends before; `ssctr info` prints how much the trace has",
				 dump->start);
	if (err == STF_E_NOMEM && !*stf_reader_error(dump->reader))
		return cmd_error(&cmd, "out of memory");
	return cmd_error(&cmd, "%s", stf_reader_error(dump->reader));
}

/* What the options say. */
struct asked {
	struct trace_input input;
	struct trace_names names;
	const char *find;
};

static int take_option(struct asked *asked, struct dump *dump,
		       const struct cmd_opts *opts, int id)
{
	bool ok = true;

	switch (id) {
	case 'r':
		dump->records = true;
		break;
	case 's':
		ok = cmd_opts_u64(opts, &dump->start);
		break;
	case 'n':
		ok = cmd_opts_u64(opts, &dump->limit);
		break;
	case 'j':
		dump->json = true;
		break;
	case OPT_DISASM:
		dump->assembly = true;
		break;
	case OPT_FIND:
		asked->find = opts->arg;
		break;
	default:
		if (trace_names_has_option(id))
			return trace_names_option(&asked->names, opts, id);
		ok = trace_input_option(&asked->input, opts, id);
	}
	return ok ? CMD_OK : CMD_USAGE;
}

static int find_place(struct dump *dump, const char *place)
{
	struct stf_select_opts opts = { .size = sizeof(opts), .limit = 1 };
	int ret = cut_place(&cmd, "--find", place, dump->names, &opts.from);

	if (ret)
		return ret;
	dump->find = cut_select(&cmd, &opts);
	return dump->find ? CMD_OK : CMD_FAIL;
}

static int open_and_dump(struct dump *dump, const struct asked *asked)
{
	int ret = CMD_OK;

	if (asked->names.symbols) {
		dump->names = trace_names_open(&asked->names, &cmd);
		if (!dump->names)
			return CMD_FAIL;
	}
	if (asked->find)
		ret = find_place(dump, asked->find);
	if (!ret) {
		dump->reader = trace_input_open(&asked->input, &cmd);
		ret = dump->reader ? dump_trace(dump, &asked->names, asked->input.path) :
				     CMD_FAIL;
	}
	if (dump->names)
		trace_names_report(&asked->names, dump->names, &cmd);
	stf_reader_close(dump->reader);
	stf_select_free(dump->find);
	names_close(dump->names);
	return ret;
}

int cmd_dump(int argc, char **argv)
{
	struct asked asked = { .input = TRACE_INPUT_INIT,
			       .names = TRACE_NAMES_INIT };
	struct dump dump = { .limit = UINT64_MAX };
	struct cmd_opts opts;
	int id, ret = CMD_OK;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0)
		ret = take_option(&asked, &dump, &opts, id);
	if (!ret && id == CMD_OPT_EXIT)
		ret = opts.status;
	else if (!ret && dump.records && (dump.assembly || asked.names.symbols))
		ret = cmd_usage(&cmd, "--disasm and --symbols print instructions and cannot be used with --records");
	else if (!ret && dump.records && asked.find)
		ret = cmd_usage(&cmd, "--find prints instructions and cannot be used with --records");
	else if (!ret && !trace_input_operand(&asked.input, &opts))
		ret = CMD_USAGE;
	else if (!ret)
		ret = open_and_dump(&dump, &asked);
	trace_names_free(&asked.names);
	return ret;
}
