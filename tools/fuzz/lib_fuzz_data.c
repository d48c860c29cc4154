// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as a data trace. */
#include "csv/data.h"

#define ROW struct csv_data
#define READER struct csv_data_reader
#define READER_OPEN csv_data_open
#define READER_NEXT csv_data_next
#define READER_ERROR csv_data_error
#define READER_CLOSE csv_data_close
#define WRITER struct csv_data_writer
#define WRITER_OPEN csv_data_writer_open
#define WRITER_ROW csv_data_write
#define WRITER_CLOSE csv_data_writer_close

static bool same_row(const struct csv_data *a, const struct csv_data *b)
{
	return a->address == b->address && a->read == b->read &&
	       a->written == b->written && a->type == b->type &&
	       a->size == b->size;
}

#include "rows.h"
