// SPDX-License-Identifier: GPL-2.0-only
#include "trace_input.h"
#include "recording.h"

bool trace_input_option(struct trace_input *input, const struct cmd_opts *opts,
			int id)
{
	uint64_t bits;

	switch (id) {
	case 'i':
		input->path = opts->arg;
		break;
	case TRACE_OPT_SPEC_INITIATORS:
		input->opts.spec_initiators = true;
		break;
	case TRACE_OPT_EVENT_BITS:
		if (!cmd_opts_u64(opts, &bits))
			return false;
		if (bits != 32 && bits != 64) {
			cmd_usage(opts->cmd, "--event-bits %s: use 32 or 64", opts->arg);
			return false;
		}
		input->opts.event_bits = (unsigned int)bits;
		break;
	}
	return true;
}

bool trace_input_operand(struct trace_input *input, const struct cmd_opts *opts)
{
	input->path = cmd_opts_input(opts, input->path);
	return input->path;
}

/* An empty file is a trace that is cut. */
static const char *hint_of(const struct trace_input *input, const struct stf_error *err)
{
	const char *hint = rec_hint(input->path);

	if (*hint || !input->otherwise ||
	    (err->code != STF_E_NOT_STF && err->code != STF_E_CUT))
		return hint;
	return input->otherwise;
}

struct stf_reader *trace_input_open(const struct trace_input *input,
				    const struct cmd *cmd)
{
	struct stf_error err;
	struct stf_reader *reader =
		stf_reader_open(input->path, &input->opts, &err);

	if (!reader)
		cmd_error(cmd, "%s%s", err.text, hint_of(input, &err));
	else
		trace_input_warn(input->path, reader, cmd);
	return reader;
}

bool trace_input_unfinished(const struct stf_reader *reader)
{
	struct stf_stats stats = { .size = sizeof(stats) };

	stf_reader_stats(reader, &stats);
	return stats.recovered;
}

void trace_input_tell_unfinished(const char *path, const struct cmd *cmd)
{
	cmd_error(cmd, "%s: the end of the trace is missing, because its writer was killed; what it has written is used",
		  path);
}

void trace_input_warn(const char *path, const struct stf_reader *reader,
		      const struct cmd *cmd)
{
	if (trace_input_unfinished(reader))
		trace_input_tell_unfinished(path, cmd);
}

const char *trace_input_hint(const char *path)
{
	struct stf_reader *reader =
		cmd_is_file(path) ? stf_reader_open(path, NULL, NULL) : NULL;

	if (!reader)
		return "";
	stf_reader_close(reader);
	return "; it is a trace, which `ssctr info`, `dump` and `check` read";
}
