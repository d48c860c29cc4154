// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr info`: what an STF trace or a counts file is, and how much of what is in it. */
#include "countfile/countfile.h"
#include "info.h"
#include "trace_input.h"

static const struct opt options[] = {
	TRACE_INPUT_OPTION,
	{ 'j', "json", NULL, "print one JSON object" },
	TRACE_LAYOUT_OPTIONS,
	{ 0 }
};

static const struct cmd cmd = {
	.name = "info",
	.usage = "[option]... [-i] TRACE|COUNTS",
	.about =
		"Print the header of an STF trace and these counts: records by kind,\n"
		"instructions, gaps (places where instructions are missing), taken branches, the\n"
		"instruction mix, memory accesses, pages of data and code, events and threads.\n"
		"Print also how well the trace is compressed. ssctr info reads the whole trace.\n"
		"Of a counts file, print its sources, time, events and counts, and its binaries.",
	.example =
		"  ssctr info program.zstf\n"
		"  ssctr info fleet.counts",
	.opts = options,
};

static int read_header(struct stats *stats, struct stf_reader *reader,
		       struct text *text, bool json, const char *path)
{
	const struct stf_params *params = stf_reader_params(reader);
	struct stf_record rec;
	struct error error;
	int more = 1;

	while (!params->header_ended) {
		more = stf_reader_next(reader, &rec);
		if (more <= 0)
			break;
		if (stats_record(stats, &rec, &error))
			return cmd_error(&cmd, "%s", error.text);
		if (json)
			info_json_header(text, &rec);
		else
			info_text_header(text, &rec);
	}
	if (!more)
		return cmd_error(&cmd, "%s: the trace has no END_HEADER", path);
	return more < 0 ? cmd_error(&cmd, "%s", stf_reader_error(reader)) :
			  CMD_OK;
}

static int info_trace(struct stats *stats, struct stf_reader *reader, bool json,
		      const char *path)
{
	struct text text = { .len = 0 };
	struct error error;
	int ret = read_header(stats, reader, &text, json, path);
	bool ended;

	if (ret)
		return ret;
	if (stats_read(stats, reader, &error))
		ret = cmd_error(&cmd, "%s", error.text);
	ended = !ret && !trace_input_unfinished(reader);
	/* What was read before a fault is told as well. */
	if (json)
		info_json(&text, stats, ended);
	else
		info_text(&text, stats, ended);
	return ret;
}

static int info_of_counts(const char *path, bool json)
{
	struct error error;

	return info_counts(path, json, &error) ? cmd_error(&cmd, "%s", error.text) : CMD_OK;
}

int cmd_info(int argc, char **argv)
{
	struct trace_input input = TRACE_INPUT_INIT;
	struct stats stats = { .n_events = 0 };
	struct stf_reader *reader;
	struct cmd_opts opts;
	bool json = false;
	int id, ret;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0) {
		if (id == 'j')
			json = true;
		else if (!trace_input_option(&input, &opts, id))
			return CMD_USAGE;
	}
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (!trace_input_operand(&input, &opts))
		return CMD_USAGE;
	cmd_take_pipe(&input.path);
	if (cf_is_countfile(input.path))
		return info_of_counts(input.path, json);
	input.otherwise = "; `ssctr info` reads STF traces and counts files";
	reader = trace_input_open(&input, &cmd);
	if (!reader)
		return CMD_FAIL;
	ret = info_trace(&stats, reader, json, input.path);
	stf_reader_close(reader);
	stats_free(&stats);
	return ret;
}
