// SPDX-License-Identifier: BSD-2-Clause
/* The checker: the demands of stf_rules.h on what a reader reads. */
#include <string.h>

#include "stf/stf_order.h"
#include "stf/stf_reader.h"
#include "stf/stf_rules.h"
#include "stf/stf_rv.h"
#include "stf/stf_struct.h"
#include "stf/stf_values.h"

#define BIT(_desc) (UINT64_C(1) << (_desc))

/* Up to the last rule of the first version. */
#define FIRST_SIZE STF_SIZE_TO(struct stf_check, found[STF_RULE_FEATURE_TRANSACTIONS])

struct checker {
	struct stf_reader *reader;
	const struct stf_params *params;
	struct stf_check *check;
	struct stf_order order;
	uint64_t seen; /* kinds of records with descriptors below 64 */
	uint64_t offset; /* of the record */
	uint64_t pc;
	bool has_pc;
	bool has_mode;
	bool any_inst;
	uint64_t chunk; /* of the instruction before */
	bool has_led; /* the instruction before is a branch, and taken */
	uint64_t led_to;

	/* The open group. */
	uint64_t target;
	bool has_target; /* INST_PC_TARGET */
	uint64_t event_target;
	bool has_event_target;
	bool has_event;
	bool stopped; /* by an event that is not a MODE_CHANGE */
	bool target_due; /* of an event */
	bool forced; /* FORCE_PC */
	bool reads, writes;
	uint32_t contents_due; /* of the access before; at most 8192 */
	uint32_t contents;
};

static void found(struct checker *c, enum stf_rule rule)
{
	struct stf_found *f = &c->check->found[rule];

	if (f->count++)
		return;
	f->offset = c->offset;
	f->record = c->reader->records ? c->reader->records - 1 : 0;
	f->instruction = c->reader->instructions;
	f->pc = c->has_pc ? c->pc : 0;
	/* It was counted with the record already. */
	if (stf_is_marker(c->check->last_desc) && f->instruction)
		f->instruction--;
}

static void demand(struct checker *c, bool ok, enum stf_rule rule)
{
	if (!ok)
		found(c, rule);
}

static bool has_seen(const struct checker *c, enum stf_desc desc)
{
	return c->seen & BIT(desc);
}

static bool riscv(const struct checker *c)
{
	return c->params->isa == STF_ISA_RISCV;
}

/* ------------------------------------------------------------------ the header */

static void check_header_end(struct checker *c)
{
	bool transactions = has_seen(c, STF_PROTOCOL_ID);
	bool rv64 = c->params->features & STF_FEATURE_RV64;

	demand(c, has_seen(c, STF_COMMENT), STF_RULE_NO_COMMENT);
	/* The reference library writes neither into a trace of transactions. */
	demand(c, transactions || has_seen(c, STF_ISA), STF_RULE_NO_ISA);
	demand(c, transactions || has_seen(c, STF_INST_IEM), STF_RULE_NO_IEM);
	demand(c, has_seen(c, STF_TRACE_INFO), STF_RULE_NO_TRACE_INFO);
	demand(c, has_seen(c, STF_TRACE_INFO_FEATURE), STF_RULE_NO_FEATURES);
	demand(c, transactions || !has_seen(c, STF_CLOCK_ID),
	       STF_RULE_CLOCK_FOREIGN);
	if (has_seen(c, STF_TRACE_INFO_FEATURE)) {
		demand(c, transactions == !!(c->params->features &
					     STF_FEATURE_TRANSACTIONS),
		       STF_RULE_FEATURE_TRANSACTIONS);
		demand(c, !riscv(c) || rv64 == (c->params->iem == STF_IEM_RV64),
		       STF_RULE_FEATURE_RV64);
	}
}

static bool may_repeat(unsigned int desc)
{
	return desc == STF_COMMENT || desc == STF_TRACE_INFO ||
	       desc == STF_CLOCK_ID;
}

static bool in_header(unsigned int desc)
{
	return desc <= STF_END_HEADER;
}

static void check_header(struct checker *c, const struct stf_record *rec)
{
	unsigned int desc = rec->desc;

	if (!in_header(desc)) {
		/* Once for the whole trace. */
		if (!c->check->found[STF_RULE_NO_END_HEADER].count)
			found(c, STF_RULE_HEADER_FOREIGN);
		return;
	}
	if (has_seen(c, desc) && !may_repeat(desc))
		found(c, STF_RULE_HEADER_TWICE);
	if (desc == STF_INST_IEM && !has_seen(c, STF_ISA))
		found(c, STF_RULE_IEM_BEFORE_ISA);
	c->seen |= BIT(desc);
	if (desc == STF_END_HEADER)
		check_header_end(c);
}

/* What may also stand behind the header is not late there. */
static bool is_late(unsigned int desc)
{
	return in_header(desc) && desc != STF_COMMENT &&
	       desc != STF_PROCESS_ID_EXT && desc != STF_FORCE_PC;
}

/* ---------------------------------------------------------------------- values */

static void check_reg(struct checker *c, const struct stf_reg *reg)
{
	bool ok = true;

	demand(c, reg->operand >= STF_REG_STATE && reg->operand <= STF_REG_DEST,
	       STF_RULE_REG_OPERAND);
	switch (reg->type) {
	case STF_REG_INT:
		ok = reg->number <= STF_REG_PC;
		break;
	case STF_REG_FP:
	case STF_REG_VEC:
		ok = reg->number < 32;
		break;
	case STF_REG_CSR:
		ok = reg->number < 4096;
		break;
	default:
		found(c, STF_RULE_REG_TYPE);
	}
	demand(c, ok || !riscv(c), STF_RULE_REG_NUMBER);
}

static void check_event(struct checker *c, const struct stf_event *event)
{
	int fields;

	c->has_event = true;
	if (event->id == STF_EVENT_MODE_CHANGE) {
		demand(c, event->n_fields == 1 &&
			  event->fields[0] <= STF_MODE_MACHINE,
		       STF_RULE_MODE_VALUE);
		c->has_mode = true;
		return;
	}
	c->stopped = true;
	demand(c, !c->target_due, STF_RULE_EVENT_NO_TARGET);
	c->target_due = true;
	fields = riscv(c) ? stf_event_fields(event->id) : 0;
	if (fields < 0)
		found(c, STF_RULE_EVENT_ID);
	else
		demand(c, event->n_fields >= fields, STF_RULE_EVENT_FIELDS);
}

/* ---------------------------------------------------------------------- groups */

static uint32_t contents_of(uint32_t size)
{
	return size ? (size + 7) / 8 : 1;
}

/* What may stand anywhere in a group (order.last) does not end an access (order.prev). */
static void check_contents(struct checker *c, unsigned int desc)
{
	bool bus = c->order.prev == STF_BUS_MASTER_CONTENT;
	bool content = bus || c->order.prev == STF_INST_MEM_CONTENT;

	/* The content of an access has ended with the record before. */
	if (content && c->contents_due && !in_header(desc) && desc != c->order.prev) {
		demand(c, c->contents == c->contents_due,
		       bus ? STF_RULE_BUS_CONTENTS : STF_RULE_MEM_CONTENTS);
		c->contents_due = 0;
	}
}

static bool decreases(const struct checker *c, unsigned int desc)
{
	struct stf_order order = c->order;

	/* Faults that have a name of their own are not asked about. */
	order.last = order.prev;
	order.event = true;
	if (desc < order.prev && !is_late(desc))
		return stf_order_check(&order, desc);
	return false;
}

static void check_group(struct checker *c, const struct stf_record *rec)
{
	unsigned int desc = rec->desc, last = c->order.last, prev = c->order.prev;
	bool transaction = desc == STF_TRANSACTION ||
			   desc == STF_TRANSACTION_DEPENDENCY;

	if (is_late(desc)) {
		found(c, STF_RULE_HEADER_LATE);
		return;
	}
	check_contents(c, desc);
	demand(c, last != STF_INST_MEM_ACCESS || desc == STF_INST_MEM_CONTENT,
	       STF_RULE_MEM_NO_CONTENT);
	demand(c, last != STF_BUS_MASTER_ACCESS ||
		  desc == STF_BUS_MASTER_CONTENT, STF_RULE_BUS_NO_CONTENT);
	if (in_header(desc))
		return;
	demand(c, transaction == !!c->params->protocol, STF_RULE_KIND_MIXED);
	switch (desc) {
	case STF_INST_MEM_CONTENT:
		demand(c, prev == STF_INST_MEM_ACCESS || prev == desc,
		       STF_RULE_MEM_NO_ACCESS);
		break;
	case STF_BUS_MASTER_CONTENT:
		demand(c, prev == STF_BUS_MASTER_ACCESS || prev == desc,
		       STF_RULE_BUS_NO_ACCESS);
		break;
	case STF_EVENT_PC_TARGET:
		demand(c, c->has_event, STF_RULE_EVENT_TARGET_ALONE);
		break;
	}
	demand(c, !decreases(c, desc), STF_RULE_GROUP_ORDER);
}

/* ---------------------------------------------------------------- instructions */

static void check_memory(struct checker *c, const struct stf_rv *rv)
{
	bool any = c->reads || c->writes;

	switch (rv->memory) {
	case STF_RV_NONE:
		demand(c, !any, STF_RULE_MEM_FOREIGN);
		break;
	case STF_RV_LOAD:
		demand(c, any || c->stopped, STF_RULE_MEM_MISSING);
		demand(c, !c->writes, STF_RULE_MEM_DIRECTION);
		break;
	case STF_RV_STORE:
		demand(c, any || c->stopped, STF_RULE_MEM_MISSING);
		demand(c, !c->reads, STF_RULE_MEM_DIRECTION);
		break;
	case STF_RV_AMO:
		demand(c, any || c->stopped, STF_RULE_MEM_MISSING);
		break;
	case STF_RV_MAYBE:
		break;
	}
}

static void check_flow(struct checker *c, const struct stf_rv *rv)
{
	uint64_t lead = c->pc + (uint64_t)(int64_t)rv->offset;

	if (c->params->iem == STF_IEM_RV32)
		lead &= UINT32_MAX;
	if (!c->has_target) {
		demand(c, rv->flow != STF_RV_JUMP || c->stopped,
		       STF_RULE_JUMP_NO_TARGET);
		return;
	}
	demand(c, rv->flow != STF_RV_STAYS, STF_RULE_TARGET_FOREIGN);
	demand(c, !rv->direct || !c->has_pc || c->target == lead,
	       STF_RULE_TARGET_WRONG);
}

/*
 * What the reference library's branch tools take for cm.popret or cm.popretz, and then
 * have no target of. With an access or an event they do not ask whether it branches.
 */
static void check_fsdsp(struct checker *c, uint32_t opcode, unsigned int size)
{
	bool branch = size == 2 && (opcode & 0xfd03) == 0xbc02;

	demand(c, !branch || c->has_target || c->has_event || c->reads ||
		  c->writes, STF_RULE_FSDSP_POPRET);
}

/* Readers that seek begin with the PC of the index, if no FORCE_PC tells another. */
static void check_index(struct checker *c)
{
	const struct stf_source *src = c->reader->src;
	bool begins = src->chunk != c->chunk;

	c->chunk = src->chunk;
	demand(c, !begins || src->recovered || c->forced || !c->has_pc ||
		  c->pc == src->chunk_pc, STF_RULE_INDEX_PC);
}

/*
 * An instruction whose group has an event may be one that did not run, and is
 * a no-op in place of one that could not be fetched. A MODE_CHANGE stops none.
 */
static void check_inst(struct checker *c, uint32_t opcode, unsigned int size)
{
	struct stf_rv rv;

	if (!c->any_inst) {
		c->any_inst = true;
		demand(c, c->has_pc, STF_RULE_NO_FORCE_PC);
		demand(c, has_seen(c, STF_PROCESS_ID_EXT), STF_RULE_NO_PROCESS);
		demand(c, c->has_mode, STF_RULE_NO_MODE);
	}
	check_index(c);
	demand(c, !c->has_led || c->pc == c->led_to, STF_RULE_TARGET_SKIPPED);
	demand(c, !c->target_due, STF_RULE_EVENT_NO_TARGET);
	if (riscv(c)) {
		demand(c, stf_width_defined(opcode, size), STF_RULE_INST_WIDTH);
		rv = stf_rv_look(opcode, size,
				 c->params->iem == STF_IEM_RV32);
		check_memory(c, &rv);
		check_flow(c, &rv);
		check_fsdsp(c, opcode, size);
		if (rv.vector && !c->params->vlen && !c->stopped)
			found(c, STF_RULE_NO_VLEN);
	}
	c->has_led = c->has_target && !c->stopped;
	c->led_to = c->target;
	c->pc = c->has_event_target ? c->event_target :
		c->has_target ? c->target : c->pc + size;
}

static void end_group(struct checker *c)
{
	c->has_target = c->has_event_target = c->has_event = c->forced = false;
	c->stopped = false;
	c->target_due = false;
	c->reads = c->writes = false;
	c->contents_due = 0;
}

/* ----------------------------------------------------------------- one record */

static void check_feature(struct checker *c, uint64_t feature)
{
	demand(c, c->params->features & feature, STF_RULE_FEATURE_CLEAR);
}

static void check_mem(struct checker *c, const struct stf_mem_access *access)
{
	demand(c, stf_access_defined(access->access), STF_RULE_MEM_TYPE);
	c->reads |= access->access == STF_ACCESS_READ;
	c->writes |= access->access == STF_ACCESS_WRITE;
	c->contents_due = contents_of(c->params->mem_bits ? access->size / 8 :
							    access->size);
	c->contents = 0;
}

static void check_bus(struct checker *c, const struct stf_bus_access *access)
{
	demand(c, stf_access_defined(access->access), STF_RULE_BUS_TYPE);
	demand(c, stf_initiator_defined(access->initiator),
	       STF_RULE_BUS_INITIATOR);
	c->contents_due = contents_of(access->size);
	c->contents = 0;
}

static void check_record(struct checker *c, const struct stf_record *rec)
{
	switch (rec->desc) {
	case STF_COMMENT:
		demand(c, !rec->text.size ||
			  rec->text.data[rec->text.size - 1],
		       STF_RULE_COMMENT_NUL);
		break;
	case STF_ISA:
		demand(c, stf_isa_defined(rec->isa), STF_RULE_ISA_VALUE);
		break;
	case STF_INST_IEM:
		demand(c, stf_iem_defined(rec->iem), STF_RULE_IEM_VALUE);
		break;
	case STF_TRACE_INFO:
		demand(c, stf_generator_name(rec->trace_info.generator),
		       STF_RULE_GENERATOR_VALUE);
		break;
	case STF_TRACE_INFO_FEATURE:
		demand(c, stf_features_defined(rec->features),
		       STF_RULE_FEATURE_VALUE);
		break;
	case STF_PROCESS_ID_EXT:
		c->seen |= BIT(STF_PROCESS_ID_EXT);
		break;
	case STF_FORCE_PC:
		c->pc = rec->pc;
		c->has_pc = c->forced = true;
		break;
	case STF_CLOCK_ID:
		demand(c, stf_clock_defined(rec->clock.id), STF_RULE_CLOCK_VALUE);
		break;
	case STF_INST_PC_TARGET:
		c->target = rec->pc;
		c->has_target = true;
		break;
	case STF_INST_REG:
		check_reg(c, &rec->reg);
		break;
	case STF_PAGE_TABLE_WALK:
		check_feature(c, STF_FEATURE_PTE);
		c->seen |= BIT(STF_PAGE_TABLE_WALK);
		break;
	case STF_INST_MEM_ACCESS:
		check_mem(c, &rec->mem_access);
		c->seen |= BIT(STF_INST_MEM_ACCESS);
		break;
	case STF_BUS_MASTER_ACCESS:
		check_bus(c, &rec->bus_access);
		break;
	case STF_INST_MEM_CONTENT:
	case STF_BUS_MASTER_CONTENT:
		c->contents++;
		break;
	case STF_EVENT:
		check_event(c, &rec->event);
		break;
	case STF_EVENT_PC_TARGET:
		c->event_target = rec->pc;
		c->has_event_target = true;
		c->target_due = false;
		break;
	case STF_INST_MICROOP:
		check_feature(c, STF_FEATURE_MICROOP);
		break;
	case STF_INST_32:
		check_inst(c, rec->opcode, 4);
		break;
	case STF_INST_16:
		check_inst(c, rec->opcode, 2);
		break;
	case STF_TRANSACTION:
		demand(c, stf_clock_defined(rec->transaction.clock),
		       STF_RULE_CLOCK_VALUE);
		break;
	case STF_TRANSACTION_DEPENDENCY:
		demand(c, stf_clock_defined(rec->dependency.clock),
		       STF_RULE_CLOCK_VALUE);
		break;
	}
}

/* The order's state without its demands, which are the checker's own. */
static void take(struct checker *c, unsigned int desc)
{
	if (!c->order.header_ended && !in_header(desc))
		return;
	if (c->order.header_ended && is_late(desc))
		return;
	stf_order_take(&c->order, desc);
	if (stf_is_marker(desc))
		end_group(c);
}

static void check_end(struct checker *c)
{
	bool pte = c->params->features & STF_FEATURE_PTE;

	if (!c->params->header_ended)
		found(c, STF_RULE_NO_END_HEADER);
	demand(c, !c->order.prev, STF_RULE_GROUP_OPEN);
	demand(c, !pte || !has_seen(c, STF_INST_MEM_ACCESS) ||
		  has_seen(c, STF_PAGE_TABLE_WALK), STF_RULE_FEATURE_PTE);
}

int stf_check(struct stf_reader *reader, struct stf_check *check)
{
	struct stf_check all = { 0 };
	struct checker c = { .reader = reader, .check = &all,
			     .params = &reader->params };
	const struct stf_window *win = &reader->src->win;
	struct stf_record rec;
	int more;

	if (check->size < FIRST_SIZE || reader->records)
		return stf_bad_argument(&reader->err, __func__);
	while ((more = stf_reader_next(reader, &rec)) > 0) {
		all.last_desc = rec.desc;
		if (c.order.header_ended)
			check_group(&c, &rec);
		else
			check_header(&c, &rec);
		check_record(&c, &rec);
		take(&c, rec.desc);
		c.offset = win->offset + (uint64_t)(win->pos - win->start);
	}
	all.last_desc = 0;
	if (!more)
		check_end(&c);
	stf_struct_give(check, &all, sizeof(all));
	return more;
}

static const char *const names[] = {
#define RULE(_name, _text) #_name,
	STF_RULES(RULE)
#undef RULE
};

static const char *const texts[] = {
#define RULE(_name, _text) _text,
	STF_RULES(RULE)
#undef RULE
};

const char *stf_rule_name(unsigned int rule)
{
	return rule < STF_N_RULES ? names[rule] : NULL;
}

const char *stf_rule_text(unsigned int rule)
{
	return rule < STF_N_RULES ? texts[rule] : NULL;
}
