// SPDX-License-Identifier: GPL-2.0-only
#include "recording_json.h"

void rec_json(struct text *text, struct rec *rec, const struct hot *hot)
{
	uint64_t throttled;

	text_json_dec(text, ",\"lost\":", rec_lost(rec));
	if (rec_throttled(rec, &throttled))
		text_json_dec(text, ",\"throttled\":", throttled);
	notes_json(rec_notes(rec, hot), text);
}
