// SPDX-License-Identifier: GPL-2.0-only
#include "ctr/model.h"

#include <string.h>

#include "riscv/rv_insn.h"

enum {
	CAUSE_BREAKPOINT = 3,
	CAUSE_LCOFI = 13,
	INSN_DRET = 0x7b200073,
};

/* The fields that no hart can be without. */
#define ALWAYS	(CTR_CTL_M | CTR_CTL_S | CTR_CTL_U | CTR_CTL_BPFRZ)

/* Bit 32 + T for each type: the ones that inhibit, and the one that enables. */
#define FILTERS	(((uint64_t)CTR_CTL_TYPE_INHIBITS << CTR_CTL_TYPE_SHIFT) | \
		 CTR_CTL_NTBREN)

#define DEFINED	(ALWAYS | CTR_CTL_RASEMU | CTR_CTL_STE | CTR_CTL_MTE | \
		 CTR_CTL_LCOFIFRZ | FILTERS)

#define MACHINE_ONLY	(CTR_CTL_M | CTR_CTL_MTE)

#define TRAPS	(CTR_TYPES(CTR_TYPE_EXCEPTION) | CTR_TYPES(CTR_TYPE_INTERRUPT))

static const struct model_hart complete = {
	.control = DEFINED,
	.depths = (2 << CTR_DEPTH_MAX) - 1,
	.types = true,
	.cce_bits = MODEL_MAX_CCE_BITS,
};

static bool is_trap(enum ctr_type type)
{
	return CTR_TYPES(type) & TRAPS;
}

static bool is_virtual(enum model_mode mode)
{
	return mode == MODEL_VU || mode == MODEL_VS;
}

/* --- registers --- */

void model_init(struct model *model, const struct model_hart *hart)
{
	memset(model, 0, sizeof(*model));
	model->hart = hart ? *hart : complete;
	model->hart.control = (model->hart.control & DEFINED) | ALWAYS;
	while (!(model->hart.depths >> model->sctrdepth & 1) &&
	       model->sctrdepth < CTR_DEPTH_MAX)
		model->sctrdepth++;
}

static void reset_cycles(struct model *model)
{
	model->cycles = 0;
	model->cycles_valid = false;
}

static void write_control(struct model *model, uint64_t *control,
			  uint64_t fields, uint64_t value)
{
	fields &= model->hart.control;
	*control = (*control & ~fields) | (value & fields);
	/* "The CtrCycleCounter is reset on writes to xctrctl" */
	reset_cycles(model);
}

static void write_depth(struct model *model, uint32_t depth)
{
	const unsigned int depths = model->hart.depths;

	if (depth > CTR_DEPTH_MAX || !(depths >> depth & 1)) {
		depth = CTR_DEPTH_MAX;
		while (depth && !(depths >> depth & 1))
			depth--;
	}
	model->sctrdepth = depth;
	model->sctrstatus &= ~CTR_STATUS_WRPTR | (model_depth(model) - 1);
}

uint64_t model_read_csr(const struct model *model, unsigned int csr)
{
	switch (csr) {
	case CTR_CSR_MCTRCTL:
		return model->mctrctl;
	case CTR_CSR_SCTRCTL:
		return model->mctrctl & ~MACHINE_ONLY;
	case CTR_CSR_VSCTRCTL:
		return model->vsctrctl;
	case CTR_CSR_SCTRSTATUS:
		return model->sctrstatus;
	case CTR_CSR_SCTRDEPTH:
		return model->sctrdepth;
	}
	return 0;
}

void model_write_csr(struct model *model, unsigned int csr, uint64_t value)
{
	switch (csr) {
	case CTR_CSR_MCTRCTL:
		write_control(model, &model->mctrctl, DEFINED, value);
		break;
	case CTR_CSR_SCTRCTL:
		write_control(model, &model->mctrctl, DEFINED & ~MACHINE_ONLY,
			      value);
		break;
	case CTR_CSR_VSCTRCTL:
		write_control(model, &model->vsctrctl, DEFINED & ~MACHINE_ONLY,
			      value);
		break;
	case CTR_CSR_SCTRSTATUS:
		model->sctrstatus = value & (CTR_STATUS_FROZEN |
					     (model_depth(model) - 1));
		break;
	case CTR_CSR_SCTRDEPTH:
		write_depth(model, value & CTR_DEPTH_MASK);
		break;
	}
}

void model_read_entry(const struct model *model, unsigned int index,
		      struct ctr_entry *entry)
{
	if (index < model_depth(model))
		*entry = model->entries[model_physical(model, index)];
	else
		*entry = (struct ctr_entry){ 0 };
}

/* The fields of ctrdata that the hart has; CC with the bits of CCE it has. */
static uint64_t data_fields(const struct model_hart *hart)
{
	uint64_t fields = hart->types ? CTR_DATA_TYPE : 0;

	if (hart->cce_bits >= 0)
		fields |= CTR_DATA_CCV | CTR_DATA_CCM |
			  ((1ULL << hart->cce_bits) - 1) << CTR_DATA_CCE_SHIFT;
	return fields;
}

void model_write_entry(struct model *model, unsigned int index,
		       const struct ctr_entry *entry)
{
	if (index >= model_depth(model))
		return;
	model->entries[model_physical(model, index)] = (struct ctr_entry){
		.source = entry->source,
		/* "MISP is read-only 0 when not implemented" */
		.target = entry->target & CTR_TARGET_PC,
		.data = entry->data & data_fields(&model->hart),
	};
}

void model_clear(struct model *model)
{
	memset(model->entries, 0, sizeof(model->entries));
	reset_cycles(model);
}

/* --- which modes are recorded --- */

/* The register whose settings hold while the hart is in a mode. */
static uint64_t control_of(const struct model *model, enum model_mode mode)
{
	return is_virtual(mode) ? model->vsctrctl : model->mctrctl;
}

static bool is_enabled(const struct model *model, enum model_mode mode)
{
	switch (mode) {
	case MODEL_U:
	case MODEL_VU:
		return control_of(model, mode) & CTR_CTL_U;
	case MODEL_S:
	case MODEL_VS:
		return control_of(model, mode) & CTR_CTL_S;
	case MODEL_M:
		return model->mctrctl & CTR_CTL_M;
	case MODEL_DEBUG:
		break;
	}
	return false;
}

static bool is_frozen(const struct model *model)
{
	return model->sctrstatus & CTR_STATUS_FROZEN;
}

/*
 * "External Traps", "External Trap Enable Requirements": the target mode and all
 * modes between it and the source must have opted in. The target is more
 * privileged than the source, as one of them is not enabled.
 */
static bool is_external_enabled(const struct model *model,
				const struct model_transfer *t)
{
	const bool mte = model->mctrctl & CTR_CTL_MTE;
	const bool ste = model->mctrctl & CTR_CTL_STE;
	const bool vste = model->vsctrctl & CTR_CTL_STE;

	if (t->next == MODEL_M && !mte)
		return false;
	if (t->next != MODEL_VS && t->mode != MODEL_S && !ste)
		return false;
	return t->mode != MODEL_VU || vste;
}

/* --- cycles: "Cycle Counting" --- */

/* What the counter holds at most, by its CCE bits. */
static uint32_t counter_max(const struct model_hart *hart)
{
	static const uint8_t bits[MODEL_MAX_CCE_BITS + 1] = { 12, 13, 15, 19,
							      27 };

	return hart->cce_bits < 0 ? 0 : (1U << bits[hart->cce_bits]) - 1;
}

static void count(struct model *model, uint32_t cycles)
{
	const uint32_t room = counter_max(&model->hart) - model->cycles;

	model->cycles += cycles < room ? cycles : room;
}

void model_pass(struct model *model, enum model_mode mode, uint32_t cycles)
{
	if (cycles && is_enabled(model, mode) && !is_frozen(model))
		count(model, cycles);
}

void model_miss(struct model *model)
{
	model->cycles_valid = false;
}

/* The counter as CC. */
static uint64_t encode(uint32_t cycles)
{
	unsigned int cce = 0;
	uint32_t ccm = cycles;

	if (cycles >= 4096) {
		cce = 31 - __builtin_clz(cycles) - 11;
		ccm = cycles >> (cce - 1) & 0xfff;
	}
	return (uint64_t)cce << CTR_DATA_CCE_SHIFT |
	       (uint64_t)ccm << CTR_DATA_CCM_SHIFT;
}

/* --- records --- */

static void move_wrptr(struct model *model, int by)
{
	const uint32_t mask = model_depth(model) - 1;

	model->sctrstatus = (model->sctrstatus & ~CTR_STATUS_WRPTR) |
			    ((model->sctrstatus + by) & mask);
}

/* Logical entry 0 becomes this, and the next record's cycles start. */
static void record(struct model *model, enum ctr_type type, uint64_t from,
		   uint64_t to)
{
	struct ctr_entry entry = {
		.source = (from & CTR_SOURCE_PC) | CTR_SOURCE_V,
		.target = to,
		.data = type | encode(model->cycles) |
			(model->cycles_valid ? CTR_DATA_CCV : 0),
	};

	model_write_entry(model, 0, &entry);
	model->cycles = 0;
	model->cycles_valid = true;
}

static enum model_effect push(struct model *model, enum ctr_type type,
			      uint64_t from, uint64_t to)
{
	move_wrptr(model, 1);
	record(model, type, from, to);
	return MODEL_RECORDED;
}

/* --- "RAS (Return Address Stack) Emulation Mode" --- */

/*
 * The call at logical entry 0 has returned. The next call counts its cycles from
 * the record before that one, as far as they are known.
 */
static void take_back_cycles(struct model *model)
{
	struct ctr_entry call;

	model_read_entry(model, 0, &call);
	if (!ctr_entry_valid(&call) || !(call.data & CTR_DATA_CCV) ||
	    model->hart.ras_cycles != MODEL_RAS_ADD)
		model->cycles_valid = false;
	else
		count(model, ctr_entry_cycles(&call));
}

static enum model_effect pop(struct model *model)
{
	take_back_cycles(model);
	move_wrptr(model, -1);
	model->entries[model->sctrstatus & CTR_STATUS_WRPTR].source &=
		~CTR_SOURCE_V;
	return MODEL_POPPED;
}

static enum model_effect emulate_ras(struct model *model,
				     const struct model_transfer *t)
{
	switch (t->type) {
	case CTR_TYPE_IND_CALL:
	case CTR_TYPE_DIR_CALL:
		if (model->hart.ras_cycles == MODEL_RAS_NONE)
			model->cycles_valid = false;
		return push(model, t->type, t->from, t->to);
	case CTR_TYPE_CO_SWAP:
		take_back_cycles(model);
		record(model, t->type, t->from, t->to);
		return MODEL_SWAPPED;
	case CTR_TYPE_RETURN:
		return pop(model);
	default:
		return MODEL_NOTHING;
	}
}

/* --- transfers --- */

/*
 * "Freeze": a breakpoint or a counter overflow that traps sets FROZEN by the
 * target mode's settings, whether or not any mode is recorded. It is then not
 * recorded itself; the same holds for a trap that finds FROZEN set.
 */
static bool freezes(const struct model *model, const struct model_transfer *t)
{
	const uint64_t control = control_of(model, t->next);

	if (t->type == CTR_TYPE_INTERRUPT && t->cause == CAUSE_LCOFI)
		return control & CTR_CTL_LCOFIFRZ;
	if (t->type == CTR_TYPE_EXCEPTION && t->cause == CAUSE_BREAKPOINT)
		return control & CTR_CTL_BPFRZ;
	return false;
}

/* "Transfer Type Filtering" */
static bool is_inhibited(uint64_t control, enum ctr_type type)
{
	const bool bit = control >> (CTR_CTL_TYPE_SHIFT + type) & 1;

	return type == CTR_TYPE_NOT_TAKEN ? !bit : bit;
}

enum model_effect model_transfer(struct model *model,
				 const struct model_transfer *t)
{
	const bool from_enabled = is_enabled(model, t->mode);
	const bool to_enabled = is_enabled(model, t->next);
	uint64_t control;

	if (t->mode == MODEL_DEBUG || t->next == MODEL_DEBUG)
		return MODEL_NOTHING;
	if (is_frozen(model))
		return MODEL_NOTHING;
	if (freezes(model, t)) {
		model->sctrstatus |= CTR_STATUS_FROZEN;
		return MODEL_FROZE;
	}
	/* Only a trap can be recorded that comes from a mode that is not. */
	if (!from_enabled && !(is_trap(t->type) && to_enabled))
		return MODEL_NOTHING;

	/* "Virtualization Mode Transitions": from or to V=1, vsctrctl's hold. */
	control = is_virtual(t->mode) || is_virtual(t->next) ?
			  model->vsctrctl : model->mctrctl;
	if (control & CTR_CTL_RASEMU)
		return emulate_ras(model, t);

	/* External traps do not depend on EXCINH and INTRINH. */
	if (is_trap(t->type) && !to_enabled)
		return is_external_enabled(model, t) ?
			       push(model, t->type, t->from, 0) :
			       MODEL_NOTHING;
	if (is_inhibited(control, t->type))
		return MODEL_NOTHING;
	return push(model, t->type, from_enabled ? t->from : 0,
		    to_enabled ? t->to : 0);
}

/* The transfer type of an instruction that retires, or CTR_TYPE_NONE. */
static enum ctr_type type_of(const struct model_insn *insn)
{
	struct rv_insn rv;

	if (rv_decode_word(&rv, insn->insn, insn->flags) < 0)
		return CTR_TYPE_NONE;
	/* The return from Debug Mode: "Transfers into and out of Debug Mode are
	 * never recorded", and a trace may not tell that mode. */
	if (rv.raw == INSN_DRET)
		return CTR_TYPE_NONE;
	switch (rv.xfer) {
	case RV_XFER_EXCEPTION:
		/* It traps, if it does not enter Debug Mode. */
		return CTR_TYPE_NONE;
	case RV_XFER_BRANCH:
		return insn->taken ? CTR_TYPE_TAKEN : CTR_TYPE_NOT_TAKEN;
	default:
		return (enum ctr_type)rv.xfer;
	}
}

enum model_effect model_step(struct model *model, const struct model_insn *insn)
{
	struct model_transfer t = {
		.from = insn->pc,
		.to = insn->next,
		.type = insn->trap,
		.mode = insn->mode,
		.next = insn->next_mode,
		.cause = insn->cause,
	};

	model_pass(model, insn->mode, insn->cycles);
	if (!t.type) {
		if (insn->insn == CTR_INSN_SCTRCLR)
			model_clear(model);
		t.type = type_of(insn);
	}
	return t.type ? model_transfer(model, &t) : MODEL_NOTHING;
}
