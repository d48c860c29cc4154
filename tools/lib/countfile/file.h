/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a counts file has besides its head and its chunks, and what a merge needs of a
 * reader beside countfile.h.
 */
#ifndef COUNTFILE_FILE_H
#define COUNTFILE_FILE_H

#include "countfile/stream.h"

#define CF_MAGIC "SSCTRCTS"

enum {
	CF_START = 16, /* bytes: the magic, the version, and 4 that are 0 */
	CF_DONE_SIZE = 24, /* bytes of the last chunk, without its header */
	CF_CHECKSUM = 8, /* bytes after the last chunk */
	CF_FILE_MIN = CF_START + 2 * CF_CHUNK_HEADER + CF_DONE_SIZE + CF_CHECKSUM,
};

/*
 * As cf_reader_open(), with a name for messages. Several readers that are used in turns can
 * share an unpacker, which belongs to the caller. NULL: the reader has one of its own.
 */
int cf_reader_open_as(struct cf_reader **reader, const char *path, const char *name,
		      struct cf_unpacker *unpacker, struct error *error);

/* Returns what was written so far. */
const struct cf_totals *cf_writer_totals(const struct cf_writer *writer);

/* Returns the checksum of the file. */
uint64_t cf_reader_checksum(const struct cf_reader *reader);

/* Take the head, which the caller then frees. */
void cf_reader_take_head(struct cf_reader *reader, struct cf_head *head);

#endif
