// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page of ssctr report in a real browser, without a network: `make test-browser`.
 * BROWSER names it; Chromium and what takes its options.
 */
#include "../cmd-calls.h"

/* What a page must never become: a script would say so on the console. */
static const char wicked[] = "<img src=nowhere onerror=console.log(1)>";

static void write_page(void)
{
	const char *dir = test_tmpdir();

	begin();
	elf.symbols[1].name = wicked;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --html %s/page.html",
		     dir, dir, dir), 0);
}

/* With the name resolver that knows no name, and no profile of the user. */
static int browse(const char *action)
{
	const char *browser = getenv("BROWSER"), *dir = test_tmpdir();

	return run("%s --headless --no-sandbox --disable-gpu --no-first-run"
		   " --disable-background-networking --disable-component-update"
		   " --disable-sync --disable-quic --enable-logging=stderr"
		   " --host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir=%s/user"
		   " %s file://%s/page.html",
		   browser ? browser : "chromium", dir, action, dir);
}

static unsigned int count_of(const char *text, const char *what)
{
	unsigned int n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

TEST(all_sections_and_rows_are_there)
{
	static const char *const sections[] = {
		"<h2>Transfers</h2>", "<h2>Functions</h2>", "<h2>Loops</h2>",
		"<h2>Indirect branches</h2>", "<h2>Calls</h2>",
	};
	char page[1 << 16];
	const char *at;
	size_t i;

	write_page();
	CHECK_EQ(run("cat %s/page.html", test_tmpdir()), 0);
	CHECK(strlen(run_out) < sizeof(page));
	strcpy(page, run_out);
	CHECK_EQ(browse("--dump-dom"), 0);
	for (i = 0, at = run_out; i < 5; i++) {
		at = strstr(at, sections[i]);
		if (!at)
			test_fail(__FILE__, __LINE__, "no %s", sections[i]);
	}
	CHECK(count_of(page, "<tr>") > 5);
	CHECK_EQ(count_of(run_out, "<tr"), count_of(page, "<tr"));
	CHECK_EQ(count_of(run_out, "<td"), count_of(page, "<td"));
	CHECK_EQ(count_of(run_out, "<table"), count_of(page, "<table"));
}

TEST(names_are_text_and_nothing_is_said_on_the_console)
{
	write_page();
	CHECK_EQ(browse("--dump-dom"), 0);
	CHECK(strstr(run_out, "&lt;img src=nowhere"));
	CHECK(!strstr(run_out, "<img"));
	CHECK(!strstr(run_err, "CONSOLE"));
}

/* In a script behind the page's own; then the page as it is. */
static void act_on_page(const char *script)
{
	const char *dir = test_tmpdir();
	FILE *file;
	char path[512];

	snprintf(path, sizeof(path), "%s/page.html", dir);
	file = fopen(path, "a");
	CHECK(file && fprintf(file, "<script>%s</script>\n", script) > 0 && !fclose(file));
	CHECK_EQ(browse("--dump-dom"), 0);
	CHECK(!strstr(run_err, "CONSOLE"));
}

#define FIND(_text)                                                            \
	"var find = document.getElementById('find'); find.value = '" _text "';" \
	"find.dispatchEvent(new Event('input'));"

/* What a person does. */
static void act(const char *script)
{
	write_page();
	act_on_page(script);
}

TEST(a_search_leaves_what_has_the_words)
{
	act(FIND("MAIN"));
	CHECK(count_of(run_out, "<tr hidden=\"\">") > 0);
	CHECK(count_of(run_out, "<tr>") > count_of(run_out, ">entries</button>"));
	act(FIND("no such function"));
	/* The heads of the tables are left. */
	CHECK_EQ(count_of(run_out, "<tr><td class=\"n\">"), 0);
	CHECK(strstr(run_out, "<details open=\"open\" hidden=\"\">"));
	act(FIND("no such function") FIND(""));
	CHECK_EQ(count_of(run_out, "hidden=\"\""), 0);
}

/* Once the most first, as it is; then the least. */
TEST(a_click_on_a_column_sorts_by_it)
{
	const char *load, *main;

	act("var head = document.querySelectorAll('table')[1].rows[0].cells[2]; head.click();");
	main = strstr(run_out, ">function</button></th>");
	CHECK(main);
	load = strstr(main, "<td>&lt;img");
	main = strstr(main, "<td>main</td>");
	CHECK(load && main && load < main);
	act("var head = document.querySelectorAll('table')[1].rows[0].cells[2]; head.click(); head.click();");
	main = strstr(run_out, ">function</button></th>");
	load = strstr(main, "<td>&lt;img");
	main = strstr(main, "<td>main</td>");
	CHECK(load && main && main < load);
}

TEST(a_function_opens_and_closes)
{
	act("document.querySelector('summary').click();");
	CHECK(strstr(run_out, "<details><summary>") || strstr(run_out, "<details>\n<summary>"));
	CHECK(!strstr(run_out, "<details open"));
}

/* By default a window is 800 pixels wide. */
TEST(a_long_name_leaves_the_columns_behind_it_in_sight)
{
	const char *dir = test_tmpdir();
	char name[1001];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	begin();
	elf.symbols[1].name = name;
	add_sample(5, 1, MAP_AT + 0x02, 4, loop);
	write_files();
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --html %s/page.html", dir, dir, dir), 0);
	act_on_page("document.title = [Array.from(document.querySelectorAll('.scroll table')).every("
		    "function (t) { return t.scrollWidth < 1280; }), "
		    "document.querySelector('.name').title.length].join(' ');");
	CHECK(strstr(run_out, "<title>true 1000</title>"));
}

/* --- call stacks --- */

/* 3 of 4 samples in a function that main called, of which the name is wicked; 1 in twin. */
static void write_flames(void)
{
	const char *dir = test_tmpdir();
	unsigned int i;

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	elf.nr_symbols = 0;
	add_function("main", 0x00, 0x10);
	add_function("</script><img src=nowhere onerror=console.log(1)>", 0x10, 2);
	add_function("caller", 0x12, 4);
	add_function("twin", 0x16, 2);
	for (i = 0; i < 3; i++)
		add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	add_calls(MAP_AT + 0x16, NULL, 0, recorded + 1, 1);
	write_files();
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --html %s/page.html",
		     dir, dir, dir), 0);
}

/*
 * What a person does, and then a line for each box that is there: where it begins, its
 * width, its classes, and its name. The page has it as a title, from which it is read.
 */
static void act_on_flames(const char *script)
{
	char all[2048];

	write_flames();
	snprintf(all, sizeof(all),
		 "var box = function (name) { return Array.from(document.querySelectorAll('.boxes button'))"
		 ".find(function (b) { return b.textContent.startsWith(name); }); };"
		 "%s;"
		 "document.title = 'boxes ' + Array.from(document.querySelectorAll('.boxes button'))"
		 ".filter(function (b) { return !b.hidden; }).map(function (b) {"
		 "return [b.style.left, b.style.width, b.className, b.textContent.slice(0, 6)].join(' '); })"
		 ".join('; ') + ' about ' + document.querySelector('.about').textContent;",
		 script);
	act_on_page(all);
}

#define CHECK_TITLE(_text)                                                     \
	do {                                                                   \
		if (!strstr(run_out, "<title>" _text "</title>"))              \
			test_fail(__FILE__, __LINE__, "%.300s",                \
				  strstr(run_out, "<title>boxes") ?: run_out); \
	} while (0)

#define WICKED "&lt;/scri"
#define ALL_BOXES                                                              \
	"boxes 0% 100%  all; 0% 100%  caller; 0% 75%  main; 0% 75%  &lt;/scri; 75% 25%  twin"

TEST(a_flame_graph_takes_the_place_of_the_list)
{
	act_on_flames("");
	CHECK_TITLE(ALL_BOXES " about all: 100.0%, 4 samples");
	CHECK(!strstr(run_out, "class=\"stacks\"") && strstr(run_out, "<div class=\"flame\">"));
	CHECK(!strstr(run_out, "<img"));
}

TEST(a_click_on_a_box_enlarges_it_and_one_on_the_root_or_reset_all)
{
	act_on_flames("box('main').click()");
	CHECK_TITLE("boxes 0% 100% above all; 0% 100% above caller; 0% 100%  main; "
		    "0% 100%  " WICKED " about main: 75.0%, 3 samples");
	act_on_flames("box('twin').click()");
	CHECK_TITLE("boxes 0% 100% above all; 0% 100% above caller; 0% 100%  twin"
		    " about twin: 25.0%, 1 samples");
	act_on_flames("box('main').click(); box('all').click()");
	CHECK_TITLE(ALL_BOXES " about all: 100.0%, 4 samples");
	act_on_flames("box('main').click(); document.querySelector('.reset').click()");
	CHECK_TITLE(ALL_BOXES " about all: 100.0%, 4 samples");
}

TEST(a_box_tells_its_samples_when_the_mouse_is_on_it)
{
	act_on_flames("box('twin').dispatchEvent(new Event('mouseenter'))");
	CHECK_TITLE(ALL_BOXES " about twin: 25.0%, 1 samples");
}

TEST(a_search_marks_boxes)
{
	act_on_flames(FIND("AIN"));
	CHECK_TITLE("boxes 0% 100%  all; 0% 100%  caller; 0% 75% found main; 0% 75%  " WICKED
		    "; 75% 25%  twin about all: 100.0%, 4 samples");
	act_on_flames(FIND("AIN") FIND(""));
	CHECK_TITLE(ALL_BOXES " about all: 100.0%, 4 samples");
}

TEST(a_picture_of_it_is_not_empty)
{
	char action[256];

	write_page();
	snprintf(action, sizeof(action), "--screenshot=%s/page.png",
		 test_tmpdir());
	CHECK_EQ(browse(action), 0);
	/* An empty one of that size compresses to less than 5 KB. */
	CHECK_EQ(run("test $(stat -c %%s %s/page.png) -gt 10000",
		     test_tmpdir()), 0);
}
