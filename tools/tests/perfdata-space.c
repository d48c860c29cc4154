// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces over time. */
#include "perfdata-build.h"
#include "perfdata/space.h"
#include "test.h"

static struct pdb built;
static struct pd *pd;
static struct pd_space *space;

/* Start a recording of one event; add records, then play(). */
static void begin(void)
{
	built = (struct pdb){ 0 };
	pdb_event(&built, PDB_BRANCH_SAMPLE, 0);
}

static void play_built(void)
{
	struct pd_event ev;
	int ret;

	if (pd_open_memory(&pd, built.file.p, built.file.n))
		test_fail(__FILE__, __LINE__, "%s", pd_error(pd));
	space = pd_space_new(pd);
	while ((ret = pd_next(pd, &ev)) == 1)
		CHECK_EQ(pd_space_event(space, &ev), 0);
	CHECK_EQ(ret, 0);
}

static void play(void)
{
	pdb_finish(&built);
	play_built();
}

static void end(void)
{
	pd_space_free(space);
	pd_close(pd);
	pdb_free(&built);
}

/* What is at addr: a name, and the offset in the file. */
static void check_at(int line, uint32_t pid, uint64_t addr, const char *name,
		     uint64_t offset)
{
	const struct pd_map *map = pd_space_find(space, pid, addr);

	if (!map != !name || (map && strcmp(map->dso->name, name)))
		test_fail(__FILE__, line, "at 0x%lx is %s, not %s",
			  (unsigned long)addr, map ? map->dso->name : "nothing",
			  name ? name : "nothing");
	if (map && addr - map->start + map->pgoff != offset)
		test_fail(__FILE__, line, "0x%lx is at 0x%lx in the file",
			  (unsigned long)addr,
			  (unsigned long)(addr - map->start + map->pgoff));
}

#define CHECK_AT(_pid, _addr, _name, _offset)                                  \
	check_at(__LINE__, _pid, _addr, _name, _offset)
#define CHECK_NOTHING_AT(_pid, _addr) check_at(__LINE__, _pid, _addr, NULL, 0)

TEST(a_mapping_has_its_bounds)
{
	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x2000, 0x5000, "/a", 1);
	play();
	CHECK_NOTHING_AT(1, 0xffff);
	CHECK_AT(1, 0x10000, "/a", 0x5000);
	CHECK_AT(1, 0x11fff, "/a", 0x6fff);
	CHECK_NOTHING_AT(1, 0x12000);
	CHECK_NOTHING_AT(2, 0x10000);
	end();
}

TEST(a_new_mapping_covers_an_old_one)
{
	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x8000, 0, "/a", 1);
	pdb_mmap2(&built, 1, 0x12000, 0x1000, 0x7000, "/middle", 2);
	pdb_mmap2(&built, 1, 0xf000, 0x2000, 0, "/front", 3);
	pdb_mmap2(&built, 1, 0x17000, 0x2000, 0, "/back", 4);
	play();
	CHECK_AT(1, 0x10fff, "/front", 0x1fff);
	CHECK_AT(1, 0x11000, "/a", 0x1000);
	CHECK_AT(1, 0x11fff, "/a", 0x1fff);
	CHECK_AT(1, 0x12000, "/middle", 0x7000);
	CHECK_AT(1, 0x13000, "/a", 0x3000);
	CHECK_AT(1, 0x16fff, "/a", 0x6fff);
	CHECK_AT(1, 0x17000, "/back", 0);
	CHECK_NOTHING_AT(1, 0x19000);
	end();
}

static uint64_t since(uint64_t addr)
{
	return pd_space_find(space, 1, addr)->since;
}

TEST(it_is_known_since_when_a_mapping_is_in_the_place_of_another)
{
	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x4000, 0, "/a", 1);
	pdb_mmap2(&built, 1, 0x11000, 0x1000, 0, "/b", 5);
	/* The same once more, the same file from elsewhere, and where nothing was. */
	pdb_mmap2(&built, 1, 0x11000, 0x1000, 0, "/b", 6);
	pdb_mmap2(&built, 1, 0x12000, 0x1000, 0x5000, "/a", 7);
	pdb_mmap2(&built, 1, 0x20000, 0x1000, 0, "/c", 8);
	play();
	CHECK_EQ(since(0x10000), 0);
	CHECK_EQ(since(0x11000), 5);
	CHECK_EQ(since(0x12000), 7);
	CHECK_EQ(since(0x13000), 0);
	CHECK_EQ(since(0x20000), 0);
	end();
}

TEST(code_that_became_writable_may_have_been_written)
{
	const uint32_t code = PROT_READ | PROT_EXEC;

	begin();
	pdb_mmap2_prot(&built, 1, 0x10000, 0x3000, 0, "/a", 1, NULL, 1, code);
	pdb_mmap2_prot(&built, 1, 0x11000, 0x1000, 0x1000, "/a", 2, NULL, 1, code | PROT_WRITE);
	pdb_mmap2_prot(&built, 1, 0x11000, 0x1000, 0x1000, "/a", 3, NULL, 1, code);
	/* The linker made it so, for a program that need not write there. */
	pdb_mmap2_prot(&built, 1, 0x20000, 0x1000, 0, "/b", 4, NULL, 2, code | PROT_WRITE);
	play();
	CHECK(!pd_space_find(space, 1, 0x10000)->written);
	CHECK(pd_space_find(space, 1, 0x11000)->written);
	CHECK(!pd_space_find(space, 1, 0x12000)->written);
	CHECK(!pd_space_find(space, 1, 0x20000)->written);
	CHECK(pd_space_find(space, 1, 0x10000)->dso->rewritten);
	CHECK(!pd_space_find(space, 1, 0x20000)->dso->rewritten);
	end();
}

TEST(a_new_mapping_may_cover_many)
{
	uint64_t i;

	begin();
	for (i = 0; i < 40; i++)
		pdb_mmap2(&built, 1, 0x10000 + i * 0x2000, 0x1000, 0, "/a",
			  1 + i);
	pdb_mmap2(&built, 1, 0x12800, 0x40000, 0, "/b", 100);
	play();
	CHECK_AT(1, 0x10000, "/a", 0);
	CHECK_AT(1, 0x127ff, "/a", 0x7ff);
	CHECK_AT(1, 0x12800, "/b", 0);
	CHECK_AT(1, 0x527ff, "/b", 0x3ffff);
	CHECK_AT(1, 0x52800, "/a", 0x800);
	CHECK_AT(1, 0x54000, "/a", 0);
	CHECK_NOTHING_AT(1, 0x53000);
	end();
}

TEST(neighbours_that_continue_become_one)
{
	const struct pd_map *map;

	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "/a", 1);
	pdb_mmap2(&built, 1, 0x12000, 0x1000, 0x2000, "/a", 2);
	pdb_mmap2(&built, 1, 0x11000, 0x1000, 0x1000, "/a", 3);
	pdb_mmap2(&built, 1, 0x13000, 0x1000, 0, "/a", 4);
	play();
	map = pd_space_find(space, 1, 0x11234);
	CHECK(map);
	CHECK_EQ(map->start, 0x10000);
	CHECK_EQ(map->end, 0x13000);
	CHECK_EQ(map->pgoff, 0);
	CHECK_AT(1, 0x13000, "/a", 0);
	end();
}

TEST(random_mappings_agree_with_a_byte_map)
{
	enum { PAGES = 64, MAPS = 400 };
	static const char *const names[] = { "/a", "/b", "/c" };
	struct { const char *name; uint64_t offset; } model[PAGES] = { { 0 } };
	uint64_t i, page;

	begin();
	for (i = 0; i < MAPS; i++) {
		uint64_t start = test_random() % PAGES;
		uint64_t len = 1 + test_random() % (PAGES - start);
		uint64_t pgoff = test_random() % 4;
		const char *name = names[test_random() % 3];

		if (len > 8)
			len = 1 + len % 8;
		pdb_mmap2(&built, 1, 0x1000 * start, 0x1000 * len,
			  0x1000 * pgoff, name, 1 + i);
		for (page = start; page < start + len; page++) {
			model[page].name = name;
			model[page].offset = 0x1000 * (pgoff + page - start);
		}
	}
	play();
	for (page = 0; page < PAGES; page++)
		CHECK_AT(1, 0x1000 * page + 5, model[page].name,
			 model[page].offset + 5);
	end();
}

/* As programs can have them at will: no event tells that one is gone. */
TEST(many_mappings_at_random_addresses_are_found)
{
	enum { PAGES = 30000, MAPS = 12000 };
	static struct { bool mapped; uint64_t offset; } model[PAGES];
	uint64_t i, page;

	memset(model, 0, sizeof(model));
	begin();
	for (i = 0; i < MAPS; i++) {
		/* Most do not meet, and at times one covers many. */
		const uint64_t want = i % 2000 ? 1 + i % 2 : PAGES / 8;
		const uint64_t start = test_random() % PAGES;
		const uint64_t len = want < PAGES - start ? want : PAGES - start;
		const uint64_t pgoff = test_random() % 1000;

		pdb_mmap2(&built, 1, 0x1000 * start, 0x1000 * len, 0x1000 * pgoff, "/a", 1 + i);
		for (page = start; page < start + len; page++) {
			model[page].mapped = true;
			model[page].offset = 0x1000 * (pgoff + page - start);
		}
	}
	/* A child has them all, and its own. */
	pdb_task(&built, PERF_RECORD_FORK, 0, 2, 2, 1, MAPS + 1);
	pdb_mmap2(&built, 2, 0, 0x1000 * (PAGES - 1), 0, "/child", MAPS + 2);
	play();
	for (page = 0; page < PAGES; page++) {
		if (model[page].mapped)
			CHECK_AT(1, 0x1000 * page + 5, "/a", model[page].offset + 5);
		else
			CHECK_NOTHING_AT(1, 0x1000 * page + 5);
	}
	CHECK_AT(2, 0x1000 * (PAGES - 1) - 1, "/child", 0x1000 * (PAGES - 1) - 1);
	if (model[PAGES - 1].mapped)
		CHECK_AT(2, 0x1000 * (PAGES - 1), "/a", model[PAGES - 1].offset);
	end();
}

/* As Linux puts them: each below the ones before, with what belongs to none in between. */
TEST(mappings_from_the_top_down_are_found)
{
	enum { MAPS = 1000 };
	const uint64_t top = 0x3f00000000;
	uint64_t i;

	begin();
	for (i = 0; i < MAPS; i++)
		pdb_mmap2(&built, 1, top - 0x3000 * i, 0x1000, 0x1000 * i, "/a", 1 + i);
	/* Somewhere in between, and then below again; and a part of one goes. */
	pdb_mmap2(&built, 1, top - 0x3000 * 700 + 0x1800, 0x1000, 0, "/b", MAPS + 1);
	pdb_mmap2(&built, 1, top - 0x3000 * MAPS, 0x1000, 0x1000 * MAPS, "/a", MAPS + 2);
	pdb_mmap2(&built, 1, top - 0x3000 * 300 + 0x400, 0x100, 0, "/c", MAPS + 3);
	/* A child begins with all of them, and puts its own below. */
	pdb_task(&built, PERF_RECORD_FORK, 0, 2, 2, 1, MAPS + 4);
	pdb_mmap2(&built, 2, top - 0x3000 * (MAPS + 1), 0x1000, 0, "/child", MAPS + 5);
	play();
	for (i = 0; i <= MAPS; i++) {
		CHECK_AT(1, top - 0x3000 * i, "/a", 0x1000 * i);
		CHECK_AT(2, top - 0x3000 * i + 0xfff, "/a", 0x1000 * i + 0xfff);
		CHECK_NOTHING_AT(1, top - 0x3000 * i + 0x1000);
	}
	CHECK_AT(1, top - 0x3000 * 700 + 0x1800, "/b", 0);
	CHECK_AT(1, top - 0x3000 * 300 + 0x400, "/c", 0);
	CHECK_AT(1, top - 0x3000 * 300 + 0x500, "/a", 0x1000 * 300 + 0x500);
	CHECK_AT(2, top - 0x3000 * (MAPS + 1), "/child", 0);
	CHECK_NOTHING_AT(1, top - 0x3000 * (MAPS + 1));
	end();
}

/* Data is known where it takes the place of code. */
TEST(data_between_code_is_not_kept)
{
	begin();
	pdb_mmap2_data(&built, 1, 0x20000, 0x3000, "/data", 1, 1);
	pdb_mmap2(&built, 1, 0x10000, 0x3000, 0, "/a", 2);
	pdb_mmap2(&built, 1, 0x21000, 0x1000, 0, "/b", 3);
	pdb_mmap2_data(&built, 1, 0x13000, 0x1000, "/data", 4, 1);
	pdb_mmap2_data(&built, 1, 0x11000, 0x1000, "/over", 5, 1);
	pdb_mmap2_data(&built, 2, 0x11000, 0x1000, "/data", 6, 1);
	play();
	CHECK_AT(1, 0x10fff, "/a", 0xfff);
	CHECK_AT(1, 0x11000, "/over", 0);
	CHECK_AT(1, 0x12000, "/a", 0x2000);
	CHECK_NOTHING_AT(1, 0x13000);
	CHECK_NOTHING_AT(1, 0x20fff);
	CHECK_AT(1, 0x21000, "/b", 0);
	CHECK_NOTHING_AT(1, 0x22000);
	CHECK_NOTHING_AT(2, 0x11000);
	/* Of /data nothing is known. */
	CHECK_EQ(pd_space_nr_dsos(space), 3);
	end();
}

/* A log that is written anew has another inode, and nobody looks for names in it. */
TEST(data_of_two_files_with_one_name_is_no_matter)
{
	static const char *const names[] = { "/log", "/lib", "/both" };
	uint64_t i;

	begin();
	/* All of it is over code, where it is known. */
	pdb_mmap2(&built, 1, 0x10000, 0x10000, 0, "/a", 1);
	pdb_mmap2_data(&built, 1, 0x11000, 0x1000, "/log", 2, 1);
	pdb_mmap2_data(&built, 1, 0x13000, 0x1000, "/log", 3, 2);
	pdb_mmap2_data(&built, 1, 0x15000, 0x1000, "/lib", 4, 1);
	pdb_mmap2_of(&built, 1, 0x17000, 0x1000, 0, "/lib", 5, NULL, 2);
	pdb_mmap2_of(&built, 1, 0x19000, 0x1000, 0, "/both", 6, NULL, 1);
	pdb_mmap2_data(&built, 1, 0x1b000, 0x1000, "/both", 7, 3);
	pdb_mmap2_of(&built, 1, 0x1d000, 0x1000, 0, "/both", 8, NULL, 2);
	play();
	for (i = 0; i < 3; i++) {
		const struct pd_map *map = pd_space_find(space, 1, 0x11000 + 0x4000 * i);

		CHECK(map);
		CHECK_STR(map->dso->name, names[i]);
		CHECK_EQ(map->dso->several, i == 2);
	}
	end();
}

TEST(a_program_may_map_its_jitdump_as_data)
{
	begin();
	pdb_mmap2_data(&built, 1, 0x10000, 0x1000, "/tmp/jit-1.dump", 1, 1);
	play();
	CHECK(pd_space_jitdump(space, 1));
	end();
}

TEST(fork_copies_and_then_each_has_its_own)
{
	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "/a", 1);
	pdb_task(&built, PERF_RECORD_FORK, 0, 2, 2, 1, 2);
	pdb_mmap2(&built, 1, 0x20000, 0x1000, 0, "/parent", 3);
	pdb_mmap2(&built, 2, 0x30000, 0x1000, 0, "/child", 4);
	play();
	CHECK_AT(2, 0x10000, "/a", 0);
	CHECK_AT(1, 0x10000, "/a", 0);
	CHECK_AT(1, 0x20000, "/parent", 0);
	CHECK_NOTHING_AT(2, 0x20000);
	CHECK_AT(2, 0x30000, "/child", 0);
	CHECK_NOTHING_AT(1, 0x30000);
	end();
}

/* Copies of the same mappings do not take any memory, and are made again when others go. */
TEST(copies_for_children_have_a_limit)
{
	enum { MAPS = 1 << 12, MOST = (1 << 22) / MAPS, FIRST = 10 };
	const uint32_t last = FIRST + MOST;
	uint64_t time = 1;
	uint32_t pid;

	begin();
	for (pid = 0; pid < MAPS; pid++)
		pdb_mmap2(&built, 1, 0x10000 + 0x2000 * (uint64_t)pid, 0x1000, 0, "/a", time++);
	for (pid = FIRST; pid <= last; pid++) {
		pdb_task(&built, PERF_RECORD_FORK, 0, pid, pid, 1, time++);
		pdb_mmap2(&built, pid, 0x1000, 0x1000, 0, "/own", time++);
	}
	/* A program that is started needs no copies. */
	pdb_task(&built, PERF_RECORD_FORK, 0, 2, 2, 1, time++);
	pdb_comm(&built, PDB_MISC_EXEC, 2, "b", time++);
	pdb_mmap2(&built, 2, 0x1000, 0x1000, 0, "/b", time++);
	pdb_comm(&built, PDB_MISC_EXEC, FIRST, "b", time++);
	pdb_task(&built, PERF_RECORD_FORK, 0, 3, 3, 1, time++);
	pdb_mmap2(&built, 3, 0x1000, 0x1000, 0, "/own", time++);
	pdb_mmap2(&built, 3, 0x3000, 0x1000, 0, "/own", time++);
	play();
	CHECK_AT(FIRST + 1, 0x1000, "/own", 0);
	CHECK_AT(FIRST + 1, 0x10000, "/a", 0);
	CHECK_AT(last - 1, 0x1000, "/own", 0);
	CHECK_NOTHING_AT(last, 0x1000);
	CHECK_AT(last, 0x10000, "/a", 0);
	CHECK_AT(2, 0x1000, "/b", 0);
	CHECK_AT(3, 0x3000, "/own", 0);
	CHECK_EQ(pd_space_left_out(space), 1);
	end();
}

TEST(fork_of_a_thread_changes_nothing)
{
	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "/a", 1);
	pdb_task(&built, PERF_RECORD_FORK, 0, 1, 5, 1, 2);
	play();
	CHECK_AT(1, 0x10000, "/a", 0);
	end();
}

TEST(made_up_fork_copies_nothing)
{
	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "/a", 1);
	pdb_task(&built, PERF_RECORD_FORK, PDB_MISC_EXEC, 2, 2, 1, 2);
	play();
	CHECK_NOTHING_AT(2, 0x10000);
	end();
}

TEST(exec_clears_and_leaves_the_parent_alone)
{
	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "/a", 1);
	pdb_task(&built, PERF_RECORD_FORK, 0, 2, 2, 1, 2);
	pdb_comm(&built, PDB_MISC_EXEC, 2, "b", 3);
	pdb_mmap2(&built, 2, 0x40000, 0x1000, 0, "/b", 4);
	play();
	CHECK_NOTHING_AT(2, 0x10000);
	CHECK_AT(2, 0x40000, "/b", 0);
	CHECK_AT(1, 0x10000, "/a", 0);
	end();
}

TEST(renaming_a_thread_clears_nothing)
{
	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "/a", 1);
	pdb_comm(&built, 0, 1, "worker", 2);
	play();
	CHECK_AT(1, 0x10000, "/a", 0);
	end();
}

TEST(a_process_is_known_for_a_while_after_its_end)
{
	uint32_t pid;

	begin();
	for (pid = 10; pid < 1010; pid++) {
		pdb_task(&built, PERF_RECORD_FORK, 0, pid, pid, 1, 4 * pid);
		pdb_mmap2(&built, pid, 0x10000, 0x1000, 0, "/a", 4 * pid + 1);
		pdb_task(&built, PERF_RECORD_EXIT, 0, pid, pid, 1,
			 4 * pid + 2);
	}
	play();
	CHECK_AT(1009, 0x10000, "/a", 0);
	CHECK_AT(900, 0x10000, "/a", 0);
	CHECK_NOTHING_AT(10, 0x10000);
	end();
}

/* n other processes come and go, from the time at on. Returns the time after that. */
static uint64_t others_come_and_go(uint32_t n, uint64_t at)
{
	for (; n--; at += 2) {
		const uint32_t pid = 1000 + at;

		pdb_task(&built, PERF_RECORD_FORK, 0, pid, pid, 1, at);
		pdb_task(&built, PERF_RECORD_EXIT, 0, pid, pid, 1, at + 1);
	}
	return at;
}

TEST(a_process_lives_as_long_as_one_of_its_threads)
{
	begin();
	pdb_task(&built, PERF_RECORD_FORK, 0, 5, 5, 1, 1);
	pdb_mmap2(&built, 5, 0x10000, 0x1000, 0, "/a", 2);
	pdb_task(&built, PERF_RECORD_FORK, 0, 5, 6, 5, 3);
	pdb_task(&built, PERF_RECORD_EXIT, 0, 5, 5, 1, 4);
	others_come_and_go(1000, 5);
	play();
	CHECK_AT(5, 0x10000, "/a", 0);
	end();
}

/* Of the tasks that ran before, whoever writes them may begin with any thread. */
TEST(a_thread_that_is_told_before_its_leader_counts)
{
	begin();
	pdb_task(&built, PERF_RECORD_FORK, PDB_MISC_EXEC, 5, 4, 5, 1);
	pdb_task(&built, PERF_RECORD_FORK, PDB_MISC_EXEC, 5, 5, 1, 2);
	pdb_mmap2(&built, 5, 0x10000, 0x1000, 0, "/a", 3);
	pdb_task(&built, PERF_RECORD_FORK, PDB_MISC_EXEC, 6, 3, 6, 4);
	pdb_task(&built, PERF_RECORD_FORK, PDB_MISC_EXEC, 6, 6, 1, 5);
	pdb_mmap2(&built, 6, 0x10000, 0x1000, 0, "/b", 6);
	pdb_task(&built, PERF_RECORD_EXIT, 0, 5, 5, 1, 7);
	pdb_task(&built, PERF_RECORD_EXIT, 0, 6, 3, 6, 8);
	others_come_and_go(1000, 9);
	play();
	CHECK_AT(5, 0x10000, "/a", 0);
	CHECK_AT(6, 0x10000, "/b", 0);
	end();
}

TEST(the_end_of_a_thread_whose_fork_was_lost_is_not_that_of_its_process)
{
	begin();
	pdb_task(&built, PERF_RECORD_FORK, 0, 5, 5, 1, 1);
	pdb_mmap2(&built, 5, 0x10000, 0x1000, 0, "/a", 2);
	pdb_task(&built, PERF_RECORD_EXIT, 0, 5, 6, 5, 3);
	others_come_and_go(1000, 4);
	play();
	CHECK_AT(5, 0x10000, "/a", 0);
	end();
}

/*
 * Of three processes, the leader has ended, and the FORK of a thread that goes on was
 * lost. One has samples, one has other events, and one is heard of only once more.
 */
TEST(a_process_that_is_heard_of_after_its_end_is_kept)
{
	uint64_t at = 4;
	uint32_t i;

	begin();
	for (i = 5; i < 8; i++) {
		pdb_task(&built, PERF_RECORD_FORK, 0, i, i, 1, 1);
		pdb_mmap2(&built, i, 0x10000, 0x1000, 0, "/a", 2);
		pdb_task(&built, PERF_RECORD_EXIT, 0, i, i, 1, 3);
	}
	for (i = 0; i < 5; i++) {
		const struct pdb_sample sample = { .pid = 5, .tid = 8, .time = at };

		pdb_sample(&built, 0, &sample);
		pdb_comm(&built, 0, 6, "worker", at);
		if (!i)
			pdb_comm(&built, 0, 7, "worker", at);
		at = others_come_and_go(200, at + 1);
	}
	play();
	CHECK_AT(5, 0x10000, "/a", 0);
	CHECK_AT(6, 0x10000, "/a", 0);
	CHECK_NOTHING_AT(7, 0x10000);
	end();
}

/* All other threads are ended first. The one that goes on has no EXIT by its own TID. */
TEST(a_thread_that_starts_a_program_becomes_the_process)
{
	uint64_t at;

	begin();
	for (at = 0; at < 2; at++) {
		pdb_task(&built, PERF_RECORD_FORK, 0, 5 + at, 5 + at, 1, 1);
		pdb_task(&built, PERF_RECORD_FORK, 0, 5 + at, 7 + at, 5 + at, 2);
		pdb_task(&built, PERF_RECORD_EXIT, 0, 5 + at, 5 + at, 1, 3);
		pdb_comm(&built, PDB_MISC_EXEC, 5 + at, "next", 4);
		pdb_mmap2(&built, 5 + at, 0x10000, 0x1000, 0, "/next", 5);
	}
	pdb_task(&built, PERF_RECORD_EXIT, 0, 6, 6, 1, 6);
	others_come_and_go(1000, 7);
	play();
	CHECK_AT(5, 0x10000, "/next", 0);
	CHECK_NOTHING_AT(6, 0x10000);
	end();
}

/* Linux writes an EXIT for it, too, and another one at its end. */
TEST(the_start_of_a_set_uid_program_is_no_end)
{
	uint32_t pid;

	begin();
	for (pid = 5; pid < 7; pid++) {
		pdb_task(&built, PERF_RECORD_FORK, 0, pid, pid, 1, 1);
		pdb_comm(&built, PDB_MISC_EXEC, pid, "su", 2);
		pdb_task(&built, PERF_RECORD_EXIT, 0, pid, pid, 1, 3);
		pdb_mmap2(&built, pid, 0x10000, 0x1000, 0, "/su", 4);
	}
	pdb_task(&built, PERF_RECORD_EXIT, 0, 6, 6, 1, 5);
	others_come_and_go(1000, 6);
	play();
	CHECK_AT(5, 0x10000, "/su", 0);
	CHECK_NOTHING_AT(6, 0x10000);
	end();
}

TEST(a_pid_may_come_again)
{
	begin();
	pdb_task(&built, PERF_RECORD_FORK, 0, 5, 5, 1, 1);
	pdb_mmap2(&built, 5, 0x10000, 0x1000, 0, "/old", 2);
	pdb_task(&built, PERF_RECORD_EXIT, 0, 5, 5, 1, 3);
	pdb_mmap2(&built, 1, 0x20000, 0x1000, 0, "/new", 4);
	pdb_task(&built, PERF_RECORD_FORK, 0, 5, 5, 1, 5);
	play();
	CHECK_NOTHING_AT(5, 0x10000);
	CHECK_AT(5, 0x20000, "/new", 0);
	end();
}

/* Forgotten meanwhile: of its threads before nothing is left, either. */
TEST(a_pid_that_comes_again_late_begins_anew)
{
	uint32_t round, pid;
	uint64_t time = 10;

	begin();
	pdb_task(&built, PERF_RECORD_FORK, 0, 5, 5, 1, 1);
	pdb_task(&built, PERF_RECORD_EXIT, 0, 5, 5, 1, 2);
	for (round = 0; round < 2; round++) {
		for (pid = 10; pid < 1010; pid++) {
			pdb_task(&built, PERF_RECORD_FORK, 0, pid, pid, 1,
				 time++);
			pdb_task(&built, PERF_RECORD_EXIT, 0, pid, pid, 1,
				 time++);
		}
		if (round)
			break;
		pdb_mmap2(&built, 5, 0x10000, 0x1000, 0, "/a", time++);
		pdb_task(&built, PERF_RECORD_FORK, 0, 5, 6, 5, time++);
		pdb_task(&built, PERF_RECORD_EXIT, 0, 5, 6, 5, time++);
	}
	play();
	CHECK_AT(5, 0x10000, "/a", 0);
	end();
}

TEST(the_kernel_is_everywhere)
{
	const struct pd_map *map;

	begin();
	pdb_mmap(&built, PDB_MISC_KERNEL, -1, 0xffffffff80000000, 0x1000000,
		 0xffffffff80000000, "[kernel.kallsyms]_text", 0);
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "/a", 1);
	play();
	map = pd_space_find(space, 1, 0xffffffff80001234);
	CHECK(map && map->kernel);
	CHECK(pd_space_find(space, 77, 0xffffffff80001234) == map);
	CHECK(!pd_space_find(space, 1, 0x10000)->kernel);
	end();
}

TEST(the_kernels_mapping_tells_where_a_symbol_was)
{
	static const uint8_t id[24] = { 0xcc };
	struct pd_kernel kernel;

	begin();
	pdb_mmap(&built, PDB_MISC_KERNEL, -1, 0xffffffff80000000, 0x1000000,
		 0xffffffff80002000, "[kernel.kallsyms]_stext", 0);
	pdb_mmap(&built, PDB_MISC_KERNEL, -1, 0xffffffff80400000, 0x1000, 0,
		 "[ssctr]", 0);
	pdb_build_id(&built, PDB_MISC_KERNEL, id, "[kernel.kallsyms]");
	play();
	kernel = pd_space_kernel(space);
	CHECK(kernel.dso);
	CHECK_STR(kernel.symbol, "_stext");
	CHECK_EQ(kernel.addr, 0xffffffff80002000);
	CHECK_EQ(kernel.dso->build_id_size, 20);
	CHECK_EQ(kernel.dso->build_id[0], 0xcc);
	end();
}

#define BPF UINT64_C(0xffffffff78000000)

/* As of any other mapping, what came last holds; and the kernel tells when it is gone. */
TEST(code_that_the_kernel_makes_is_known_by_its_name_until_it_is_gone)
{
	begin();
	pdb_ksymbol(&built, BPF, 0x200, false, "bpf_prog_1_one", 0);
	pdb_ksymbol(&built, BPF + 0x200, 0x100, false, "bpf_prog_2_two", 1);
	pdb_ksymbol(&built, BPF, 0x200, true, "bpf_prog_1_one", 2);
	pdb_ksymbol(&built, BPF + 0x100, 0x80, false, "bpf_prog_3_three", 3);
	play();
	CHECK_NOTHING_AT(1, BPF);
	CHECK_AT(1, BPF + 0x104, "bpf_prog_3_three", 4);
	CHECK_NOTHING_AT(1, BPF + 0x180);
	CHECK_AT(2, BPF + 0x2ff, "bpf_prog_2_two", 0xff);
	CHECK(pd_space_find(space, 1, BPF + 0x200)->dso->made);
	CHECK(pd_space_find(space, 1, BPF + 0x200)->kernel);
	end();
}

/* Linux tells the size of a page. perf tells those that are there after the programs. */
TEST(a_trampoline_of_bpf_ends_where_other_code_begins)
{
	begin();
	pdb_ksymbol(&built, BPF + 0x400, 0x100, false, "bpf_prog_1_behind", 0);
	pdb_ksymbol(&built, BPF, 0x1000, false, "bpf_trampoline_5", 0);
	pdb_ksymbol(&built, BPF + 0x200, 0x100, false, "bpf_prog_2_in", 1);
	play();
	CHECK_AT(1, BPF + 0x1ff, "bpf_trampoline_5", 0x1ff);
	CHECK_AT(1, BPF + 0x200, "bpf_prog_2_in", 0);
	CHECK_NOTHING_AT(1, BPF + 0x300);
	CHECK_AT(1, BPF + 0x400, "bpf_prog_1_behind", 0);
	CHECK_NOTHING_AT(1, BPF + 0x500);
	end();
}

/* Of lost records. A program has its size, so that what is told there before is gone. */
TEST(a_program_covers_what_was_there)
{
	begin();
	pdb_ksymbol(&built, BPF + 0x80, 0x40, false, "bpf_prog_1_old", 1);
	pdb_ksymbol(&built, BPF, 0x100, false, "bpf_prog_2_new", 2);
	pdb_ksymbol(&built, BPF + 0x80, 0x40, true, "bpf_prog_1_old", 3);
	play();
	CHECK_AT(1, BPF + 0x90, "bpf_prog_2_new", 0x90);
	end();
}

TEST(what_the_kernel_makes_is_neither_empty_nor_a_user_s_nor_a_file)
{
	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "bpf_prog_1", 1);
	pdb_ksymbol(&built, BPF, 0, false, "bpf_prog_1", 2);
	pdb_ksymbol(&built, 0x10000, 0x1000, false, "bpf_prog_2", 3);
	pdb_ksymbol(&built, BPF + 0x1000, 0x1000, false, "bpf_prog_1", 4);
	pdb_ksymbol(&built, UINT64_MAX - 3, 0x1000, false, "bpf_prog_3", 5);
	play();
	CHECK_NOTHING_AT(1, BPF);
	CHECK_AT(1, 0x10000, "bpf_prog_1", 0);
	CHECK(!pd_space_find(space, 1, 0x10000)->dso->made);
	CHECK_NOTHING_AT(2, 0x10000);
	CHECK_AT(1, BPF + 0x1000, "bpf_prog_1", 0);
	CHECK(pd_space_find(space, 1, BPF + 0x1000)->dso->made);
	CHECK_AT(1, UINT64_MAX - 1, "bpf_prog_3", 2);
	end();
}

TEST(a_recording_without_the_kernels_mapping_has_no_symbol_of_it)
{
	begin();
	pdb_mmap(&built, PDB_MISC_KERNEL, -1, 0xffffffff80400000, 0x1000, 0,
		 "[ssctr]", 0);
	play();
	CHECK(!pd_space_kernel(space).dso);
	end();
}

TEST(a_mapping_at_the_end_of_the_address_space)
{
	begin();
	pdb_mmap2(&built, 1, 0xfffffffffffff000, 0x2000, 0, "/a", 1);
	pdb_mmap2(&built, 1, 0x1000, 0, 0, "/empty", 2);
	play();
	CHECK_AT(1, 0xfffffffffffffff0, "/a", 0xff0);
	CHECK_NOTHING_AT(1, 0x1000);
	end();
}

TEST(files_are_one_object_each)
{
	static const uint8_t id[20] = { 1 };
	const struct pd_dso *a, *b, *other;

	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "/a", 1);
	pdb_mmap2(&built, 2, 0x50000, 0x1000, 0, "/a", 2);
	pdb_mmap2_id(&built, 3, 0x50000, 0x1000, 0, "/a", 3, id);
	play();
	a = pd_space_find(space, 1, 0x10000)->dso;
	b = pd_space_find(space, 2, 0x50000)->dso;
	other = pd_space_find(space, 3, 0x50000)->dso;
	CHECK(a == b);
	CHECK(a != other);
	CHECK_EQ(other->build_id_size, 20);
	CHECK(!memcmp(other->build_id, id, 20));
	CHECK_EQ(pd_space_nr_dsos(space), 2);
	CHECK(a->id < 2 && other->id < 2 && a->id != other->id);
	end();
}

TEST(build_ids_come_from_the_list_of_the_file)
{
	static const uint8_t id[24] = { 0xbb };
	const struct pd_dso *dso;

	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "/a", 1);
	pdb_build_id(&built, PDB_MISC_USER, id, "/a");
	play();
	dso = pd_space_find(space, 1, 0x10000)->dso;
	CHECK_EQ(dso->build_id_size, 20);
	CHECK_EQ(dso->build_id[0], 0xbb);
	end();
}

/* A record of its own, between the others. */
static void pipe_build_id(uint16_t misc, const uint8_t id[24], const char *name)
{
	struct pdb_buf *list = &built.features[built.nr_features].body;

	pdb_build_id(&built, misc, id, name);
	pdb_put(&built.data, list->p, list->n);
	free(list->p);
	*list = (struct pdb_buf){ 0 };
	built.nr_features--;
}

/* As perf inject writes it into a pipe: of each file before its first sample. */
TEST(a_build_id_that_comes_after_the_mapping_is_its_files)
{
	static const uint8_t id[24] = { 0xbb }, of_kernel[24] = { 0xcc };
	const struct pd_dso *dso;

	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "/a", 0);
	pdb_mmap2(&built, 1, 0x20000, 0x1000, 0, "/b", 0);
	pdb_mmap(&built, PDB_MISC_KERNEL, -1, 0xffffffff80000000, 0x1000000,
		 0xffffffff80000000, "[kernel.kallsyms]_text", 0);
	pipe_build_id(PDB_MISC_USER, id, "/a");
	pipe_build_id(PDB_MISC_KERNEL, of_kernel, "[kernel.kallsyms]");
	pdb_mmap2(&built, 2, 0x50000, 0x1000, 0, "/a", 1);
	pdb_finish_pipe(&built);
	play_built();
	dso = pd_space_find(space, 1, 0x10000)->dso;
	CHECK_EQ(dso->build_id_size, 20);
	CHECK_EQ(dso->build_id[0], 0xbb);
	/* One file is one object, whenever it was mapped. */
	CHECK(pd_space_find(space, 2, 0x50000)->dso == dso);
	CHECK_EQ(pd_space_find(space, 1, 0x20000)->dso->build_id_size, 0);
	dso = pd_space_kernel(space).dso;
	CHECK_EQ(dso->build_id_size, 20);
	CHECK_EQ(dso->build_id[0], 0xcc);
	end();
}

/* What the kernel says of a file that is gone is no part of its name, if its id is known. */
TEST(a_file_with_a_build_id_has_its_own_name_when_it_was_replaced)
{
	static const uint8_t id[24] = { 1 }, listed[24] = { 2 };
	const struct pd_dso *a;

	CHECK_EQ(pd_name_length("/a (deleted)"), 2);
	CHECK_EQ(pd_name_length("/a"), 2);
	CHECK_EQ(pd_name_length(" (deleted)"), 10);
	begin();
	pdb_mmap2_id(&built, 1, 0x10000, 0x1000, 0, "/a", 0, id);
	pdb_mmap2_id(&built, 2, 0x10000, 0x1000, 0, "/a (deleted)", 0, id);
	pdb_mmap2(&built, 3, 0x10000, 0x1000, 0, "/b (deleted)", 0);
	pipe_build_id(PDB_MISC_USER, listed, "/b (deleted)");
	pdb_mmap2(&built, 4, 0x10000, 0x1000, 0, "/c (deleted)", 0);
	pdb_finish_pipe(&built);
	play_built();
	a = pd_space_find(space, 1, 0x10000)->dso;
	CHECK_STR(a->name, "/a");
	CHECK(pd_space_find(space, 2, 0x10000)->dso == a);
	CHECK_STR(pd_space_find(space, 3, 0x10000)->dso->name, "/b");
	CHECK_EQ(pd_space_find(space, 3, 0x10000)->dso->build_id[0], 2);
	/* What is there now may be another file. */
	CHECK_STR(pd_space_find(space, 4, 0x10000)->dso->name, "/c (deleted)");
	end();
}

/*
 * perf inject puts ids of samples before the list, if it reads a pipe. Other damage is in
 * a record: its size, or the size of the id, or a name without its end.
 */
TEST(a_damaged_list_of_build_ids_costs_nothing_else)
{
	static const uint8_t id[24] = { [0] = 0xbb, [20] = 21 };
	unsigned int damage;

	for (damage = 0; damage < 6; damage++) {
		struct pdb_buf *list;

		begin();
		pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "/a", 1);
		if (!damage)
			pdb_u64(pdb_feature(&built, 2), 197);
		pdb_build_id(&built, damage == 1 ? 1 << 15 : PDB_MISC_USER, id, "/a");
		list = &built.features[0].body;
		if (damage == 2)
			memset(list->p + 36, 'a', list->n - 36);
		if (damage > 2)
			list->p[6] = damage == 3 ? 16 : damage == 4 ? 255 : 0;
		play();
		CHECK_EQ(pd_space_find(space, 1, 0x10000)->dso->build_id_size, 0);
		CHECK(pd_stats(pd)->bad_build_ids);
		end();
	}
}

TEST(many_files_and_processes)
{
	char name[32];
	uint32_t i;

	begin();
	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "/lib/%u", i);
		pdb_mmap2(&built, i, 0x10000, 0x1000, 0, name, 1 + i);
	}
	play();
	CHECK_EQ(pd_space_nr_dsos(space), 2000);
	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "/lib/%u", i);
		CHECK_AT(i, 0x10800, name, 0x800);
	}
	end();
}

TEST(a_jitdump_is_told_by_its_name)
{
	CHECK(pd_is_jitdump("/tmp/jit-12.dump"));
	CHECK(pd_is_jitdump("jit-0.dump"));
	CHECK(!pd_is_jitdump("/tmp/jit-.dump"));
	CHECK(!pd_is_jitdump("/tmp/jit-1x.dump"));
	CHECK(!pd_is_jitdump("/tmp/jit-1.dumped"));
	CHECK(!pd_is_jitdump("/tmp/bit-1.dump"));
	CHECK(!pd_is_jitdump("/jit-1.dump/x"));
}

TEST(a_child_has_the_memory_of_its_parent_until_it_starts_a_program)
{
	begin();
	pdb_mmap2(&built, 1, 0x10000, 0x1000, 0, "//anon", 1);
	pdb_task(&built, PERF_RECORD_FORK, 0, 2, 2, 1, 2);
	pdb_task(&built, PERF_RECORD_FORK, 0, 3, 3, 2, 3);
	pdb_task(&built, PERF_RECORD_FORK, 0, 3, 4, 3, 4);
	pdb_task(&built, PERF_RECORD_FORK, 0, 5, 5, 1, 5);
	pdb_comm(&built, PDB_MISC_EXEC, 5, "next", 6);
	play();
	CHECK_EQ(pd_space_parent(space, 1), PD_NO_ID);
	CHECK_EQ(pd_space_parent(space, 2), 1);
	CHECK_EQ(pd_space_parent(space, 3), 2);
	CHECK_EQ(pd_space_parent(space, 5), PD_NO_ID);
	CHECK_EQ(pd_space_parent(space, 9), PD_NO_ID);
	end();
}
