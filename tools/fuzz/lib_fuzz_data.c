// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a data trace. What is read of it, written and read again, is the
 * same.
 */

#include "csv/data.h"
#include "fuzz.h"

/* A pipe takes so many rows. */
enum { MOST = 512 };

/* Returns what ended it. */
static int read_rows(struct csv_data *rows, unsigned int *nr)
{
	struct csv_data_reader *reader;
	int ret = csv_data_open(&reader, fuzz_path());

	*nr = 0;
	demand(ret != CSV_ENOMEM, "there is memory");
	while (!ret && *nr < MOST &&
	       (ret = csv_data_next(reader, &rows[*nr])) > 0) {
		ret = 0;
		++*nr;
	}
	demand(ret >= 0 || csv_data_error(reader)[0], "an error has a text");
	csv_data_close(reader);
	return ret;
}

static bool same_row(const struct csv_data *a, const struct csv_data *b)
{
	return a->address == b->address && a->read == b->read &&
	       a->written == b->written && a->type == b->type &&
	       a->size == b->size;
}

/* Make these rows, as they are written, the content of the file. */
static void write_rows(const struct csv_data *rows, unsigned int nr)
{
	struct csv_data_writer *writer;
	int fds[2];

	fuzz_pipe(fds);
	writer = csv_data_writer_open(fuzz_fd_path(fds[1]));
	demand(writer, "a pipe can be written");
	while (nr--)
		csv_data_write(writer, rows++);
	demand(!csv_data_writer_close(writer, true), "a pipe can be written");
	fuzz_file_of_pipe(fds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct csv_data rows[MOST], again[MOST];
	unsigned int nr, nr_again, i;

	fuzz_file(data, size);
	read_rows(rows, &nr);
	if (!nr)
		return 0;
	write_rows(rows, nr);
	demand(!read_rows(again, &nr_again) && nr_again == nr,
	       "what was written is read to its end");
	for (i = 0; i < nr; i++)
		demand(same_row(&rows[i], &again[i]),
		       "a row is written as it was read");
	return 0;
}
