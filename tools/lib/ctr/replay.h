/* SPDX-License-Identifier: GPL-2.0-only */
/* An instruction trace through the reference model: what a hart records of it. */
#ifndef CTR_REPLAY_H
#define CTR_REPLAY_H

#include "csv/insn_trace.h"
#include "ctr/model.h"
#include "ctr/registers.h"

/* All 0, but for what is asked for, before replay_run(). */
struct replay {
	struct register_writes writes;
	unsigned int depth; /* sctrdepth.DEPTH at the start */
	bool counts; /* the hart counts cycles */
	uint32_t cycles; /* that an instruction takes */
	bool zcm; /* the hart has Zcmp and Zcmt */
	/* Called for each record, which is logical entry 0. NULL: nothing is. */
	void (*on_record)(void *arg);
	/* Called at each counter overflow at pc; then FROZEN is cleared. NULL: neither. */
	void (*on_overflow)(void *arg, uint64_t pc);
	void *arg;
	/* What became of it: */
	struct model model;
	uint64_t index; /* of the instruction at work, at the end how many there were */
	uint64_t gaps;
	/* Traps whose handler is recorded and not in the trace. */
	uint64_t unknown_targets;
	/* The rest is the room's own. */
	bool rv32;
	bool virtual; /* U and S are VU and VS */
	size_t written; /* of the writes */
	uint32_t opcodes[CTR_MAX_ENTRIES]; /* see replay_opcode() */
};

/*
 * Replay a trace that was just opened, on a hart that implements everything, whose
 * sctrctl is U+S unless a control register is written at the start. Returns 0 or
 * ERROR_* with a text at the trace.
 */
int replay_run(struct replay *replay, struct insn_trace *trace);

/* The encoding that made logical entry i, which is below the depth; 0: none did. */
static inline uint32_t replay_opcode(const struct replay *replay,
				     unsigned int i)
{
	return replay->opcodes[model_physical(&replay->model, i)];
}

#endif
