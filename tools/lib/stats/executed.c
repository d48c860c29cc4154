// SPDX-License-Identifier: GPL-2.0-only
#include "stats/executed.h"
#include "riscv/rv_insn.h"

static bool is_trap_of_its_own(const struct stf_record *rec)
{
	return rec->desc == STF_EVENT &&
	       (rec->event.id == STF_FAULT_BREAKPOINT ||
		rec->event.id == STF_FAULT_ILLEGAL_INST ||
		(rec->event.id >= STF_FAULT_USER_ECALL &&
		 rec->event.id <= STF_FAULT_MACHINE_ECALL));
}

bool stats_executed(struct stf_inst_iter *iter, const struct stf_inst *inst,
		    unsigned int xfer)
{
	struct stf_record rec;
	bool own = false;

	if (!(inst->flags & STF_INST_F_EVENT) || inst->flags & STF_INST_F_TAKEN)
		return true;
	if (xfer != RV_XFER_EXCEPTION)
		return false;
	while (!own && stf_inst_iter_record(iter, &rec) > 0)
		own = is_trap_of_its_own(&rec);
	stf_inst_iter_again(iter);
	return own;
}

unsigned int stats_rv_flags(const struct stf_params *params)
{
	return params->iem == STF_IEM_RV32 ? RV_RV32 : 0;
}

bool stats_interrupted(struct stf_inst_iter *iter, const struct stf_inst *inst,
		       unsigned int rv_flags)
{
	struct rv_insn insn = { .xfer = RV_XFER_NONE };

	if (!(inst->flags & STF_INST_F_EVENT))
		return false;
	rv_decode_word(&insn, inst->opcode, rv_flags);
	return !stats_executed(iter, inst, insn.xfer);
}
