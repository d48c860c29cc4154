/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several STF traces as one: one after another, or in turns of some instructions each.
 *
 * Where another trace begins or goes on, the records that tell the PC, the process and the
 * mode there come first. They are left out if the trace goes on where the one before it
 * ends. So the parts of a trace become the trace again.
 */
#ifndef TRACEJOIN_TRACEJOIN_H
#define TRACEJOIN_TRACEJOIN_H

#include "base/error.h"
#include "stf/stf.h"

enum tjoin_number {
	TJOIN_AS_THEY_ARE,
	TJOIN_HARTS, /* trace i, from 0 on, ran on hart i */
	TJOIN_PROCESSES, /* trace i, from 0 on, was process i + 1 */
};

struct tjoin_opts {
	const char *const *paths; /* "-" is standard input, which can be there once */
	size_t nr; /* of them; 1 or more */
	struct stf_reader_opts reader; /* for each of them */
	/*
	 * So many instructions of each trace in turn, and at most as many more until one is
	 * no taken branch; 0: one trace after another.
	 */
	uint64_t slice;
	enum tjoin_number number;
	const char *const *comments; /* more for the header; NULL after the last one */
	const char *isa; /* the ISA_EXTENDED; NULL: that of the traces */
};

/* What may help after an error. */
enum tjoin_remedy {
	TJOIN_NO_REMEDY,
	TJOIN_NAME_ISA, /* the traces differ in ISA_EXTENDED */
	TJOIN_GIVE_NUMBERS, /* traces in turns cannot be told apart */
};

/* What became of it. Set all members to 0 first. Paths are those of the options. */
struct tjoin_result {
	uint64_t instructions; /* written ones */
	enum tjoin_remedy remedy;
	const char *failed; /* the trace that cannot be read; NULL: none */
	/*
	 * The first trace that does not tell its mode where the new trace tells that of
	 * another one. Readers take it for this mode. NULL: none.
	 */
	const char *no_mode;
	/*
	 * The first trace in which several harts or processes got one number. NULL: none.
	 */
	const char *several;
	/* The first trace whose end is missing, because its writer was killed. NULL: none. */
	const char *unfinished;
};

/*
 * Join the traces. The writer is at the start of the new one, and belongs to the caller.
 * Traces one after another are open one at a time, if they are files. Returns 0. Otherwise
 * returns
 *	ERROR_NOMEM
 *	ERROR_INPUT	a trace cannot be read, or consists of transactions
 *	ERROR_USAGE	the traces cannot be joined
 *	ERROR_OUTPUT	the new trace cannot be written
 *	ERROR_NOTHING	no trace has an instruction; nothing was written
 */
int tjoin_run(const struct tjoin_opts *opts, struct stf_writer *writer,
	      struct tjoin_result *result, struct error *error);

#endif
