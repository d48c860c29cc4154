/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traces of programs with phases, made by chance: a Markov chain over phases. Each phase
 * has functions of its own, which it calls at random, some far more often than others.
 * Functions consist of blocks, each of which ends with a conditional branch over the next
 * block. Some branches follow a pattern, the others chance. How often these are taken
 * also depends on data, which drift through the run and leave no trace in the code.
 */
#ifndef TESTS_PHASES_PROGRAM_H
#define TESTS_PHASES_PROGRAM_H

#include <stdlib.h>

#include "stf/stf.h"
#include "test.h"

enum {
	PROG_PHASES = 5,
	PROG_FUNCTIONS = 24, /* of a phase, at most */
	PROG_BLOCKS = 12, /* of a function, at most */
	PROG_BRANCH = 0x00000463, /* beq zero, zero, 8 */
	PROG_RETURN = 0x8082,
	PROG_NOP = 0x0001,
};

struct prog_block {
	unsigned int nops;
	double taken; /* the probability; above 1: of a pattern */
	unsigned int period; /* of the pattern, of which one is not taken */
	unsigned int count;
};

struct prog_function {
	uint64_t pc;
	unsigned int nr;
	struct prog_block blocks[PROG_BLOCKS];
};

struct prog_phase {
	unsigned int nr;
	unsigned int dwell; /* how many functions run, on average, before it ends */
	struct prog_function functions[PROG_FUNCTIONS];
};

struct prog {
	unsigned int nr;
	struct prog_phase phases[PROG_PHASES];
	unsigned int phase;
	double data;
	uint64_t made; /* instructions */
	struct stf_writer *w;
	uint64_t random;
};

static inline uint64_t prog_random(struct prog *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	return p->random ^= p->random << 17;
}

static inline unsigned int prog_below(struct prog *p, unsigned int n)
{
	return (unsigned int)((prog_random(p) >> 32) % n);
}

static inline double prog_share(struct prog *p)
{
	return (double)(prog_random(p) >> 11) * 0x1p-53;
}

static inline void prog_plan_function(struct prog *p, struct prog_function *f,
				      uint64_t pc)
{
	unsigned int i;

	f->pc = pc;
	f->nr = 4 + prog_below(p, PROG_BLOCKS - 3);
	for (i = 0; i < f->nr; i++) {
		bool pattern = prog_below(p, 2);

		f->blocks[i] = (struct prog_block){
			.nops = 2 + prog_below(p, 10),
			.taken = pattern ? 2 : prog_share(p),
			.period = 2 + prog_below(p, 8),
		};
	}
}

static inline void prog_plan(struct prog *p, uint64_t seed)
{
	unsigned int i, k;

	*p = (struct prog){ .random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1 };
	for (i = 0; i < 8; i++)
		prog_random(p);
	p->nr = 3 + prog_below(p, PROG_PHASES - 2);
	for (i = 0; i < p->nr; i++) {
		struct prog_phase *phase = &p->phases[i];

		phase->nr = 1 + prog_below(p, PROG_FUNCTIONS);
		phase->dwell = 500 + prog_below(p, 3000);
		for (k = 0; k < phase->nr; k++)
			prog_plan_function(p, &phase->functions[k],
					   0x100000 * (i + 1) + 0x400 * k);
	}
}

static inline void prog_inst(struct prog *p, uint64_t *pc, uint32_t opcode,
			     unsigned int size)
{
	CHECK(!stf_write_inst(p->w, opcode, size));
	*pc += size;
	p->made++;
}

static inline bool prog_is_taken(struct prog *p, struct prog_block *b)
{
	if (b->taken > 1)
		return ++b->count % b->period;
	return prog_share(p) < 0.7 * b->taken + 0.3 * p->data;
}

static inline unsigned int prog_block_bytes(const struct prog_block *b)
{
	return 2 * b->nops + 4;
}

/* The return leads to the next function. */
static inline void prog_run_function(struct prog *p, struct prog_function *f,
				     uint64_t next)
{
	uint64_t pc = f->pc;
	unsigned int i, n;

	for (i = 0; i < f->nr; i++) {
		struct prog_block *b = &f->blocks[i];
		bool taken;

		for (n = 0; n < b->nops; n++)
			prog_inst(p, &pc, PROG_NOP, 2);
		taken = i + 1 < f->nr && prog_is_taken(p, b);
		if (taken)
			CHECK(!stf_write_pc_target(p->w, pc + 4 +
					prog_block_bytes(&f->blocks[i + 1])));
		prog_inst(p, &pc, PROG_BRANCH, 4);
		if (taken)
			pc += prog_block_bytes(&f->blocks[++i]);
	}
	CHECK(!stf_write_pc_target(p->w, next));
	prog_inst(p, &pc, PROG_RETURN, 2);
}

/* The first functions are called far more often. */
static inline struct prog_function *prog_next(struct prog *p)
{
	struct prog_phase *phase = &p->phases[p->phase];
	double share = prog_share(p);

	if (!prog_below(p, phase->dwell)) {
		p->phase = prog_below(p, p->nr);
		phase = &p->phases[p->phase];
	}
	p->data += (prog_share(p) - 0.5) * 0.02;
	p->data = p->data < 0 ? 0 : p->data > 1 ? 1 : p->data;
	return &phase->functions[(unsigned int)(share * share * phase->nr)];
}

/* Write a trace of about so many instructions. */
static inline void prog_write(struct prog *p, const char *path, uint64_t instructions)
{
	static const char *const comments[] = { "made for a test", NULL };
	struct stf_header header = {
		.size = sizeof(header), .comments = comments,
		.generator = STF_GEN_QEMU, .iem = STF_IEM_RV64,
	};
	struct prog_function *f, *next;

	p->data = 0.5;
	f = prog_next(p);
	header.pc = f->pc;
	p->w = stf_writer_open(path, NULL, NULL);
	CHECK(p->w && !stf_write_header(p->w, &header));
	for (; p->made < instructions; f = next) {
		next = prog_next(p);
		prog_run_function(p, f, next->pc);
	}
	CHECK(!stf_writer_close(p->w, NULL));
}

#endif
