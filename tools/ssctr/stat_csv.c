// SPDX-License-Identifier: GPL-2.0-only
/* What `ssctr stat` found, as rows: section,name,measure,value. */
#include <inttypes.h>

#include "base/plain.h"
#include "riscv/rv_insn.h"
#include "stat.h"

static void row(struct text *t, const char *section, const char *name,
		const char *measure, uint64_t value)
{
	text_str(t, section);
	text_str(t, ",");
	text_str(t, name);
	text_str(t, ",");
	text_str(t, measure);
	text_str(t, ",");
	text_dec(t, value, 0);
	text_line(t);
}

static void put_mix(struct text *t, const struct tstat_mix *mix)
{
	unsigned int i;

	for (i = 0; i < RV_N_CLASSES; i++)
		row(t, "mix", rv_class_name(i), "instructions", mix->classes[i]);
	for (i = 0; i < TSTAT_N_MODES; i++)
		row(t, "modes", stf_mode_name(i) ?: "unknown", "instructions",
		    mix->modes[i]);
}

static void put_mnemonics(struct stat_report *report)
{
	const struct tstat_mix *mix = &report->counts.mix;
	size_t i;

	for (i = 0; i < mix->n_mnemonics && i < report->limit; i++)
		row(&report->text, "mnemonics", mix->mnemonics[i].name, "instructions",
		    mix->mnemonics[i].count);
}

static void put_predicted(struct text *t, const char *section, const char *name,
			  const struct tstat_predicted *n)
{
	row(t, section, name, "ran", n->ran);
	row(t, section, name, "taken", n->taken);
	row(t, section, name, "wrong_counter", n->wrong_counter);
	row(t, section, name, "wrong_gshare", n->wrong_gshare);
}

static void put_branches(struct stat_report *report)
{
	const struct tstat_branches *b = &report->counts.branches;
	struct text *t = &report->text;
	char name[40];
	unsigned int i;
	size_t k;

	for (i = 0; i < TSTAT_N_XFERS; i++) {
		if (!*rv_xfer_name(i) || !b->kinds[i])
			continue;
		row(t, "kinds", rv_xfer_name(i), "instructions", b->kinds[i]);
		row(t, "kinds", rv_xfer_name(i), "taken", b->taken[i]);
	}
	put_predicted(t, "conditional", "all", &b->all);
	row(t, "conditional", "all", "interrupted", b->interrupted);
	row(t, "conditional", "all", "not_predicted", b->further);
	for (k = 0; k < b->nr && k < report->limit; k++) {
		snprintf(name, sizeof(name), "0x%" PRIx64 "/%" PRIu32, b->v[k].pc,
			 b->v[k].pid);
		put_predicted(t, "branches", name, &b->v[k].n);
	}
}

static void put_correlation(struct stat_report *report)
{
	const struct tstat_branches *b = &report->counts.branches;
	struct text *t = &report->text;
	char name[40];
	size_t i;

	for (i = 0; i < b->nr && i < report->limit; i++) {
		const struct tstat_branch *v = &b->v[i];

		snprintf(name, sizeof(name), "0x%" PRIx64 "/%" PRIu32, v->pc, v->pid);
		row(t, "correlation", name, "ran_after_not_taken", v->after[0].ran);
		row(t, "correlation", name, "taken_after_not_taken", v->after[0].taken);
		row(t, "correlation", name, "ran_after_taken", v->after[1].ran);
		row(t, "correlation", name, "taken_after_taken", v->after[1].taken);
		row(t, "correlation", name, "wrong_unknown", tstat_branch_wrong(v, false));
		row(t, "correlation", name, "wrong_known", tstat_branch_wrong(v, true));
	}
	row(t, "correlation", "all", "not_counted", b->further);
}

static void put_footprint(struct text *t, const char *section,
			  const struct tstat_footprint *f)
{
	row(t, section, "footprint", "bytes", f->lines.units);
	row(t, section, "footprint", "lines", f->pages.units);
	row(t, section, "footprint", "pages", f->pages.nr);
	row(t, section, "footprint", "more_bytes", f->lines.full);
	row(t, section, "footprint", "more_pages", f->pages.full);
}

static void put_memory(struct stat_report *report)
{
	const struct tstat_memory *m = &report->counts.memory;
	struct text *t = &report->text;
	char name[40];
	unsigned int i;

	row(t, "memory", "all", "reads", m->reads.count);
	row(t, "memory", "all", "read_bytes", m->reads.bytes);
	row(t, "memory", "all", "writes", m->writes.count);
	row(t, "memory", "all", "written_bytes", m->writes.bytes);
	row(t, "memory", "all", "instructions", m->instructions);
	row(t, "memory", "all", "without_access", m->without_access);
	for (i = 0; i <= TSTAT_MAX_ACCESS + 1; i++) {
		struct stat_size n = stat_size(m, i);

		if (!n.reads && !n.writes)
			continue;
		snprintf(name, sizeof(name), i > TSTAT_MAX_ACCESS ? "longer" : "%u", i);
		row(t, "sizes", name, "reads", n.reads);
		row(t, "sizes", name, "writes", n.writes);
	}
	put_footprint(t, "data", &m->data);
}

static void put_thread(struct text *t, const char *name, const struct tstat_thread *v)
{
	row(t, "processes", name, "instructions", v->instructions);
	row(t, "processes", name, "user", v->user);
	row(t, "processes", name, "branches", v->branches);
	row(t, "processes", name, "taken", v->taken);
	row(t, "processes", name, "memory", v->memory);
	row(t, "processes", name, "gaps", v->gaps);
	row(t, "processes", name, "entries", v->entries);
}

static void put_threads(struct stat_report *report)
{
	const struct tstat_threads *threads = &report->counts.threads;
	char name[40];
	size_t i;

	for (i = 0; i < threads->nr && i < report->limit; i++) {
		snprintf(name, sizeof(name), "%" PRIu32 "/%" PRIu32, threads->v[i].pid,
			 threads->v[i].tid);
		put_thread(&report->text, name, &threads->v[i]);
	}
	if (threads->further.instructions)
		put_thread(&report->text, "further", &threads->further);
}

/* A cell in double quotes, in which two stand for one. A terminal may show it. */
static void quoted(struct text *t, const char *s)
{
	for (; *s; s += plain_control(s) ?: 1) {
		const char c[] = { *s, 0 };

		text_str(t, *s == '"' ? "\"\"" : plain_control(s) ? "?" : c);
	}
}

static void function_row(struct stat_report *report, const struct tstat_function *f,
			 const char *measure, uint64_t value)
{
	struct text *t = &report->text;

	text_str(t, "functions,\"");
	quoted(t, stat_function_name(report, f) ?: "[unknown]");
	text_str(t, " (");
	quoted(t, f->file ? f->file : "[unknown]");
	text_str(t, ")\"");
	text_fmt(t, ",%s,%" PRIu64, measure, value);
	text_line(t);
}

static void put_functions(struct stat_report *report)
{
	const struct tstat_functions *functions = &report->counts.functions;
	struct text *t = &report->text;
	size_t i;

	for (i = 0; i < functions->nr && i < report->limit; i++) {
		function_row(report, &functions->v[i], "instructions",
			     functions->v[i].instructions);
		function_row(report, &functions->v[i], "entries", functions->v[i].entries);
	}
	if (functions->further.instructions)
		row(t, "functions", "further", "instructions",
		    functions->further.instructions);
}

/* The name of a distance is the smallest one of its bin. */
static void put_reuse(struct text *t, const char *section, const struct tstat_reuse *r)
{
	char name[40];
	unsigned int i;

	for (i = 0; i < TSTAT_REUSE_BINS; i++) {
		if (!r->bins[i])
			continue;
		snprintf(name, sizeof(name), "%" PRIu64, tstat_reuse_least(i));
		row(t, section, name, "uses", r->bins[i]);
	}
	row(t, section, "all", "max_or_more", r->far);
	row(t, section, "all", "first", r->first);
	row(t, section, "all", "forgot", r->forgot);
}

static void put_regions(struct stat_report *report)
{
	const struct tstat_regions *regions = &report->counts.regions;
	struct text *t = &report->text;
	char name[40];
	size_t i;

	for (i = 0; i < regions->nr && i < report->limit; i++) {
		const struct tstat_region *r = &regions->v[i];
		const char *file = stat_region_file(report, r);

		snprintf(name, sizeof(name), "0x%" PRIx64 "/%" PRIu32,
			 r->number << TSTAT_PAGE_SHIFT, r->pid);
		row(t, "regions", name, "pages", r->pages);
		row(t, "regions", name, "instructions", r->instructions);
		row(t, "regions", name, "reads", r->reads);
		row(t, "regions", name, "writes", r->writes);
		if (!file)
			continue;
		text_fmt(t, "regions,%s,file,\"", name);
		quoted(t, file);
		text_str(t, "\"");
		text_line(t);
	}
	row(t, "regions", "further", "uses", tstat_region_uses(&regions->further));
}

void stat_csv(struct stat_report *report)
{
	struct text *t = &report->text;

	text_str(t, "section,name,measure,value");
	text_line(t);
	row(t, "trace", "all", "read_to_end", report->ended);
	text_str(t, "trace,all,coverage,");
	if (report->counts.coverage.share >= 0)
		text_fmt(t, "%.6f", report->counts.coverage.share);
	text_line(t);
	text_str(t, "trace,all,repeated,");
	if (report->counts.coverage.repeated >= 0)
		text_fmt(t, "%" PRId64, report->counts.coverage.repeated);
	text_line(t);
	row(t, "trace", "all", "instructions", report->counts.mix.instructions);
	row(t, "trace", "all", "instructions_16_bit", report->counts.mix.size16);
	row(t, "trace", "all", "interrupted", report->counts.interrupted);
	row(t, "trace", "all", "gaps", report->counts.gaps);
	if (report->sections & STAT_MIX)
		put_mix(t, &report->counts.mix);
	if (report->sections & STAT_MNEMONICS)
		put_mnemonics(report);
	if (report->sections & STAT_BRANCHES)
		put_branches(report);
	if (report->sections & STAT_CORRELATION)
		put_correlation(report);
	if (report->sections & STAT_CODE)
		put_footprint(t, "code", &report->counts.code);
	if (report->sections & STAT_MEMORY)
		put_memory(report);
	if (report->sections & STAT_PROCESSES)
		put_threads(report);
	if (report->sections & STAT_FUNCTIONS)
		put_functions(report);
	if (report->sections & STAT_REUSE) {
		put_reuse(t, "code_reuse", &report->counts.code_reuse);
		put_reuse(t, "data_reuse", &report->counts.data_reuse);
	}
	if (report->sections & STAT_REGIONS)
		put_regions(report);
}
