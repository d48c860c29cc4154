/* SPDX-License-Identifier: GPL-2.0-only */
/* Convert Spike's CSVs to STF, and STF to CSVs. docs/design.md describes how. */
#ifndef CSV_CONVERT_H
#define CSV_CONVERT_H

#include "base/notes.h"
#include "csv/insn_trace.h"

/*
 * Write the instructions of a trace that was just opened to the file output. One function
 * converts a CSV to STF, the other one STF to a CSV. data is the data trace: csv_to_stf()
 * reads it, and csv_from_stf() writes it. NULL means that there is none. Both return 0,
 * or ERROR_* with a text. On an error, nothing is written. ERROR_NOTHING means that the
 * CSV has no instruction. Notes tell what of the input is not in the output, or is not as
 * readers expect it, and how much of what ran a trace holds.
 */
int csv_to_stf(struct insn_trace *from, const char *output, const char *data,
	       struct notes *notes, struct error *error);
int csv_from_stf(struct insn_trace *from, const char *output, const char *data,
		 struct notes *notes, struct error *error);

#endif
