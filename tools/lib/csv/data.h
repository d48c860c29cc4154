/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spike's data trace: what the instructions of a trace read and wrote, one access a
 * line, in their order and without saying whose it is.
 *
 *	DRETIRE,DTYPE,DADDR,DSIZE,DATA
 *
 * DTYPE and DSIZE, the logarithm of the size in bytes, are decimal, the others
 * hexadecimal. An access that reads and writes has both values in DATA, the read one
 * in the lower half, and the size of both in DSIZE.
 */
#ifndef CSV_DATA_H
#define CSV_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "csv/csv.h"

/* DTYPE; the numbers are those of the trace specification. */
enum csv_dtype {
	CSV_LOAD = 0,
	CSV_STORE = 1,
	CSV_CSR_WRITE = 4,
	CSV_CSR_SET = 5,
	CSV_CSR_CLEAR = 6,
	CSV_AMO_SWAP = 8,
	CSV_AMO_ADD = 9,
	CSV_AMO_AND = 10,
	CSV_AMO_OR = 11,
	CSV_AMO_XOR = 12,
	CSV_AMO_MAX = 13,
	CSV_AMO_MIN = 14,
	CSV_SC_FAILED = 15,
};

struct csv_data {
	uint64_t address; /* of a CSR its number */
	uint64_t read, written; /* 0 where the type does not do that */
	uint8_t type; /* enum csv_dtype */
	uint8_t size; /* bytes of one value: 1, 2, 4 or 8 */
};

struct csv_data_reader;

/* As csv_reader_open(), csv_reader_next() and so on. */
int csv_data_open(struct csv_data_reader **reader, const char *path);
int csv_data_next(struct csv_data_reader *reader, struct csv_data *data);
const char *csv_data_error(const struct csv_data_reader *reader);
void csv_data_close(struct csv_data_reader *reader);

/* Keep an error about the row just read, as the reader's own. */
int csv_data_fail(struct csv_data_reader *reader, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

struct csv_data_writer;

/* As csv_writer_open(), csv_write() and csv_writer_close(). */
struct csv_data_writer *csv_data_writer_open(const char *path);
void csv_data_write(struct csv_data_writer *writer, const struct csv_data *data);
int csv_data_writer_close(struct csv_data_writer *writer, bool keep);

#endif
