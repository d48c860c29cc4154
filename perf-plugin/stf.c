// SPDX-License-Identifier: GPL-2.0-only
/* ssctr-stf.so: what perf script shows → an STF trace. */
#include "plugin.h"

const struct plugin plugin = {
	.name = "stf",
	.description = "STF traces of the instructions that branch stacks show",
	.longer =
		"perf script --dlfilter ssctr-stf.so --dlarg -o --dlarg TRACE.zstf\n"
		"Options are those of `ssctr stf`, a --dlarg for each word.",
	.run = cmd_stf_of,
};
