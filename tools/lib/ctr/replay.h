/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run an instruction trace through the reference model, to get the records that a hart
 * makes.
 */
#ifndef CTR_REPLAY_H
#define CTR_REPLAY_H

#include "csv/insn_trace.h"
#include "ctr/model.h"
#include "ctr/registers.h"

/* Before replay_run(), set all members to 0 that the caller does not set. */
struct replay {
	struct register_writes writes;
	unsigned int depth; /* sctrdepth.DEPTH at the start */
	bool counts; /* the hart counts cycles */
	uint32_t cycles; /* the cycles that an instruction takes */
	bool zcm; /* the hart has Zcmp and Zcmt */
	/* Called for each record, which is logical entry 0. May be NULL. */
	void (*on_record)(void *arg);
	/*
	 * Called at each counter overflow. pc is its place. After the call, FROZEN is
	 * cleared. If NULL, nothing is called or cleared.
	 */
	void (*on_overflow)(void *arg, uint64_t pc);
	void *arg;
	/* The results: */
	struct model model;
	/* the number of the current instruction; at the end, of all instructions */
	uint64_t index;
	uint64_t gaps;
	/* Traps whose handler is recorded, but is not in the trace. */
	uint64_t unknown_targets;
	/* The other members are only for replay_run(). */
	bool rv32;
	bool virtual; /* U and S of the trace are VU and VS */
	size_t written; /* how many of the writes are done */
	uint32_t opcodes[CTR_MAX_ENTRIES]; /* see replay_opcode() */
};

/*
 * Replay a trace that was just opened. The hart implements everything. Its sctrctl is
 * U+S, unless a control register is written at the start. Returns 0, or ERROR_* with a
 * text in the error of the trace.
 */
int replay_run(struct replay *replay, struct insn_trace *trace);

/*
 * Returns the encoding of the instruction that made logical entry i, or 0 if none did. i
 * must be below the depth.
 */
static inline uint32_t replay_opcode(const struct replay *replay,
				     unsigned int i)
{
	return replay->opcodes[model_physical(&replay->model, i)];
}

#endif
