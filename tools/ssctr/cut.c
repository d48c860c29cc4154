// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr cut`: a part of an STF trace as a trace of its own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/notes.h"
#include "cut.h"
#include "trace_input.h"
#include "trace_output.h"
#include "tracefile/tracefile.h"

enum {
	OPT_LAST = 256,
	OPT_EVERY,
	OPT_FROM,
	OPT_TO,
	OPT_WINDOWS,
	OPT_WINDOW,
	OPT_SYMBOLS,
	OPT_DROP,
	OPT_NEAR,
	OPT_PC,
};

static const struct opt options[] = {
	TRACE_INPUT_OPTION,
	TRACE_OUTPUT_OPTION,
	{ 's', "start", "N", "begin with instruction N; the first is 0" },
	{ 'n', "limit", "N", "take at most N instructions, or N in each window" },
	{ OPT_LAST, "last", "N", "take the last N instructions" },
	{ OPT_EVERY, "every", "N", "begin a window every N instructions" },
	{ OPT_FROM, "from", "PLACE", "begin a window at each instruction at PLACE" },
	{ OPT_TO, "to", "PLACE", "end a window with the next instruction at PLACE" },
	{ OPT_WINDOWS, "windows", "A[-[B]]", "take only the windows A to B; the first is 1" },
	{ OPT_WINDOW, "window", "FILE:N",
	  "take window N of FILE, which ssctr phases or ssctr stf wrote, and its warm-up" },
	{ OPT_SYMBOLS, "symbols", "ELF[@ADDRESS]",
	  "take the symbols of PLACE from this file, which was moved by ADDRESS (0x...) when it was loaded" },
	CUT_FILTER_OPTIONS("take"),
	{ OPT_PC, "pc", "RANGES",
	  "take only instructions at these addresses: 0xSTART-0xEND,..., without END" },
	{ OPT_DROP, "drop", "LIST",
	  "leave these records out: events, modes, memory, bus, registers, walks, microops, comments, processes" },
	TRACE_HEADER_OPTIONS,
	{ OPT_NEAR, "near", NULL,
	  "read only one chunk of a .zstf before the start, even if it does not tell the mode, the process or the registers" },
	TRACE_CONTAINER_OPTIONS,
	TRACE_LAYOUT_OPTIONS,
	{ 0 }
};

static const struct cmd cmd = {
	.name = "cut",
	.usage = "[option]... -o TRACE [-i] TRACE",
	.about =
		"Write a part of an STF trace as a trace of its own, which begins with what a\n"
		"reader needs to know there: the PC, the process, the mode and the registers.\n"
		"Without options for a part, ssctr cut copies the trace into another container.\n\n"
		"PLACE is one of:\n"
		"  0xPC            the instruction at this address\n"
		"  SYMBOL          the instruction at the start of this symbol (--symbols)\n"
		"  opcode:0xCODE   an instruction with this opcode, such as a marker\n"
		"  event:NAME      an instruction with this event, such as USER_ECALL\n\n"
		"--start uses the index of a .zstf if the chunk before the start tells the mode\n"
		"and the process, and if the trace has no registers.",
	.example =
		"  ssctr cut --start 1000000 --limit 200000 -o window.zstf program.zstf\n"
		"  ssctr cut --every 1000000 --limit 10000 -o sampled.zstf program.zstf",
	.opts = options,
};

/* By the bits of enum tcut_drop. */
static const char *const records[] = {
	"events", "modes", "memory", "bus", "registers",
	"walks", "microops", "comments", "processes",
};

#define N_RECORDS (sizeof(records) / sizeof(records[0]))

/* What the options say. */
struct asked {
	struct trace_input input;
	struct trace_output output;
	struct tcut_opts cut;
	bool has_start; /* which may be 0 */
	uint64_t last;
	const char *from, *to, *symbols, *window;
	struct stf_pc_range ranges[CUT_MAX_RANGES];
};

static const char *record_name(unsigned int i)
{
	return records[i];
}

/* A, A- or A-B. */
static bool parse_windows(struct stf_select_opts *windows, const char *arg)
{
	char *end;

	if (*arg < '0' || *arg > '9')
		return false;
	windows->first_window = windows->last_window = strtoull(arg, &end, 10);
	if (*end == '-') {
		arg = end + 1;
		windows->last_window = 0;
		if (*arg >= '0' && *arg <= '9')
			windows->last_window = strtoull(arg, &end, 10);
		else
			end++;
	}
	return !*end && windows->first_window &&
	       (!windows->last_window ||
		windows->last_window >= windows->first_window);
}

static bool take_list(struct asked *asked, const struct cmd_opts *opts, int id)
{
	if (id == OPT_DROP &&
	    !opts_names(opts->arg, record_name, N_RECORDS, &asked->cut.drop)) {
		cmd_usage(&cmd, "--drop %s: not a list of events, modes, memory, bus, registers, walks, microops, comments, processes",
			  opts->arg);
		return false;
	}
	if (id == OPT_WINDOWS && !parse_windows(&asked->cut.windows, opts->arg)) {
		cmd_usage(&cmd, "--windows %s: use A, A- or A-B with numbers from 1",
			  opts->arg);
		return false;
	}
	return true;
}

static bool take_option(struct asked *asked, const struct cmd_opts *opts, int id)
{
	struct stf_select_opts *windows = &asked->cut.windows;

	switch (id) {
	case 's':
		asked->has_start = true;
		return cmd_opts_u64(opts, &windows->start);
	case 'n':
		return trace_count(opts, &windows->limit);
	case OPT_LAST:
		return trace_count(opts, &asked->last);
	case OPT_EVERY:
		return trace_count(opts, &windows->every);
	case OPT_FROM:
		asked->from = opts->arg;
		return true;
	case OPT_TO:
		asked->to = opts->arg;
		return true;
	case OPT_WINDOW:
		asked->window = opts->arg;
		return true;
	case OPT_SYMBOLS:
		asked->symbols = opts->arg;
		return true;
	case OPT_PC:
		windows->ranges = asked->ranges;
		return cut_ranges(&cmd, opts->arg, asked->ranges, &windows->n_ranges);
	case OPT_DROP:
	case OPT_WINDOWS:
		return take_list(asked, opts, id);
	case OPT_NEAR:
		asked->cut.near = true;
		return true;
	}
	if (cut_filter_has(id))
		return cut_filter_option(windows, opts, id);
	if (trace_output_has(id))
		return trace_output_option(&asked->output, opts, id);
	return trace_input_option(&asked->input, opts, id);
}

/* ---------------------------------------------------------------- the command */

static int find_places(struct asked *asked)
{
	struct stf_select_opts *windows = &asked->cut.windows;
	struct names *names = NULL;
	struct error error;
	int ret = CMD_OK;

	if (asked->symbols) {
		names = names_open(asked->symbols, &error);
		if (!names)
			return cmd_error(&cmd, "--symbols: %s", error.text);
		/* Places have names in the source, too. */
		if (!names_demangle(names))
			ret = cmd_error(&cmd, "out of memory");
	}
	if (!ret && asked->from)
		ret = cut_place(&cmd, "--from", asked->from, names,
				&windows->from);
	if (!ret && asked->to)
		ret = cut_place(&cmd, "--to", asked->to, names, &windows->to);
	names_close(names);
	return ret;
}

static bool has_filter(const struct stf_select_opts *windows)
{
	return windows->modes || windows->by_hart || windows->by_pid || windows->by_tid ||
	       windows->n_ranges;
}

/* tcut_count() of the input. Returns CMD_*. */
static int count(const struct asked *asked, const struct stf_select *filter, uint64_t most,
		 uint64_t *instructions, uint64_t *end)
{
	struct stf_reader *reader = trace_input_open(&asked->input, &cmd);
	struct error error;
	int ret;

	if (!reader)
		return CMD_FAIL;
	ret = tcut_count(reader, filter, most, instructions, end, &error);
	stf_reader_close(reader);
	return ret ? cmd_error(&cmd, "%s", error.text) : CMD_OK;
}

/* The start of the last instructions that the filters let pass. Returns CMD_*. */
static int find_last(struct asked *asked)
{
	struct stf_select_opts *windows = &asked->cut.windows;
	struct stf_select *filter = NULL;
	uint64_t all, end;
	int ret;

	if (!cmd_is_file(asked->input.path))
		return cmd_error(&cmd, "--last needs a trace in a file, because it reads the trace more than once");
	if (has_filter(windows)) {
		filter = cut_select(&cmd, windows);
		if (!filter)
			return CMD_FAIL;
	}
	ret = count(asked, filter, UINT64_MAX, &all, &end);
	if (!ret && all > asked->last) {
		windows->start = all - asked->last;
		/* What is left out lies between them. */
		if (filter)
			ret = count(asked, filter, all - asked->last, &all, &windows->start);
	}
	stf_select_free(filter);
	return ret;
}

/* With --near: what of the state is not in the new trace, but may be in the old one. */
static void tell_lack(const struct tcut_result *result)
{
	const char *what[3];
	unsigned int n = 0;

	if (result->no_mode)
		what[n++] = "the privilege mode";
	if (result->no_process)
		what[n++] = "the process";
	if (result->no_registers)
		what[n++] = "all registers";
	if (n)
		cmd_error(&cmd, "at its start, the new trace does not tell %s%s%s%s%s; leave out --near to read all of the trace before it",
			  what[0], n > 2 ? ", " : "", n > 2 ? what[1] : "",
			  n > 1 ? " and " : "", n > 1 ? what[n - 1] : "");
}

static void tell(const struct asked *asked, const struct tcut_result *result)
{
	const struct stf_select_opts *windows = &asked->cut.windows;

	if (result->ended_inside && windows->to.kind)
		cmd_error(&cmd, "the trace ends before the last window does: --to %s does not come any more",
			  asked->to);
	else if (result->ended_inside)
		cmd_error(&cmd, "the trace ends before the last window does: %" PRIu64
			  " instructions are written",
			  result->instructions);
	tell_lack(result);
}

static int nothing(const struct asked *asked)
{
	const struct stf_select_opts *windows = &asked->cut.windows;

	if (cut_is_user(windows))
		return cmd_error(&cmd, "no instruction is selected; --user takes those that the trace says are in user mode, which `ssctr stat --by mix` counts");
	return cmd_error(&cmd, "no instruction is selected; `ssctr info %s` prints how many the trace has",
			 asked->input.path);
}

static int cut(const struct asked *asked, struct stf_reader *reader)
{
	struct tcut_result result = { 0 };
	struct tracefile file;
	struct error error;
	int ret;

	if (tracefile_open(&file, asked->output.path, &asked->output.opts, &error))
		return cmd_error(&cmd, "%s", error.text);
	ret = tcut_run(&asked->cut, reader, file.writer, &result, &error);
	if (ret) {
		struct error unused;

		tracefile_close(&file, false, &unused);
		return ret == ERROR_NOTHING ? nothing(asked) :
					      cmd_error(&cmd, "%s", error.text);
	}
	if (tracefile_close(&file, true, &error))
		return cmd_error(&cmd, "%s", error.text);
	tell(asked, &result);
	return CMD_OK;
}

/* Threads would read chunks ahead of which one window that the index finds needs none. */
static bool is_near(const struct asked *asked)
{
	const struct stf_select_opts *w = &asked->cut.windows;

	return asked->last ||
	       (w->limit && !w->every && !asked->from && !w->first_window);
}

static int run(struct asked *asked, const char *done)
{
	const char *comments[] = { done, asked->output.comment, NULL };
	struct stf_reader *reader;
	int ret;

	asked->cut.comments = comments;
	asked->cut.isa = asked->output.isa;
	asked->cut.event_bits = asked->input.opts.event_bits;
	asked->output.opts.spec_initiators = asked->input.opts.spec_initiators;
	ret = find_places(asked);
	if (!ret && asked->last)
		ret = find_last(asked);
	if (ret)
		return ret;
	if (is_near(asked))
		asked->input.opts.threads = STF_NO_THREADS;
	reader = trace_input_open(&asked->input, &cmd);
	if (!reader)
		return CMD_FAIL;
	ret = cut(asked, reader);
	stf_reader_close(reader);
	return ret;
}

static const char *contradiction(const struct asked *asked)
{
	const struct stf_select_opts *w = &asked->cut.windows;

	if (asked->window && (asked->last || w->start || w->every || asked->from || asked->to ||
			      w->first_window || w->limit))
		return "--window cannot be used with --start, --limit, --last, --every, --from, --to or --windows";
	/* Its length counts what the filters of its file select. */
	if (asked->window && has_filter(w))
		return "--window cannot be used with --user, --hart, --pid, --tid or --pc; cut the window first, and filter the new trace";
	if (asked->last && (w->start || w->every || asked->from || asked->to ||
			    w->first_window || w->limit))
		return "--last cannot be used with --start, --limit, --every, --from, --to or --windows";
	if (asked->cut.near && !asked->has_start && !asked->last && !asked->window)
		return "--near needs --start, --last or --window, because it limits what is read before the start";
	if (w->every && asked->from)
		return "--every and --from both say where windows begin; use one of them";
	if (w->every && !w->limit)
		return "--every needs --limit, the number of instructions in a window";
	if (w->every && w->limit > w->every)
		return "--limit must not be larger than --every, because windows cannot overlap";
	if (w->first_window && !w->limit && !asked->from && !asked->to)
		return "--windows needs --limit, --from or --to, which say what a window is";
	return NULL;
}

int cmd_cut(int argc, char **argv)
{
	struct asked asked = {
		.cut.windows.size = sizeof(asked.cut.windows),
		.input = TRACE_INPUT_INIT,
		.output = TRACE_OUTPUT_INIT,
	};
	struct cut_words words = CUT_WORDS_INIT;
	struct cmd_opts opts;
	const char *wrong, *path;
	int id, ret;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0) {
		if (!take_option(&asked, &opts, id))
			return CMD_USAGE;
		cut_words_add(&words, options, id, opts.arg);
	}
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (!trace_input_operand(&asked.input, &opts))
		return CMD_USAGE;
	if (!asked.output.path)
		return cmd_usage(&cmd, "no output is given; name it with -o");
	wrong = contradiction(&asked);
	if (wrong)
		return cmd_usage(&cmd, "%s", wrong);
	if (!cmd_keeps_input(&cmd, asked.output.path, asked.input.path) ||
	    !cmd_takes_binary(&cmd, asked.output.path))
		return CMD_FAIL;
	if (asked.window && (ret = cut_window(&cmd, asked.window, asked.output.path, &asked.cut.windows)))
		return ret;
	path = asked.input.path;
	return run(&asked, cut_words_end(&words, "cut", &path, 1, " all"));
}
