// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report for those who read it. */
#include "hot_print.h"
#include "base/plain.h"
#include "base/units.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void print_count(FILE *file, const struct hot *hot, uint64_t count, double percent)
{
	fprintf(file, "%10" PRIu64 "  %5.1f%%  ", hot_transfers(hot, count), percent);
}

static void print_edge(FILE *file, const struct report *report, uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_edge *e = &hot->edges[number];

	if (hot->has_predictions)
		fprintf(file, "%5.1f%%  ", share(e->mispredicted, e->count));
	if (hot->has_cycles && e->timed)
		fprintf(file, "%7.1f  ", (double)e->cycles / e->timed);
	else if (hot->has_cycles)
		fprintf(file, "%7s  ", "-");
	fprintf(file, "%-10s  ", pd_branch_type_name(e->type));
	hot_print_place(file, hot, e->from);
	fputs(" -> ", file);
	hot_print_place(file, hot, e->to);
}

static void print_function(FILE *file, const struct report *report, uint32_t number)
{
	hot_print_function(file, &report->hot, number);
}

static void print_loop(FILE *file, const struct report *report, uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_loop *l = &hot->loops[number];
	char trips[24], range[40];

	hot_trips_text(&l->trips, trips, range);
	fprintf(file, "%10" PRIu64 "  %8s  %-22s  ", hot_transfers(hot, l->entries),
	       trips, range);
	hot_print_offset(file, hot, l->first);
	fprintf(file, "..0x%" PRIx64, hot->places[l->last].offset);
	hot_print_binary(file, hot, hot->places[l->head].function);
	hot_print_line(file, hot, l->head);
}

static void print_branch(FILE *file, const struct report *report, uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_branch *b = &hot->branches[number];
	const struct hot_edge *e = &hot->edges[b->edge];

	fprintf(file, "%10" PRIu64 "  %5.1f%%  ", hot_transfers(hot, b->taken + b->passed),
	       share(b->taken, b->taken + b->passed));
	hot_print_place(file, hot, e->from);
	fputs(" -> ", file);
	hot_print_place(file, hot, e->to);
}

static void print_site(FILE *file, const struct report *report, uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_site *s = &hot->sites[number];
	size_t i;

	fprintf(file, "%-10s  ", pd_branch_type_name(s->type));
	hot_print_place(file, hot, s->from);
	for (i = 0; i < s->nr && i < report->limit; i++) {
		const struct hot_edge *e =
			&hot->edges[hot->targets[s->first + i].number];

		putc('\n', file);
		print_count(file, hot, e->count, share(e->count, s->count));
		fprintf(file, "%-10s    ", "");
		hot_print_place(file, hot, e->to);
	}
}

static void print_call(FILE *file, const struct report *report, uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_call *c = &hot->calls[number];

	plain_put(file, hot_name(hot, c->from));
	hot_print_binary(file, hot, c->from);
	fputs(" -> ", file);
	plain_put(file, hot_name(hot, c->to));
	hot_print_binary(file, hot, c->to);
}

static const struct {
	const char *sum_of, *what; /* of the line above; NULL: there is none */
	const char *columns; /* behind those that are alike */
	void (*print)(FILE *file, const struct report *report, uint32_t number);
} tables[HOT_NR_LISTS] = {
	[HOT_EDGES] = { NULL, NULL, "type        from -> to", print_edge },
	[HOT_FUNCTIONS] = { "entries;", "functions", "function",
			    print_function },
	[HOT_LOOPS] = { "iterations of", "loops", "   entries     trips  range                   loop",
			print_loop },
	[HOT_BRANCHES] = { "hard runs of", "conditional branches",
			   "      runs   taken  branch -> target", print_branch },
	[HOT_SITES] = { "transfers of", "indirect branches",
			"type        from, and to", print_site },
	[HOT_CALLS] = { "calls between", "pairs of functions",
			"caller -> callee", print_call },
};

static void print_heading(FILE *file, const struct report *report, unsigned int section)
{
	fprintf(file, "%10s  %6s  ", report->sections[section].counted, "share");
	/* What only some recordings have: a column each, or none. */
	if (section == HOT_EDGES && report->hot.has_predictions)
		fprintf(file, "%6s  ", "missed");
	if (section == HOT_EDGES && report->hot.has_cycles)
		fprintf(file, "%7s  ", "cycles");
	fprintf(file, "%s\n", tables[section].columns);
}

void report_loops_lack(const struct hot *hot, FILE *file, const char *before, const char *after)
{
	const double unnamed = hot_unnamed(hot);

	/*
	 * Less changes nothing in what the hottest loops are. A line has at most 80 columns, as
	 * `ssctr top` shows no more on most terminals.
	 */
	if (unnamed >= 0.01)
		fprintf(file, "%s%.1f %% of what ran is in code without function names;\nits loops are not listed (docs/trouble.md).%s",
			before, units_percent(unnamed), after);
	if (hot->unread >= 0.01)
		fprintf(file, "%s%.1f %% of what ran is in functions with loops whose code is not known;\nthe shares of these loops are approximate (docs/trouble.md).%s",
			before, units_percent(hot->unread), after);
}

void report_section_text(const struct report *report, unsigned int section, FILE *file)
{
	const struct count_list *list = &report->hot.lists[section];
	size_t i;

	if (!report_knows(report, section)) {
		fprintf(file, "The %s are not known: some kinds of branches were not recorded; record with `perf record -b`.\n",
		       tables[section].what);
		return;
	}
	if (tables[section].sum_of) {
		fprintf(file, "%" PRIu64 " %s %zu %s\n",
		       hot_transfers(&report->hot, list->sum),
		       tables[section].sum_of, list->nr, tables[section].what);
		if (section == HOT_LOOPS)
			report_loops_lack(&report->hot, file, "", "\n");
	}
	if (report->filtered)
		fprintf(file, "The shares are those of %s. %s\n",
			report_share_of(&report->hot, section),
			report_lacks(&report->hot, section));
	if (list->nr && (tables[section].sum_of || report->filtered))
		putc('\n', file);
	if (section == HOT_LOOPS && list->nr && report->hot.how & HOT_SUMS)
		fputs("A counts file has no stacks, so the trips are means, and their range is not known.\n\n",
		      file);
	if (list->nr)
		print_heading(file, report, section);
	for (i = 0; i < list->nr && i < report->limit; i++) {
		print_count(file, &report->hot, list->v[i].count,
			    report_share(&report->hot, section, i));
		tables[section].print(file, report, list->v[i].number);
		putc('\n', file);
	}
}

void report_text(const struct report *report)
{
	const double coverage = rec_coverage(report->rec);
	FILE *const file = stdout;
	const struct hot *hot = &report->hot;
	char kinds[128];
	unsigned int i;

	fprintf(file, "%" PRIu64 " transfers of %zu kinds in %" PRIu64 " samples\n",
	       hot->transfers, hot->nr_edges, hot->samples);
	if (coverage < 0)
		fputs("coverage not known\n", file);
	else
		fprintf(file, "coverage %.1f%%: share of the event's count that lies between the samples\n",
		       units_percent(coverage));
	if (hot->has_predictions)
		fprintf(file, "%" PRIu64 " of them mispredicted (%.1f%%)\n",
		       hot_transfers(hot, hot->mispredicted),
		       share(hot->mispredicted, hot->weight));
	if (*rec_kinds(report->rec, kinds, sizeof(kinds)))
		fprintf(file, "kinds of branches recorded: %s\n", kinds);
	if (report_shows_commands(report)) {
		putc('\n', file);
		report_commands_text(&report->commands, report->limit, file);
	}
	for (i = 0; i < HOT_NR_LISTS; i++) {
		if (!report->sections[i].wanted)
			continue;
		putc('\n', file);
		report_section_text(report, i, file);
	}
}
