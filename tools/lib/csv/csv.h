/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processor-trace CSV of Spike: instructions, one a line, as trace encoders
 * and their checkers take them.
 *
 *	VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT
 *
 * All columns are hexadecimal without a prefix. An exception stands on the line of
 * the instruction that raised it. An interrupt has a line of its own, with the
 * instruction that it came before, which did not retire.
 */
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CSV_EIO = -1,
	CSV_EFORMAT = -2, /* not such a file, or a line that is none */
	CSV_ENOMEM = -3,
};

struct csv_row {
	uint64_t address;
	uint32_t insn; /* 16 bits of it if it is compressed */
	uint8_t privilege; /* 0 U, 1 S, 3 M */
	bool exception;
	bool interrupt; /* together with exception */
	uint64_t ecause; /* of an interrupt with its topmost bit */
	uint64_t tval;
};

struct csv_reader;

/*
 * Open a file, or standard input as "-", and read its header, whose names are
 * compared without case. *reader is set also on failure, for csv_reader_error(),
 * except with CSV_ENOMEM. Returns 0 or CSV_E*.
 */
int csv_reader_open(struct csv_reader **reader, const char *path);

/*
 * The next row: 1, 0 at the end, CSV_E*. Rows that are not valid are passed by;
 * cause and value of rows without an exception, which some producers leave
 * standing, are 0.
 */
int csv_reader_next(struct csv_reader *reader, struct csv_row *row);

/* "FILE:LINE: what is wrong"; never NULL. */
const char *csv_reader_error(const struct csv_reader *reader);

/* NULL is allowed. */
void csv_reader_close(struct csv_reader *reader);

/* Does a file that starts with these bytes look like one? */
bool csv_is_header(const char *start, size_t size);

struct csv_writer;

/*
 * Create a file, under a temporary name beside it until csv_writer_close(), or
 * write to standard output as "-" or to what is no regular file. NULL, with errno
 * set, if that is not possible. bits is 32 or 64: addresses and values of 32 bits
 * are cut.
 */
struct csv_writer *csv_writer_open(const char *path, unsigned int bits);

/* Errors are kept and told by csv_writer_close(). */
void csv_write(struct csv_writer *writer, const struct csv_row *row);

/* Complete the file, or remove it if it is not to be kept. 0, or -1 with errno. */
int csv_writer_close(struct csv_writer *writer, bool keep);

#endif
