// SPDX-License-Identifier: GPL-2.0-only
#include "trace.h"
#include "riscv/rv_insn.h"

#include <linux/perf_event.h>
#include <string.h>

void trace_process(struct trace *trace, uint32_t cpu, uint32_t pid,
		   uint32_t tid)
{
	/* Recordings of single tasks do not say which hart it was. */
	trace->process =
		(struct stf_process){ cpu == PD_NO_ID ? 0 : cpu, pid, tid };
}

static enum stf_mode mode_of(uint64_t pc)
{
	return path_is_kernel(pc) ? STF_MODE_SUPERVISOR : STF_MODE_USER;
}

/* The opcode at p: its size in bytes, and its bits. */
static unsigned int load(const uint8_t *p, uint32_t *opcode)
{
	uint16_t low, high;

	memcpy(&low, p, 2);
	*opcode = low;
	if ((low & 3) != 3)
		return 2;
	memcpy(&high, p + 2, 2);
	*opcode |= (uint32_t)high << 16;
	return 4;
}

enum access { ACCESS_NONE, ACCESS_LOAD, ACCESS_STORE };

/* Which way an instruction moves data, by its major opcode. */
static enum access access_of(uint32_t opcode)
{
	if ((opcode & 3) == 3) {
		switch (opcode & 0x7f) {
		case 0x03: /* LOAD */
		case 0x07: /* LOAD-FP, vector loads */
			return ACCESS_LOAD;
		case 0x23: /* STORE */
		case 0x27: /* STORE-FP, vector stores */
			return ACCESS_STORE;
		case 0x2f: /* AMO; lr alone only reads */
			return opcode >> 27 == 2 ? ACCESS_LOAD : ACCESS_STORE;
		default:
			return ACCESS_NONE;
		}
	}
	if ((opcode & 3) == 1)
		return ACCESS_NONE;
	/* Quadrants 0 and 2: funct3 1 to 3 load, 5 to 7 store. */
	if (!(opcode >> 13 & 3))
		return ACCESS_NONE;
	return opcode >> 15 & 1 ? ACCESS_STORE : ACCESS_LOAD;
}

static uint64_t fault_cause(enum access access, unsigned int type)
{
	static const uint8_t misaligned[] = {
		STF_FAULT_INST_ADDR_MISALIGN,
		STF_FAULT_LOAD_ADDR_MISALIGN,
		STF_FAULT_STORE_ADDR_MISALIGN,
	};
	static const uint8_t page[] = {
		STF_FAULT_INST_PAGE_FAULT,
		STF_FAULT_LOAD_PAGE_FAULT,
		STF_FAULT_STORE_PAGE_FAULT,
	};

	if (type == PD_BR_FAULT_ALIGN)
		return misaligned[access];
	return page[type == PD_BR_FAULT_INST ? ACCESS_NONE : access];
}

/*
 * Why the instruction trapped, as far as its record and its opcode tell. Which
 * interrupt it was they do not: PLATFORM_0 stands for one that is not known.
 * Fields that would need more than pc and opcode are left out; they come last.
 */
static int write_cause(struct trace *trace, uint64_t pc, uint32_t opcode,
		       unsigned int size, unsigned int type)
{
	const uint32_t ecall = 0x73, ebreak = 0x100073, c_ebreak = 0x9002;
	const uint64_t fields[2] = { pc, opcode };
	enum access access = access_of(opcode);
	struct rv_insn insn;

	if (type == PERF_BR_IRQ) {
		trace->guessed_causes++;
		return stf_write_event(trace->writer,
				       STF_EVENT_INTERRUPT | STF_INT_PLATFORM_0,
				       fields, 0);
	}
	if (opcode == ecall)
		return stf_write_event(trace->writer,
				       path_is_kernel(pc) ?
					       STF_FAULT_SUPERVISOR_ECALL :
					       STF_FAULT_USER_ECALL,
				       fields, 0);
	if (opcode == ebreak || (size == 2 && opcode == c_ebreak))
		return stf_write_event(trace->writer, STF_FAULT_BREAKPOINT,
				       fields, 1);
	if (rv_decode_word(&insn, opcode, 0) > 0 && rv_always_traps(&insn))
		return stf_write_event(trace->writer, STF_FAULT_ILLEGAL_INST,
				       fields, 2);
	if (access == ACCESS_NONE && type < PD_BR_FAULT_ALIGN)
		trace->guessed_causes++;
	return stf_write_event(trace->writer, fault_cause(access, type), fields,
			       2);
}

static int write_start(struct trace *trace, const struct path_run *run)
{
	struct stf_header *header = &trace->header;
	int ret = 0;

	if (!trace->started) {
		header->pc = run->pc;
		header->process = &trace->process;
		trace->started = true;
		trace->mode = STF_MODE_UNKNOWN;
		ret = stf_write_header(trace->writer, header);
	} else if (memcmp(&trace->process, &trace->written,
			  sizeof(trace->process))) {
		ret = stf_write_process(trace->writer, trace->process.hart,
					trace->process.pid, trace->process.tid);
	}
	trace->written = trace->process;
	if (!ret && !run->connected)
		ret = stf_write_force_pc(trace->writer, run->pc);
	return ret;
}

static int write_mode(struct trace *trace, enum stf_mode mode)
{
	if (mode == trace->mode)
		return 0;
	trace->mode = mode;
	return stf_write_mode_change(trace->writer, mode);
}

static int write_overflow(struct trace *trace, unsigned int event)
{
	const uint64_t source = event;

	return stf_write_event(trace->writer,
			       STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW,
			       &source, 1);
}

/* What the last instruction of a run carries beside its opcode. */
static int write_end(struct trace *trace, const struct path_run *run,
		     const struct path_transfer *t, uint64_t pc,
		     uint32_t opcode, unsigned int size, unsigned int event)
{
	int ret = 0;

	switch (run->end) {
	case PATH_END_IP:
		return write_overflow(trace, event);
	case PATH_END_TRAP:
		if (run->target_shown)
			ret = write_mode(trace, mode_of(t->to));
		if (!ret)
			ret = write_cause(trace, pc, opcode, size, t->type);
		break;
	case PATH_END_TRAP_RETURN:
		/* The event is what the target belongs to, also without a change. */
		trace->mode = mode_of(t->to);
		ret = stf_write_mode_change(trace->writer, trace->mode);
		break;
	default:
		return 0;
	}
	if (!ret && run->target_shown)
		ret = stf_write_event_target(trace->writer, t->to);
	return ret;
}

int trace_run(struct trace *trace, const struct path_run *run,
	      const struct path_transfer *t, unsigned int event)
{
	const uint8_t *p = run->code, *end = p + run->size;
	uint64_t pc = run->pc;
	int ret;

	if (!run->nr_insns)
		return 0;
	if (run->has_transfer)
		t += run->transfer;
	ret = write_start(trace, run);
	while (!ret && p < end) {
		uint32_t opcode;
		unsigned int size = load(p, &opcode);
		bool last = p + size >= end;

		if (last && run->end == PATH_END_BRANCH)
			ret = stf_write_pc_target(trace->writer, t->to);
		if (!ret && p == run->code)
			ret = write_mode(trace, mode_of(pc));
		if (!ret && p == run->code && run->interrupted)
			ret = write_overflow(trace, event);
		if (!ret && last)
			ret = write_end(trace, run, t, pc, opcode, size, event);
		if (!ret)
			ret = stf_write_inst(trace->writer, opcode, size);
		p += size;
		pc += size;
		trace->insns++;
	}
	return ret;
}
