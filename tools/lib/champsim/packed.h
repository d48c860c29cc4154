/* SPDX-License-Identifier: GPL-2.0-only */
/* A file of bytes, complete or not there, which its name compresses: .gz, .xz, or plain. */
#ifndef CHAMPSIM_PACKED_H
#define CHAMPSIM_PACKED_H

#include "base/error.h"
#include "base/outfile.h"
#include "stf/stf.h"

struct packed {
	struct outfile out;
	const char *path; /* belongs to the caller */
	struct stf_filter *filter; /* NULL: plain */
	struct stf_error err; /* of the filter */
};

/*
 * Create the file. "-" is standard output, which is plain. *packed must stay where it is
 * and path must exist until it is closed. Returns 0, or ERROR_OUTPUT: it cannot be created,
 * the library of the compression is missing, or the name is that of an STF trace (.zstf).
 * There is nothing to close then.
 */
int packed_open(struct packed *packed, const char *path, struct error *error);

/* Write n bytes. Returns 0 or ERROR_OUTPUT. */
int packed_write(struct packed *packed, const void *data, size_t n,
		 struct error *error);

/*
 * Complete the file, or remove it if keep is false. Returns 0, or ERROR_OUTPUT. The file
 * is then removed, too.
 */
int packed_close(struct packed *packed, bool keep, struct error *error);

#endif
