// SPDX-License-Identifier: GPL-2.0-only
#include "tracestat/regions.h"
#include "base/array.h"
#include "tracestat/footprint.h"

#include <stdlib.h>

static uint32_t file_at(const struct origin_maps *maps, uint32_t pid, uint64_t address)
{
	const struct origin_map *map =
		maps ? origin_maps_find(maps, pid, address) : NULL;

	return map ? map->file : TSTAT_NO_FILE;
}

static bool is(const struct tstat_region *page, uint64_t number, uint32_t pid)
{
	return page->number == number && page->pid == pid;
}

/* Stores the index of the page, or SIZE_MAX if there is no place for it. */
static bool find(struct tstat_regions *r, const struct origin_maps *maps, uint32_t pid,
		 uint64_t address, size_t *index)
{
	const uint64_t number = address >> TSTAT_PAGE_SHIFT;
	const uint32_t hash = hash_u64(number ^ (uint64_t)pid << 40);
	bool full = r->nr == TSTAT_MAX_REGION_PAGES;
	struct hash_slot *slot;

	if (!full && (!hash_room(&r->by_number) ||
		      !array_room(&r->v, r->nr, &r->cap, sizeof(*r->v))))
		return false;
	hash_for_each(&r->by_number, slot, hash) {
		*index = slot->number - 1;
		if (is(&r->v[*index], number, pid))
			return true;
	}
	*index = SIZE_MAX;
	if (full)
		return true;
	hash_put(&r->by_number, slot, hash, (uint32_t)r->nr);
	*index = r->nr++;
	r->v[*index] = (struct tstat_region){
		.number = number, .pages = 1, .pid = pid,
		.file = file_at(maps, pid, address),
	};
	return true;
}

/* The page of an address; last is the one before. NULL: out of memory. */
static struct tstat_region *page_of(struct tstat_regions *r,
				    const struct origin_maps *maps, uint32_t pid,
				    uint64_t address, size_t *last)
{
	if (*last >= r->nr ||
	    !is(&r->v[*last], address >> TSTAT_PAGE_SHIFT, pid))
		if (!find(r, maps, pid, address, last))
			return NULL;
	return *last == SIZE_MAX ? &r->further : &r->v[*last];
}

bool tstat_regions_inst(struct tstat_regions *r, const struct origin_maps *maps,
			const struct stf_inst *inst)
{
	struct tstat_region *page =
		page_of(r, maps, inst->process.pid, inst->pc, &r->code);

	if (page)
		page->instructions++;
	return page;
}

bool tstat_regions_access(struct tstat_regions *r, const struct origin_maps *maps,
			  uint32_t pid, const struct stf_mem_access *access)
{
	struct tstat_region *page = page_of(r, maps, pid, access->address, &r->data);

	if (!page)
		return false;
	if (access->access == STF_ACCESS_WRITE)
		page->writes++;
	else
		page->reads++;
	return true;
}

static int ascending(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_address(const void *a, const void *b)
{
	const struct tstat_region *one = a, *other = b;
	int order = ascending(one->pid, other->pid);

	return order ? order : ascending(one->number, other->number);
}

static int busier(const void *a, const void *b)
{
	int order = ascending(tstat_region_uses(b), tstat_region_uses(a));

	return order ? order : by_address(a, b);
}

static bool continues(const struct tstat_region *a, const struct tstat_region *b)
{
	return a->pid == b->pid && a->number + a->pages == b->number &&
	       a->file == b->file && !a->instructions == !b->instructions;
}

void tstat_regions_join(struct tstat_regions *r)
{
	size_t i, nr = 0;

	if (!r->nr)
		return;
	qsort(r->v, r->nr, sizeof(*r->v), by_address);
	for (i = 1; i < r->nr; i++) {
		struct tstat_region *region = &r->v[nr];
		const struct tstat_region *page = &r->v[i];

		if (!continues(region, page)) {
			r->v[++nr] = *page;
			continue;
		}
		region->pages++;
		region->instructions += page->instructions;
		region->reads += page->reads;
		region->writes += page->writes;
	}
	r->nr = nr + 1;
	qsort(r->v, r->nr, sizeof(*r->v), busier);
}

void tstat_regions_free(struct tstat_regions *r)
{
	hash_free(&r->by_number);
	free(r->v);
}
