/* SPDX-License-Identifier: GPL-2.0-only */
/* The basic-block vectors of an STF trace. */
#ifndef PHASES_TRACE_H
#define PHASES_TRACE_H

#include "phases/bbv.h"
#include "stf/stf.h"

/*
 * Count the instructions of a trace that the filters of `wanted` let pass, from its start
 * or from after its header. wanted may be NULL: all. The start of an interval is the
 * number of its first instruction in the trace; its length is the number of those that
 * pass. bbv->coverage and bbv->repeated become what the trace tells. If not all of its
 * instructions pass, both are not known. Returns 0, ERROR_NOMEM, ERROR_OUTPUT, or ERROR_INPUT if the
 * trace cannot be read or has no instructions by its nature.
 */
int phases_read_trace(struct phases_bbv *bbv, struct stf_reader *reader,
		      const struct stf_select *wanted, struct error *error);

#endif
