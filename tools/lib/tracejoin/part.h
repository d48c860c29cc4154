/* SPDX-License-Identifier: GPL-2.0-only */
/* One of the traces that are joined. */
#ifndef TRACEJOIN_PART_H
#define TRACEJOIN_PART_H

#include "base/error.h"
#include "origin/tell.h"
#include "tracecut/header.h"

/* Set all members that are not named to 0. */
struct tjoin_part {
	const char *path; /* belongs to the caller */
	const char *name; /* in comments and messages: without its folder */
	struct tcut_header header; /* as long as it is needed */
	struct stf_params params; /* as the header tells them */

	/* While the trace is open. */
	struct stf_reader *reader;
	struct stf_inst_iter *iter;
	struct stf_inst inst; /* the next one to be written */
	struct stf_process process; /* the first that it told; all 0: none yet */
	struct origin_tell tell; /* its mappings */
	bool has_inst;
	bool ended;
};

/* Open the trace and read its header. Returns 0, ERROR_NOMEM or ERROR_INPUT. */
int tjoin_part_open(struct tjoin_part *part, const struct stf_reader_opts *opts,
		    struct error *error);

/* Close the trace if it can be opened again. */
void tjoin_part_rest(struct tjoin_part *part);

/* Go to the first instruction, in a trace that rests, too. Returns like _next(). */
int tjoin_part_start(struct tjoin_part *part, const struct stf_reader_opts *opts,
		     struct error *error);

/* Go to the next instruction, or set ended. Returns 0, ERROR_NOMEM or ERROR_INPUT. */
int tjoin_part_next(struct tjoin_part *part, struct error *error);

/* Close the trace. */
void tjoin_part_close(struct tjoin_part *part);

#endif
