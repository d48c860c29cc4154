/* SPDX-License-Identifier: GPL-2.0-only */
/* The header of a trace as it is kept, to be written again with changes. */
#ifndef TRACECUT_HEADER_H
#define TRACECUT_HEADER_H

#include "base/error.h"
#include "stf/stf.h"

/* Set all members to 0 first. */
struct tcut_header {
	struct stf_record *v; /* their texts belong to the header */
	size_t nr, cap;
};

/* What the written header has in place of what the read one has. */
struct tcut_edit {
	/* Who makes the new trace: its TRACE_INFO, which is added unless there is the same. */
	const char *tool;
	uint8_t generator; /* enum stf_generator: the reference tool that does such work */
	const char *const *comments; /* more of them; NULL after the last one */
	const char *isa; /* the ISA_EXTENDED; NULL: the one that is there */
	uint64_t add; /* STF_FEATURE_* */
	uint64_t remove;
	uint64_t pc; /* of the first instruction */
	/* The first instruction is not the one that the header was made for. */
	bool moved;
	struct stf_process process; /* its process then; all 0: not known */
};

/*
 * Read the header up to END_HEADER. name is what an error calls the trace if it has no
 * END_HEADER. Returns 0, ERROR_NOMEM, or ERROR_INPUT if the trace cannot be read or has
 * none.
 */
int tcut_header_read(struct tcut_header *header, struct stf_reader *reader,
		     const char *name, struct error *error);

/*
 * Add a copy of a record and of its text. Returns false if there is not enough memory.
 */
bool tcut_header_add(struct tcut_header *header, const struct stf_record *rec);

/* Returns whether the header has this TRACE_INFO. One is enough of each producer. */
bool tcut_header_has_info(const struct tcut_header *header,
			  const struct stf_trace_info *info);

/* Write it. Returns like stf_write(). */
int tcut_header_write(const struct tcut_header *header,
		      const struct tcut_edit *edit, struct stf_writer *writer);

void tcut_header_free(struct tcut_header *header);

#endif
