// SPDX-License-Identifier: GPL-2.0-only
/* ssctr profile: counts by function and line, for clang and GCC. */
#include "cmd-sample.h"
#include "dwarf-build.h"

#include <elfutils/libdwfl.h>

#define NR(_v)	    (sizeof(_v) / sizeof(*(_v)))
#define AT(_offset) (ELFB_ADDR + ELFB_CODE + (_offset))

static struct dwb debug;

/* All code is of one unit, whose functions and lines follow. */
static void begin_unit(void)
{
	begin();
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(0), 0x18);
}

/*
 * What the compiler says of the small program: main from line 10 on, with a part
 * that was inlined; load from line 30 on. LLVM's discriminators are twice the base.
 * Before main are so many functions, each of which is nothing but what was inlined.
 */
static void begin_debug_of(const char *linked, unsigned int nr, unsigned int call_line)
{
	uint32_t inner;

	begin_unit();
	inner = dwb_abstract(&debug, "inner", 20);
	for (; nr; nr--) {
		dwb_function(&debug, "f", "f", 40, AT(0) - 2 * nr, 2);
		dwb_inlined(&debug, inner, AT(0) - 2 * nr, 2, 41, 0);
		dwb_leave(&debug);
		dwb_leave(&debug);
	}
	dwb_function(&debug, "main", linked, 10, AT(0x00), 0x12);
	dwb_inlined(&debug, inner, AT(0x0a), 4, call_line, 2);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_function(&debug, "load", "_Z4loadv", 30, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x02), 12, 4);
	dwb_row(&debug, AT(0x06), 12, 6);
	dwb_row(&debug, AT(0x0a), 21, 0);
	dwb_row(&debug, AT(0x0e), 14, 0);
	dwb_row(&debug, AT(0x10), 15, 0);
	dwb_row(&debug, AT(0x12), 31, 0);
	dwb_row(&debug, AT(0x16), 0, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
}

static void begin_debug_behind(unsigned int nr, unsigned int call_line)
{
	begin_debug_of("main", nr, call_line);
}

static void begin_debug(void)
{
	begin_debug_behind(0, 13);
}

static void write_all(void)
{
	write_files();
	dwb_free(&debug);
}

/* In a stack, the loop ran. */
static void write_unit(void)
{
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
}

static int profile(const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr profile --raw -i %s/perf.data -b %s/x -o %s/out %s && cat %s/out",
		   dir, dir, dir, options, dir);
}

static int profile_weighed(const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr profile -i %s/perf.data -b %s/x -o %s/out %s && cat %s/out", dir, dir,
		   dir, options, dir);
}

/* The number behind this text; 0: it is not there, too. */
static unsigned long count_of(const char *target)
{
	const char *at = strstr(run_out, target);

	return at ? strtoul(at + strlen(target), NULL, 10) : 0;
}

/*
 * Totals are by bytes. The oldest transfer of the stack, a return to main's first
 * instruction, is a call of main: its count is more than that of the line.
 */
static const char text[] =
	"main:16:2\n"
	" 1: 1\n"
	" 2.2: 1\n"
	" 2.3: 1 _Z4loadv:1\n"
	" 4: 2 main:2\n"
	" 5: 0\n"
	" 3.1: inner:4\n"
	"  1: 1\n"
	"_Z4loadv:6:1\n"
	" 1: 1\n";

TEST(llvm_text_has_lines_calls_and_inlined_functions)
{
	begin_debug();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, text);
}

/*
 * The thunk of GCC, in which the function was inlined: it has lines, and is no function. Its
 * instructions are of these lines; last 0: all of the first.
 */
static void begin_thunk(const char *symbol, uint32_t first, uint32_t last)
{
	begin_unit();
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_function(&debug, "load", "_Z4loadv", 30, AT(0) - 4, 4);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x12), first, 0);
	if (last)
		dwb_row(&debug, AT(0x16), last, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	elf.symbols[1].name = symbol;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
}

TEST(a_function_in_its_thunk_is_that_function)
{
	begin_thunk("_ZThn16_4loadv", 31, 32);
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "_Z4loadv:1\n"));
	CHECK(strstr(run_out, "\n_Z4loadv:6:1\n 1: 1\n 2: 1\n"));
	CHECK(!strstr(run_err, "without debug information"));
	/* What was inlined into it is none of its lines. */
	begin_thunk("_ZThn16_4loadv", 31, 5);
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "\n_Z4loadv:4:1\n 1: 1\n"));
	CHECK(!strstr(run_out, " 65511: "));
	/* One of another function has no lines of this one. */
	begin_thunk("_ZThn16_5otherv", 31, 32);
	CHECK_EQ(profile(""), 0);
	CHECK(!strstr(run_out, "_Z4loadv"));
	CHECK(strstr(run_err, "are in code without debug information"));
}

/* So GCC 14 does it, and the function's first line would be all that ran of it. */
TEST(a_function_in_a_thunk_of_one_line_has_no_lines)
{
	begin_thunk("_ZThn16_4loadv", 30, 0);
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "_Z4loadv:1\n"));
	CHECK(strstr(run_out, "\n_Z4loadv:6:1\n"));
	CHECK(!strstr(run_out, "\n 0: "));
	CHECK(!strstr(run_err, "without debug information"));
	/* This is a function of one line. */
	begin_thunk("_ZThn16_4loadv", 30, 30);
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "\n_Z4loadv:6:1\n 0: 1\n"));
}

/* From the loop's middle to its middle. */
static const uint64_t part[][3] = {
	{ MAP_AT + 0x06, MAP_AT + 0x12, 0 },
	{ MAP_AT + 0x0e, MAP_AT + 0x02, 0 },
};

/* All code of one source line of one function, of so many bytes, which begins on this line. */
static void write_one_function(const char *name, const char *linked, unsigned int line,
			       uint32_t size)
{
	begin_unit();
	dwb_function(&debug, name, linked, line, AT(0x00), size);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	write_unit();
}

/* They would be counts of another function. */
TEST(names_that_would_be_lines_of_their_own_are_left_out)
{
	static const char *const names[] = { "main\nother:9:9\n 1: 9", " 1: 9", "#", "a\033" };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		write_one_function(names[i], names[i], 10, 0x12);
		CHECK_EQ(profile(""), 0);
		CHECK_STR(run_out, "");
		CHECK(strstr(run_err, " functions or calls of functions that -f llvm leaves out, because the debug information of "));
		CHECK_EQ(profile("-f llvm-ext"), 0);
		CHECK(*run_out);
		CHECK(!strstr(run_err, "-f llvm leaves out"));
	}
}

/*
 * As of clang's -g1: lines of source code, and no function's first one. The other code is without
 * debug information, or made by the linker.
 */
static void profile_undeclared(const char *extra)
{
	begin_unit();
	elf.extra = extra;
	elf.extra_addr = AT(0x12);
	elf.extra_size = 6;
	dwb_function(&debug, "main", "main", 0, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	write_unit();
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, ": the debug information does not tell on which lines functions begin, "));
}

TEST(functions_that_begin_on_no_known_line_have_no_profile)
{
	profile_undeclared(NULL);
	profile_undeclared(".plt");
	write_one_function("main", "main", 0, 0x12);
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, ": the debug information does not tell on which lines functions begin, "));
	CHECK_EQ(profile("-f bolt"), 0);
}

TEST(functions_that_begin_on_no_known_line_have_no_profile_in_any_format)
{
	static const char *const formats[] = { "gcov,llvm", "llvm,gcov", "llvm,go",
					       "gcov,llvm,llvm-ext", "llvm,bolt,gcov" };
	const char *dir = test_tmpdir();
	unsigned int i;

	write_one_function("main", "main", 0, 0x12);
	for (i = 0; i < 5; i++) {
		CHECK_EQ(run("cd %s && ssctr profile --raw -b x -f %s -o p", dir, formats[i]), 1);
		CHECK(strstr(run_err, ": the debug information does not tell on which lines functions begin, "));
		CHECK_EQ(run("cd %s && ls | grep '^p\\.' | tr -d '\n'", dir), 0);
		CHECK_STR(run_out, i < 4 ? "" : "p.bolt");
	}
}

/* Some of them: a library of Rust's, for instance, has all. */
TEST(functions_that_begin_on_no_known_line_are_told)
{
	begin_unit();
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x06);
	dwb_leave(&debug);
	dwb_function(&debug, "rest", "rest", 0, AT(0x06), 0x0c);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	write_unit();
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_err, " are in functions that begin on no known line, so compilers do not find their counts; build it with -g "));
	CHECK_EQ(profile("-f bolt"), 0);
	CHECK(!strstr(run_err, "no known line"));
}

/* So many bytes from start on are assembly code, with this function or none; main is C. */
static void write_assembly(const char *function, unsigned int start, unsigned int size)
{
	begin_unit();
	dwb_function(&debug, "main", "main", 10, AT(0x00), start);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_finish(&debug, AT(start));
	dwb_assembly_unit(&debug, function, AT(start), size);
	dwb_sections(&debug, &elf);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
}

TEST(the_share_of_assembly_code_is_told)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		write_assembly(i ? "load" : NULL, 0x12, 6);
		CHECK_EQ(profile(""), 0);
		CHECK(strstr(run_err, "           1 straight lines (33.3 %) are in assembly code, whose counts compilers do not use\n"));
		CHECK(!strstr(run_err, "build it with"));
	}
}

TEST(assembly_code_alone_has_no_profile_for_compilers)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		write_assembly(i ? "all" : NULL, 0, 0x18);
		CHECK_EQ(profile(""), 1);
		CHECK(strstr(run_err, "/x: only assembly code ran, and compilers do not use its counts; BOLT does (-f bolt)\n"));
	}
	CHECK_EQ(profile("-f bolt"), 0);
}

/* The rest, of which there is no debug information, is two of the three straight lines, or one. */
TEST(why_assembly_code_and_a_rest_have_no_profile_is_told_by_which_is_more)
{
	write_assembly(NULL, 0, 0x12);
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, "/x: most of what ran is assembly code, whose counts compilers do not use, and the rest has no debug information; BOLT uses all of it (-f bolt)\n"));
	begin_unit();
	dwb_finish(&debug, AT(0));
	dwb_assembly_unit(&debug, NULL, AT(0x12), 6);
	dwb_sections(&debug, &elf);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, "/x: no debug information of the code that ran, except of assembly code, whose counts compilers do not use; build all of it with -g\n"));
}

/* Then each list would be read, and kept, once for each that shares it. */
enum { SHARING = 250 };

/* So many functions and units share one list. */
static void share_a_list(unsigned int functions, unsigned int units)
{
	uint32_t list;

	begin_unit();
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	list = dwb_list(&debug, AT(0x14), 2, 0, SHARING);
	while (functions--)
		dwb_listed(&debug, DWB_LISTED_FUNCTION, list);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_finish(&debug, AT(0x18));
	while (units--)
		dwb_listed_unit(&debug, list);
	dwb_sections(&debug, &elf);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
}

TEST(more_ranges_than_the_file_has_bytes_are_damaged_debug_information)
{
	share_a_list(1, 1);
	CHECK_EQ(profile(""), 0);
	share_a_list(SHARING, 0);
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, ": damaged debug information\n"));
	share_a_list(0, SHARING);
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, ": damaged debug information\n"));
}

TEST(a_line_counts_as_often_as_its_instruction_that_ran_most)
{
	begin_unit();
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x06), 12, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	add_sample(5, 1, MAP_AT + 0x02, 2, part);
	add_sample(5, 2, MAP_AT + 0x02, 2, part);
	add_sample(5, 3, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
	/* 00 ran once, 02, which is of the same line, and 06 three times. */
	CHECK(strstr(run_out, " 1: 3\n 2: 3 main:2\n"));
}

TEST(llvm_profdata_reads_extbinary_as_it_does_text)
{
	const char *dir = test_tmpdir();

	begin_debug();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile("-f llvm-ext"), 0);
	CHECK_EQ(run("%s merge --sample --text %s/out -o -",
		     find_tool("llvm-profdata"), dir), 0);
	CHECK_STR(run_out, text);
}

/*
 * Discriminators as LLVM writes them: bases of 5 and of 12 bits, without and with a
 * number of copies behind, of which that is one.
 */
enum { BASE_3 = 3 << 1, BASE_33 = 0x21 << 1 | 1 << 7, NONE = 1,
       TIMES_3 = 3 << 1, TIMES_33 = 0x21 << 1 | 1 << 7 };

/* As LLVM has it where it made one call of two. */
TEST(what_was_inlined_at_no_line_is_in_the_total_of_its_function)
{
	begin_debug_behind(0, 0);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK(!strncmp(run_out, "main:16:2\n", 10));
	CHECK(!strstr(run_out, "inner"));
}

/*
 * clang looks for it at line 0, which is 10 lines before that of the thunk, modulo 2^16. Without a
 * count of the thunk's own there, it takes the thunk for code that never ran.
 */
TEST(what_clang_inlined_into_a_thunk_is_there_and_its_line_has_the_entries)
{
	begin_debug_of("_ZThn8_5innerv", 0, 0);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile_weighed(""), 0);
	CHECK(strstr(run_out, "\n 65526.1: inner:"));
	CHECK(!strstr(run_out, "\ninner:"));
	CHECK(count_of("\n 65526.1: "));
	CHECK_EQ(count_of("\n 65526.1: "),
		 strtoul(strchr(run_out + strlen("_ZThn8_5innerv:"), ':') + 1, NULL, 10));
}

/* Of the thunk's 16 bytes, 4 are of what it calls, which is entered as often. */
TEST(with_raw_what_clang_inlined_into_a_thunk_is_that_function)
{
	begin_debug_of("_ZThn8_5innerv", 0, 0);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK(!strncmp(run_out, "_ZThn8_5innerv:12:2\n", 20));
	CHECK(strstr(run_out, "\ninner:4:2\n 1: 1\n"));
}

/* Line 0 is 40 lines before that of the thunk, modulo 2^16. */
TEST(what_an_inlined_thunk_of_clang_calls_is_at_line_0)
{
	uint32_t thunk, inner;

	begin_unit();
	thunk = dwb_abstract(&debug, "_ZThn8_5innerv", 40);
	inner = dwb_abstract(&debug, "inner", 20);
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_inlined(&debug, thunk, AT(0x0a), 4, 13, 0);
	dwb_inlined(&debug, inner, AT(0x0a), 4, 0, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x0a), 21, 0);
	dwb_row(&debug, AT(0x0e), 14, 0);
	write_unit();
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "\n 3: _ZThn8_5innerv:4\n  65496: inner:4\n   1: 1\n"));
	/* Who calls a thunk got its address from a virtual table. */
	CHECK_EQ(profile_weighed(""), 0);
	CHECK(strstr(run_out, "\n_ZThn8_5innerv:"));
	CHECK(strstr(run_out, "\n 65496: inner:"));
	CHECK(count_of(" _ZThn8_5innerv:"));
	CHECK_EQ(count_of(" _ZThn8_5innerv:"), count_of("\n 3: "));
	CHECK_EQ(count_of(" _ZThn8_5innerv:"), count_of("\n 65496: "));
}

/*
 * main calls load on line 12, and a copy of load was inlined on a line of main. load is entered on
 * line 31 and returns on line 33, and the copy has only code of line 32. Indirect: jalr ra, 0(a5).
 */
static void profile_promoted(unsigned int inlined_on, bool indirect)
{
	static uint16_t by_a5[sizeof(code) / 2];
	uint32_t load;

	begin_unit();
	memcpy(by_a5, code, sizeof(code));
	by_a5[3] = 0x80e7;
	by_a5[4] = 0x0007;
	if (indirect)
		elf.code = by_a5;
	load = dwb_abstract(&debug, "_Z4loadv", 30);
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_inlined(&debug, load, AT(0x0a), 4, inlined_on, 6);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_function(&debug, "load", "_Z4loadv", 30, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x06), 12, 6);
	dwb_row(&debug, AT(0x0a), 32, 0);
	dwb_row(&debug, AT(0x0e), 14, 0);
	dwb_row(&debug, AT(0x12), 31, 0);
	dwb_row(&debug, AT(0x16), 33, 0);
	write_unit();
}

static void check_inlined(const char *at)
{
	CHECK(strstr(run_out, at));
	CHECK(!strstr(run_out, "\n 2: "));
	CHECK(strstr(run_out, "\n  2: "));
}

TEST(what_clang_inlined_for_an_indirect_call_is_a_target_of_the_call)
{
	unsigned long called, inlined;

	profile_promoted(12, true);
	CHECK_EQ(profile_weighed(""), 0);
	CHECK(!strstr(run_out, "\n 2.3: _Z4loadv:"));
	called = count_of("\n 2.3: ");
	inlined = count_of("\n 2: ");
	CHECK(inlined && called > inlined);
	CHECK_EQ(count_of(" _Z4loadv:"), called);
	/* 4 bytes of the copy, 4 and 2 of the function */
	CHECK_EQ(count_of("\n_Z4loadv:"), 4 * inlined + 6 * (called - inlined));
	CHECK_EQ(strtoul(strchr(strstr(run_out, "\n_Z4loadv:") + 10, ':') + 1, NULL, 10), called);
}

TEST(what_clang_inlined_for_an_indirect_call_was_entered_and_returned)
{
	unsigned long called;
	const char *load;
	char line[64];

	profile_promoted(12, true);
	CHECK_EQ(profile_weighed(""), 0);
	called = count_of("\n 2.3: ");
	CHECK(called);
	load = strstr(run_out, "\n_Z4loadv:");
	CHECK(load);
	snprintf(line, sizeof(line), "\n 1: %lu\n", called);
	CHECK(strstr(load, line));
	snprintf(line, sizeof(line), "\n 3: %lu\n", called);
	CHECK(strstr(load, line));
}

TEST(what_is_inlined_where_no_indirect_call_is_stays_there)
{
	profile_promoted(13, true);
	CHECK_EQ(profile_weighed(""), 0);
	check_inlined("\n 3.3: _Z4loadv:");
	profile_promoted(12, false);
	CHECK_EQ(profile_weighed(""), 0);
	check_inlined("\n 2.3: _Z4loadv:");
	/* llvm-profgen always has it there. */
	profile_promoted(12, true);
	CHECK_EQ(profile(""), 0);
	check_inlined("\n 2.3: _Z4loadv:");
}

/*
 * main calls load's part, into which inner's was inlined. The debug information of clang 19 has
 * the coroutine's name for a part, and that of clang 22 the symbol's.
 */
static void profile_coroutine(const char *load, const char *inner_part)
{
	uint32_t inner;

	begin_unit();
	inner = dwb_abstract(&debug, inner_part, 20);
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_function(&debug, "load", load, 30, AT(0x12), 6);
	dwb_inlined(&debug, inner, AT(0x16), 2, 33, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x06), 12, 0);
	dwb_row(&debug, AT(0x0a), 13, 0);
	dwb_row(&debug, AT(0x12), 31, 0);
	dwb_row(&debug, AT(0x16), 21, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	elf.symbols[1].name = "_Z4loadv.resume";
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile("-f llvm"), 0);
}

TEST(a_part_of_a_coroutine_counts_as_the_coroutine)
{
	profile_coroutine("_Z4loadv.resume", "inner.destroy");
	CHECK(strstr(run_out, " 2: 1\n"));
	CHECK(strstr(run_out, "\n_Z4loadv:4:0\n 1: 1\n"));
	CHECK(strstr(run_out, "\ninner:2:0\n 1: 1\n"));
	profile_coroutine("_Z4loadv", "inner");
	CHECK(strstr(run_out, " 2: 1\n"));
	CHECK(strstr(run_out, "\n_Z4loadv:6:0\n 1: 1\n 3: inner:2\n"));
}

/* The call that was there when clang read the profile: load has it, and inner's part counts for inner. */
static void check_resumed(void)
{
	char name[64], line[128];
	unsigned long count;

	CHECK_EQ(profile_weighed("-f llvm"), 0);
	snprintf(name, sizeof(name), " [unknown+%#x]:", AT(0x16));
	count = count_of(name);
	CHECK(count);
	snprintf(line, sizeof(line), "\n 3: %lu%s%lu\n", count, name, count);
	CHECK(strstr(run_out, line));
	CHECK(strstr(run_out, "\ninner:"));
	CHECK_EQ(count_of("\ninner:"), 2 * count);
	CHECK_EQ(count_of(":0\n 1: "), count);
}

TEST(where_a_part_of_a_coroutine_was_inlined_its_call_has_a_target)
{
	/* clang 22 */
	profile_coroutine("_Z4loadv.resume", "inner.destroy");
	CHECK(!strstr(run_out, "unknown"));
	check_resumed();
	/* clang looks only into functions that have a total: 4 bytes of its own, and 2 of the call. */
	CHECK_EQ(count_of("\n_Z4loadv:"), 6 * count_of(":0\n 1: "));
	/* clang 19 */
	profile_coroutine("_ZNKSt16coroutine_handleIvE6resumeEv", "inner");
	CHECK(strstr(run_out, "\n 3: inner:2\n"));
	check_resumed();
	profile_coroutine("_ZNKSt16coroutine_handleIvE7destroyEv", "inner");
	check_resumed();
	/* What else is inlined there is a part of it. */
	profile_coroutine("_ZNKSt16coroutine_handleIvE6resumeEv", "_ZNKSt16coroutine_handleIvE4doneEv");
	CHECK_EQ(profile_weighed("-f llvm"), 0);
	CHECK(strstr(run_out, "\n 3: _ZNKSt16coroutine_handleIvE4doneEv:"));
	CHECK(!strstr(run_out, "unknown"));
}

/*
 * GCC names methods of an unnamed namespace "run" all alike, and links them by other names:
 * one that was inlined and is there, too, and one that is called.
 */
TEST(methods_of_one_name_are_told_apart_by_their_symbols)
{
	uint32_t run_a, run_b;

	begin_unit();
	run_a = dwb_abstract(&debug, "run", 20);
	run_b = dwb_abstract(&debug, "run", 40);
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x0a);
	dwb_leave(&debug);
	dwb_copy(&debug, run_a, AT(0x0a), 8);
	dwb_inlined(&debug, run_b, AT(0x0e), 4, 22, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_copy(&debug, run_b, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x0a), 21, 0);
	dwb_row(&debug, AT(0x0e), 41, 0);
	dwb_row(&debug, AT(0x12), 41, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	elf.symbols[0].size = 0x0a;
	elf.symbols[1].name = "_ZN12_GLOBAL__N_11B3runEv.part.0";
	elf.symbols[elf.nr_symbols] = elf.symbols[1];
	elf.symbols[elf.nr_symbols].name = "_ZN12_GLOBAL__N_11A3runEv";
	elf.symbols[elf.nr_symbols].value = AT(0x0a);
	elf.symbols[elf.nr_symbols++].size = 8;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile("-f llvm"), 0);
	CHECK(strstr(run_out, "\n_ZN12_GLOBAL__N_11A3runEv:6:"));
	CHECK(strstr(run_out, "\n 2: _ZN12_GLOBAL__N_11B3runEv:2\n"));
	CHECK(strstr(run_out, "\n_ZN12_GLOBAL__N_11B3runEv:6:"));
	CHECK(!strstr(run_out, "run:"));
}

/* run, which main calls, and its cold part before it, in the order of order. */
static void profile_parts(const uint64_t order[2][2], const char *symbol)
{
	begin_unit();
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x10);
	dwb_leave(&debug);
	dwb_parts(&debug, "run", 30, order);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x06), 12, 0);
	dwb_row(&debug, AT(0x0a), 13, 0);
	dwb_row(&debug, AT(0x10), 32, 0);
	dwb_row(&debug, AT(0x12), 31, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	elf.symbols[0].name = "_ZN12_GLOBAL__N_11A3runEv.cold";
	elf.symbols[0].value = AT(0x10);
	elf.symbols[0].size = 2;
	elf.symbols[1].name = symbol;
	elf.nr_symbols = symbol ? 2 : 0;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
}

/* As GCC tells them, and as tools that sort by address do. */
static const uint64_t cold_last[2][2] = { { AT(0x12), 6 }, { AT(0x10), 2 } };
static const uint64_t cold_first[2][2] = { { AT(0x10), 2 }, { AT(0x12), 6 } };

TEST(a_function_in_two_parts_is_entered_where_its_symbol_begins)
{
	const char *symbol = "_ZN12_GLOBAL__N_11A3runEv";

	profile_parts(cold_last, symbol);
	CHECK(strstr(run_out, " 2: 1 _ZN12_GLOBAL__N_11A3runEv:1"));
	CHECK(strstr(run_out, "\n_ZN12_GLOBAL__N_11A3runEv:6:1\n 1: 1\n 2: 0\n"));
	profile_parts(cold_first, symbol);
	CHECK(strstr(run_out, " 2: 1 _ZN12_GLOBAL__N_11A3runEv:1"));
	CHECK(strstr(run_out, "\n_ZN12_GLOBAL__N_11A3runEv:6:1\n"));
}

TEST(a_function_in_two_parts_without_a_symbol_is_entered_in_the_first)
{
	profile_parts(cold_last, NULL);
	CHECK(strstr(run_out, " 2: 1 run:1"));
	CHECK(strstr(run_out, "\nrun:6:1\n"));
}

/*
 * A lambda that is inlined into main, and from 12 on code of its own if it is there. Its '[' is
 * in line 30 and its ']' in line 31. GCC (14 to 16) counts from line 30, as -fstack-usage shows,
 * begins the code with it, and gives line 31 to the class.
 */
static void profile_lambda(bool own_code)
{
	uint32_t lambda;

	begin_unit();
	lambda = dwb_lambda(&debug, 31);
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x10);
	dwb_inlined(&debug, lambda, AT(0x0a), 4, 14, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	if (own_code) {
		dwb_copy(&debug, lambda, AT(0x12), 6);
		dwb_leave(&debug);
	}
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x0a), 34, 0);
	dwb_row(&debug, AT(0x0e), 15, 0);
	dwb_row(&debug, AT(0x12), 30, 0);
	dwb_row(&debug, AT(0x12), 33, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	elf.symbols[1].name = "_ZZ4mainENKUlvE_clEv";
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
}

TEST(lines_of_a_lambda_count_from_where_it_begins)
{
	profile_lambda(true);
	CHECK(strstr(run_out, "\n_ZZ4mainENKUlvE_clEv:6:1\n 3: 1\n"));
	CHECK(strstr(run_out, "\n 4: _ZZ4mainENKUlvE_clEv:4\n  4: 1\n"));
}

TEST(lines_of_a_lambda_without_code_of_its_own_count_from_its_class)
{
	profile_lambda(false);
	CHECK(strstr(run_out, "\n 4: operator():4\n  3: 1\n"));
}

/* Two functions step in two instances of a template of D. */
TEST(functions_in_functions_of_d_are_told_apart_by_their_symbols)
{
	uint32_t of_double, of_int;

	begin();
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.d", AT(0), 0x18);
	of_double = dwb_abstract(&debug, "step", 20);
	of_int = dwb_abstract(&debug, "step", 20);
	dwb_copy(&debug, of_double, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_copy(&debug, of_int, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 21, 0);
	dwb_row(&debug, AT(0x12), 21, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	elf.symbols[0].name = "_D4work__T6bubbleTdZQkFAdZ4stepMFmZv";
	elf.symbols[1].name = "_D4work__T6bubbleTiZQkFAiZ4stepMFmZv";
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK(!strncmp(run_out, "_D4work__T6bubbleTdZQkFAdZ4stepMFmZv:16:2\n", 42));
	CHECK(strstr(run_out, "\n_D4work__T6bubbleTiZQkFAiZ4stepMFmZv:6:1\n"));
}

/* A name that C has, and not a mangled one, does not replace another. */
TEST(a_name_of_c_stays_what_the_debug_information_has)
{
	uint32_t load;

	begin_unit();
	load = dwb_abstract(&debug, "load", 20);
	dwb_copy(&debug, load, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x12), 21, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	elf.symbols[1].name = "_Dload";
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, "load:6:1\n 1: 1\n");
}

/*
 * main, which has bubble inlined from 0a on. In bubble is step, which is not inlined, and in
 * a function that the linker dropped is what was inlined there.
 */
static void begin_nested(void)
{
	uint32_t bubble, inner;

	begin_unit();
	bubble = dwb_abstract_around(&debug, "bubble", 20);
	dwb_function(&debug, "step", "step", 25, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_leave(&debug);
	inner = dwb_abstract(&debug, "inner", 50);
	dwb_function(&debug, "dropped", "dropped", 40, 0, 6);
	dwb_inlined(&debug, inner, AT(0x0e), 2, 41, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_inlined(&debug, bubble, AT(0x0a), 4, 13, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x0a), 21, 0);
	dwb_row(&debug, AT(0x0e), 14, 0);
	dwb_row(&debug, AT(0x12), 26, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
}

/* GCC tells them in the function that they were written in, also where that has no code. */
TEST(functions_in_a_function_that_is_inlined_everywhere_are_there)
{
	begin_nested();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "\nstep:6:1\n 1: 1\n"));
	CHECK(strstr(run_out, "\n 3: bubble:4\n  1: 1\n"));
	CHECK(strstr(run_out, "\n 1: 1 step:1\n 4: 2 main:2\n"));
	CHECK(!strstr(run_out, "inner"));
	CHECK(!strstr(run_err, "without debug information"));
}

/* load has no debug information; of the three straight lines, one is in it. */
static void write_half_lined(void)
{
	begin();
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(0), 0x12);
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_finish(&debug, AT(0x12));
	dwb_sections(&debug, &elf);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
}

TEST(the_share_of_the_code_without_debug_information_is_told)
{
	write_half_lined();
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_err, "           1 straight lines (33.3 %) are in code without debug information, of which the profile has nothing; build it with -g\n"));
}

/* The linker makes it. */
TEST(the_procedure_linkage_table_is_no_code_without_debug_information)
{
	write_half_lined();
	elf.extra = ".plt";
	elf.extra_addr = AT(0x12);
	elf.extra_size = 6;
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK(!strstr(run_err, "without debug information"));
}

/* A function's symbol, and the name that its debug information has. */
struct names {
	const char *symbol, *name;
};

static void write_copies(const struct names *main_, const struct names *load)
{
	begin_unit();
	dwb_function(&debug, "main", main_->name, 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_function(&debug, "load", load->name, 30, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, BASE_3 | TIMES_3 << 7);
	dwb_row(&debug, AT(0x02), 11, BASE_3);
	dwb_row(&debug, AT(0x06), 12, NONE | TIMES_3 << 1);
	dwb_row(&debug, AT(0x0a), 13, BASE_33 | TIMES_3 << 14);
	dwb_row(&debug, AT(0x0e), 14, BASE_3 | TIMES_33 << 7);
	dwb_row(&debug, AT(0x12), 31, NONE | TIMES_33 << 1);
	dwb_row(&debug, AT(0x16), 32, NONE | NONE << 1 | TIMES_3 << 2);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	elf.symbols[0].name = main_->symbol;
	elf.symbols[0].size = 0x12;
	elf.symbols[1].name = load->symbol;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
}

TEST(a_line_that_was_copied_counts_for_all_copies)
{
	write_copies(&(struct names){ "main", "main" },
		     &(struct names){ "load", "load" });
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, "main:16:2\n"
			   " 1.3: 3\n"
			   " 2: 3 load:1\n"
			   " 3.33: 3\n"
			   " 4.3: 33 main:2\n"
			   "load:6:1\n"
			   " 1: 33\n"
			   " 2: 1\n");
}

/* 00 and 02 are both of line 11, one behind the other. */
TEST(instructions_of_one_line_are_told_apart_by_their_discriminators)
{
	begin_unit();
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, BASE_3);
	dwb_row(&debug, AT(0x02), 11, 0);
	dwb_row(&debug, AT(0x06), 12, 0);
	write_unit();
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "\n 1: 1\n 1.3: 1\n"));
}

/* Debug information of main, from line 10 on, and of what is behind it. */
static void begin_main_and(const char *name, unsigned int line)
{
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(0), 0x18);
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_function(&debug, name, name, line, AT(0x12), 6);
	dwb_leave(&debug);
}

/* Where LLVM left its variable, a discriminator is one number and tells no copies. */
TEST(flow_sensitive_discriminators_stay_whole)
{
	static const char want[] = "main:16:2\n"
				   " 1.1542: 1\n"
				   " 2: 1 load:1\n"
				   " 3.4026531847: 1\n"
				   " 4: 2 main:2\n"
				   "load:6:1\n"
				   " 1: 1\n"
				   " 2.3: 1\n";
	const char *dir = test_tmpdir();

	begin();
	begin_main_and("load", 30);
	dwb_row(&debug, AT(0x00), 11, 0x606);
	dwb_row(&debug, AT(0x06), 12, 0);
	/* More bits than libdw keeps. */
	dwb_row(&debug, AT(0x0a), 13, 0xf0000007);
	dwb_row(&debug, AT(0x0e), 14, 0);
	dwb_row(&debug, AT(0x12), 31, 0);
	dwb_row(&debug, AT(0x16), 32, 3);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	elf.symbols[elf.nr_symbols++] = (struct elfb_symbol){
		"__llvm_fs_discriminator__", AT(0x18), 1,
		ELF64_ST_INFO(STB_WEAK, STT_OBJECT)
	};
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, want);
	CHECK_EQ(profile("-f llvm-ext"), 0);
	CHECK_EQ(run("%s show --sample --show-sec-info-only %s/out",
		     find_tool("llvm-profdata"), dir), 0);
	CHECK(strstr(run_out, "Flags: {fs-discriminator}\n"));
	CHECK_EQ(run("%s merge --sample --text %s/out -o -",
		     find_tool("llvm-profdata"), dir), 0);
	CHECK_STR(run_out, want);
	/* To GCC it says nothing. */
	CHECK_EQ(profile("-f gcov"), 0);
}

/* The suffixes are those of clang's ThinLTO and -funique-internal-linkage-names. */
TEST(llvm_profgen_makes_the_same_of_the_same_counts)
{
	static const struct names names[][2] = {
		{ { "main", "main" }, { "load", "load" } },
		{ { "main.llvm.123", "main" }, { "load.llvm.4", "load" } },
		{ { "main.__uniq.5", "main.__uniq.5" },
		  { "load.__uniq.5.llvm.6", "load.__uniq.5" } },
	};
	const char *dir = test_tmpdir(), *profgen = find_tool("llvm-profgen");
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		write_copies(&names[i][0], &names[i][1]);
		CHECK_EQ(run("cd %s && ssctr profile --raw -b x -f llvm,profgen -o ours && "
			     "%s --format=text --binary=x --unsymbolized-profile=ours.profgen "
			     "-o theirs && cmp ours.llvm theirs", dir, profgen),
			 0);
	}
}

/* What LLVM's reader wants, byte by byte. */
TEST(extbinary_is_laid_out_as_its_readers_want_it)
{
	static const uint8_t start[] = {
		/* "SPROF42", 4 and the version 103, as ULEB128 */
		0x84, 0xe4, 0xd0, 0xb1, 0xf4, 0xc9, 0x94, 0xa8, 0x53, 0x67,
		4, 0, 0, 0, 0, 0, 0, 0,
		1, 0, 0, 0, 0, 0, 0, 0, /* the summary, without flags */
	};
	static const uint8_t names[] = "\3_Z4loadv\0inner\0main";
	FILE *file;
	char path[512];
	uint8_t p[1024];
	uint64_t at, size;

	begin_debug();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile("-f llvm-ext"), 0);
	snprintf(path, sizeof(path), "%s/out", test_tmpdir());
	file = fopen(path, "r");
	CHECK(file && fread(p, 1, sizeof(p), file) > 200);
	fclose(file);
	CHECK(!memcmp(p, start, sizeof(start)));
	memcpy(&at, p + 34, 8);
	CHECK_EQ(at, 18 + 4 * 32);
	/* The sum of counts, the largest, the largest head; 7 lines, 2 functions. */
	CHECK(!memcmp(p + at, "\7\2\2\7\2\20", 6));
	memcpy(&at, p + 18 + 32 + 16, 8);
	memcpy(&size, p + 18 + 32 + 24, 8);
	CHECK_EQ(size, sizeof(names));
	CHECK(!memcmp(p + at, names, size));
}

/* The functions that `text` has, number by number; names by their place in the table. */
TEST(extbinary_has_the_functions_of_the_text)
{
	static const uint8_t main_[] = {
		2, 2, 16,	/* head, name, total */
		5, 1, 0, 1, 0,	/* lines: offset, discriminator, count, targets */
		2, 2, 1, 0,
		2, 3, 1, 1, 0, 1,
		4, 0, 2, 1, 2, 2,
		5, 0, 0, 0,
		1, 3, 1,	/* inlined functions: from where, */
		1, 4, 1, 1, 0, 1, 0, 0,	/* and what */
	};
	static const uint8_t load[] = { 1, 0, 6, 1, 1, 0, 1, 0, 0 };
	static const uint8_t offsets[] = { 2, 2, 0, 0, sizeof(main_) };
	uint64_t at, size;
	char path[512];
	uint8_t p[1024];
	FILE *file;

	begin_debug();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile("-f llvm-ext"), 0);
	snprintf(path, sizeof(path), "%s/out", test_tmpdir());
	file = fopen(path, "r");
	CHECK(file && fread(p, 1, sizeof(p), file) > 200);
	fclose(file);
	memcpy(&at, p + 18 + 3 * 32 + 16, 8);
	memcpy(&size, p + 18 + 3 * 32 + 24, 8);
	CHECK_EQ(size, sizeof(main_) + sizeof(load));
	CHECK(!memcmp(p + at, main_, sizeof(main_)));
	CHECK(!memcmp(p + at + sizeof(main_), load, sizeof(load)));
	memcpy(&at, p + 18 + 2 * 32 + 16, 8);
	memcpy(&size, p + 18 + 2 * 32 + 24, 8);
	CHECK_EQ(size, sizeof(offsets));
	CHECK(!memcmp(p + at, offsets, size));
}

/* Else clang would cut the suffix off its own names, and find none of them. */
TEST(extbinary_says_that_names_have_unique_suffixes)
{
	uint64_t flags;
	char path[512];
	FILE *file;

	write_one_function("main", "main.__uniq.7", 10, 0x18);
	CHECK_EQ(profile("-f llvm-ext"), 0);
	snprintf(path, sizeof(path), "%s/out", test_tmpdir());
	file = fopen(path, "r");
	CHECK(file && !fseek(file, 18 + 32 + 8, SEEK_SET) &&
	      fread(&flags, 8, 1, file) == 1);
	fclose(file);
	CHECK_EQ(flags, UINT64_C(4) << 32);
}

/* Deeper than any compiler inlines: damaged debug information must end somewhere. */
TEST(functions_are_inlined_200_deep_and_no_deeper)
{
	uint32_t parts[204];
	unsigned int i;
	char name[8];

	begin();
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(0), 0x12);
	for (i = 0; i < 204; i++) {
		snprintf(name, sizeof(name), "f%u", i + 1);
		parts[i] = dwb_abstract(&debug, name, 10);
	}
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	for (i = 0; i < 204; i++)
		dwb_inlined(&debug, parts[i], AT(0x00), 0x12, 11, 0);
	for (i = 0; i < 205; i++)
		dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_finish(&debug, AT(0x12));
	dwb_sections(&debug, &elf);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, " f200:"));
	CHECK(!strstr(run_out, "f201"));
}

/* A program of many functions, of which each ends where what was inlined in it does. */
TEST(functions_that_end_with_what_was_inlined_may_be_many)
{
	begin_debug_behind(205, 13);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, text);
}

/* All of the code is line 11 of main(), which is told `times`. */
static void begin_mains(unsigned int times)
{
	begin();
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.c", AT(0), 0x12);
	while (times--) {
		dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
		dwb_leave(&debug);
	}
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_finish(&debug, AT(0x12));
	dwb_sections(&debug, &elf);
}

/* The last one that is told has the code; where too many overlap, some other. */
TEST(functions_that_overlap_do_no_harm)
{
	begin_mains(300);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK(!strncmp(run_out, "main:", 5));
}

/* --- AFDO, as the readers of GCC 14 and GCC 16 take it --- */

static struct pdb_buf want;

static void want_string(const char *s)
{
	pdb_u32(&want, strlen(s) + 1);
	pdb_put(&want, s, strlen(s) + 1);
}

static void put_words(struct pdb_buf *buf, unsigned int nr, const uint32_t *v)
{
	while (nr--)
		pdb_u32(buf, *v++);
}

#define WANT(...)                                                              \
	put_words(&want, sizeof((uint32_t[]){ __VA_ARGS__ }) / 4,               \
		   (uint32_t[]){ __VA_ARGS__ })

/* A line without targets of calls: offset, discriminator, count. */
static void want_line(uint32_t offset, uint32_t discriminator, uint64_t count)
{
	WANT(offset << 16 | discriminator, 0);
	pdb_u64(&want, count);
}

static void want_functions(bool times)
{
	const uint32_t inner = 2, main_ = 3, load = 1;

	WANT(0xac000000, 0, 2);
	pdb_u64(&want, 2); /* main was entered twice */
	if (times)
		pdb_u64(&want, 0);
	WANT(main_, 5, 1);
	want_line(1, 0, 1);
	want_line(2, 4, 1);
	want_line(2, 6, 1); /* a direct call tells its target itself */
	want_line(4, 0, 2);
	want_line(5, 0, 1); /* 0 would be never */
	WANT(3 << 16 | 2, inner, 1, 0);
	want_line(1, 0, 1);
	pdb_u64(&want, 1);
	if (times)
		pdb_u64(&want, 0);
	WANT(load, 1, 0);
	want_line(1, 0, 1);
	WANT(0xae000000, 0, 0);
}

static void check_file(int line)
{
	static uint8_t got[4096];
	char path[512];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/out", test_tmpdir());
	file = fopen(path, "r");
	CHECK(file);
	n = fread(got, 1, sizeof(got), file);
	fclose(file);
	if (n != want.n || memcmp(got, want.p, n)) {
		size_t i = 0;

		while (i < n && i < want.n && got[i] == want.p[i])
			i++;
		test_fail(__FILE__, line, "%zu bytes, not %zu; byte %zu differs",
			  n, want.n, i);
	}
	free(want.p);
	want = (struct pdb_buf){ 0 };
}

TEST(gcov_2_is_what_gcc_14_reads)
{
	begin_debug();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile("-f gcov"), 0);
	WANT(0x67636461, 2, 0, 0xaa000000, 0, 4);
	want_string("*");
	want_string("_Z4loadv");
	want_string("inner");
	want_string("main");
	want_functions(false);
	check_file(__LINE__);
}

/*
 * As GCC's -fpatchable-function-entry makes it for the kernel's ftrace. The second stack begins where
 * ftrace returned to, so that this is no more entry of main.
 */
static void write_behind_a_nop(void)
{
	static const uint64_t traced[][3] = {
		{ MAP_AT + 0x06, MAP_AT + 0x12, PERF_BR_CALL << 20 },
		{ MAP_AT + 0x100000, MAP_AT + 0x02, PERF_BR_RET << 20 },
	};
	static uint16_t with_nop[sizeof(code) / 2];

	begin_unit();
	memcpy(with_nop, code, sizeof(code));
	with_nop[0] = code[8];
	elf.code = with_nop;
	dwb_function(&debug, "main", "main", 10, AT(0x02), 0x10);
	dwb_leave(&debug);
	dwb_function(&debug, "load", "_Z4loadv", 30, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x02), 12, 0);
	dwb_row(&debug, AT(0x12), 31, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	add_sample(5, 2, MAP_AT + 0x12, 2, traced);
	write_all();
}

TEST(a_function_behind_nops_is_entered_at_its_symbol)
{
	write_behind_a_nop();
	CHECK_EQ(profile("-f gcov"), 0);
	CHECK(!strstr(run_err, "without debug information"));
	WANT(0x67636461, 2, 0, 0xaa000000, 0, 3);
	want_string("*");
	want_string("_Z4loadv");
	want_string("main");
	WANT(0xac000000, 0, 2);
	pdb_u64(&want, 2);
	WANT(2, 1, 0);
	want_line(2, 0, 2);
	pdb_u64(&want, 2);
	WANT(1, 1, 0);
	want_line(1, 0, 1);
	WANT(0xae000000, 0, 0);
	check_file(__LINE__);
}

/* It counts as entry where ftrace returned to. */
TEST(with_raw_a_function_behind_nops_has_the_entries_of_llvm_profgen)
{
	write_behind_a_nop();
	CHECK_EQ(profile("-f llvm"), 0);
	CHECK(strstr(run_out, "main:22:1\n 2: 2 _Z4loadv:2\n"));
	CHECK(!strstr(run_err, "without debug information"));
	CHECK_EQ(run("cd %s && ssctr profile -b x -o p && grep ^main: p", test_tmpdir()), 0);
	CHECK(!strstr(run_out, ":0\n"));
}

TEST(gcov_3_has_a_summary_and_files)
{
	static const struct { uint32_t share, min, nr; } cuts[16] = {
		/* Of 2, 1, 1, 1, 1, 1 and 0, which are 7 in all. */
		{ 10000, 0, 0 },  { 100000, 0, 0 }, { 200000, 2, 1 },
		{ 300000, 2, 1 }, { 400000, 2, 1 }, { 500000, 1, 6 },
		{ 600000, 1, 6 }, { 700000, 1, 6 }, { 800000, 1, 6 },
		{ 900000, 1, 6 }, { 950000, 1, 6 }, { 990000, 1, 6 },
		{ 999000, 1, 6 }, { 999900, 1, 6 }, { 999990, 1, 6 },
		{ 999999, 1, 6 },
	};
	unsigned int i;

	begin_debug();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile("-f gcov --gcov-version 3"), 0);
	WANT(0x67636461, 3, 0, 0xa8000000);
	pdb_u64(&want, 7);
	pdb_u64(&want, 2);
	pdb_u64(&want, 2);
	pdb_u64(&want, 7);
	pdb_u64(&want, 2);
	pdb_u64(&want, 16);
	for (i = 0; i < 16; i++) {
		pdb_u32(&want, cuts[i].share);
		pdb_u64(&want, cuts[i].min);
		pdb_u64(&want, cuts[i].nr);
	}
	WANT(0xaa000000, 0, 1);
	want_string("/src/x.c");
	WANT(4);
	want_string("*");
	WANT(UINT32_MAX);
	want_string("_Z4loadv");
	WANT(0);
	want_string("inner");
	WANT(UINT32_MAX); /* its file is not told */
	want_string("main");
	WANT(0);
	want_functions(true);
	check_file(__LINE__);
}

/* The debug information of load, with this linkage name, and of away. */
static void tell_load_and_away(const char *load)
{
	dwb_begin(&debug, "/src/x.c", AT(0), 0x1c);
	dwb_function(&debug, "load", load, 30, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_function(&debug, "away", "away", 40, AT(0x18), 4);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x12), 31, 0);
	dwb_row(&debug, AT(0x18), 41, 0);
	dwb_finish(&debug, AT(0x1c));
	dwb_sections(&debug, &elf);
}

TEST(gcov_has_only_targets_that_the_code_does_not_tell)
{
	static const uint64_t away[][3] = {
		{ MAP_AT + 0x16, MAP_AT + 0x0a, 0 },
		{ MAP_AT + 0x18, MAP_AT + 0x12, 0 }, /* jalr */
		{ MAP_AT + 0x0e, MAP_AT + 0x18, 0 },
	};

	begin_debug();
	dwb_free(&debug);
	tell_load_and_away("load");
	add_sample(5, 1, MAP_AT + 0x02, 3, away);
	write_all();
	CHECK_EQ(profile("-f gcov"), 0);
	WANT(0x67636461, 2, 0, 0xaa000000, 0, 3);
	want_string("*");
	want_string("away");
	want_string("load");
	WANT(0xac000000, 0, 2);
	pdb_u64(&want, 1);
	WANT(2, 1, 0);
	want_line(1, 0, 1);
	pdb_u64(&want, 1);
	WANT(1, 1, 0, 1 << 16, 1);
	pdb_u64(&want, 1);
	WANT(0);
	pdb_u64(&want, 2);
	pdb_u64(&want, 1);
	WANT(0xae000000, 0, 0);
	check_file(__LINE__);
}

/*
 * away, which has one indirect jump (18), enters load, what has a symbol alone, and what is in
 * no file.
 */
static const uint64_t to_three[][3] = {
	{ MAP_AT + 0x16, MAP_AT + 0x18, 0 },
	{ MAP_AT + 0x18, MAP_AT + 0x12, 0 },
	{ 0x7000, MAP_AT + 0x18, 0 },
	{ MAP_AT + 0x18, 0x7000, 0 },
	{ MAP_AT + 0x0e, MAP_AT + 0x18, 0 },
	{ MAP_AT + 0x18, MAP_AT + 0x0a, 0 },
};

/* load and away, with lines; what is entered at 12 and at 0a has these symbols. */
static void begin_away(const char *load, const char *lineless)
{
	begin();
	elf.symbols[0].size = 0x0a;
	elf.symbols[1].name = load;
	add_function(lineless, 0x0a, 6);
	debug = (struct dwb){ 0 };
	tell_load_and_away("_Z4loadv");
	add_sample(5, 1, MAP_AT + 0x18, 6, to_three);
	write_all();
}

static void want_away(uint32_t away, uint32_t load, const uint32_t targets[3])
{
	unsigned int i;

	WANT(0xac000000, 0, 2);
	pdb_u64(&want, 3); /* what comes back comes to its first instruction */
	WANT(away, 1, 0, 1 << 16, 3);
	pdb_u64(&want, 3);
	for (i = 0; i < 3; i++) {
		WANT(0, targets[i], 0);
		pdb_u64(&want, 1);
	}
	pdb_u64(&want, 1);
	WANT(load, 1, 0);
	want_line(1, 0, 1);
	WANT(0xae000000, 0, 0);
}

TEST(gcov_has_targets_without_lines)
{
	const uint32_t unknown = 1, load = 2, away = 3, lineless = 4;

	begin_away("_Z4loadv", "lineless");
	CHECK_EQ(profile("-f gcov"), 0);
	WANT(0x67636461, 2, 0, 0xaa000000, 0, 5);
	want_string("*");
	want_string("[unknown]");
	want_string("_Z4loadv");
	want_string("away");
	want_string("lineless");
	want_away(away, load, (const uint32_t[]){ unknown, load, lineless });
	check_file(__LINE__);
}

/* A virtual table has the thunk's address, and GCC asks whether it is in the profile. */
TEST(gcov_has_thunks_as_targets_and_their_functions_as_entered)
{
	const uint32_t unknown = 1, load = 2, thunk = 3, away = 4, lineless = 5;

	begin_away("_ZThn16_4loadv", "lineless");
	CHECK_EQ(profile("-f gcov"), 0);
	WANT(0x67636461, 2, 0, 0xaa000000, 0, 6);
	want_string("*");
	want_string("[unknown]");
	want_string("_Z4loadv");
	want_string("_ZThn16_4loadv");
	want_string("away");
	want_string("lineless");
	want_away(away, load, (const uint32_t[]){ unknown, thunk, lineless });
	check_file(__LINE__);
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, " _Z4loadv:1\n"));
}

TEST(llvm_has_targets_without_lines_where_llvm_profgen_need_not_be_matched)
{
	char name[64];

	begin_away("_Z4loadv", "lineless");
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "\n 1: 2 _Z4loadv:1\n"));
	CHECK_EQ(profile_weighed(""), 0);
	CHECK(count_of(" [unknown]:") && count_of(" lineless:") && count_of(" _Z4loadv:"));
	CHECK_EQ(count_of("\n 1: "), count_of(" [unknown]:") + count_of(" lineless:") +
					     count_of(" _Z4loadv:"));
	CHECK(!strstr(run_out, "\nlineless:"));
	CHECK_EQ(run("cd %s && ssctr profile --all --symfs . -o all && cat all/x.llvm",
		     test_tmpdir()), 0);
	CHECK(count_of(" [unknown]:"));
	/* The coroutine is another function, whose name LLVM does not have yet. */
	begin_away("_Z4loadv", "lineless.resume");
	CHECK_EQ(profile_weighed(""), 0);
	CHECK(!strstr(run_out, "lineless"));
	snprintf(name, sizeof(name), " [unknown+%#x]:", AT(0x0a));
	CHECK(count_of(name));
	CHECK_EQ(count_of("\n 1: "),
		 count_of(" [unknown]:") + count_of(name) + count_of(" _Z4loadv:"));
}

/* The jump of away leads to load most often, but all that is elsewhere together outweighs it. */
static void begin_libraries(void)
{
	static const uint64_t at[] = { 0x600010, 0x600020, 0x610010, 0x620000, 0x620000 + 8,
				       MAP_AT + 0x12, MAP_AT + 0x12 };
	uint64_t stack[2 * NR(at)][3];
	unsigned int i;

	begin();
	elf.symbols[0].size = 0x0a;
	elf.symbols[1].name = "_Z4loadv";
	debug = (struct dwb){ 0 };
	tell_load_and_away("_Z4loadv");
	pdb_mmap2(&rec, 5, 0x600000, 0x1000, 0x4000, "/usr/lib/lib one.so.1", 1);
	pdb_mmap2(&rec, 5, 0x610000, 0x1000, 0x4000, "/usr/lib/ld:2.so", 1);
	for (i = 0; i < NR(at); i++) {
		const bool inside = at[i] == MAP_AT + 0x12;

		stack[2 * i][0] = inside ? MAP_AT + 0x16 : at[i];
		stack[2 * i][1] = MAP_AT + 0x18;
		stack[2 * i][2] = 0;
		stack[2 * i + 1][0] = MAP_AT + 0x18;
		stack[2 * i + 1][1] = at[i];
		stack[2 * i + 1][2] = 0;
	}
	add_sample(5, 1, MAP_AT + 0x18, NR(stack), stack);
	write_all();
}

TEST(targets_in_other_binaries_are_told_apart)
{
	/* What is mapped nowhere has no place that another run would have. */
	static const char *names[] = { "lib_one.so.1+0x4010", "lib_one.so.1+0x4020",
				       "ld_2.so+0x4010" };
	unsigned long sum;
	char name[64];
	unsigned int i;

	begin_libraries();
	CHECK_EQ(profile_weighed(""), 0);
	sum = count_of(" _Z4loadv:") + count_of(" [unknown]:");
	for (i = 0; i < NR(names); i++) {
		snprintf(name, sizeof(name), " [%s]:", names[i]);
		CHECK(count_of(name));
		CHECK(count_of(name) < count_of(" _Z4loadv:"));
		sum += count_of(name);
	}
	CHECK_EQ(count_of("\n 1: "), sum);
	CHECK_EQ(run("cd %s && %s merge --sample --text out -o read && cmp out read",
		     test_tmpdir(), find_tool("llvm-profdata")), 0);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(profile_weighed(i ? "-f gcov --gcov-version 3" : "-f gcov"), 0);
		CHECK_EQ(run("grep -ac 'lib_one.so.1+0x4010' %s/out", test_tmpdir()), 0);
	}
}

TEST(llvm_profdata_reads_targets_that_are_not_known)
{
	begin_away("_Z4loadv", "lineless");
	CHECK_EQ(profile_weighed(""), 0);
	CHECK(count_of(" [unknown]:"));
	CHECK_EQ(run("cd %s && %s merge --sample --text out -o read && cmp out read",
		     test_tmpdir(), find_tool("llvm-profdata")), 0);
}

/*
 * At one place GCC may have several calls: here one of load() and one of main(), which ran
 * once and twice. LLVM tells them apart, or else takes them for one that calls both.
 */
TEST(gcov_takes_several_calls_of_a_line_for_several)
{
	begin();
	begin_main_and("load", 30);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x06), 12, 0);
	dwb_row(&debug, AT(0x12), 31, 0);
	write_unit();
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "\n 2: 3 main:2 load:1\n"));
	CHECK_EQ(profile("-f gcov"), 0);
	WANT(0x67636461, 2, 0, 0xaa000000, 0, 3);
	want_string("*");
	want_string("load");
	want_string("main");
	WANT(0xac000000, 0, 2);
	pdb_u64(&want, 2);
	WANT(2, 2, 0);
	want_line(1, 0, 1);
	want_line(2, 0, 2);
	pdb_u64(&want, 1);
	WANT(1, 1, 0);
	want_line(1, 0, 1);
	WANT(0xae000000, 0, 0);
	check_file(__LINE__);
}

/* GCC would take a function that was never entered for one that never runs. */
TEST(gcov_has_no_function_that_was_never_entered)
{
	begin_mains(1);
	add_sample(5, 1, MAP_AT + 0x02, 2, part);
	write_all();
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "main:8:0\n"));
	CHECK_EQ(profile("-f gcov"), 0);
	WANT(0x67636461, 2, 0, 0xaa000000, 0, 2);
	want_string("*");
	want_string("main");
	WANT(0xac000000, 0, 1);
	pdb_u64(&want, 1);
	WANT(1, 1, 0);
	want_line(1, 0, 1);
	WANT(0xae000000, 0, 0);
	check_file(__LINE__);
}

/* GCC 14 and 15 would take its loops for code that never runs, and guess if it is not there. */
TEST(gcov_2_has_no_function_without_lines)
{
	begin_thunk("_ZThn16_4loadv", 30, 0);
	CHECK_EQ(profile("-f gcov"), 0);
	WANT(0x67636461, 2, 0, 0xaa000000, 0, 4);
	want_string("*");
	want_string("_Z4loadv");
	want_string("_ZThn16_4loadv");
	want_string("main");
	WANT(0xac000000, 0, 1);
	pdb_u64(&want, 2);
	WANT(3, 1, 0);
	want_line(1, 0, 2);
	WANT(0xae000000, 0, 0);
	check_file(__LINE__);
}

/* 02 and 06 ran, of 4 bytes each. */
static const uint64_t around[][3] = {
	{ MAP_AT + 0x06, MAP_AT + 0x12, 0 },
	{ MAP_AT + 0x0e, MAP_AT + 0x02, 0 },
};

/* main, inlined into main by a call at the line where it is declared. */
static void write_main_in_main(unsigned int column)
{
	uint32_t part;

	begin_unit();
	part = dwb_abstract(&debug, "main", 10);
	dwb_function(&debug, "main", "main", 10, AT(0x00), 0x12);
	dwb_inlined_at(&debug, part, AT(0x06), 8, 10, column, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x06), 12, 0);
	dwb_row(&debug, AT(0x0e), 13, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	add_sample(5, 1, MAP_AT + 0x02, 2, around);
	write_all();
}

/* As GCC says it: the function calls itself from its own name. */
TEST(a_part_that_was_split_off_and_inlined_again_is_a_part_of_its_function)
{
	write_main_in_main(DWB_COLUMN);
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, "main:8:0\n 1: 1\n 2: 1\n 3: 0\n");
}

TEST(a_function_that_calls_itself_on_its_first_line_is_inlined)
{
	write_main_in_main(DWB_COLUMN + 1);
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "\n 0: main:"));
}

/* load was split off main, and has its name in the debug information. */
static void add_part(const char *symbol, const char *name)
{
	begin_main_and(name, 10);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x12), 12, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	elf.symbols[1].name = symbol;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
}

static void begin_part(const char *symbol, const char *name)
{
	begin();
	add_part(symbol, name);
}

TEST(to_come_to_a_part_that_was_split_off_is_not_to_enter_the_function)
{
	begin_part("main.part.0", "main");
	CHECK_EQ(profile(""), 0);
	CHECK(!strncmp(run_out, "main:", 5));
	CHECK(strstr(run_out, ":2\n 1: "));
	CHECK(!strstr(run_out, "main:3"));
	begin_part("main", "main");
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, ":3\n 1: "));
}

/* The linker has kept one of two functions that are alike. */
TEST(a_part_that_is_a_function_as_well_is_entered)
{
	begin();
	elf.symbols[elf.nr_symbols] = elf.symbols[1];
	elf.symbols[elf.nr_symbols++].name = "a_long_name_of_a_function";
	elf.symbols[1].info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
	add_part("main.part.0", "main");
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, ":3\n 1: "));
}

TEST(names_are_those_by_which_the_compiler_looks_them_up)
{
	begin_part("load", "main.llvm.1234");
	CHECK_EQ(profile(""), 0);
	CHECK(!strstr(run_out, "llvm"));
	CHECK(strstr(run_out, ":3\n 1: "));
	begin_part("load", "main.isra.0");
	CHECK_EQ(profile(""), 0);
	CHECK(strstr(run_out, "\nmain.isra.0:6:1\n"));
	CHECK_EQ(run("ssctr profile -i %s/perf.data -b %s/x -f gcov -o - | "
		     "grep -c isra", test_tmpdir(), test_tmpdir()), 1);
}

/* Of the three straight lines one is in the second function, and two are in the first. */
static int profile_alike(const char *second_file, unsigned int second_line, const char *options)
{
	begin();
	debug = (struct dwb){ .second = second_file };
	dwb_begin(&debug, "/src/a/x.h", AT(0), 0x18);
	dwb_function_of(&debug, 1, "step", "_Z4stepv", 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_function_of(&debug, 2, "step", "_Z4stepv", second_line, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	write_unit();
	return profile(options);
}

TEST(functions_of_one_name_in_different_files_are_told)
{
	static const char what[] =
		"           1 straight lines (33.3 %) are in functions that have the name of a hotter function in another file, and count together with it: 1 such name, _Z4stepv in /src/a/x.h and in /src/";

	CHECK_EQ(profile_alike("/src/a/y.h", 10, ""), 0);
	CHECK(strstr(run_err, what));
	CHECK(strstr(run_err, "/src/a/y.h; build it with clang's -funique-internal-linkage-names\n"));
	CHECK_EQ(profile_alike("/src/b/x.h", 20, "-f gcov >/dev/null"), 0);
	CHECK(strstr(run_err, what));
	CHECK(strstr(run_err, "/src/b/x.h; give them different names\n"));
}

/* As a static function of a header is in each file that includes it. */
TEST(copies_of_a_function_are_no_functions_of_one_name)
{
	CHECK_EQ(profile_alike("/src/a/x.h", 10, ""), 0);
	CHECK(!strstr(run_err, "hotter"));
	CHECK_EQ(profile_alike("/src/c/../a/x.h", 10, ""), 0);
	CHECK(!strstr(run_err, "hotter"));
}

TEST(a_program_without_debug_information_is_told_which_flag)
{
	begin();
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, "/x: no debug information"));
	CHECK(strstr(run_err, "build it with -g"));
	CHECK_EQ(run("ls %s/out", test_tmpdir()), 2);
}

TEST(debug_information_that_is_compressed_in_an_unknown_form_is_told)
{
	begin_debug();
	elf.form = 99;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, "/x: the debug information is compressed in a form that ssctr does not know (ch_type 99); unpack it with objcopy --decompress-debug-sections\n"));
}

TEST(debug_information_of_other_parts_is_told)
{
	begin_debug();
	dwb_free(&debug);
	dwb_begin(&debug, "/src/x.c", AT(0x10), 2);
	dwb_finish(&debug, AT(0x12));
	dwb_sections(&debug, &elf);
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, "no debug information of the code that ran"));
}

/* --- calls, as Go's compiler reads them --- */

/* By the schema of pprof: "call CALLER+LINES CALLEE COUNT", in order. */
static void check_calls(int line, const char *calls)
{
	const int status = run("python3 tools/tests/export.py check pprof %s/out >%s/said",
			       test_tmpdir(), test_tmpdir());

	if (status == 77 || status == 127)
		test_skip("there is no protoc, no python3-protobuf or no schema here");
	if (status)
		test_fail(__FILE__, line, "%s", run_err);
	CHECK_EQ(run("LC_ALL=C grep -E '^(call|types|units)' %s/said | LC_ALL=C sort",
		     test_tmpdir()), 0);
	if (strncmp(run_out, calls, strlen(calls)) ||
	    strcmp(run_out + strlen(calls), "types samples\nunits count\n"))
		test_fail(__FILE__, line, "%s", run_out);
}

static void profile_calls(int line, const char *calls)
{
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(run("ssctr profile --raw -i %s/perf.data -b %s/x -o %s/out -f go",
		     test_tmpdir(), test_tmpdir(), test_tmpdir()), 0);
	check_calls(line, calls);
}

/* To return to the first instruction of a function is not to call it. */
TEST(go_has_calls_by_the_line_in_their_function_and_inlined_ones)
{
	begin_debug();
	profile_calls(__LINE__, "call main+2 _Z4loadv 1\ncall main+3 inner 1\n");
}

/* main calls inner, which calls load: the call of load is inner's. */
TEST(a_call_in_an_inlined_function_is_that_function_s)
{
	uint32_t inner;

	begin();
	debug = (struct dwb){ 0 };
	dwb_begin(&debug, "/src/x.go", AT(0), 0x18);
	inner = dwb_abstract(&debug, "main.inner", 20);
	dwb_function(&debug, "main.main", "main.main", 10, AT(0x00), 0x12);
	dwb_inlined(&debug, inner, AT(0x02), 8, 15, 0);
	dwb_leave(&debug);
	dwb_leave(&debug);
	dwb_function(&debug, "main.load", "main.load", 30, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x02), 23, 0);
	dwb_row(&debug, AT(0x0a), 12, 0);
	dwb_row(&debug, AT(0x12), 31, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	profile_calls(__LINE__, "call main.inner+3 main.load 1\ncall main.main+5 main.inner 1\n");
}

/* jalr ra, 0(t0), which RISC-V takes for a swap of coroutines. */
TEST(go_calls_by_any_register)
{
	static uint16_t by_t0[sizeof(code) / 2];

	begin_debug();
	memcpy(by_t0, code, sizeof(code));
	by_t0[3] = 0x80e7;
	by_t0[4] = 0x0002;
	elf.code = by_t0;
	profile_calls(__LINE__, "call main+2 _Z4loadv 1\ncall main+3 inner 1\n");
}

TEST(a_call_through_a_trampoline_is_of_the_function_behind_it)
{
	begin();
	begin_main_and("unknown", 30);
	dwb_free(&debug);
	dwb_begin(&debug, "/src/x.go", AT(0), 0x12);
	dwb_function(&debug, "main.main", "main.main", 10, AT(0x00), 0x12);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x00), 12, 0);
	dwb_finish(&debug, AT(0x12));
	dwb_sections(&debug, &elf);
	elf.symbols[1].name = "far.(*Away).Do-tramp0";
	profile_calls(__LINE__, "call main.main+2 far.(*Away).Do 1\n");
}

TEST(where_no_call_was_recorded_there_is_no_profile_for_go)
{
	static const uint64_t returns[][3] = {
		{ MAP_AT + 0x0e, MAP_AT + 0x00, PERF_BR_RET << 20 },
		{ MAP_AT + 0x16, MAP_AT + 0x0a, PERF_BR_RET << 20 },
	};

	begin_mains(1);
	add_sample(5, 1, MAP_AT + 0x02, 2, returns);
	write_all();
	CHECK_EQ(profile("-f go"), 1);
	CHECK(strstr(run_err, "/x: no call between two functions with debug information was recorded; record more samples\n"));
	CHECK_EQ(run("ls %s/out", test_tmpdir()), 2);
}

/*
 * The index of a .dwp file with one unit: its id, and where its part of
 * .debug_info.dwo and of .debug_abbrev.dwo is.
 */
static void index_unit(struct elfb *dwp, const struct pdb_buf *info)
{
	enum { INFO = 1, ABBREV = 3, SLOTS = 2 };
	static uint8_t bytes[128];
	struct pdb_buf buf = { 0 };

	put_words(&buf, 4, (uint32_t[]){ 2, 2, 1, SLOTS });
	pdb_u64(&buf, DWB_UNIT_ID);
	pdb_u64(&buf, 0);
	put_words(&buf, SLOTS, (uint32_t[]){ 1, 0 });
	put_words(&buf, 2, (uint32_t[]){ INFO, ABBREV });
	put_words(&buf, 2, (uint32_t[]){ 0, 0 });
	put_words(&buf, 2, (uint32_t[]){ info->n, dwp->debug[0].n });
	memcpy(bytes, buf.p, buf.n);
	dwp->cu_index = (struct elfb_bytes){ bytes, buf.n };
	free(buf.p);
}

/*
 * main, of so many bytes, is in the file name, one.dwo or x.dwp, which the program
 * names as dir/one.dwo.
 */
static void write_split_in(const char *name, const char *dir, uint64_t size)
{
	static struct dwb split;
	static struct elfb dwo;
	char path[512];

	begin();
	debug = split = (struct dwb){ 0 };
	dwo = (struct elfb){ .code = "", .code_size = 1, .dwo = true };
	dwb_begin_split(&split, "/src/one.c");
	dwb_function(&split, "main", "main", 10, AT(0x00), size);
	dwb_leave(&split);
	dwb_finish(&split, 0);
	dwb_sections(&split, &dwo);
	if (strstr(name, ".dwp"))
		index_unit(&dwo, &split.info);
	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
	CHECK(elfb_write(&dwo, path));
	dwb_free(&split);

	dwb_begin_skeleton(&debug, "/src/one.c", "one.dwo", dir, AT(0), 0x12);
	dwb_row(&debug, AT(0x00), 11, 0);
	dwb_row(&debug, AT(0x06), 12, 0);
	dwb_finish(&debug, AT(0x12));
	dwb_sections(&debug, &elf);
	add_sample(5, 1, MAP_AT + 0x02, 2, around);
	write_all();
}

static void write_split(const char *dir, uint64_t size)
{
	write_split_in("one.dwo", dir, size);
}

TEST(functions_come_from_a_dwo_file)
{
	write_split(test_tmpdir(), 0x12);
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, "main:8:0\n 1: 1\n 2: 1\n");
}

TEST(a_dwo_file_is_found_beside_the_program)
{
	write_split("/no/such/folder", 0x12);
	CHECK_EQ(profile(""), 0);
	CHECK_STR(run_out, "main:8:0\n 1: 1\n 2: 1\n");
}

TEST(a_dwo_file_that_is_not_there_is_named)
{
	write_split("/no/such/folder", 0x12);
	CHECK_EQ(run("rm %s/one.dwo", test_tmpdir()), 0);
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, "built with -gsplit-dwarf"));
	CHECK(strstr(run_err, "and neither /no/such/folder/one.dwo nor "));
	CHECK(strstr(run_err, "; put the .dwo files of this build beside the program, or pack them into this .dwp file\n"));
}

/* A file of another build has another id, here 0x1235. */
TEST(a_dwo_file_of_another_build_is_told)
{
	const char *dir = test_tmpdir();

	write_split(dir, 0x12);
	CHECK_EQ(run("cd %s && LC_ALL=C sed -i 's/\\x34\\x12\\x00\\x00/\\x35\\x12\\x00\\x00/' one.dwo", dir), 0);
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, "/one.dwo nor "));
	CHECK(strstr(run_err, "/x.dwp was found with the debug information of this build"));
}

/* elfutils reads them from 0.191 on. */
TEST(functions_come_from_a_dwp_file_where_libdw_reads_it)
{
	int major = 0, minor = 0;

	sscanf(dwfl_version(NULL), "%d.%d", &major, &minor);
	write_split_in("x.dwp", "/no/such/folder", 0x12);
	if (major || minor >= 191) {
		CHECK_EQ(profile(""), 0);
		CHECK_STR(run_out, "main:8:0\n 1: 1\n 2: 1\n");
		return;
	}
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, "the elfutils of this machine cannot read "));
}

/* As GCC 16 and older write it: the assembler leaves the sizes to the linker. */
TEST(a_dwo_file_without_sizes_is_told)
{
	write_split(test_tmpdir(), 0);
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, "leaves the sizes of RISC-V functions out"));
}

/* x, without symbols and lines; these are in a file below /usr/lib/debug of the folder. */
static void write_debug_file(const char *dir)
{
	static const uint8_t id[20] = { 0xab, 0xcd, 3 };
	char path[512];

	begin_debug();
	elf.build_id = id;
	elf.build_id_size = 20;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(run("d=%s/usr/lib/debug/.build-id/ab; mkdir -p $d && "
		     "mv %s/x $d/cd03%034d.debug", dir, dir, 0), 0);
	memset(elf.debug, 0, sizeof(elf.debug));
	elf.nr_symbols = 0;
	snprintf(path, sizeof(path), "%s/x", dir);
	CHECK(elfb_write(&elf, path));
}

TEST(lines_come_from_a_debug_file)
{
	const char *dir = test_tmpdir();

	write_debug_file(dir);
	CHECK_EQ(profile(""), 1);
	CHECK_EQ(run("ssctr profile --raw -i %s/perf.data -b /x --symfs %s -o -", dir,
		     dir), 0);
	CHECK_STR(run_out, text);
}

TEST(a_debug_file_that_is_not_there_is_named)
{
	static const uint8_t id[20] = { 0xab, 0xcd, 3 };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin();
		elf.nr_symbols = 0;
		elf.build_id = id;
		elf.build_id_size = 20;
		elf.debuglink = i ? "x.debug" : NULL;
		add_sample(5, 1, MAP_AT + 0x02, 4, loop);
		write_all();
		CHECK_EQ(profile(""), 1);
		CHECK(strstr(run_err, i ? "/x: stripped, and its debug file x.debug was not found, or is of another build; name this file, or a folder that has it, with --code\n" :
					  "/x: stripped, and no debug file with its build id (abcd030000000000...) was found; name this file, or a folder that has it, with --code; if there is none, build it with -g "));
	}
}

/* Its checksum is another one. */
TEST(a_debug_file_of_another_build_is_told)
{
	const char *dir = test_tmpdir();
	char path[512];

	snprintf(path, sizeof(path), "%s/x.debug", dir);
	write_debug_file(dir);
	CHECK_EQ(run("mv $(find %s/usr -name '*.debug') %s", dir, path), 0);
	elf.build_id = NULL;
	elf.build_id_size = 0;
	elf.debuglink = "x.debug";
	elf.debuglink_crc = 1;
	snprintf(path, sizeof(path), "%s/x", dir);
	CHECK(elfb_write(&elf, path));
	CHECK_EQ(run("ssctr profile --raw -i %s/perf.data -b %s/x --code %s -o -", dir, dir, dir), 1);
	CHECK(strstr(run_err, "/x: stripped, and its debug file x.debug was not found, or is of another build; "));
}

TEST(a_debug_file_is_found_however_the_root_is_written)
{
	const char *dir = test_tmpdir();

	write_debug_file(dir);
	CHECK_EQ(run("cd %s && ssctr profile --raw -b /x --symfs . -o -", dir), 0);
	CHECK_STR(run_out, text);
	CHECK_EQ(run("cd %s && ssctr profile --raw -b /x --symfs usr/.. -o -", dir), 0);
	CHECK_STR(run_out, text);
}

TEST(a_debug_file_below_symfs_serves_a_program_elsewhere)
{
	const char *dir = test_tmpdir();

	write_debug_file(dir);
	CHECK_EQ(run("cd %s && mkdir root && mv usr root && ssctr profile --raw -b x --symfs root -o -",
		     dir), 0);
	CHECK_STR(run_out, text);
}

TEST(a_debug_file_alone_is_told_from_the_program)
{
	begin_debug();
	elf.debug_file = true;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, "/x: has no code, because it is the debug file of a program; name the program with -b, and this file with --code\n"));
	CHECK_EQ(run("ls %s/out", test_tmpdir()), 2);
}

/* load, whose name and line dwz -m has moved to a file of this name, which is at path. */
static void write_shared(const char *name, const char *path, unsigned int form)
{
	static const uint8_t id[20] = { 0xef, 1, 2 };
	static struct elfb file;
	static uint8_t link[64];
	struct dwb shared = { 0 };
	const size_t size = strlen(name) + 1;
	uint32_t load;

	dwb_begin(&shared, "/src/x.h", 0, 0);
	load = dwb_abstract(&shared, "load", 30);
	dwb_finish(&shared, 0);
	file = (struct elfb){ .code = "", .build_id = id, .build_id_size = sizeof(id),
			      .form = form };
	dwb_sections(&shared, &file);
	CHECK(elfb_write(&file, path));
	dwb_free(&shared);

	begin_unit();
	dwb_shared(&debug, load, AT(0x12), 6);
	dwb_leave(&debug);
	dwb_row(&debug, AT(0x12), 32, 0);
	dwb_finish(&debug, AT(0x18));
	dwb_sections(&debug, &elf);
	memcpy(link, name, size);
	memcpy(link + size, id, sizeof(id));
	elf.altlink = (struct elfb_bytes){ link, size + sizeof(id) };
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_all();
}

TEST(what_dwz_moved_to_a_shared_file_is_found_in_the_places)
{
	static const char *const paths[] = { "root/dwz/x.debug", "root/x.debug", "other.debug",
					     "root/.build-id/ef/0102%034d.debug" };
	static const char *const options[] = { "--symfs root", "--code root",
					       "--code other.debug", "--code root" };
	const char *dir = test_tmpdir();
	char path[512], name[64];
	size_t i;

	CHECK_EQ(run("cd %s && mkdir -p root/dwz root/.build-id/ef", dir), 0);
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), paths[i], 0);
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		write_shared("/dwz/x.debug", path, 0);
		CHECK_EQ(run("cd %s && cp x root && ssctr profile --raw %s -b %s -o -", dir,
			     options[i], i ? "x" : "/x"), 0);
		CHECK_STR(run_out, "load:6:1\n 2: 1\n");
		CHECK_EQ(remove(path), 0);
	}
}

/* As Debian's packages have them. */
TEST(a_shared_file_of_dwz_may_have_compressed_sections)
{
	static const unsigned int forms[] = { ELFCOMPRESS_ZLIB, ELFB_ZSTD };
	char path[512];
	size_t i;

	snprintf(path, sizeof(path), "%s/x.debug", test_tmpdir());
	for (i = 0; i < 2; i++) {
		write_shared("/dwz/x.debug", path, forms[i]);
		CHECK_EQ(run("cd %s && ssctr profile --raw --code x.debug -b x -o -",
			     test_tmpdir()), 0);
		CHECK_STR(run_out, "load:6:1\n 2: 1\n");
	}
}

TEST(a_shared_file_of_dwz_that_is_not_there_is_named)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/x.debug", test_tmpdir());
	write_shared("/no/such/x.debug", path, 0);
	CHECK_EQ(profile(""), 1);
	CHECK(strstr(run_err, "/x: dwz -m moved debug information to /no/such/x.debug, which was not found; name this file, or a folder that has it, with --code\n"));
	CHECK_EQ(run("ls %s/out", test_tmpdir()), 2);
}
