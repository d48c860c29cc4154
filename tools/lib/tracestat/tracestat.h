/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the instructions of an STF trace do, in one reading of it: the mix, branches and
 * how well they can be predicted, memory accesses, footprints, threads, functions, reuse
 * distances and regions. Only those count that executed (stats/executed.h).
 *
 * Memory has a bound that does not depend on the trace: 32 MiB, without the reader and
 * LLVM. The structure of each section tells what did not fit in.
 */
#ifndef TRACESTAT_TRACESTAT_H
#define TRACESTAT_TRACESTAT_H

#include "base/error.h"
#include "origin/coverage.h"
#include "tracestat/branches.h"
#include "tracestat/footprint.h"
#include "tracestat/functions.h"
#include "tracestat/intervals.h"
#include "tracestat/memory.h"
#include "tracestat/mix.h"
#include "tracestat/regions.h"
#include "tracestat/reuse.h"
#include "tracestat/threads.h"

/* The parts of the work. What is not asked for costs nothing. */
enum tstat_parts {
	TSTAT_BRANCHES = 1 << 0,
	TSTAT_CODE = 1 << 1,
	TSTAT_MEMORY = 1 << 2,
	TSTAT_THREADS = 1 << 3,
	TSTAT_FUNCTIONS = 1 << 4, /* if the caller sets names */
	TSTAT_REUSE = 1 << 5,
	TSTAT_REGIONS = 1 << 6,
};

struct tstat {
	unsigned int parts; /* enum tstat_parts, set by the caller */
	struct names *names; /* the caller's; NULL: nothing is named */
	struct tstat_mix mix; /* always; the caller sets disasm */
	struct tstat_branches branches;
	struct tstat_footprint code;
	struct tstat_memory memory;
	struct tstat_threads threads;
	struct tstat_functions functions;
	struct tstat_regions regions;
	struct tstat_reuse code_reuse, data_reuse;
	struct tstat_intervals intervals; /* set by the caller; needs TSTAT_BRANCHES */
	uint64_t interrupted; /* instructions that did not execute */
	uint64_t gaps; /* within the trace */
	struct origin_coverage coverage; /* unknown before the end of the trace */
};

#define TSTAT_INIT                                                             \
	{ .coverage = ORIGIN_COVERAGE_UNKNOWN,                                 \
	  .code = TSTAT_FOOTPRINT_INIT(TSTAT_MAX_CODE_LINES,                   \
				       TSTAT_MAX_CODE_PAGES),                  \
	  .memory = TSTAT_MEMORY_INIT,                                         \
	  .code_reuse = TSTAT_REUSE_INIT(TSTAT_REUSE_CODE_LINES),              \
	  .data_reuse = TSTAT_REUSE_INIT(TSTAT_REUSE_DATA_LINES) }

/*
 * Count the instructions of a trace, from after its header to its end, and sort. Returns
 * 0, ERROR_NOMEM, or ERROR_INPUT if the trace cannot be read or has no instructions by
 * its nature (transactions). What was read before an error is counted and sorted.
 */
int tstat_read(struct tstat *stat, struct stf_reader *reader,
	       struct error *error);

void tstat_free(struct tstat *stat);

#endif
