// SPDX-License-Identifier: GPL-2.0-only
/*
 * What people look for in the pages of ssctr report and ssctr diff. Each answer is known by
 * how the recording was made, and read from what can be seen in Chromium.
 */
#include "../cmd-calls.h"
#include "../cmd-many.h"
#include "chromium.h"

static void open_report(const char *options)
{
	const char *dir = test_tmpdir();

	CHECK_EQ(run("ssctr report --raw -i %s/perf.data --symfs %s --html %s/page.html %s", dir,
		     dir, dir, options), 0);
	open_page("page.html");
}

/*
 * The cells of a line that can be seen, of the table below a heading that can be seen. 0 is
 * the line of their names.
 */
static const char *line(const char *heading, unsigned int number)
{
	char expression[1024];

	snprintf(expression, sizeof(expression),
		 "(function () { var seen = function (e) { return e.getClientRects().length; };"
		 "var at = Array.from(document.querySelectorAll('h2')).find(function (h) {"
		 " return seen(h) && h.textContent === '%s'; });"
		 "while (at.className !== 'scroll') at = at.nextElementSibling;"
		 "var row = Array.from(at.querySelectorAll('tr')).filter(seen)[%u];"
		 "return row ? Array.from(row.cells).map(function (c) { return c.textContent; }).join('|')"
		 " : 'none'; })()", heading, number);
	return tell(expression);
}

#define CHECK_LINE(_heading, _number, _want) CHECK_STR(line(_heading, _number), _want)

/* --- five questions --- */

/* Three turns of main's loop, and four of caller's, with two runs of each in 120 samples. */
TEST(the_hottest_loop_and_its_trips)
{
	/* From elsewhere into caller, whose two instructions run four times, and out of it. */
	static const struct step four_times[] = {
		{ 0x44, 0x12, UNCOND, 0 }, { 0x14, 0x12, COND, 0 }, { 0x14, 0x12, COND, 0 },
		{ 0x14, 0x12, COND, 0 }, { 0x14, 0x40, RET, 0 }, { 0x42, 0x44, UNCOND, 0 },
		{ 0x44, 0x44, UNCOND, 0 },
	};
	unsigned int i;

	begin_program();
	for (i = 0; i < 120; i++) {
		add_twice(once, sizeof(once) / sizeof(*once));
		add_twice(four_times, sizeof(four_times) / sizeof(*four_times));
	}
	write_files();
	open_report("");
	CHECK_LINE("Loops", 0, "iterations|share|entries|trips|range|head|last");
	CHECK(strstr(line("Loops", 1), "|240|3|always|main+0x4|main+0xa"));
	CHECK(strstr(line("Loops", 2), "|240|~4.0|"));
	CHECK(strstr(line("Loops", 2), "|caller+0x0|caller+0x2"));
	CHECK_LINE("Loops", 3, "none");
	/* By their trips, the other one comes first. */
	click("document.querySelectorAll('table:not(.code)')[2].rows[0].cells[3]");
	CHECK(strstr(line("Loops", 1), "|240|~4.0|"));
	CHECK(!chromium.said);
	close_page();
}

/* main's branch runs six times in a sample, and caller's twice, of which it is missed once. */
TEST(the_least_predictable_branch)
{
	enum { MISSED = 1, PREDICTED = 2 };
	static const struct step steps[] = {
		{ 0x40, 0x04, UNCOND, PREDICTED }, { 0x0a, 0x04, COND, PREDICTED },
		{ 0x0a, 0x04, COND, PREDICTED }, { 0x0a, 0x04, COND, PREDICTED },
		{ 0x0a, 0x04, COND, PREDICTED }, { 0x0a, 0x04, COND, PREDICTED },
		{ 0x0e, 0x12, RET, PREDICTED }, { 0x14, 0x12, COND, MISSED },
		{ 0x16, 0x40, UNCOND, PREDICTED }, { 0x44, 0x40, UNCOND, PREDICTED },
	};
	unsigned int i;

	begin_program();
	for (i = 0; i < 10; i++)
		ADD_STEPS(steps);
	write_files();
	open_report("");
	CHECK_LINE("Conditional branches", 0, "hard|share|runs|taken|branch|target");
	CHECK_LINE("Conditional branches", 1, "10|100.0%|20|50.0%|caller+0x2|caller+0x0");
	CHECK_LINE("Conditional branches", 2, "0|0.0%|60|83.3%|main+0xa|main+0x4");
	close_page();
}

/* main calls twin once, and leaf twice. */
TEST(who_calls_a_function)
{
	write_program();
	open_report("");
	press("Tab");
	type("TWIN");
	CHECK_LINE("Calls", 0, "count|share|caller|callee");
	CHECK_LINE("Calls", 1, "2|25.0%|main|twin");
	CHECK_LINE("Calls", 2, "none");
	close_page();
}

/* The figures are those of cmd-diff.c: twin and leaf are not called any more. */
TEST(what_is_different_in_another_build)
{
	const char *dir = test_tmpdir();

	RECORD("old", 400, once);
	RECORD("new", 400, alone);
	CHECK_EQ(run("ssctr diff --raw --symfs %s --html %s/page.html %s/old.data %s/new.data",
		     dir, dir, dir, dir), 0);
	open_page("page.html");
	CHECK_LINE("Functions", 0, "old|new|change|function");
	CHECK_LINE("Functions", 1, "84.2%|100.0%|+15.8|main (/x)");
	CHECK_LINE("Functions", 2, "10.5%|-|-10.5|leaf (/x)");
	CHECK(strstr(line("Loops", 1), "|3|2|main+0x4"));
	CHECK_LINE("Conditional branches", 1, "66.7%|50.0%|-16.7|main+0xa");
	/* What lost most comes first if the lines are sorted by the change, upwards. */
	click("document.querySelectorAll('table')[0].rows[0].cells[2]");
	click("document.querySelectorAll('table')[0].rows[0].cells[2]");
	CHECK_LINE("Functions", 1, "10.5%|-|-10.5|leaf (/x)");
	/* The bars are as long as the shares say. */
	CHECK_TELLS("document.querySelectorAll('table')[2].rows[1].cells[0].style.getPropertyValue('--part')",
		    "67%");
	CHECK(!chromium.said);
	close_page();
}

/* The program took more than the kernel, and copy more than the system call's entry. */
TEST(the_kernel_function_that_costs_most)
{
	static const uint64_t call[][3] = { /* youngest first */
		{ KERNEL_AT + 0x120, MAP_AT + 0x0e, PERF_BR_ERET << 20 },
		{ KERNEL_AT + 0x2f0, KERNEL_AT + 0x112, PERF_BR_RET << 20 },
		{ KERNEL_AT + 0x110, KERNEL_AT + 0x200, PERF_BR_CALL << 20 },
		{ MAP_AT + 0x0a, KERNEL_AT + 0x100, PERF_BR_SYSCALL << 20 },
	};
	char options[256];
	unsigned int i;

	begin_program();
	pdb_mmap(&rec, PDB_MISC_KERNEL, -1, KERNEL_AT, 0x1000, KERNEL_AT,
		 "[kernel.kallsyms]_text", 0);
	add_sample(5, 2, MAP_AT, 4, call);
	for (i = 0; i < 20; i++)
		ADD_STEPS(once);
	write_files();
	write_text("kallsyms", "ffffffff80000000 T _text\n"
			       "ffffffff80000100 T entry\n"
			       "ffffffff80000200 T copy\n"
			       "ffffffff80000300 T other\n");
	snprintf(options, sizeof(options), "--kallsyms %s/kallsyms", test_tmpdir());
	open_report(options);
	CHECK(strstr(line("Functions", 1), "|main|/x"));
	choose("binary", "[kernel]");
	CHECK(strstr(line("Functions", 1), "|copy|[kernel]"));
	CHECK(strstr(line("Functions", 2), "|entry|[kernel]"));
	CHECK_LINE("Functions", 3, "none");
	close_page();
}

/* --- filters --- */

/* With one line of each table. */
TEST(a_binary_has_the_lines_of_its_own)
{
	write_binaries();
	open_report("-n 1");
	CHECK(strstr(line("Functions", 1), "|main|/x"));
	CHECK_LINE("Functions", 2, "none");
	choose("binary", "/y");
	CHECK(strstr(line("Functions", 1), "|main|/y"));
	CHECK_LINE("Functions", 2, "none");
	/* What the search leaves is of this binary, too. */
	press("Tab");
	tell("document.getElementById('find').focus()");
	type("/x");
	CHECK_LINE("Functions", 1, "none");
	tell("document.getElementById('find').select()");
	type("main");
	CHECK(strstr(line("Functions", 1), "|main|/y"));
	/* Of all binaries, it leaves what is not among the most frequent lines of all, too. */
	choose("binary", "all binaries");
	CHECK(strstr(line("Functions", 1), "|main|/x"));
	CHECK(strstr(line("Functions", 2), "|main|/y"));
	CHECK_LINE("Functions", 3, "none");
	tell("document.getElementById('find').select()");
	press("Delete");
	CHECK(strstr(line("Functions", 1), "|main|/x"));
	CHECK_LINE("Functions", 2, "none");
	CHECK(!chromium.said);
	close_page();
}

/* Each ran in several. */
TEST(a_binary_leaves_the_commands)
{
	write_binaries();
	open_report("--by commands,functions");
	CHECK_LINE("Commands", 1, "4|100.0%|1|[unknown]");
	choose("binary", "/y");
	CHECK_LINE("Commands", 1, "4|100.0%|1|[unknown]");
	CHECK(!chromium.said);
	close_page();
}

TEST(a_thread_has_what_it_ran)
{
	write_threads("main", "worker");
	open_report("");
	CHECK_LINE("Commands", 1, "2|66.7%|1|main");
	CHECK_LINE("Commands", 2, "1|33.3%|1|worker");
	CHECK_LINE("Calls", 1, "4|44.4%|main|leaf");
	choose("thread", "worker (tid 6)");
	CHECK_LINE("Calls", 1, "1|100.0%|caller|main");
	CHECK_LINE("Calls", 2, "none");
	CHECK_TELLS("document.getElementById('all').hidden", "true");
	CHECK_TELLS("document.getElementById('t0').hidden", "true");
	choose("thread", "main (tid 5)");
	CHECK_LINE("Calls", 1, "4|50.0%|main|leaf");
	choose("thread", "all threads");
	CHECK_LINE("Calls", 1, "4|44.4%|main|leaf");
	CHECK_TELLS("document.getElementById('threads').hidden", "true");
	CHECK(!chromium.said);
	close_page();
}

/* leaf is called in the thread 5, and twin in the thread 6. */
TEST(a_thread_has_its_own_flame_graph)
{
#define BOXES "Array.from(document.querySelectorAll('.boxes button')).filter(function (b) {" \
	      " return b.getClientRects().length; }).map(function (b) {" \
	      " return b.textContent; }).join(' ')"
	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	add_calls_of(6, MAP_AT + 0x16, NULL, 0, recorded + 1, 1);
	write_files();
	open_report("");
	CHECK_TELLS(BOXES, "all caller main leaf twin");
	choose("thread", "tid 6");
	CHECK_TELLS(BOXES, "all caller twin");
	/* It can be enlarged by itself. */
	click("document.querySelectorAll('#t1 .boxes button')[2]");
	CHECK_TELLS("document.querySelector('#t1 .about').textContent", "twin: 100.0%, 1 samples");
	CHECK_TELLS("document.querySelector('#all .about').textContent", "all: 100.0%, 2 samples");
	choose("thread", "tid 5");
	CHECK_TELLS(BOXES, "all caller main leaf");
	CHECK(!chromium.said);
	close_page();
}

/* --- readers --- */

/* Without a scroll bar, what is beyond the edge would be lost. */
TEST(paper_has_all_columns)
{
#define BEYOND "Array.from(document.querySelectorAll('td')).filter(function (cell) {" \
	       " return cell.getClientRects().length; }).filter(function (cell) {" \
	       " return cell.getBoundingClientRect().right > innerWidth; }).length"
	static char name[301];

	memset(name, 'x', 300);
	begin_program();
	elf.symbols[0].name = name;
	ADD_STEPS(once);
	write_files();
	open_report("");
	command("Emulation.setDeviceMetricsOverride",
		"\"width\":720,\"height\":1000,\"deviceScaleFactor\":1,\"mobile\":false");
	CHECK(strcmp(tell(BEYOND), "0"));
	command("Emulation.setEmulatedMedia", "\"media\":\"print\"");
	CHECK_TELLS(BEYOND, "0");
	/* A type has no breaks. */
	CHECK_TELLS("(function (range) {"
		    "range.selectNodeContents(document.querySelectorAll('td')[2]);"
		    "return range.toString() + range.getClientRects().length; })(document.createRange())",
		    "IND_CALL1");
	CHECK(!chromium.said);
	close_page();
}

TEST(without_a_script_nothing_is_missing)
{
	write_threads("main", "worker");
	open_report("");
	command("Emulation.setScriptExecutionDisabled", "\"value\":true");
	command("Page.reload", "");
	while (strcmp(tell("document.readyState"), "complete"))
		usleep(10000);
	CHECK_TELLS("document.getElementById('filters').getClientRects().length", "0");
	CHECK_LINE("Calls", 1, "4|44.4%|main|leaf");
	/* The threads are there, and open by a click. */
	click("document.querySelector('#t1 summary')");
	CHECK_TELLS("document.getElementById('t1').open", "true");
	CHECK_TELLS("document.querySelector('#t1 tr:nth-child(2)').getClientRects().length", "1");
	close_page();
}

/* As a phone has: what is wider can be scrolled by itself. */
static void check_narrow(void)
{
	command("Emulation.setDeviceMetricsOverride",
		"\"width\":420,\"height\":800,\"deviceScaleFactor\":1,\"mobile\":true");
	CHECK_TELLS("document.documentElement.scrollWidth", "420");
}

TEST(a_narrow_page_is_not_wider_than_the_screen)
{
	const char *dir = test_tmpdir();

	write_binaries();
	open_report("");
	check_narrow();
	write_threads("a long name", "another name");
	open_report("");
	choose("thread", "a long name (tid 5)");
	check_narrow();
	RECORD("old", 400, once);
	RECORD("new", 400, alone);
	CHECK_EQ(run("ssctr diff --raw --all --symfs %s --html %s/page.html %s/old.data %s/new.data",
		     dir, dir, dir, dir), 0);
	open_page("page.html");
	check_narrow();
	close_page();
}

TEST(a_dark_screen_has_a_dark_page)
{
	write_program();
	open_report("");
	CHECK_TELLS("getComputedStyle(document.body).color", "rgb(0, 0, 0)");
	command("Emulation.setEmulatedMedia",
		"\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"dark\"}]");
	CHECK_TELLS("getComputedStyle(document.body).color", "rgb(255, 255, 255)");
	close_page();
}
