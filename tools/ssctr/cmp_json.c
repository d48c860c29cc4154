// SPDX-License-Identifier: GPL-2.0-only
/* What `ssctr cmp` found, for programs: an object on each line. */
#include <string.h>

#include "cmp.h"

static void put_inst(struct cmp_report *report, const struct tcmp_inst *inst)
{
	struct text *text = &report->dump.text;
	size_t i;

	if (inst->end)
		text_str(text, "{\"end\":true");
	else
		dump_json_open(&report->dump, &inst->inst);
	for (i = 0; i < inst->nr; i++) {
		text_str(text, i ? ",{" : ",\"records\":[{");
		dump_json_members(text, &inst->records[i]);
		text_str(text, "}");
	}
	text_str(text, inst->nr ? "]}" : "}");
}

static void put_kinds(struct text *text, unsigned int kinds)
{
	bool any = false;
	unsigned int i;

	text_str(text, ",\"kinds\":[");
	for (i = 0; i < TCMP_N_KINDS; i++) {
		if (!(kinds >> i & 1))
			continue;
		text_json_str(text, any ? "," : "", tcmp_kind_name(i));
		any = true;
	}
	text_str(text, "]");
}

static void put_header(struct text *text, const char *name,
		       const struct tcut_header *header, uint8_t desc)
{
	bool any = false;
	size_t i;

	text_str(text, name);
	text_str(text, "[");
	for (i = 0; i < header->nr; i++) {
		if (header->v[i].desc != desc)
			continue;
		text_str(text, any ? ",{" : "{");
		dump_json_members(text, &header->v[i]);
		text_str(text, "}");
		any = true;
	}
	text_str(text, "]");
}

void cmp_json_difference(struct cmp_report *report,
			 const struct tcmp_difference *difference)
{
	static const char *const places[] = {
		[TCMP_IN_HEADER] = "header",
		[TCMP_IN_INST] = "instruction",
		[TCMP_BETWEEN] = "between",
		[TCMP_LOST] = "lost",
	};
	static const char *const names[] = { ",\"a\":", ",\"b\":" };
	struct text *text = &report->dump.text;
	unsigned int side;

	text_json_str(text, "{\"place\":", places[difference->place]);
	put_kinds(text, difference->kinds);
	if (difference->place == TCMP_BETWEEN) {
		text_json_dec(text, ",\"only_a\":", difference->only[0]);
		text_json_dec(text, ",\"only_b\":", difference->only[1]);
	}
	for (side = 0; side < 2; side++) {
		if (difference->place == TCMP_IN_HEADER) {
			put_header(text, names[side], difference->headers[side],
				   difference->desc);
			continue;
		}
		text_str(text, names[side]);
		put_inst(report, tcmp_queue_get(difference->queues[side], 0));
	}
	text_str(text, "}");
	text_line(text);
}

void cmp_json_end(struct cmp_report *report, const struct tcmp_result *result)
{
	struct text *text = &report->dump.text;
	unsigned int i;

	text_json_dec(text, "{\"differences\":", result->differences);
	text_json_dec(text, ",\"shown\":", report->shown);
	text_json_dec(text, ",\"compared\":", result->both);
	text_json_dec(text, ",\"only_a\":", result->only[0]);
	text_json_dec(text, ",\"only_b\":", result->only[1]);
	text_str(text, ",\"kinds\":{");
	for (i = 0; i < TCMP_N_KINDS; i++) {
		text_str(text, i ? "," : "");
		text_json(text, tcmp_kind_name(i), strlen(tcmp_kind_name(i)));
		text_json_dec(text, ":", result->kinds[i]);
	}
	text_str(text, "},\"complete\":");
	text_str(text, result->complete ? "true" : "false");
	text_str(text, "}");
	text_line(text);
}
