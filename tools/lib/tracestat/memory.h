/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory accesses of instructions, by direction and size, and what they touch. */
#ifndef TRACESTAT_MEMORY_H
#define TRACESTAT_MEMORY_H

#include "riscv/rv_class.h"
#include "stf/stf.h"
#include "tracestat/footprint.h"

enum {
	/* Accesses of more bytes are counted together. */
	TSTAT_MAX_ACCESS = 128,
};

/* Accesses in one direction. */
struct tstat_accesses {
	uint64_t count;
	uint64_t bytes;
	uint64_t sizes[TSTAT_MAX_ACCESS + 1]; /* accesses by their bytes */
	uint64_t longer;
};

/* Set all members to 0 before the first access, except `data`. */
struct tstat_memory {
	struct tstat_accesses reads, writes;
	struct tstat_footprint data;
	/*
	 * Loads, stores and atomic instructions, and how many of them have no access in
	 * the trace. Vector instructions are not in these counts.
	 */
	uint64_t instructions, without_access;
};

#define TSTAT_MEMORY_INIT                                                       \
	{ .data = TSTAT_FOOTPRINT_INIT(TSTAT_MAX_LINES, TSTAT_MAX_PAGES) }

/* Count an instruction of any class. */
void tstat_memory_inst(struct tstat_memory *memory, const struct stf_inst *inst,
		       enum rv_class class);

/* Count an access of `bytes` bytes. Returns false if out of memory. */
bool tstat_memory_access(struct tstat_memory *memory, uint32_t pid,
			 const struct stf_mem_access *access, unsigned int bytes);

void tstat_memory_free(struct tstat_memory *memory);

#endif
