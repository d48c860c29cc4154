/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two CSVs of a trace of Spike's. In the instruction trace, which trace encoders
 * and their checkers take, an instruction is a line:
 *
 *	VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT
 *
 * All columns are hexadecimal without a prefix. An exception stands on the line of
 * the instruction that raised it. An interrupt has a line of its own, with the
 * instruction that it came before, which did not retire.
 *
 * The data trace is what the instructions read and wrote, one access a line, in their
 * order and without saying whose it is:
 *
 *	DRETIRE,DTYPE,DADDR,DSIZE,DATA
 *
 * DTYPE and DSIZE, the logarithm of the size in bytes, are decimal, the others
 * hexadecimal. An access that reads and writes has both values in DATA, the read one
 * in the lower half, and the size of both in DSIZE.
 */
#ifndef CSV_H
#define CSV_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum csv_kind { CSV_INSNS, CSV_DATA };

/* A line of an instruction trace. */
struct csv_insn {
	uint64_t address;
	uint32_t insn; /* 16 bits of it if it is compressed */
	uint8_t privilege; /* 0 U, 1 S, 3 M */
	bool exception;
	bool interrupt; /* together with exception */
	uint64_t ecause; /* of an interrupt with its topmost bit */
	uint64_t tval;
};

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

/* Does it read and write? */
static inline bool csv_is_pair(unsigned int dtype)
{
	return dtype >= CSV_CSR_WRITE && dtype <= CSV_AMO_MIN;
}

/* A line of a data trace. */
struct csv_data {
	uint64_t address; /* of a CSR its number */
	uint64_t read, written; /* 0 where the type does not do that */
	uint8_t type; /* enum csv_dtype */
	uint8_t size; /* bytes of one value: 1, 2, 4 or 8 */
};

/* The first line of each kind, which is compared without case. */
extern const char *const csv_headers[];

struct csv_reader;

/*
 * Open a file, or standard input as "-", and read its first line. What goes wrong,
 * here and later, is told by *error as "FILE:LINE: what is wrong"; that and the path
 * have to outlive the reader. NULL if it is no such file.
 */
struct csv_reader *csv_open(const char *path, enum csv_kind kind,
			    struct error *error);

/*
 * The next line of a file of that kind: 1, 0 at the end, or ERROR_INPUT with a text.
 * What is not valid, or did not retire, is passed by; cause and value of rows without
 * an exception, which some producers leave standing, are 0.
 */
int csv_next_insn(struct csv_reader *reader, struct csv_insn *insn);
int csv_next_data(struct csv_reader *reader, struct csv_data *data);

/* Something is wrong with the line just read. Returns ERROR_INPUT. */
int csv_fail(struct csv_reader *reader, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* NULL is allowed. */
void csv_close(struct csv_reader *reader);

struct csv_writer;

/*
 * Create a file by base/outfile.h and write its first line. What goes wrong, here and
 * later, is told by *error; that and the path have to outlive the writer. NULL if it
 * cannot be created.
 */
struct csv_writer *csv_create(const char *path, enum csv_kind kind,
			      struct error *error);

/* Errors are kept, and told by csv_finish(). */
void csv_write_insn(struct csv_writer *writer, const struct csv_insn *insn);
void csv_write_data(struct csv_writer *writer, const struct csv_data *data);

/*
 * Complete the file if status is 0, else remove it. Returns status, or ERROR_OUTPUT
 * with a text if only now something is wrong. NULL is allowed.
 */
int csv_finish(struct csv_writer *writer, int status);

#endif
