// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr dump --json`: a line for each instruction or record. */
#include <string.h>

#include "dump.h"

void dump_json_members(struct text *text, const struct stf_record *rec)
{
	const bool arrays = rec->desc == STF_EVENT ||
			    rec->desc == STF_PAGE_TABLE_WALK ||
			    rec->desc == STF_TRANSACTION ||
			    rec->desc == STF_INST_REG;
	const char *name, *string, *next, *unused, *before = "";
	uint64_t value, ignored;
	bool open = false;
	unsigned int i;

	text_str(text, "\"record\":\"");
	text_str(text, stf_desc_name(rec->desc));
	text_str(text, "\"");
	for (i = 0; (name = stf_record_field(rec, i, &value, &string)); i++) {
		if (open && !strcmp(name, before)) {
			text_json_dec(text, ",", value);
			continue;
		}
		if (open)
			text_str(text, "]");
		next = arrays ? stf_record_field(rec, i + 1, &ignored, &unused) :
				NULL;
		open = next && !strcmp(next, name);
		before = name;
		text_str(text, ",\"");
		text_str(text, name);
		if (string) {
			text_str(text, "\":");
			text_json(text, string, value);
		} else {
			text_json_dec(text, open ? "\":[" : "\":", value);
		}
	}
	if (open)
		text_str(text, "]");
}

void dump_json_record(struct dump *dump, uint64_t nr,
		      const struct stf_record *rec)
{
	text_json_dec(&dump->text, "{\"nr\":", nr);
	text_str(&dump->text, ",");
	dump_json_members(&dump->text, rec);
	text_str(&dump->text, "}");
	text_line(&dump->text);
}

static void json_symbol(struct dump *dump, uint64_t pc)
{
	struct text *text = &dump->text;

	if (dump->at.function) {
		text_json_str(text, ",\"symbol\":",
			      names_shown(dump->names, dump->at.function));
		text_json_dec(text, ",\"symbol_offset\":",
			      pc - dump->at.function_start);
	}
	if (dump->at.file && names_origin(dump->names))
		text_json_str(text, ",\"file\":", dump->at.file);
}

static void json_assembly(struct dump *dump, const struct stf_inst *inst)
{
	char buf[128];
	const char *s = rv_disasm_text(dump->disasm, dump->rv32, inst->pc,
				       inst->opcode, inst->size, buf, sizeof(buf));

	text_json_str(&dump->text, ",\"assembly\":", s);
}

/* The opcode's own record, the last, says nothing that is not there yet. */
static void json_records(struct text *text, struct stf_inst_iter *iter)
{
	struct stf_record rec;
	bool any = false;

	while (stf_inst_iter_record(iter, &rec) > 0) {
		if (rec.desc == STF_INST_32 || rec.desc == STF_INST_16)
			continue;
		text_str(text, any ? ",{" : ",\"records\":[{");
		dump_json_members(text, &rec);
		text_str(text, "}");
		any = true;
	}
	if (any)
		text_str(text, "]");
}

void dump_json_open(struct dump *dump, const struct stf_inst *inst)
{
	const char *mode = stf_mode_name(inst->mode);
	struct text *text = &dump->text;

	text_json_dec(text, "{\"index\":", inst->index);
	text_json_dec(text, ",\"pc\":", inst->pc);
	text_json_dec(text, ",\"opcode\":", inst->opcode);
	text_json_dec(text, ",\"size\":", inst->size);
	text_json_dec(text, ",\"next_pc\":", inst->next_pc);
	if (mode) {
		text_str(text, ",\"mode\":\"");
		text_str(text, mode);
		text_str(text, "\"");
	}
	text_json_dec(text, ",\"hart\":", inst->process.hart);
	text_json_dec(text, ",\"pid\":", inst->process.pid);
	text_json_dec(text, ",\"tid\":", inst->process.tid);
	if (inst->flags & STF_INST_F_GAP)
		text_str(text, ",\"gap\":true");
	if (dump->names)
		json_symbol(dump, inst->pc);
	if (dump->disasm)
		json_assembly(dump, inst);
}

void dump_json_inst(struct dump *dump, const struct stf_inst *inst,
		    struct stf_inst_iter *iter)
{
	struct text *text = &dump->text;

	dump_json_open(dump, inst);
	if (inst->flags)
		json_records(text, iter);
	text_str(text, "}");
	text_line(text);
}
