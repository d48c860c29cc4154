// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as an instruction CSV. What is read of it, written and read again, is
 * the same.
 */

#include "csv/csv.h"
#include "fuzz.h"

/* A pipe takes so many rows. */
enum { MOST = 512 };

/* Returns what ended it. */
static int read_rows(struct csv_row *rows, unsigned int *nr)
{
	struct csv_reader *reader;
	struct csv_row row;
	int ret = csv_reader_open(&reader, fuzz_path());

	*nr = 0;
	demand(ret != CSV_ENOMEM, "there is memory");
	while (!ret && (ret = csv_reader_next(reader, &row)) > 0) {
		ret = 0;
		if (*nr < MOST)
			rows[(*nr)++] = row;
		else
			break;
	}
	demand(ret >= 0 || csv_reader_error(reader)[0], "an error has a text");
	csv_reader_close(reader);
	return ret;
}

static bool same_row(const struct csv_row *a, const struct csv_row *b)
{
	return a->address == b->address && a->insn == b->insn &&
	       a->privilege == b->privilege && a->exception == b->exception &&
	       a->interrupt == b->interrupt && a->ecause == b->ecause &&
	       a->tval == b->tval;
}

/* Make these rows, as they are written, the content of the file. */
static void write_rows(const struct csv_row *rows, unsigned int nr)
{
	struct csv_writer *writer;
	int fds[2];

	fuzz_pipe(fds);
	writer = csv_writer_open(fuzz_fd_path(fds[1]), 64);
	demand(writer, "a pipe can be written");
	while (nr--)
		csv_write(writer, rows++);
	demand(!csv_writer_close(writer, true), "a pipe can be written");
	fuzz_file_of_pipe(fds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct csv_row rows[MOST], again[MOST];
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
