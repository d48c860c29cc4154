// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report as a page: it is well-formed XML, too. */
#include "annotated.h"
#include "hot_print.h"
#include "image/listing.h"
#include "report.h"
#include "riscv/rv_disasm.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct page {
	const struct report *report;
	const struct hot *hot;
	struct rv_disasm *disasm; /* NULL: opcodes must do */
	struct img_listing *listing;
	FILE *file;
};

void report_put(FILE *file, const char *s)
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
	/* The second tells whether the first one was inlined. */
	struct img_frame v[2];
	const size_t nr = path_code_frames(page->hot->code, &p->at, v, 2);

	report_put(page->file, hot_name(page->hot, p->function));
	fprintf(page->file, "+0x%" PRIx64, p->offset);
	if (!nr)
		return;
	fputs(" (", page->file);
	report_put(page->file, basename(v[0].path));
	fprintf(page->file, ":%u", v[0].line);
	if (nr > 1 && v[0].name) {
		fputs(" in ", page->file);
		report_put(page->file, v[0].name);
	}
	fputc(')', page->file);
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
	report_put(page->file, name);
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
	const char *about; /* what a line is, and its columns */
	const char *columns; /* behind those that are alike */
	void (*put)(struct page *page, uint32_t number);
} tables[HOT_NR_LISTS] = {
	[HOT_EDGES] = { "Transfers",
			"How often control went from one place to another, by a branch that was taken, a jump, a call, a return or a trap.",
			"<th>type</th><th>from</th><th>to</th>",
			put_edge },
	[HOT_FUNCTIONS] = { "Functions",
			    "The share is that of all instructions that ran, without those of what the function calls. Entries are calls of the function, and jumps to its start.",
			    "<th>function</th><th>binary</th>",
			    put_function },
	[HOT_LOOPS] = { "Loops",
			"The share is that of all instructions that ran, with inner loops. Trips say how often the head of the loop runs for one entry. The range says how well the trips are known.",
			"<th>entries</th><th>trips</th><th>range</th><th>head</th><th>last</th>",
			put_loop },
	[HOT_BRANCHES] = { "Conditional branches",
			   "Hard is how often the branch was mispredicted. If that was not recorded, hard is how often the branch went its rarer way. Taken is the probability of the branch.",
			   "<th>runs</th><th>taken</th><th>branch</th><th>target</th>",
			   put_branch },
	[HOT_SITES] = { "Indirect branches",
			"Jumps and calls whose target is in a register, and below each of them where it led.",
			"<th>type</th><th>from</th><th>to</th>", put_site },
	[HOT_CALLS] = { "Calls", "Which function called which, and how often.",
			"<th>caller</th><th>callee</th>", put_call },
};

static void put_table(struct page *page, unsigned int section)
{
	const struct count_list *list = &page->hot->lists[section];
	size_t i;

	fprintf(page->file, "<h2>%s</h2>\n", tables[section].title);
	if (!report_knows(page->report, section)) {
		fputs("<p>They are not known: some kinds of branches were not recorded; record with <code>perf record -b</code>.</p>\n",
		      page->file);
		return;
	}
	fprintf(page->file,
		"<p>%s</p>\n<div class=\"scroll\">\n<table%s>\n<tr><th>%s</th><th>share</th>",
		tables[section].about, section == HOT_SITES ? " class=\"fixed\"" : "",
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
	fputs("</table>\n</div>\n", page->file);
}

/* --- the code of functions --- */

/* A row of one cell, above an instruction. */
static void begin_note(struct page *page, const char *class)
{
	fprintf(page->file, "<tr class=\"%s\"><td colspan=\"4\">", class);
}

static void end_note(struct page *page)
{
	fputs("</td></tr>\n", page->file);
}

static void put_loop_note(struct page *page, const struct hot_loop *l)
{
	char trips[24], range[40];

	hot_trips_text(&l->trips, trips, range);
	begin_note(page, "note");
	fprintf(page->file, "loop: %.1f%% of all that ran", 100 * l->share);
	if (*range)
		fprintf(page->file, ", trips for each entry: %s%s%s",
			*trips == '-' ? "" : trips, *trips == '-' ? "" : ", ", range);
	end_note(page);
}

/* Not the blanks before the text. */
static void put_source_line(struct page *page, const struct annotated_line *line)
{
	const char *text;
	char copy[256];
	size_t size;

	begin_note(page, "source");
	report_put(page->file, basename(line->path));
	fprintf(page->file, ":%u", line->number);
	if (line->inlined) {
		fputs(" in ", page->file);
		report_put(page->file, line->inlined);
	}
	text = img_listing_line(page->listing, line->path, line->number, &size);
	for (; text && size && (*text == ' ' || *text == '\t'); size--)
		text++;
	if (text && size) {
		snprintf(copy, sizeof(copy), "%.*s", (int)size, text);
		fputs("  ", page->file);
		report_put(page->file, copy);
	}
	end_note(page);
}

static void put_insn(struct page *page, const struct annotated *code,
		     const struct hot_insn *insn)
{
	char *text = annotated_insn(code, page->hot, page->disasm, insn);
	char *remark = annotated_remark(code, page->hot, insn);

	/* A bar: how much of what the most frequent one ran. */
	fprintf(page->file, "<tr%s><td class=\"n bar\" style=\"--part:%.0f%%\">%" PRIu64 "</td>",
		2 * insn->runs >= code->most ? " class=\"hot\"" : "",
		100.0 * (double)insn->runs / (double)(code->most ?: 1),
		hot_transfers(page->hot, insn->runs));
	fprintf(page->file, "<td>+0x%" PRIx64 "</td><td>", insn->offset);
	report_put(page->file, text ?: "");
	fputs("</td><td>", page->file);
	report_put(page->file, remark ?: "");
	fputs("</td></tr>\n", page->file);
	free(remark);
	free(text);
}

static void put_insns(struct page *page, const struct annotated *code)
{
	struct annotated_line line = { 0 };
	const struct hot_loop *loop;
	size_t i, out;

	for (i = 0; i < code->nr; i += out ? out : 1) {
		out = annotated_left_out(code, i);
		if (out) {
			begin_note(page, "note");
			fprintf(page->file, "%zu instructions that did not run", out);
			end_note(page);
			continue;
		}
		if (annotated_next_line(page->hot, code, &code->v[i], &line))
			put_source_line(page, &line);
		loop = annotated_loop(page->hot, &code->v[i]);
		if (loop)
			put_loop_note(page, loop);
		put_insn(page, code, &code->v[i]);
	}
}

/* Returns whether there was any code. */
static bool put_function_code(struct page *page, uint32_t function, bool open)
{
	const struct hot_function *f = &page->hot->functions[function];
	struct annotated code;

	if (!f->known || !annotated_read(&code, page->hot, function))
		return false;
	hot_sources(page->hot, function, code.v, code.nr);
	if (code.runs) {
		fprintf(page->file, "<details%s>\n<summary>", open ? " open=\"open\"" : "");
		report_put(page->file, hot_name(page->hot, function));
		fputs(" (", page->file);
		report_put(page->file, f->binary);
		fprintf(page->file,
			"): %.1f%%</summary>\n<table class=\"code\">\n<tr><th>ran</th><th>at</th><th>instruction</th><th>what it did</th></tr>\n",
			100 * f->share);
		put_insns(page, &code);
		fputs("</table>\n</details>\n", page->file);
	}
	free(code.v);
	return code.runs;
}

static void put_code(struct page *page)
{
	const struct count_list *list = &page->hot->lists[HOT_FUNCTIONS];
	bool any = false;
	size_t i;

	fputs("<h2>Code</h2>\n<p>The functions in which most instructions ran. A bar shows how often an instruction ran.</p>\n",
	      page->file);
	for (i = 0; i < list->nr && i < page->report->limit; i++)
		any |= put_function_code(page, list->v[i].number, !any);
	if (!any)
		fputs("<p>The code of these functions is not known.</p>\n", page->file);
}

/* --- what is said of the recording --- */

static void put_fact(struct page *page, const char *name, const char *value)
{
	if (!*value)
		return;
	fprintf(page->file, "<dt>%s</dt><dd>", name);
	report_put(page->file, value);
	fputs("</dd>\n", page->file);
}

static void put_facts(struct page *page)
{
	const double coverage = samples_least_coverage(page->report->samples);
	const struct pd *pd = page->report->samples->pd;
	const struct hot *hot = page->hot;
	char text[128];
	unsigned int i;

	fputs("<dl>\n", page->file);
	put_fact(page, "recording", page->report->samples->path);
	put_fact(page, "command", pd_text(pd, PD_CMDLINE));
	put_fact(page, "machine", pd_text(pd, PD_HOSTNAME));
	put_fact(page, "kernel", pd_text(pd, PD_OSRELEASE));
	for (i = 0; i < pd_nr_attrs(pd); i++) {
		const struct pd_attr *attr = pd_attr(pd, i);

		snprintf(text, sizeof(text), "%s, %s %" PRIu64, attr->name ?: "?",
			 attr->freq ? "samples a second:" : "a sample every",
			 attr->sample_period);
		put_fact(page, "event", text);
	}
	snprintf(text, sizeof(text), "%" PRIu64 " transfers in %" PRIu64 " samples",
		 hot->transfers, hot->samples);
	put_fact(page, "branch stacks", text);
	snprintf(text, sizeof(text), "%" PRIu64 " (%.1f%%)",
		 hot_transfers(hot, hot->mispredicted),
		 hot->weight ? 100.0 * (double)hot->mispredicted / (double)hot->weight : 0);
	put_fact(page, "mispredicted", hot->has_predictions ? text : "");
	if (coverage < 0)
		snprintf(text, sizeof(text), "not known");
	else
		snprintf(text, sizeof(text),
			 "%.1f%% of what the event counted lies between the samples",
			 100 * coverage);
	put_fact(page, "coverage", text);
	fputs("</dl>\n", page->file);
}

static const char style[] =
	":root { color-scheme: light dark; --bar: #cfe3ff; --hot: #b00020; --faint: #777; }\n"
	"@media (prefers-color-scheme: dark) { :root { --bar: #24446e; --hot: #ff8a80; --faint: #999; } }\n"
	"body { font-family: sans-serif; margin: 1em; line-height: 1.4; }\n"
	"dl { display: grid; grid-template-columns: max-content auto; gap: 0 1em; }\n"
	"dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }\n"
	".scroll, details { overflow-x: auto; }\n"
	"table { border-collapse: collapse; font-family: monospace; }\n"
	"td, th { padding: 0 1em 0 0; text-align: left; white-space: nowrap; }\n"
	"th { cursor: pointer; } .code th, .fixed th { cursor: default; }\n"
	".n { text-align: right; }\n"
	".bar { background: linear-gradient(to left, var(--bar) var(--part), transparent var(--part)); }\n"
	".hot td:nth-child(3) { color: var(--hot); font-weight: bold; }\n"
	".source td, .note td { color: var(--faint); white-space: pre; padding-left: 2em; max-width: 0; }\n"
	".code td:nth-child(3) { max-width: 24em; overflow: hidden; text-overflow: ellipsis; }\n"
	".code td:nth-child(4) { white-space: normal; min-width: 25em; }\n"
	"summary { font-family: monospace; cursor: pointer; overflow-wrap: anywhere; }\n"
	"input { width: 100%; max-width: 30em; font-size: 1em; padding: 0.3em; }\n";

/* No bracket and no ampersand, so that the page is XML, too. */
static const char script[] =
	"'use strict';\n"
	"(function () {\n"
	"	function all(what) { return Array.from(document.querySelectorAll(what)); }\n"
	"	function value(row, column) {\n"
	"		var text = row.cells[column] ? row.cells[column].textContent : '';\n"
	"		var number = parseFloat(text.replace('~', ''));\n"
	"		return isNaN(number) ? text : number;\n"
	"	}\n"
	"	function order(a, b) {\n"
	"		if (typeof a === 'number' ? typeof b === 'number' : false) return b - a;\n"
	"		return String(a).localeCompare(String(b));\n"
	"	}\n"
	"	all('table:not(.code):not(.fixed)').forEach(function (table) {\n"
	"		Array.from(table.rows[0].cells).forEach(function (head, column) {\n"
	"			var up = false;\n"
	"			head.addEventListener('click', function () {\n"
	"				var rows = Array.from(table.rows).slice(1);\n"
	"				rows.sort(function (a, b) { return order(value(a, column), value(b, column)); });\n"
	"				if (up) rows.reverse();\n"
	"				up = !up;\n"
	"				rows.forEach(function (row) { row.parentNode.appendChild(row); });\n"
	"			});\n"
	"		});\n"
	"	});\n"
	"	document.getElementById('find').addEventListener('input', function (event) {\n"
	"		var wanted = event.target.value.toLowerCase();\n"
	"		function show(element, text) {\n"
	"			element.hidden = !text.toLowerCase().includes(wanted);\n"
	"		}\n"
	"		all('table:not(.code) tr').forEach(function (row) {\n"
	"			if (row.cells[0].tagName === 'TD') show(row, row.textContent);\n"
	"		});\n"
	"		all('details').forEach(function (element) {\n"
	"			show(element, element.firstElementChild.textContent);\n"
	"		});\n"
	"	});\n"
	"})();\n";

void report_html(const struct report *report, FILE *file)
{
	struct page page = { report, &report->hot, NULL, NULL, file };
	struct error error;
	unsigned int i;

	page.listing = img_listing_new();
	page.disasm = rv_disasm_new(false, &error);
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
	      "<title>ssctr report</title>\n<style>\n",
	      file);
	fputs(style, file);
	if (!flame_is_empty(&report->flame))
		flame_put_style(file);
	fputs("</style>\n</head>\n<body>\n<h1>ssctr report</h1>\n", file);
	put_facts(&page);
	fputs("<p><input id=\"find\" type=\"search\" placeholder=\"Find a function, a file or a binary\"/></p>\n",
	      file);
	if (!flame_is_empty(&report->flame))
		flame_put_section(&report->flame, file);
	for (i = 0; i < HOT_NR_LISTS; i++) {
		if (!report->sections[i].wanted)
			continue;
		put_table(&page, i);
		/* What ran between calls alone is not known. */
		if (i == HOT_FUNCTIONS && !report->filtered && page.listing)
			put_code(&page);
	}
	fputs("<script>\n", file);
	fputs(script, file);
	if (!flame_is_empty(&report->flame))
		flame_put_script(file);
	fputs("</script>\n</body>\n</html>\n", file);
	rv_disasm_free(page.disasm);
	img_listing_free(page.listing);
}
