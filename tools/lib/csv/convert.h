/* SPDX-License-Identifier: GPL-2.0-only */
/* Spike's CSVs to STF, and back; docs/design.md says how. */
#ifndef CSV_CONVERT_H
#define CSV_CONVERT_H

#include "base/notes.h"
#include "csv/insn_trace.h"

/*
 * Write the instructions of a trace that was just opened, a CSV the one way, STF the
 * other, to the file output. data is the data trace, read in the one and written in the
 * other; NULL: none. Returns 0, or ERROR_* with a text and nothing written; it is
 * ERROR_NOTHING for a CSV without an instruction. What of a CSV is not in the trace, or
 * not as readers expect it, are notes.
 */
int csv_to_stf(struct insn_trace *from, const char *output, const char *data,
	       struct notes *notes, struct error *error);
int csv_from_stf(struct insn_trace *from, const char *output, const char *data,
		 struct error *error);

#endif
