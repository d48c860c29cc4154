// SPDX-License-Identifier: GPL-2.0-only
#include "ctr/replay.h"
#include "riscv/rv_insn.h"

static enum model_mode mode_of(const struct traced_insn *insn, bool virtual)
{
	switch (insn->mode) {
	case STF_MODE_MACHINE:
		return MODEL_M;
	case STF_MODE_HYPERVISOR:
		return MODEL_S;
	case STF_MODE_SUPERVISOR:
		return virtual ? MODEL_VS : MODEL_S;
	default:
		return virtual ? MODEL_VU : MODEL_U;
	}
}

static void execute(struct replay *r, const struct model_insn *step)
{
	enum model_effect effect = model_step(&r->model, step);

	if (effect != MODEL_RECORDED && effect != MODEL_SWAPPED)
		return;
	r->opcodes[model_physical(&r->model, 0)] =
		step->trap == CTR_TYPE_INTERRUPT ? 0 : step->insn;
	if (r->on_record)
		r->on_record(r->arg);
}

static void miss(struct replay *r, uint64_t *counter)
{
	++*counter;
	model_miss(&r->model);
}

/* Can the next instruction be the trap's handler? No trap leads to U-mode. */
static bool is_handler(const struct traced_insn *insn,
		       const struct traced_insn *next)
{
	if (!next || next->mode == STF_MODE_USER || next->mode < insn->mode)
		return false;
	if (insn->marked)
		return insn->trap_target && next->pc == insn->target;
	return !(insn->interrupt && next->pc == insn->pc &&
		 next->mode == insn->mode);
}

static void take_trap(struct replay *r, struct model_insn *step,
		      const struct traced_insn *insn,
		      const struct traced_insn *next, enum model_mode next_mode)
{
	step->trap = insn->interrupt ? CTR_TYPE_INTERRUPT : CTR_TYPE_EXCEPTION;
	step->cause = insn->cause;
	if (insn->interrupt)
		step->cycles = 0;
	if (is_handler(insn, next)) {
		step->next = next->pc;
		step->next_mode = next_mode;
		execute(r, step);
		return;
	}
	/*
	 * The trace is of other modes only. The kernel's are the traps then, or
	 * the hypervisor's: where it does not record, no more is to be known.
	 */
	step->next_mode = step->mode == MODEL_M ? MODEL_M : MODEL_S;
	execute(r, step);
	if (model_read_csr(&r->model, CTR_CSR_MCTRCTL) &
	    (step->mode == MODEL_M ? CTR_CTL_M : CTR_CTL_S))
		miss(r, &r->unknown_targets);
}

/* Where an instruction that retires leads; false if that is not known. */
static bool find_next(struct model_insn *step, const struct traced_insn *insn,
		      const struct traced_insn *next, const struct rv_insn *rv)
{
	const uint64_t straight = insn->pc + insn->size;
	uint64_t target;

	step->next = straight;
	if (rv->xfer == RV_XFER_NONE || rv->xfer == RV_XFER_EXCEPTION)
		return true;
	if (insn->has_target) {
		step->taken = true;
		step->next = insn->target;
		return true;
	}
	if (rv->xfer == RV_XFER_BRANCH) {
		if (insn->marked || (next && next->pc == straight))
			return true;
		step->taken = next && rv_target(rv, insn->pc, &target) &&
			      next->pc == target;
		step->next = step->taken ? target : straight;
		return step->taken;
	}
	if (rv_target(rv, insn->pc, &step->next))
		return true;
	if (!next || next->jumped_in)
		return false;
	step->next = next->pc;
	return true;
}

static void retire(struct replay *r, struct model_insn *step,
		   const struct traced_insn *insn,
		   const struct traced_insn *next, enum model_mode next_mode)
{
	const uint64_t mask = r->rv32 ? UINT32_MAX : UINT64_MAX;
	struct rv_insn rv = { 0 };
	bool known, returns;

	rv_decode_word(&rv, insn->opcode, step->flags);
	returns = rv.xfer == RV_XFER_TRAP_RETURN;
	known = find_next(step, insn, next, &rv);
	step->next &= mask;
	/* A return is known by the mode that it leads to, too. */
	if (returns && !(next && next->pc == step->next))
		known = false;
	step->next_mode = returns ? next_mode : step->mode;
	if (known)
		execute(r, step);
	if (next && (!known || next->pc != step->next ||
		     next_mode != step->next_mode))
		miss(r, &r->gaps);
}

/* Did it retire in spite of its event, which then only tells of a sample? */
static bool is_mark(const struct traced_insn *insn,
		    const struct traced_insn *next)
{
	if (!insn->marked || !insn->interrupt || insn->trap_target)
		return false;
	return insn->has_target ||
	       (next && !next->jumped_in && next->pc == insn->pc + insn->size);
}

static void take_sample(struct replay *r, uint64_t pc)
{
	const uint64_t status = model_read_csr(&r->model, CTR_CSR_SCTRSTATUS);

	r->on_overflow(r->arg, pc);
	model_write_csr(&r->model, CTR_CSR_SCTRSTATUS,
			status & ~CTR_STATUS_FROZEN);
}

/* next is NULL at the end. */
static void work(struct replay *r, const struct traced_insn *insn,
		 enum model_mode mode, const struct traced_insn *next,
		 enum model_mode next_mode)
{
	const bool overflow = insn->interrupt &&
			      insn->cause == STF_INT_COUNTER_OVERFLOW;
	struct model_insn step = {
		.pc = insn->pc,
		.insn = insn->opcode,
		.cycles = r->cycles,
		.flags = (r->rv32 ? RV_RV32 : 0) | (r->zcm ? RV_ZCM : 0),
		.mode = mode,
	};

	if (insn->trap) {
		struct model_insn trap = step;

		take_trap(r, &trap, insn, next, next_mode);
	}
	if (r->on_overflow && overflow)
		take_sample(r, insn->pc);
	if (!insn->trap || is_mark(insn, next))
		retire(r, &step, insn, next, next_mode);
}

static void set_registers(struct replay *r, uint64_t at)
{
	const struct register_writes *writes = &r->writes;

	for (; r->written < writes->nr && writes->v[r->written].at <= at;
	     r->written++) {
		const struct register_write *write = &writes->v[r->written];

		if (write->csr != REGISTER_V)
			model_write_csr(&r->model, write->csr, write->value);
	}
}

/* V is one of the instruction that comes next, while the one before is at work. */
static void set_virtual(struct replay *r, uint64_t at)
{
	const struct register_writes *writes = &r->writes;
	size_t i;

	for (i = r->written; i < writes->nr && writes->v[i].at <= at; i++)
		if (writes->v[i].csr == REGISTER_V)
			r->virtual = writes->v[i].value;
}

static void start(struct replay *r)
{
	const struct model_hart hart = {
		.control = ~0ULL,
		.depths = (2 << CTR_DEPTH_MAX) - 1,
		.types = true,
		.cce_bits = r->counts ? MODEL_MAX_CCE_BITS : MODEL_NO_CYCLES,
	};

	model_init(&r->model, &hart);
	model_write_csr(&r->model, CTR_CSR_SCTRDEPTH, r->depth);
	if (!register_writes_control(&r->writes))
		model_write_csr(&r->model, CTR_CSR_SCTRCTL,
				CTR_CTL_U | CTR_CTL_S);
	set_virtual(r, 0);
	set_registers(r, 0);
}

int replay_run(struct replay *r, struct insn_trace *trace)
{
	enum model_mode mode = MODEL_U, next_mode = MODEL_U;
	int ret;

	r->rv32 = trace->rv32;
	start(r);
	/* Of an instruction before an error it is not known where it leads. */
	while ((ret = insn_trace_next(trace)) > 0 && trace->more >= 0) {
		if (!r->index)
			mode = mode_of(trace->insn, r->virtual);
		if (trace->next) {
			set_virtual(r, r->index + 1);
			next_mode = mode_of(trace->next, r->virtual);
		}
		work(r, trace->insn, mode, trace->next, next_mode);
		set_registers(r, ++r->index);
		mode = next_mode;
	}
	return ret > 0 ? trace->more : ret;
}
