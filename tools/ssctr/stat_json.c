// SPDX-License-Identifier: GPL-2.0-only
/* What `ssctr stat` found, for programs: one object. */
#include <string.h>

#include "riscv/rv_insn.h"
#include "stat.h"

/* A member of an object, "name":value. */
static void count(struct text *t, bool first, const char *name, uint64_t value)
{
	text_str(t, first ? "" : ",");
	text_json(t, name, strlen(name));
	text_json_dec(t, ":", value);
}

static void put_bool(struct text *t, const char *name, bool value)
{
	text_str(t, name);
	text_str(t, value ? "true" : "false");
}

static void put_mix(struct text *t, const struct tstat_mix *mix)
{
	unsigned int i;

	text_str(t, ",\"mix\":{");
	for (i = 0; i < RV_N_CLASSES; i++)
		count(t, !i, rv_class_name(i), mix->classes[i]);
	text_str(t, "},\"modes\":{");
	for (i = 0; i < TSTAT_N_MODES; i++)
		count(t, !i, stf_mode_name(i) ?: "unknown", mix->modes[i]);
	text_str(t, "}");
}

static void put_mnemonics(struct stat_report *report)
{
	const struct tstat_mix *mix = &report->counts.mix;
	struct text *t = &report->text;
	size_t i;

	text_json_dec(t, ",\"n_mnemonics\":", mix->n_mnemonics);
	text_str(t, ",\"mnemonics\":{");
	for (i = 0; i < mix->n_mnemonics && i < report->limit; i++)
		count(t, !i, mix->mnemonics[i].name, mix->mnemonics[i].count);
	text_str(t, "}");
}

static void put_predicted(struct text *t, const struct tstat_predicted *n)
{
	text_json_dec(t, "\"ran\":", n->ran);
	text_json_dec(t, ",\"taken\":", n->taken);
	text_json_dec(t, ",\"wrong_counter\":", n->wrong_counter);
	text_json_dec(t, ",\"wrong_gshare\":", n->wrong_gshare);
}

static void put_kinds(struct text *t, const struct tstat_branches *b)
{
	bool first = true;
	unsigned int i;

	text_str(t, ",\"kinds\":[");
	for (i = 0; i < TSTAT_N_XFERS; i++) {
		if (!b->kinds[i])
			continue;
		text_json_str(t, first ? "{\"kind\":" : ",{\"kind\":", rv_xfer_name(i));
		text_json_dec(t, ",\"count\":", b->kinds[i]);
		text_json_dec(t, ",\"taken\":", b->taken[i]);
		text_str(t, "}");
		first = false;
	}
	text_str(t, "]");
}

static void put_branches(struct stat_report *report)
{
	const struct tstat_branches *b = &report->counts.branches;
	struct text *t = &report->text;
	size_t i;

	put_kinds(t, b);
	text_str(t, ",\"conditional\":{");
	put_predicted(t, &b->all);
	text_json_dec(t, ",\"interrupted\":", b->interrupted);
	text_json_dec(t, ",\"not_predicted\":", b->further);
	text_json_dec(t, ",\"n_branches\":", b->nr);
	text_str(t, ",\"branches\":[");
	for (i = 0; i < b->nr && i < report->limit; i++) {
		text_json_dec(t, i ? ",{\"pc\":" : "{\"pc\":", b->v[i].pc);
		text_json_dec(t, ",\"pid\":", b->v[i].pid);
		text_str(t, ",");
		put_predicted(t, &b->v[i].n);
		text_str(t, "}");
	}
	text_str(t, "]}");
}

static void put_correlation(struct stat_report *report)
{
	const struct tstat_branches *b = &report->counts.branches;
	struct text *t = &report->text;
	size_t i;

	text_json_dec(t, ",\"correlation\":{\"not_counted\":", b->further);
	text_str(t, ",\"branches\":[");
	for (i = 0; i < b->nr && i < report->limit; i++) {
		const struct tstat_branch *v = &b->v[i];

		text_json_dec(t, i ? ",{\"pc\":" : "{\"pc\":", v->pc);
		text_json_dec(t, ",\"pid\":", v->pid);
		text_json_dec(t, ",\"ran_after_not_taken\":", v->after[0].ran);
		text_json_dec(t, ",\"taken_after_not_taken\":", v->after[0].taken);
		text_json_dec(t, ",\"ran_after_taken\":", v->after[1].ran);
		text_json_dec(t, ",\"taken_after_taken\":", v->after[1].taken);
		text_json_dec(t, ",\"wrong_unknown\":", tstat_branch_wrong(v, false));
		text_json_dec(t, ",\"wrong_known\":", tstat_branch_wrong(v, true));
		text_str(t, "}");
	}
	text_str(t, "]}");
}

static void put_footprint(struct text *t, const char *name,
			  const struct tstat_footprint *f)
{
	text_str(t, name);
	text_json_dec(t, "{\"bytes\":", f->lines.units);
	text_json_dec(t, ",\"lines\":", f->pages.units);
	text_json_dec(t, ",\"pages\":", f->pages.nr);
	/* The numbers are lower bounds. */
	put_bool(t, ",\"more_bytes\":", f->lines.full);
	put_bool(t, ",\"more_pages\":", f->pages.full);
	text_str(t, "}");
}

static void put_sizes(struct text *t, const struct tstat_memory *m)
{
	bool first = true;
	unsigned int i;

	text_str(t, ",\"sizes\":[");
	for (i = 0; i <= TSTAT_MAX_ACCESS + 1; i++) {
		struct stat_size n = stat_size(m, i);

		if (!n.reads && !n.writes)
			continue;
		text_str(t, first ? "{\"bytes\":" : ",{\"bytes\":");
		if (i > TSTAT_MAX_ACCESS)
			text_str(t, "null");
		else
			text_dec(t, i, 0);
		text_json_dec(t, ",\"reads\":", n.reads);
		text_json_dec(t, ",\"writes\":", n.writes);
		text_str(t, "}");
		first = false;
	}
	text_str(t, "]");
}

static void put_memory(struct text *t, const struct tstat_memory *m)
{
	text_json_dec(t, ",\"memory\":{\"reads\":", m->reads.count);
	text_json_dec(t, ",\"read_bytes\":", m->reads.bytes);
	text_json_dec(t, ",\"writes\":", m->writes.count);
	text_json_dec(t, ",\"written_bytes\":", m->writes.bytes);
	text_json_dec(t, ",\"instructions\":", m->instructions);
	text_json_dec(t, ",\"without_access\":", m->without_access);
	put_sizes(t, m);
	put_footprint(t, ",\"data\":", &m->data);
	text_str(t, "}");
}

static void put_thread(struct text *t, const struct tstat_thread *v)
{
	text_json_dec(t, "\"instructions\":", v->instructions);
	text_json_dec(t, ",\"user\":", v->user);
	text_json_dec(t, ",\"branches\":", v->branches);
	text_json_dec(t, ",\"taken\":", v->taken);
	text_json_dec(t, ",\"memory\":", v->memory);
	text_json_dec(t, ",\"gaps\":", v->gaps);
	text_json_dec(t, ",\"entries\":", v->entries);
	text_str(t, "}");
}

static void put_threads(struct stat_report *report)
{
	const struct tstat_threads *threads = &report->counts.threads;
	struct text *t = &report->text;
	size_t i;

	put_bool(t, ",\"processes_known\":", threads->told);
	text_json_dec(t, ",\"n_threads\":", threads->nr);
	text_str(t, ",\"threads\":[");
	for (i = 0; i < threads->nr && i < report->limit; i++) {
		text_json_dec(t, i ? ",{\"pid\":" : "{\"pid\":", threads->v[i].pid);
		text_json_dec(t, ",\"tid\":", threads->v[i].tid);
		text_str(t, ",");
		put_thread(t, &threads->v[i]);
	}
	text_str(t, "]");
	if (threads->further.instructions) {
		text_str(t, ",\"further_threads\":{");
		put_thread(t, &threads->further);
	}
}

/* NULL: null. */
static void put_name(struct text *t, const char *member, const char *name)
{
	if (name)
		text_json_str(t, member, name);
	else
		text_fmt(t, "%snull", member);
}

static void put_functions(struct stat_report *report)
{
	const struct tstat_functions *functions = &report->counts.functions;
	struct text *t = &report->text;
	size_t i;

	text_json_dec(t, ",\"n_functions\":", functions->nr);
	text_json_dec(t, ",\"further_functions\":", functions->further.instructions);
	text_str(t, ",\"functions\":[");
	for (i = 0; i < functions->nr && i < report->limit; i++) {
		const struct tstat_function *f = &functions->v[i];

		put_name(t, i ? ",{\"name\":" : "{\"name\":", stat_function_name(report, f));
		put_name(t, ",\"file\":", f->file);
		text_json_dec(t, ",\"instructions\":", f->instructions);
		text_json_dec(t, ",\"entries\":", f->entries);
		text_str(t, "}");
	}
	text_str(t, "]");
}

static void put_reuse(struct text *t, const char *name, const struct tstat_reuse *r)
{
	bool any = false;
	unsigned int i;

	text_str(t, name);
	text_json_dec(t, "{\"first\":", r->first);
	put_bool(t, ",\"forgot\":", r->forgot);
	text_json_dec(t, ",\"max\":", r->max);
	text_json_dec(t, ",\"max_or_more\":", r->far);
	text_str(t, ",\"distances\":[");
	for (i = 0; i < TSTAT_REUSE_BINS; i++) {
		if (!r->bins[i])
			continue;
		text_json_dec(t, any ? ",{\"least\":" : "{\"least\":",
			      tstat_reuse_least(i));
		text_json_dec(t, ",\"uses\":", r->bins[i]);
		text_str(t, "}");
		any = true;
	}
	text_str(t, "]}");
}

static void put_regions(struct stat_report *report)
{
	const struct tstat_regions *regions = &report->counts.regions;
	struct text *t = &report->text;
	size_t i;

	text_json_dec(t, ",\"n_regions\":", regions->nr);
	text_json_dec(t, ",\"further_pages\":", tstat_region_uses(&regions->further));
	text_str(t, ",\"regions\":[");
	for (i = 0; i < regions->nr && i < report->limit; i++) {
		const struct tstat_region *r = &regions->v[i];

		text_json_dec(t, i ? ",{\"address\":" : "{\"address\":",
			      r->number << TSTAT_PAGE_SHIFT);
		text_json_dec(t, ",\"pid\":", r->pid);
		text_json_dec(t, ",\"pages\":", r->pages);
		text_json_dec(t, ",\"instructions\":", r->instructions);
		text_json_dec(t, ",\"reads\":", r->reads);
		text_json_dec(t, ",\"writes\":", r->writes);
		put_name(t, ",\"file\":", stat_region_file(report, r));
		text_str(t, "}");
	}
	text_str(t, "]");
}

void stat_json(struct stat_report *report)
{
	struct text *t = &report->text;

	put_bool(t, "{\"read_to_end\":", report->ended);
	text_json_share(t, ",\"coverage\":", report->counts.coverage.share);
	text_json_known(t, ",\"repeated\":", report->counts.coverage.repeated);
	text_json_dec(t, ",\"instructions\":", report->counts.mix.instructions);
	text_json_dec(t, ",\"instructions_16_bit\":", report->counts.mix.size16);
	text_json_dec(t, ",\"interrupted\":", report->counts.interrupted);
	text_json_dec(t, ",\"gaps\":", report->counts.gaps);
	if (report->sections & STAT_MIX)
		put_mix(t, &report->counts.mix);
	if (report->sections & STAT_MNEMONICS)
		put_mnemonics(report);
	if (report->sections & STAT_BRANCHES)
		put_branches(report);
	if (report->sections & STAT_CORRELATION)
		put_correlation(report);
	if (report->sections & STAT_CODE)
		put_footprint(t, ",\"code\":", &report->counts.code);
	if (report->sections & STAT_MEMORY)
		put_memory(t, &report->counts.memory);
	if (report->sections & STAT_PROCESSES)
		put_threads(report);
	if (report->sections & STAT_FUNCTIONS)
		put_functions(report);
	if (report->sections & STAT_REUSE) {
		put_reuse(t, ",\"code_reuse\":", &report->counts.code_reuse);
		put_reuse(t, ",\"data_reuse\":", &report->counts.data_reuse);
	}
	if (report->sections & STAT_REGIONS)
		put_regions(report);
	text_str(t, "}");
	text_line(t);
}
