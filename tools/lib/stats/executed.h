/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether an instruction of a trace executed, or an event came in its place. */
#ifndef STATS_EXECUTED_H
#define STATS_EXECUTED_H

#include "stf/stf.h"

/*
 * Returns whether inst, the instruction that the iterator read last, executed. xfer is its
 * enum rv_xfer. At an event it did not: it comes again, or never. Two kinds did all the
 * same: a jump that was taken before the event, and what always traps, as an ecall, with the
 * event of its own trap. All records of the group can be read again afterwards.
 */
bool stats_executed(struct stf_inst_iter *iter, const struct stf_inst *inst,
		    unsigned int xfer);

/* Returns the enum rv_flags of a trace whose header was read. */
unsigned int stats_rv_flags(const struct stf_params *params);

/* Returns whether it did not, to who has not decoded it. rv_flags are enum rv_flags. */
bool stats_interrupted(struct stf_inst_iter *iter, const struct stf_inst *inst,
		       unsigned int rv_flags);

#endif
