// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a counts file, with the right checksum behind them. What can be read can be
 * written, and is then read again as it was. A merge of the file alone gives the same bytes.
 */
#include "base/xxh64.h"
#include "countfile/merge.h"

#include <string.h>

#include "fuzz.h"

enum { MOST = 4096 };

/* What was read. */
static struct cf_step steps[MOST], step;
static struct cf_sample samples[MOST], sample;
static size_t nr_steps, nr_samples;
static struct error error;

static struct cf_reader *open_file(const char *path)
{
	struct cf_reader *reader;

	*error.text = 0;
	if (!cf_reader_open(&reader, path, &error))
		return reader;
	demand(!reader && !strncmp(error.text, path, strlen(path)),
	       "an error has a text that names the file");
	return NULL;
}

/* Returns whether all could be read. */
static bool read_all(struct cf_reader *reader)
{
	int ret;

	for (nr_steps = 0; (ret = cf_read_step(reader, &step, &error)) > 0; nr_steps++)
		if (nr_steps < MOST)
			steps[nr_steps] = step;
	for (nr_samples = 0; !ret && (ret = cf_read_sample(reader, &sample, &error)) > 0;
	     nr_samples++, ret = 0)
		if (nr_samples < MOST)
			samples[nr_samples] = sample;
	demand(!ret || *error.text, "an error has a text");
	return !ret;
}

static void write_all(const char *path, const struct cf_head *head)
{
	struct cf_writer *writer;
	size_t i;

	demand(!cf_writer_open(&writer, path, head, &error), "a head can be written");
	for (i = 0; i < nr_steps; i++)
		demand(!cf_write_step(writer, &steps[i], &error),
		       "a step that was read can be written");
	for (i = 0; i < nr_samples; i++)
		demand(!cf_write_sample(writer, &samples[i], &error),
		       "a sample that was read can be written");
	demand(!cf_writer_close(writer, true, &error), "the sums are those of the head");
}

static void check_again(const char *path)
{
	struct cf_reader *reader = open_file(path);
	size_t i;

	demand(reader, "what was written can be read");
	for (i = 0; i < nr_steps; i++)
		demand(cf_read_step(reader, &step, &error) == 1 &&
			       !cf_compare_steps(&step, &steps[i]) &&
			       step.seen == steps[i].seen &&
			       step.weight == steps[i].weight &&
			       step.cycles == steps[i].cycles &&
			       step.timed == steps[i].timed &&
			       step.length == steps[i].length,
		       "the steps are the same");
	for (i = 0; i < nr_samples; i++)
		demand(cf_read_sample(reader, &sample, &error) == 1 &&
			       !cf_compare_samples(&sample, &samples[i]) &&
			       sample.count == samples[i].count,
		       "the samples are the same");
	demand(!cf_read_sample(reader, &sample, &error), "there are no more");
	cf_reader_close(reader);
}

static void no_refusal(void *arg, const char *why)
{
	(void)arg;
	demand(false, why);
}

static void same_content(int a, int b)
{
	static uint8_t x[1 << 20], y[1 << 20];
	ssize_t size = pread(a, x, sizeof(x), 0);

	demand(size > 0 && pread(b, y, sizeof(y), 0) == size && !memcmp(x, y, (size_t)size),
	       "a merge of one file is this file");
}

/* The file that was written is merged with nothing. */
static void check_merge(int fd)
{
	int out = memfd_create("merged", MFD_CLOEXEC);
	char from[32], to[32];
	const struct cf_input input = { from, from, 1, false };
	const struct cf_merge_opts opts = { .inputs = &input,
					    .nr = 1,
					    .memory = CF_MERGE_MEMORY,
					    .threads = 1,
					    .say = no_refusal };
	struct cf_merge_result result;

	strcpy(from, fuzz_fd_path(fd));
	strcpy(to, fuzz_fd_path(out));
	demand(out >= 0 && !cf_merge(to, &opts, &result, &error), "it can be merged");
	same_content(fd, out);
	close(out);
}

static void check_written(const struct cf_head *head)
{
	int fd = memfd_create("written", MFD_CLOEXEC);
	char path[32];

	demand(fd >= 0, "there is memory");
	strcpy(path, fuzz_fd_path(fd));
	write_all(path, head);
	check_again(path);
	check_merge(fd);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *whole = malloc(size + 8);
	struct cf_reader *reader;
	struct xxh64 x;
	uint64_t sum;

	demand(whole, "there is memory");
	xxh64_begin(&x);
	xxh64_add(&x, data, size);
	sum = xxh64_end(&x);
	memcpy(whole, data, size);
	memcpy(whole + size, &sum, sizeof(sum));
	fuzz_file(whole, size + 8);
	free(whole);
	reader = open_file(fuzz_path());
	if (!reader)
		return 0;
	if (read_all(reader) && nr_steps < MOST && nr_samples < MOST)
		check_written(cf_reader_head(reader));
	cf_reader_close(reader);
	return 0;
}
