// SPDX-License-Identifier: GPL-2.0-only
#include "profile/options.h"
#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The format whose name is the first len bytes; PROF_NR_FORMATS: none. */
static enum prof_format format_named(const char *name, size_t len)
{
	enum prof_format i = 0;

	while (i < PROF_NR_FORMATS && (strncmp(prof_format_name(i), name, len) ||
				       prof_format_name(i)[len]))
		i++;
	return i;
}

/* "llvm, llvm-ext, ...", as far as there is room. Returns text. */
static const char *list_formats(char *text, size_t size)
{
	enum prof_format i;
	size_t len = 0;

	for (i = 0; i < PROF_NR_FORMATS && len < size; i++)
		len += snprintf(text + len, size - len, "%s%s", i ? ", " : "",
				prof_format_name(i));
	return text;
}

static bool parse_formats(struct prof_opts *opts, const char *list)
{
	opts->nr_formats = 0;
	while (*list) {
		size_t len = strcspn(list, ",");
		enum prof_format format = format_named(list, len);

		if (format == PROF_NR_FORMATS || prof_has_format(opts, format))
			return false;
		opts->formats[opts->nr_formats++] = format;
		list += len + !!list[len];
	}
	return opts->nr_formats;
}

static int add_name(const char ***names, size_t *nr, size_t *cap,
		    const char *name, struct error *error)
{
	if (!array_room(names, *nr, cap, sizeof(**names)))
		return error_nomem(error);
	(*names)[(*nr)++] = name;
	return 0;
}

int prof_option(struct prof_opts *opts, int id, const char *arg,
		struct error *error)
{
	char formats[128];

	switch (id) {
	case PROF_OPT_BINARY:
		return add_name(&opts->binaries, &opts->nr_binaries,
				&opts->cap_binaries, arg, error);
	case PROF_OPT_OUTPUT:
		opts->output = arg;
		return 0;
	case PROF_OPT_FORMAT:
		if (parse_formats(opts, arg))
			return 0;
		return error_set(error, ERROR_USAGE,
				 "--format %s: not a list of %s, each once at most",
				 arg, list_formats(formats, sizeof(formats)));
	case PROF_OPT_MERGE:
		return add_name(&opts->merge, &opts->nr_merge, &opts->cap_merge,
				arg, error);
	case PROF_OPT_GCOV_VERSION:
		if (opts_u64(arg, &opts->gcov_version, error))
			return ERROR_USAGE;
		if (opts->gcov_version == PROF_GCOV_2 ||
		    opts->gcov_version == PROF_GCOV_3)
			return 0;
		return error_set(error, ERROR_USAGE,
				 "--gcov-version %s: use 2 or 3", arg);
	case PROF_OPT_ALL:
		opts->all = true;
		return 0;
	case PROF_OPT_STALE:
		opts->stale = true;
		return 0;
	case PROF_OPT_RAW:
		opts->raw = true;
		return 0;
	default:
		return error_set(error, ERROR_USAGE, "option %d is not known",
				 id);
	}
}

int prof_check_opts(const struct prof_opts *opts, struct error *error)
{
	if (!opts->nr_binaries && !opts->all)
		return error_set(error, ERROR_USAGE,
				 "no program is given; name it with -b, or use --all");
	if (opts->nr_binaries && opts->all)
		return error_set(error, ERROR_USAGE,
				 "-b and --all cannot be used together");
	if (opts->stale && prof_is_folder(opts))
		return error_set(error, ERROR_USAGE,
				 "--stale is for one binary; name it with -b");
	if (!opts->output)
		return error_set(error, ERROR_USAGE,
				 "no output is given; name it with -o");
	if (prof_is_folder(opts) && !strcmp(opts->output, "-"))
		return error_set(error, ERROR_USAGE,
				 "profiles of several binaries cannot be written to standard output; name a folder with -o");
	if (opts->nr_formats > 1 && !strcmp(opts->output, "-"))
		return error_set(error, ERROR_USAGE,
				 "several formats cannot be written to standard output; name a file with -o");
	return 0;
}

void prof_opts_free(struct prof_opts *opts)
{
	free(opts->binaries);
	free(opts->merge);
}
