// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report as a page. */
#include "annotated.h"
#include "hot_print.h"
#include "report.h"
#include "riscv/rv_disasm.h"
#include "source_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_BINARIES = 20, /* that can be selected */
	LONGEST_LINE = 255, /* of a source, in bytes */
};

struct page {
	const struct report *report;
	const struct hot *hot; /* of all threads, or of one of them */
	/* The one in which most instructions ran comes first. */
	const char *binaries[MOST_BINARIES];
	size_t nr_binaries;
	bool more_binaries; /* than these */
	char row[64]; /* the attributes of the next rows, or "" */
	struct rv_disasm *disasm; /* NULL: opcodes must do */
	size_t nr_changed; /* places that the kernel changes, in the code that is shown */
	FILE *file;
};

static void put_cell(struct page *page, const char *text)
{
	page_cell(page->file, text);
}

static void put_place_cell(struct page *page, uint32_t place)
{
	page_place_cell(page->file, page->hot, place);
}

static void put_number(struct page *page, uint64_t value)
{
	page_number_cell(page->file, value);
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
	fprintf(page->file, "<tr%s>", page->row);
	put_number(page, hot_transfers(page->hot, count));
	put_ratio(page, percent, 1, "%");
}

static void end_row(struct page *page)
{
	fputs("</tr>\n", page->file);
}

static void put_edge(struct page *page, uint32_t number)
{
	const struct hot *hot = page->hot;
	const struct hot_edge *e = &hot->edges[number];

	if (hot->has_predictions)
		put_ratio(page, 100.0 * (double)e->mispredicted, e->count, "%");
	if (hot->has_cycles)
		put_ratio(page, (double)e->cycles, e->timed, "");
	put_cell(page, pd_branch_type_name(e->type));
	put_place_cell(page, e->from);
	put_place_cell(page, e->to);
}

static void put_function(struct page *page, uint32_t number)
{
	const struct hot_function *f = &page->hot->functions[number];

	page_name_cell(page->file, f->known ? hot_name(page->hot, number) : "");
	page_name_cell(page->file, f->binary);
}

static void put_loop(struct page *page, uint32_t number)
{
	const struct hot_loop *l = &page->hot->loops[number];
	char trips[24], range[40];

	put_number(page, hot_transfers(page->hot, l->entries));
	hot_trips_text(&l->trips, trips, range);
	fprintf(page->file, "<td class=\"n\">%s</td>", trips);
	put_cell(page, range);
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

	put_cell(page, pd_branch_type_name(s->type));
	put_place_cell(page, s->from);
	put_cell(page, "");
	for (i = 0; i < s->nr && i < page->report->limit; i++) {
		const struct hot_edge *e =
			&hot->edges[hot->targets[s->first + i].number];

		end_row(page);
		begin_row(page, e->count,
			  100.0 * (double)e->count / (double)s->count);
		put_cell(page, "");
		put_cell(page, "");
		put_place_cell(page, e->to);
	}
}

static void put_call(struct page *page, uint32_t number)
{
	const struct hot_call *c = &page->hot->calls[number];

	page_name_cell(page->file, hot_name(page->hot, c->from));
	page_name_cell(page->file, hot_name(page->hot, c->to));
}

/* --- binaries --- */

/* The number of a binary, or page->nr_binaries: it cannot be selected. */
static size_t find_binary(const struct page *page, const char *name)
{
	size_t i;

	for (i = 0; i < page->nr_binaries; i++)
		if (!strcmp(page->binaries[i], name))
			break;
	return i;
}

static void find_binaries(struct page *page)
{
	const struct count_list *list = &page->hot->lists[HOT_FUNCTIONS];
	size_t i;

	for (i = 0; i < list->nr && !page->more_binaries; i++) {
		const char *name = page->hot->functions[list->v[i].number].binary;

		if (find_binary(page, name) < page->nr_binaries)
			continue;
		page->more_binaries = page->nr_binaries == MOST_BINARIES;
		if (!page->more_binaries)
			page->binaries[page->nr_binaries++] = name;
	}
}

/* The functions that a line of a list is about. Returns how many: 1 or 2. */
static unsigned int functions_of(const struct hot *hot, unsigned int section, uint32_t number,
				 uint32_t v[2])
{
	const struct hot_edge *e;

	switch (section) {
	case HOT_EDGES:
		e = &hot->edges[number];
		v[0] = hot->places[e->from].function;
		v[1] = hot->places[e->to].function;
		return 2;
	case HOT_FUNCTIONS:
		v[0] = number;
		return 1;
	case HOT_LOOPS:
		v[0] = hot->places[hot->loops[number].head].function;
		return 1;
	case HOT_BRANCHES:
		v[0] = hot->places[hot->edges[hot->branches[number].edge].from].function;
		return 1;
	case HOT_SITES:
		v[0] = hot->places[hot->sites[number].from].function;
		return 1;
	default:
		v[0] = hot->calls[number].from;
		v[1] = hot->calls[number].to;
		return 2;
	}
}

/*
 * Whether the next line of a list is in the page: it is one of the most frequent, or one of
 * the most frequent of a binary that can be selected. seen: the lines so far, by binary.
 */
static bool take_row(struct page *page, unsigned int section, uint32_t number, bool more,
		     uint64_t seen[MOST_BINARIES])
{
	char *at = page->row;
	uint32_t functions[2];
	unsigned int i, nr;
	bool any = false;
	size_t last = page->nr_binaries, binary;

	*at = 0;
	if (page->nr_binaries < 2)
		return !more;
	nr = functions_of(page->hot, section, number, functions);
	at += sprintf(at, " class=\"%s", more ? "more" : "");
	for (i = 0; i < nr; i++) {
		binary = find_binary(page, page->hot->functions[functions[i]].binary);
		if (binary == page->nr_binaries || binary == last ||
		    seen[binary] >= page->report->limit)
			continue;
		at += sprintf(at, "%sb%zu", more || any ? " " : "", binary);
		seen[binary]++;
		last = binary;
		any = true;
	}
	sprintf(at, "\"%s", more ? " hidden=\"hidden\"" : "");
	return any || !more;
}

/* --- tables --- */

static const struct {
	const char *title;
	const char *about; /* what a line is, and its columns */
	const char *columns; /* behind those that are alike */
	void (*put)(struct page *page, uint32_t number);
} tables[HOT_NR_LISTS] = {
	[HOT_EDGES] = { "Transfers",
			"The count is how often control went from one place to another, by a branch that was taken, a jump, a call, a return or a trap.",
			"<th>type</th><th>from</th><th>to</th>",
			put_edge },
	[HOT_FUNCTIONS] = { "Functions",
			    "Entries are calls of the function, and jumps to its start.",
			    "<th>function</th><th>binary</th>",
			    put_function },
	[HOT_LOOPS] = { "Loops",
			"Trips say how often the head of the loop runs for one entry. The range says how well the trips are known.",
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
	const uint64_t limit = page->report->limit;
	const char *lacks = report_lacks(page->hot, section);
	uint64_t seen[MOST_BINARIES] = { 0 };
	size_t i;

	fprintf(page->file, "<h2>%s</h2>\n", tables[section].title);
	if (!report_knows(page->report, section)) {
		fputs("<p>They are not known: some kinds of branches were not recorded; record with <code>perf record -b</code>.</p>\n",
		      page->file);
		return;
	}
	if (section == HOT_LOOPS)
		report_loops_lack(page->hot, page->file, "<p>", "</p>\n");
	fprintf(page->file,
		"<p>%s The share is that of %s.%s%s</p>\n<div class=\"scroll\">\n<table%s>\n<tr><th>%s</th><th>share</th>",
		tables[section].about, report_share_of(page->hot, section), *lacks ? " " : "",
		lacks, section == HOT_SITES ? " class=\"fixed\"" : "",
		page->report->sections[section].counted);
	if (section == HOT_EDGES && page->hot->has_predictions)
		fputs("<th>missed</th>", page->file);
	if (section == HOT_EDGES && page->hot->has_cycles)
		fputs("<th>cycles</th>", page->file);
	fputs(tables[section].columns, page->file);
	end_row(page);
	for (i = 0; i < list->nr && (i < limit || page->nr_binaries > 1); i++) {
		if (!take_row(page, section, list->v[i].number, i >= limit, seen))
			continue;
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
static void put_source_line(struct page *page, const struct annotated *code,
			    const struct hot_insn *insn, const struct annotated_line *line)
{
	const struct path_place at = annotated_place(code, insn);
	char *text;

	begin_note(page, "source");
	page_text(page->file, basename(line->path));
	fprintf(page->file, ":%u", line->number);
	if (line->inlined) {
		fputs(" in ", page->file);
		page_text(page->file, line->inlined);
	}
	source_compare(page->report->listing, page->hot->code, &at, line->path);
	text = source_line(page->report->listing, line->path, line->number);
	if (text) {
		const bool longer = strlen(text) > LONGEST_LINE;

		text[strnlen(text, LONGEST_LINE)] = 0;
		fputs("  ", page->file);
		page_text(page->file, text);
		fputs(longer ? " ..." : "", page->file);
	}
	free(text);
	end_note(page);
}

static void put_insn(struct page *page, const struct annotated *code,
		     const struct hot_insn *insn)
{
	char *text = annotated_insn(code, page->hot, page->disasm, insn);
	char *remark = annotated_remark(code, page->hot, insn);

	/* A bar: how much of what the most frequent one ran. */
	fputs(2 * insn->runs >= code->most ? "<tr class=\"hot\">" : "<tr>", page->file);
	page_begin_bar_cell(page->file, (double)insn->runs / (double)(code->most ?: 1));
	fprintf(page->file, "%" PRIu64 "</td><td>+0x%" PRIx64 "</td><td>",
		hot_transfers(page->hot, insn->runs), insn->offset);
	page_text(page->file, text ?: "");
	fputs("</td><td>", page->file);
	page_text(page->file, remark ?: "");
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
			annotated_put_left_out(page->file, code, i, out);
			end_note(page);
			continue;
		}
		if (annotated_next_line(page->hot, code, &code->v[i], &line))
			put_source_line(page, code, &code->v[i], &line);
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
	page->nr_changed += code.nr_changed;
	if (code.runs) {
		fputs("<details", page->file);
		if (page->nr_binaries > 1)
			fprintf(page->file, " class=\"b%zu\"", find_binary(page, f->binary));
		fprintf(page->file, "%s>\n<summary>", open ? " open=\"open\"" : "");
		page_text(page->file, hot_name(page->hot, function));
		fputs(" (", page->file);
		page_text(page->file, f->binary);
		fprintf(page->file, "): %.1f%%", 100 * f->sum.share);
		if (f->sum.nr > 1)
			fprintf(page->file, ", of which the hottest of %u codes is shown", f->sum.nr);
		fputs("</summary>\n<table class=\"code\">\n<tr><th>ran</th><th>at</th><th>instruction</th><th>what it did</th></tr>\n",
		      page->file);
		put_insns(page, &code);
		fputs("</table>\n</details>\n", page->file);
	}
	free(code.v);
	return code.runs;
}

static void put_code(struct page *page)
{
	const struct count_list *list = &page->hot->lists[HOT_FUNCTIONS];
	double left_out = 0;
	bool any = false;
	size_t i;

	fputs("<h2>Code</h2>\n<p>The functions in which most instructions ran. A bar shows how often an instruction ran.</p>\n",
	      page->file);
	for (i = 0; i < list->nr && i < page->report->limit; i++) {
		if (put_function_code(page, list->v[i].number, !any))
			any = true;
		else
			left_out += page->hot->functions[list->v[i].number].sum.share;
	}
	if (!any)
		fputs("<p>The code of these functions is not known.</p>\n", page->file);
	else if (left_out > 0)
		fprintf(page->file,
			"<p>Some are left out, because their names or their instructions are not known: %.1f%% of all that ran.</p>\n",
			100 * left_out);
}

/* --- what can be selected --- */

static void put_option(struct page *page, char kind, size_t number, const char *text)
{
	fprintf(page->file, "<option value=\"%c%zu\">", kind, number);
	page_text(page->file, text);
	fputs("</option>\n", page->file);
}

/* The script shows them. */
static void put_filters(struct page *page)
{
	const struct report_threads *threads = &page->report->threads;
	char label[64];
	size_t i;

	if (page->nr_binaries < 2 && !threads->shown)
		return;
	fputs("<p id=\"filters\" hidden=\"hidden\">\n", page->file);
	if (page->nr_binaries > 1) {
		fputs("<label>Tables of <select id=\"binary\">\n<option value=\"\">all binaries</option>\n",
		      page->file);
		for (i = 0; i < page->nr_binaries; i++)
			put_option(page, 'b', i, page->binaries[i]);
		if (page->more_binaries)
			fputs("<option disabled=\"disabled\">others ran less, and cannot be selected</option>\n",
			      page->file);
		fputs("</select></label>\n", page->file);
	}
	if (threads->shown) {
		fputs("<label>What ran in <select id=\"thread\">\n<option value=\"\">all threads</option>\n",
		      page->file);
		for (i = 0; i < threads->shown; i++) {
			report_thread_label(&threads->v[i], label);
			put_option(page, 't', i, label);
		}
		fputs("</select></label>\n", page->file);
	}
	fputs("</p>\n", page->file);
}

/* Of all threads, or of one. The code is that of all. */
static void put_sections(struct page *page, const struct flame *flame, bool code)
{
	const struct report *report = page->report;
	unsigned int i;

	if (!flame_is_empty(flame))
		flame_put_section(flame, page->file);
	if (!page->hot->transfers) {
		fputs("<p>The branches, functions, loops and calls are not known, because the branch records are call stacks. To learn what ran, record with <code>perf record -b</code>.</p>\n",
		      page->file);
		return;
	}
	for (i = 0; i < HOT_NR_LISTS; i++) {
		if (!report->sections[i].wanted)
			continue;
		put_table(page, i);
		/* What ran between calls alone is not known. */
		if (code && i == HOT_FUNCTIONS && !report->filtered)
			put_code(page);
	}
}

static void put_thread(struct page *page, size_t number)
{
	const struct report_thread *thread = &page->report->threads.v[number];
	const struct hot *all = &page->report->hot;
	char label[64];

	page->hot = &thread->hot;
	report_thread_label(thread, label);
	fprintf(page->file, "<details class=\"thread\" id=\"t%zu\">\n<summary>", number);
	page_text(page->file, label);
	fprintf(page->file, ": %.1f%% of the samples</summary>\n",
		100.0 * (double)thread->samples / (double)(all->samples + all->call_stacks));
	if (thread->hot.transfers)
		fprintf(page->file, "<p>%" PRIu64 " transfers in %" PRIu64 " samples.</p>\n",
			thread->hot.transfers, thread->hot.samples);
	put_sections(page, &thread->flame, false);
	fputs("</details>\n", page->file);
}

static void put_threads(struct page *page)
{
	const struct report_threads *threads = &page->report->threads;
	size_t i;

	if (threads->unread)
		fputs("<p>This recording has several threads, but it came from a pipe, which can be read only once. To select a thread in the page, write the recording to a file first.</p>\n",
		      page->file);
	if (!threads->shown)
		return;
	fputs("<div id=\"threads\">\n<h2>Threads</h2>\n<p>The shares of a thread are shares of what this thread ran. The code is shown for all threads; <code>ssctr annotate</code> with <code>--tid</code> or <code>--comm</code> shows it for one.",
	      page->file);
	if (threads->shown < threads->nr)
		fprintf(page->file, " The page has the %zu of %zu with most samples; <code>--tid</code> and <code>--comm</code> select others.",
			threads->shown, threads->nr);
	fputs("</p>\n", page->file);
	for (i = 0; i < threads->shown; i++)
		put_thread(page, i);
	fputs("</div>\n", page->file);
}

static void put_top(void *arg, FILE *file)
{
	const struct report *report = arg;

	page_begin(file, "ssctr report", flame_is_empty(&report->flame) ? "" : flame_style);
	page_facts(file, report->rec, &report->hot);
	page_notes(file, rec_notes(report->rec, &report->hot));
}

static void put_rest(void *arg, FILE *file)
{
	const struct report *report = arg;
	struct page page = { .report = report, .hot = &report->hot, .file = file };
	struct error error;

	page.disasm = rv_disasm_new(&error);
	find_binaries(&page);
	page_search(file, "Find a function, a file or a binary");
	put_filters(&page);
	if (report->threads.shown)
		fputs("<div id=\"all\">\n", file);
	if (report_shows_commands(report))
		report_commands_html(&report->commands, report->limit, file);
	put_sections(&page, &report->flame, true);
	if (report->threads.shown)
		fputs("</div>\n", file);
	put_threads(&page);
	page_end(file, flame_is_empty(&report->flame) ? "" : flame_script);
	annotated_note_changed(page.nr_changed, &report->rec->notes);
	source_note(report->listing, SOURCE_ADVICE, &report->rec->notes);
	rv_disasm_free(page.disasm);
}

const struct page_parts report_page = { put_top, put_rest };
