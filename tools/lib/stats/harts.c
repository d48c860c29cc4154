// SPDX-License-Identifier: GPL-2.0-only
#include "stats/harts.h"

/* All 0 without a record is also what a trace has not told yet, as after a jump. */
static bool tells(const struct stf_inst *inst)
{
	const struct stf_process *p = &inst->process;

	return inst->flags & STF_INST_F_PROCESS || p->hart || p->pid || p->tid;
}

bool stats_harts_several(struct stats_harts *harts, const struct stf_inst *inst)
{
	const struct stf_process *first = &harts->first, *p = &inst->process;

	if (!harts->told && tells(inst)) {
		harts->first = *p;
		harts->told = true;
	}
	if (inst->flags & STF_INST_F_PROCESS) {
		harts->harts |= p->hart != first->hart;
		harts->threads |= !p->tid || p->tid != first->tid ||
				  p->pid != first->pid;
	}
	return harts->harts && harts->threads;
}

void stats_turns_take(struct stats_turns *turns, const struct stf_inst *inst)
{
	const struct stf_process *p = &inst->process;

	if (!tells(inst))
		return;
	turns->changes += turns->told && (p->pid != turns->pid || p->tid != turns->tid);
	turns->pid = p->pid;
	turns->tid = p->tid;
	turns->told = true;
}
