/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An STF trace as a file that is complete or does not exist. A signal that ends the
 * program removes it, as it removes every other unfinished output.
 */
#ifndef TRACEFILE_H
#define TRACEFILE_H

#include "base/error.h"
#include "base/outfile.h"
#include "stf/stf.h"

struct tracefile {
	struct outfile out;
	const char *path; /* belongs to the caller */
	struct stf_writer *writer; /* NULL: nothing is open */
};

/*
 * Create the trace, with the container that its name selects. "-" is standard output.
 * opts are libstf's, whose name and container are set here. *file must stay where it is
 * and path must exist until it is closed. Returns 0, or ERROR_OUTPUT with a text. There is nothing to close
 * then.
 */
int tracefile_open(struct tracefile *file, const char *path,
		   const struct stf_writer_opts *opts, struct error *error);

/*
 * Complete the trace, or remove it if keep is false. It may be not open. Returns 0, or
 * ERROR_OUTPUT with a text. The trace is then removed, too.
 */
int tracefile_close(struct tracefile *file, bool keep, struct error *error);

/*
 * Returns the bytes of a name before the ending that selects its container (.zstf,
 * .stf.gz, .stf.xz, .stf). All of it if there is no such ending, or nothing before it.
 */
size_t tracefile_stem(const char *path);

#endif
