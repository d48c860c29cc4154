// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts files of many machines, to measure `ssctr merge` with:
 * counts_gen FOLDER NUMBER FILE...
 *
 * Writes NUMBER copies of the given counts files into the folder, in turn. Each of them has
 * another source.
 */
#include "countfile/countfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int copy(struct cf_reader *reader, struct cf_writer *writer, struct error *error)
{
	struct cf_sample sample;
	struct cf_step step;
	int ret;

	while ((ret = cf_read_step(reader, &step, error)) > 0)
		if (cf_write_step(writer, &step, error))
			return ERROR_OUTPUT;
	while (!ret && (ret = cf_read_sample(reader, &sample, error)) > 0)
		ret = cf_write_sample(writer, &sample, error);
	return ret;
}

static int copy_as(const char *folder, unsigned long number, const char *from,
		   struct error *error)
{
	char path[4096];
	struct cf_source source = { .first = number, .last = number };
	struct cf_reader *reader;
	struct cf_writer *writer;
	struct cf_head head;
	int ret = cf_reader_open(&reader, from, error);

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/%06lu.counts", folder, number);
	memcpy(source.label, &number, sizeof(number));
	head = *cf_reader_head(reader);
	head.sources = &source;
	head.nr_sources = 1;
	ret = cf_writer_open(&writer, path, &head, error);
	if (!ret)
		ret = copy(reader, writer, error);
	if (ret)
		cf_writer_close(writer, false, &(struct error){ "" });
	else
		ret = cf_writer_close(writer, true, error);
	cf_reader_close(reader);
	return ret;
}

int main(int argc, char **argv)
{
	unsigned long i, nr;
	struct error error;

	if (argc < 4) {
		fprintf(stderr, "usage: counts_gen FOLDER NUMBER FILE...\n");
		return 2;
	}
	nr = strtoul(argv[2], NULL, 10);
	for (i = 0; i < nr; i++)
		if (copy_as(argv[1], i, argv[3 + i % (unsigned long)(argc - 3)], &error)) {
			fprintf(stderr, "counts_gen: %s\n", error.text);
			return 1;
		}
	return 0;
}
