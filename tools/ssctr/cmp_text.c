// SPDX-License-Identifier: GPL-2.0-only
/* What `ssctr cmp` found, for people. */
#include "cmp.h"

static void put_kinds(struct text *text, unsigned int kinds)
{
	const char *before = "";
	unsigned int i;

	for (i = 0; i < TCMP_N_KINDS; i++) {
		if (!(kinds >> i & 1))
			continue;
		text_str(text, before);
		text_str(text, tcmp_kind_name(i));
		before = ", ";
	}
}

static void put_count(struct text *text, uint64_t n, const char *what)
{
	text_dec(text, n, 0);
	text_str(text, " ");
	text_str(text, what);
	text_str(text, n == 1 ? "" : "s");
}

/* ------------------------------------------------------------------ a difference */

static void put_record(struct text *text, const char *sign, const struct stf_record *rec)
{
	text_str(text, sign);
	text_str(text, "    ");
	dump_record(text, rec);
	text_line(text);
}

static void put_inst(struct cmp_report *report, const char *sign,
		     const struct tcmp_inst *inst)
{
	struct text *text = &report->dump.text;
	size_t i;

	text_str(text, sign);
	if (inst->end)
		text_str(text, "    the trace ends");
	else
		dump_inst_open(&report->dump, &inst->inst);
	for (i = 0; i < inst->nr; i++)
		dump_note(text, &inst->records[i]);
	text_line(text);
}

/* What the line of an instruction has not, or not whole, of what differs. */
static void put_lacking(struct cmp_report *report, const char *sign,
			const struct tcmp_inst *own, const struct tcmp_inst *other,
			unsigned int kinds)
{
	const struct stf_record process = { .desc = STF_PROCESS_ID_EXT,
					    .process = own->inst.process };
	struct tcmp_beside beside = { .own = own, .other = other };
	const struct stf_record *rec;

	if (kinds & TCMP_PROCESSES && !(own->inst.flags & STF_INST_F_PROCESS))
		put_record(&report->dump.text, sign, &process);
	while ((rec = tcmp_next_differing(&beside, kinds)))
		if (!dump_note_is_whole(rec))
			put_record(&report->dump.text, sign, rec);
}

/* The instructions from here on: nr of them, or those that fit. */
static void put_insts(struct cmp_report *report, const char *sign,
		      const struct tcmp_queue *queue, uint64_t nr)
{
	struct text *text = &report->dump.text;
	uint64_t i;

	for (i = 0; i < nr && i < CMP_MAX_LINES; i++) {
		put_inst(report, sign, tcmp_queue_get(queue, i));
		if (tcmp_queue_get(queue, i)->end)
			return;
	}
	if (nr <= CMP_MAX_LINES || nr == UINT64_MAX)
		return;
	text_str(text, sign);
	text_str(text, "    ");
	text_dec(text, nr - CMP_MAX_LINES, 0);
	text_str(text, " more");
	text_line(text);
}

static void put_before(struct cmp_report *report, const struct tcmp_queue *queue)
{
	const struct tcmp_inst *inst;
	unsigned int i;

	for (i = TCMP_BEFORE; i; i--) {
		inst = tcmp_queue_before(queue, i);
		if (inst)
			put_inst(report, " ", inst);
	}
}

static void put_header(struct cmp_report *report,
		       const struct tcmp_difference *difference)
{
	struct text *text = &report->dump.text;
	unsigned int side;
	size_t i;

	text_str(text, "the headers: ");
	text_str(text, stf_desc_name(difference->desc));
	text_line(text);
	for (side = 0; side < 2; side++)
		for (i = 0; i < difference->headers[side]->nr; i++) {
			const struct stf_record *rec = &difference->headers[side]->v[i];

			if (rec->desc == difference->desc)
				put_record(text, side ? "+" : "-", rec);
		}
}

/* The number of the instruction in its trace. */
static void put_place(struct text *text, const struct tcmp_queue *queue)
{
	const struct tcmp_inst *inst = tcmp_queue_get(queue, 0);

	if (inst->end) {
		text_str(text, "the end");
		return;
	}
	text_str(text, "instruction ");
	text_dec(text, inst->inst.index, 0);
}

static void put_title(struct cmp_report *report,
		      const struct tcmp_difference *difference)
{
	struct text *text = &report->dump.text;
	unsigned int side;

	put_place(text, difference->queues[0]);
	text_str(text, " and ");
	put_place(text, difference->queues[1]);
	text_str(text, ": ");
	if (difference->place == TCMP_IN_INST)
		put_kinds(text, difference->kinds);
	if (difference->place == TCMP_LOST)
		text_str(text, "the traces part here");
	for (side = 0; side < 2; side++) {
		if (!difference->only[side])
			continue;
		text_str(text, side && difference->only[0] ? ", " : "");
		put_count(text, difference->only[side], "instruction");
		text_str(text, " only in ");
		text_str(text, report->names[side]);
	}
	text_line(text);
}

static void put_place_in_traces(struct cmp_report *report,
				const struct tcmp_difference *difference)
{
	static const char *const signs[2] = { "-", "+" };
	uint64_t nr[2] = { 1, 1 };
	unsigned int side;

	if (difference->place == TCMP_BETWEEN) {
		nr[0] = difference->only[0];
		nr[1] = difference->only[1];
	} else if (difference->place == TCMP_LOST) {
		nr[0] = nr[1] = UINT64_MAX;
	}
	put_title(report, difference);
	put_before(report, difference->queues[0]);
	for (side = 0; side < 2; side++) {
		put_insts(report, signs[side], difference->queues[side], nr[side]);
		put_lacking(report, signs[side],
			    tcmp_queue_get(difference->queues[side], 0),
			    tcmp_queue_get(difference->queues[!side], 0),
			    difference->kinds);
	}
}

void cmp_text_difference(struct cmp_report *report,
			 const struct tcmp_difference *difference)
{
	struct text *text = &report->dump.text;

	if (!report->shown) {
		text_str(text, "--- ");
		text_str(text, report->names[0]);
		text_line(text);
		text_str(text, "+++ ");
		text_str(text, report->names[1]);
		text_line(text);
	}
	if (difference->place == TCMP_IN_HEADER)
		put_header(report, difference);
	else
		put_place_in_traces(report, difference);
}

/* ------------------------------------------------------------------- the summary */

static void put_line(struct text *text, uint64_t n, const char *what, const char *name)
{
	if (!n)
		return;
	text_dec(text, n, 10);
	text_str(text, "  ");
	text_str(text, what);
	text_str(text, name);
	text_line(text);
}

static void put_limits(struct cmp_report *report, const struct tcmp_result *result)
{
	struct text *text = &report->dump.text;

	if (result->differences > report->shown) {
		put_count(text, result->differences - report->shown,
			  "further difference");
		text_str(text, " not shown; --all shows all");
		text_line(text);
	}
	if (result->complete)
		return;
	text_str(text, "The rest is not compared, because the traces do not agree again within ");
	text_dec(text, report->bound, 0);
	text_str(text, " instructions (--search).");
	text_line(text);
}

void cmp_text_end(struct cmp_report *report, const struct tcmp_result *result)
{
	struct text *text = &report->dump.text;
	unsigned int i;

	if (result->differences)
		text_line(text);
	put_count(text, result->both, "instruction");
	text_str(text, " compared, ");
	put_count(text, result->differences, "difference");
	text_line(text);
	for (i = 0; i < TCMP_N_KINDS; i++)
		put_line(text, result->kinds[i], tcmp_kind_name(i), "");
	for (i = 0; i < 2; i++)
		put_line(text, result->only[i], "instructions only in ",
			 report->names[i]);
	put_limits(report, result);
}
