/* SPDX-License-Identifier: GPL-2.0-only */
/* How `ssctr stat` shows what it counts, for people and for programs. */
#ifndef SSCTR_STAT_H
#define SSCTR_STAT_H

#include "base/text.h"
#include "tracestat/tracestat.h"

/* In the order in which they are shown. */
enum stat_section {
	STAT_MIX = 1 << 0,
	STAT_MNEMONICS = 1 << 1,
	STAT_BRANCHES = 1 << 2,
	STAT_CORRELATION = 1 << 3,
	STAT_CODE = 1 << 4,
	STAT_MEMORY = 1 << 5,
	STAT_PROCESSES = 1 << 6,
	STAT_FUNCTIONS = 1 << 7,
	STAT_REUSE = 1 << 8,
	STAT_REGIONS = 1 << 9,
};

struct stat_report {
	struct tstat counts;
	unsigned int sections; /* enum stat_section */
	uint64_t limit; /* rows of each list */
	bool ended; /* the trace was read to its end */
	struct text text;
};

void stat_text(struct stat_report *report);
void stat_json(struct stat_report *report);
void stat_csv(struct stat_report *report);

/* A row of --interval; arg is the report. */
void stat_intervals_text(void *arg, const struct tstat_interval *interval);
void stat_intervals_json(void *arg, const struct tstat_interval *interval);
void stat_intervals_csv(void *arg, const struct tstat_interval *interval);

/* The name of the file in which a region lies; NULL: not known. */
const char *stat_region_file(const struct stat_report *report,
			     const struct tstat_region *region);

/* The name to show for a function; NULL: not known. */
const char *stat_function_name(const struct stat_report *report,
			       const struct tstat_function *function);

/* Accesses of this size in bytes, in both directions; TSTAT_MAX_ACCESS + 1: longer ones. */
struct stat_size {
	uint64_t reads, writes;
};
struct stat_size stat_size(const struct tstat_memory *memory, unsigned int bytes);

#endif
