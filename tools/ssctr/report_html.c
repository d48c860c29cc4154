// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report as a page: it is well-formed XML, too. */
#include "hot_print.h"
#include "report.h"
#include "riscv/rv_disasm.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum {
	/* Of a loop: its cold parts may be far behind. */
	MAX_INSNS = 256,
};

struct page {
	const struct report *report;
	const struct hot *hot;
	struct rv_disasm *disasm; /* NULL: opcodes must do */
	FILE *file;
};

/* Names come from files, and may be anything. */
static void put(FILE *file, const char *s)
{
	size_t size = strlen(s);

	while (size) {
		size_t n = text_utf8(s, size);

		if (*s == '<')
			fputs("&lt;", file);
		else if (*s == '>')
			fputs("&gt;", file);
		else if (*s == '&')
			fputs("&amp;", file);
		else if (!n || (unsigned char)*s < ' ')
			fputs("&#xfffd;", file);
		else
			fwrite(s, 1, n, file);
		s += n ? n : 1;
		size -= n ? n : 1;
	}
}

static void put_place(struct page *page, uint32_t place)
{
	const struct hot_place *p = &page->hot->places[place];
	unsigned int line;
	const char *path;

	put(page->file, hot_name(page->hot, p->function));
	fprintf(page->file, "+0x%" PRIx64, p->offset);
	if (!path_code_line(page->hot->code, &p->at, &path, &line))
		return;
	fputs(" (", page->file);
	put(page->file, basename(path));
	fprintf(page->file, ":%u)", line);
}

static void put_number(struct page *page, uint64_t value)
{
	fprintf(page->file, "<td class=\"n\">%" PRIu64 "</td>", value);
}

static void put_ratio(struct page *page, double part, uint64_t whole,
		      const char *unit)
{
	if (whole)
		fprintf(page->file, "<td class=\"n\">%.1f%s</td>",
			part / (double)whole, unit);
	else
		fputs("<td class=\"n\">-</td>", page->file);
}

/* The first cells of a row: a count, and its share of the whole. */
static void begin_row(struct page *page, uint64_t count, double percent)
{
	fputs("<tr>", page->file);
	put_number(page, hot_transfers(page->hot, count));
	put_ratio(page, percent, 1, "%");
}

static void end_row(struct page *page)
{
	fputs("</tr>\n", page->file);
}

static void put_name(struct page *page, const char *name)
{
	fputs("<td>", page->file);
	put(page->file, name);
	fputs("</td>", page->file);
}

static void put_place_cell(struct page *page, uint32_t place)
{
	fputs("<td>", page->file);
	put_place(page, place);
	fputs("</td>", page->file);
}

static void put_edge(struct page *page, uint32_t number)
{
	const struct hot *hot = page->hot;
	const struct hot_edge *e = &hot->edges[number];

	if (hot->has_predictions)
		put_ratio(page, 100.0 * (double)e->mispredicted, e->count, "%");
	if (hot->has_cycles)
		put_ratio(page, (double)e->cycles, e->timed, "");
	put_name(page, pd_branch_type_name(e->type));
	put_place_cell(page, e->from);
	put_place_cell(page, e->to);
}

static void put_function(struct page *page, uint32_t number)
{
	const struct hot_function *f = &page->hot->functions[number];

	put_name(page, f->known ? hot_name(page->hot, number) : "");
	put_name(page, f->binary);
}

static void put_loop(struct page *page, uint32_t number)
{
	const struct hot_loop *l = &page->hot->loops[number];
	char trips[24], range[40];

	put_number(page, hot_transfers(page->hot, l->entries));
	hot_trips_text(&l->trips, trips, range);
	fprintf(page->file, "<td class=\"n\">%s</td>", trips);
	put_name(page, range);
	put_place_cell(page, l->head);
	put_place_cell(page, l->last);
}

static void put_branch(struct page *page, uint32_t number)
{
	const struct hot_branch *b = &page->hot->branches[number];
	const struct hot_edge *e = &page->hot->edges[b->edge];
	const uint64_t runs = b->taken + b->passed;

	put_number(page, hot_transfers(page->hot, runs));
	put_ratio(page, 100.0 * (double)b->taken, runs, "%");
	put_place_cell(page, e->from);
	put_place_cell(page, e->to);
}

static void put_site(struct page *page, uint32_t number)
{
	const struct hot *hot = page->hot;
	const struct hot_site *s = &hot->sites[number];
	size_t i;

	put_name(page, pd_branch_type_name(s->type));
	put_place_cell(page, s->from);
	put_name(page, "");
	for (i = 0; i < s->nr && i < page->report->limit; i++) {
		const struct hot_edge *e =
			&hot->edges[hot->targets[s->first + i].number];

		end_row(page);
		begin_row(page, e->count,
			  100.0 * (double)e->count / (double)s->count);
		put_name(page, "");
		put_name(page, "");
		put_place_cell(page, e->to);
	}
}

static void put_call(struct page *page, uint32_t number)
{
	const struct hot_call *c = &page->hot->calls[number];

	put_name(page, hot_name(page->hot, c->from));
	put_name(page, hot_name(page->hot, c->to));
}

static const struct {
	const char *title;
	const char *columns; /* behind those that are alike */
	void (*put)(struct page *page, uint32_t number);
} tables[HOT_NR_LISTS] = {
	[HOT_EDGES] = { "Transfers", "<th>type</th><th>from</th><th>to</th>",
			put_edge },
	[HOT_FUNCTIONS] = { "Functions", "<th>function</th><th>binary</th>",
			    put_function },
	[HOT_LOOPS] = { "Loops",
			"<th>entries</th><th>trips</th><th>range</th><th>head</th><th>last</th>",
			put_loop },
	[HOT_BRANCHES] = { "Conditional branches",
			   "<th>runs</th><th>taken</th><th>branch</th><th>target</th>",
			   put_branch },
	[HOT_SITES] = { "Indirect branches",
			"<th>type</th><th>from</th><th>to</th>", put_site },
	[HOT_CALLS] = { "Calls", "<th>caller</th><th>callee</th>", put_call },
};

static void put_table(struct page *page, unsigned int section)
{
	const struct count_list *list = &page->hot->lists[section];
	size_t i;

	fprintf(page->file, "<h2>%s</h2>\n", tables[section].title);
	if (!report_knows(page->report, section)) {
		fputs("<p>They are not known: some kinds of branches were not recorded; <code>perf record -b</code> records all.</p>\n",
		      page->file);
		return;
	}
	fprintf(page->file, "<table>\n<tr><th>%s</th><th>share</th>",
		page->report->sections[section].counted);
	if (section == HOT_EDGES && page->hot->has_predictions)
		fputs("<th>missed</th>", page->file);
	if (section == HOT_EDGES && page->hot->has_cycles)
		fputs("<th>cycles</th>", page->file);
	fputs(tables[section].columns, page->file);
	end_row(page);
	for (i = 0; i < list->nr && i < page->report->limit; i++) {
		begin_row(page, list->v[i].count,
			  report_share(page->hot, section, i));
		tables[section].put(page, list->v[i].number);
		end_row(page);
	}
	fputs("</table>\n", page->file);
}

/* --- the code of loops --- */

static void put_insn(struct page *page, const struct hot_insn *l, uint64_t most)
{
	char text[128];

	fprintf(page->file, "<tr%s>",
		2 * l->runs >= most ? " class=\"hot\"" : "");
	put_number(page, hot_transfers(page->hot, l->runs));
	fprintf(page->file, "<td>+0x%" PRIx64 "</td><td>", l->offset);
	if (page->disasm)
		put(page->file,
		    rv_disasm_text(page->disasm, l->offset, l->insn.raw,
				l->insn.size, text, sizeof(text)));
	else
		fprintf(page->file, "%0*" PRIx32, 2 * l->insn.size,
			l->insn.raw);
	fputs("</td><td>", page->file);
	if (l->edge) {
		fprintf(page->file, "%" PRIu64 " to ",
			hot_transfers(page->hot, l->edge->count));
		put_place(page, l->edge->to);
		if (l->taken > l->edge->count)
			fprintf(page->file, ", %" PRIu64 " elsewhere",
				hot_transfers(page->hot,
					      l->taken - l->edge->count));
	}
	fputs("</td></tr>\n", page->file);
}

static void put_loop_code(struct page *page, const struct hot_loop *l)
{
	struct hot_insn v[MAX_INSNS];
	size_t i, nr = hot_loop_code(page->hot, l, v, MAX_INSNS);
	uint64_t most = 1;

	if (!nr)
		return;
	for (i = 0; i < nr; i++)
		if (v[i].runs > most)
			most = v[i].runs;
	fputs("<h3>", page->file);
	put_place(page, l->head);
	fputs("</h3>\n<table class=\"code\">\n<tr><th>ran</th><th>at</th><th>instruction</th><th>led</th></tr>\n",
	      page->file);
	for (i = 0; i < nr; i++)
		put_insn(page, &v[i], most);
	fputs("</table>\n", page->file);
	if (nr == MAX_INSNS)
		fprintf(page->file,
			"<p>The first %u instructions are shown.</p>\n",
			MAX_INSNS);
}

static void put_loops(struct page *page)
{
	const struct count_list *list = &page->hot->lists[HOT_LOOPS];
	size_t i;

	for (i = 0; i < list->nr && i < page->report->limit; i++)
		put_loop_code(page, &page->hot->loops[list->v[i].number]);
}

void report_html(const struct report *report, FILE *file)
{
	const double coverage = samples_least_coverage(report->samples);
	const struct hot *hot = &report->hot;
	struct page page = { report, hot, NULL, file };
	struct error error;
	unsigned int i;

	page.disasm = rv_disasm_new(false, &error);
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<title>ssctr report</title>\n<style>\n"
	      "body { font-family: sans-serif; margin: 2em; }\n"
	      "table { border-collapse: collapse; font-family: monospace; }\n"
	      "td, th { padding: 0 1em 0 0; text-align: left; white-space: nowrap; }\n"
	      ".n { text-align: right; }\n"
	      ".hot { background: #fdd; }\n"
	      "</style>\n</head>\n<body>\n<h1>ssctr report</h1>\n",
	      file);
	fprintf(file, "<p>%" PRIu64 " transfers in %" PRIu64 " samples</p>\n",
		hot->transfers, hot->samples);
	if (coverage < 0)
		fputs("<p>coverage not known</p>\n", file);
	else
		fprintf(file,
			"<p>coverage %.1f%%: between the samples, of what the event counted</p>\n",
			100 * coverage);
	if (hot->has_predictions)
		fprintf(file, "<p>%" PRIu64 " of them mispredicted</p>\n",
			hot_transfers(hot, hot->mispredicted));
	for (i = 0; i < HOT_NR_LISTS; i++) {
		if (!report->sections[i].wanted)
			continue;
		put_table(&page, i);
		if (i == HOT_LOOPS && report_knows(report, i))
			put_loops(&page);
	}
	fputs("</body>\n</html>\n", file);
	rv_disasm_free(page.disasm);
}
