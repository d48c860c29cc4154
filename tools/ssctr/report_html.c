// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report as a page: it is well-formed XML, too. */
#include "report.h"
#include "riscv/rv_disasm.h"
#include "riscv/rv_insn.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Of a loop: its cold parts may be far behind. */
	MAX_INSNS = 256,
};

struct page {
	const struct report *report;
	const struct hot *hot;
	struct path_code *code;
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

	put(page->file, page->hot->functions[p->function].name);
	fprintf(page->file, "+0x%" PRIx64, p->offset);
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

/* A count and its share of the whole. */
static void put_count(struct page *page, uint64_t count, uint64_t whole)
{
	fputs("<tr>", page->file);
	put_number(page, count);
	put_ratio(page, 100.0 * (double)count, whole, "%");
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

static void end_row(struct page *page)
{
	fputs("</tr>\n", page->file);
}

/* headings: cells of the first row. */
static void begin_table(struct page *page, const char *title,
			const char *headings)
{
	fprintf(page->file, "<h2>%s</h2>\n<table>\n<tr>%s", title, headings);
}

static void put_edges(struct page *page)
{
	const struct transfers *t = page->hot->transfers;
	size_t i;

	begin_table(page, "Transfers", "<th>count</th><th>share</th>");
	if (t->has_predictions)
		fputs("<th>missed</th>", page->file);
	if (t->has_cycles)
		fputs("<th>cycles</th>", page->file);
	fputs("<th>type</th><th>from</th><th>to</th></tr>\n", page->file);
	for (i = 0; i < page->hot->nr_edges && i < page->report->limit; i++) {
		const struct hot_edge *e = &page->hot->edges[i];

		put_count(page, e->count, t->entries);
		if (t->has_predictions)
			put_ratio(page, 100.0 * (double)e->mispredicted,
				  e->count, "%");
		if (t->has_cycles)
			put_ratio(page, (double)e->cycles, e->timed, "");
		put_name(page, pd_branch_type_name(e->type));
		put_place_cell(page, e->from);
		put_place_cell(page, e->to);
		end_row(page);
	}
	fputs("</table>\n", page->file);
}

static void put_functions(struct page *page)
{
	const struct hot *hot = page->hot;
	size_t i;

	begin_table(
		page, "Functions",
		"<th>entries</th><th>share</th><th>function</th><th>binary</th></tr>\n");
	for (i = 0; i < hot->nr_entered && i < page->report->limit; i++) {
		const struct hot_function *f = &hot->functions[hot->entered[i]];

		put_count(page, f->entries, hot->entries);
		put_name(page, f->known ? f->name : "");
		put_name(page, f->binary);
		end_row(page);
	}
	fputs("</table>\n", page->file);
}

/* --- loops --- */

struct listed {
	uint64_t offset; /* from the function's start */
	struct rv_insn insn;
	int64_t runs; /* first the change at this instruction, then the count */
	uint64_t taken; /* transfers from it */
	const struct hot_edge *edge; /* the most frequent of them */
};

/* The instruction at or behind an offset; nr: none. */
static size_t find_insn(const struct listed *v, size_t nr, uint64_t offset)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (v[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t decode_loop(struct page *page, const struct hot_loop *l,
			  struct listed *v)
{
	const struct hot_place *places = page->hot->places;
	uint64_t at = places[l->head].offset, left;
	const uint8_t *code;
	size_t nr = 0;

	code = path_code_bytes(page->code,
			       &page->hot->transfers->places[l->head], &left);
	while (code && nr < MAX_INSNS && at <= places[l->last].offset) {
		int size;

		v[nr] = (struct listed){ .offset = at };
		size = rv_decode(&v[nr].insn, code, left, 0);
		if (size < 0)
			break;
		nr++;
		code += size;
		left -= size;
		at += size;
	}
	return nr;
}

static void count_runs(struct page *page, uint32_t function, struct listed *v,
		       size_t nr)
{
	const struct hot_place *places = page->hot->places;
	const struct transfers *t = page->hot->transfers;
	int64_t running = 0;
	size_t i, k;

	for (i = 0; i < t->nr_steps; i++) {
		const struct tr_step *s = &t->steps[i];

		if (s->end == TR_NONE || s->end < s->to ||
		    places[s->to].function != function ||
		    places[s->end].function != function)
			continue;
		k = find_insn(v, nr, places[s->to].offset);
		if (k < nr)
			v[k].runs += s->count;
		k = find_insn(v, nr, places[s->end].offset + 1);
		if (k < nr)
			v[k].runs -= s->count;
	}
	for (i = 0; i < nr; i++)
		v[i].runs = running += v[i].runs;
	for (i = 0; i < page->hot->nr_edges; i++) {
		const struct hot_edge *e = &page->hot->edges[i];

		if (places[e->from].function != function)
			continue;
		k = find_insn(v, nr, places[e->from].offset);
		if (k == nr || v[k].offset != places[e->from].offset)
			continue;
		v[k].taken += e->count;
		if (!v[k].edge)
			v[k].edge = e;
	}
}

static void put_insn(struct page *page, const struct listed *l, int64_t most)
{
	char text[128];

	fprintf(page->file, "<tr%s>",
		2 * l->runs >= most ? " class=\"hot\"" : "");
	put_number(page, l->runs);
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
		fprintf(page->file, "%" PRIu64 " to ", l->edge->count);
		put_place(page, l->edge->to);
		if (l->taken > l->edge->count)
			fprintf(page->file, ", %" PRIu64 " elsewhere",
				l->taken - l->edge->count);
	}
	fputs("</td></tr>\n", page->file);
}

static void put_loop_code(struct page *page, const struct hot_loop *l,
			  struct listed *v)
{
	uint32_t function = page->hot->places[l->head].function;
	size_t i, nr = decode_loop(page, l, v);
	int64_t most = 1;

	if (!nr)
		return;
	count_runs(page, function, v, nr);
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

static bool put_loops(struct page *page)
{
	const struct hot *hot = page->hot;
	struct listed *v;
	size_t i;

	if (page->report->filtered) {
		fputs("<h2>Loops</h2>\n<p>They are not known: some kinds of branches were not recorded; <code>perf record -b</code> records all.</p>\n",
		      page->file);
		return true;
	}
	v = malloc(MAX_INSNS * sizeof(*v));
	if (!v)
		return false;
	begin_table(
		page, "Loops",
		"<th>iterations</th><th>share</th><th>entries</th><th>trips</th><th>head</th><th>last</th></tr>\n");
	for (i = 0; i < hot->nr_loops && i < page->report->limit; i++) {
		const struct hot_loop *l = &hot->loops[i];

		put_count(page, l->iterations, hot->iterations);
		put_number(page, l->entries);
		put_ratio(page, (double)l->iterations, l->entries, "");
		put_place_cell(page, l->head);
		put_place_cell(page, l->last);
		end_row(page);
	}
	fputs("</table>\n", page->file);
	for (i = 0; i < hot->nr_loops && i < page->report->limit; i++)
		put_loop_code(page, &hot->loops[i], v);
	free(v);
	return true;
}

static void put_targets(struct page *page)
{
	const struct hot *hot = page->hot;
	uint64_t total = 0;
	size_t i, k;

	for (i = 0; i < hot->nr_sites; i++)
		total += hot->sites[i].count;
	begin_table(
		page, "Indirect branches",
		"<th>count</th><th>share</th><th>type</th><th>from</th><th>to</th></tr>\n");
	for (i = 0; i < hot->nr_sites && i < page->report->limit; i++) {
		const struct hot_site *s = &hot->sites[i];

		put_count(page, s->count, total);
		put_name(page, pd_branch_type_name(s->type));
		put_place_cell(page, s->from);
		put_name(page, "");
		end_row(page);
		for (k = 0; k < s->nr && k < page->report->limit; k++) {
			const struct hot_edge *e = &hot->targets[s->first + k];

			put_count(page, e->count, s->count);
			put_name(page, "");
			put_name(page, "");
			put_place_cell(page, e->to);
			end_row(page);
		}
	}
	fputs("</table>\n", page->file);
}

static void put_calls(struct page *page)
{
	const struct hot *hot = page->hot;
	size_t i;

	begin_table(
		page, "Calls",
		"<th>count</th><th>share</th><th>caller</th><th>callee</th></tr>\n");
	for (i = 0; i < hot->nr_calls && i < page->report->limit; i++) {
		const struct hot_call *c = &hot->calls[i];

		put_count(page, c->count, hot->entries);
		put_name(page, hot->functions[c->from].name);
		put_name(page, hot->functions[c->to].name);
		end_row(page);
	}
	fputs("</table>\n", page->file);
}

bool report_html(const struct report *report, struct path_code *code,
		 FILE *file)
{
	const struct transfers *t = report->hot.transfers;
	struct page page = { report, &report->hot, code, NULL, file };
	bool done = true;
	struct error error;

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
		t->entries, t->samples);
	if (t->has_predictions)
		fprintf(file, "<p>%" PRIu64 " of them mispredicted</p>\n",
			t->mispredicted);
	if (report->sections[REPORT_EDGES])
		put_edges(&page);
	if (report->sections[REPORT_FUNCTIONS])
		put_functions(&page);
	if (report->sections[REPORT_LOOPS])
		done = put_loops(&page);
	if (report->sections[REPORT_TARGETS])
		put_targets(&page);
	if (report->sections[REPORT_CALLS])
		put_calls(&page);
	fputs("</body>\n</html>\n", file);
	rv_disasm_free(page.disasm);
	return done;
}
