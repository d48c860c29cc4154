// SPDX-License-Identifier: GPL-2.0-only
/* The flame graph in a page of ssctr report, with the keyboard alone. */
#include "../cmd-calls.h"
#include "chromium.h"

/* caller called main and twin, and main called leaf: 3 of 4 samples in leaf, 1 in twin. */
static void open_flames(void)
{
	const char *dir = test_tmpdir();
	unsigned int i;

	begin_calls(PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_CALL_STACK);
	for (i = 0; i < 3; i++)
		add_calls(MAP_AT + 0x10, NULL, 0, recorded, 2);
	add_calls(MAP_AT + 0x16, NULL, 0, recorded + 1, 1);
	write_files();
	CHECK_EQ(run("ssctr report -i %s/perf.data --symfs %s --html %s/page.html", dir, dir, dir),
		 0);
	open_page("page.html");
}

/* The box that has the focus, and how wide it is. */
#define FOCUS "document.activeElement.textContent + ' ' + document.activeElement.style.width"
#define ABOUT "document.querySelector('.about').textContent"
/* What can be seen. */
#define BOXES "Array.from(document.querySelectorAll('.boxes button')).filter(function (b) {" \
	      " return b.getClientRects().length; }).map(function (b) {" \
	      " return b.textContent; }).join(' ')"

/* The field, the button, and one of the boxes. */
static void tab_to_boxes(void)
{
	press("Tab");
	CHECK_TELLS("document.activeElement.id", "find");
	press("Tab");
	CHECK_TELLS("document.activeElement.className", "reset");
	press("Tab");
	CHECK_TELLS(FOCUS, "all 100%");
}

TEST(tab_leads_to_one_box_and_behind_them)
{
	open_flames();
	tab_to_boxes();
	CHECK_TELLS(ABOUT, "all: 100.0%, 4 samples");
	press("Tab");
	CHECK_TELLS("document.activeElement.closest('.boxes')", "null");
	CHECK(!chromium.said);
	close_page();
}

TEST(the_focus_can_be_seen)
{
	open_flames();
	tab_to_boxes();
	CHECK_TELLS("getComputedStyle(document.activeElement).outlineStyle", "solid");
	close_page();
}

TEST(arrows_lead_from_box_to_box)
{
	open_flames();
	tab_to_boxes();
	press("ArrowDown");
	CHECK_TELLS(FOCUS, "caller 100%");
	press("ArrowDown");
	CHECK_TELLS(FOCUS, "main 75%");
	CHECK_TELLS(ABOUT, "main: 75.0%, 3 samples");
	press("ArrowRight");
	CHECK_TELLS(FOCUS, "twin 25%");
	CHECK_TELLS(ABOUT, "twin: 25.0%, 1 samples");
	/* There is nothing to the right of it, nor below it. */
	press("ArrowRight");
	press("ArrowDown");
	CHECK_TELLS(FOCUS, "twin 25%");
	press("ArrowLeft");
	press("ArrowDown");
	CHECK_TELLS(FOCUS, "leaf 75%");
	press("ArrowUp");
	press("ArrowUp");
	press("ArrowUp");
	press("ArrowUp");
	CHECK_TELLS(FOCUS, "all 100%");
	close_page();
}

TEST(enter_enlarges_a_box_and_brings_all_back)
{
	open_flames();
	tab_to_boxes();
	press("ArrowDown");
	press("ArrowDown");
	press("Enter");
	CHECK_TELLS(FOCUS, "main 100%");
	CHECK_TELLS(BOXES, "all caller main leaf");
	/* What cannot be seen is not reached. */
	press("ArrowRight");
	CHECK_TELLS(FOCUS, "main 100%");
	press("ArrowDown");
	CHECK_TELLS(FOCUS, "leaf 100%");
	press("ArrowUp");
	press("ArrowUp");
	press("ArrowUp");
	CHECK_TELLS(FOCUS, "all 100%");
	press("Enter");
	CHECK_TELLS(BOXES, "all caller main leaf twin");
	CHECK(!chromium.said);
	close_page();
}

TEST(the_box_that_had_the_focus_has_it_again)
{
	open_flames();
	tab_to_boxes();
	press("ArrowDown");
	press("ArrowDown");
	press("ArrowRight");
	press("Tab");
	tell("document.querySelector('.reset').focus()");
	press("Tab");
	CHECK_TELLS(FOCUS, "twin 25%");
	close_page();
}

TEST(reset_by_the_keyboard_shows_all_boxes)
{
	open_flames();
	tab_to_boxes();
	press("ArrowDown");
	press("ArrowDown");
	press("Enter");
	tell("document.querySelector('.reset').focus()");
	press("Enter");
	CHECK_TELLS(BOXES, "all caller main leaf twin");
	close_page();
}

/* --- the tables --- */

#define COLUMN "Array.from(document.querySelectorAll('table')[0].rows).slice(1)" \
	       ".map(function (r) { return r.cells[0].textContent; }).join(' ')"
#define SORTED "document.querySelectorAll('table')[0].rows[0].cells[0].getAttribute('aria-sort')"

/* The counts of the transfers: 3 and 1. Enter and Space sort by them, as a click does. */
TEST(a_table_is_sorted_by_its_heads)
{
	static const uint64_t back[][3] = { { MAP_AT + 0x0a, MAP_AT + 0x04, 0 } };
	static const uint64_t call[][3] = { { MAP_AT + 0x12, MAP_AT, 0 } };
	const char *dir = test_tmpdir();
	unsigned int i;

	begin_program();
	for (i = 0; i < 3; i++)
		add_sample(5, 2 + i, MAP_AT, 1, back);
	add_sample(5, 9, MAP_AT, 1, call);
	write_files();
	CHECK_EQ(run("ssctr report --raw --by edges -i %s/perf.data --symfs %s --html %s/page.html",
		     dir, dir, dir), 0);
	open_page("page.html");
	CHECK_TELLS(COLUMN, "3 1");
	CHECK_TELLS(SORTED, "null");
	press("Tab");
	press("Tab");
	CHECK_TELLS("document.activeElement.parentNode.outerHTML.slice(0, 3) + document.activeElement.textContent",
		    "<thcount");
	CHECK_TELLS("getComputedStyle(document.activeElement).outlineStyle", "solid");
	press("Enter");
	CHECK_TELLS(COLUMN, "3 1");
	CHECK_TELLS(SORTED, "descending");
	press("Enter");
	CHECK_TELLS(COLUMN, "1 3");
	CHECK_TELLS(SORTED, "ascending");
	/* By the type, a text. */
	press("Tab");
	press("Tab");
	press("Enter");
	CHECK_TELLS(SORTED, "null");
	CHECK_TELLS("document.activeElement.parentNode.getAttribute('aria-sort')", "ascending");
	CHECK_TELLS(COLUMN, "3 1");
	CHECK_TELLS("document.querySelectorAll('main').length", "1");
	CHECK(!chromium.said);
	close_page();
}
