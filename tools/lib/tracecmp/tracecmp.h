/* SPDX-License-Identifier: GPL-2.0-only */
/* The differences between two STF traces. */
#ifndef TRACECMP_TRACECMP_H
#define TRACECMP_TRACECMP_H

#include "tracecmp/kind.h"
#include "tracecmp/resync.h"
#include "tracecut/header.h"

enum tcmp_place {
	TCMP_IN_HEADER, /* the records of one kind in the header */
	TCMP_IN_INST, /* an instruction, or the end of both traces */
	TCMP_BETWEEN, /* instructions that are only in one trace */
	/* the traces do not agree again within the bound; the rest is not compared */
	TCMP_LOST,
};

/* One difference. The member [0] of a pair is of trace a. */
struct tcmp_difference {
	enum tcmp_place place;
	unsigned int kinds; /* enum tcmp_kind; of TCMP_IN_HEADER and TCMP_IN_INST */
	/* TCMP_IN_HEADER: the headers, and the kind of the records that differ */
	const struct tcut_header *headers[2];
	uint8_t desc;
	/* All others: the traces, which stand at the difference. */
	const struct tcmp_queue *queues[2];
	uint64_t only[2]; /* TCMP_BETWEEN: instructions that only this trace has */
};

struct tcmp_opts {
	unsigned int ignore; /* enum tcmp_kind */
	/* For both traces: the number of the first instruction, and the filters. */
	uint64_t start;
	const struct stf_select *filter; /* NULL: all */
	/*
	 * Search so many instructions in each trace for the place where they agree again.
	 * The memory grows with it.
	 */
	uint64_t bound;
	/* Called at each difference. Returns whether to go on. */
	bool (*found)(void *user, const struct tcmp_difference *difference);
	void *user;
};

struct tcmp_result {
	uint64_t differences; /* all of them */
	/*
	 * Of each kind. A mode or a process that differs counts once, until it is the same
	 * again.
	 */
	uint64_t kinds[TCMP_N_KINDS];
	uint64_t both; /* instructions that were compared with each other */
	uint64_t only[2]; /* instructions that only this trace has */
	bool complete; /* both traces were compared to their ends */
};

/*
 * Compare the traces of two readers that are at the start. They belong to the caller.
 * *result is set, also after an error. Returns 0, whether the traces differ or not.
 * Otherwise returns
 *	ERROR_NOMEM
 *	ERROR_NOTHING	a trace ends before the start
 *	ERROR_INPUT	a trace cannot be read, or consists of transactions
 */
int tcmp_run(const struct tcmp_opts *opts, struct stf_reader *readers[2],
	     struct tcmp_result *result, struct error *error);

#endif
