/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ChampSim's traces of instructions, from an STF trace.
 *
 * A trace is a sequence of records of 64 bytes, one for each instruction that executed. It
 * has no opcode: ChampSim finds out what a branch is from the registers that it reads and
 * writes. docs/champsim.md has the rules and the numbers of the registers.
 */
#ifndef CHAMPSIM_CHAMPSIM_H
#define CHAMPSIM_CHAMPSIM_H

#include "base/error.h"
#include "champsim/packed.h"
#include "origin/coverage.h"
#include "stf/stf.h"

/* The numbers by which ChampSim knows branches. */
enum {
	CHAMPSIM_SP = 6,
	CHAMPSIM_FLAGS = 25,
	CHAMPSIM_IP = 26,
};

/* The numbers of the other registers. */
enum {
	CHAMPSIM_X = 32, /* x1 to x31, but for sp: 33 to 63 */
	CHAMPSIM_F = 64, /* f0 to f31 */
	CHAMPSIM_V = 96, /* v0 to v31 */
	/* a register that nothing writes, for jumps whose target is in none of these */
	CHAMPSIM_NOTHING = 128,
};

/* A record, little-endian. 0 is no register and no address. */
struct champsim_record {
	uint64_t ip;
	uint8_t is_branch;
	uint8_t taken;
	uint8_t dest_regs[2];
	uint8_t source_regs[4];
	uint64_t dest_memory[2];
	uint64_t source_memory[4];
};

struct champsim_opts {
	uint64_t start; /* the number of the first instruction */
	uint64_t limit; /* the most instructions to read; 0: all */
	/*
	 * Conditional branches read the flags, and not their registers. Versions of
	 * ChampSim that know only branches of x86 need this.
	 */
	bool flags;
};

/* What became of it. */
struct champsim_result {
	uint64_t instructions; /* written */
	/* left out: an event came in their place, so that they did not execute there */
	uint64_t interrupted;
	struct origin_coverage coverage; /* unknown if the trace was not read to its end */
	uint64_t gaps; /* in front of instructions that were written, except the first */
	uint64_t changes; /* of the thread or process, from one that was written to the next */
	uint64_t memory; /* loads, stores and atomics among those that were written */
	uint64_t no_address; /* of these, those without an INST_MEM_ACCESS */
	/* accesses beyond what a record has room for, or at the address 0 */
	uint64_t left_out;
};

/*
 * Write the instructions of a trace whose reader is at its start. Returns 0, ERROR_NOMEM,
 * ERROR_INPUT if the trace cannot be read or has transactions, or its instructions are of
 * several harts, ERROR_OUTPUT, or ERROR_NOTHING if there is no instruction to write.
 */
int champsim_write(const struct champsim_opts *opts, struct stf_reader *reader,
		   struct packed *out, struct champsim_result *result,
		   struct error *error);

#endif
