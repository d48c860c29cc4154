// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as an instruction CSV. */
#include "csv/csv.h"

#define ROW struct csv_row
#define READER struct csv_reader
#define READER_OPEN csv_reader_open
#define READER_NEXT csv_reader_next
#define READER_ERROR csv_reader_error
#define READER_CLOSE csv_reader_close
#define WRITER struct csv_writer
#define WRITER_OPEN(_path) csv_writer_open(_path, 64)
#define WRITER_ROW csv_write
#define WRITER_CLOSE csv_writer_close

static bool same_row(const struct csv_row *a, const struct csv_row *b)
{
	return a->address == b->address && a->insn == b->insn &&
	       a->privilege == b->privilege && a->exception == b->exception &&
	       a->interrupt == b->interrupt && a->ecause == b->ecause &&
	       a->tval == b->tval;
}

#include "rows.h"
