// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_inst.h"
#include "stf/stf_rv.h"

const char *stf_branch_name(unsigned int kind)
{
	static const char *const names[] = {
		[STF_BRANCH_NONE] = "none",
		[STF_BRANCH_TRAP_RETURN] = "trap return",
		[STF_BRANCH_CONDITIONAL] = "conditional branch",
		[STF_BRANCH_INDIRECT_CALL] = "indirect call",
		[STF_BRANCH_DIRECT_CALL] = "direct call",
		[STF_BRANCH_INDIRECT_JUMP] = "indirect jump",
		[STF_BRANCH_DIRECT_JUMP] = "direct jump",
		[STF_BRANCH_CO_SWAP] = "co-routine swap",
		[STF_BRANCH_RETURN] = "return",
		[STF_BRANCH_OTHER_INDIRECT] = "other indirect jump",
		[STF_BRANCH_OTHER_DIRECT] = "other direct jump",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}

/* What the records of the group say about it. */
static void take_outcome(const struct stf_inst *inst, struct stf_branch *branch)
{
	unsigned int flags = inst->flags;
	bool trap_return = branch->kind == STF_BRANCH_TRAP_RETURN;

	branch->taken = flags & STF_INST_F_TAKEN ||
			(trap_return && flags & STF_INST_F_EVENT_TARGET &&
			 !(flags & STF_INST_F_EVENT));
	branch->interrupted = !branch->taken && flags & STF_INST_F_EVENT;
}

bool stf_inst_branch(const struct stf_inst *inst, unsigned int iem,
		     struct stf_branch *branch)
{
	bool taken = inst->flags & STF_INST_F_TAKEN;
	struct stf_rv rv;

	*branch = (struct stf_branch){ .kind = STF_BRANCH_NONE };
	if (!stf_rv_may_branch(inst->opcode, inst->size))
		return false;
	rv = stf_rv_look(inst->opcode, inst->size, iem == STF_IEM_RV32);
	if (rv.kind == STF_BRANCH_NONE || (rv.only_zcm && !taken))
		return false;
	branch->kind = rv.kind;
	take_outcome(inst, branch);
	if (rv.direct) {
		branch->has_target = true;
		branch->target = inst->pc + (uint64_t)(int64_t)rv.offset;
		if (iem == STF_IEM_RV32)
			branch->target = (uint32_t)branch->target;
	} else if (branch->taken &&
		   !(taken && inst->flags & STF_INST_F_EVENT_TARGET)) {
		branch->has_target = true;
		branch->target = inst->next_pc;
	}
	return true;
}

/* A trap follows the jump in its own group, and says what next_pc is. */
static void find_target(struct stf_inst_iter *iter, struct stf_branch *branch)
{
	struct stf_record rec;

	while (!branch->has_target && stf_inst_iter_record(iter, &rec) > 0)
		if (rec.desc == STF_INST_PC_TARGET) {
			branch->has_target = true;
			branch->target = rec.pc;
		}
	stf_inst_iter_again(iter);
}

int stf_inst_iter_next_branch(struct stf_inst_iter *iter, struct stf_inst *inst,
			      struct stf_branch *branch)
{
	/* The iterator may still have to read the header, which tells it. */
	const uint16_t *iem = &iter->reader->params.iem;
	int more;

	do {
		more = stf_inst_iter_next(iter, inst);
		if (more <= 0)
			return more;
	} while (!stf_inst_branch(inst, *iem, branch));
	if (branch->taken && !branch->has_target)
		find_target(iter, branch);
	return 1;
}
