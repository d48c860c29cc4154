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
	fputs("\tfor (;;)\ta\033[31m();\n", file);
	CHECK(!fclose(file));
	write_program_with_lines("/build/lib/x.c");
	CHECK_EQ(annotate("main"), 0);
	CHECK_SHOWS("\n                               x.c:12\n");
	snprintf(options, sizeof(options), "main --source %s/src", test_tmpdir());
	CHECK_EQ(annotate(options), 0);
	/* Nothing that a terminal would take for a command. */
	CHECK_SHOWS("\n                               x.c:12  for (;;) a[31m();\n");
	CHECK_SHOWS("\n                               x.c:13\n");
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
	CHECK_SAYS("ssctr annotate: nothing: no such function was recorded");
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
