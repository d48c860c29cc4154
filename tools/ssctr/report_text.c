// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report for those who read it. */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static const struct hot_function *function_at(const struct hot *hot,
					      uint32_t place)
{
	return &hot->functions[hot->places[place].function];
}

static void print_place(const struct hot *hot, uint32_t place)
{
	printf("%s+0x%" PRIx64, function_at(hot, place)->name,
	       hot->places[place].offset);
}

static void print_function(const struct hot_function *f)
{
	/* Where no function is known the name is the binary's. */
	if (f->known)
		printf("%s (%s)", f->name, f->binary);
	else
		printf("%s", f->name);
}

/* What only some recordings have: a column each, or none. */
static void print_flags_heading(const struct transfers *t)
{
	if (t->has_predictions)
		printf("%6s  ", "missed");
	if (t->has_cycles)
		printf("%7s  ", "cycles");
}

static void print_flags(const struct transfers *t, const struct hot_edge *e)
{
	if (t->has_predictions)
		printf("%5.1f%%  ", share(e->mispredicted, e->count));
	if (t->has_cycles && e->timed)
		printf("%7.1f  ", (double)e->cycles / e->timed);
	else if (t->has_cycles)
		printf("%7s  ", "-");
}

static void print_edges(const struct report *report)
{
	const struct transfers *t = report->hot.transfers;
	size_t i;

	printf("%10s  %6s  ", "count", "share");
	print_flags_heading(t);
	printf("%-10s  from -> to\n", "type");
	for (i = 0; i < report->hot.nr_edges && i < report->limit; i++) {
		const struct hot_edge *e = &report->hot.edges[i];

		printf("%10" PRIu64 "  %5.1f%%  ", e->count,
		       share(e->count, t->entries));
		print_flags(t, e);
		printf("%-10s  ", pd_branch_type_name(e->type));
		print_place(&report->hot, e->from);
		printf(" -> ");
		print_place(&report->hot, e->to);
		putchar('\n');
	}
}

static void print_functions(const struct report *report)
{
	const struct hot *hot = &report->hot;
	size_t i;

	printf("%" PRIu64 " entries of %zu functions\n", hot->entries,
	       hot->nr_entered);
	if (hot->nr_entered)
		printf("\n%10s  %6s  function\n", "entries", "share");
	for (i = 0; i < hot->nr_entered && i < report->limit; i++) {
		const struct hot_function *f = &hot->functions[hot->entered[i]];

		printf("%10" PRIu64 "  %5.1f%%  ", f->entries,
		       share(f->entries, hot->entries));
		print_function(f);
		putchar('\n');
	}
}

static void print_loops(const struct report *report)
{
	const struct hot *hot = &report->hot;
	size_t i;

	if (report->filtered) {
		puts("Loops are not known: some kinds of branches were not recorded; `perf record -b` records all.");
		return;
	}
	printf("%" PRIu64 " iterations of %zu loops\n", hot->iterations,
	       hot->nr_loops);
	if (hot->nr_loops)
		printf("\n%10s  %6s  %10s  %8s  loop\n", "iterations", "share",
		       "entries", "trips");
	for (i = 0; i < hot->nr_loops && i < report->limit; i++) {
		const struct hot_loop *l = &hot->loops[i];

		printf("%10" PRIu64 "  %5.1f%%  %10" PRIu64 "  ", l->iterations,
		       share(l->iterations, hot->iterations), l->entries);
		if (l->entries)
			printf("%8.1f  ", (double)l->iterations / l->entries);
		else
			printf("%8s  ", "-");
		print_place(hot, l->head);
		printf("..0x%" PRIx64 "\n", hot->places[l->last].offset);
	}
}

static void print_targets(const struct report *report)
{
	const struct hot *hot = &report->hot;
	uint64_t total = 0;
	size_t i, k;

	for (i = 0; i < hot->nr_sites; i++)
		total += hot->sites[i].count;
	printf("%" PRIu64 " transfers of %zu indirect branches\n", total,
	       hot->nr_sites);
	if (hot->nr_sites)
		printf("\n%10s  %6s  %-10s  from, and to\n", "count", "share",
		       "type");
	for (i = 0; i < hot->nr_sites && i < report->limit; i++) {
		const struct hot_site *s = &hot->sites[i];

		printf("%10" PRIu64 "  %5.1f%%  %-10s  ", s->count,
		       share(s->count, total), pd_branch_type_name(s->type));
		print_place(hot, s->from);
		putchar('\n');
		for (k = 0; k < s->nr && k < report->limit; k++) {
			const struct hot_edge *e = &hot->targets[s->first + k];

			printf("%10" PRIu64 "  %5.1f%%  %-10s    ", e->count,
			       share(e->count, s->count), "");
			print_place(hot, e->to);
			putchar('\n');
		}
	}
}

static void print_calls(const struct report *report)
{
	const struct hot *hot = &report->hot;
	size_t i;

	printf("%" PRIu64 " calls between %zu pairs of functions\n",
	       hot->entries, hot->nr_calls);
	if (hot->nr_calls)
		printf("\n%10s  %6s  caller -> callee\n", "count", "share");
	for (i = 0; i < hot->nr_calls && i < report->limit; i++) {
		const struct hot_call *c = &hot->calls[i];

		printf("%10" PRIu64 "  %5.1f%%  ", c->count,
		       share(c->count, hot->entries));
		printf("%s -> %s\n", hot->functions[c->from].name,
		       hot->functions[c->to].name);
	}
}

void report_text(const struct report *report)
{
	static void (*const print[])(const struct report *) = {
		[REPORT_EDGES] = print_edges,
		[REPORT_FUNCTIONS] = print_functions,
		[REPORT_LOOPS] = print_loops,
		[REPORT_TARGETS] = print_targets,
		[REPORT_CALLS] = print_calls,
	};
	const struct transfers *t = report->hot.transfers;
	unsigned int i;

	printf("%" PRIu64 " transfers of %zu kinds in %" PRIu64 " samples\n",
	       t->entries, report->hot.nr_edges, t->samples);
	if (t->has_predictions)
		printf("%" PRIu64 " of them mispredicted (%.1f%%)\n",
		       t->mispredicted, share(t->mispredicted, t->entries));
	for (i = 0; i < REPORT_NR_SECTIONS; i++) {
		if (!report->sections[i])
			continue;
		putchar('\n');
		print[i](report);
	}
}
