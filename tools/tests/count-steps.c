// SPDX-License-Identifier: GPL-2.0-only
/* Counting branch stacks: held against a plain list, and by hand. */
#include "count/count.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LONGEST = 150, NR_SAMPLES = 400 };

/* What is mapped, in process 1; elsewhere each address is a mapping of its own. */
static const struct count_map maps[] = {
	{ 0x10000, 0x1000, 0x3000, 2 },
	{ 0x20000, 0x1000, 0, 3 },
	/* The same as 3, elsewhere; then other parts of it. */
	{ 0x40000, 0x1000, 0, 3 },
	{ 0x80000000, 0x1000, 0x7ffff800, 3 },
	/* Up to the last offset that there is, and beyond it. */
	{ 0x50000, 0x1000, COUNT_OFFSET_MASK + 1 - 0x800, 4 },
	{ 0x60000, 0x1000, 0, 5 },
	/* Longer than a line can be. */
	{ 0x200000000, 0x180000000, 0x1000, 6 },
};

static struct counts counts;
static unsigned int nr_found, no_memory; /* at which call; 0: at none */

static bool find_map(void *arg, uint32_t pid, uint64_t addr,
		     struct count_map *map)
{
	size_t i;

	CHECK(arg == &counts);
	if (++nr_found == no_memory)
		return false;
	*map = (struct count_map){ .start = addr };
	for (i = 0; i < sizeof(maps) / sizeof(*maps) && pid == 1; i++)
		if (addr - maps[i].start < maps[i].size)
			*map = maps[i];
	return true;
}

static void begin(bool detailed)
{
	count_free(&counts);
	counts.find = find_map;
	counts.arg = &counts;
	counts.detailed = detailed;
	nr_found = no_memory = 0;
}

/* branches: from, to and flags, the youngest first. */
static bool add(uint64_t ip, unsigned int nr, const uint64_t (*branches)[3])
{
	const struct pd_event ev = {
		.pid = 1,
		.sample = { .ip = ip, .nr_branches = nr, .has_branches = true,
			    .branches = (const uint8_t *)branches },
	};

	return count_sample(&counts, &ev);
}

#define ADD(_ip, _v) CHECK(add(_ip, sizeof(_v) / sizeof(*(_v)), _v))

static count_place place(unsigned int number, uint64_t offset)
{
	return (count_place)number << COUNT_OFFSET_BITS | offset;
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

/* The detail of the only step of that type. */
static struct count_detail *find_type(unsigned int type, bool youngest)
{
	struct count_detail *found = NULL;
	size_t i;

	for (i = 0; i < counts.nr_steps; i++) {
		struct count_detail *d = &counts.details[i];

		if (d->type != type || d->youngest != youngest)
			continue;
		CHECK(!found);
		found = d;
	}
	return found;
}

/* --- against a list --- */

struct entry {
	uint64_t from, to, end, type;
};

static int by_entry(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct entry));
}

/* Of addresses in three mappings, and of some in none. */
static uint64_t random_address(unsigned int *number, uint64_t *offset)
{
	static const struct {
		uint64_t start;
		unsigned int number;
		uint64_t offset;
	} at[] = { { 0x10000, 2, 0x3000 }, { 0x20000, 3, 0 },
		   { 0x40000, 3, 0 }, { 0x30000, 0, 0 } };
	unsigned int i = test_random() % 4;
	uint64_t within = test_random() % 12 * 2;

	*number = at[i].number;
	*offset = *number ? at[i].offset + within : 0;
	return at[i].start + within;
}

static void check_random(bool detailed)
{
	static struct entry list[NR_SAMPLES * LONGEST];
	static uint64_t stack[LONGEST][3];
	size_t nr = 0, i, k, distinct = 0;

	begin(detailed);
	for (i = 0; i < NR_SAMPLES; i++) {
		unsigned int n = test_random() % (LONGEST + 1), number;
		count_place end = NONE;
		uint64_t offset;

		for (k = 0; k < n; k++) {
			struct entry *e = &list[nr++];

			stack[k][0] = random_address(&number, &offset);
			e->from = place(number, offset);
			stack[k][1] = random_address(&number, &offset);
			e->to = place(number, offset);
			stack[k][2] = test_random() % 3 << 20;
			e->end = end;
			/* Where the line is in one number. */
			if (count_number_of(end) != number || end == NONE)
				e->end = NONE;
			end = e->from;
			e->type = detailed ? stack[k][2] >> 20 | !k << 8 : 0;
		}
		CHECK(add(0x20000, n, stack));
	}
	CHECK_EQ(counts.samples, NR_SAMPLES);
	CHECK_EQ(counts.entries, nr);
	CHECK_EQ(counts.weight, nr);
	qsort(list, nr, sizeof(*list), by_entry);
	for (i = 0; i < nr; i = k, distinct++) {
		uint64_t sum = 0;
		size_t step;

		for (k = i; k < nr && !by_entry(&list[i], &list[k]); k++)
			;
		/* The search goes through the whole table: not for all. */
		if (distinct > 1000)
			continue;
		for (step = 0; step < counts.nr_steps; step++) {
			const struct count_step *s = &counts.steps[step];

			if (s->from != list[i].from || s->to != list[i].to ||
			    s->line != (list[i].end == NONE ?
						COUNT_NO_LINE :
						(int32_t)(list[i].end - s->to)))
				continue;
			if (detailed &&
			    (counts.details[step].type |
			     counts.details[step].youngest << 8) !=
				    (int)list[i].type)
				continue;
			CHECK(!sum);
			sum = s->count;
		}
		CHECK_EQ(sum, k - i);
	}
	CHECK_EQ(counts.nr_steps, distinct);
	CHECK(counts.nr_steps > 4096);
	count_free(&counts);
}

TEST(random_stacks_are_counted_as_a_list_would)
{
	check_random(false);
}

TEST(random_stacks_are_counted_by_type_where_that_is_asked_for)
{
	check_random(true);
}

/* So many that some have the same hash of 32 bits. */
TEST(transfers_of_one_hash_are_told_apart)
{
	enum { NR_STACKS = 2000 };
	static uint64_t stacks[NR_STACKS][LONGEST][3];
	unsigned int i, k, round;

	begin(false);
	for (i = 0; i < NR_STACKS; i++)
		for (k = 0; k < LONGEST; k++) {
			stacks[i][k][0] = 0x200000000 + test_random() % 0x180000000;
			stacks[i][k][1] = 0x200000000 + i * LONGEST + k;
		}
	for (round = 0; round < 2; round++)
		for (i = 0; i < NR_STACKS; i++)
			ADD(0x200000000, stacks[i]);
	CHECK_EQ(counts.nr_steps, NR_STACKS * LONGEST);
	for (i = 0; i < counts.nr_steps; i++)
		CHECK_EQ(counts.steps[i].count, 2);
	count_free(&counts);
}

/* --- places --- */

TEST(a_place_is_the_same_wherever_it_is_mapped)
{
	static const uint64_t low[][3] = { { 0x20010, 0x20020, 0 } };
	static const uint64_t high[][3] = { { 0x40010, 0x40020, 0 } };

	begin(false);
	ADD(0x20020, low);
	ADD(0x40020, high);
	CHECK_EQ(counts.nr_steps, 1);
	CHECK_EQ(find(place(3, 0x10), place(3, 0x20), NONE)->count, 2);
	count_free(&counts);
}

TEST(a_mapping_ends_at_its_last_byte)
{
	static const uint64_t stack[][3] = {
		{ 0x10ffe, 0x11000, 0 },
		{ 0x11000, 0x10000, 0 },
		{ 0x0ffff, 0x10002, 0 },
	};

	begin(false);
	ADD(0x10000, stack);
	CHECK(find(place(2, 0x3ffe), place(0, 0), NONE));
	CHECK(find(place(0, 0), place(2, 0x3000), place(2, 0x3ffe)));
	CHECK(find(place(0, 0), place(2, 0x3002), NONE));
	count_free(&counts);
}

TEST(a_mapping_beyond_the_last_offset_is_none_of_the_next_number)
{
	static const uint64_t stack[][3] = {
		{ 0x50010, 0x50900, 0 },
		{ 0x60010, 0x60020, 0 },
		{ 0x50900, 0x50010, 0 },
	};

	begin(false);
	ADD(0x20000, stack);
	CHECK(find(place(4, COUNT_OFFSET_MASK + 1 - 0x7f0), place(4, 0x100),
		   NONE));
	CHECK(find(place(5, 0x10), place(5, 0x20), NONE));
	CHECK(find(place(4, 0x100), place(4, COUNT_OFFSET_MASK + 1 - 0x7f0),
		   NONE));
	count_free(&counts);
}

TEST(calls_to_another_library_and_back_look_up_each_once)
{
	uint64_t stack[LONGEST][3];
	unsigned int i;

	begin(false);
	for (i = 0; i < LONGEST; i++) {
		stack[i][0] = i % 2 ? 0x10010 : 0x20010;
		stack[i][1] = i % 2 ? 0x20000 : 0x10000;
		stack[i][2] = 0;
	}
	ADD(0x10000, stack);
	CHECK_EQ(nr_found, 2);
	CHECK_EQ(find(place(2, 0x3010), place(3, 0), place(3, 0x10))->count,
		 LONGEST / 2);
	count_free(&counts);
}

TEST(a_line_is_within_one_number_and_2_gib)
{
	static const uint64_t stack[][3] = {
		{ 0x80000807, 0x10004, 0 },
		{ 0x80000808, 0x20008, 0 }, /* 2 GiB - 1 before that */
		{ 0x10010, 0x20008, 0 }, /* one more */
		{ 0x20010, 0x20008, 0 }, /* to another number */
		{ 0x20012, 0x20020, 0 }, /* backwards */
	};

	begin(false);
	ADD(0x10000, stack);
	CHECK(find(place(3, 0x80000007), place(2, 0x3004), NONE));
	CHECK(find(place(3, 0x80000008), place(3, 8), place(3, 0x80000007)));
	CHECK(find(place(2, 0x3010), place(3, 8), NONE));
	CHECK(find(place(3, 0x10), place(3, 8), NONE));
	CHECK(find(place(3, 0x12), place(3, 0x20), place(3, 0x10)));
	count_free(&counts);
}

TEST(a_mapping_may_be_longer_than_a_line)
{
	static const uint64_t stack[][3] = {
		{ 0x37ffffff0, 0x200000000, 0 },
		{ 0x200000020, 0x200000008, 0 }, /* 6 GiB - 24 */
		{ 0x280000018, 0x200000010, 0 }, /* 16 */
		{ 0x280000010, 0x280000008, 0 }, /* 16 */
		{ 0x37ffffff8, 0x200000011, 0 }, /* 2 GiB - 1 */
		{ 0x37ffffff4, 0x300000000, 0 }, /* 2 GiB - 8 */
	};

	begin(false);
	ADD(0x200000000, stack);
	CHECK_EQ(counts.nr_steps, 6);
	CHECK(find(place(6, 0x180000ff0), place(6, 0x1000), NONE));
	CHECK(find(place(6, 0x1020), place(6, 0x1008), NONE));
	CHECK(find(place(6, 0x80001018), place(6, 0x1010), place(6, 0x1020)));
	CHECK(find(place(6, 0x80001010), place(6, 0x80001008), place(6, 0x80001018)));
	CHECK(find(place(6, 0x180000ff8), place(6, 0x1011), place(6, 0x80001010)));
	CHECK(find(place(6, 0x180000ff4), place(6, 0x100001000), place(6, 0x180000ff8)));
	count_free(&counts);
}

/* --- what is counted --- */

TEST(mispredicted_transfers_are_told_from_the_others)
{
	static const uint64_t stack[][3] = {
		{ 0x20010, 0x20020, 1 },
		{ 0x20010, 0x20008, 0 },
		{ 0x20010, 0x20008, 1 },
		{ 0x20010, 0x20008, 1 },
	};

	begin(false);
	ADD(0x20020, stack);
	CHECK_EQ(find(place(3, 0x10) | COUNT_MISPREDICTED, place(3, 0x20),
		      NONE)->count, 1);
	CHECK_EQ(find(place(3, 0x10), place(3, 8), place(3, 0x10))->count, 1);
	CHECK_EQ(find(place(3, 0x10) | COUNT_MISPREDICTED, place(3, 8),
		      place(3, 0x10))->count, 2);
	count_free(&counts);
}

TEST(what_was_counted_stays_at_the_end)
{
	static const uint64_t stack[][3] = { { 0x20010, 0x20020, 0 } };

	begin(true);
	ADD(0x20020, stack);
	count_end(&counts);
	CHECK_EQ(counts.nr_steps, 1);
	CHECK_EQ(find(place(3, 0x10), place(3, 0x20), NONE)->count, 1);
	count_free(&counts);
}

TEST(samples_without_a_transfer_are_counted_apart)
{
	static const uint64_t stack[][3] = { { 0x20010, 0x20020, 0 } };

	begin(false);
	ADD(0x20020, stack);
	CHECK(add(0x20020, 0, NULL));
	CHECK_EQ(counts.samples, 2);
	CHECK_EQ(counts.empty, 1);
	CHECK_EQ(counts.entries, 1);
	CHECK_EQ(counts.flags, 0);
	count_free(&counts);
}

#define TYPE(_type) ((uint64_t)(_type) << 20)
#define CYCLES(_n) ((uint64_t)(_n) << 4)

TEST(details_are_of_each_type)
{
	static const uint64_t stack[][3] = {
		{ 0x20010, 0x20020, TYPE(1) | CYCLES(7) },
		{ 0x20010, 0x20020, TYPE(1) | CYCLES(5) },
		{ 0x20010, 0x20010, TYPE(2) | 1 },
		{ 0x20010, 0x20020, TYPE(1) | CYCLES(0xffff) },
		{ 0x20010, 0x20020, TYPE(1) },
		{ 0x20010, 0x20020, TYPE(15) | 3 << 26 },
	};
	struct count_detail *d;

	begin(true);
	ADD(0x20020, stack);
	ADD(0x20020, stack);
	d = find_type(1, true);
	CHECK(d && d->cycles == 14 && d->timed == 2);
	d = find_type(1, false);
	CHECK(d && d->cycles == 2 * (5 + 0xffff) && d->timed == 4);
	CHECK_EQ(counts.steps[d - counts.details].count, 6);
	CHECK_EQ(counts.steps[d - counts.details].line, -0x10);
	d = find_type(2, false);
	CHECK(d && !d->cycles && !d->timed);
	CHECK_EQ(counts.steps[d - counts.details].from,
		 place(3, 0x10) | COUNT_MISPREDICTED);
	CHECK(find_type(PD_BR_FAULT_ALIGN + 3, false));
	CHECK_EQ(counts.nr_steps, 4);
	CHECK_EQ(counts.flags,
		 TYPE(15) | 3 << 26 | CYCLES(0xffff) | 1);
	count_free(&counts);
}

TEST(a_count_has_no_bound)
{
	static const uint64_t stack[][3] = { { 0x20010, 0x20020, CYCLES(3) } };

	begin(true);
	ADD(0x20020, stack);
	counts.steps[0].count = counts.details[0].timed = UINT32_MAX;
	ADD(0x20020, stack);
	CHECK_EQ(counts.nr_steps, 1);
	CHECK_EQ(counts.steps[0].count, (uint64_t)UINT32_MAX + 1);
	CHECK_EQ(counts.details[0].timed, (uint64_t)UINT32_MAX + 1);
	count_free(&counts);
}

/* How often mappings are asked for, of one more sample that waits. */
static unsigned int asks(uint64_t numbered, uint32_t pid)
{
	static const uint64_t stack[][3] = { { 0x10010, 0x20020, 0 }, { 0x20010, 0x10020, 0 } };
	const struct pd_event ev = {
		.pid = pid,
		.sample = { .nr_branches = 2, .has_branches = true,
			    .branches = (const uint8_t *)stack },
	};
	const unsigned int before = nr_found;

	counts.maps = numbered;
	CHECK(count_later(&counts, &ev));
	return nr_found - before;
}

TEST(mappings_that_stay_are_asked_for_once)
{
	begin(false);
	CHECK_EQ(asks(1, 1), 2);
	CHECK_EQ(asks(1, 1), 0);
	/* Those of another process, and those that have changed. */
	CHECK(asks(1, 2));
	CHECK_EQ(asks(1, 1), 2);
	CHECK_EQ(asks(2, 1), 2);
	/* Another recording numbers its own. */
	CHECK(count_settle(&counts));
	CHECK_EQ(asks(2, 1), 2);
	/* Not numbered. */
	CHECK_EQ(asks(0, 1), 2);
	CHECK_EQ(asks(0, 1), 2);
	CHECK(count_settle(&counts));
	/* The two processes have two steps each. */
	CHECK_EQ(counts.nr_steps, 4);
	CHECK_EQ(counts.entries, 16);
	count_free(&counts);
}

TEST(the_youngest_has_no_line_where_the_mapping_is_known)
{
	static const uint64_t stack[][3] = { { 0x20010, 0x20020, 0 }, { 0x20040, 0x20004, 0 } };
	const struct pd_event ev = {
		.pid = 1,
		.sample = { .nr_branches = 2, .has_branches = true,
			    .branches = (const uint8_t *)stack },
	};
	unsigned int i;

	begin(false);
	counts.maps = 1;
	for (i = 0; i < 3; i++)
		CHECK(count_later(&counts, &ev));
	CHECK(count_settle(&counts));
	CHECK_EQ(nr_found, 1);
	CHECK_EQ(counts.nr_steps, 2);
	CHECK(find(place(3, 0x10), place(3, 0x20), NONE));
	CHECK_EQ(find(place(3, 0x10), place(3, 0x20), NONE)->count, 3);
	CHECK_EQ(find(place(3, 0x40), place(3, 4), place(3, 0x10))->count, 3);
	counts.maps = 0;
	count_free(&counts);
}

TEST(what_finds_no_memory_is_told)
{
	static const uint64_t stack[][3] = { { 0x20010, 0x10020, 0 } };
	unsigned int i;

	for (i = 1; i <= 3; i++) {
		begin(false);
		no_memory = i;
		/* Both ends of the transfer. */
		CHECK_EQ(add(0x30000, 1, stack), i == 3);
	}
	count_free(&counts);
}

static bool add_step(uint64_t offset)
{
	const struct count_step step = { .from = place(2, offset), .to = place(3, 0), .count = 1,
					 .line = COUNT_NO_LINE };

	return count_add(&counts, &step, NULL);
}

/* The bytes of addresses that the process has. */
static rlim_t address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages;

	CHECK(f && fscanf(f, "%lu", &pages) == 1);
	fclose(f);
	return (rlim_t)pages * sysconf(_SC_PAGESIZE);
}

/* Slots of 2 MB get no memory to become twice as many, where the steps need none. */
TEST(counting_goes_on_after_the_table_got_no_memory)
{
	enum { SLOTS = 1 << 19 };
	struct rlimit limit;
	uint64_t i, nr = 0;

	begin(false);
	while (counts.slots_mask + 1 < SLOTS || counts.cap_steps <= SLOTS / 2)
		CHECK(add_step(nr++));
	CHECK(!getrlimit(RLIMIT_AS, &limit));
	limit.rlim_cur = address_space();
	CHECK(!setrlimit(RLIMIT_AS, &limit));
	while (add_step(nr))
		nr++;
	limit.rlim_cur = limit.rlim_max;
	CHECK(!setrlimit(RLIMIT_AS, &limit));
	CHECK_EQ(counts.nr_steps, nr);
	CHECK(nr < SLOTS / 2);
	for (i = 0; i < nr; i++)
		CHECK(add_step(i));
	CHECK_EQ(counts.nr_steps, nr);
	CHECK(add_step(nr));
	CHECK_EQ(counts.nr_steps, nr + 1);
	count_free(&counts);
}
