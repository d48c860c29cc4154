// SPDX-License-Identifier: GPL-2.0-only
/* What can be selected in the page of ssctr report, each figure derived by hand. */
#include "cmd-many.h"
#include "cmd-page.h"

#define CELL(_text)	"<td>" _text "</td>"
#define NUMBER(_text)	"<td class=\"n\">" _text "</td>"

TEST(one_binary_and_one_thread_need_no_filter)
{
	write_program();
	read_page(__LINE__, "");
	CHECK(!strstr(run_out, "id=\"filters\"") && !strstr(run_out, "id=\"threads\""));
	CHECK(!strstr(run_out, "<div id=\"all\"") && !strstr(run_out, "class=\"b0\""));
}

/* --- threads --- */

/* What lies between two texts of the page, which the caller frees. */
static char *between(const char *from, const char *to)
{
	const char *start = strstr(run_out, from), *end;

	CHECK(start);
	start += strlen(from);
	end = strstr(start, to);
	CHECK(end);
	return strndup(start, end - start);
}

TEST(threads_can_be_selected_by_name_and_tid)
{
	write_threads("main", "worker");
	read_page(__LINE__, "");
	CHECK_SHOWS("<select id=\"thread\">\n<option value=\"\">all threads</option>\n"
		    "<option value=\"t0\">main (tid 5)</option>\n"
		    "<option value=\"t1\">worker (tid 6)</option>\n</select>");
	CHECK_SHOWS("<details class=\"thread\" id=\"t0\">\n"
		    "<summary>main (tid 5): 66.7% of the samples</summary>\n"
		    "<p>20 transfers in 2 samples.</p>\n");
	CHECK_SHOWS("<details class=\"thread\" id=\"t1\">\n"
		    "<summary>worker (tid 6): 33.3% of the samples</summary>\n"
		    "<p>3 transfers in 1 samples.</p>\n");
	CHECK(!strstr(run_out, "id=\"binary\""));
}

/* All threads first: they are counted as if there were no filter. */
TEST(all_threads_are_counted_as_before)
{
	write_threads("main", "worker");
	read_page(__LINE__, "--by calls");
	CHECK_SHOWS("<div id=\"all\">\n<h2>Calls</h2>\n");
	CHECK_SHOWS("<tr>" NUMBER("4") NUMBER("44.4%") CELL("main") CELL("leaf") "</tr>\n"
		    "<tr>" NUMBER("3") NUMBER("33.3%") CELL("caller") CELL("main") "</tr>\n"
		    "<tr>" NUMBER("2") NUMBER("22.2%") CELL("main") CELL("twin") "</tr>\n"
		    "</table>\n</div>\n</div>\n<div id=\"threads\">");
}

/* The witness is the report of this thread alone. */
static void check_thread(const char *id, const char *options)
{
	const char *dir = test_tmpdir();
	char *is, *of_all, all[256];

	snprintf(all, sizeof(all), "id=\"%s\"", id);
	CHECK_EQ(run("cd %s && ssctr report -i perf.data --symfs . --html p >&2 && cat p", dir), 0);
	of_all = between(all, "</details>");
	CHECK_EQ(run("cd %s && ssctr report -i perf.data --symfs . --html p %s >&2 && cat p", dir,
		     options), 0);
	/* Of this, the code comes in between. */
	is = between("<h2>Transfers</h2>", "<h2>Code</h2>");
	if (!strstr(of_all, is))
		test_fail(__FILE__, __LINE__, "no \"%s\" in \"%s\"", is, of_all);
	free(is);
	is = between("<h2>Loops</h2>", "<h2>Calls</h2>");
	if (!strstr(of_all, is))
		test_fail(__FILE__, __LINE__, "no \"%s\" in \"%s\"", is, of_all);
	free(is);
	free(of_all);
}

TEST(a_thread_has_the_figures_of_its_own_report)
{
	write_threads("main", "worker");
	check_thread("t0", "--tid 5");
	check_thread("t1", "--tid 6");
}

TEST(threads_of_one_name_can_be_selected_together)
{
	begin_program();
	pdb_comm(&rec, 0, 5, "main", 1);
	pdb_comm(&rec, 0, 6, "worker", 1);
	pdb_comm(&rec, 0, 7, "worker", 1);
	ADD_OF(6, alone);
	ADD_OF(6, alone);
	ADD_OF(7, once);
	ADD_OF(5, once);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("<option value=\"t0\">worker (2 threads)</option>\n"
		    "<option value=\"t1\">worker (tid 6)</option>\n"
		    "<option value=\"t2\">main (tid 5)</option>\n"
		    "<option value=\"t3\">worker (tid 7)</option>\n</select>");
	CHECK_SHOWS("<summary>worker (2 threads): 75.0% of the samples</summary>\n"
		    "<p>16 transfers in 3 samples.</p>\n");
	check_thread("t0", "--comm worker");
	check_thread("t3", "--tid 7");
	/* All threads are already there. */
	write_threads("worker", "worker");
	read_page(__LINE__, "");
	CHECK(!strstr(run_out, "2 threads"));
}

/* A program is started in a thread of the shell. */
TEST(a_thread_that_changes_its_name_is_several)
{
	begin_program();
	pdb_comm(&rec, 0, 5, "sh", 1);
	ADD_OF(5, alone);
	/* In the kernel, as idle tasks are. */
	add_sample(0, 2, UINT64_C(0xffffffff80000000), 1,
		   (const uint64_t[][3]){ { UINT64_C(0xffffffff80000010),
					    UINT64_C(0xffffffff80000000), 0 } });
	pdb_comm(&rec, 0, 5, "<sort>", 3);
	add_sample(5, 4, MAP_AT, 4, loop);
	add_sample(5, 4, MAP_AT, 4, loop);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("<option value=\"t0\">&lt;sort&gt; (tid 5)</option>\n"
		    "<option value=\"t1\">sh (tid 5)</option>\n"
		    "<option value=\"t2\">swapper (tid 0)</option>\n</select>");
	CHECK_SHOWS("<summary>&lt;sort&gt; (tid 5): 50.0% of the samples</summary>\n"
		    "<p>8 transfers in 2 samples.</p>\n");
	CHECK_SHOWS("<summary>sh (tid 5): 25.0% of the samples</summary>\n"
		    "<p>3 transfers in 1 samples.</p>\n");
}

TEST(a_thread_without_a_name_has_its_tid)
{
	begin_program();
	ADD_OF(5, once);
	ADD_OF(5, once);
	ADD_OF(6, once);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("<option value=\"t0\">tid 5</option>\n"
		    "<option value=\"t1\">tid 6</option>\n</select>");
}

TEST(the_threads_with_most_samples_are_in_the_page)
{
	unsigned int i, k;

	begin_program();
	for (i = 1; i <= 12; i++)
		for (k = 0; k < i; k++)
			ADD_OF(10 + i, alone);
	write_files();
	read_page(__LINE__, "");
	CHECK_SHOWS("<option value=\"t0\">tid 22</option>\n");
	CHECK_SHOWS("<option value=\"t9\">tid 13</option>\n</select>");
	CHECK_SHOWS(" The page has the 10 of 12 with most samples;");
	CHECK(!strstr(run_out, "tid 12"));
}

/* One without branches is not counted among those that ran. */
TEST(samples_without_branches_are_in_no_thread)
{
	begin_program();
	ADD_OF(5, once);
	add_steps_of(6, NULL, 0);
	write_files();
	read_page(__LINE__, "");
	CHECK(!strstr(run_out, "id=\"threads\""));
}

TEST(the_samples_that_are_wanted_are_those_of_the_threads)
{
	write_threads("main", "worker");
	read_page(__LINE__, "--tid 5");
	CHECK(!strstr(run_out, "id=\"threads\""));
	CHECK_SHOWS("<dd>20 transfers in 2 samples</dd>");
}

TEST(a_pipe_is_read_only_once)
{
	char path[128];

	begin_program();
	ADD_OF(6, alone);
	ADD_OF(5, once);
	ADD_OF(5, once);
	pdb_finish_pipe(&rec);
	snprintf(path, sizeof(path), "%s/pipe", test_tmpdir());
	CHECK(pdb_write(&rec, path));
	pdb_free(&rec);
	CHECK_EQ(run("cd %s && cat pipe | ssctr report -i - --html p && cat p", test_tmpdir()),
		 0);
	check_page(__LINE__);
	CHECK_SHOWS("several threads, but it came from a pipe");
	CHECK(!strstr(run_out, "id=\"thread\""));
	CHECK_SHOWS("<dd>23 transfers in 3 samples</dd>");
}

TEST(a_file_as_standard_input_is_read_again)
{
	write_threads("main", "worker");
	CHECK_EQ(run("cd %s && ssctr report -i - --symfs . --html p <perf.data && cat p",
		     test_tmpdir()), 0);
	CHECK_SHOWS("<p>20 transfers in 2 samples.</p>");
}

/* --- binaries --- */

#define MORE(_class) "<tr class=\"more " _class "\" hidden=\"hidden\">"

TEST(binaries_can_be_selected)
{
	write_binaries();
	read_page(__LINE__, "");
	CHECK_SHOWS("<p id=\"filters\" hidden=\"hidden\">\n<label>Tables of <select id=\"binary\">\n"
		    "<option value=\"\">all binaries</option>\n"
		    "<option value=\"b0\">/x</option>\n"
		    "<option value=\"b1\">/y</option>\n</select>");
	/* A call from one to the other is of both. */
	CHECK(!strstr(run_out, "b0 b0"));
	CHECK_SHOWS("<tr class=\"b0 b1\">" NUMBER("1") NUMBER("7.7%") CELL("main") CELL("main") "</tr>\n");
	CHECK_SHOWS("<details class=\"b1\">\n<summary>main (/y)");
	CHECK(!strstr(run_out, "class=\"more"));
}

/* With one line of each list, the page has the first one of each binary, too. */
TEST(the_most_frequent_lines_of_each_binary_are_there)
{
	unsigned int nr = 0;
	const char *at;

	write_binaries();
	read_page(__LINE__, "-n 1");
	CHECK_SHOWS("<th>entries</th><th>share</th><th>function</th><th>binary</th></tr>\n"
		    "<tr class=\"b0\">" NUMBER("3"));
	CHECK_SHOWS(MORE("b1") NUMBER("1"));
	CHECK_SHOWS(CELL("main") CELL("/y") "</tr>\n</table>");
	CHECK(!strstr(run_out, CELL("leaf") CELL("/x")));
	/* Of the edges into /y, and within it, the second is the more frequent one. */
	CHECK_SHOWS(MORE("b1") NUMBER("2") NUMBER("5.9%") CELL("COND"));
	/* One of each list; /y has no indirect branch. */
	for (at = run_out; (at = strstr(at, "class=\"more")); at++)
		nr++;
	CHECK_EQ(nr, 5);
}
