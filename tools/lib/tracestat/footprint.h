/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A footprint: how many different bytes, lines of 64 bytes and pages of 4 KiB are used.
 * Addresses are virtual. The same address in two processes counts twice.
 */
#ifndef TRACESTAT_FOOTPRINT_H
#define TRACESTAT_FOOTPRINT_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TSTAT_LINE_SHIFT = 6,
	TSTAT_PAGE_SHIFT = 12,
	/* Lines of data whose bytes are counted: 8 MiB, for which this takes 5 MiB. */
	TSTAT_MAX_LINES = 1 << 17,
	/* Pages of data: 256 MiB, for which this takes 2.5 MiB. */
	TSTAT_MAX_PAGES = 1 << 16,
	/* The same for code: 4 MiB in 2.5 MiB, and 128 MiB in 1.3 MiB. */
	TSTAT_MAX_CODE_LINES = 1 << 16,
	TSTAT_MAX_CODE_PAGES = 1 << 15,
};

/* 64 units of the same size, such as the 64 lines of a page. */
struct tstat_block {
	uint64_t number; /* the address, divided by the size of a block */
	uint64_t used; /* a bit for each unit */
	uint32_t pid;
};

/* Set all members to 0 first, except the first two. */
struct tstat_blocks {
	size_t max; /* blocks */
	unsigned int shift; /* a unit has 1 << shift bytes */
	uint64_t units; /* different units that are used */
	struct tstat_block *v;
	size_t nr, cap;
	size_t last; /* the index of the block that was used last */
	struct hash by_number;
	bool full; /* there are more blocks than fit in, so these are lower bounds */
};

struct tstat_footprint {
	/* Units are bytes, and blocks are lines. */
	struct tstat_blocks lines;
	/* Units are lines, and blocks are pages. */
	struct tstat_blocks pages;
};

#define TSTAT_FOOTPRINT_INIT(_lines, _pages)                                   \
	{ .lines = { .max = (_lines) },                                        \
	  .pages = { .max = (_pages), .shift = TSTAT_LINE_SHIFT } }

/*
 * Use size bytes at an address. No bytes count as one byte. Returns false if out of
 * memory.
 */
bool tstat_footprint_use(struct tstat_footprint *f, uint32_t pid,
			 uint64_t address, unsigned int size);

void tstat_footprint_free(struct tstat_footprint *f);

#endif
