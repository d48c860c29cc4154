/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions: how many instructions each ran, and how often it was entered. A function is
 * the same one in all processes that have mapped its file.
 */
#ifndef TRACESTAT_FUNCTIONS_H
#define TRACESTAT_FUNCTIONS_H

#include "base/hash.h"
#include "origin/names.h"
#include "stf/stf.h"

enum {
	/* Functions with counts of their own: 2 MiB. */
	TSTAT_MAX_FUNCTIONS = 1 << 15,
	/* Addresses whose function is remembered: 0.8 MiB. */
	TSTAT_KNOWN_PCS = 1 << 15,
};

struct tstat_function {
	uint64_t instructions;
	/*
	 * How often its first instruction ran, without the times when a branch or jump in
	 * the function itself led there. A call always enters.
	 */
	uint64_t entries;
	const char *name; /* NULL: not known; all such code of a file is one function */
	const char *file; /* NULL: not known */
	uint64_t offset; /* of its start in the file */
};

/* The function of an address. */
struct tstat_known_pc {
	uint64_t pc;
	uint32_t pid;
	/* Twice the index of the function, plus 2, plus 1 if it starts there; 0: unused. */
	uint32_t number;
};

/* Set all members to 0 before the first instruction. */
struct tstat_functions {
	struct tstat_function *v; /* without an order, until tstat_functions_sort() */
	size_t nr;
	struct hash by_place;
	/* Functions that found no place among TSTAT_MAX_FUNCTIONS, together. */
	struct tstat_function further;
	/* Where the last instruction was. end is 0: nowhere */
	struct names_at at;
	uint32_t pid;
	struct tstat_function *last;
	struct stf_process process; /* that ran last */
	bool called; /* the last instruction was a call */
	struct tstat_known_pc *known; /* NULL before the first instruction */
};

/*
 * Count an instruction, whose enum rv_xfer is xfer. It is named by the same names each
 * time. One that did not execute does not count and enters no function. Returns false if
 * out of memory.
 */
bool tstat_functions_count(struct tstat_functions *functions, struct names *names,
			   const struct stf_inst *inst, unsigned int xfer,
			   bool executed);

/* The names have learnt something: an address may be in another function now. */
void tstat_functions_forget(struct tstat_functions *functions);

/*
 * Sort the functions: first the one with the most instructions, and then by file and
 * name. Those without any are left out. After this, count no more.
 */
void tstat_functions_sort(struct tstat_functions *functions);

void tstat_functions_free(struct tstat_functions *functions);

#endif
