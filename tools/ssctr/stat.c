// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr stat`: what the instructions of an STF trace do. */
#include <string.h>

#include "stat.h"
#include "trace_input.h"

enum {
	OPT_BY = 256,
	OPT_LIMIT,
	OPT_CSV,
	TEXT_LIMIT = 20,
};

static const struct opt options[] = {
	TRACE_INPUT_OPTION,
	{ OPT_BY, "by", "LIST",
	  "show only these sections: mix, mnemonics, branches, code, memory, processes" },
	{ OPT_LIMIT, "limit", "N",
	  "show at most N rows of each list (20; --json and --csv: all)" },
	{ 'j', "json", NULL, "print one JSON object" },
	{ OPT_CSV, "csv", NULL, "print CSV: section,name,measure,value" },
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
		"  code        different bytes, lines and pages of code\n"
		"  memory      accesses by size, and different bytes, lines and pages of data\n"
		"  processes   what each thread of each process ran\n"
		"ssctr stat reads the whole trace once, and needs at most 45 MiB for its counts.",
	.example = "  ssctr stat --by mix,branches program.zstf",
	.opts = options,
};

/* By the bits of enum stat_section. */
static const char *const names[] = {
	"mix", "mnemonics", "branches", "code", "memory", "processes",
};

#define N_SECTIONS (sizeof(names) / sizeof(names[0]))

static bool parse_sections(unsigned int *sections, const char *list)
{
	*sections = 0;
	for (;;) {
		size_t i, size = strcspn(list, ",");

		for (i = 0; i < N_SECTIONS; i++)
			if (strlen(names[i]) == size &&
			    !strncmp(list, names[i], size))
				break;
		if (i == N_SECTIONS)
			return false;
		*sections |= 1u << i;
		list += size;
		if (!*list++)
			return true;
	}
}

struct stat_size stat_size(const struct tstat_memory *memory, unsigned int bytes)
{
	if (bytes > TSTAT_MAX_ACCESS)
		return (struct stat_size){ memory->reads.longer,
					   memory->writes.longer };
	return (struct stat_size){ memory->reads.sizes[bytes],
				   memory->writes.sizes[bytes] };
}

static unsigned int parts(unsigned int sections)
{
	return (sections & STAT_BRANCHES ? TSTAT_BRANCHES : 0) |
	       (sections & STAT_CODE ? TSTAT_CODE : 0) |
	       (sections & STAT_MEMORY ? TSTAT_MEMORY : 0) |
	       (sections & STAT_PROCESSES ? TSTAT_THREADS : 0);
}

static int read_header(struct stf_reader *reader, const char *path)
{
	const struct stf_params *params = stf_reader_params(reader);
	struct stf_record rec;
	int more = 1;

	while (more > 0 && !params->header_ended)
		more = stf_reader_next(reader, &rec);
	if (more < 0)
		return cmd_error(&cmd, "%s", stf_reader_error(reader));
	return more ? CMD_OK : cmd_error(&cmd, "%s: the trace has no END_HEADER", path);
}

/* chosen: the user named the sections, so that none of them may be missing. */
static int open_disasm(struct stat_report *report, struct stf_reader *reader,
		       bool chosen)
{
	bool rv32 = stf_reader_params(reader)->iem == STF_IEM_RV32;
	struct error error;

	if (!(report->sections & STAT_MNEMONICS))
		return CMD_OK;
	report->counts.mix.disasm = rv_disasm_new(rv32, &error);
	if (report->counts.mix.disasm)
		return CMD_OK;
	if (chosen)
		return cmd_error(&cmd, "--by mnemonics: %s", error.text);
	cmd_error(&cmd, "the report has no mnemonics: %s", error.text);
	report->sections &= ~STAT_MNEMONICS;
	return CMD_OK;
}

static int count(struct stat_report *report, struct stf_reader *reader,
		 void (*show)(struct stat_report *))
{
	struct error error;
	int ret;

	report->counts.parts = parts(report->sections);
	ret = tstat_read(&report->counts, reader, &error);
	report->complete = !ret;
	/* What was read before a fault is told as well, and that it is not all. */
	if (!ret || report->counts.mix.instructions) {
		show(report);
		text_flush(&report->text);
	}
	return ret ? cmd_error(&cmd, "%s", error.text) : CMD_OK;
}

static int stat_trace(struct stat_report *report, const struct trace_input *input,
		      bool chosen, void (*show)(struct stat_report *))
{
	struct stf_reader *reader = trace_input_open(input, &cmd);
	int ret;

	if (!reader)
		return CMD_FAIL;
	ret = read_header(reader, input->path);
	if (!ret)
		ret = open_disasm(report, reader, chosen);
	if (!ret)
		ret = count(report, reader, show);
	rv_disasm_free(report->counts.mix.disasm);
	tstat_free(&report->counts);
	stf_reader_close(reader);
	return ret;
}

/* What the options say. */
struct asked {
	struct trace_input input;
	bool chosen, limited;
	void (*show)(struct stat_report *report);
};

static bool take_option(struct asked *asked, struct stat_report *report,
			const struct cmd_opts *opts, int id)
{
	switch (id) {
	case OPT_BY:
		asked->chosen = parse_sections(&report->sections, opts->arg);
		if (!asked->chosen)
			cmd_usage(&cmd, "--by %s: not a list of mix, mnemonics, branches, code, memory, processes",
				  opts->arg);
		return asked->chosen;
	case OPT_LIMIT:
		asked->limited = true;
		return cmd_opts_u64(opts, &report->limit);
	case 'j':
	case OPT_CSV:
		if (asked->show && asked->show != (id == 'j' ? stat_json : stat_csv)) {
			cmd_usage(&cmd, "--json and --csv cannot be used together");
			return false;
		}
		asked->show = id == 'j' ? stat_json : stat_csv;
		return true;
	}
	return trace_input_option(&asked->input, opts, id);
}

int cmd_stat(int argc, char **argv)
{
	struct stat_report report = { .counts = TSTAT_INIT,
				      .sections = (1u << N_SECTIONS) - 1 };
	struct asked asked = { .input = TRACE_INPUT_INIT };
	struct cmd_opts opts;
	int id;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0)
		if (!take_option(&asked, &report, &opts, id))
			return CMD_USAGE;
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (!trace_input_operand(&asked.input, &opts))
		return CMD_USAGE;
	if (!asked.limited)
		report.limit = asked.show ? UINT64_MAX : TEXT_LIMIT;
	return stat_trace(&report, &asked.input, asked.chosen,
			  asked.show ? asked.show : stat_text);
}
