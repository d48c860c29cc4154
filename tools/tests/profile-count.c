// SPDX-License-Identifier: GPL-2.0-only
/* Counting branch stacks, held against a plain list of them. */
#include "perfdata-build.h"
#include "profile/count.h"
#include "test.h"

enum { LONGEST = 150, NR_SAMPLES = 400 };

static struct pdb rec;
static struct prof_counts *counts;

static void begin(void)
{
	rec = (struct pdb){ 0 };
	pdb_event(&rec, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY);
	counts = prof_counts_new();
	CHECK(counts);
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
	prof_counts_begin(counts, space);
	while ((ret = pd_next(pd, &ev)) > 0) {
		if (ev.type == PERF_RECORD_SAMPLE)
			CHECK_EQ(prof_counts_sample(counts, &ev), 0);
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
	prof_counts_free(counts);
	pdb_free(&rec);
}

static prof_place place(unsigned int binary, uint64_t offset)
{
	return (prof_place)binary << PROF_OFFSET_BITS | offset;
}

/* end: the source of the next transfer, or NONE. */
#define NONE UINT64_MAX

static struct prof_step *find(prof_place from, prof_place to, prof_place end)
{
	const int32_t line = end == NONE ? PROF_NO_LINE : (int32_t)(end - to);
	size_t i;

	for (i = 0; i < counts->nr_steps; i++) {
		struct prof_step *s = &counts->steps[i];

		if (s->from == from && s->to == to && s->line == line)
			return s;
	}
	return NULL;
}

/* How many places samples were taken at. */
static size_t nr_sampled(void)
{
	size_t i, nr = 0;

	for (i = 0; i < counts->nr_steps; i++)
		nr += counts->steps[i].from == PROF_SAMPLED;
	return nr;
}

static int by_step(const void *va, const void *vb)
{
	return memcmp(va, vb, 3 * sizeof(uint64_t));
}

TEST(random_stacks_are_counted_as_a_list_would)
{
	static uint64_t list[NR_SAMPLES * LONGEST][3];
	static uint64_t stack[LONGEST][3];
	size_t nr = 0, i, k, distinct = 0;

	begin();
	pdb_mmap2(&rec, 7, 0x10000, 0x10000, 0, "/a", 1);
	for (i = 0; i < NR_SAMPLES; i++) {
		unsigned int n = test_random() % (LONGEST + 1);
		prof_place line_end = NONE;

		for (k = 0; k < n; k++) {
			stack[k][0] = 0x10000 + test_random() % 40 * 2;
			stack[k][1] = 0x10000 + test_random() % 40 * 2;
			stack[k][2] = 0;
			list[nr][0] = place(2, stack[k][0] - 0x10000);
			list[nr][1] = place(2, stack[k][1] - 0x10000);
			list[nr++][2] = line_end;
			line_end = list[nr - 1][0];
		}
		add_sample(7, i + 2, 0x10000, n, stack);
	}
	count();
	CHECK_EQ(counts->samples, NR_SAMPLES);
	CHECK_EQ(counts->entries, nr);
	qsort(list, nr, sizeof(*list), by_step);
	for (i = 0; i < nr; i = k, distinct++) {
		const struct prof_step *s =
			find(list[i][0], list[i][1], list[i][2]);

		for (k = i; k < nr && !by_step(list[i], list[k]); k++)
			;
		CHECK(s && s->count == k - i);
		/* The search goes through the whole table: not for all. */
		if (distinct == 2000)
			break;
	}
	CHECK(counts->nr_steps > 4096);
	end();
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
	CHECK_EQ(counts->nr_steps, 2);
	CHECK_EQ(find(place(2, 0x3010), place(2, 0x3020), NONE)->count, 2);
	CHECK_EQ(find(PROF_SAMPLED, place(2, 0x3020), NONE)->count, 2);
	end();
}

TEST(mispredicted_transfers_are_told_from_the_others)
{
	static const uint64_t stack[][3] = {
		{ 0x1010, 0x1020, 1 },
		{ 0x1010, 0x1008, 0 },
		{ 0x1010, 0x1008, 1 },
		{ 0x1010, 0x1008, 1 },
	};

	begin();
	pdb_mmap2(&rec, 1, 0x1000, 0x1000, 0, "/a", 1);
	add_sample(1, 3, 0x1020, 4, stack);
	count();
	CHECK_EQ(find(place(2, 0x10) | PROF_MISPREDICTED, place(2, 0x20),
		      NONE)->count, 1);
	CHECK_EQ(find(place(2, 0x10), place(2, 8), place(2, 0x10))->count, 1);
	CHECK_EQ(find(place(2, 0x10) | PROF_MISPREDICTED, place(2, 8),
		      place(2, 0x10))->count, 2);
	end();
}

TEST(a_line_is_within_one_binary_and_2_gib)
{
	static const uint64_t stack[][3] = {
		{ 0x80001007, 0x2004, 0 },
		{ 0x80001008, 0x1008, 0 }, /* 2 GiB - 1 before that */
		{ 0x2010, 0x1008, 0 }, /* one more */
		{ 0x1010, 0x1008, 0 }, /* to another binary */
		{ 0x1012, 0x1020, 0 }, /* backwards */
	};

	begin();
	pdb_mmap2(&rec, 1, 0x2000, 0x1000, 0, "/b", 1);
	pdb_mmap2(&rec, 1, 0x1000, 0x1000, 0, "/a", 2);
	pdb_mmap2(&rec, 1, 0x80001000, 0x1000, 0x80000000, "/a", 3);
	add_sample(1, 4, 0x2000, 5, stack);
	count();
	CHECK(find(place(3, 0x80000007), place(2, 4), NONE));
	CHECK(find(place(3, 0x80000008), place(3, 8), place(3, 0x80000007)));
	CHECK(find(place(2, 0x10), place(3, 8), NONE));
	CHECK(find(place(3, 0x10), place(3, 8), NONE));
	CHECK(find(place(3, 0x12), place(3, 0x20), place(3, 0x10)));
	end();
}

/* nr transfers in a row, with lines of so many bytes between them. */
static void add_even(uint64_t time, uint64_t start, unsigned int nr,
		     uint64_t line)
{
	uint64_t stack[LONGEST][3];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		stack[i][0] = start + line;
		stack[i][1] = start;
		stack[i][2] = 0;
	}
	add_sample(1, time, start, nr, stack);
}

/*
 * Two loops that went round as often, one 20 times as long as the other, and so
 * with 20 times the samples.
 */
TEST(even_counts_are_of_executions_and_not_of_time)
{
	const struct prof_step *brief, *lengthy;
	unsigned int i;

	begin();
	counts->even = true;
	pdb_mmap2(&rec, 1, 0x10000, 0x10000, 0, "/a", 1);
	add_even(2, 0x10000, 33, 40 - 3);
	for (i = 0; i < 20; i++)
		add_even(3 + i, 0x11000, 33, 800 - 3);
	count();
	brief = find(place(2, 37), place(2, 0), place(2, 37));
	lengthy = find(place(2, 0x1000 + 797), place(2, 0x1000),
		       place(2, 0x1000 + 797));
	CHECK(brief && lengthy);
	CHECK_EQ(brief->count, 32 * ((PROF_EVEN + 640) / 1280));
	CHECK(labs((long)brief->count - (long)lengthy->count) <
	      brief->count / 50);
	CHECK_EQ(counts->entries, 21 * 33);
	CHECK_EQ(counts->weight,
		 (brief->count + lengthy->count) / 32 * 33);
	end();
}

TEST(even_counts_that_are_full_go_on_in_another_step)
{
	struct prof_step *s;
	uint64_t sum = 0;
	int32_t line;
	size_t i;

	begin();
	counts->even = true;
	pdb_mmap2(&rec, 1, 0x10000, 0x10000, 0, "/a", 1);
	/* Too short a stack to tell much weighs no more than another. */
	for (i = 0; i < 20; i++)
		add_even(2 + i, 0x10000, 2, 1);
	count();
	s = find(place(2, 1), place(2, 0), place(2, 1));
	CHECK(s);
	CHECK_EQ(s->count, 20 * PROF_EVEN / PROF_EVEN_LEAST);
	s->count = UINT32_MAX - 1;
	line = s->line;
	add_even(2, 0x10000, 2, 1);
	pdb_mmap2(&rec, 1, 0x10000, 0x10000, 0, "/a", 1);
	count();
	for (i = 0; i < counts->nr_steps; i++)
		if (counts->steps[i].line == line)
			sum += counts->steps[i].count;
	CHECK(sum > UINT32_MAX);
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
	CHECK_STR(counts->binaries[2].name, "/a");
	CHECK_STR(counts->binaries[3].name, "/b");
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
	CHECK_EQ(counts->nr_steps, 4);
	CHECK_EQ(nr_sampled(), 2);
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
	CHECK(counts->binaries[PROF_KERNEL].kernel);
	end();
}

TEST(a_mapping_ends_at_its_last_byte)
{
	static const uint64_t stack[][3] = {
		{ 0x1ffe, 0x2000, 0 },
		{ 0x2002, 0x1000, 0 },
		{ 0xffe, 0x1002, 0 },
	};

	begin();
	pdb_mmap2(&rec, 1, 0x1000, 0x1000, 0, "/a", 1);
	add_sample(1, 2, 0x1000, 3, stack);
	count();
	CHECK(find(place(2, 0xffe), place(PROF_NOWHERE, 0), NONE));
	CHECK(find(place(PROF_NOWHERE, 0), place(2, 0), place(2, 0xffe)));
	CHECK(find(place(PROF_NOWHERE, 0), place(2, 2), NONE));
	end();
}

TEST(a_full_count_goes_on_in_another)
{
	static const uint64_t stack[][3] = { { 0x1010, 0x1020, 0 } };
	uint64_t sum = 0, nr = 0;
	size_t i;

	begin();
	pdb_mmap2(&rec, 1, 0x1000, 0x1000, 0, "/a", 1);
	add_sample(1, 2, 0x1020, 1, stack);
	count();
	find(place(2, 0x10), place(2, 0x20), NONE)->count = UINT32_MAX - 1;
	pdb_mmap2(&rec, 1, 0x1000, 0x1000, 0, "/a", 1);
	for (i = 0; i < 3; i++)
		add_sample(1, 2 + i, 0x1020, 1, stack);
	count();
	for (i = 0; i < counts->nr_steps; i++) {
		if (counts->steps[i].from == PROF_SAMPLED)
			continue;
		sum += counts->steps[i].count;
		nr++;
	}
	CHECK_EQ(nr, 2);
	CHECK_EQ(sum, (uint64_t)UINT32_MAX + 2);
	end();
}
