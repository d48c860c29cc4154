// SPDX-License-Identifier: GPL-2.0-only
/* ssctr model: what records a hart makes of an instruction trace. */
#include "ctr/model.h"

#include <inttypes.h>
#include <stdio.h>

#include "insns.h"
#include "riscv/rv_insn.h"
#include "settings.h"
#include "ssctr.h"
#include "stf/stf.h"
#include "base/text.h"

enum {
	OPT_INPUT = 'i',
	OPT_SET = 's',
	OPT_DEPTH = 'd',
	OPT_CYCLES = 'c',
	OPT_ALL = 'a',
	OPT_BRSTACK = 'b',
	OPT_JSON = 'j',
	OPT_RV32 = 0x100,
	OPT_ZCM,
	OPT_SAMPLES,
};

static const struct opt options[] = {
	{ OPT_INPUT, "input", "FILE", "a CSV or an STF trace; - is standard input, STF" },
	{ OPT_SET, "set", "[N:]REG=VALUE", "write a register, before instruction N" },
	{ OPT_DEPTH, "depth", "N", "entries of the buffer: 16 (default) to 256" },
	{ OPT_CYCLES, "cycles", "N", "count cycles, N for each instruction" },
	{ OPT_ALL, "all", NULL, "every record when it is made, oldest first" },
	{ OPT_SAMPLES, "samples", NULL, "the records at each counter overflow; then thaw" },
	{ OPT_BRSTACK, "brstack", NULL, "print as `perf script -F brstack` does" },
	{ OPT_JSON, "json", NULL, "JSON lines: one object a record" },
	{ OPT_RV32, "rv32", NULL, "the CSV is of a hart with 32 bits" },
	{ OPT_ZCM, "zcm", NULL, "the hart has Zcmp and Zcmt" },
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "model",
	.usage = "[-i] FILE [option]...",
	.about =
		"Run an instruction trace, Spike's CSV or STF, through a model of Control\n"
		"Transfer Records that follows the specification's letter, and print what is\n"
		"in the buffer at the end, newest first.\n"
		"\n"
		"Registers are sctrctl, mctrctl, vsctrctl, sctrdepth, sctrstatus, and v: 1\n"
		"makes VU and VS of U and S. The value is a number or names of fields, as\n"
		"U+RETINH. If no control register is set at the start, sctrctl is U+S.\n"
		"Instructions count from 0.",
	.example =
		"  ssctr model trace.csv --set sctrctl=U+STE --depth 32\n"
		"  ssctr model trace.zstf --set mctrctl=M+S+U --set 5000:sctrctl=U+RASEMU --brstack",
	.opts = options,
};

enum form { FORM_TABLE, FORM_BRSTACK, FORM_JSON };

struct run {
	struct model model;
	struct insns *insns;
	struct settings settings;
	struct text text;
	enum form form;
	bool all, samples;
	bool rv32, zcm;
	bool virtual; /* U and S are VU and VS */
	uint32_t cycles; /* of an instruction */
	uint64_t index; /* of the instruction at work */
	/* What made each physical entry: its encoding. */
	uint32_t opcodes[CTR_MAX_ENTRIES];
	/* Told at the end. */
	uint64_t gaps;
	uint64_t unknown_targets;
};

/* --- printing --- */

static const char *perf_type_name(const struct perf_branch_entry *perf)
{
	static const char *const names[] = {
		[PERF_BR_UNKNOWN] = "N/A",    [PERF_BR_COND] = "COND",
		[PERF_BR_UNCOND] = "UNCOND",  [PERF_BR_IND] = "IND",
		[PERF_BR_CALL] = "CALL",      [PERF_BR_IND_CALL] = "IND_CALL",
		[PERF_BR_RET] = "RET",	      [PERF_BR_SYSCALL] = "SYSCALL",
		[PERF_BR_ERET] = "ERET",      [PERF_BR_IRQ] = "IRQ",
	};

	if (perf->type == PERF_BR_EXTEND_ABI)
		switch (perf->new_type) {
		case PERF_BR_NEW_ARCH_1:
			return "ARCH_1";
		case PERF_BR_NEW_FAULT_DATA:
			return "FAULT_DATA";
		case PERF_BR_NEW_FAULT_INST:
			return "FAULT_INST";
		}
	if (perf->type < sizeof(names) / sizeof(names[0]) && names[perf->type])
		return names[perf->type];
	return "N/A";
}

/* MISP is not implemented: neither M nor P. */
static void print_brstack(struct text *text, const struct ctr_entry *entry,
			  uint32_t opcode)
{
	const struct ctr_entry_context context = {
		.cause = ctr_cause_of(opcode),
	};
	struct perf_branch_entry perf;

	ctr_entry_to_perf(entry, &context, &perf);
	text_str(text, " 0x");
	text_hex(text, perf.from, 0);
	text_str(text, "/0x");
	text_hex(text, perf.to, 0);
	text_str(text, "/-/-/-/");
	text_dec(text, perf.cycles, 0);
	text_str(text, "/");
	text_str(text, perf_type_name(&perf));
	text_str(text, "/- ");
}

static const char *type_name(enum ctr_type type)
{
	return type == CTR_TYPE_TAKEN ? "taken branch" : rv_xfer_name(type);
}

static void json_number(struct text *text, const char *name, uint64_t value)
{
	text_str(text, name);
	text_dec(text, value, 0);
}

static void print_json(struct run *run, const struct ctr_entry *entry,
		       unsigned int i)
{
	struct text *text = &run->text;

	text_str(text, "{");
	if (run->all || run->samples)
		json_number(text, "\"instruction\":", run->index);
	if (run->samples)
		text_str(text, ",");
	if (!run->all)
		json_number(text, "\"entry\":", i);
	json_number(text, ",\"source\":", ctr_entry_from(entry));
	json_number(text, ",\"target\":", ctr_entry_to(entry));
	json_number(text, ",\"type\":", ctr_entry_type(entry));
	text_str(text, ",\"type_name\":\"");
	text_str(text, type_name(ctr_entry_type(entry)));
	text_str(text, "\"");
	if (entry->data & CTR_DATA_CCV)
		json_number(text, ",\"cycles\":", ctr_entry_cycles(entry));
	text_str(text, "}");
}

static void print_row(struct text *text, const struct ctr_entry *entry,
		      uint64_t index)
{
	text_dec(text, index, 11);
	text_str(text, "  ");
	text_hex(text, ctr_entry_from(entry), 16);
	text_str(text, "  ");
	text_hex(text, ctr_entry_to(entry), 16);
	text_str(text, "  ");
	if (entry->data & CTR_DATA_CCV)
		text_dec(text, ctr_entry_cycles(entry), 9);
	else
		text_str(text, "        -");
	text_str(text, "  ");
	text_str(text, type_name(ctr_entry_type(entry)));
}

/* A line, or with --brstack a part of one. */
static void print_entry(struct run *run, unsigned int i)
{
	struct ctr_entry entry;

	model_read_entry(&run->model, i, &entry);
	if (run->form == FORM_BRSTACK) {
		print_brstack(&run->text, &entry,
			      run->opcodes[model_physical(&run->model, i)]);
		return;
	}
	if (run->form == FORM_JSON)
		print_json(run, &entry, i);
	else
		print_row(&run->text, &entry, run->all ? run->index : i);
	text_line(&run->text);
}

static void print_head(struct run *run)
{
	if (run->form != FORM_TABLE)
		return;
	text_str(&run->text, run->all ? "instruction" : "      entry");
	text_str(&run->text,
		 "            source            target     cycles  type");
	text_line(&run->text);
}

/* What is valid in the buffer, newest first. */
static void print_buffer(struct run *run)
{
	const struct model *model = &run->model;
	struct ctr_entry entry;
	unsigned int i;

	print_head(run);
	for (i = 0; i < model_depth(model); i++) {
		model_read_entry(model, i, &entry);
		if (ctr_entry_valid(&entry))
			print_entry(run, i);
	}
	if (run->form == FORM_BRSTACK)
		text_line(&run->text);
}

static void print_sample(struct run *run, const struct insn *insn)
{
	const uint64_t status =
		model_read_csr(&run->model, CTR_CSR_SCTRSTATUS);

	if (run->form == FORM_TABLE) {
		text_str(&run->text, "at instruction ");
		text_dec(&run->text, run->index, 0);
		text_str(&run->text, ", ");
		text_hex(&run->text, insn->pc, 0);
		text_line(&run->text);
	} else if (run->form == FORM_BRSTACK) {
		text_hex(&run->text, insn->pc, 16);
	}
	print_buffer(run);
	model_write_csr(&run->model, CTR_CSR_SCTRSTATUS,
			status & ~CTR_STATUS_FROZEN);
}

/* --- the trace --- */

static enum model_mode mode_of(const struct insn *insn, bool virtual)
{
	switch (insn->mode) {
	case STF_MODE_MACHINE:
		return MODEL_M;
	case STF_MODE_HYPERVISOR:
		return MODEL_S;
	case STF_MODE_SUPERVISOR:
		return virtual ? MODEL_VS : MODEL_S;
	default:
		return virtual ? MODEL_VU : MODEL_U;
	}
}

static enum model_effect execute(struct run *run, const struct model_insn *step)
{
	enum model_effect effect = model_step(&run->model, step);

	if (effect != MODEL_RECORDED && effect != MODEL_SWAPPED)
		return effect;
	run->opcodes[model_physical(&run->model, 0)] =
		step->trap == CTR_TYPE_INTERRUPT ? 0 : step->insn;
	if (run->all) {
		print_entry(run, 0);
		if (run->form == FORM_BRSTACK)
			text_line(&run->text);
	}
	return effect;
}

static void miss(struct run *run, uint64_t *counter)
{
	++*counter;
	model_miss(&run->model);
}

/* Can the next instruction be the trap's handler? No trap leads to U-mode. */
static bool is_handler(const struct insn *insn, const struct insn *next)
{
	if (!next || next->mode == STF_MODE_USER || next->mode < insn->mode)
		return false;
	if (insn->marked)
		return insn->trap_target && next->pc == insn->target;
	return !(insn->interrupt && next->pc == insn->pc &&
		 next->mode == insn->mode);
}

static void take_trap(struct run *run, struct model_insn *step,
		      const struct insn *insn, const struct insn *next,
		      enum model_mode next_mode)
{
	step->trap = insn->interrupt ? CTR_TYPE_INTERRUPT : CTR_TYPE_EXCEPTION;
	step->cause = insn->cause;
	if (insn->interrupt)
		step->cycles = 0;
	if (is_handler(insn, next)) {
		step->next = next->pc;
		step->next_mode = next_mode;
		execute(run, step);
		return;
	}
	/*
	 * The trace is of other modes only. The kernel's are the traps then, or
	 * the hypervisor's: where it does not record, no more is to be known.
	 */
	step->next_mode = step->mode == MODEL_M ? MODEL_M : MODEL_S;
	execute(run, step);
	if (model_read_csr(&run->model, CTR_CSR_MCTRCTL) &
	    (step->mode == MODEL_M ? CTR_CTL_M : CTR_CTL_S))
		miss(run, &run->unknown_targets);
}

/* Where an instruction that retires leads; false if that is not known. */
static bool find_next(struct model_insn *step, const struct insn *insn,
		      const struct insn *next, const struct rv_insn *rv)
{
	const uint64_t straight = insn->pc + insn->size;
	uint64_t target;

	step->next = straight;
	if (rv->xfer == RV_XFER_NONE || rv->xfer == RV_XFER_EXCEPTION)
		return true;
	if (insn->has_target) {
		step->taken = true;
		step->next = insn->target;
		return true;
	}
	if (rv->xfer == RV_XFER_BRANCH) {
		if (insn->marked || (next && next->pc == straight))
			return true;
		step->taken = next && rv_target(rv, insn->pc, &target) &&
			      next->pc == target;
		step->next = step->taken ? target : straight;
		return step->taken;
	}
	if (rv_target(rv, insn->pc, &step->next))
		return true;
	if (!next || next->jumped_in)
		return false;
	step->next = next->pc;
	return true;
}

static void retire(struct run *run, struct model_insn *step,
		   const struct insn *insn, const struct insn *next,
		   enum model_mode next_mode)
{
	const uint64_t mask = run->rv32 ? UINT32_MAX : UINT64_MAX;
	struct rv_insn rv = { 0 };
	bool known, returns;

	rv_decode_word(&rv, insn->opcode, step->flags);
	returns = rv.xfer == RV_XFER_TRAP_RETURN;
	known = find_next(step, insn, next, &rv);
	step->next &= mask;
	/* A return is known by the mode that it leads to, too. */
	if (returns && !(next && next->pc == step->next))
		known = false;
	step->next_mode = returns ? next_mode : step->mode;
	if (known)
		execute(run, step);
	if (next && (!known || next->pc != step->next ||
		     next_mode != step->next_mode))
		miss(run, &run->gaps);
}

/* Did it retire in spite of its event, which then only tells of a sample? */
static bool is_mark(const struct insn *insn, const struct insn *next)
{
	if (!insn->marked || !insn->interrupt || insn->trap_target)
		return false;
	return insn->has_target ||
	       (next && !next->jumped_in && next->pc == insn->pc + insn->size);
}

/* next is NULL at the end. */
static void work(struct run *run, const struct insn *insn,
		 enum model_mode mode, const struct insn *next,
		 enum model_mode next_mode)
{
	const bool overflow = insn->interrupt &&
			      insn->cause == STF_INT_COUNTER_OVERFLOW;
	struct model_insn step = {
		.pc = insn->pc,
		.insn = insn->opcode,
		.cycles = run->cycles,
		.flags = (run->rv32 ? RV_RV32 : 0) | (run->zcm ? RV_ZCM : 0),
		.mode = mode,
	};

	if (insn->trap) {
		struct model_insn trap = step;

		take_trap(run, &trap, insn, next, next_mode);
	}
	if (run->samples && overflow)
		print_sample(run, insn);
	if (!insn->trap || is_mark(insn, next))
		retire(run, &step, insn, next, next_mode);
}

static void set_registers(struct run *run, uint64_t at)
{
	const struct setting *setting;

	while ((setting = settings_next(&run->settings, at)))
		if (setting->csr != SETTING_V)
			model_write_csr(&run->model, setting->csr,
					setting->value);
}

/* V is one of the instruction that comes next, while the one before is at work. */
static void set_virtual(struct run *run, uint64_t at)
{
	const struct settings *settings = &run->settings;
	size_t i;

	for (i = settings->next; i < settings->nr && settings->v[i].at <= at; i++)
		if (settings->v[i].csr == SETTING_V)
			run->virtual = settings->v[i].value;
}

static int run_trace(struct run *run)
{
	enum model_mode modes[2] = { MODEL_U, MODEL_U };
	struct insn insns[2];
	unsigned int i = 0;
	int got = insns_next(run->insns, &insns[0]);

	if (got > 0) {
		set_virtual(run, 0);
		modes[0] = mode_of(&insns[0], run->virtual);
	}
	set_registers(run, 0);
	if (run->all)
		print_head(run);
	while (got > 0) {
		got = insns_next(run->insns, &insns[!i]);
		if (got < 0)
			break;
		if (got) {
			set_virtual(run, run->index + 1);
			modes[!i] = mode_of(&insns[!i], run->virtual);
		}
		work(run, &insns[i], modes[i], got ? &insns[!i] : NULL,
		     modes[!i]);
		set_registers(run, ++run->index);
		i = !i;
	}
	return got;
}

static void print_count(uint64_t count, const char *one, const char *more)
{
	if (count)
		fprintf(stderr, "ssctr model: %" PRIu64 " %s\n", count,
			count == 1 ? one : more);
}

static int print_result(struct run *run, const char *input)
{
	if (!run->index)
		return cmd_error(&cmd, "%s: no instructions", input);
	if (!run->all && !run->samples)
		print_buffer(run);
	text_flush(&run->text);
	print_count(run->gaps, "gap in the trace: records of what was in it are missing",
		    "gaps in the trace: records of what was in them are missing");
	print_count(run->unknown_targets,
		    "trap whose handler is recorded and not in the trace: its target is not known",
		    "traps whose handler is recorded and not in the trace: their targets are not known");
	return CMD_OK;
}

static int model_trace(struct run *run, const char *input)
{
	char error[512];
	int ret;

	run->insns = insns_open(input, error, sizeof(error));
	if (!run->insns)
		return cmd_error(&cmd, "%s", error);
	if (run->rv32)
		insns_set_rv32(run->insns);
	run->rv32 = insns_rv32(run->insns);
	ret = run_trace(run);
	if (ret < 0) {
		text_flush(&run->text);
		ret = cmd_error(&cmd, "%s", insns_error(run->insns));
	} else {
		ret = print_result(run, input);
	}
	insns_close(run->insns);
	return ret;
}

static void start_model(struct run *run, unsigned int depth, bool counts)
{
	const struct model_hart hart = {
		.control = ~0ULL,
		.depths = (2 << CTR_DEPTH_MAX) - 1,
		.types = true,
		.cce_bits = counts ? MODEL_MAX_CCE_BITS : MODEL_NO_CYCLES,
	};

	model_init(&run->model, &hart);
	model_write_csr(&run->model, CTR_CSR_SCTRDEPTH, depth);
	if (!settings_have_control(&run->settings))
		model_write_csr(&run->model, CTR_CSR_SCTRCTL,
				CTR_CTL_U | CTR_CTL_S);
}

static int parse_depth(const struct cmd_opts *opts, unsigned int *depth)
{
	uint64_t value;

	if (!cmd_opts_u64(opts, &value))
		return CMD_USAGE;
	for (*depth = 0; *depth <= CTR_DEPTH_MAX; ++*depth)
		if (CTR_DEPTH_ENTRIES(*depth) == value)
			return CMD_OK;
	return cmd_usage(&cmd, "a depth is 16, 32, 64, 128 or 256, not %s",
			 opts->arg);
}

static int parse_cycles(const struct cmd_opts *opts, uint32_t *cycles)
{
	uint64_t value;

	if (!cmd_opts_u64(opts, &value))
		return CMD_USAGE;
	if (value > UINT32_MAX)
		return cmd_usage(&cmd, "%s cycles are too many", opts->arg);
	*cycles = value;
	return CMD_OK;
}

static int run_command(struct run *run, int argc, char **argv)
{
	const char *input = NULL;
	unsigned int depth = 0;
	bool counts = false;
	struct cmd_opts opts;
	char error[256];
	int id, ret = CMD_OK;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0) {
		switch (id) {
		case OPT_INPUT:
			input = opts.arg;
			break;
		case OPT_SET:
			if (!settings_add(&run->settings, opts.arg, error,
					  sizeof(error)))
				ret = cmd_usage(&cmd, "%s", error);
			break;
		case OPT_DEPTH:
			ret = parse_depth(&opts, &depth);
			break;
		case OPT_CYCLES:
			ret = parse_cycles(&opts, &run->cycles);
			counts = true;
			break;
		case OPT_ALL:
			run->all = true;
			break;
		case OPT_SAMPLES:
			run->samples = true;
			break;
		case OPT_BRSTACK:
			run->form = FORM_BRSTACK;
			break;
		case OPT_JSON:
			run->form = FORM_JSON;
			break;
		case OPT_RV32:
			run->rv32 = true;
			break;
		case OPT_ZCM:
			run->zcm = true;
			break;
		}
	}
	if (ret)
		return ret;
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (run->all && run->samples)
		return cmd_usage(&cmd, "--all and --samples exclude each other");
	input = cmd_opts_input(&opts, input);
	if (!input)
		return CMD_USAGE;
	start_model(run, depth, counts);
	return model_trace(run, input);
}

int cmd_model(int argc, char **argv)
{
	struct run run = { .form = FORM_TABLE };
	int ret = run_command(&run, argc, argv);

	settings_free(&run.settings);
	return ret;
}
