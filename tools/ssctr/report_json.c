// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report for programs: one object. docs/report.md has its keys. */
#include "report.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The members of a function: a binary, and its name if it has one. */
static void function(struct text *text, const struct report *report, uint32_t number)
{
	const struct hot_function *f = &report->hot.functions[number];

	text_json_str(text, "\"binary\":", f->binary);
	if (f->known)
		text_json_str(text, ",\"function\":", report_name(report, number));
	if (report->names[number])
		text_json_str(text, ",\"symbol\":", f->name);
}

static void place(struct text *text, const struct report *report,
		  const char *name, uint32_t number_of)
{
	const struct hot *hot = &report->hot;
	const struct hot_place *p = &hot->places[number_of];
	unsigned int line;
	const char *path;

	text_str(text, name);
	text_str(text, "{");
	function(text, report, p->function);
	text_json_dec(text, ",\"offset\":", p->offset);
	if (path_code_line(hot->code, &p->at, &path, &line)) {
		text_json_str(text, ",\"file\":", path);
		text_json_dec(text, ",\"line\":", line);
	}
	text_str(text, "}");
}

static void type(struct text *text, uint32_t value)
{
	if (*pd_branch_type_name(value))
		text_json_str(text, ",\"type\":", pd_branch_type_name(value));
}

static void flags(struct text *text, const struct hot *hot,
		  const struct hot_edge *e)
{
	if (hot->has_predictions)
		text_json_dec(text, ",\"mispredicted\":",
			      hot_transfers(hot, e->mispredicted));
	if (hot->has_cycles) {
		text_json_dec(text, ",\"cycles\":", e->cycles);
		text_json_dec(text, ",\"timed\":", e->timed);
	}
}

static void edge(struct text *text, const struct report *report,
		 uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_edge *e = &hot->edges[number];

	type(text, e->type);
	flags(text, hot, e);
	place(text, report, ",\"from\":", e->from);
	place(text, report, ",\"to\":", e->to);
}

static void entered(struct text *text, const struct report *report,
		    uint32_t number)
{
	text_str(text, ",");
	function(text, report, number);
}

static void trips(struct text *text, const struct hot_trips *t)
{
	static const char *const known[] = {
		[HOT_AT_LEAST] = "at least", [HOT_ESTIMATED] = "estimated",
		[HOT_COUNTED] = "counted",
	};

	if (t->known == HOT_NOTHING)
		return;
	text_json_str(text, ",\"trips_are\":", known[t->known]);
	if (t->known != HOT_AT_LEAST)
		text_fmt(text, ",\"trips\":%.3f", t->mean);
	text_fmt(text, ",\"trips_low\":%.3f", t->low);
	if (isfinite(t->high))
		text_fmt(text, ",\"trips_high\":%.3f", t->high);
	if (t->known != HOT_COUNTED)
		return;
	text_json_dec(text, ",\"runs\":", t->runs);
	text_fmt(text, ",\"trips_of_runs\":[%u,%u,%u,%u,%u]", t->least,
		 t->lower, t->median, t->upper, t->most);
}

static void loop(struct text *text, const struct report *report,
		 uint32_t number)
{
	const struct hot_loop *l = &report->hot.loops[number];

	text_fmt(text, ",\"share\":%.6f", l->share);
	text_json_dec(text, ",\"entries\":",
		      hot_transfers(&report->hot, l->entries));
	trips(text, &l->trips);
	place(text, report, ",\"head\":", l->head);
	place(text, report, ",\"first\":", l->first);
	place(text, report, ",\"last\":", l->last);
}

static void branch(struct text *text, const struct report *report,
		   uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_branch *b = &hot->branches[number];
	const struct hot_edge *e = &hot->edges[b->edge];

	text_json_dec(text, ",\"runs\":", hot_transfers(hot, b->taken + b->passed));
	text_json_dec(text, ",\"taken\":", hot_transfers(hot, b->taken));
	text_fmt(text, ",\"probability\":%.6f",
		 (double)b->taken / (b->taken + b->passed));
	if (hot->has_predictions)
		text_json_dec(text, ",\"mispredicted\":",
			      hot_transfers(hot, b->mispredicted));
	place(text, report, ",\"from\":", e->from);
	place(text, report, ",\"to\":", e->to);
}

static void site(struct text *text, const struct report *report,
		 uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_site *s = &hot->sites[number];
	size_t i;

	type(text, s->type);
	place(text, report, ",\"from\":", s->from);
	text_str(text, ",\"targets\":[");
	for (i = 0; i < s->nr && i < report->limit; i++) {
		const struct hot_edge *e =
			&hot->edges[hot->targets[s->first + i].number];

		text_json_dec(text, i ? ",{\"count\":" : "{\"count\":",
			      hot_transfers(hot, e->count));
		flags(text, hot, e);
		place(text, report, ",\"to\":", e->to);
		text_str(text, "}");
	}
	text_str(text, "]");
}

static void call(struct text *text, const struct report *report,
		 uint32_t number)
{
	const struct hot_call *c = &report->hot.calls[number];

	text_str(text, ",\"from\":{");
	function(text, report, c->from);
	text_str(text, "},\"to\":{");
	function(text, report, c->to);
	text_str(text, "}");
}

static void section(struct text *text, const struct report *report,
		    unsigned int number)
{
	static void (*const put[])(struct text *, const struct report *,
				   uint32_t) = {
		[HOT_EDGES] = edge, [HOT_FUNCTIONS] = entered,
		[HOT_LOOPS] = loop, [HOT_BRANCHES] = branch,
		[HOT_SITES] = site, [HOT_CALLS] = call,
	};
	const struct report_section *s = &report->sections[number];
	const struct count_list *list = &report->hot.lists[number];
	size_t i;

	text_json_str(text, ",", s->name);
	text_str(text, ":[");
	for (i = 0; i < list->nr && i < report->limit; i++) {
		text_json_str(text, i ? ",{" : "{", s->counted);
		text_json_dec(text, ":",
			      hot_transfers(&report->hot, list->v[i].count));
		put[number](text, report, list->v[i].number);
		text_str(text, "}");
	}
	text_str(text, "]");
}

static void share(struct text *text, double share)
{
	text_str(text, ",\"coverage\":");
	if (share < 0)
		text_str(text, "null");
	else
		text_fmt(text, "%.6f", share);
}

static void parts(struct text *text, const struct samples *samples,
		  enum coverage_kind kind, const char *name)
{
	const struct coverage_part *part;
	bool first = true;
	size_t at = 0;

	text_json_str(text, ",", name);
	text_str(text, ":[");
	for (; (part = samples_next_part(samples, kind, &at)); first = false) {
		const char *event = pd_attr(samples->pd, part->event)->name;

		text_json_str(text, first ? "{\"event\":" : ",{\"event\":",
			      event ? event : "");
		if (kind == COVERAGE_THREAD)
			text_json_dec(text, ",\"pid\":", part->pid);
		text_json_dec(text, kind == COVERAGE_THREAD ? ",\"tid\":" :
							      ",\"cpu\":",
			      part->number);
		share(text, coverage_share(part));
		text_str(text, "}");
	}
	text_str(text, "]");
}

static void coverage(struct text *text, const struct samples *samples)
{
	share(text, samples_least_coverage(samples));
	parts(text, samples, COVERAGE_HART, "coverage_by_hart");
	parts(text, samples, COVERAGE_THREAD, "coverage_by_thread");
}

void report_json(const struct report *report)
{
	const struct hot *hot = &report->hot;
	static struct text text;
	unsigned int i;

	text_json_dec(&text, "{\"samples\":", hot->samples);
	text_json_dec(&text, ",\"transfers\":", hot->transfers);
	coverage(&text, report->samples);
	if (hot->has_predictions)
		text_json_dec(&text, ",\"mispredicted\":",
			      hot_transfers(hot, hot->mispredicted));
	for (i = 0; i < HOT_NR_LISTS; i++)
		/* What is not known is not the same as none. */
		if (report->sections[i].wanted && report_knows(report, i))
			section(&text, report, i);
	text_str(&text, "}");
	text_line(&text);
	text_flush(&text);
}
