// SPDX-License-Identifier: GPL-2.0-only
/* The files that `ssctr phases` writes: all of them, or none. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "phases.h"
#include "phases/simpoint.h"
#include "windows/file.h"

static const char *const suffixes[] = {
	[PHASES_FILE_BB] = ".bb",
	[PHASES_FILE_STARTS] = ".bb.interval",
	[PHASES_FILE_POINTS] = ".simpoints",
	[PHASES_FILE_WEIGHTS] = ".weights",
	[PHASES_FILE_LABELS] = ".labels",
};

static int open_file(struct phases_files *f, const struct phases_asked *asked,
		     unsigned int which, char *name)
{
	const struct cmd *cmd = asked->rec.cmd;
	const bool is_windows = which == PHASES_FILE_WINDOWS;
	unsigned int i;

	f->names[which] = name;
	if (!name)
		return cmd_error(cmd, "out of memory");
	if (!cmd_keeps_input_of(cmd, is_windows ? "-o" : "--simpoint", name, asked->rec.path))
		return CMD_FAIL;
	if (outfile_open(&f->out[which], name))
		return cmd_error(cmd, "%s: %s", name, strerror(errno));
	for (i = 0; i < which; i++)
		if (f->out[i].file && outfile_is_same(f->names[i], name))
			return cmd_error(cmd, "%s and %s are one file; name another one",
					 f->names[i], name);
	return CMD_OK;
}

int phases_files_open(struct phases_files *f, const struct phases_asked *asked)
{
	unsigned int i;
	int ret = CMD_OK;
	char *name;

	*f = (struct phases_files){ 0 };
	for (i = 0; asked->simpoint && !ret && i < PHASES_FILE_WINDOWS; i++) {
		if (asprintf(&name, "%s%s", asked->simpoint, suffixes[i]) < 0)
			name = NULL;
		ret = open_file(f, asked, i, name);
	}
	if (asked->output && !ret)
		ret = open_file(f, asked, PHASES_FILE_WINDOWS, strdup(asked->output));
	return ret;
}

void phases_files_write(struct phases_files *f, const struct windows_plan *plan,
			const struct phases_clusters *clusters)
{
	const struct outfile *out = f->out;

	if (out[PHASES_FILE_BB].file) {
		phases_simpoint_starts(plan, out[PHASES_FILE_STARTS].file);
		phases_simpoint_points(plan, out[PHASES_FILE_POINTS].file);
		phases_simpoint_weights(plan, out[PHASES_FILE_WEIGHTS].file);
		phases_simpoint_labels(plan, clusters, out[PHASES_FILE_LABELS].file);
	}
	if (out[PHASES_FILE_WINDOWS].file)
		windows_file_write(plan, out[PHASES_FILE_WINDOWS].file);
}

static bool cannot_write(const struct cmd *cmd, const char *name, int error)
{
	if (error)
		cmd_error(cmd, "cannot write %s: %s", name, strerror(error));
	return error;
}

/* Before the first file has its name, all of them are written. */
int phases_files_close(struct phases_files *f, const struct cmd *cmd, bool keep)
{
	bool failed = false;
	unsigned int i;

	for (i = 0; i < PHASES_NR_FILES && keep && !failed; i++)
		if (f->out[i].file)
			failed = cannot_write(cmd, f->names[i], outfile_flush(f->out[i].file));
	for (i = 0; i < PHASES_NR_FILES; i++) {
		if (f->out[i].file && outfile_close(&f->out[i], keep && !failed) && keep &&
		    !failed)
			failed = cannot_write(cmd, f->names[i], errno);
		free(f->names[i]);
		f->names[i] = NULL;
	}
	return failed ? CMD_FAIL : CMD_OK;
}
