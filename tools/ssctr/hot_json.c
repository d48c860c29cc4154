// SPDX-License-Identifier: GPL-2.0-only
#include "hot_json.h"

#include <math.h>

void hot_json_function(struct text *text, const struct hot *hot, uint32_t function)
{
	const struct hot_function *f = &hot->functions[function];

	text_json_str(text, "\"binary\":", f->binary);
	if (f->known)
		text_json_str(text, ",\"function\":", hot_name(hot, function));
	if (f->demangled)
		text_json_str(text, ",\"symbol\":", f->name);
}

void hot_json_line(struct text *text, const struct hot *hot, const struct path_place *at)
{
	enum { MAX = 64 };
	struct img_frame v[MAX];
	const size_t nr = path_code_frames(hot->code, at, v, MAX);
	size_t i;

	if (!nr)
		return;
	text_json_str(text, ",\"file\":", v[0].path);
	text_json_dec(text, ",\"line\":", v[0].line);
	for (i = 0; i + 1 < nr; i++)
		text_json_str(text, i ? "," : ",\"inlined\":[", v[i].name ?: "");
	text_str(text, nr > 1 ? "]" : "");
}

void hot_json_place(struct text *text, const struct hot *hot, const char *name,
		    uint32_t place)
{
	const struct hot_place *p = &hot->places[place];

	text_str(text, name);
	text_str(text, "{");
	hot_json_function(text, hot, p->function);
	if (hot_has_address(hot, place))
		text_json_dec(text, ",\"offset\":", p->offset);
	hot_json_line(text, hot, &p->at);
	text_str(text, "}");
}

void hot_json_flags(struct text *text, const struct hot *hot,
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

void hot_json_trips(struct text *text, const struct hot_trips *t)
{
	static const char *const known[] = {
		[HOT_AT_LEAST] = "at least", [HOT_MEAN] = "mean", [HOT_ESTIMATED] = "estimated",
		[HOT_COUNTED] = "counted",
	};

	if (t->known == HOT_NOTHING)
		return;
	text_json_str(text, ",\"trips_are\":", known[t->known]);
	if (t->known != HOT_AT_LEAST)
		text_fmt(text, ",\"trips\":%.3f", t->mean);
	if (t->known == HOT_MEAN)
		return;
	text_fmt(text, ",\"trips_low\":%.3f", t->low);
	if (isfinite(t->high))
		text_fmt(text, ",\"trips_high\":%.3f", t->high);
	if (t->known != HOT_COUNTED)
		return;
	text_json_dec(text, ",\"runs\":", t->runs);
	text_fmt(text, ",\"trips_of_runs\":[%u,%u,%u,%u,%u]", t->least,
		 t->lower, t->median, t->upper, t->most);
}
