// SPDX-License-Identifier: GPL-2.0-only
/* Edges: what is one, of which type, what is summed up, and in which order. */
#include "hot-build.h"
#include "jit-build.h"

#include <sys/stat.h>

TEST(equal_transfers_are_one_edge_whatever_follows_them)
{
	static const struct step steps[] = {
		{ 0x04, 0x20, COND, 0 }, { 0x24, 0x00, UNCOND, 0 },
		{ 0x04, 0x20, COND, 0 }, { 0x28, 0x00, UNCOND, 0 },
		{ 0x04, 0x20, COND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0, 0x40);
	ADD_STEPS(steps);
	find();
	CHECK_EQ(hot.samples, 1);
	CHECK_EQ(hot.transfers, 5);
	CHECK_STR(list_of(HOT_EDGES), "3 COND f+4 f+20\n"
				      "1 UNCOND f+24 f+0\n"
				      "1 UNCOND f+28 f+0\n");
	/* The youngest is followed by none. */
	CHECK_EQ(hot.edges[0].followed, 2);
	CHECK_EQ(hot.edges[1].followed, 1);
	end();
}

/* An instruction may trap, or be interrupted, and lead to the same place. */
TEST(transfers_of_two_types_are_two_edges)
{
	static const struct step steps[] = {
		{ 0x04, 0x20, COND, 0 }, { 0x04, 0x20, UNCOND, 0 },
		{ 0x04, 0x20, COND, 0 },
	};

	begin(NULL, 0);
	add_function("f", 0, 0x40);
	CHECK_LIST(steps, HOT_EDGES,
		   "2 COND f+4 f+20\n"
		   "1 UNCOND f+4 f+20\n");
}

TEST(the_instruction_tells_the_type_that_was_not_recorded)
{
	static const uint16_t code[] = {
		0x9782,		/* 00: c.jalr a5 */
		0x8782,		/* 02: c.jr a5 */
		0x8082,		/* 04: ret */
		0xfd6d,		/* 06: c.bnez a0, 0x00 */
		0xbff5,		/* 08: c.j 0x04 */
		0x0073, 0x0000,	/* 0a: ecall */
		0x0073, 0x1020,	/* 0e: sret */
		0x2505,		/* 12: c.addiw a0, 1, which traps; a call on RV32 */
	};
	static const struct step steps[] = {
		{ 0x00, 0x10, 0, 0 }, { 0x02, 0x10, 0, 0 }, { 0x04, 0x10, 0, 0 },
		{ 0x06, 0x00, 0, 0 }, { 0x08, 0x04, 0, 0 }, { 0x0a, 0x10, 0, 0 },
		{ 0x0e, 0x10, 0, 0 }, { 0x06, 0x00, COND, 0 }, { 0x12, 0x10, 0, 0 },
	};

	begin(code, sizeof(code));
	add_function("f", 0, 0x20);
	CHECK_LIST(steps, HOT_EDGES,
		   "2 COND f+6 f+0\n"
		   "1 IND_CALL f+0 f+10\n"
		   "1 IND f+2 f+10\n"
		   "1 RET f+4 f+10\n"
		   "1 UNCOND f+8 f+4\n"
		   "1 SYSCALL f+a f+10\n"
		   "1 ERET f+e f+10\n"
		   "1  f+12 f+10\n");
}

TEST(mispredictions_and_cycles_are_summed_up)
{
	static const struct step steps[] = {
		{ 0x02, 0x0a, COND, MISSED | CYCLES(10) },
		{ 0x0e, 0x00, RET, RIGHT },
		{ 0x02, 0x0a, COND, RIGHT | CYCLES(5) },
		{ 0x02, 0x0a, COND, MISSED },
	};
	const struct hot_edge *e;

	begin(NULL, 0);
	add_function("f", 0, 0x40);
	ADD_STEPS(steps);
	find();
	CHECK(hot.has_predictions && hot.has_cycles);
	CHECK_EQ(hot.mispredicted, 2);
	e = &hot.edges[0];
	CHECK_EQ(e->count, 3);
	CHECK_EQ(e->mispredicted, 2);
	CHECK_EQ(e->cycles, 15);
	CHECK_EQ(e->timed, 2);
	CHECK_EQ(hot.edges[1].mispredicted, 0);
	end();
}

TEST(that_all_was_predicted_is_known_and_that_nothing_was_recorded_is_too)
{
	static const struct step right = { 0x02, 0x0a, COND, RIGHT };
	static const struct step nothing = { 0x02, 0x0a, COND, 0 };

	begin(NULL, 0);
	add_steps(&right, 1);
	find();
	CHECK(hot.has_predictions && !hot.has_cycles);
	CHECK_EQ(hot.mispredicted, 0);
	end();
	begin(NULL, 0);
	add_steps(&nothing, 1);
	find();
	CHECK(!hot.has_predictions && !hot.has_cycles);
	end();
}

/* --- places --- */

TEST(a_file_is_one_wherever_processes_have_it)
{
	static const struct step here = { 0x02, 0x0a, COND, 0 };
	static const uint64_t there[][3] = {
		{ 0x7002, 0x700a, (uint64_t)COND << 20 },
	};

	begin(NULL, 0);
	add_function("f", 0, 0x40);
	pdb_mmap2(&rec, 6, 0x7000, 0x1000, ELFB_CODE, "/x", 1);
	add_steps(&here, 1);
	add_stack(6, 1, there);
	find();
	CHECK_STR(list_of(HOT_EDGES), "2 COND f+2 f+a\n");
	end();
}

TEST(what_is_in_no_file_is_told_by_its_address)
{
	static const uint64_t stack[][3] = {
		{ 0xffffffff80000010, 0x3f00000020, (uint64_t)UNCOND << 20 },
		{ 0x3f00000010, 0xffffffff80000000, (uint64_t)UNCOND << 20 },
	};

	begin(NULL, 0);
	add_stack(5, 2, stack);
	add_stack(6, 2, stack);
	find();
	/* Equally often: by address. */
	CHECK_STR(list_of(HOT_EDGES),
		  "2 UNCOND [unknown]+3f00000010 [kernel]+ffffffff80000000\n"
		  "2 UNCOND [kernel]+ffffffff80000010 [unknown]+3f00000020\n");
	CHECK_EQ(hot.nr_places, 4);
	CHECK_STR(hot.functions[0].binary, "[unknown]");
	end();
}

/* More bits than an offset has when it is counted. */
TEST(addresses_that_are_alike_in_their_low_bits_are_two_places)
{
	static const uint64_t stack[][3] = {
		{ 0x10000001000, 0x20000001000, (uint64_t)UNCOND << 20 },
		{ 0x10000000ff0, 0x20000001000, (uint64_t)UNCOND << 20 },
	};

	begin(NULL, 0);
	add_stack(5, 2, stack);
	find();
	CHECK_STR(list_of(HOT_EDGES),
		  "1 UNCOND [unknown]+10000000ff0 [unknown]+20000001000\n"
		  "1 UNCOND [unknown]+10000001000 [unknown]+20000001000\n");
	end();
}

static const char *binary_of(const char *function)
{
	for (size_t i = 0; i < hot.nr_functions; i++)
		if (!strcmp(hot.functions[i].name, function))
			return hot.functions[i].binary;
	return "no such function";
}

TEST(code_that_a_program_makes_is_told_by_when_and_by_whom)
{
	static const uint64_t in_dump[][3] = {
		{ 0x50002, 0x50000, (uint64_t)COND << 20 },
	};
	static const uint64_t in_map[][3] = {
		{ 0x60004, 0x60010, (uint64_t)COND << 20 },
	};
	static const uint64_t beside_it[][3] = {
		{ 0x60008, 0x60010, (uint64_t)COND << 20 },
	};
	struct pdb_buf dump = { 0 };
	char path[256];
	FILE *file;

	/* One address after another, by process 5, which says when. */
	jitb_begin(&dump, EM_RISCV, 0);
	jitb_load(&dump, 10, 0x50000, 1, "first", "aaaa", 4);
	jitb_load(&dump, 20, 0x50000, 2, "second", "aaaa", 4);
	snprintf(path, sizeof(path), "%s/jit-5.dump", test_tmpdir());
	CHECK(jitb_write(&dump, path));
	free(dump.p);
	/* Process 6 only names what it makes. */
	CHECK(!mkdir(strcat(strcpy(path, test_tmpdir()), "/tmp"), 0700));
	file = fopen(strcat(path, "/perf-6.map"), "w");
	CHECK(file);
	fputs("60000 8 low\n60010 8 high\n", file);
	CHECK(!fclose(file));

	begin(NULL, 0);
	pdb_mmap2(&rec, 5, 0x40000, 0x1000, 0, "/jit-5.dump", 1);
	pdb_mmap2(&rec, 5, 0x50000, 0x1000, 0x50000, "//anon", 1);
	pdb_mmap2(&rec, 6, 0x60000, 0x1000, 0x60000, "//anon", 1);
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = 0x50000, .time = 15, .pid = 5, .nr_branches = 1,
		.branches = in_dump });
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = 0x50000, .time = 25, .pid = 5, .nr_branches = 1,
		.branches = in_dump });
	add_stack(6, 1, in_map);
	add_stack(6, 1, in_map);
	add_stack(6, 1, beside_it);
	find();
	CHECK_STR(list_of(HOT_EDGES), "2 COND low+4 high+0\n"
				      "1 COND first+2 first+0\n"
				      "1 COND second+2 second+0\n"
				      "1 COND //anon+60008 high+0\n");
	/* What has a jitdump is in that, and what a map names in no file. */
	CHECK_STR(binary_of("first"), "/jit-5.dump");
	CHECK_STR(binary_of("high"), "//anon");
	end();
}

TEST(nothing_is_found_in_nothing)
{
	begin(NULL, 0);
	add_stack(5, 0, NULL);
	find();
	CHECK_EQ(hot.samples, 0);
	CHECK_EQ(hot.transfers, 0);
	CHECK_STR(list_of(HOT_EDGES), "");
	CHECK_STR(list_of(HOT_LOOPS), "");
	end();
}
