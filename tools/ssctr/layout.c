// SPDX-License-Identifier: GPL-2.0-only
#include "layout.h"

bool layout_option(const struct cmd_opts *opts, int id,
		   struct stf_reader_opts *reader)
{
	uint64_t bits;

	switch (id) {
	case OPT_SPEC_INITIATORS:
		reader->spec_initiators = true;
		break;
	case OPT_EVENT_BITS:
		if (!cmd_opts_u64(opts, &bits))
			return false;
		if (bits != 32 && bits != 64) {
			cmd_usage(opts->cmd, "--event-bits is 32 or 64");
			return false;
		}
		reader->event_bits = (unsigned int)bits;
		break;
	}
	return true;
}
