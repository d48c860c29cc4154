// SPDX-License-Identifier: GPL-2.0-only
/* ssctr diff as a page. */
#include "diff.h"

#include <inttypes.h>

static const struct {
	const char *title;
	const char *about; /* what a line is */
	const char *columns; /* behind those that are alike */
} tables[HOT_NR_DIFFS] = {
	[HOT_DIFF_FUNCTIONS] = { "Functions",
				 "The old and the new share of all instructions that ran, without those of what the function calls.",
				 "<th>function</th>" },
	[HOT_DIFF_LOOPS] = { "Loops",
			     "The old and the new share of all instructions that ran, with inner loops. Trips say how often the head of the loop runs for one entry. The trips of a loop changed if their ranges lie apart.",
			     "<th>old trips</th><th>new trips</th><th>loop</th>" },
	[HOT_DIFF_BRANCHES] = { "Conditional branches",
				"How often the branch was taken, of the times that it ran. Only branches that are in both recordings are compared.",
				"<th>branch</th>" },
};

/* With a bar, so that two shares can be compared at a glance. */
static void put_share(FILE *file, uint32_t number, double share)
{
	if (number == HOT_NOWHERE) {
		fputs("<td class=\"n\">-</td>", file);
		return;
	}
	page_begin_bar_cell(file, share);
	fprintf(file, "%.1f%%</td>", 100 * share);
}

static void put_trips(FILE *file, const struct hot *hot, uint32_t number)
{
	char mean[24];

	diff_trips(hot, number, mean);
	fprintf(file, "<td class=\"n\">%s</td>", mean);
}

static void put_change(const struct both *both, unsigned int which,
		       const struct hot_change *change, FILE *file)
{
	const struct hot *hot;
	uint32_t number;

	hot = diff_where(both, change, &number);
	fputs("<tr>", file);
	put_share(file, change->old, change->was);
	put_share(file, change->now, change->is);
	fprintf(file, "<td class=\"n\">%+.1f</td>", 100 * (change->is - change->was));
	if (both->all)
		page_cell(file, change->beyond ? "yes" : "may be chance");
	if (which == HOT_DIFF_LOOPS) {
		put_trips(file, &both->hot[0], change->old);
		put_trips(file, &both->hot[1], change->now);
	}
	fputs("<td>", file);
	if (which == HOT_DIFF_FUNCTIONS)
		page_function(file, hot, number);
	else
		page_place(file, hot, hot_diff_place(which, hot, number));
	fputs("</td></tr>\n", file);
}

static void put_table(const struct both *both, unsigned int which, FILE *file)
{
	const struct hot_diff *diff = &both->diff;
	const size_t wanted = diff_wanted(both, which);
	size_t i;

	fprintf(file, "<h2>%s</h2>\n<p><strong>%zu of %zu %s changed.</strong>",
		tables[which].title, diff->beyond[which], diff->nr[which], diff_names[which]);
	if (wanted > both->limit)
		fprintf(file, " The %" PRIu64 " largest changes are shown; <code>-n</code> shows more.",
			both->limit);
	fprintf(file, " %s</p>\n", tables[which].about);
	if (!wanted || !both->limit)
		return;
	fprintf(file, "<div class=\"scroll\">\n<table>\n<tr><th>old</th><th>new</th><th>change</th>%s%s</tr>\n",
		both->all ? "<th>changed</th>" : "", tables[which].columns);
	for (i = 0; i < wanted && i < both->limit; i++)
		put_change(both, which, &diff->v[which][i], file);
	fputs("</table>\n</div>\n", file);
}

/* docs/diff.md says the same at length. */
static void put_judged(const struct both *both, FILE *file)
{
	fputs("<p>Something changed if its change is larger than chance makes it in one of a thousand cases (3.29 standard deviations). All that is in one sample counts as one observation. So more samples show smaller changes. ",
	      file);
	fputs(both->all ? "What may be chance is shown, too, and is marked.</p>\n" :
			  "What may be chance is left out; <code>--all</code> shows it.</p>\n",
	      file);
	fputs("<p>The change is in percentage points. The largest change comes first. A <code>-</code> means that this recording does not have it.</p>\n",
	      file);
}

static void put_top(void *arg, FILE *file)
{
	static const char *const titles[] = { "Old", "New" };
	struct both *both = arg;
	unsigned int i;

	page_begin(file, "ssctr diff", "");
	fputs("<div class=\"beside\">\n", file);
	for (i = 0; i < 2; i++) {
		fprintf(file, "<div>\n<h2>%s</h2>\n", titles[i]);
		page_facts(file, &both->rec[i], &both->hot[i]);
		page_notes(file, rec_notes(&both->rec[i], &both->hot[i]));
		fputs("</div>\n", file);
	}
	fputs("</div>\n", file);
	page_notes(file, &both->notes);
}

static void put_rest(void *arg, FILE *file)
{
	const struct both *both = arg;
	unsigned int i;

	put_judged(both, file);
	page_search(file, "Find a function or a file");
	for (i = 0; i < HOT_NR_DIFFS; i++)
		put_table(both, i, file);
	page_end(file, "");
}

const struct page_parts diff_page = { put_top, put_rest };
