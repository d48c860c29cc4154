// SPDX-License-Identifier: GPL-2.0-only
/* Which binary an address is in, and where: of recordings, by hand. */
#include "perfdata-build.h"
#include "profile/places.h"
#include "test.h"

static struct pdb rec;
static struct prof_places places;
static struct counts counts;

static bool find_place(void *arg, uint32_t pid, uint64_t addr,
		       struct count_map *map)
{
	CHECK(!arg);
	return prof_places_find(&places, pid, addr, map);
}

static void begin(void)
{
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	memset(&places, 0xff, sizeof(places));
	CHECK(prof_places_init(&places));
	counts = (struct counts){ .find = find_place };
}

static void add_sample(uint32_t pid, uint64_t time, uint64_t ip,
		       unsigned int nr, const uint64_t (*branches)[3])
{
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = ip, .time = time, .pid = pid, .nr_branches = nr,
		.branches = branches });
}

/* Count the recording, and begin another one. */
static void count(void)
{
	struct pd_space *space;
	struct pd_event ev;
	struct pd *pd;
	int ret;

	pdb_finish(&rec);
	CHECK_EQ(pd_open_memory(&pd, rec.file.p, rec.file.n), 0);
	space = pd_space_new(pd);
	prof_places_begin(&places, space);
	while ((ret = pd_next(pd, &ev)) > 0) {
		if (ev.type == PERF_RECORD_SAMPLE)
			CHECK(count_sample(&counts, &ev));
		else
			CHECK_EQ(pd_space_event(space, &ev), 0);
	}
	CHECK_EQ(ret, 0);
	pd_space_free(space);
	pd_close(pd);
	pdb_free(&rec);
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
}

static void end(void)
{
	count_free(&counts);
	prof_places_free(&places);
	pdb_free(&rec);
}

static count_place place(unsigned int binary, uint64_t offset)
{
	return (count_place)binary << COUNT_OFFSET_BITS | offset;
}

/* end: the source of the next transfer, or NONE. */
#define NONE UINT64_MAX

static struct count_step *find(count_place from, count_place to, count_place end)
{
	const int32_t line = end == NONE ? COUNT_NO_LINE : (int32_t)(end - to);
	size_t i;

	for (i = 0; i < counts.nr_steps; i++) {
		struct count_step *s = &counts.steps[i];

		if (s->from == from && s->to == to && s->line == line)
			return s;
	}
	return NULL;
}

TEST(a_binary_is_one_wherever_and_however_often_it_is_mapped)
{
	static const uint64_t low[][3] = { { 0x1010, 0x1020, 0 } };
	static const uint64_t high[][3] = { { 0x7f1010, 0x7f1020, 0 } };

	begin();
	pdb_mmap2(&rec, 1, 0x1000, 0x1000, 0x3000, "/a", 1);
	pdb_mmap2(&rec, 2, 0x7f1000, 0x1000, 0x3000, "/a", 2);
	add_sample(1, 3, 0x1020, 1, low);
	add_sample(2, 4, 0x7f1020, 1, high);
	count();
	CHECK_EQ(counts.nr_steps, 1);
	CHECK_EQ(find(place(2, 0x3010), place(2, 0x3020), NONE)->count, 2);
	end();
}

TEST(a_program_that_starts_another_has_its_addresses)
{
	static const uint64_t stack[][3] = { { 0x1010, 0x1020, 0 } };

	begin();
	pdb_mmap2(&rec, 1, 0x1000, 0x1000, 0, "/a", 1);
	add_sample(1, 2, 0x1020, 1, stack);
	pdb_comm(&rec, PDB_MISC_EXEC, 1, "b", 3);
	pdb_mmap2(&rec, 1, 0x1000, 0x1000, 0, "/b", 4);
	add_sample(1, 5, 0x1020, 1, stack);
	add_sample(1, 6, 0x1020, 1, stack);
	count();
	CHECK_EQ(find(place(2, 0x10), place(2, 0x20), NONE)->count, 1);
	CHECK_EQ(find(place(3, 0x10), place(3, 0x20), NONE)->count, 2);
	CHECK_STR(places.binaries[2].name, "/a");
	CHECK_STR(places.binaries[3].name, "/b");
	end();
}

TEST(a_fork_sees_what_its_parent_had)
{
	static const uint64_t stack[][3] = { { 0x1010, 0x1020, 0 } };

	begin();
	pdb_mmap2(&rec, 1, 0x1000, 0x1000, 0, "/a", 1);
	pdb_task(&rec, PERF_RECORD_FORK, 0, 2, 2, 1, 2);
	add_sample(2, 3, 0x1020, 1, stack);
	count();
	CHECK_EQ(find(place(2, 0x10), place(2, 0x20), NONE)->count, 1);
	end();
}

TEST(binaries_of_two_recordings_are_one_by_name_and_build_id)
{
	static const uint64_t stack[][3] = { { 0x1010, 0x1020, 0 } };
	static const uint8_t id[20] = { 1 }, other[20] = { 2 };

	begin();
	pdb_mmap2_id(&rec, 1, 0x1000, 0x1000, 0, "/a", 1, id);
	add_sample(1, 2, 0x1020, 1, stack);
	count();
	pdb_mmap2_id(&rec, 1, 0x5000, 0x1000, 0, "/z", 1, other);
	pdb_mmap2_id(&rec, 1, 0x1000, 0x1000, 0, "/a", 1, id);
	add_sample(1, 2, 0x1020, 1, stack);
	pdb_mmap2_id(&rec, 1, 0x1000, 0x1000, 0, "/a", 3, other);
	add_sample(1, 4, 0x1020, 1, stack);
	count();
	CHECK_EQ(counts.nr_steps, 2);
	CHECK_EQ(find(place(2, 0x10), place(2, 0x20), NONE)->count, 2);
	CHECK_EQ(find(place(3, 0x10), place(3, 0x20), NONE)->count, 1);
	end();
}

TEST(what_is_not_mapped_is_one_place_for_each_privilege)
{
	static const uint64_t stack[][3] = {
		{ 0xffffffff80000010, 0x666, 0 },
		{ 0x555, 0xffffffff80000000, 0 },
	};

	begin();
	add_sample(1, 2, 0x777, 2, stack);
	count();
	CHECK(find(place(PROF_NOWHERE, 0), place(PROF_KERNEL, 0),
		   place(PROF_KERNEL, 0)));
	CHECK(find(place(PROF_KERNEL, 0), place(PROF_NOWHERE, 0), NONE));
	CHECK(places.binaries[PROF_KERNEL].kernel);
	end();
}

TEST(the_kernel_is_told_by_its_symbol_and_modules_are_files)
{
	static const uint64_t high = 0xffffffff80000000;
	static const uint64_t stack[][3] = {
		{ high + 0x2010, high + 0x2020, 0 },
		{ high - 0xf00, high - 0xff0, 0 },
	};
	static const uint64_t later[][3] = {
		{ high + 0x5010, high + 0x5020, 0 },
	};

	begin();
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, high, 0x100000, high + 0x1000,
		 "[kernel.kallsyms]_text", 1);
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, high - 0x1000, 0x1000, 0, "[m]", 2);
	add_sample(1, 3, 0x666, 2, stack);
	count();
	/* After another boot. */
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, high + 0x3000, 0x100000,
		 high + 0x4000, "[kernel.kallsyms]_text", 1);
	add_sample(1, 3, 0x666, 1, later);
	count();
	CHECK_EQ(find(place(2, PROF_FROM_SYMBOL + 0x1010),
		      place(2, PROF_FROM_SYMBOL + 0x1020), NONE)->count, 2);
	CHECK(find(place(3, 0x100), place(3, 0x10), NONE));
	CHECK_STR(places.binaries[2].symbol, "_text");
	CHECK(!places.binaries[3].symbol);
	CHECK(places.binaries[2].kernel && places.binaries[3].kernel);
	end();
}
