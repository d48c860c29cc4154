/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the machine executed, from the log of the plug-in `transfers`: the steps of
 * each thread, or of a hart, and the code that was there.
 */
#ifndef JUDGE_EXECUTED_H
#define JUDGE_EXECUTED_H

#include "log.h"

#define LCOFI		(TRANSFER_LOG_INTERRUPT | 13)
#define NO_CAUSE	(TRANSFER_LOG_INTERRUPT - 1)
#define NOWHERE		UINT64_MAX

enum step_kind {
	STEP_TRANSFER,
	STEP_TRAP,	/* to a handler that is logged, too */
	STEP_PAUSE,	/* a trap, and where what is logged went on */
};

struct step {
	uint64_t from, to;
	uint32_t at;		/* in the log */
	uint32_t insn;		/* or the cause of a trap */
	uint64_t addr;		/* that a page fault was for */
	enum step_kind kind;
};

/* A thread, of user code alone or of all that it did on a hart. */
struct stream {
	uint64_t id;		/* its thread pointer; in the kernel, its task */
	unsigned int window;
	uint64_t start;
	struct step *steps;
	size_t nr, room;
	size_t thawed;		/* steps when branch records were last thawed */
	/* The steps after which it went on elsewhere, and how many precede each. */
	uint32_t *jumps, *rank;
	uint32_t nr_jumps;
	/* Instructions that were executed before each step was through. */
	uint64_t *insns;
	uint64_t nr_insns;
	/* The judge's: the jumps and instructions that are in the trace. */
	bool *covered, *held;
	bool *told;		/* and steps whose page fault is, with its address */
};

extern struct stream streams[256];
extern unsigned int nr_streams;

/*
 * Read windows of the log, numbers with a comma between. False: there is nothing in
 * them. A process that another one starts has a window of its own.
 */
bool read_executed(const struct log *log, const char *windows);

/* The log is a witness, not a god: is it a path through the code? */
bool believe(const struct stream *stream);

/* The opcode that is executed at @pc when the log has @at records; 0: none. */
uint32_t code_at(uint64_t pc, uint32_t at);

/* Which of the stream's instructions is at @pc on the line that ends with step @step. */
uint64_t insn_at(const struct stream *stream, uint32_t step, uint64_t pc);

/* Not a pause after which it went on where it was, or behind that instruction. */
bool is_jump(const struct step *step);

#endif
