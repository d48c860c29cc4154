// SPDX-License-Identifier: GPL-2.0-only
#include "record_json.h"

#include <string.h>

void record_json(struct text *text, const struct stf_record *rec)
{
	const char *name, *string, *before = "";
	bool open = false;
	unsigned int i;
	uint64_t value;

	text_str(text, "\"record\":\"");
	text_str(text, stf_desc_name(rec->desc));
	text_str(text, "\"");
	for (i = 0; (name = stf_record_field(rec, i, &value, &string)); i++) {
		const char *next;
		const char *ignored;
		uint64_t unused;
		bool array = rec->desc == STF_EVENT ||
			     rec->desc == STF_PAGE_TABLE_WALK ||
			     rec->desc == STF_TRANSACTION ||
			     rec->desc == STF_INST_REG;

		if (open && !strcmp(name, before)) {
			text_str(text, ",");
			text_dec(text, value, 0);
			continue;
		}
		if (open)
			text_str(text, "]");
		next = array ? stf_record_field(rec, i + 1, &unused, &ignored) :
			       NULL;
		open = next && !strcmp(next, name);
		before = name;
		text_str(text, ",\"");
		text_str(text, name);
		text_str(text, open ? "\":[" : "\":");
		if (string)
			text_json(text, string, value);
		else
			text_dec(text, value, 0);
	}
	if (open)
		text_str(text, "]");
}
