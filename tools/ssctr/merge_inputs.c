// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "base/tempfile.h"
#include "merge.h"
#include "tally/tally.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What is read for an input: the file itself, or a temporary one. */
struct content {
	const char *name; /* as the user named it */
	const char *path;
	char fd_path[32]; /* of a temporary file */
	double factor;
	uint64_t time; /* s since 1970 */
};

static int no_temporary(const struct merge_inputs *inputs, const char *name)
{
	return cmd_error(inputs->rec->cmd, "%s: cannot write a temporary file in %s: %s",
			 name, tempfile_folder(), strerror(errno));
}

/* The temporary file stays open as long as the program runs. */
static void use_temporary(struct content *c, int fd)
{
	snprintf(c->fd_path, sizeof(c->fd_path), "/proc/self/fd/%d", fd);
	c->path = c->fd_path;
}

static int append(struct merge_inputs *inputs, const struct content *c)
{
	struct cf_input *in;

	if (!array_room(&inputs->v, inputs->nr, &inputs->cap, sizeof(*in)))
		return cmd_error(inputs->rec->cmd, "out of memory");
	in = &inputs->v[inputs->nr++];
	*in = (struct cf_input){ strdup(c->path), strdup(c->name), c->factor };
	return in->path && in->name ? CMD_OK : cmd_error(inputs->rec->cmd, "out of memory");
}

/* -------------------------------------------------------------- recordings */

static int write_counts(struct tally *tally, const struct content *c, const char *out,
			struct error *error)
{
	struct cf_source source;
	int ret = tally_source_of_file(c->path, &source, error);

	return ret ?: tally_write(tally, out, &source, c->time, c->time, 0, error);
}

/* Of the open recording, into the temporary file. */
static int count(struct rec *rec, const struct content *c, const char *out)
{
	struct notes notes = { 0 };
	struct tally *tally;
	struct error error;
	int ret = tally_new(&tally, &rec->opts, &error);

	if (!ret)
		ret = tally_add(tally, &rec->samples, &error);
	if (!ret)
		ret = write_counts(tally, c, out, &error);
	if (ret)
		rec_error(rec, &error);
	else
		rec_summary(rec, &notes);
	/* It ran too briefly, or it was recorded without branches. */
	if (!ret && !tally_samples(tally))
		cmd_error(rec->cmd, "%s: no sample has a branch stack", c->name);
	tally_free(tally);
	return ret;
}

static bool begins_like_a_recording(const char *path)
{
	char magic[9] = "";
	FILE *file = fopen(path, "re");
	bool read = file && fread(magic, 1, 8, file) == 8;

	if (file)
		fclose(file);
	return read && (!strcmp(magic, "PERFILE2") || !strcmp(magic, "2ELIFREP"));
}

static int open_recording(struct rec *rec, const struct content *c)
{
	struct stat st;

	rec->path = c->path;
	if (!stat(c->path, &st) && S_ISREG(st.st_mode) && !begins_like_a_recording(c->path))
		return cmd_error(rec->cmd, "%s: neither a counts file nor a recording",
				 c->name);
	return rec_open(rec);
}

static int add_recording(struct merge_inputs *inputs, const struct content *c)
{
	struct content counts = *c;
	int fd = tempfile_open(), ret;

	if (fd < 0)
		return no_temporary(inputs, c->name);
	use_temporary(&counts, fd);
	ret = open_recording(inputs->rec, c) ? ERROR_INPUT : count(inputs->rec, c, counts.path);
	rec_end(inputs->rec);
	if (!ret)
		return append(inputs, &counts);
	close(fd);
	inputs->refused++;
	return ret == ERROR_INPUT ? CMD_OK : CMD_FAIL;
}

/* --------------------------------------------------------------------- all */

/* The content of a pipe is read twice, and so it is kept. */
static int keep_pipe(struct merge_inputs *inputs, struct content *c)
{
	int pipe = c->path[0] == '-' ? STDIN_FILENO : open(c->path, O_RDONLY | O_CLOEXEC);
	int fd = pipe < 0 ? -1 : tempfile_copy(pipe);

	if (fd < 0)
		return no_temporary(inputs, c->name);
	if (pipe != STDIN_FILENO)
		close(pipe);
	use_temporary(c, fd);
	c->time = (uint64_t)time(NULL);
	return CMD_OK;
}

int merge_inputs_add(struct merge_inputs *inputs, const char *path, double factor)
{
	bool in = !strcmp(path, "-");
	struct content c = { .name = in ? "standard input" : path, .path = path,
			     .factor = factor };
	struct stat st = { 0 };
	int ret = CMD_OK;

	if (in || (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		ret = keep_pipe(inputs, &c);
	else
		c.time = (uint64_t)st.st_mtime;
	if (ret)
		return ret;
	return cf_is_countfile(c.path) ? append(inputs, &c) : add_recording(inputs, &c);
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
		if (n)
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
}
