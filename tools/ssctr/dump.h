/* SPDX-License-Identifier: GPL-2.0-only */
/* What `ssctr dump` prints beside the trace, and its lines of JSON. */
#ifndef SSCTR_DUMP_H
#define SSCTR_DUMP_H

#include "base/text.h"
#include "origin/names.h"
#include "riscv/rv_disasm.h"
#include "stf/stf.h"

struct dump {
	struct stf_reader *reader;
	bool records;
	bool assembly;
	struct rv_disasm *disasm;
	bool rv32;
	bool json;
	struct names *names; /* NULL: do not print functions */
	struct names_at at; /* of the instruction */
	uint64_t start;
	uint64_t limit;
	struct stf_select *find; /* print only these; NULL: all */
	struct text text;
};

/*
 * An instruction without its records, one of its records in the same line, and any record
 * with its fields. The line goes on.
 */
void dump_inst_open(struct dump *dump, const struct stf_inst *inst);
void dump_note(struct text *text, const struct stf_record *rec);
void dump_record(struct text *text, const struct stf_record *rec);

/* Returns whether dump_note() writes all that a record has. */
bool dump_note_is_whole(const struct stf_record *rec);

/*
 * The members of a record, without braces. Members that repeat (an event's fields,
 * PTEs) are one array under their name.
 */
void dump_json_members(struct text *text, const struct stf_record *rec);

void dump_json_record(struct dump *dump, uint64_t nr,
		      const struct stf_record *rec);
/* An instruction without its records, and without the brace at the end. */
void dump_json_open(struct dump *dump, const struct stf_inst *inst);
void dump_json_inst(struct dump *dump, const struct stf_inst *inst,
		    struct stf_inst_iter *iter);

#endif
