// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report for programs: one object. docs/report.md has its keys. */
#include "report.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* The members of a function: a binary, and its name if it has one. */
static void function(struct text *text, const struct hot_function *f)
{
	text_json_str(text, "\"binary\":", f->binary);
	if (f->known)
		text_json_str(text, ",\"function\":", f->name);
}

static void place(struct text *text, const struct hot *hot, const char *name,
		  uint32_t number_of)
{
	const struct hot_place *p = &hot->places[number_of];

	text_str(text, name);
	text_str(text, "{");
	function(text, &hot->functions[p->function]);
	text_json_dec(text, ",\"offset\":", p->offset);
	text_str(text, "}");
}

static void type(struct text *text, uint32_t value)
{
	if (*pd_branch_type_name(value))
		text_json_str(text, ",\"type\":", pd_branch_type_name(value));
}

static void flags(struct text *text, const struct transfers *t,
		  const struct hot_edge *e)
{
	if (t->has_predictions)
		text_json_dec(text, ",\"mispredicted\":", e->mispredicted);
	if (t->has_cycles) {
		text_json_dec(text, ",\"cycles\":", e->cycles);
		text_json_dec(text, ",\"timed\":", e->timed);
	}
}

static void edge(struct text *text, const struct report *report, size_t i)
{
	const struct hot_edge *e = &report->hot.edges[i];

	text_json_dec(text, "{\"count\":", e->count);
	type(text, e->type);
	flags(text, report->hot.transfers, e);
	place(text, &report->hot, ",\"from\":", e->from);
	place(text, &report->hot, ",\"to\":", e->to);
	text_str(text, "}");
}

static void entered(struct text *text, const struct report *report, size_t i)
{
	const struct hot *hot = &report->hot;
	const struct hot_function *f = &hot->functions[hot->entered[i]];

	text_json_dec(text, "{\"entries\":", f->entries);
	text_str(text, ",");
	function(text, f);
	text_str(text, "}");
}

static void loop(struct text *text, const struct report *report, size_t i)
{
	const struct hot *hot = &report->hot;
	const struct hot_loop *l = &hot->loops[i];
	char trips[32];

	text_json_dec(text, "{\"iterations\":", l->iterations);
	text_json_dec(text, ",\"entries\":", l->entries);
	if (l->entries) {
		snprintf(trips, sizeof(trips), "%.3f",
			 (double)l->iterations / l->entries);
		text_str(text, ",\"trips\":");
		text_str(text, trips);
	}
	place(text, hot, ",\"head\":", l->head);
	place(text, hot, ",\"last\":", l->last);
	text_str(text, "}");
}

static void site(struct text *text, const struct report *report, size_t i)
{
	const struct hot *hot = &report->hot;
	const struct hot_site *s = &hot->sites[i];
	size_t k;

	text_json_dec(text, "{\"count\":", s->count);
	type(text, s->type);
	place(text, hot, ",\"from\":", s->from);
	text_str(text, ",\"targets\":[");
	for (k = 0; k < s->nr && k < report->limit; k++) {
		const struct hot_edge *e = &hot->targets[s->first + k];

		text_json_dec(text, k ? ",{\"count\":" : "{\"count\":",
			      e->count);
		flags(text, hot->transfers, e);
		place(text, hot, ",\"to\":", e->to);
		text_str(text, "}");
	}
	text_str(text, "]}");
}

static void call(struct text *text, const struct report *report, size_t i)
{
	const struct hot *hot = &report->hot;
	const struct hot_call *c = &hot->calls[i];

	text_json_dec(text, "{\"count\":", c->count);
	text_str(text, ",\"from\":{");
	function(text, &hot->functions[c->from]);
	text_str(text, "},\"to\":{");
	function(text, &hot->functions[c->to]);
	text_str(text, "}}");
}

void report_json(const struct report *report)
{
	static void (*const print[])(struct text *, const struct report *,
				     size_t) = {
		[REPORT_EDGES] = edge,	   [REPORT_FUNCTIONS] = entered,
		[REPORT_LOOPS] = loop,	   [REPORT_TARGETS] = site,
		[REPORT_CALLS] = call,
	};
	const struct hot *hot = &report->hot;
	const size_t nr[] = {
		[REPORT_EDGES] = hot->nr_edges,
		[REPORT_FUNCTIONS] = hot->nr_entered,
		[REPORT_LOOPS] = hot->nr_loops,
		[REPORT_TARGETS] = hot->nr_sites,
		[REPORT_CALLS] = hot->nr_calls,
	};
	static struct text text;
	unsigned int i;
	size_t k;

	text_json_dec(&text, "{\"samples\":", hot->transfers->samples);
	text_json_dec(&text, ",\"transfers\":", hot->transfers->entries);
	if (hot->transfers->has_predictions)
		text_json_dec(&text, ",\"mispredicted\":",
		       hot->transfers->mispredicted);
	for (i = 0; i < REPORT_NR_SECTIONS; i++) {
		/* Loops that are not known are not the same as none. */
		if (!report->sections[i] ||
		    (i == REPORT_LOOPS && report->filtered))
			continue;
		text_json_str(&text, ",", report_section_name(i));
		text_str(&text, ":[");
		for (k = 0; k < nr[i] && k < report->limit; k++) {
			text_str(&text, k ? "," : "");
			print[i](&text, report, k);
		}
		text_str(&text, "]");
	}
	text_str(&text, "}");
	text_line(&text);
	text_flush(&text);
}
