/* SPDX-License-Identifier: GPL-2.0-only */
/* One header of the headers of several traces. */
#ifndef TRACEJOIN_MERGE_H
#define TRACEJOIN_MERGE_H

#include "tracejoin/part.h"
#include "tracejoin/tracejoin.h"

/*
 * Make the header of a trace that has all of these traces in it. Comments that all traces
 * have are written once. All others begin with the name of their trace. *merged is set to 0
 * first, and belongs to the caller, who frees it, also after an error. Returns 0,
 * ERROR_NOMEM, or ERROR_USAGE if the traces cannot be in one. *remedy then says what may
 * help.
 */
int tjoin_merge(struct tcut_header *merged, struct tjoin_part *parts, size_t nr,
		const char *isa, enum tjoin_remedy *remedy, struct error *error);

#endif
