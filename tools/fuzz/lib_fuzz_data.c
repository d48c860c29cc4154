// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a data trace. What is read of it, written and read again, is the
 * same.
 */
#include <fcntl.h>
#include <string.h>

#include "csv/data.h"
#include "fuzz.h"

/* A pipe takes so many rows without a reader. */
enum { MOST = 512, LONGEST = 1 << 16 };

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
	static uint8_t text[LONGEST];
	struct csv_data_writer *writer;
	ssize_t size;
	int fds[2];

	demand(!pipe2(fds, O_CLOEXEC), "a pipe can be made");
	writer = csv_data_writer_open(fuzz_fd_path(fds[1]));
	demand(writer, "a pipe can be written");
	while (nr--)
		csv_data_write(writer, rows++);
	demand(!csv_data_writer_close(writer, true), "a pipe can be written");
	size = read(fds[0], text, sizeof(text));
	demand(size > 0, "it can be read");
	close(fds[0]);
	close(fds[1]);
	fuzz_file(text, size);
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
