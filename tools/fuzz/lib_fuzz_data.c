// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as a data trace. */
#include "csv/csv.h"

#define ROW struct csv_data
#define KIND CSV_DATA
#define NEXT csv_next_data
#define WRITE csv_write_data

static bool same_row(const struct csv_data *a, const struct csv_data *b)
{
	return a->address == b->address && a->read == b->read &&
	       a->written == b->written && a->type == b->type &&
	       a->size == b->size;
}

#include "rows.h"
