// SPDX-License-Identifier: GPL-2.0-only
/* ssctr annotate: each figure derived by hand from the stacks. */
#include "cmd-hot.h"

static int annotate(const char *options)
{
	const char *dir = test_tmpdir();

	return run("ssctr annotate --raw -i %s/perf.data --symfs %s %s", dir, dir,
		   options);
}

/* The line of an instruction, without its assembly, which takes LLVM. */
static void check_insn(int line, const char *head, const char *tail)
{
	const char *at = strstr(run_out, head), *end = at ? strchr(at + 1, '\n') : NULL;
	const size_t size = strlen(tail);

	if (!end || strncmp(end - size, tail, size))
		test_fail(__FILE__, line, "no \"%s ... %s\" in:\n%s", head, tail, run_out);
}

#define CHECK_INSN(_head, _tail) check_insn(__LINE__, _head "  ", _tail)

static void check_lacks(int line, const char *text)
{
	if (strstr(run_out, text))
		test_fail(__FILE__, line, "\"%s\" is in:\n%s", text, run_out);
}

#define CHECK_LACKS(_text) check_lacks(__LINE__, _text)

/* Twice round: 32 instructions of main, of 6 ran each of the loop. */
TEST(each_instruction_has_how_often_it_ran_and_where_control_went)
{
	write_program();
	CHECK_EQ(annotate("main"), 0);
	CHECK_SHOWS("main (/x): 84.2% of all that ran, entered 2 times\n\n"
		    "       ran   share         at  instruction\n");
	CHECK_INSN("\n         2    6.2%       +0x0", " ; from caller");
	CHECK_INSN("\n         6   18.8%       +0x4", " ; from +0xa");
	CHECK_INSN("\n         6   18.8%       +0x6", " ; to leaf 66.7%, twin 33.3%");
	CHECK_INSN("\n         6   18.8%       +0x8", " ; from leaf 66.7%");
	CHECK_INSN("\n         6   18.8%       +0xa", " ; taken 66.7%");
	CHECK_INSN("\n         2    6.2%       +0xe", " ; to caller+0x2");
	CHECK_SHOWS("\n                               loop: ");
	CHECK_LACKS("leaf (/x)");
}

TEST(without_a_name_the_function_where_most_ran_is_shown)
{
	write_program();
	CHECK_EQ(annotate(""), 0);
	CHECK(!strncmp(run_out, "main (/x): ", 11));
	CHECK_LACKS("leaf (/x)");
	CHECK_EQ(annotate("-n 2"), 0);
	CHECK(strstr(run_out, "\n\nleaf (/x): 10.5% of all that ran, entered 4 times\n"));
	CHECK_LACKS("twin (/x)");
}

TEST(what_is_named_is_shown_in_the_order_of_the_names_and_once)
{
	write_program();
	CHECK_EQ(annotate("twin leaf twin"), 0);
	CHECK(!strncmp(run_out, "twin (/x): ", 11));
	CHECK(strstr(run_out, "\n\nleaf (/x): "));
	CHECK(!strstr(run_out + 1, "twin (/x)"));
}

/* main's first instructions, of which no line begins before 0x06. */
TEST(what_did_not_run_is_left_out_but_for_a_few)
{
	static const struct step back[] = {
		{ 0x0a, 0x08, 0, 0 }, { 0x0a, 0x08, 0, 0 }, { 0x0a, 0x08, 0, 0 },
	};
	static const struct step near[] = {
		{ 0x0a, 0x06, 0, 0 }, { 0x0a, 0x06, 0, 0 }, { 0x0a, 0x06, 0, 0 },
	};

	begin_program();
	ADD_STEPS(back);
	write_files();
	CHECK_EQ(annotate("main"), 0);
	CHECK_SHOWS("\n                               4 instructions that did not run\n");
	CHECK_LACKS("+0x0 ");
	CHECK_EQ(annotate("-n 1"), 0);
	CHECK_SHOWS("4 instructions that did not run\n");
	CHECK_EQ(annotate("--all main"), 0);
	CHECK_LACKS("did not run");
	CHECK_SHOWS("\n         -       -       +0x0  ");

	begin_program();
	ADD_STEPS(near);
	write_files();
	CHECK_EQ(annotate("main"), 0);
	CHECK_LACKS("did not run");
	CHECK_SHOWS("\n         -       -       +0x0  ");
}

TEST(lines_of_source_stand_above_their_instructions)
{
	FILE *file = fopen(test_path("src/lib/x.c"), "w");
	char options[512];
	unsigned int i;

	for (i = 1; i < 12; i++)
		fputc('\n', file);
	fputs("\tfor (;;)\ta\033[31m\xc2\x9b[32m();\n", file);
	CHECK(!fclose(file));
	write_program_with_lines("/build/lib/x.c");
	CHECK_EQ(annotate("main"), 0);
	CHECK_SHOWS("\n                               x.c:12\n");
	snprintf(options, sizeof(options), "main --source %s/src", test_tmpdir());
	CHECK_EQ(annotate(options), 0);
	/* Nothing that a terminal would take for a command. */
	CHECK_SHOWS("\n                               x.c:12  for (;;) a[31m?[32m();\n");
	CHECK_SHOWS("\n                               x.c:13\n");
}

/* Lines that were put before those that ran move these, and no text is right. */
TEST(source_that_changed_after_the_build_is_told)
{
	static const char form[] = "other source: %s is newer than %s/x, so its lines may not be those that ran; ";
	const char *dir = test_tmpdir(), *at;
	char want[1024], path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s", test_path("x.c"));
	snprintf(want, sizeof(want), form, path, dir);
	file = fopen(path, "w");
	CHECK(file && !fclose(file));
	write_program_with_lines(path);
	CHECK_EQ(run("touch -d '1 hour ago' %s", path), 0);
	CHECK_EQ(annotate(""), 0);
	CHECK(!strstr(run_err, "other source"));
	CHECK_EQ(run("touch -d '1 hour' %s", path), 0);
	CHECK_EQ(annotate(""), 0);
	at = strstr(run_err, want);
	CHECK(at && !strstr(at + 1, want));
	/* In JSON the line alone is told. */
	CHECK_EQ(annotate("--json"), 0);
	CHECK(strstr(run_err, want));
	CHECK_SHOWS(",\"notes\":[{\"kind\":\"other source\",\"text\":\"");
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --html %s/p && cat %s/p", dir, dir, dir,
		     dir), 0);
	CHECK(strstr(run_err, want));
	at = strstr(run_out, "<li>other source: ");
	CHECK(at && at < strstr(run_out, "<table"));
}

/* A line that the file does not have is not a reason to look for the file. */
TEST(source_that_is_not_found_is_told)
{
	FILE *file = fopen(test_path("src/lib/x.c"), "w");
	char options[512];

	fputs("int x;\n", file);
	CHECK(!fclose(file));
	write_program_with_lines("/build/lib/x.c");
	CHECK_EQ(annotate("main"), 0);
	CHECK(strstr(run_err, "ssctr annotate: lines without their text: /build/lib/x.c was not found; name a folder that has the source with --source\n"));
	snprintf(options, sizeof(options), "main --source %s/src", test_tmpdir());
	CHECK_EQ(annotate(options), 0);
	CHECK(!strstr(run_err, "not found"));
	CHECK_EQ(annotate("main --json"), 0);
	CHECK(!strstr(run_err, "not found"));
}

TEST(inlined_functions_are_named_with_their_lines)
{
	write_program_with_inlined();
	CHECK_EQ(annotate("main"), 0);
	CHECK_SHOWS("\n                               x.c:11\n");
	CHECK_SHOWS("\n                               x.c:31 in step\n");
	CHECK_SHOWS("\n                               x.c:13\n");
}

TEST(a_line_of_source_names_the_functions_that_ran_it)
{
	write_program_with_lines("/build/lib/x.c");
	CHECK_EQ(annotate("x.c:21"), 0);
	CHECK(!strncmp(run_out, "leaf (/x): ", 11));
	CHECK_LACKS("main (/x)");
	CHECK_EQ(annotate("lib/x.c:12"), 0);
	CHECK(!strncmp(run_out, "main (/x): ", 11));
	CHECK_LACKS("leaf (/x)");
	/* A name is whole. */
	CHECK_EQ(annotate("b/x.c:12"), 1);
	CHECK_STR(run_out, "");
	CHECK_SAYS("ssctr annotate: b/x.c:12: no code of this line was recorded");
	CHECK_EQ(annotate("x.c:14"), 1);
	CHECK_SAYS("ssctr annotate: x.c:14: no code of this line was recorded");
}

TEST(cxx_functions_are_found_by_each_of_their_names)
{
	begin_program();
	elf.nr_symbols = 0;
	add_function("_ZN1a4mainEi", 0x00, 0x10);
	add_function("_Z4leafRKi", 0x10, 2);
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(annotate("a::main"), 0);
	CHECK(!strncmp(run_out, "a::main(int) (/x): ", 19));
	CHECK_INSN("+0x6", " ; to leaf(int const&) 66.7%, /x+0x1016 33.3%");
	CHECK_EQ(annotate("'a::main(int)'"), 0);
	CHECK_EQ(annotate("_ZN1a4mainEi"), 0);
	CHECK_EQ(annotate("--no-demangle _ZN1a4mainEi"), 0);
	CHECK(!strncmp(run_out, "_ZN1a4mainEi (/x): ", 19));
	CHECK_EQ(annotate("a::mai"), 1);
	CHECK_SAYS("ssctr annotate: a::mai: no such function was recorded");
}

/* As GCC calls copies and parts of functions. */
TEST(functions_that_the_compiler_copied_are_found_by_their_name)
{
	begin_program();
	elf.nr_symbols = 0;
	add_function("main.constprop.0", 0x00, 0x10);
	add_function("mainly", 0x10, 2);
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(annotate("main"), 0);
	CHECK(!strncmp(run_out, "main.constprop.0 (/x): ", 23));
	CHECK_LACKS("mainly (/x)");
}

TEST(mispredictions_and_cycles_are_shown_if_they_were_recorded)
{
	enum { MISSED = 1, PREDICTED = 2, CYCLES = 1 << 4 };
	static const struct step steps[] = {
		{ 0x12, 0x00, 0, PREDICTED },
		{ 0x0a, 0x04, 0, MISSED | 8 * CYCLES },
		{ 0x0a, 0x04, 0, PREDICTED | 5 * CYCLES },
		{ 0x0e, 0x14, 0, PREDICTED },
	};

	begin_program();
	ADD_STEPS(steps);
	write_files();
	CHECK_EQ(annotate("main"), 0);
	CHECK_INSN("+0xa", " ; taken 66.7%, mispredicted 50.0%, 6.5 cycles");
}

TEST(json_has_all_of_it)
{
	write_program();
	CHECK_EQ(annotate("--json main leaf"), 0);
	CHECK(!strncmp(run_out, "{\"functions\":[{\"binary\":\"/x\",\"function\":\"main\","
				"\"entries\":2,\"share\":0.842105,\"instructions\":["
				"{\"offset\":0,\"opcode\":\"0001\",", 105));
	CHECK_SHOWS("\"runs\":6,\"taken\":4,\"passed\":2,\"to\":[{\"count\":4,\"place\":"
		    "{\"binary\":\"/x\",\"function\":\"main\",\"offset\":4}}]}");
	CHECK_SHOWS("\"runs\":6,\"to\":[{\"count\":4,\"place\":{\"binary\":\"/x\","
		    "\"function\":\"leaf\",\"offset\":0}},{\"count\":2,\"place\":"
		    "{\"binary\":\"/x\",\"function\":\"twin\",\"offset\":0}}]}");
	CHECK_SHOWS("\"runs\":6,\"came\":6,\"from\":{\"count\":4,\"place\":{\"binary\":\"/x\","
		    "\"function\":\"leaf\",\"offset\":0}}}");
	CHECK_SHOWS(",\"loop\":{\"share\":");
	CHECK_SHOWS("{\"binary\":\"/x\",\"function\":\"leaf\",\"entries\":4,");
}

TEST(code_that_is_not_there_is_asked_for)
{
	const char *dir = test_tmpdir();

	write_program();
	CHECK_EQ(run("mkdir %s/empty", dir), 0);
	CHECK_EQ(run("ssctr annotate -i %s/perf.data --symfs %s/empty", dir, dir), 1);
	CHECK_STR(run_out, "");
	CHECK_SAYS("ssctr annotate: the names and the code of what ran are not known; name the place of the programs with --code");
	CHECK_EQ(annotate("nothing"), 1);
	CHECK_SAYS("ssctr annotate: nothing: no such function was recorded; `ssctr report --by functions` lists the functions; if the compiler inlined it, name one of its source lines, such as x.c:40\n");
}

/* More of what ran is in code of no function than in leaf. */
TEST(hotter_code_that_is_not_known_is_said_to_be_left_out)
{
	begin_program();
	elf.nr_symbols = 0;
	add_function("leaf", 0x10, 2);
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(annotate(""), 0);
	CHECK(!strncmp(run_out, "leaf (/x): ", 11));
	/* Of 38 bytes of lines 34. */
	CHECK(strstr(run_err, "ssctr annotate: hotter code is left out, because its name or its instructions are not known: 89.5% of all that ran\n"));
}

/* --- what only some programs have --- */

/* A call of five places from one: 5, 4, 3, 2 and 1 times, not in that order. */
TEST(of_many_targets_the_three_most_frequent_are_told)
{
	static const unsigned int counts[] = { 2, 4, 1, 5, 3 };
	unsigned int i, k;

	begin_program();
	for (i = 0; i < 5; i++)
		for (k = 0; k < counts[i]; k++) {
			const struct step steps[] = {
				{ 0x0a, 0x04, 0, 0 }, { 0x06, 0x20 + 2 * i, 0, 0 },
			};

			ADD_STEPS(steps);
		}
	write_files();
	CHECK_EQ(annotate("--all main"), 0);
	CHECK_INSN("+0x6", " ; to /x+0x1026 33.3%, /x+0x1022 26.7%, /x+0x1028 20.0%, elsewhere 20.0%");
}

/* Of a call by a register, to two places, each with its own figures. */
TEST(mispredictions_and_cycles_are_of_all_targets)
{
	enum { MISSED = 1, PREDICTED = 2, CYCLES = 1 << 4 };
	static const struct step steps[] = {
		{ 0x06, 0x10, 0, MISSED | 8 * CYCLES },
		{ 0x10, 0x08, 0, PREDICTED }, { 0x0a, 0x04, 0, MISSED | 9 * CYCLES },
		{ 0x06, 0x16, 0, PREDICTED | 4 * CYCLES },
		{ 0x16, 0x08, 0, PREDICTED }, { 0x0a, 0x04, 0, MISSED | 9 * CYCLES },
		{ 0x06, 0x16, 0, PREDICTED },
		{ 0x16, 0x08, 0, PREDICTED }, { 0x0a, 0x04, 0, MISSED | 9 * CYCLES },
		{ 0x06, 0x16, 0, MISSED | 3 * CYCLES },
	};

	begin_program();
	ADD_STEPS(steps);
	write_files();
	CHECK_EQ(annotate("--all main"), 0);
	CHECK_INSN("+0x6", " ; to twin 75.0%, leaf 25.0%, mispredicted 50.0%, 5.0 cycles");
	CHECK_INSN("+0xa", " ; taken 100.0%, mispredicted 100.0%, 9.0 cycles");
	/* What none was recorded of has none. */
	CHECK_EQ(annotate("leaf"), 0);
	CHECK_INSN("+0x0", " ; to main+0x8, mispredicted 0.0%, from main+0x6");
	CHECK_EQ(annotate("--json main"), 0);
	CHECK_SHOWS("\"to\":[{\"count\":1,\"mispredicted\":1,\"cycles\":8,\"timed\":1,\"place\":"
		    "{\"binary\":\"/x\",\"function\":\"leaf\",\"offset\":0}},"
		    "{\"count\":3,\"mispredicted\":1,\"cycles\":7,\"timed\":2,\"place\":");
}

TEST(a_branch_that_was_never_taken_is_said_to_be_so)
{
	static const struct step steps[] = {
		{ 0x12, 0x00, 0, 0 }, { 0x06, 0x10, 0, 0 }, { 0x10, 0x08, 0, 0 },
		{ 0x0e, 0x14, 0, 0 },
	};

	begin_program();
	ADD_STEPS(steps);
	write_files();
	CHECK_EQ(annotate("main"), 0);
	CHECK_INSN("+0xa", " ; never taken");
	CHECK_LACKS("+0xc  nop  ;");
	CHECK_EQ(annotate("--json main"), 0);
	CHECK_SHOWS("\"runs\":1,\"taken\":0,\"passed\":1}");
}

/* One that did not run went nowhere. */
TEST(of_a_branch_that_did_not_run_nothing_is_said)
{
	static const struct step steps[] = {
		{ 0x12, 0x00, 0, 0 }, { 0x06, 0x10, 0, 0 }, { 0x10, 0x0c, 0, 0 },
		{ 0x0e, 0x14, 0, 0 },
	};

	begin_program();
	ADD_STEPS(steps);
	write_files();
	CHECK_EQ(annotate("main"), 0);
	CHECK_LACKS("taken");
	CHECK_EQ(annotate("--json main"), 0);
	CHECK_LACKS("\"taken\"");
}

/* By LLVM's library, which not everybody has. */
TEST(direct_targets_are_named_as_people_say_them)
{
	static const uint16_t its[] = {
		0x00ef, 0x0140,		/* 00: jal 0x14             main */
		0xbffd,			/* 04: c.j 0x02, which is within it */
		0x0001,			/* 06: c.nop */
		0xa021,			/* 08: c.j 0x10 */
		0xa011,			/* 0a: c.j 0x0e */
		0x8082,			/* 0c: ret */
		0x8082,			/* 0e: ret                  nobody's */
		0x8082,			/* 10: ret                  leaf */
		0x8082,			/* 12: ret */
		0x8082,			/* 14: ret                  call */
	};
	static const struct step steps[] = {
		{ 0x30, 0x00, CALL, 0 }, { 0x00, 0x14, CALL, 0 }, { 0x14, 0x04, RET, 0 },
		{ 0x0c, 0x34, RET, 0 },
	};

	begin_program();
	elf.code = its;
	elf.code_size = sizeof(its);
	elf.nr_symbols = 0;
	add_function("main", 0x00, 0x0e);
	add_function("le\033af", 0x0f, 4); /* which a terminal would take for a command */
	add_function("_Z4calli", 0x14, 2);
	ADD_STEPS(steps);
	write_files();
	CHECK_EQ(annotate("main"), 0);
	if (strstr(run_err, "opcodes are shown")) {
		CHECK_SHOWS("+0x0  014000ef\n");
		test_skip("no LLVM library here");
	}
	/* Where it went, by the name that it is shown by; where it did not, by its symbol. */
	CHECK_SHOWS("       +0x0  jal call(int)                 ; from /x+0x1030\n");
	CHECK_SHOWS("       +0x4  j +0x2                        ; from call(int)\n");
	CHECK_SHOWS("       +0x8  j le?af+0x1\n");
	CHECK_SHOWS("       +0xa  j +0xe\n");
	CHECK_SHOWS("       +0xc  ret                           ; to /x+0x1034\n");
}

/* What calls in a program of 32 bits is no instruction of RV64. By LLVM's library, too. */
TEST(programs_of_32_bits_have_their_own_instructions)
{
	begin_program();
	run_program32();
	ADD_STEPS(once32);
	write_files();
	CHECK_EQ(annotate("main"), 0);
	if (strstr(run_err, "the output has opcodes")) {
		CHECK_SHOWS("       +0x2  2039");
		test_skip("no LLVM library here");
	}
	CHECK_SHOWS("       +0x2  jal leaf");
	CHECK_EQ(run("cd %s && ssctr report -i perf.data --symfs . --html page && cat page",
		     test_tmpdir()), 0);
	CHECK_SHOWS("jal leaf");
}

TEST(instructions_of_four_bytes_have_eight_digits)
{
	begin();
	add_sample(5, 2, MAP_AT, 4, loop);
	write_files();
	CHECK_EQ(annotate("--json main"), 0);
	CHECK_SHOWS("{\"offset\":0,\"opcode\":\"0505\",");
	CHECK_SHOWS("},{\"offset\":2,\"opcode\":\"00b50463\",");
	CHECK_SHOWS("},{\"offset\":6,\"opcode\":\"00c000ef\",");
	CHECK_EQ(annotate("--json load main"), 0);
	CHECK_SHOWS("]},{\"binary\":\"/x\",\"function\":\"main\",");
	CHECK(strstr(run_out, "]}],\"empty_samples\":0,\"coverage\":null,\"lost\":0,"));
}

/* Weighed, leaf has another share than its 10.5 % of the stacks' lines. */
TEST(json_has_the_figures_of_the_text)
{
	const char *dir = test_tmpdir(), *share;
	char want[64];

	write_program();
	CHECK_EQ(run("ssctr annotate --json -i %s/perf.data --symfs %s leaf", dir, dir), 0);
	CHECK_LACKS("\"share\":0.105263,");
	share = strstr(run_out, "\"share\":");
	CHECK(share);
	snprintf(want, sizeof(want), "leaf (/x): %.1f%% of all", 100 * atof(share + 8));
	CHECK_EQ(run("ssctr annotate -i %s/perf.data --symfs %s leaf", dir, dir), 0);
	CHECK_SHOWS(want);
}

/* leaf is one instruction: all that is said of it, but for the assembly, which takes LLVM. */
TEST(json_of_a_function_is_whole)
{
	char *from, *to;

	write_program();
	CHECK_EQ(annotate("--json leaf"), 0);
	from = strstr(run_out, ",\"assembly\":\"ret\"");
	if (from) {
		to = strstr(from, ",\"runs\"");
		memmove(from, to, strlen(to) + 1);
	}
	cut_notes();
	CHECK_STR(run_out, "{\"functions\":[{\"binary\":\"/x\",\"function\":\"leaf\",\"entries\":4,"
			   "\"share\":0.105263,\"instructions\":[{\"offset\":0,\"opcode\":\"8082\","
			   "\"runs\":4,\"to\":[{\"count\":4,\"place\":{\"binary\":\"/x\","
			   "\"function\":\"main\",\"offset\":8}}],\"came\":4,\"from\":{\"count\":4,"
			   "\"place\":{\"binary\":\"/x\",\"function\":\"main\",\"offset\":6}}}]}],"
			   "\"empty_samples\":0,\"coverage\":null}\n");
}

/* Lines up to main's branch: one from 04, four from 08, and so many from the branch itself. */
static void write_lines(unsigned int most)
{
	struct step steps[16] = { { 0x0a, 0x04, 0, 0 } };
	unsigned int i;

	for (i = 1; i < most; i++)
		steps[i] = (struct step){ 0x0a, i < 5 ? 0x08 : 0x0a, 0, 0 };
	steps[most] = (struct step){ 0x0a, 0x0e, 0, 0 };
	begin_program();
	add_steps(steps, most + 1);
	write_files();
}

static void annotate_on_terminal(const char *variables)
{
	const char *terminal = open_terminal(), *dir = test_tmpdir();

	CHECK_EQ(run("%s ssctr annotate --raw -i %s/perf.data --symfs %s main >%s", variables, dir,
		     dir, terminal), 0);
	close_terminal();
}

#define DIM	"\033[2m"
#define RED	"\033[31;1m"
#define YELLOW	"\033[33m"

/* As perf does: what ran half as often as the most frequent one, and a tenth as often. */
TEST(on_a_terminal_what_ran_most_has_a_colour)
{
	write_lines(10);
	annotate_on_terminal("TERM=xterm");
	CHECK_SHOWS("\n" DIM "         -       -       +0x0  ");
	CHECK_SHOWS("\n" YELLOW "         1    5.9%       +0x4  ");
	CHECK_SHOWS("\n" RED "         5   29.4%       +0x8  ");
	CHECK_SHOWS("\n" RED "        10   58.8%       +0xa  ");
	CHECK_SHOWS("\033[m\r\n");
	write_lines(11);
	annotate_on_terminal("TERM=xterm");
	CHECK_SHOWS("\n         1    5.6%       +0x4  ");
	CHECK_SHOWS("\n" YELLOW "         5   27.8%       +0x8  ");
	annotate_on_terminal("TERM=xterm NO_COLOR=1");
	CHECK_SHOWS("main (/x)");
	CHECK_LACKS("\033");
	annotate_on_terminal("TERM=dumb");
	CHECK_SHOWS("main (/x)");
	CHECK_LACKS("\033");
	/* Nor in a file. */
	CHECK_EQ(annotate("main"), 0);
	CHECK_LACKS("\033");
}

/* --- which functions are meant --- */

TEST(what_is_no_line_is_a_name)
{
	static const char *const names[] = {
		":12", "::12", "x.c::12", "x.c:12a", "x.c:+12", "x.c:", "x.c:0", "x.c:4294967296",
		"x.c:a", "x.c:/",
	};
	char message[128];
	unsigned int i;

	write_program_with_lines("/build/lib/x.c");
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CHECK_EQ(annotate(names[i]), 1);
		snprintf(message, sizeof(message), "ssctr annotate: %s: no such function was recorded",
			 names[i]);
		CHECK_SAYS(message);
	}
	CHECK_EQ(annotate("x.c:4294967295"), 1);
	CHECK_SAYS("ssctr annotate: x.c:4294967295: no code of this line was recorded");
}

TEST(a_whole_path_names_a_line_too)
{
	write_program_with_lines("/build/lib/x.c");
	CHECK_EQ(annotate("/build/lib/x.c:12"), 0);
	CHECK(!strncmp(run_out, "main (/x): ", 11));
	CHECK_EQ(annotate("build/lib/x.c:12"), 0);
	CHECK_EQ(annotate("/build/lib/x.c:21"), 0);
	CHECK(!strncmp(run_out, "leaf (/x): ", 11));
	CHECK_EQ(annotate("/the/build/lib/x.c:12"), 1);
}

/* main's line 11 is before its loop, which alone ran. */
TEST(a_line_that_did_not_run_names_nothing)
{
	static const struct step round[] = {
		{ 0x0a, 0x04, 0, 0 }, { 0x0a, 0x04, 0, 0 }, { 0x0a, 0x04, 0, 0 },
	};
	struct dwb debug = { 0 };
	static const uint64_t at = ELFB_ADDR + ELFB_CODE;

	begin_program();
	ADD_STEPS(round);
	dwb_begin(&debug, "/src/x.c", at, 0x12);
	dwb_row(&debug, at, 11, 0);
	dwb_row(&debug, at + 0x04, 12, 0);
	dwb_finish(&debug, at + 0x12);
	dwb_sections(&debug, &elf);
	write_files();
	dwb_free(&debug);
	CHECK_EQ(annotate("x.c:12"), 0);
	CHECK_EQ(annotate("x.c:11"), 1);
	CHECK_SAYS("ssctr annotate: x.c:11: no code of this line was recorded");
}

TEST(a_line_stands_above_its_first_instruction_alone)
{
	const char *at;

	write_program_with_lines("/build/lib/x.c");
	CHECK_EQ(annotate("main"), 0);
	at = strstr(run_out, "x.c:12\n");
	CHECK(at && !strstr(at + 1, "x.c:12\n"));
	at = strstr(run_out, "x.c:11\n");
	CHECK(at && !strstr(at + 1, "x.c:11\n"));
}

TEST(none_may_be_asked_for)
{
	write_program();
	CHECK_EQ(annotate("-n 0"), 0);
	CHECK_STR(run_out, "");
	CHECK_EQ(annotate("-n 0 --json"), 0);
	cut_notes();
	CHECK_STR(run_out, "{\"functions\":[],\"empty_samples\":0,\"coverage\":null}\n");
	CHECK_EQ(annotate("-n x"), 2);
	CHECK_EQ(annotate("-n 1 func"), 2);
	CHECK_SAYS("--limit chooses functions, and cannot be used if you name them");
}

/* Most is in code that a program made, of which a map tells the names alone. */
static void write_half_known(void)
{
	static const uint64_t made[][3] = {
		{ 0x60010, 0x60000, (uint64_t)COND << 20 },
		{ 0x60010, 0x60000, (uint64_t)COND << 20 },
		{ 0x60010, 0x60000, (uint64_t)COND << 20 },
		{ 0x60010, 0x60000, (uint64_t)COND << 20 },
		{ 0x60010, 0x60000, (uint64_t)COND << 20 },
	};

	begin_program();
	pdb_mmap2(&rec, 5, 0x60000, 0x1000, 0, "//anon", 1);
	add_sample(5, 2, MAP_AT, 5, made);
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(run("mkdir -p %s/tmp && echo 60000 20 made >%s/tmp/perf-5.map", test_tmpdir(),
		     test_tmpdir()), 0);
}

TEST(functions_whose_code_is_not_known_cannot_be_shown)
{
	write_half_known();
	CHECK_EQ(annotate("made"), 1);
	CHECK_STR(run_out, "");
	CHECK_SAYS("ssctr annotate: made (//anon): the code is not known; a perf map has only names; let the program write a jitdump");
	CHECK_EQ(annotate("main"), 0);
	CHECK(!strstr(run_err, "left out"));
	/* Of 4 lines 6 instructions each, by their 16 bytes; and 16 of the 19 of the program. */
	CHECK_EQ(annotate(""), 0);
	CHECK(!strncmp(run_out, "main (/x): 37.2%", 16));
	CHECK(strstr(run_err, "hotter code is left out, because its name or its instructions are not known: 55.8% of all that ran"));
	CHECK_EQ(annotate("-n 2"), 0);
	CHECK_SHOWS("\n\nleaf (/x): ");
}

/* The same share. */
TEST(a_page_tells_what_it_leaves_out_of_the_hottest_code)
{
	write_half_known();
	CHECK_EQ(run("cd %s && ssctr report --raw -i perf.data --symfs . --html page && cat page",
		     test_tmpdir()), 0);
	CHECK_SHOWS("<p>Some are left out, because their names or their instructions are not known: 55.8% of all that ran.</p>");
	CHECK_SHOWS(">main (/x): 37.2%");
}

TEST(where_branches_were_left_out_it_is_not_known_what_ran)
{
	begin_program();
	record_calls_alone();
	ADD_STEPS(once);
	write_files();
	CHECK_EQ(annotate(""), 1);
	CHECK_STR(run_out, "");
	CHECK_SAYS("/perf.data: some kinds of branches were not recorded");
}

/* As `perf record -e '{cycles:u,instructions/branch_type=any_call/u}:S'` has it. */
TEST(an_event_that_takes_no_samples_leaves_out_no_branches)
{
	begin_program();
	ADD_STEPS(once);
	pdb_event(&rec, PDB_BRANCH_SAMPLE | PERF_SAMPLE_READ, PERF_SAMPLE_BRANCH_ANY_CALL);
	write_files();
	CHECK_EQ(annotate(""), 0);
	CHECK_SHOWS("main (/x): ");
}
