// SPDX-License-Identifier: GPL-2.0-only
#include "trace_output.h"

bool trace_output_has(int id)
{
	return id == 'o' || (id >= TRACE_OPT_LEVEL && id <= TRACE_OPT_COMMENT);
}

bool trace_count(const struct cmd_opts *opts, uint64_t *count)
{
	if (!cmd_opts_u64(opts, count))
		return false;
	if (!*count)
		cmd_usage(opts->cmd, "--%s 0: use at least 1", opts->words.opt->name);
	return *count;
}

bool trace_output_option(struct trace_output *output, const struct cmd_opts *opts,
			 int id)
{
	uint64_t level;

	switch (id) {
	case 'o':
		output->path = opts->arg;
		return true;
	case TRACE_OPT_ISA:
		output->isa = opts->arg;
		return true;
	case TRACE_OPT_COMMENT:
		output->comment = opts->arg;
		return true;
	case TRACE_OPT_CHUNK:
		return trace_count(opts, &output->opts.chunk_markers);
	}
	if (!cmd_opts_u64(opts, &level))
		return false;
	output->opts.level = (int)level;
	if (level && level <= 19)
		return true;
	cmd_usage(opts->cmd, "--level %s: use 1 to 19", opts->arg);
	return false;
}
