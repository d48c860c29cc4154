// SPDX-License-Identifier: GPL-2.0-only
#include "recording_json.h"

void rec_json_notes(struct text *text, const struct notes *notes)
{
	size_t i;

	text_str(text, ",\"notes\":[");
	for (i = 0; i < notes->nr; i++) {
		const struct note *note = &notes->v[i];

		text_str(text, i ? ",{" : "{");
		if (note->kind)
			text_json_str(text, "\"kind\":", note->kind);
		else
			text_json_dec(text, "\"number\":", note->number);
		text_json_str(text, ",\"text\":", note->text);
		text_str(text, "}");
	}
	text_str(text, "]");
}

void rec_json(struct text *text, struct rec *rec, const struct hot *hot)
{
	uint64_t throttled;

	text_json_dec(text, ",\"lost\":", rec_lost(rec));
	if (rec_throttled(rec, &throttled))
		text_json_dec(text, ",\"throttled\":", throttled);
	rec_json_notes(text, rec_notes(rec, hot));
}
