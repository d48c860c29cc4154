// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report for programs: one object. docs/report.md has its keys. */
#include "report.h"
#include "hot_json.h"
#include "recording_json.h"

#include <stdio.h>
#include <string.h>

static void type(struct text *text, uint32_t value)
{
	if (*pd_branch_type_name(value))
		text_json_str(text, ",\"type\":", pd_branch_type_name(value));
}

static void edge(struct text *text, const struct report *report,
		 uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_edge *e = &hot->edges[number];

	type(text, e->type);
	hot_json_flags(text, hot, e);
	hot_json_place(text, hot, ",\"from\":", e->from);
	hot_json_place(text, hot, ",\"to\":", e->to);
}

static void entered(struct text *text, const struct report *report,
		    uint32_t number)
{
	if (report->hot.insns > 0)
		text_fmt(text, ",\"share\":%.6f", report->hot.functions[number].sum.share);
	text_str(text, ",");
	hot_json_function(text, &report->hot, number);
}

static void loop(struct text *text, const struct report *report,
		 uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_loop *l = &hot->loops[number];

	text_fmt(text, ",\"share\":%.6f", l->share);
	text_json_dec(text, ",\"entries\":",
		      hot_transfers(hot, l->entries));
	hot_json_trips(text, &l->trips);
	hot_json_place(text, hot, ",\"head\":", l->head);
	hot_json_place(text, hot, ",\"first\":", l->first);
	hot_json_place(text, hot, ",\"last\":", l->last);
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
	hot_json_place(text, hot, ",\"from\":", e->from);
	hot_json_place(text, hot, ",\"to\":", e->to);
}

static void site(struct text *text, const struct report *report,
		 uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_site *s = &hot->sites[number];
	size_t i;

	type(text, s->type);
	hot_json_place(text, hot, ",\"from\":", s->from);
	text_str(text, ",\"targets\":[");
	for (i = 0; i < s->nr && i < report->limit; i++) {
		const struct hot_edge *e =
			&hot->edges[hot->targets[s->first + i].number];

		text_json_dec(text, i ? ",{\"count\":" : "{\"count\":",
			      hot_transfers(hot, e->count));
		hot_json_flags(text, hot, e);
		hot_json_place(text, hot, ",\"to\":", e->to);
		text_str(text, "}");
	}
	text_str(text, "]");
}

static void call(struct text *text, const struct report *report,
		 uint32_t number)
{
	const struct hot *hot = &report->hot;
	const struct hot_call *c = &hot->calls[number];

	text_str(text, ",\"from\":{");
	hot_json_function(text, hot, c->from);
	text_str(text, "},\"to\":{");
	hot_json_function(text, hot, c->to);
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
		text_json_share(text, ",\"coverage\":", coverage_share(part));
		text_str(text, "}");
	}
	text_str(text, "]");
}

static void coverage(struct text *text, const struct rec *rec)
{
	text_json_dec(text, ",\"empty_samples\":", rec_empty(rec));
	text_json_share(text, ",\"coverage\":", rec_coverage(rec));
	/* A counts file does not tell harts and threads. */
	if (rec->counts)
		return;
	parts(text, &rec->samples, COVERAGE_HART, "coverage_by_hart");
	parts(text, &rec->samples, COVERAGE_THREAD, "coverage_by_thread");
}

/* One of each section that is there, if there is something to say of it. */
static void sentences(struct text *text, const struct report *report, const char *name,
		      const char *(*of)(const struct hot *hot, unsigned int section))
{
	const char *comma = "";
	unsigned int i;

	text_str(text, name);
	for (i = 0; i < HOT_NR_LISTS; i++) {
		if (!report->sections[i].wanted || !report_knows(report, i) ||
		    !*of(&report->hot, i))
			continue;
		text_json_str(text, comma, report->sections[i].name);
		text_json_str(text, ":", of(&report->hot, i));
		comma = ",";
	}
	text_str(text, "}");
}

/* What was recorded, and of what the shares and the sums of counts are. */
static void about(struct text *text, const struct report *report)
{
	const struct rec *rec = report->rec;
	const char *kind, *comma = "";
	unsigned int at = 0;

	/* A counts file tells only whether these are all. */
	if (!rec->counts || !report->filtered) {
		const uint64_t filter = rec->counts ? 0 : samples_filter(&rec->samples);

		text_str(text, ",\"kinds\":[");
		for (; (kind = pd_next_kind(filter, &at)); comma = ",")
			text_json_str(text, comma, kind);
		text_str(text, rec->counts ? "\"any\"]" : "]");
	}
	sentences(text, report, ",\"share_of\":{", report_share_of);
	if (report->filtered)
		sentences(text, report, ",\"lacks\":{", report_lacks);
}

void report_json(const struct report *report)
{
	const struct hot *hot = &report->hot;
	static struct text text;
	unsigned int i;

	text_json_dec(&text, "{\"samples\":", hot->samples);
	text_json_dec(&text, ",\"transfers\":", hot->transfers);
	coverage(&text, report->rec);
	if (hot->has_predictions)
		text_json_dec(&text, ",\"mispredicted\":",
			      hot_transfers(hot, hot->mispredicted));
	about(&text, report);
	if (report_shows_commands(report))
		report_commands_json(&report->commands, report->limit, &text);
	for (i = 0; i < HOT_NR_LISTS; i++)
		/* What is not known is not the same as none. */
		if (report->sections[i].wanted && report_knows(report, i))
			section(&text, report, i);
	if (report->sections[HOT_LOOPS].wanted && hot_unnamed(hot) > 0)
		text_fmt(&text, ",\"unnamed_share\":%.6f", hot_unnamed(hot));
	if (report->sections[HOT_LOOPS].wanted && hot->unread > 0)
		text_fmt(&text, ",\"unread_share\":%.6f", hot->unread);
	rec_json(&text, report->rec, hot);
	text_str(&text, "}");
	text_line(&text);
	text_flush(&text);
}
