// SPDX-License-Identifier: GPL-2.0-only
#include "trace/run.h"
#include "base/array.h"
#include "riscv/rv_insn.h"
#include "riscv/rv_mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { ECALL = 0x73, EBREAK = 0x100073, C_EBREAK = 0x9002 };

/*
 * After so many instructions, the process and the mode are told again, so that a reader
 * who begins in the middle finds them within half a chunk of a .zstf.
 */
enum { TELL_AGAIN = 50000 };

void run_process(struct run_writer *out, uint32_t cpu, uint32_t pid,
		   uint32_t tid)
{
	/* Recordings of single tasks do not say which hart it was. */
	out->process =
		(struct stf_process){ cpu == PD_NO_ID ? 0 : cpu, pid, tid };
}

static enum stf_mode mode_of(uint64_t pc)
{
	return path_is_kernel(pc) ? STF_MODE_SUPERVISOR : STF_MODE_USER;
}

static uint64_t fault_cause(enum rv_mem_way access, unsigned int type)
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
	return page[type == PD_BR_FAULT_INST ? RV_MEM_NONE : access];
}

/* The note of an instruction, by its place in the run; NULL: none. */
static const struct trap_note *find_note(const struct run *what,
					 uint32_t offset, enum side_kind kind)
{
	unsigned int i;

	for (i = 0; i < what->nr_notes; i++)
		if (what->notes[i].offset == offset &&
		    what->notes[i].kind == kind)
			return &what->notes[i];
	return NULL;
}

/* The number is told by a side event, or else by the code that set it. */
static int write_syscall(struct run_writer *out, bool kernel,
			 const struct trap_note *note)
{
	uint64_t number = note ? note->value : (uint64_t)out->call.number;
	bool known = note || (out->call.known && !kernel);

	if (kernel)
		return stf_write_event(out->writer,
				       STF_FAULT_SUPERVISOR_ECALL, NULL, 0);
	out->syscalls++;
	out->unknown_syscalls += !known;
	return stf_write_event(out->writer, STF_FAULT_USER_ECALL, &number,
			       known);
}

static int write_interrupt(struct run_writer *out, const struct trap_note *note)
{
	out->guessed_causes += !note;
	out->interrupted++;
	return stf_write_event(out->writer,
			       STF_EVENT_INTERRUPT |
				       (note ? note->value :
					       STF_INT_PLATFORM_0),
			       NULL, 0);
}

static int write_fault(struct run_writer *out, uint64_t pc, uint32_t opcode,
		       unsigned int size, unsigned int type,
		       const struct trap_note *note)
{
	const uint64_t fields[] = { pc, opcode, note ? note->value : 0 };
	enum rv_mem_way access = rv_mem_of(opcode, size, 0).way;
	uint64_t cause = fault_cause(access, type);

	/* What could not be reached was the instruction itself. */
	if (note && note->value - pc < size)
		cause = STF_FAULT_INST_PAGE_FAULT;
	if (access == RV_MEM_NONE && type < PD_BR_FAULT_ALIGN && !note)
		out->guessed_causes++;
	out->interrupted++;
	out->faults += note != NULL;
	out->bare_faults += !note && type != PD_BR_FAULT_ALIGN;
	return stf_write_event(out->writer, cause, fields,
			       note && cause != STF_FAULT_INST_PAGE_FAULT ? 3 :
									    2);
}

/*
 * Why the instruction trapped, as its record, its opcode and side events tell.
 * PLATFORM_0 stands for an interrupt that is not known. Fields that are not known
 * are left out; they come last.
 */
static int write_cause(struct run_writer *out, const struct run *what,
		       uint32_t offset, uint64_t pc, uint32_t opcode,
		       unsigned int size, unsigned int type)
{
	/* The specification's third field: instructions of 32 or 64-bit code. */
	const uint64_t fields[] = { pc, opcode, out->header.iem };
	struct rv_insn insn;

	if (type == PERF_BR_IRQ)
		return write_interrupt(out, find_note(what, offset,
							SIDE_INTERRUPT));
	if (opcode == ECALL)
		return write_syscall(out, path_is_kernel(pc),
				     find_note(what, offset, SIDE_SYSCALL));
	if (opcode == EBREAK || opcode == C_EBREAK)
		return stf_write_event(out->writer, STF_FAULT_BREAKPOINT,
				       fields, 1);
	if (rv_decode_word(&insn, opcode, 0) > 0 && rv_always_traps(&insn))
		return stf_write_event(out->writer, STF_FAULT_ILLEGAL_INST,
				       fields, 3);
	return write_fault(out, pc, opcode, size, type,
			   find_note(what, offset, SIDE_FAULT));
}

static int write_header(struct run_writer *out, const struct path_run *run)
{
	out->header.pc = run->pc;
	/* A program of 32 bits can run on a kernel of 64 bits. */
	if (run->rv32)
		out->header.iem = STF_IEM_RV32;
	out->rv32 = run->rv32;
	out->header.process = &out->process;
	out->started = true;
	out->mode = STF_MODE_UNKNOWN;
	out->written = out->process;
	return stf_write_header(out->writer, &out->header);
}

/* The process, the mapping and the PC, as far as they have to be told. */
static int write_start(struct run_writer *out, const struct run *what)
{
	const struct path_run *run = what->run;
	const uint64_t index = out->insns + out->faulted;
	const bool first = !out->started;
	const char *mapping;
	int ret = first ? write_header(out, run) : 0;
	bool due;

	/* Each note may be a fault, whose instruction stands there once more. */
	mapping = origin_tell_due(&out->tell, out->process.pid, run->pc, index,
				  index + run->nr_insns + what->nr_notes);
	due = out->insns >= out->told + TELL_AGAIN;
	if (due) {
		out->told = out->insns;
		out->mode = STF_MODE_UNKNOWN;
	}
	/* Who begins to read there must know of which process the mapping is. */
	if (!ret && !first &&
	    (mapping || due ||
	     memcmp(&out->process, &out->written, sizeof(out->process))))
		ret = stf_write_process(out->writer, out->process.hart,
					out->process.pid, out->process.tid);
	out->written = out->process;
	if (!ret && mapping)
		ret = stf_write_comment(out->writer, mapping);
	if (!ret && !run->connected)
		ret = stf_write_force_pc(out->writer, run->pc);
	if (!ret && !run->connected && out->comment)
		ret = stf_write_comment(out->writer, out->comment);
	return ret;
}

static int write_mode(struct run_writer *out, enum stf_mode mode)
{
	if (mode == out->mode)
		return 0;
	out->mode = mode;
	return stf_write_mode_change(out->writer, mode);
}

/* The interrupted instruction comes again when it executes: the event leads there. */
static int write_overflow(struct run_writer *out, unsigned int event, uint64_t pc)
{
	const uint64_t source = event;
	int ret = stf_write_event(out->writer,
				  STF_EVENT_INTERRUPT | STF_INT_COUNTER_OVERFLOW,
				  &source, 1);

	out->interrupted++;
	return ret ? ret : stf_write_event_target(out->writer, pc);
}

static bool is_call(uint32_t opcode)
{
	return opcode == ECALL || opcode == EBREAK || opcode == C_EBREAK;
}

/*
 * Where an instruction that trapped leads: by its record, or, where that does not
 * tell, to where the program goes on. Readers need a target behind each event.
 */
static uint64_t target_of(const struct path_transfer *t, uint64_t pc,
			  uint32_t opcode, unsigned int size)
{
	if (t->to)
		return t->to;
	return is_call(opcode) ? pc + size : pc;
}

/* What the last instruction of a run carries beside its opcode. */
static int write_end(struct run_writer *out, const struct run *what,
		     uint32_t offset, uint32_t opcode, unsigned int size)
{
	const struct path_run *run = what->run;
	const struct path_transfer *t = what->transfers + run->transfer;
	uint64_t pc = run->pc + offset;
	int ret = 0;

	switch (run->end) {
	case PATH_END_IP:
		return write_overflow(out, what->event, pc);
	case PATH_END_TRAP:
		if (!path_is_kernel(pc))
			out->call.trap_pc = pc;
		if (run->target_shown)
			ret = write_mode(out, mode_of(t->to));
		if (!ret)
			ret = write_cause(out, what, offset, pc, opcode, size,
					  t->type);
		return ret ? ret :
			     stf_write_event_target(out->writer,
						    target_of(t, pc, opcode,
							      size));
	case PATH_END_TRAP_RETURN:
		/* The event is what the target belongs to, also without a change. */
		out->mode = mode_of(t->to);
		ret = stf_write_mode_change(out->writer, out->mode);
		if (!ret && run->target_shown)
			ret = stf_write_event_target(out->writer, t->to);
		return ret;
	default:
		return 0;
	}
}

/*
 * An instruction that trapped in the middle of a line: where the kernel leaves no
 * record, the line goes on behind it.
 */
static int write_call(struct run_writer *out, const struct run *what,
		      uint32_t offset, uint32_t opcode, unsigned int size)
{
	const uint64_t pc = what->run->pc + offset;
	int ret;

	if (opcode == ECALL)
		ret = write_syscall(out, path_is_kernel(pc),
				    find_note(what, offset, SIDE_SYSCALL));
	else
		ret = stf_write_event(out->writer, STF_FAULT_BREAKPOINT, &pc, 1);
	return ret ? ret : stf_write_event_target(out->writer, pc + size);
}

/* The first access of a device has its name before it. */
static int name_device(struct run_writer *out, int device)
{
	char *text;
	int ret;

	if (device < 0)
		return 0;
	if (!array_cover(&out->named, device, &out->cap_named,
			 sizeof(*out->named)))
		return STF_E_NOMEM;
	if (out->named[device])
		return 0;
	out->named[device] = true;
	text = masters_describe(out->masters, device);
	ret = text ? stf_write_comment(out->writer, text) : STF_E_NOMEM;
	free(text);
	return ret;
}

static int write_accesses(struct run_writer *out, struct master_queue *queue,
			  size_t nr)
{
	int ret = 0;

	for (; nr && !ret; nr--, queue->first++, queue->nr--) {
		const struct master_access *a = &queue->v[queue->first];

		ret = name_device(out, a->device);
		if (!ret)
			ret = stf_write_bus(out->writer, &a->access, 0);
		out->accesses++;
	}
	return ret;
}

/*
 * Page faults that left no record: the instruction stands there once for each, and
 * again when it executes.
 */
static int write_faults(struct run_writer *out, const struct run *what,
			uint32_t at, uint32_t opcode, unsigned int size)
{
	const uint64_t pc = what->run->pc + at;
	unsigned int i;
	int ret = 0;

	/* The record is the only fault's own. */
	if (what->run->end == PATH_END_TRAP)
		return 0;
	for (i = 0; i < what->nr_notes && !ret; i++) {
		const struct trap_note *note = &what->notes[i];

		if (note->offset != at || note->kind != SIDE_FAULT)
			continue;
		ret = write_mode(out, mode_of(pc));
		if (!ret)
			ret = write_fault(out, pc, opcode, size, 0, note);
		if (!ret)
			ret = stf_write_event_target(out->writer, pc);
		if (!ret)
			ret = stf_write_inst(out->writer, opcode, size);
		out->faulted++;
	}
	return ret;
}

/* A line with system calls, breakpoints or faults in it, from one byte to another. */
static int write_calls(struct run_writer *out, const struct run *what,
		       uint32_t at, uint32_t end)
{
	const struct path_run *run = what->run;
	unsigned int size;
	uint32_t opcode;
	int ret = 0;

	for (; at < end && !ret; at += size) {
		size = rv_load(run->code + at, &opcode);
		ret = write_faults(out, what, at, opcode, size);
		if (!ret && is_call(opcode))
			ret = write_call(out, what, at, opcode, size);
		if (!ret)
			ret = stf_write_inst(out->writer, opcode, size);
		if (!path_is_kernel(run->pc))
			syscall_pass(&out->call, opcode, size);
	}
	return ret;
}

/* The instruction at this byte of a run is executed. */
static inline void pass_code(struct run_writer *out, const struct path_run *run,
			   uint32_t at)
{
	unsigned int size;
	uint32_t opcode;

	if (path_is_kernel(run->pc))
		return;
	size = rv_load(run->code + at, &opcode);
	syscall_pass(&out->call, opcode, size);
}

/* From one byte to another. */
static int write_line(struct run_writer *out, const struct run *what,
		      uint32_t at, uint32_t end)
{
	const struct path_run *run = what->run;

	if (run->calls || what->nr_notes)
		return write_calls(out, what, at, end);
	if (run->a7_at >= at && run->a7_at < end)
		pass_code(out, run, run->a7_at);
	return stf_write_code(out->writer, run->code + at, end - at, NULL);
}

/* A line without calls, and the branch that ends it. */
static inline int write_block(struct run_writer *out, const struct run *what,
			      uint32_t source)
{
	const struct path_run *run = what->run;

	if (run->a7_at < source)
		pass_code(out, run, run->a7_at);
	pass_code(out, run, source);
	return stf_write_code(out->writer, run->code, run->size,
			      &what->transfers[run->transfer].to);
}

/*
 * Where the instruction is that carries what the last one does: the source, or the
 * last of the line if there are accesses for it. The run's size: there is none.
 */
static uint32_t last_of(const struct run *what)
{
	const struct path_run *run = what->run;
	uint32_t at = 0, next = 0, opcode;

	if (run->source_size || !what->accesses)
		return run->size - run->source_size;
	while (next < run->size) {
		at = next;
		next += rv_load(run->code + at, &opcode);
	}
	return at;
}

static int write_last(struct run_writer *out, const struct run *what,
		      uint32_t at, struct master_queue *queue)
{
	const struct path_run *run = what->run;
	const unsigned int source = run->source_size;
	unsigned int size;
	uint32_t opcode;
	int ret = 0;

	size = rv_load(run->code + at, &opcode);
	if (source)
		ret = write_faults(out, what, at, opcode, size);
	if (!ret && run->end == PATH_END_BRANCH)
		ret = stf_write_pc_target(out->writer,
					  what->transfers[run->transfer].to);
	if (!ret)
		ret = write_accesses(out, queue, what->accesses);
	if (!ret)
		ret = write_mode(out, mode_of(run->pc));
	if (!ret && !source)
		return write_line(out, what, at, run->size);
	if (!ret)
		ret = write_end(out, what, at, opcode, size);
	if (!ret)
		ret = stf_write_inst(out->writer, opcode, size);
	if (!path_is_kernel(run->pc))
		syscall_pass(&out->call, opcode, size);
	return ret;
}

int run_write(struct run_writer *out, const struct run *what,
	      struct master_queue *queue)
{
	const struct path_run *run = what->run;
	uint32_t last = last_of(what);
	int ret;

	if (!run->nr_insns)
		return 0;
	syscall_begin(&out->call, run);
	ret = write_start(out, what);
	out->insns += run->nr_insns;
	if (run->rv32 != out->rv32)
		out->misread += run->nr_insns;
	/* After a FORCE_PC the first MODE_CHANGE is of the instruction itself. */
	if (!run->connected && run->nr_insns == 1 &&
	    (run->end == PATH_END_TRAP || run->end == PATH_END_TRAP_RETURN))
		out->mode = STF_MODE_UNKNOWN;
	if (!ret && last) {
		ret = write_mode(out, mode_of(run->pc));
		if (!ret && run->end == PATH_END_BRANCH && !run->calls &&
		    !what->nr_notes)
			return write_block(out, what, last);
		if (!ret)
			ret = write_line(out, what, 0, last);
	}
	if (!ret && last < run->size)
		ret = write_last(out, what, last, queue);
	return ret;
}

void run_free(struct run_writer *out)
{
	free(out->named);
	origin_tell_free(&out->tell);
}
