// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr cut --window FILE:N`: a window that a file of windows describes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut.h"
#include "windows/file.h"

/* Take options as `ssctr phases` writes them. False: it writes none like these. */
static bool take_filter(const char *text, struct stf_select_opts *w)
{
	int n;

	for (; *text; text += n) {
		n = 0;
		if (sscanf(text, "--user%n", &n), n)
			w->modes = 1 << STF_MODE_USER;
		else if (sscanf(text, "--hart %" SCNu32 "%n", &w->process.hart, &n), n)
			w->by_hart = true;
		else if (sscanf(text, "--pid %" SCNu32 "%n", &w->process.pid, &n), n)
			w->by_pid = true;
		else if (sscanf(text, "--tid %" SCNu32 "%n", &w->process.tid, &n), n)
			w->by_tid = true;
		else
			return false;
		n += text[n] == ' ';
	}
	return true;
}

/* Its event may have any name, also "instructions". But its intervals have samples. */
static bool is_of_recording(const struct windows_plan *plan)
{
	return strcmp(plan->unit, "instructions") || plan->v[0].samples;
}

static int take(const struct cmd *cmd, const struct windows_plan *plan, const char *path,
		uint64_t number, struct stf_select_opts *w)
{
	uint64_t warmup;

	if (is_of_recording(plan))
		return cmd_error(cmd, "%s: its windows are parts of a recording, and not of a trace",
				 path);
	if (number >= plan->nr || !plan->v[number].chosen)
		return cmd_error(cmd, "%s: there is no window %" PRIu64, path, number);
	if (!take_filter(plan->filter, w))
		return cmd_error(cmd, "%s: unknown cut-options: %s", path, plan->filter);
	warmup = windows_warmup(plan, number);
	w->start = plan->v[number].start - warmup;
	w->limit = plan->v[number].length + warmup;
	return CMD_OK;
}

static int read_file(const struct cmd *cmd, const char *path, uint64_t number,
		     struct stf_select_opts *w)
{
	struct windows_plan plan;
	struct error error;
	FILE *file = fopen(path, "r");
	int ret;

	if (!file)
		return cmd_error(cmd, "%s: %s", path, strerror(errno));
	ret = windows_file_read(&plan, file, path, &error);
	fclose(file);
	ret = ret ? cmd_error(cmd, "%s", error.text) :
		    take(cmd, &plan, path, number, w);
	windows_file_free(&plan);
	return ret;
}

int cut_window(const struct cmd *cmd, const char *arg, const char *output,
	       struct stf_select_opts *windows)
{
	const char *colon = strrchr(arg, ':');
	uint64_t number;
	char *path, *end;
	int ret;

	if (!colon || colon == arg || colon[1] < '0' || colon[1] > '9')
		return cmd_usage(cmd, "--window %s: use FILE:N, the number of a window in a file of windows",
				 arg);
	number = strtoull(colon + 1, &end, 10);
	if (*end)
		return cmd_usage(cmd, "--window %s: '%s' is not a number", arg, colon + 1);
	path = strndup(arg, (size_t)(colon - arg));
	if (!path)
		return cmd_error(cmd, "out of memory");
	ret = cmd_keeps_input(cmd, output, path) ? read_file(cmd, path, number, windows) :
						   CMD_FAIL;
	free(path);
	return ret;
}
