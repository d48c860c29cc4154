// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "base/file.h"
#include "base/keeps.h"
#include "base/plain.h"
#include "base/tempfile.h"
#include "countfile/levels.h"
#include "merge.h"
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int no_memory(const struct merge_inputs *inputs)
{
	return cmd_error(inputs->rec->cmd, "out of memory");
}

/* The others can be merged. */
static int refuse(struct merge_inputs *inputs, const char *name, const char *why)
{
	cmd_error(inputs->rec->cmd, "%s: %s", name, why);
	inputs->refused++;
	return CMD_OK;
}

/* The input as it is read: path, and what it is for the user. */
static int append(struct merge_inputs *inputs, const char *path, const struct cf_input *as)
{
	struct cf_input *in;

	if (!array_room(&inputs->v, inputs->nr, &inputs->cap, sizeof(*in)))
		return no_memory(inputs);
	in = &inputs->v[inputs->nr++];
	*in = *as;
	in->path = strdup(path);
	in->name = strdup(as->name);
	return in->path && in->name ? CMD_OK : no_memory(inputs);
}

/* -------------------------------------------------------------- recordings */

/* What a file is that does not begin like a recording. */
static int refuse_file(struct merge_inputs *inputs, const char *path, const char *name)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return refuse(inputs, name, strerror(errno));
	close(fd);
	return refuse(inputs, name, "neither a counts file nor a recording");
}

static int add_recording(struct merge_inputs *inputs, const char *path,
			 const struct cf_input *as)
{
	struct tally_recording *r;
	struct stat st;
	int ret;

	if (!stat(path, &st) && S_ISREG(st.st_mode) && !pd_is_recording(path))
		return refuse_file(inputs, path, as->name);
	if (!array_room(&inputs->recordings, inputs->nr_recordings, &inputs->cap_recordings,
			sizeof(*r)))
		return no_memory(inputs);
	ret = append(inputs, path, as);
	if (ret)
		return ret;
	r = &inputs->recordings[inputs->nr_recordings++];
	*r = (struct tally_recording){ .path = inputs->v[inputs->nr - 1].path,
				       .name = inputs->v[inputs->nr - 1].name,
				       .number = inputs->nr - 1,
				       .fd = -1 };
	return CMD_OK;
}

static void show_progress(void *arg, unsigned int percent)
{
	struct merge_inputs *inputs = arg;

	if (percent == inputs->percent)
		return;
	inputs->percent = percent;
	putc('\r', stderr);
	if (inputs->nr_recordings == 1)
		plain_put(stderr, inputs->recordings->name);
	else
		fprintf(stderr, "%zu recordings", inputs->nr_recordings);
	fprintf(stderr, ": %u %%\r", percent);
}

/* With several recordings, the notes of each begin with its name. */
static void print_notes(const struct merge_inputs *inputs, const struct tally_recording *r)
{
	if (!r->notes || !*r->notes)
		return;
	if (inputs->nr_recordings > 1) {
		plain_put(stderr, r->name);
		fputs(":\n", stderr);
	}
	fputs(r->notes, stderr);
}

/* A recording was counted: its counts take its place. */
static void take_counts(void *arg, struct tally_recording *r)
{
	struct merge_inputs *inputs = arg;
	struct cf_input *in = &inputs->v[r->number];

	free((char *)in->path);
	in->path = NULL;
	if (inputs->progress)
		fputs("\r\033[K", stderr);
	if (!r->ret) {
		in->path = malloc(TEMPFILE_PATH);
		if (in->path)
			tempfile_path(r->fd, (char *)in->path);
		else
			error_nomem(&r->error);
	}
	if (!in->path) {
		cmd_error(inputs->rec->cmd, "%s", r->error.text);
		inputs->refused++;
	}
	print_notes(inputs, r);
	/* It ran too briefly, or it was recorded without branches. */
	if (!r->ret && !r->samples)
		cmd_error(inputs->rec->cmd, "%s: no sample has a branch stack", r->name);
	free(r->notes);
}

/* Leave out those that have no path. */
static void drop_refused(struct merge_inputs *inputs)
{
	size_t i, nr = 0;

	for (i = 0; i < inputs->nr; i++)
		if (inputs->v[i].path)
			inputs->v[nr++] = inputs->v[i];
		else
			free((char *)inputs->v[i].name);
	inputs->nr = nr;
}

/*
 * A recording that was counted stays an open file until all are merged. To learn that there
 * are too many would cost the time to count them. *threads becomes less if files are few.
 */
static int check_files(const struct merge_inputs *inputs, unsigned int *threads)
{
	enum { OF_THREAD = 8 }; /* a recording, its binaries, and temporary files */
	const size_t kept = file_nr_open() + inputs->nr_recordings, limit = file_limit();
	const size_t merge = cf_levels_files(inputs->nr) + 1; /* the output */
	const size_t least = kept + (merge > OF_THREAD ? merge : OF_THREAD);

	if (least > limit)
		return cmd_error(inputs->rec->cmd,
				 "to count %zu recordings, at least %zu files must be open at the same time, and the limit is %zu: raise it with `ulimit -n`, or merge the inputs in several steps",
				 inputs->nr_recordings, least, limit);
	if (*threads > (limit - kept) / OF_THREAD)
		*threads = (limit - kept) / OF_THREAD;
	return CMD_OK;
}

int merge_inputs_count(struct merge_inputs *inputs, size_t memory, unsigned int threads)
{
	const int few = inputs->nr_recordings ? check_files(inputs, &threads) : CMD_OK;
	struct tally_job job = { .opts = &inputs->rec->opts,
				 .recordings = inputs->recordings,
				 .nr = inputs->nr_recordings,
				 .memory = memory,
				 .threads = threads,
				 .counted = take_counts,
				 .arg = inputs };
	struct error error;
	int ret;

	if (few)
		return few;
	if (screen_has(STDERR_FILENO))
		job.progress = show_progress;
	inputs->progress = job.progress;
	ret = tally_recordings(&job, &error);
	drop_refused(inputs);
	return ret ? cmd_error(inputs->rec->cmd, "%s", error.text) : CMD_OK;
}

/* --------------------------------------------------------------------- all */

/*
 * The content of a pipe is read twice, and so it is kept in a temporary file, which stays
 * open as long as the program runs.
 */
static int keep_pipe(const struct merge_inputs *inputs, int pipe, const char *name,
		     char kept[TEMPFILE_PATH])
{
	const int fd = tempfile_copy(pipe);

	if (fd < 0)
		return cmd_error(inputs->rec->cmd,
				 "%s: cannot write a temporary file in %s: %s", name,
				 tempfile_folder(), strerror(errno));
	tempfile_path(fd, kept);
	return CMD_OK;
}

/* Only counts files keep, in the merged file, what they have. */
static int refuse_output(const struct merge_inputs *inputs)
{
	return cmd_error(inputs->rec->cmd,
			 "-o %s: this is also an input, which cannot be read as a counts file and would be lost; name another file",
			 inputs->output);
}

/* A folder that is no recording. That the output is in it makes nobody lose it. */
static bool is_other_folder(const char *path)
{
	struct stat st;
	char *data;
	bool is;

	if (asprintf(&data, "%s/data", path) < 0)
		return false;
	is = !stat(path, &st) && S_ISDIR(st.st_mode) && access(data, F_OK);
	free(data);
	return is;
}

int merge_inputs_add(struct merge_inputs *inputs, const char *path, double factor)
{
	bool in = !strcmp(path, "-");
	struct cf_input as = { .name = in ? "standard input" : path,
			       .factor = factor,
			       .is_output = keeps_is_same(inputs->output, path) };
	char kept[TEMPFILE_PATH];
	int ret, pipe;
	struct stat st;

	if (in || (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) {
		pipe = in ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
		if (pipe < 0)
			return refuse(inputs, as.name, strerror(errno));
		ret = keep_pipe(inputs, pipe, as.name, kept);
		if (!in)
			close(pipe);
		if (ret)
			return ret;
		path = kept;
	}
	as.is_output &= !is_other_folder(path);
	if (cf_is_countfile(path))
		return append(inputs, path, &as);
	return as.is_output ? refuse_output(inputs) : add_recording(inputs, path, &as);
}

int merge_inputs_from(struct merge_inputs *inputs, const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *line = NULL;
	size_t room = 0;
	int ret = CMD_OK;
	ssize_t n;

	if (!file)
		return cmd_error(inputs->rec->cmd, "%s: %s", path, strerror(errno));
	while (!ret && (n = getline(&line, &room, file)) > 0) {
		if (line[n - 1] == '\n')
			line[--n] = 0;
		/* As a name, it would end there, and what follows would be lost. */
		if (strlen(line) < (size_t)n)
			ret = cmd_error(inputs->rec->cmd,
					"--files-from %s: there is a NUL byte; write one name in each line, as find -print does",
					path);
		else if (n)
			ret = merge_inputs_add(inputs, line, 1);
	}
	if (!ret && ferror(file))
		ret = cmd_error(inputs->rec->cmd, "%s: %s", path, strerror(errno));
	free(line);
	if (file != stdin)
		fclose(file);
	return ret;
}

void merge_inputs_free(struct merge_inputs *inputs)
{
	while (inputs->nr--) {
		free((char *)inputs->v[inputs->nr].path);
		free((char *)inputs->v[inputs->nr].name);
	}
	free(inputs->v);
	free(inputs->recordings);
}
