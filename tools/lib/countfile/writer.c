// SPDX-License-Identifier: GPL-2.0-only
#include "base/outfile.h"
#include "base/tempfile.h"
#include "base/xxh64.h"
#include "countfile/file.h"
#include "countfile/head.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct cf_writer {
	struct outfile file;
	const char *path; /* for messages */
	char *path_copy;
	bool temporary; /* the path is one of a temporary file */
	struct xxh64 checksum;
	struct cf_out out;
	size_t nr_binaries;
	uint64_t entries, weight; /* by the head */
};

static int output_error(const struct cf_writer *w, struct error *error)
{
	if (w->temporary)
		return tempfile_error(error);
	return error_set(error, ERROR_OUTPUT, "cannot write %s: %s", w->path,
			 strerror(errno));
}

static int write_bytes(void *arg, const void *bytes, size_t size, struct error *error)
{
	struct cf_writer *w = arg;

	xxh64_add(&w->checksum, bytes, size);
	if (fwrite(bytes, 1, size, w->file.file) != size)
		return output_error(w, error);
	return 0;
}

/* An item that a counts file cannot have. */
static int wrong(const struct cf_writer *w, const char *what, struct error *error)
{
	return error_set(error, ERROR_INPUT, "cannot write %s: %s", w->path, what);
}

static int write_start(struct cf_writer *w, struct error *error)
{
	uint8_t start[CF_START] = CF_MAGIC;

	cf_put32(start + 8, CF_VERSION);
	return write_bytes(w, start, sizeof(start), error);
}

static int write_head(struct cf_writer *w, const struct cf_head *head,
		      struct error *error)
{
	char *bytes;
	uint32_t fields;
	size_t size;
	int ret = 0;

	if (!cf_head_encode(head, &bytes, &size, &fields))
		return error_nomem(error);
	if (size > CF_HEAD_MAX)
		ret = wrong(w, "its head is larger than 1 GiB", error);
	else if (!cf_pack(&w->out.packer, "HEAD", fields, bytes, size))
		ret = error_nomem(error);
	free(bytes);
	return ret ?: write_bytes(w, w->out.packer.out, w->out.packer.size, error);
}

static int begin(struct cf_writer *w, const struct cf_head *head, struct error *error)
{
	const char *what = cf_head_check(head);
	int ret;

	if (what) {
		error_set(error, ERROR_INPUT, "cannot write %s: %s of the head are wrong",
			  w->path, what);
		return ERROR_INPUT;
	}
	if (!cf_out_begin(&w->out))
		return error_nomem(error);
	ret = write_start(w, error);
	return ret ?: write_head(w, head, error);
}

int cf_writer_open(struct cf_writer **writer, const char *path,
		   const struct cf_head *head, struct error *error)
{
	struct cf_writer *w = calloc(1, sizeof(*w));
	struct error unused;
	int ret;

	*writer = NULL;
	if (w)
		w->path_copy = strdup(path);
	if (!w || !w->path_copy) {
		free(w);
		return error_nomem(error);
	}
	w->path = strcmp(path, "-") ? w->path_copy : "standard output";
	w->temporary = tempfile_is(path);
	w->out.write = write_bytes;
	w->out.arg = w;
	w->nr_binaries = head->nr_binaries;
	w->entries = head->entries;
	w->weight = head->weight;
	xxh64_begin(&w->checksum);
	if (outfile_open(&w->file, path)) {
		ret = output_error(w, error);
		free(w->path_copy);
		free(w);
		return ret;
	}
	ret = begin(w, head, error);
	if (ret)
		cf_writer_close(w, false, &unused);
	else
		*writer = w;
	return ret;
}

int cf_write_step(struct cf_writer *w, const struct cf_step *step, struct error *error)
{
	struct error why;
	int ret;

	if (step->from_binary >= w->nr_binaries || step->to_binary >= w->nr_binaries)
		return wrong(w, "a step is in a binary that the head does not have", error);
	ret = cf_out_step(&w->out, step, &why);
	if (ret == ERROR_INPUT)
		return wrong(w, why.text, error);
	if (ret)
		*error = why;
	return ret;
}

int cf_write_sample(struct cf_writer *w, const struct cf_sample *sample,
		    struct error *error)
{
	struct error why;
	int ret;

	if (sample->binary >= w->nr_binaries)
		return wrong(w, "a sample is in a binary that the head does not have",
			     error);
	ret = cf_out_sample(&w->out, sample, &why);
	if (ret == ERROR_INPUT)
		return wrong(w, why.text, error);
	if (ret)
		*error = why;
	return ret;
}

const struct cf_totals *cf_writer_totals(const struct cf_writer *writer)
{
	return &writer->out.totals;
}

static int write_end(struct cf_writer *w, struct error *error)
{
	const struct cf_totals *totals = &w->out.totals;
	uint8_t done[CF_DONE_SIZE], checksum[CF_CHECKSUM];
	int ret = cf_out_end(&w->out, error);

	if (ret)
		return ret;
	if (totals->entries != w->entries || totals->weight != w->weight)
		return wrong(w, "the steps are not those that the head counts", error);
	cf_put64(done, totals->steps);
	cf_put64(done + 8, totals->samples);
	cf_put64(done + 16, totals->sampled);
	if (!cf_pack(&w->out.packer, "DONE", 1, done, sizeof(done)))
		return error_nomem(error);
	ret = write_bytes(w, w->out.packer.out, w->out.packer.size, error);
	if (ret)
		return ret;
	cf_put64(checksum, xxh64_end(&w->checksum));
	ret = write_bytes(w, checksum, sizeof(checksum), error);
	if (!ret && outfile_sync(&w->file))
		ret = output_error(w, error);
	return ret;
}

/* Of the file as it would be kept. */
static bool is_larger(struct cf_writer *w, uint64_t most)
{
	struct stat st;

	return most && !fflush(w->file.file) && !fstat(fileno(w->file.file), &st) &&
	       (uint64_t)st.st_size > most;
}

int cf_writer_close(struct cf_writer *w, bool keep, struct error *error)
{
	return cf_writer_close_within(w, keep, 0, error);
}

int cf_writer_close_within(struct cf_writer *w, bool keep, uint64_t most,
			   struct error *error)
{
	bool larger;
	int ret = 0;

	if (!w)
		return 0;
	if (keep)
		ret = write_end(w, error);
	larger = keep && !ret && is_larger(w, most);
	keep = keep && !larger;
	if (outfile_close(&w->file, keep && !ret) && !ret)
		ret = output_error(w, error);
	cf_out_free(&w->out);
	free(w->path_copy);
	free(w);
	return ret ?: larger;
}
