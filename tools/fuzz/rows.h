/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as a CSV of some kind. What is read of it, written and read again, is
 * the same. The target that includes this defines ROW, READER and WRITER, the names
 * of their functions, and same_row().
 */
#ifndef FUZZ_ROWS_H
#define FUZZ_ROWS_H

#include "fuzz.h"

/* A pipe takes so many rows. */
enum { MOST = 512 };

/* Returns what ended it. */
static int read_rows(ROW *rows, unsigned int *nr)
{
	READER *reader;
	int ret = READER_OPEN(&reader, fuzz_path());

	*nr = 0;
	demand(ret != CSV_ENOMEM, "there is memory");
	while (!ret && *nr < MOST &&
	       (ret = READER_NEXT(reader, &rows[*nr])) > 0) {
		ret = 0;
		++*nr;
	}
	demand(ret >= 0 || READER_ERROR(reader)[0], "an error has a text");
	READER_CLOSE(reader);
	return ret;
}

/* Make these rows, as they are written, the content of the file. */
static void write_rows(const ROW *rows, unsigned int nr)
{
	WRITER *writer;
	int fds[2];

	fuzz_pipe(fds);
	writer = WRITER_OPEN(fuzz_fd_path(fds[1]));
	demand(writer, "a pipe can be written");
	while (nr--)
		WRITER_ROW(writer, rows++);
	demand(!WRITER_CLOSE(writer, true), "a pipe can be written");
	fuzz_file_of_pipe(fds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static ROW rows[MOST], again[MOST];
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

#endif
