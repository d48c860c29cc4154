// SPDX-License-Identifier: GPL-2.0-only
#include "trace_names.h"

#include <string.h>

bool trace_names_has_option(int id)
{
	return id == TRACE_NAMES_OPT_SYMBOLS || id == TRACE_NAMES_OPT_NO_DEMANGLE ||
	       id == SAMPLES_OPT_SYMFS || id == SAMPLES_OPT_CODE ||
	       id == SAMPLES_OPT_VMLINUX || id == SAMPLES_OPT_KALLSYMS;
}

int trace_names_option(struct trace_names *names, const struct cmd_opts *opts, int id)
{
	struct error error;

	if (id == TRACE_NAMES_OPT_SYMBOLS)
		names->symbols = opts->arg;
	else if (id == TRACE_NAMES_OPT_NO_DEMANGLE)
		names->mangled = true;
	else if (samples_option(&names->where, id, opts->arg, &error))
		return cmd_usage(opts->cmd, "%s", error.text);
	return CMD_OK;
}

static bool of_trace(const struct trace_names *names)
{
	return !names->symbols || !strcmp(names->symbols, "trace");
}

static struct names *open_places(const struct samples_opts *where, const struct cmd *cmd)
{
	struct error error;
	struct names *names;
	struct img *img;

	if (samples_check_places(where, &error)) {
		cmd_error(cmd, "%s", error.text);
		return NULL;
	}
	img = img_new(where->symfs);
	if (img && (!samples_add_places(img, where) ||
		    (where->vmlinux && !img_set_vmlinux(img, where->vmlinux)) ||
		    (where->kallsyms && !img_set_kallsyms(img, where->kallsyms)))) {
		img_free(img);
		img = NULL;
	}
	names = names_new(img);
	if (!names)
		cmd_error(cmd, "out of memory");
	return names;
}

static struct names *open_file(const char *symbols, const struct cmd *cmd)
{
	struct error error;
	struct names *names = names_open(symbols, &error);

	if (!names)
		cmd_error(cmd, "--symbols: %s", error.text);
	return names;
}

struct names *trace_names_open(const struct trace_names *names, const struct cmd *cmd)
{
	struct names *opened = of_trace(names) ? open_places(&names->where, cmd) :
						 open_file(names->symbols, cmd);

	if (!opened || names->mangled || names_demangle(opened))
		return opened;
	cmd_error(cmd, "out of memory");
	names_close(opened);
	return NULL;
}

bool trace_names_check(const struct trace_names *names, const struct names *from,
		       const struct cmd *cmd, const char *path)
{
	if (!names->symbols || !of_trace(names) || names_origin(from)->version)
		return true;
	cmd_error(cmd, "--symbols trace: %s does not tell which files were mapped; name the program with --symbols ELF",
		  path);
	return false;
}

/* Without --symfs, most files of another machine lack names, for one reason. */
static void report_files(const struct names *from, const struct cmd *cmd)
{
	const char *error, *first = NULL;
	unsigned int at = 0, nr = 0;

	for (; (error = names_error(from, &at)); nr++)
		first = first ? first : error;
	if (nr == 1)
		cmd_error(cmd, "not named: %s", first);
	else if (nr)
		cmd_error(cmd, "not named: %u files; name with --symfs a folder that has the files of the machine that recorded. The first file: %s",
			  nr, first);
}

void trace_names_report(const struct trace_names *names, const struct names *from,
			const struct cmd *cmd)
{
	enum { MOST = 20 };
	const char *error;
	unsigned int at = 0, nr = 0;

	if (of_trace(names) && !names->where.symfs) {
		report_files(from, cmd);
		return;
	}
	while ((error = names_error(from, &at)))
		if (nr++ < MOST)
			cmd_error(cmd, "not named: %s", error);
	if (nr > MOST)
		cmd_error(cmd, "not named: %u other files, for such reasons", nr - MOST);
}

void trace_names_free(struct trace_names *names)
{
	samples_opts_free(&names->where);
}
