// SPDX-License-Identifier: GPL-2.0-only
#include "tracecmp/kind.h"
#include "stf/stf_process.h"

#include <string.h>

const char *tcmp_kind_name(unsigned int i)
{
	static const char *const names[TCMP_N_KINDS] = {
		"header", "pc", "opcode", "targets", "events", "modes", "processes",
		"memory", "bus", "registers", "walks", "microops", "comments",
	};

	return names[i];
}

/*
 * The kind of a record. 0: it is not compared, because the PC, the mode or the process of
 * the instructions is.
 */
static unsigned int kind_of(const struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_INST_PC_TARGET:
		return TCMP_TARGETS;
	case STF_EVENT:
		return rec->event.id == STF_EVENT_MODE_CHANGE ? 0 : TCMP_EVENTS;
	case STF_EVENT_PC_TARGET:
		return TCMP_EVENTS;
	case STF_INST_MEM_ACCESS:
	case STF_INST_MEM_CONTENT:
		return TCMP_MEMORY;
	case STF_BUS_MASTER_ACCESS:
	case STF_BUS_MASTER_CONTENT:
		return TCMP_BUS;
	case STF_INST_REG:
	case STF_INST_READY_REG:
		return TCMP_REGISTERS;
	case STF_PAGE_TABLE_WALK:
		return TCMP_WALKS;
	case STF_INST_MICROOP:
		return TCMP_MICROOPS;
	case STF_COMMENT:
		return TCMP_COMMENTS;
	}
	return 0;
}

static bool same_fields(const struct stf_record *a, const struct stf_record *b)
{
	const char *name_a, *name_b, *text_a, *text_b;
	uint64_t value_a, value_b;
	unsigned int i = 0;

	do {
		name_a = stf_record_field(a, i, &value_a, &text_a);
		name_b = stf_record_field(b, i, &value_b, &text_b);
		if (!name_a || !name_b)
			return !name_a && !name_b;
		i++;
	} while (value_a == value_b && !text_a == !text_b &&
		 (!text_a || !memcmp(text_a, text_b, value_a)));
	return false;
}

bool tcmp_same_record(const struct stf_record *a, const struct stf_record *b)
{
	const struct stf_mem_access *access_a = &a->mem_access;
	const struct stf_mem_access *access_b = &b->mem_access;

	if (a->desc != b->desc)
		return false;
	/* Most records are one of these. */
	switch (a->desc) {
	case STF_INST_MEM_ACCESS:
		return access_a->address == access_b->address &&
		       access_a->size == access_b->size &&
		       access_a->attributes == access_b->attributes &&
		       access_a->access == access_b->access;
	case STF_INST_MEM_CONTENT:
		return a->content == b->content;
	case STF_INST_PC_TARGET:
	case STF_EVENT_PC_TARGET:
		return a->pc == b->pc;
	}
	return same_fields(a, b);
}

/* The next record from *i on of one of these kinds, or NULL. */
static const struct stf_record *next_of(const struct tcmp_inst *inst, size_t *i,
					unsigned int kinds)
{
	while (*i < inst->nr)
		if (kind_of(&inst->records[(*i)++]) & kinds)
			return &inst->records[*i - 1];
	return NULL;
}

const struct stf_record *tcmp_next_differing(struct tcmp_beside *beside,
					     unsigned int kinds)
{
	const struct stf_record *own, *other;
	unsigned int kind;

	while ((own = next_of(beside->own, &beside->i, kinds))) {
		kind = kind_of(own);
		other = next_of(beside->other, &beside->at[__builtin_ctz(kind)], kind);
		if (!other || !tcmp_same_record(own, other))
			return own;
	}
	return NULL;
}

static bool same_records(const struct tcmp_inst *a, const struct tcmp_inst *b,
			 unsigned int kinds)
{
	const struct stf_record *rec_a, *rec_b;
	size_t i = 0, j = 0;

	do {
		rec_a = next_of(a, &i, kinds);
		rec_b = next_of(b, &j, kinds);
		if (!rec_a || !rec_b)
			return !rec_a && !rec_b;
	} while (tcmp_same_record(rec_a, rec_b));
	return false;
}

static unsigned int differ_in_records(const struct tcmp_inst *a,
				      const struct tcmp_inst *b, unsigned int ignore)
{
	unsigned int kind, differ = 0;

	if (same_records(a, b, ~ignore))
		return 0;
	/* Their order among records of other kinds is no difference. */
	for (kind = 1; kind < 1u << TCMP_N_KINDS; kind <<= 1)
		if (kind & ~ignore && !same_records(a, b, kind))
			differ |= kind;
	return differ;
}

unsigned int tcmp_differ(const struct tcmp_inst *a, const struct tcmp_inst *b,
			 unsigned int ignore)
{
	const struct stf_inst *x = &a->inst, *y = &b->inst;
	unsigned int differ = 0;

	if (x->pc != y->pc)
		differ |= TCMP_PC;
	if (x->opcode != y->opcode || x->size != y->size)
		differ |= TCMP_OPCODE;
	if (x->mode != y->mode)
		differ |= TCMP_MODES;
	if (!stf_same_process(&x->process, &y->process))
		differ |= TCMP_PROCESSES;
	differ &= ~ignore;
	if (a->nr | b->nr)
		differ |= differ_in_records(a, b, ignore);
	return differ;
}
