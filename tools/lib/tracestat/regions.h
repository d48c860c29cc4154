/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regions of addresses: neighbouring pages of 4 KiB of a process that were used, with how
 * often they were. A region lies in one mapping, and either code ran in all of its pages
 * or in none.
 */
#ifndef TRACESTAT_REGIONS_H
#define TRACESTAT_REGIONS_H

#include "base/hash.h"
#include "origin/maps.h"
#include "stf/stf.h"

enum {
	/* Pages with counts of their own: 128 MiB, for which this takes 2 MiB. */
	TSTAT_MAX_REGION_PAGES = 1 << 15,
};

#define TSTAT_NO_FILE UINT32_MAX

/* A page, or a region of several. */
struct tstat_region {
	uint64_t instructions, reads, writes;
	uint64_t number; /* of the first page: the address, divided by 4096 */
	uint32_t pages;
	uint32_t pid;
	uint32_t file; /* index in origin_maps.files; TSTAT_NO_FILE: not known */
};

/* Set all members to 0 before the first use. */
struct tstat_regions {
	struct tstat_region *v; /* pages, and regions after tstat_regions_join() */
	size_t nr, cap;
	struct hash by_number;
	/* Uses of pages that found no place. */
	struct tstat_region further;
	size_t code, data; /* the index of the page that was used last */
};

/*
 * Count an instruction, and an access of it. maps may be NULL. Accesses count in the page
 * of their first byte. Return false if out of memory.
 */
bool tstat_regions_inst(struct tstat_regions *regions, const struct origin_maps *maps,
			const struct stf_inst *inst);
bool tstat_regions_access(struct tstat_regions *regions, const struct origin_maps *maps,
			  uint32_t pid, const struct stf_mem_access *access);

/*
 * Make regions of the pages, the most used first, and then by process and address. After
 * this, count no more.
 */
void tstat_regions_join(struct tstat_regions *regions);

/* Returns how often a region was used. */
static inline uint64_t tstat_region_uses(const struct tstat_region *region)
{
	return region->instructions + region->reads + region->writes;
}

void tstat_regions_free(struct tstat_regions *regions);

#endif
