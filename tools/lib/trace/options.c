// SPDX-License-Identifier: GPL-2.0-only
#include "trace/options.h"
#include "base/outfile.h"
#include "trace/breaks.h"

#include <string.h>

/* The name's place in a list that ends with NULL; its length: it is not there. */
static unsigned int place(const char *const *names, const char *name)
{
	unsigned int i = 0;

	while (names[i] && strcmp(names[i], name))
		i++;
	return i;
}

static int take_number(const char *option, const char *arg, uint64_t least,
		       uint64_t most, const char *why, uint64_t *number,
		       struct error *error)
{
	if (opts_u64(arg, number, error))
		return ERROR_USAGE;
	if (*number >= least && *number <= most)
		return 0;
	return error_set(error, ERROR_USAGE, "--%s %s: %s", option, arg, why);
}

int trace_option(struct trace_opts *opts, int id, const char *arg,
		 struct error *error)
{
	static const char *const stitches[] = {
		[PATH_STITCH_AUTO] = "auto",
		[PATH_STITCH_ALWAYS] = "always",
		[PATH_STITCH_NEVER] = "never",
		NULL,
	};
	static const char *const splits[] = {
		[TRACE_SPLIT_NONE] = "",
		[TRACE_SPLIT_CPU] = "cpu",
		[TRACE_SPLIT_THREAD] = "thread",
		NULL,
	};
	uint64_t number = 0;
	int ret = 0;

	switch (id) {
	case TRACE_OPT_OUTPUT:
		opts->path = arg;
		return 0;
	case TRACE_OPT_GENERATOR:
		ret = take_number("generator", arg, 1, 254, "not a number from 1 to 254",
				  &number, error);
		opts->generator = number;
		return ret;
	case TRACE_OPT_PRIMARY_CPU:
		ret = take_number("primary-cpu", arg, 0, PD_NO_ID - 1,
				  "not a CPU", &number, error);
		opts->primary_cpu = number;
		return ret;
	case TRACE_OPT_SPLIT:
		opts->split = place(splits, arg);
		if (*arg && splits[opts->split])
			return 0;
		return error_set(error, ERROR_USAGE,
				 "--split %s: use cpu or thread", arg);
	case TRACE_OPT_WINDOWS:
		opts->windows_path = arg;
		return 0;
	case TRACE_OPT_VERBOSE:
		opts->on_break = trace_tell_break;
		return 0;
	case TRACE_OPT_STITCH:
		opts->stitch = place(stitches, arg);
		if (stitches[opts->stitch])
			return 0;
		return error_set(error, ERROR_USAGE,
				 "--stitch %s: use auto, always or never", arg);
	default:
		return error_set(error, ERROR_USAGE, "option %d is not known",
				 id);
	}
}

int trace_check_opts(const struct trace_opts *opts, struct error *error)
{
	if (!opts->path)
		return error_set(error, ERROR_USAGE,
				 "no output is given; name the trace with -o");
	if (opts->split && !strcmp(opts->path, "-"))
		return error_set(error, ERROR_USAGE,
				 "--split: several traces cannot be written to standard output; name a file with -o");
	if (opts->split && opts->primary_cpu != PD_NO_ID)
		return error_set(
			error, ERROR_USAGE,
			"--split and --primary-cpu cannot be used together");
	if (opts->windows_path && outfile_is_same(opts->windows_path, opts->path))
		return error_set(error, ERROR_USAGE,
				 "-o and --windows-file name the same file");
	return 0;
}
