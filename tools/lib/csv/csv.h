/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two CSVs of a trace of Spike. Trace encoders and their checkers read the
 * instruction trace. Each line is an instruction:
 *
 *	VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT
 *
 * All columns are hexadecimal without a prefix. An exception stands on the line of the
 * instruction that raised it. An interrupt has a line of its own. This line has the
 * instruction after the interrupt, which did not retire.
 *
 * The data trace has what the instructions read and wrote. Each line is an access. The
 * lines have the order of the accesses, but they do not tell the instruction:
 *
 *	DRETIRE,DTYPE,DADDR,DSIZE,DATA
 *
 * DTYPE and DSIZE are decimal, and the other columns are hexadecimal. DSIZE is the binary
 * logarithm of the size in bytes. For an access that reads and writes, DATA has both
 * values, with the read value in the lower half, and DSIZE tells the size of both
 * together.
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
	uint32_t insn; /* only the lower 16 bits if it is compressed */
	uint8_t privilege; /* 0: U, 1: S, 3: M; 2: H of STF, not of Spike */
	bool exception;
	bool interrupt; /* then exception is set, too */
	uint64_t ecause; /* has its highest bit set for an interrupt */
	uint64_t tval;
};

/* DTYPE. The numbers are those of the trace specification. */
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

/* Returns whether an access of this type reads and writes. */
static inline bool csv_is_pair(unsigned int dtype)
{
	return dtype >= CSV_CSR_WRITE && dtype <= CSV_AMO_MIN;
}

/* A line of a data trace. */
struct csv_data {
	uint64_t address; /* for a CSR, its number */
	/* 0 if an access of this type has no such value */
	uint64_t read, written;
	uint8_t type; /* enum csv_dtype */
	uint8_t size; /* bytes of one value: 1, 2, 4 or 8 */
};

/* The first line of each kind of file. It is compared without regard to case. */
extern const char *const csv_headers[];

struct csv_reader;

/*
 * Open a file, or standard input if path is "-", and read its first line. *error gets the
 * text of all errors, now and later, as "FILE:LINE: what is wrong". error and path must
 * exist as long as the reader. Returns NULL if the file is not of this kind.
 */
struct csv_reader *csv_open(const char *path, enum csv_kind kind,
			    struct error *error);

/*
 * Read the next line of a file of this kind. Returns 1, 0 at the end, or ERROR_INPUT with
 * a text. Lines that are not valid or did not retire are skipped. In a row without an
 * exception, some producers leave an old cause and value. These are replaced by 0.
 */
int csv_next_insn(struct csv_reader *reader, struct csv_insn *insn);
int csv_next_data(struct csv_reader *reader, struct csv_data *data);

/* Set an error about the line that was just read. Returns ERROR_INPUT. */
int csv_fail(struct csv_reader *reader, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* reader may be NULL. */
void csv_close(struct csv_reader *reader);

struct csv_writer;

/*
 * Create a file with base/outfile.h, and write its first line. *error gets the text of
 * all errors, now and later. error and path must exist as long as the writer. Returns
 * NULL if the file cannot be created.
 */
struct csv_writer *csv_create(const char *path, enum csv_kind kind,
			      struct error *error);

/* Write a line. csv_finish() reports the errors. */
void csv_write_insn(struct csv_writer *writer, const struct csv_insn *insn);
void csv_write_data(struct csv_writer *writer, const struct csv_data *data);

/*
 * Complete the file if status is 0, and otherwise remove it. Returns status, or
 * ERROR_OUTPUT with a text if writing failed. writer may be NULL.
 */
int csv_finish(struct csv_writer *writer, int status);

#endif
