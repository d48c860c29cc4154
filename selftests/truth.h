/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file in which the guest program `truth` leaves the samples of one recording,
 * for the judge on the host. Little-endian, as both are.
 */
#ifndef SELFTESTS_TRUTH_H
#define SELFTESTS_TRUTH_H

#include <linux/perf_event.h>
#include <stdint.h>

#define TRUTH_MAGIC	"ssctr-TS"

struct truth_header {
	char magic[8];
	uint64_t branch_sample_type;
	uint32_t window;	/* of the log of transfers */
	uint32_t nr;		/* samples */
	uint32_t depth;		/* of the hart's buffer, in entries */
	uint32_t partial;	/* so many samples may lack some of what there was; UINT32_MAX: any */
};

/* Followed by its entries, newest first. */
struct truth_sample {
	uint64_t ip;
	uint64_t nr;
	struct perf_branch_entry entries[];
};

#endif
