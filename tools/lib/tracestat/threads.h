/* SPDX-License-Identifier: GPL-2.0-only */
/* What each thread of each process ran. */
#ifndef TRACESTAT_THREADS_H
#define TRACESTAT_THREADS_H

#include "base/hash.h"
#include "riscv/rv_class.h"
#include "stf/stf.h"

enum {
	/* Threads with counts of their own: 1.3 MiB. */
	TSTAT_MAX_THREADS = 1 << 14,
};

struct tstat_thread {
	uint64_t instructions;
	uint64_t user; /* instructions in user mode */
	uint64_t branches; /* conditional */
	uint64_t taken; /* of them, those with a target in the trace */
	uint64_t memory; /* instructions with an access in the trace */
	uint64_t gaps; /* before its instructions */
	uint64_t entries; /* how often the trace comes to it from another thread */
	uint32_t pid, tid;
};

/* Set all members to 0 before the first instruction. */
struct tstat_threads {
	struct tstat_thread *v; /* without an order, until tstat_threads_sort() */
	size_t nr, cap;
	struct hash by_id;
	size_t last; /* the index of the thread that ran last, plus 1; 0: none; or FURTHER */
	/*
	 * Threads that found no place among TSTAT_MAX_THREADS, together. The numbers are
	 * those of the one of them that ran last.
	 */
	struct tstat_thread further;
	bool told; /* the trace tells who ran */
};

/*
 * Count an instruction. Of one that did not execute, the gap and the entry count. Returns
 * false if out of memory.
 */
bool tstat_threads_count(struct tstat_threads *threads,
			 const struct stf_inst *inst, enum rv_class class,
			 bool executed);

/*
 * Sort the threads: first the one with the most instructions, and then by their numbers.
 * After this, count no more.
 */
void tstat_threads_sort(struct tstat_threads *threads);

void tstat_threads_free(struct tstat_threads *threads);

#endif
