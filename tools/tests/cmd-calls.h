/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings with call stacks. */
#ifndef TESTS_CMD_CALLS_H
#define TESTS_CMD_CALLS_H

#include "cmd-hot.h"

enum { CHAIN = PDB_BRANCH_SAMPLE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PERIOD };

/* The program of cmd-hot.h, in a recording with call stacks. */
static inline void begin_calls(uint64_t sample_type, uint64_t branch_type)
{
	begin_program();
	pdb_free(&rec);
	rec = (struct pdb){ 0 };
	pdb_event(&rec, sample_type, branch_type);
	pdb_mmap2(&rec, 5, MAP_AT, 0x1000, ELFB_CODE, "/x", 1);
}

static inline void add_calls_of(uint32_t tid, uint64_t ip, const uint64_t *chain,
				unsigned int nr_chain, const uint64_t (*branches)[3],
				unsigned int nr)
{
	pdb_sample(&rec, 0, &(struct pdb_sample){
		.ip = ip, .time = 2, .pid = 5, .tid = tid, .cpu = 3, .period = 100,
		.chain = chain, .nr_chain = nr_chain, .nr_branches = nr, .branches = branches });
}

static inline void add_calls(uint64_t ip, const uint64_t *chain, unsigned int nr_chain,
		      const uint64_t (*branches)[3], unsigned int nr)
{
	add_calls_of(5, ip, chain, nr_chain, branches, nr);
}

#define NR(_v) (sizeof(_v) / sizeof(*(_v)))

/* caller has called main, and that leaf. */
static const uint64_t recorded[][3] = {
	{ MAP_AT + 0x06, MAP_AT + 0x10, 0 },
	{ MAP_AT + 0x12, MAP_AT + 0x00, 0 },
};

#endif
