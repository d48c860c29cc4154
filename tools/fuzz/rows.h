/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as a CSV of some kind. What is read of it, written and read again, is
 * the same. The target that includes this defines ROW, its KIND, its functions NEXT and
 * WRITE, and same_row().
 */
#ifndef FUZZ_ROWS_H
#define FUZZ_ROWS_H

#include "csv/csv.h"
#include "fuzz.h"

#include <string.h>

/* A pipe takes so many rows. */
enum { MOST = 512 };

/* Returns what ended it. */
static int read_rows(ROW *rows, unsigned int *nr)
{
	struct error error = { "" };
	struct csv_reader *reader = csv_open(fuzz_path(), KIND, &error);
	int ret = reader ? 1 : ERROR_INPUT;

	*nr = 0;
	while (ret > 0 && *nr < MOST && (ret = NEXT(reader, &rows[*nr])) > 0)
		++*nr;
	demand(ret >= 0 || error.text[0], "an error has a text");
	demand(strcmp(error.text, "out of memory"), "there is memory");
	csv_close(reader);
	return ret;
}

/* Make these rows, as they are written, the content of the file. */
static void write_rows(const ROW *rows, unsigned int nr)
{
	struct csv_writer *writer;
	struct error error;
	int fds[2];

	fuzz_pipe(fds);
	writer = csv_create(fuzz_fd_path(fds[1]), KIND, &error);
	demand(writer, "a pipe can be written");
	while (nr--)
		WRITE(writer, rows++);
	demand(!csv_finish(writer, 0), "a pipe can be written");
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
	demand(read_rows(again, &nr_again) >= 0 && nr_again == nr,
	       "what was written is read to its end");
	for (i = 0; i < nr; i++)
		demand(same_row(&rows[i], &again[i]),
		       "a row is written as it was read");
	return 0;
}

#endif
