// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as an instruction CSV. */
#include "csv/csv.h"

#define ROW struct csv_insn
#define KIND CSV_INSNS
#define NEXT csv_next_insn
#define WRITE csv_write_insn

static bool same_row(const struct csv_insn *a, const struct csv_insn *b)
{
	return a->address == b->address && a->insn == b->insn &&
	       a->privilege == b->privilege && a->exception == b->exception &&
	       a->interrupt == b->interrupt && a->ecause == b->ecause &&
	       a->tval == b->tval;
}

#include "rows.h"
