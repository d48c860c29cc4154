// SPDX-License-Identifier: GPL-2.0-only
/* What `ssctr stat` found, for people. */
#include <inttypes.h>

#include "base/plain.h"
#include "origin/coverage.h"
#include "riscv/rv_insn.h"
#include "stat.h"

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

/* A heading, behind an empty line. */
static void head(struct text *t, const char *title)
{
	text_line(t);
	text_str(t, title);
	text_line(t);
}

/* What a list leaves out. */
static void rest(struct text *t, const struct stat_report *report, size_t nr,
		 const char *what)
{
	if (nr <= report->limit)
		return;
	text_fmt(t, "  ... and %" PRIu64 " more %s; --limit shows more",
		 nr - report->limit, what);
	text_line(t);
}

static void counted(struct text *t, const char *name, uint64_t count, uint64_t all)
{
	text_fmt(t, "%16" PRIu64 " %6.2f %%  %s", count, percent(count, all), name);
	text_line(t);
}

static void print_trace(struct stat_report *report)
{
	const struct tstat_mix *mix = &report->counts.mix;
	struct text *t = &report->text;
	char held[ORIGIN_TEXT_MAX];

	if (!report->ended) {
		text_str(t, "The trace has a fault, or its end is missing. The counts end there.");
		text_line(t);
	}
	text_fmt(t, "instructions     %" PRIu64 ", %" PRIu64 " of them of 16 bits",
		 mix->instructions, mix->size16);
	text_line(t);
	if (report->counts.interrupted) {
		text_fmt(t, "interrupted      %" PRIu64 " instructions, which did not execute and are not counted",
			 report->counts.interrupted);
		text_line(t);
	}
	text_fmt(t, "coverage         %s",
		 origin_coverage_text(held, sizeof(held), report->counts.coverage.share));
	text_line(t);
	if (report->counts.coverage.repeated > 0) {
		text_fmt(t, "repeated         %" PRId64 " instructions " ORIGIN_REPEATED,
			 report->counts.coverage.repeated);
		text_line(t);
	}
	text_fmt(t, "gaps             %" PRIu64 " within the trace", report->counts.gaps);
	text_line(t);
}

static void print_mix(struct stat_report *report)
{
	const struct tstat_mix *mix = &report->counts.mix;
	struct text *t = &report->text;
	unsigned int i;

	head(t, "Instructions by class");
	for (i = 0; i < RV_N_CLASSES; i++)
		if (mix->classes[i])
			counted(t, rv_class_name(i), mix->classes[i], mix->instructions);
	head(t, "Instructions by mode");
	for (i = 0; i < TSTAT_N_MODES; i++)
		if (mix->modes[i])
			counted(t, stf_mode_name(i) ?: "not known", mix->modes[i],
				mix->instructions);
}

static void print_mnemonics(struct stat_report *report)
{
	const struct tstat_mix *mix = &report->counts.mix;
	struct text *t = &report->text;
	size_t i;

	head(t, "Instructions by mnemonic");
	for (i = 0; i < mix->n_mnemonics && i < report->limit; i++)
		counted(t, mix->mnemonics[i].name, mix->mnemonics[i].count,
			mix->instructions);
	rest(t, report, mix->n_mnemonics, "mnemonics");
}

static void print_kinds(struct stat_report *report)
{
	const struct tstat_branches *b = &report->counts.branches;
	struct text *t = &report->text;
	unsigned int i;

	head(t, "Branches by kind");
	text_str(t, "           count    taken  kind");
	text_line(t);
	for (i = 0; i < TSTAT_N_XFERS; i++)
		if (b->kinds[i])
			text_fmt(t, "%16" PRIu64 " %6.2f %%  %s\n", b->kinds[i],
				 percent(b->taken[i], b->kinds[i]), rv_xfer_name(i));
	if (b->interrupted)
		text_fmt(t, "%16" PRIu64 " executions of branches were interrupted, and have no outcome\n",
			 b->interrupted);
}

static void print_predictors(struct stat_report *report)
{
	const struct tstat_branches *b = &report->counts.branches;
	struct text *t = &report->text;

	if (!b->all.ran)
		return;
	head(t, "Conditional branches that a predictor gets wrong");
	counted(t, "2-bit counter, one for each branch", b->all.wrong_counter, b->all.ran);
	counted(t, "gshare, 4096 2-bit counters, 12 branches of history",
		b->all.wrong_gshare, b->all.ran);
	if (b->further)
		text_fmt(t, "%16" PRIu64 " executions are not in these counts, because the trace has more than %u branches\n",
			 b->further, TSTAT_MAX_BRANCHES);
}

static void print_hardest(struct stat_report *report)
{
	const struct tstat_branches *b = &report->counts.branches;
	struct text *t = &report->text;
	size_t i;

	if (!b->nr)
		return;
	head(t, "Conditional branches, the least predictable first");
	text_str(t, "              PC        pid             ran    taken        gshare wrong       counter wrong");
	text_line(t);
	for (i = 0; i < b->nr && i < report->limit; i++) {
		const struct tstat_branch *v = &b->v[i];

		text_hex(t, v->pc, 16);
		text_fmt(t, " %10" PRIu32 " %15" PRIu64 " %6.2f %% %10" PRIu64
			 " %6.2f %% %10" PRIu64 " %6.2f %%\n", v->pid, v->n.ran,
			 percent(v->n.taken, v->n.ran), v->n.wrong_gshare,
			 percent(v->n.wrong_gshare, v->n.ran), v->n.wrong_counter,
			 percent(v->n.wrong_counter, v->n.ran));
	}
	rest(t, report, b->nr, "branches");
}

static void print_outcomes(struct text *t, const struct tstat_outcomes *n)
{
	text_fmt(t, " %13" PRIu64 " %6.2f %%", n->ran, percent(n->taken, n->ran));
}

static void print_correlation(struct stat_report *report)
{
	const struct tstat_branches *b = &report->counts.branches;
	struct text *t = &report->text;
	size_t i;

	head(t, "Conditional branches by the outcome of the branch before, the least predictable first");
	text_str(t, "              PC        pid behind not taken: taken     behind taken: taken   wrong if unknown     wrong if known");
	text_line(t);
	for (i = 0; i < b->nr && i < report->limit; i++) {
		const struct tstat_branch *v = &b->v[i];
		const uint64_t ran = v->after[0].ran + v->after[1].ran;
		const uint64_t same = tstat_branch_wrong(v, false);
		const uint64_t known = tstat_branch_wrong(v, true);

		text_hex(t, v->pc, 16);
		text_fmt(t, " %10" PRIu32, v->pid);
		print_outcomes(t, &v->after[0]);
		print_outcomes(t, &v->after[1]);
		text_fmt(t, " %9" PRIu64 " %6.2f %% %9" PRIu64 " %6.2f %%\n", same,
			 percent(same, ran), known, percent(known, ran));
	}
	rest(t, report, b->nr, "branches");
	if (b->further)
		text_fmt(t, "%16" PRIu64 " executions are not in these counts, because the trace has more than %u branches\n",
			 b->further, TSTAT_MAX_BRANCHES);
}

static void print_footprint(struct text *t, const struct tstat_footprint *f)
{
	const char *bytes = f->lines.full ? " or more" : "";
	const char *lines = f->pages.full ? " or more" : "";

	text_fmt(t, "%16" PRIu64 "%s different bytes\n", f->lines.units, bytes);
	text_fmt(t, "%16" PRIu64 "%s lines of 64 bytes\n", f->pages.units, lines);
	text_fmt(t, "%16zu%s pages of 4 KiB\n", f->pages.nr, lines);
}

static void print_memory(struct stat_report *report)
{
	const struct tstat_memory *m = &report->counts.memory;
	struct text *t = &report->text;
	unsigned int i;

	head(t, "Memory accesses by size");
	text_str(t, "           reads          writes  bytes");
	text_line(t);
	for (i = 0; i <= TSTAT_MAX_ACCESS + 1; i++) {
		struct stat_size n = stat_size(m, i);

		if (n.reads || n.writes)
			text_fmt(t, "%16" PRIu64 "%16" PRIu64 "  %s%u\n", n.reads, n.writes,
				 i > TSTAT_MAX_ACCESS ? "more than " : "",
				 i > TSTAT_MAX_ACCESS ? TSTAT_MAX_ACCESS : i);
	}
	text_fmt(t, "%16" PRIu64 "%16" PRIu64 "  all; %" PRIu64 " bytes read, %" PRIu64
		 " written\n", m->reads.count, m->writes.count, m->reads.bytes,
		 m->writes.bytes);
	if (m->without_access)
		text_fmt(t, "%16" PRIu64 " of %" PRIu64
			 " loads, stores and atomics have no access in the trace\n",
			 m->without_access, m->instructions);
	head(t, "Data that is used");
	print_footprint(t, &m->data);
}

static void print_thread(struct text *t, const struct tstat_thread *v, uint64_t all)
{
	text_fmt(t, " %15" PRIu64 " %6.2f %% %13" PRIu64 " %13" PRIu64 " %13" PRIu64
		 " %13" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n", v->instructions,
		 percent(v->instructions, all), v->user, v->branches, v->taken,
		 v->memory, v->gaps, v->entries);
}

static void print_threads(struct stat_report *report)
{
	const struct tstat_threads *threads = &report->counts.threads;
	uint64_t all = report->counts.mix.instructions;
	struct text *t = &report->text;
	size_t i;

	head(t, "Processes and threads");
	if (!threads->told) {
		text_str(t, "The trace does not tell which process ran.");
		text_line(t);
	}
	text_str(t, "       pid        tid    instructions    share       in user  conditional         taken   with memory     gaps  entries");
	text_line(t);
	for (i = 0; i < threads->nr && i < report->limit; i++) {
		text_fmt(t, "%10" PRIu32 " %10" PRIu32, threads->v[i].pid, threads->v[i].tid);
		print_thread(t, &threads->v[i], all);
	}
	rest(t, report, threads->nr, "threads");
	if (threads->further.instructions) {
		text_str(t, "       all   others  ");
		print_thread(t, &threads->further, all);
	}
}

static void print_function(struct stat_report *report, const struct tstat_function *f)
{
	struct text *t = &report->text;

	text_fmt(t, "%16" PRIu64 " %6.2f %% %12" PRIu64 "  ", f->instructions,
		 percent(f->instructions, report->counts.mix.instructions), f->entries);
	plain_text(t, stat_function_name(report, f) ?: "[unknown]");
	if (f->file) {
		text_str(t, " (");
		plain_text(t, f->file);
		text_str(t, ")");
	}
	text_line(t);
}

static void print_functions(struct stat_report *report)
{
	const struct tstat_functions *functions = &report->counts.functions;
	uint64_t all = report->counts.mix.instructions;
	struct text *t = &report->text;
	size_t i;

	head(t, "Functions");
	text_str(t, "    instructions    share      entries  function");
	text_line(t);
	for (i = 0; i < functions->nr && i < report->limit; i++)
		print_function(report, &functions->v[i]);
	rest(t, report, functions->nr, "functions");
	if (functions->further.instructions)
		text_fmt(t, "%16" PRIu64 " %6.2f %%               functions beyond the first %u\n",
			 functions->further.instructions,
			 percent(functions->further.instructions, all),
			 TSTAT_MAX_FUNCTIONS);
}

static uint64_t uses(const struct tstat_reuse *r)
{
	uint64_t all = r->first + r->far;
	unsigned int i;

	for (i = 0; i < TSTAT_REUSE_BINS; i++)
		all += r->bins[i];
	return all;
}

static void print_reuse(struct text *t, const char *title, const struct tstat_reuse *r)
{
	const uint64_t all = uses(r);
	char name[64];
	unsigned int i;

	if (!all)
		return;
	head(t, title);
	for (i = 0; i < TSTAT_REUSE_BINS; i++) {
		const uint64_t least = tstat_reuse_least(i);

		if (!r->bins[i])
			continue;
		snprintf(name, sizeof(name), i < 2 ? "%" PRIu64 : "%" PRIu64 " to %" PRIu64,
			 least, 2 * least - 1);
		counted(t, name, r->bins[i], all);
	}
	snprintf(name, sizeof(name), "%" PRIu32 " or more", r->max);
	if (r->far)
		counted(t, name, r->far, all);
	counted(t, r->forgot ? "first uses, and others of which the last use is too long ago" :
			       "first uses", r->first, all);
}

static void print_region(struct text *t, const struct tstat_region *r, const char *file)
{
	text_hex(t, r->number << TSTAT_PAGE_SHIFT, 16);
	text_fmt(t, " %10" PRIu32 " %7" PRIu32 " %15" PRIu64 " %13" PRIu64 " %13" PRIu64 "  ",
		 r->pid, r->pages, r->instructions, r->reads, r->writes);
	plain_text(t, file ? file : "-");
	text_line(t);
}

static void print_regions(struct stat_report *report)
{
	const struct tstat_regions *regions = &report->counts.regions;
	struct text *t = &report->text;
	size_t i;

	head(t, "Regions, the most used first");
	text_str(t, "         address        pid   pages    instructions         reads        writes  file");
	text_line(t);
	for (i = 0; i < regions->nr && i < report->limit; i++)
		print_region(t, &regions->v[i],
			     stat_region_file(report, &regions->v[i]));
	rest(t, report, regions->nr, "regions");
	if (tstat_region_uses(&regions->further))
		text_fmt(t, "%16" PRIu64 " uses of pages beyond the first %u\n",
			 tstat_region_uses(&regions->further), TSTAT_MAX_REGION_PAGES);
}

void stat_text(struct stat_report *report)
{
	print_trace(report);
	if (report->sections & STAT_MIX)
		print_mix(report);
	if (report->sections & STAT_MNEMONICS)
		print_mnemonics(report);
	if (report->sections & STAT_BRANCHES) {
		print_kinds(report);
		print_predictors(report);
		print_hardest(report);
	}
	if (report->sections & STAT_CORRELATION)
		print_correlation(report);
	if (report->sections & STAT_CODE) {
		head(&report->text, "Code that ran");
		print_footprint(&report->text, &report->counts.code);
	}
	if (report->sections & STAT_MEMORY)
		print_memory(report);
	if (report->sections & STAT_PROCESSES)
		print_threads(report);
	if (report->sections & STAT_FUNCTIONS)
		print_functions(report);
	if (report->sections & STAT_REUSE) {
		print_reuse(&report->text, "Reuse distances of lines of code",
			    &report->counts.code_reuse);
		print_reuse(&report->text, "Reuse distances of lines of data",
			    &report->counts.data_reuse);
	}
	if (report->sections & STAT_REGIONS)
		print_regions(report);
}
