/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the recorder's BPF program writes, and the samples that become of it. perf's readers
 * know a branch stack as a part of a sample, and not as raw data.
 */
#ifndef LAST_SAMPLE_H
#define LAST_SAMPLE_H

#include "last/point.h"

#include <stddef.h>
#include <stdint.h>

enum {
	LAST_MAX_BRANCHES = 256,
	LAST_NR_REGS = 32, /* pc, ra, sp, ...: the order of perf, and of struct pt_regs */
};

/* The raw data. Of the branches, `nr` are there, the newest first. */
struct last_raw {
	struct last_point point;
	uint64_t regs[LAST_NR_REGS];
	uint64_t has_kernel; /* branches of the kernel were recorded, too */
	uint64_t nr;
	struct { uint64_t from, to, flags; } branches[LAST_MAX_BRANCHES];
};

/* The bytes before the branches. */
#define LAST_RAW_HEAD offsetof(struct last_raw, branches)

/* The fields of the event as it is opened, and of its samples in the file. */
#define LAST_OPENED_TYPE                                             \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)
#define LAST_SAMPLE_TYPE \
	(LAST_OPENED_TYPE | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER)

/* The largest sample, in words of 8 bytes. */
enum { LAST_SAMPLE_WORDS = 16 + LAST_NR_REGS + 3 * LAST_MAX_BRANCHES };

/*
 * Make the sample for the file of a sample of the opened event. record is a whole
 * PERF_RECORD_SAMPLE of size bytes with LAST_OPENED_TYPE. sample has room for
 * LAST_SAMPLE_WORDS. Returns the size of the sample in bytes, or 0 if the record is not what
 * the program writes.
 */
size_t last_make_sample(uint64_t *sample, const void *record, size_t size);

#endif
