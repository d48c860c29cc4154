// SPDX-License-Identifier: GPL-2.0-only
/* ssctr last as a page. */
#include "last.h"
#include "page.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_function(const struct last_where *where, FILE *file)
{
	page_name(file, where->inlined);
	fputs(*where->inlined ? " in " : "", file);
	page_name(file, where->function ?: "?");
}

static void put_step(const struct last *last, const struct last_shown *shown,
		     const struct last_step *step, FILE *file)
{
	const struct last_where where = last_where(last, &step->at);
	char text[256];

	fprintf(file, "<tr><td style=\"padding-left:%uem\">", 1 + step->depth);
	put_function(&where, file);
	fputs("</td>", file);
	page_cell(file, last_lines(last, step, text, sizeof(text)));
	/* Without code their number is not known. */
	if (step->nr_insns)
		page_number_cell(file, step->nr_insns);
	else
		page_cell(file, "");
	page_cell(file, last_end_text(shown, step, text, sizeof(text)));
	if (step->times > 1 && step->loop > 1)
		fprintf(file, "<td>this and the next %u: %u times</td>", step->loop - 1,
			step->times);
	else if (step->times > 1)
		fprintf(file, "<td>%u times</td>", step->times);
	else
		fputs("<td></td>", file);
	fputs("</tr>\n", file);
	free(where.function);
}

static void put_stop(const struct last *last, const struct last_shown *shown, FILE *file)
{
	const struct last_step *step = &shown->steps.v[shown->steps.nr - 1];
	const struct last_where where = last_where(last, &step->last_at);
	char *insn = last_insn(last, &step->last_at, step->last);

	fputs("<p>It stopped at ", file);
	put_function(&where, file);
	if (where.path) {
		fputs(", ", file);
		page_text(file, where.path);
		fprintf(file, ":%u", where.line);
	}
	if (insn) {
		fputs(": <code>", file);
		page_text(file, insn);
		fputs("</code>", file);
	}
	fputs("</p>\n", file);
	free(where.function);
	free(insn);
}

/* What a log lacks. */
static void put_lacks(const struct last_shown *shown, FILE *file)
{
	struct last_sentence sentences[2];
	const size_t nr = last_lacks(shown, sentences);
	size_t i;

	for (i = 0; i < nr; i++) {
		fputs("<p>", file);
		page_text(file, sentences[i].text);
		fputs("</p>\n", file);
	}
}

static void put_point(const struct last *last, const struct last_shown *shown, FILE *file)
{
	char *title = last_title(last, shown);
	size_t i;

	fputs("<h2>", file);
	page_text(file, title ?: "?");
	fputs("</h2>\n", file);
	free(title);
	if (!shown->steps.nr && shown->report) {
		put_lacks(shown, file);
		return;
	}
	if (!shown->steps.nr) {
		fputs("<p>No branch was recorded before it.</p>\n", file);
		return;
	}
	fprintf(file, "<p>The last %" PRIu64
		" branches before it, the newest last. A function is indented by the calls that led to it.</p>\n",
		shown->steps.nr_transfers);
	fputs("<table>\n<thead><tr><th>function</th><th>lines</th><th>instructions</th><th>then</th><th>how often</th></tr></thead>\n<tbody>\n",
	      file);
	for (i = 0; i < shown->steps.nr; i++)
		put_step(last, shown, &shown->steps.v[i], file);
	fputs("</tbody>\n</table>\n", file);
	put_stop(last, shown, file);
	put_lacks(shown, file);
}

static void put_top(void *arg, FILE *file)
{
	struct notes notes = { 0 };

	last_note(arg, &notes);
	page_begin(file, "The last branches", "");
	page_notes(file, &notes);
	page_search(file, "a function or a line");
	notes_free(&notes);
}

static void put_rest(void *arg, FILE *file)
{
	const struct last *last = arg;
	size_t i;

	if (!last->nr)
		fputs("<p>No process was killed, and no other point was reached.</p>\n", file);
	for (i = 0; i < last->nr; i++)
		put_point(last, &last->v[i], file);
	page_end(file, "");
}

int last_html(struct last *last, const char *path)
{
	static const struct page_parts parts = { put_top, put_rest };

	return page_write(last->rec.cmd, path, &parts, last);
}
