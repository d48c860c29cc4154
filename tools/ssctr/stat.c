// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr stat`: what the instructions of an STF trace do. */
#include <malloc.h>
#include <string.h>

#include "stat.h"
#include "base/library.h"
#include "trace_input.h"
#include "trace_names.h"

enum {
	OPT_BY = 256,
	OPT_CSV,
	OPT_INTERVAL,
	TEXT_LIMIT = 20,
};

static const struct opt options[] = {
	TRACE_INPUT_OPTION,
	{ OPT_BY, "by", "LIST",
	  "show only these sections: mix, mnemonics, branches, correlation, code, memory, processes, functions, reuse, regions" },
	{ 'n', "limit", "N",
	  "show at most N rows of each list (20; --json and --csv: all)" },
	{ 'j', "json", NULL, "print one JSON object" },
	{ OPT_CSV, "csv", NULL, "print CSV: section,name,measure,value" },
	{ OPT_INTERVAL, "interval", "N",
	  "print instead a row of counts for every N instructions" },
	TRACE_NAMES_OPTIONS("take the functions from this file, which was moved by ADDRESS (0x...) when it was loaded; trace (default): from the files that the trace says were mapped"),
	TRACE_LAYOUT_OPTIONS,
	{ 0 }
};

static const struct cmd cmd = {
	.name = "stat",
	.usage = "[option]... [-i] TRACE",
	.about =
		"Print what the instructions of an STF trace do. The sections are:\n"
		"  mix         instructions by class and by privilege mode\n"
		"  mnemonics   instructions by mnemonic (needs an LLVM library)\n"
		"  branches    branches by kind, and the conditional branches that a 2-bit\n"
		"              counter and a gshare predict worst\n"
		"  correlation what conditional branches do by the outcome of the branch before\n"
		"  code        different bytes, lines and pages of code\n"
		"  memory      accesses by size, and different bytes, lines and pages of data\n"
		"  processes   what each thread of each process ran\n"
		"  functions   instructions and entries of each function (--symbols)\n"
		"  reuse       reuse distances of the lines of code and data\n"
		"  regions     what was used how often, by address and mapped file\n"
		"ssctr stat reads the whole trace once. It needs at most 64 MiB of memory, but\n"
		"more for the section functions, or for a trace with larger chunks than usual.",
	.example = "  ssctr stat --by mix,branches program.zstf",
	.opts = options,
};

/* By the bits of enum stat_section. */
static const char *const names[] = {
	"mix", "mnemonics", "branches", "correlation", "code", "memory", "processes",
	"functions", "reuse", "regions",
};

#define N_SECTIONS (sizeof(names) / sizeof(names[0]))

static const char *section_name(unsigned int i)
{
	return names[i];
}

struct stat_size stat_size(const struct tstat_memory *memory, unsigned int bytes)
{
	if (bytes > TSTAT_MAX_ACCESS)
		return (struct stat_size){ memory->reads.longer,
					   memory->writes.longer };
	return (struct stat_size){ memory->reads.sizes[bytes],
				   memory->writes.sizes[bytes] };
}

const char *stat_region_file(const struct stat_report *report,
			     const struct tstat_region *region)
{
	return region->file == TSTAT_NO_FILE ? NULL :
	       names_origin(report->counts.names)->maps.files[region->file].name;
}

const char *stat_function_name(const struct stat_report *report,
			       const struct tstat_function *function)
{
	return function->name ? names_shown(report->counts.names, function->name) : NULL;
}

static unsigned int parts(unsigned int sections)
{
	return (sections & (STAT_BRANCHES | STAT_CORRELATION) ? TSTAT_BRANCHES : 0) |
	       (sections & STAT_CODE ? TSTAT_CODE : 0) |
	       (sections & STAT_MEMORY ? TSTAT_MEMORY : 0) |
	       (sections & STAT_PROCESSES ? TSTAT_THREADS : 0) |
	       (sections & STAT_FUNCTIONS ? TSTAT_FUNCTIONS : 0) |
	       (sections & STAT_REUSE ? TSTAT_REUSE : 0) |
	       (sections & STAT_REGIONS ? TSTAT_REGIONS : 0);
}

static int read_header(struct stf_reader *reader, struct names *names, const char *path)
{
	const struct stf_params *params = stf_reader_params(reader);
	struct stf_record rec;
	int more = 1;

	while (!params->header_ended && (more = stf_reader_next(reader, &rec)) > 0)
		if (names && !names_record(names, &rec))
			return cmd_error(&cmd, "out of memory");
	if (more < 0)
		return cmd_error(&cmd, "%s", stf_reader_error(reader));
	return more ? CMD_OK : cmd_error(&cmd, "%s: the trace has no END_HEADER", path);
}

/* chosen: the user named the sections, so that none of them may be missing. */
static int open_disasm(struct stat_report *report, bool chosen)
{
	struct error error;

	if (!(report->sections & STAT_MNEMONICS))
		return CMD_OK;
	report->counts.mix.disasm = rv_disasm_new(&error);
	if (report->counts.mix.disasm)
		return CMD_OK;
	if (chosen)
		return cmd_error(&cmd, "--by mnemonics: %s", error.text);
	cmd_error(&cmd, "the report has no mnemonics: %s", error.text);
	report->sections &= ~STAT_MNEMONICS;
	return CMD_OK;
}

/* The rows are printed while the trace is read. */
static void start_intervals(struct stat_report *report,
			    void (*show)(struct stat_report *))
{
	struct tstat_intervals *intervals = &report->counts.intervals;

	intervals->arg = report;
	intervals->on_interval = show == stat_json ? stat_intervals_json :
				 show == stat_csv  ? stat_intervals_csv :
						     stat_intervals_text;
}

static void nothing_more(struct stat_report *report)
{
	(void)report;
}

static int count(struct stat_report *report, struct stf_reader *reader,
		 void (*show)(struct stat_report *))
{
	struct error error;
	int ret;

	report->counts.parts = parts(report->sections);
	if (report->counts.intervals.size) {
		start_intervals(report, show);
		show = nothing_more;
	}
	ret = tstat_read(&report->counts, reader, &error);
	report->ended = !ret && !trace_input_unfinished(reader);
	/* What was read before a fault is told as well, and that it is not all. */
	if (!ret || report->counts.mix.instructions) {
		show(report);
		text_flush(&report->text);
	}
	return ret ? cmd_error(&cmd, "%s", error.text) : CMD_OK;
}

/* What the options say. */
struct asked {
	struct trace_input input;
	struct trace_names names;
	bool chosen, limited;
	void (*show)(struct stat_report *report);
};

/* Behind the header: a trace that names nothing has no functions. */
static int check_names(struct stat_report *report, struct asked *asked)
{
	struct names *names = report->counts.names;

	if (!names)
		return CMD_OK;
	if (asked->chosen && report->sections & STAT_FUNCTIONS && !asked->names.symbols)
		asked->names.symbols = "trace";
	if (!trace_names_check(&asked->names, names, &cmd, asked->input.path))
		return CMD_FAIL;
	if (names_origin(names) && !names_origin(names)->version)
		report->sections &= ~STAT_FUNCTIONS;
	return CMD_OK;
}

static int read_trace(struct stat_report *report, struct asked *asked,
		      struct stf_reader *reader)
{
	int ret = read_header(reader, report->counts.names,
			      asked->input.path);

	if (!ret)
		ret = check_names(report, asked);
	if (!ret)
		ret = open_disasm(report, asked->chosen);
	return ret ? ret : count(report, reader, asked->show);
}

/*
 * Tables grow by realloc(). If malloc() did not get each large one from the kernel, those
 * that were too small would stay. LLVM needs most memory while it is loaded, so this is
 * before the trace needs any.
 */
static void save_memory(const struct stat_report *report)
{
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	if (report->sections & STAT_MNEMONICS)
		library_open_llvm();
}

static int stat_trace(struct stat_report *report, struct asked *asked)
{
	struct names *names = NULL;
	struct stf_reader *reader;
	int ret = CMD_FAIL;

	save_memory(report);
	if (report->sections & (STAT_FUNCTIONS | STAT_REGIONS)) {
		names = trace_names_open(&asked->names, &cmd);
		if (!names)
			return CMD_FAIL;
	}
	report->counts.names = names;
	reader = trace_input_open(&asked->input, &cmd);
	if (reader)
		ret = read_trace(report, asked, reader);
	if (names)
		trace_names_report(&asked->names, names, &cmd);
	rv_disasm_free(report->counts.mix.disasm);
	tstat_free(&report->counts);
	stf_reader_close(reader);
	names_close(names);
	return ret;
}

static bool take_option(struct asked *asked, struct stat_report *report,
			const struct cmd_opts *opts, int id)
{
	switch (id) {
	case OPT_BY:
		report->sections = 0;
		asked->chosen = opts_names(opts->arg, section_name, N_SECTIONS,
					   &report->sections);
		if (!asked->chosen)
			cmd_usage(&cmd, "--by %s: not a list of mix, mnemonics, branches, correlation, code, memory, processes, functions, reuse, regions",
				  opts->arg);
		return asked->chosen;
	case 'n':
		asked->limited = true;
		return cmd_opts_u64(opts, &report->limit);
	case OPT_INTERVAL:
		if (!cmd_opts_u64(opts, &report->counts.intervals.size))
			return false;
		if (!report->counts.intervals.size)
			cmd_usage(&cmd, "--interval 0: an interval has at least one instruction");
		return report->counts.intervals.size;
	case 'j':
	case OPT_CSV:
		if (asked->show && asked->show != (id == 'j' ? stat_json : stat_csv)) {
			cmd_usage(&cmd, "--json and --csv cannot be used together");
			return false;
		}
		asked->show = id == 'j' ? stat_json : stat_csv;
		return true;
	}
	if (trace_names_has_option(id))
		return !trace_names_option(&asked->names, opts, id);
	return trace_input_option(&asked->input, opts, id);
}

static int run(struct stat_report *report, struct asked *asked, int argc, char **argv)
{
	struct cmd_opts opts;
	int id;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0)
		if (!take_option(asked, report, &opts, id))
			return CMD_USAGE;
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (!trace_input_operand(&asked->input, &opts))
		return CMD_USAGE;
	if (report->counts.intervals.size &&
	    (asked->chosen || asked->limited || asked->names.symbols))
		return cmd_usage(&cmd, "--interval prints all its columns and rows, and cannot be used with --by, --limit or --symbols");
	if (report->counts.intervals.size)
		report->sections = STAT_BRANCHES;
	if (!asked->limited)
		report->limit = asked->show ? UINT64_MAX : TEXT_LIMIT;
	if (!asked->show)
		asked->show = stat_text;
	return stat_trace(report, asked);
}

int cmd_stat(int argc, char **argv)
{
	struct stat_report report = { .counts = TSTAT_INIT,
				      .sections = (1u << N_SECTIONS) - 1 };
	struct asked asked = { .input = TRACE_INPUT_INIT, .names = TRACE_NAMES_INIT };
	int ret = run(&report, &asked, argc, argv);

	trace_names_free(&asked.names);
	return ret;
}
