// SPDX-License-Identifier: GPL-2.0-only
/* The call stacks of ssctr report's page, each count derived by hand from the samples. */
#include "cmd-calls.h"
#include "cmd-page.h"

/* As in a page: the numbers of the boxes, and their names. */
#define DATA(_boxes, _names)                                                   \
	"<script type=\"application/json\">{\"boxes\":[" _boxes   \
	"],\n\"names\":[" _names "]}</script>\n"

static void add_leaf(unsigned int times)
{
	while (times--)
		add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
}

/* 3 of caller, main and leaf; 2 of caller and main alone; 1 of twin, in the caller. */
static void write_calls(void)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x16, NULL, 0, recorded + 1, 1);
	add_calls(MAP_AT + 0x0a, NULL, 0, recorded + 1, 1);
	add_calls(MAP_AT + 0x02, NULL, 0, recorded + 1, 1);
	add_leaf(3);
	write_files();
}

/* The widest box first, and each box before those below it. */
TEST(a_box_has_the_samples_of_all_boxes_below_it)
{
	write_calls();
	read_page(__LINE__, "");
	CHECK_SHOWS("<h2>Call stacks</h2>\n");
	CHECK_SHOWS(DATA("0,0,6,\n1,1,6,\n2,3,5,\n3,4,3,\n2,2,1",
			 "\"all\",\n\"caller\",\n\"twin\",\n\"main\",\n\"leaf\""));
	CHECK(!strstr(run_out, "left out"));
}

TEST(the_most_frequent_call_stacks_are_there_as_text)
{
	write_calls();
	read_page(__LINE__, "--by edges");
	CHECK_SHOWS("<ol>\n"
		    "<li>50.0%, 3 samples: caller \xe2\x86\x92 main \xe2\x86\x92 leaf</li>\n"
		    "<li>33.3%, 2 samples: caller \xe2\x86\x92 main</li>\n"
		    "<li>16.7%, 1 samples: caller \xe2\x86\x92 twin</li>\n"
		    "</ol>\n");
}

/* 12 functions, and as many call stacks. */
TEST(ten_call_stacks_are_there_as_text)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f",
					     "g", "h", "i", "j", "k", "l" };
	unsigned int i, k;

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	elf.nr_symbols = 0;
	for (i = 0; i < NR(names); i++) {
		add_function(names[i], 2 * i, 2);
		for (k = 0; k <= i; k++)
			add_calls(MAP_AT + 2 * i, NULL, 0, recorded + 1, 1);
	}
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("<li>3.8%, 3 samples: j \xe2\x86\x92 c</li>\n</ol>\n");
	CHECK_SHOWS("<ol>\n<li>15.4%, 12 samples: j \xe2\x86\x92 l</li>\n");
}

TEST(call_stacks_that_the_kernel_found_are_shown_too)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_USER, MAP_AT + 0x10, MAP_AT + 0x08, MAP_AT + 0x14,
	};

	begin_calls(CHAIN, PERF_SAMPLE_BRANCH_ANY);
	add_calls(MAP_AT + 0x10, chain, NR(chain), loop, 4);
	add_calls(MAP_AT + 0x10, NULL, 0, loop, 4);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS(DATA("0,0,1,\n1,1,1,\n2,2,1,\n3,3,1",
			 "\"all\",\n\"caller\",\n\"main\",\n\"leaf\""));
	CHECK_SHOWS("<p>1 samples are left out, because they have no call stack.</p>\n");
	/* What is counted as a transfer stays the same. */
	CHECK_SHOWS("<dd>8 transfers in 2 samples</dd>");
}

/* What leaf is called by is not what twin was called by. */
TEST(samples_with_wrong_callers_are_told)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_leaf(1);
	write_files();
	read_page(__LINE__, "");
	CHECK(!strstr(run_out, "wrong callers"));
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_leaf(1);
	add_calls(MAP_AT + 0x16, NULL, 0, recorded, 2);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("<p>1 samples have wrong callers, ");
}

/* A call that has not returned is in each of the samples, and was executed once. */
TEST(the_harts_call_stacks_are_not_counted_as_what_ran)
{
	write_calls();
	read_page(__LINE__, "");
	CHECK_SHOWS("<dt>call stacks of the hart</dt><dd>6 samples</dd>");
	CHECK_SHOWS("not known, because the branch records are call stacks.");
	CHECK(!strstr(run_out, "transfers in"));
	CHECK(!strstr(run_out, "<h2>Transfers</h2>") && !strstr(run_out, "<h2>Calls</h2>"));
}

/* The graph has them, so that they are no more samples than those. */
TEST(an_empty_call_stack_is_counted_once)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_leaf(2);
	add_calls(MAP_AT + 0x10, NULL, 0, NULL, 0);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("<dt>call stacks of the hart</dt><dd>3 samples</dd>");
	CHECK(!strstr(run_out, "empty branch stacks"));
}

TEST(without_call_stacks_there_is_no_section)
{
	write_program();
	read_page(__LINE__, "");
	CHECK(!strstr(run_out, "Call stacks"));
	CHECK(!strstr(run_out, "flame") && !strstr(run_out, "'.calls'"));
	CHECK(!strstr(run_out, ".boxes"));
}

/* One of 2000 samples is 0.05 %; one of 2001 is less. */
TEST(boxes_that_are_too_narrow_are_left_out)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_leaf(1999);
	add_calls(MAP_AT + 0x16, NULL, 0, recorded + 1, 1);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("0,0,2000,\n1,1,2000,\n2,2,1999,\n3,3,1999,\n2,4,1]");
	CHECK(!strstr(run_out, "left out"));
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_leaf(2001);
	/* Two of them, one with a box below it, which is not counted again. */
	add_calls(MAP_AT + 0x16, NULL, 0, recorded + 1, 1);
	add_calls(MAP_AT + 0x12, NULL, 0, recorded, 2);
	add_calls(MAP_AT + 0x16, NULL, 0, recorded, 1);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("<p>Boxes narrower than 0.05% are left out (0.1%, 3 samples).</p>\n");
	CHECK_SHOWS(DATA("0,0,2004,\n1,1,2003,\n2,2,2002,\n3,3,2001",
			 "\"all\",\n\"caller\",\n\"main\",\n\"leaf\""));
}

TEST(a_name_cannot_end_the_data)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	elf.nr_symbols = 0;
	add_function("</script>&\"\\\n\xff\xc3\xa4\xe2\x80\xae", 0x00, 0x10);
	add_function("leaf", 0x10, 2);
	add_function("caller", 0x12, 4);
	add_leaf(1);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("\"\\u003c/script\\u003e\\u0026\\u0022\\u005c?\\ufffd\xc3\xa4?\"");
	CHECK_SHOWS("caller \xe2\x86\x92 &lt;/script&gt;&amp;\"\\?&#xfffd;\xc3\xa4? \xe2\x86\x92 leaf</li>");
}

TEST(functions_of_cxx_and_inlined_ones_have_the_names_of_the_source)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	elf.symbols[1].name = "_Z4leafRKi";
	add_leaf(1);
	write_files_with_inlined();
	read_page(__LINE__, "");
	CHECK_SHOWS("\xe2\x86\x92 main \xe2\x86\x92 step \xe2\x86\x92 leaf(int const&amp;)</li>");
	read_page(__LINE__, "--no-demangle");
	CHECK_SHOWS("\xe2\x86\x92 main \xe2\x86\x92 step \xe2\x86\x92 _Z4leafRKi</li>");
}

/* 2 of caller, main and leaf in the thread 5, and 1 of caller and twin in the thread 6. */
TEST(each_thread_has_its_own_call_stacks)
{
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_leaf(2);
	add_calls_of(6, MAP_AT + 0x16, NULL, 0, recorded + 1, 1);
	write_files();
	read_page(__LINE__, "--by edges");
	CHECK_SHOWS(DATA("0,0,3,\n1,1,3,\n2,2,2,\n3,3,2,\n2,4,1",
			 "\"all\",\n\"caller\",\n\"main\",\n\"leaf\",\n\"twin\""));
	CHECK_SHOWS(DATA("0,0,2,\n1,1,2,\n2,2,2,\n3,3,2",
			 "\"all\",\n\"caller\",\n\"main\",\n\"leaf\""));
	CHECK_SHOWS(DATA("0,0,1,\n1,1,1,\n2,2,1", "\"all\",\n\"caller\",\n\"twin\""));
}
