// SPDX-License-Identifier: GPL-2.0-only
/*
 * The map of addresses, by the layouts of Sv32 and Sv39 in the privileged specification,
 * and compared with a list of walks.
 */
#include "stf-build.h"
#include "stf/stf.h"

enum {
	KIB4 = 0x1000,
	KIB64 = 0x10000,
	MIB2 = 0x200000,
	MIB4 = 0x400000,
	GIB1 = 0x40000000,
	RW = 0xc7, /* D, A, W, R, V */
	GLOBAL = 0x20,
};

static struct stf_pages *pages;
static struct stf_page page;

static int take(uint64_t space, uint64_t va, uint32_t size, uint64_t leaf)
{
	struct stf_pte pte = { 0x80003000, leaf };
	struct stf_page_walk walk = { .va = va, .page_size = size,
				      .n_ptes = 1, .ptes = &pte };

	return stf_pages_take(pages, space, &walk);
}

/* A leaf for the page with this physical address: the page number begins at bit 10. */
static uint64_t leaf(uint64_t pa, unsigned int flags)
{
	return pa >> 12 << 10 | flags;
}

/* The physical address, or 1 if there is none. */
static uint64_t find(uint64_t space, uint64_t va)
{
	if (!stf_pages_find(pages, space, va, &page))
		return 1;
	CHECK(va - page.va < page.size);
	return page.pa + (va - page.va);
}

static void start_map(size_t max)
{
	pages = stf_pages_new(max);
	CHECK(pages);
}

/*
 * The table at 0x80001000 translates 0x40201234 in three steps: its page numbers are 1, 1
 * and 1. Each entry has 8 bytes. The third one has the page number 0x87654 and the flags
 * D, A, U, W, R and V.
 */
TEST(sv39_by_hand)
{
	const struct stf_pte ptes[] = {
		{ 0x80001008, 0x20000801 }, /* the table at 0x80002000 */
		{ 0x80002008, 0x20000c01 }, /* the table at 0x80003000 */
		{ 0x80003008, 0x21d950d7 },
	};
	const struct stf_page_walk walk = { .va = 0x40201234, .page_size = KIB4,
					    .n_ptes = 3, .ptes = ptes };

	start_map(0);
	CHECK_EQ(stf_pages_take(pages, 7, &walk), 1);
	CHECK_EQ(find(7, 0x40201234), 0x87654234);
	CHECK_EQ(page.va, 0x40201000);
	CHECK_EQ(page.pa, 0x87654000);
	CHECK_EQ(page.size, 4096);
	CHECK_EQ(page.pte, 0x21d950d7);
	CHECK_EQ(page.flags, STF_PAGE_VALID | STF_PAGE_READ | STF_PAGE_WRITE |
				     STF_PAGE_USER | STF_PAGE_ACCESSED |
				     STF_PAGE_DIRTY);
	CHECK_EQ(find(7, 0x40201000), 0x87654000);
	CHECK_EQ(find(7, 0x40201fff), 0x87654fff);
	CHECK_EQ(find(7, 0x40200fff), 1);
	CHECK_EQ(find(7, 0x40202000), 1);
	stf_pages_free(pages);
}

/* The offset of a large page has more bits, which are 0 in the page number. */
TEST(large_pages_by_hand)
{
	start_map(0);
	/* Sv39: the page number 0x80200 is 2 MiB behind 0x80000000. */
	CHECK_EQ(take(0, 0xffffffc000234567, MIB2, 0x200800cf), 1);
	CHECK_EQ(find(0, 0xffffffc000200000), 0x80200000);
	CHECK_EQ(find(0, 0xffffffc0003fffff), 0x803fffff);
	CHECK_EQ(find(0, 0xffffffc000400000), 1);
	/* The page number 0x40000 is at 1 GiB. */
	CHECK_EQ(take(0, 0x80000000, GIB1, 0x10000049), 1);
	CHECK_EQ(find(0, 0xbfffffff), 0x7fffffff);
	CHECK_EQ(page.flags, STF_PAGE_VALID | STF_PAGE_EXEC | STF_PAGE_ACCESSED);
	/* Sv32: page number 0x3ffc00, the last 4 MiB of 34 bits. */
	CHECK_EQ(take(0, 0x00400000, MIB4, 0xfff00003), 1);
	CHECK_EQ(find(0, 0x007fffff), UINT64_C(0x3ffffffff));
	stf_pages_free(pages);
}

/* Svnapot: the page number 0x80008 with bit 63 means the 16 pages from 0x80000 on. */
TEST(svnapot_by_hand)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		start_map(0);
		CHECK_EQ(take(0, 0x5a123, i ? KIB4 : KIB64, UINT64_C(0x80000000200020c7)), 1);
		CHECK_EQ(find(0, 0x50000), 0x80000000);
		CHECK_EQ(find(0, 0x5ffff), 0x8000ffff);
		CHECK_EQ(page.size, KIB64);
		CHECK_EQ(find(0, 0x60000), 1);
		/* The other encodings and sizes are reserved. */
		CHECK_EQ(take(0, 0x5a123, KIB64, UINT64_C(0x80000000200010c7)), 0);
		CHECK_EQ(take(0, 0x5a123, MIB2, UINT64_C(0x80000000200020c7)), 0);
		stf_pages_free(pages);
	}
}

/* If V is 0, all other bits are for software. Linux has one of its own in place of G. */
TEST(an_invalid_leaf_has_no_other_bits)
{
	start_map(0);
	CHECK_EQ(take(1, 0x10000, KIB4, leaf(0x5000, RW)), 1);
	CHECK_EQ(take(1, 0x11000, KIB4, leaf(0x6000, RW)), 1);
	CHECK_EQ(take(2, 0x10000, KIB4, leaf(0x7000, GLOBAL)), 0);
	CHECK_EQ(find(1, 0x10000), 0x5000);
	/* As in svnapot_by_hand, but invalid: it is no leaf of all 64 KiB. */
	CHECK_EQ(take(1, 0x10000, KIB4, UINT64_C(0x80000000200020c6)), 0);
	CHECK_EQ(find(1, 0x10000), 1);
	CHECK_EQ(find(1, 0x11000), 0x6000);
	stf_pages_free(pages);
}

/* Svpbmt has the bits 62 and 61, and software has 9 and 8. */
TEST(other_bits_are_no_address)
{
	start_map(0);
	CHECK_EQ(take(0, 0x1000, KIB4, leaf(0x5000, RW) | UINT64_C(0x6000000000000300)), 1);
	CHECK_EQ(find(0, 0x1010), 0x5010);
	CHECK_EQ(page.flags, RW);
	CHECK_EQ(take(0, 0x2000, KIB4, leaf(UINT64_C(0xfffffffffff000), RW)), 1);
	CHECK_EQ(find(0, 0x2fff), UINT64_C(0xffffffffffffff));
	stf_pages_free(pages);
}

TEST(spaces_are_apart_and_share_global_pages)
{
	start_map(0);
	CHECK_EQ(take(1, 0x1000, KIB4, leaf(0x5000, RW)), 1);
	CHECK_EQ(take(2, 0x1000, KIB4, leaf(0x6000, RW)), 1);
	CHECK_EQ(take(2, 0x9000, KIB4, leaf(0x7000, RW | GLOBAL)), 1);
	CHECK_EQ(find(1, 0x1000), 0x5000);
	CHECK_EQ(find(2, 0x1000), 0x6000);
	CHECK_EQ(find(3, 0x1000), 1);
	CHECK_EQ(find(1, 0x9000), 0x7000);
	CHECK_EQ(find(3, 0x9000), 0x7000);
	CHECK_EQ(page.flags, RW | GLOBAL);
	/* What a space is told later is its own. */
	CHECK_EQ(take(1, 0x9000, KIB4, leaf(0x8000, RW)), 1);
	CHECK_EQ(find(1, 0x9000), 0x8000);
	CHECK_EQ(find(2, 0x9000), 0x7000);
	CHECK_EQ(take(2, 0x9000, KIB4, leaf(0xa000, RW | GLOBAL)), 1);
	CHECK_EQ(find(1, 0x9000), 0xa000);
	stf_pages_free(pages);
}

/* "For non-leaf PTEs, the global setting implies that all mappings ... are global." */
TEST(a_global_table_makes_global_pages)
{
	const struct stf_pte ptes[] = { { 0x1000, 0x801 | GLOBAL },
					{ 0x2000, leaf(0x5000, RW) } };
	const struct stf_page_walk walk = { .va = 0x1000, .page_size = MIB2,
					    .n_ptes = 2, .ptes = ptes };
	const struct stf_page_walk small = { .va = 0x1000, .page_size = KIB4,
					     .n_ptes = 2, .ptes = ptes };

	start_map(0);
	CHECK_EQ(stf_pages_take(pages, 1, &walk), 0); /* not aligned */
	CHECK_EQ(stf_pages_take(pages, 1, &small), 1);
	CHECK_EQ(find(2, 0x1000), 0x5000);
	CHECK_EQ(page.flags, RW | GLOBAL);
	stf_pages_free(pages);
}

TEST(the_last_walk_counts)
{
	start_map(0);
	CHECK_EQ(take(0, 0x201000, KIB4, leaf(0x5000, RW)), 1);
	CHECK_EQ(take(0, 0x201000, KIB4, leaf(0x6000, RW)), 1);
	CHECK_EQ(find(0, 0x201000), 0x6000);
	CHECK_EQ(take(0, 0x300000, MIB2, leaf(0x800000, RW)), 1);
	CHECK_EQ(find(0, 0x201000), 0x801000);
	CHECK_EQ(take(0, 0x201000, KIB4, leaf(0x6000, RW)), 1);
	CHECK_EQ(find(0, 0x201000), 0x6000);
	CHECK_EQ(find(0, 0x202000), 0x802000);
	CHECK_EQ(stf_pages_lost(pages), 0);
	stf_pages_free(pages);
}

/* Not valid, a pointer to a table, writable but not readable, not aligned. */
TEST(a_walk_to_a_fault_ends_the_page)
{
	const uint64_t faults[] = { 0, leaf(0x5000, RW & ~1), leaf(0x5000, 1),
				    leaf(0x5000, 5), leaf(0x5000, 0xd) };
	unsigned int i;

	start_map(0);
	for (i = 0; i < 5; i++) {
		CHECK_EQ(take(0, 0x1000, KIB4, leaf(0x5000, RW)), 1);
		CHECK_EQ(take(0, 0x1000, KIB4, faults[i]), 0);
		CHECK_EQ(find(0, 0x1000), 1);
	}
	CHECK_EQ(take(0, 0, MIB2, leaf(0x201000, RW)), 0);
	CHECK_EQ(take(0, 0, GIB1, leaf(0x200000, RW)), 0);
	stf_pages_free(pages);
}

TEST(a_walk_that_tells_no_page_is_refused)
{
	const uint32_t sizes[] = { 0, 1, 0x800, 0x1001, 0x3000, 0x80000000 };
	const struct stf_page_walk none = { .va = 0x1000, .page_size = KIB4 };
	unsigned int i;

	start_map(0);
	CHECK_EQ(take(0, 0x1000, KIB4, leaf(0x5000, RW)), 1);
	for (i = 0; i < 6; i++)
		CHECK_EQ(take(0, 0x1000, sizes[i], leaf(0, RW)), STF_E_VALUE);
	CHECK_EQ(stf_pages_take(pages, 0, &none), STF_E_VALUE);
	CHECK_EQ(find(0, 0x1000), 0x5000);
	stf_pages_free(pages);
}

TEST(a_full_map_forgets_the_oldest_walk)
{
	unsigned int i;

	start_map(3);
	for (i = 1; i <= 3; i++)
		CHECK_EQ(take(0, i << 12, KIB4, leaf(i << 16, RW)), 1);
	CHECK_EQ(take(0, 0x1000, KIB4, leaf(0x10000, RW)), 1);
	CHECK_EQ(stf_pages_lost(pages), 0);
	CHECK_EQ(take(0, 0x4000, KIB4, leaf(0x40000, RW)), 1);
	CHECK_EQ(stf_pages_lost(pages), 1);
	CHECK_EQ(find(0, 0x1000), 0x10000);
	CHECK_EQ(find(0, 0x2000), 1);
	CHECK_EQ(find(0, 0x3000), 0x30000);
	CHECK_EQ(find(0, 0x4000), 0x40000);
	stf_pages_free(pages);
}

/* The walks of a trace, read by group, translate the access of their instruction. */
TEST(walks_of_a_trace)
{
	static struct bytes in;
	const struct stf_group *group;
	struct stf_inst_iter *iter;
	struct stf_reader *reader;
	struct stf_inst inst;

	b_header(&in, FEATURES_RV64 | STF_FEATURE_PTE);
	b8(&in, 8);
	b32(&in, 0);
	b32(&in, 42);
	b32(&in, 43);
	b8(&in, 50);
	b64(&in, 0x40201000);
	b64(&in, 0);
	b32(&in, KIB4);
	b8(&in, 1);
	b64(&in, 0x80003008);
	b64(&in, 0x21d950d7);
	b_inst32(&in, 0x13);
	reader = stf_reader_open_memory(in.v, in.n, NULL, NULL);
	iter = stf_inst_iter_new(reader, sizeof(inst));
	CHECK_EQ(stf_inst_iter_next_group(iter, &inst, &group), 1);
	CHECK_EQ(group->n_walks, 1);
	start_map(0);
	CHECK_EQ(stf_pages_take(pages, inst.process.pid, &group->walks[0]), 1);
	CHECK_EQ(find(42, 0x40201abc), 0x87654abc);
	stf_pages_free(pages);
	stf_inst_iter_free(iter);
	stf_reader_close(reader);
}

/* ------------------------------------------------ compared with a list of walks */

enum { WALKS = 4000 };

static struct {
	uint64_t space, va, size, pte;
	bool ok, global, gone;
} list[WALKS];
static unsigned int n_list;

static uint64_t in_list(uint64_t space, uint64_t va)
{
	unsigned int i;

	for (i = n_list; i--;) {
		if (list[i].gone || va - list[i].va >= list[i].size ||
		    (!list[i].global && list[i].space != space))
			continue;
		return list[i].ok ? (list[i].pte >> 10 << 12) + va - list[i].va : 1;
	}
	return 1;
}

/* The same page again takes the place of the old walk; the oldest one leaves a full map. */
static void add_to_list(uint64_t space, uint64_t va, uint64_t size, uint64_t pte,
			unsigned int max)
{
	bool global = pte & GLOBAL && pte & 1;
	unsigned int i, n = 0;

	va &= ~(size - 1);
	for (i = 0; i < n_list; i++) {
		if (list[i].va == va && list[i].size == size &&
		    list[i].global == global && (global || list[i].space == space))
			list[i].gone = true;
		n += !list[i].gone;
	}
	for (i = 0; n >= max; i++) {
		n -= !list[i].gone;
		list[i].gone = true;
	}
	list[n_list].space = space;
	list[n_list].va = va;
	list[n_list].size = size;
	list[n_list].pte = pte;
	list[n_list].global = global;
	list[n_list++].ok = pte & 1;
}

/* Returns how many addresses had a page. */
static unsigned int compare(size_t max)
{
	static const uint32_t sizes[] = { KIB4, KIB4, KIB4, MIB2, MIB2, GIB1 };
	unsigned int i, k, found = 0;

	start_map(max);
	n_list = 0;
	memset(list, 0, sizeof(list));
	for (i = 0; i < WALKS; i++) {
		uint64_t size = sizes[test_random() % 6], space = test_random() % 3;
		uint64_t va = test_random() % (1 + (UINT64_C(1) << (test_random() % 33)));
		uint64_t pte = leaf((test_random() & 0xffffffffff) & ~(size - 1),
				    RW & ~(test_random() % 8 ? 0u : 1u));

		if (test_random() % 4 == 0)
			pte |= GLOBAL;
		CHECK_EQ(take(space, va, (uint32_t)size, pte), pte & 1);
		add_to_list(space, va, size, pte & ~UINT64_C(0x300), (unsigned int)max);
		for (k = 0; k < 4; k++) {
			va = test_random() % (UINT64_C(1) << (1 + test_random() % 33));
			CHECK_EQ(find(k, va), in_list(k, va));
			found += in_list(k, va) != 1;
		}
	}
	stf_pages_free(pages);
	return found;
}

TEST(equals_a_list_of_walks)
{
	CHECK(compare(WALKS + 1) > WALKS);
}

TEST(equals_a_list_of_the_last_walks)
{
	compare(1);
	compare(63);
	compare(64);
	compare(65);
}
