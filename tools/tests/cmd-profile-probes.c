// SPDX-License-Identifier: GPL-2.0-only
/* ssctr profile: counts by function and pseudo-probe, for clang. */
#include "cmd-sample.h"
#include "probe-build.h"

#define AT(_offset) (ELFB_ADDR + ELFB_CODE + (_offset))

static struct prb probes;
static struct dwb debug;

/*
 * The small program: main with a block that was copied, one that did not run, what
 * was inlined into it and its call of load.
 */
static void begin_probes(void)
{
	begin();
	probes = (struct prb){ 0 };
	debug = (struct dwb){ 0 };
	elf.symbols[0].size = 0x12;
	prb_func(&probes, "main", 77);
	prb_func(&probes, "load", 88);
	prb_func(&probes, "inner", 99);
	prb_tree(&probes, "main", 6, 2);
	prb_probe(&probes, 1, PRB_BLOCK, 0);
	prb_probe(&probes, 2, PRB_BLOCK, 2);
	prb_probe(&probes, 5, PRB_DIRECT_CALL, 4);
	prb_probe(&probes, 3, PRB_BLOCK, 4);
	prb_probe(&probes, 3, PRB_BLOCK, 4);
	prb_probe(&probes, 6, PRB_BLOCK, 2);
	prb_inlined(&probes, 4, "inner", 1, 0);
	prb_probe(&probes, 1, PRB_BLOCK, -2);
	/* At a call that is not known. */
	prb_inlined(&probes, 0, "inner", 1, 0);
	prb_probe(&probes, 2, PRB_DISCRIMINATOR, 0);
	dwb_uleb(&probes.trees, 12);
	prb_tree(&probes, "load", 1, 0);
	prb_probe(&probes, 1, PRB_BLOCK, 0);
	prb_sections(&probes, &elf);
}

/* Lines, too, which llvm-profgen needs to find functions. */
static void add_debug(void)
{
	dwb_begin(&debug, "/src/x.c", AT(0), 0x18);
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_function(&debug, "load", "load", 30, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x12), 31, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
}

static void write_all(void)
{
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	dwb_free(&debug);
	prb_free(&probes);
}

static int profile(const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr profile --raw -i %s/perf.data -b %s/x -o %s/out %s && cat %s/out",
		   dir, dir, dir, options, dir);
}

/* main was entered once at its first instruction, and came back to the one at 0x0a. */
static const char text[] =
	"main:6:1\n"
	" 1: 1\n"
	" 2: 1\n"
	" 3: 2\n"
	" 5: 1 load:1\n"
	" 6: 0\n"
	" 4: inner:1\n"
	"  1: 1\n"
	"  !CFGChecksum: 99\n"
	" !CFGChecksum: 77\n"
	"inner:1:0\n"
	" 2.12: 1\n"
	" !CFGChecksum: 99\n"
	"load:1:1\n"
	" 1: 1\n"
	" !CFGChecksum: 88\n";

TEST(llvm_text_has_the_probes_of_a_program_that_has_some)
{
	begin_probes();
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, text);
	CHECK(strstr(run_err, "9 pseudo-probes"));
}

/* The linker may have dropped it, with those that it was described beside. */
TEST(a_function_that_is_not_described_is_left_out)
{
	begin_probes();
	probes.funcs.n = 0;
	prb_func(&probes, "main", 77);
	prb_func(&probes, "inner", 99);
	prb_sections(&probes, &elf);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, " 3: 2\n"));
	CHECK(strstr(run_out, "\ninner:1:0\n 2.12: 1\n !CFGChecksum: 99\n"));
	CHECK(!strstr(run_out, "load:1:1"));
}

/* load returns into main, and may be a part of a function that was entered before. */
TEST(only_where_a_function_begins_is_it_called)
{
	begin_probes();
	elf.symbols[1].name = "load.part.0";
	prb_func(&probes, "load.part.0", 55);
	prb_tree(&probes, "load.part.0", 1, 0);
	prb_probe(&probes, 4, PRB_INDIRECT_CALL, 4);
	prb_sections(&probes, &elf);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, " 5: 1\n"));
	CHECK(strstr(run_out, "load.part.0:1:0\n 4: 1\n !CFGChecksum: 55\n"));
}

TEST(llvm_profdata_reads_extbinary_with_probes_as_it_does_text)
{
	const char *dir = test_tmpdir();

	begin_probes();
	write_all();
	CHECK_EQ(profile("-f llvm-ext"), 0);
	CHECK_EQ(run("%s merge --sample --text %s/out -o -",
		     find_tool("llvm-profdata"), dir), 0);
	CHECK_STR(run_out, text);
}

TEST(llvm_profgen_makes_the_same_of_the_same_probes)
{
	const char *dir = test_tmpdir(), *profgen = find_tool("llvm-profgen");

	begin_probes();
	add_debug();
	write_all();
	CHECK_EQ(run("cd %s && ssctr profile --raw -b x -f llvm,profgen -o ours && "
		     "%s --format=text --binary=x --unsymbolized-profile=ours.profgen "
		     "-o theirs && cat ours.llvm && diff theirs ours.llvm >&2",
		     dir, profgen), 0);
	CHECK_STR(run_out, text);
}

TEST(recordings_and_binaries_may_be_several)
{
	const char *dir = test_tmpdir();

	begin_probes();
	write_all();
	CHECK_EQ(run("cd %s && cp perf.data more && echo >>more && "
		     "ssctr profile --raw -b x -o out --merge more && cat out",
		     dir), 0);
	CHECK(!strncmp(run_out, "main:12:2\n 1: 2\n", 16));
	CHECK_EQ(run("cd %s && ssctr profile --raw --all --symfs . -o all && cat all/x.llvm",
		     dir), 0);
	CHECK_STR(run_out, text);
}

/* away jumps to what its register has: to load, and to what is in no file. */
TEST(indirect_calls_have_targets_that_are_not_known)
{
	static const uint64_t away[][3] = {
		{ MAP_AT + 0x16, MAP_AT + 0x18, 0 },
		{ MAP_AT + 0x18, MAP_AT + 0x12, 0 },
		{ 0x7000, MAP_AT + 0x18, 0 },
		{ MAP_AT + 0x18, 0x7000, 0 },
		{ MAP_AT + 0x16, MAP_AT + 0x18, 0 },
	};
	const char *dir = test_tmpdir();

	begin_probes();
	add_function("away", 0x18, 4);
	prb_func(&probes, "away", 66);
	prb_tree(&probes, "away", 1, 0);
	prb_probe(&probes, 2, PRB_INDIRECT_CALL, 0);
	prb_sections(&probes, &elf);
	add_sample(5, 1, MAP_AT + 0x18, 5, away);
	write_all();
	CHECK_EQ(run("cd %s && ssctr profile -b x -o out && cat out", dir), 0);
	CHECK(strstr(run_out, " [unknown]:"));
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "\n 2: 2 load:1\n"));
}

/*
 * As clang leaves them on RISC-V: blocks have probes, and calls the number of one in the
 * discriminator of their line, which is 0x7 and the number behind it. With the highest
 * bit of the type comes another discriminator, here 5. main and load may be linked by other names.
 */
static void call_without_probe_of(const char *linked, const char *load, unsigned int call,
				  unsigned int inlined)
{
	uint32_t inner;

	begin();
	probes = (struct prb){ 0 };
	debug = (struct dwb){ 0 };
	elf.symbols[0].size = 0x12;
	elf.symbols[1].name = load;
	prb_func(&probes, "main", 77);
	prb_func(&probes, "load", 88);
	prb_func(&probes, "inner", 99);
	prb_tree(&probes, "main", 1, 1);
	prb_probe(&probes, 1, PRB_BLOCK, 0);
	prb_inlined(&probes, 4, "inner", 1, 0);
	prb_probe(&probes, 1, PRB_BLOCK, 6);
	prb_tree(&probes, "load", 1, 0);
	prb_probe(&probes, 1, PRB_BLOCK, 0);
	prb_sections(&probes, &elf);
	dwb_begin(&debug, "/src/x.c", AT(0), 0x18);
	inner = dwb_abstract(&debug, "inner", 20);
	dwb_function(&debug, "main", linked, 10, AT(0x00), 0x12);
	dwb_inlined(&debug, inner, AT(0x06), 4, 12, inlined);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_function(&debug, "load", "load", 30, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x06), 21, call);
	dwb_row(&debug, AT(0x0a), 11, 0);
	dwb_row(&debug, AT(0x12), 31, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	write_all();
}

static void call_without_probe(unsigned int call, unsigned int inlined)
{
	call_without_probe_of("main", "load", call, inlined);
}

static const char with_target[] =
	"main:2:1\n"
	" 1: 1\n"
	" 4: inner:1\n"
	"  1: 1\n"
	"  3: 1 load:1\n"
	"  !CFGChecksum: 99\n"
	" !CFGChecksum: 77\n"
	"load:1:1\n"
	" 1: 1\n"
	" !CFGChecksum: 88\n";

TEST(calls_without_probes_have_targets_by_their_lines)
{
	/* Type 2 and the factor 100, as clang 17 packs them, and 19. */
	call_without_probe(7 | 3 << 3 | 100 << 19 | 2 << 26,
			   7 | 4 << 3 | 100 << 19 | 2 << 26);
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, with_target);
	call_without_probe(7 | 3 << 3 | 5 << 16 | 100 << 19 | 6 << 26,
			   7 | 4 << 3 | 100 << 19 | 6 << 26);
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, with_target);
}

/* clang 22 names a part of a coroutine so in its lines, and the coroutine in its probes. */
TEST(calls_in_a_part_of_a_coroutine_have_targets_but_such_parts_are_none)
{
	call_without_probe_of("main.resume", "load", 7 | 3 << 3, 7 | 4 << 3);
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, with_target);
	call_without_probe_of("main", "load.destroy", 7 | 3 << 3, 7 | 4 << 3);
	CHECK_EQ(profile(""), 0);
	CHECK(!strstr(run_out, "3: "));
}

TEST(calls_of_lines_that_tell_no_number_have_no_targets)
{
	call_without_probe(6 | 3 << 3, 7 | 4 << 3 | 2 << 26);
	CHECK_EQ(profile(""), 0);
	CHECK(!strstr(run_out, "load:1\n  "));
	CHECK(!strstr(run_out, "3: "));
	call_without_probe(7 | 3 << 3, 0);
	CHECK_EQ(profile(""), 0);
	CHECK(!strstr(run_out, "3: "));
}

TEST(gcc_has_its_profile_by_line)
{
	const char *dir = test_tmpdir();

	begin_probes();
	add_debug();
	write_all();
	CHECK_EQ(run("ssctr profile --raw -i %s/perf.data -b %s/x -o %s/p -f llvm,gcov",
		     dir, dir, dir), 0);
	CHECK_EQ(run("grep -q CFGChecksum %s/p.llvm && grep -q main %s/p.gcov", dir,
		     dir), 0);
	begin_probes();
	write_all();
	CHECK_EQ(profile("-f gcov"), 1);
	CHECK_SAYS("no debug information");
}

/* More than the tenth that may be wrong by default. */
TEST(probes_within_instructions_are_refused)
{
	begin_probes();
	prb_tree(&probes, "load", 2, 0);
	prb_probe(&probes, 2, PRB_BLOCK, 2);
	prb_probe(&probes, 3, PRB_BLOCK, 3);
	prb_sections(&probes, &elf);
	write_all();
	CHECK_EQ(profile(""), 3);
	CHECK_SAYS("2 of 11 pseudo-probes are not at an instruction");
	CHECK(strstr(run_err, "-mno-relax"));
	CHECK_EQ(profile("--least 80"), 0);
	CHECK_EQ(profile("--allow-partial"), 0);
	CHECK_STR(run_out, text);
	CHECK(strstr(run_err, "2 of them are not at an instruction"));
}

/* One of the three lines is in load. */
TEST(code_without_probes_beside_code_with_probes_is_told)
{
	begin_probes();
	prb_free(&probes);
	prb_func(&probes, "main", 77);
	prb_tree(&probes, "main", 1, 0);
	prb_probe(&probes, 1, PRB_BLOCK, 0);
	prb_sections(&probes, &elf);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, "main:1:1\n 1: 1\n !CFGChecksum: 77\n");
	CHECK(strstr(run_err, "           1 straight lines (33.3 %) are in code without pseudo-probes, of which the profile has nothing; build it with -fpseudo-probe-for-profiling\n"));
}

TEST(damaged_probes_are_refused)
{
	begin_probes();
	elf.probes[1].n--;
	write_all();
	CHECK_EQ(profile(""), 1);
	CHECK_SAYS("damaged pseudo-probes");
}

TEST(what_ran_has_to_have_probes)
{
	begin_probes();
	prb_free(&probes);
	prb_func(&probes, "main", 77);
	prb_tree(&probes, "other", 1, 0);
	prb_probe(&probes, 1, PRB_BLOCK, 0);
	prb_sections(&probes, &elf);
	write_all();
	CHECK_EQ(profile(""), 1);
	CHECK_SAYS("the code that ran has no pseudo-probes");
}
