/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of all commands that print STF traces, for what a trace does not
 * say of its own layout, since its specifications and the reference library
 * differ (libstf(3)).
 */
#ifndef SSCTR_LAYOUT_H
#define SSCTR_LAYOUT_H

#include "ssctr.h"
#include "stf/stf.h"

enum {
	OPT_SPEC_INITIATORS = 0x1000,
	OPT_EVENT_BITS,
};

/* In a list of options. */
#define LAYOUT_OPTIONS                                                         \
	{ OPT_SPEC_INITIATORS, "spec-initiators", NULL,                        \
	  "bus initiators count from CORE = 0, as the specification has it" }, \
	{ OPT_EVENT_BITS, "event-bits", "N",                                   \
	  "event ids have N bits, 32 or 64, whatever the trace's features say" }

/*
 * Take the option just returned, if it is one of these. False, and reported as a
 * usage error, for a bad argument.
 */
bool layout_option(const struct cmd_opts *opts, int id,
		   struct stf_reader_opts *reader);

#endif
