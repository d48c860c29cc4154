// SPDX-License-Identifier: GPL-2.0-only
/* Regions of pages, against a table of all pages. */
#include "test.h"
#include "tracestat/regions.h"

#include <string.h>

enum { PAGES = 60, PROCESSES = 2, FILES = 3 };

struct page {
	uint64_t instructions, reads, writes;
	uint32_t file;
};

static struct page table[PROCESSES][PAGES];
static struct origin_maps maps;

static void add_file(unsigned int pid, unsigned int first, unsigned int end,
		     const char *name)
{
	unsigned int i;

	CHECK(origin_maps_add(&maps, &(struct origin_mapping){
		.pid = pid, .start = (uint64_t)first << 12, .end = (uint64_t)end << 12,
		.name = name, .name_size = strlen(name) }));
	for (i = first; i < end; i++)
		table[pid][i].file = (uint32_t)maps.nr_files - 1;
}

static void begin(void)
{
	unsigned int pid, i;

	origin_maps_free(&maps);
	maps = (struct origin_maps){ .nr = 0 };
	memset(table, 0, sizeof(table));
	for (pid = 0; pid < PROCESSES; pid++)
		for (i = 0; i < PAGES; i++)
			table[pid][i].file = TSTAT_NO_FILE;
	add_file(0, 5, 20, "/a");
	add_file(0, 20, 25, "/b");
	add_file(1, 7, 30, "/c");
}

static void use_one(struct tstat_regions *r)
{
	const unsigned int pid = test_random() % PROCESSES, n = test_random() % PAGES;
	const uint64_t address = (uint64_t)n << 12 | test_random() % 4096;
	struct stf_mem_access access = { .address = address, .size = 8,
					 .access = STF_ACCESS_READ };
	struct stf_inst inst = { .pc = address };
	struct page *page = &table[pid][n];

	inst.process.pid = pid;
	switch (test_random() % 3) {
	case 0:
		CHECK(tstat_regions_inst(r, &maps, &inst));
		page->instructions++;
		return;
	case 1:
		page->reads++;
		break;
	default:
		access.access = STF_ACCESS_WRITE;
		page->writes++;
	}
	CHECK(tstat_regions_access(r, &maps, pid, &access));
}

static bool is_used(const struct page *p)
{
	return p->instructions || p->reads || p->writes;
}

static bool belongs(const struct page *page, const struct page *other)
{
	return is_used(other) && page->file == other->file &&
	       !page->instructions == !other->instructions;
}

static void check_region(const struct tstat_region *r)
{
	struct page *pages = table[r->pid], sum = { .file = r->file };
	const uint64_t end = r->number + r->pages;
	const struct page first = pages[r->number];
	uint64_t i;

	CHECK(end <= PAGES);
	CHECK(!r->number || !belongs(&first, &pages[r->number - 1]));
	CHECK(end == PAGES || !belongs(&first, &pages[end]));
	for (i = r->number; i < end; i++) {
		CHECK(belongs(&first, &pages[i]));
		sum.instructions += pages[i].instructions;
		sum.reads += pages[i].reads;
		sum.writes += pages[i].writes;
	}
	CHECK_EQ(r->file, first.file);
	CHECK_EQ(r->instructions, sum.instructions);
	CHECK_EQ(r->reads, sum.reads);
	CHECK_EQ(r->writes, sum.writes);
}

TEST(random_regions_are_those_of_a_table_of_pages)
{
	unsigned int round, i, n;
	uint64_t pages, used;

	for (round = 0; round < 30; round++) {
		struct tstat_regions r = { .nr = 0 };

		begin();
		for (n = test_random() % 300; n; n--)
			use_one(&r);
		tstat_regions_join(&r);
		for (pages = used = 0, i = 0; i < PROCESSES * PAGES; i++)
			used += is_used(&table[i / PAGES][i % PAGES]);
		for (i = 0; i < r.nr; i++) {
			check_region(&r.v[i]);
			pages += r.v[i].pages;
			CHECK(!i || tstat_region_uses(&r.v[i - 1]) >=
					    tstat_region_uses(&r.v[i]));
		}
		CHECK_EQ(pages, used);
		tstat_regions_free(&r);
	}
	origin_maps_free(&maps);
}

TEST(regions_have_a_bound)
{
	struct tstat_regions r = { .nr = 0 };
	struct stf_inst inst = { .pc = 0 };
	unsigned int i;

	for (i = 0; i < TSTAT_MAX_REGION_PAGES + 5; i++) {
		inst.pc = 8192 * (uint64_t)i;
		CHECK(tstat_regions_inst(&r, NULL, &inst));
	}
	CHECK_EQ(r.nr, TSTAT_MAX_REGION_PAGES);
	CHECK_EQ(r.further.instructions, 5);
	/* What was there before is still known. */
	inst.pc = 8192;
	CHECK(tstat_regions_inst(&r, NULL, &inst));
	CHECK_EQ(r.further.instructions, 5);
	tstat_regions_free(&r);
}
