/* SPDX-License-Identifier: BSD-2-Clause */
/* The structure of the iterator, for what is built on it. */
#ifndef STF_STF_INST_H
#define STF_STF_INST_H

#include "stf/stf_group.h"
#include "stf/stf_threads.h"

struct stf_inst_iter {
	struct stf_reader *reader;
	size_t inst_size; /* what the program has of struct stf_inst */
	size_t stride; /* its size in the program, which may know more than this library */
	uint64_t skipped; /* by seeking; wraps below 0 where read again */
	struct stf_process process;
	bool has_process; /* the trace has told it */
	bool jumped; /* to a chunk that may have begun in any thread */
	uint64_t pc; /* of the next opcode */
	bool has_pc;
	uint8_t mode; /* enum stf_mode */

	const uint8_t *group; /* the records of the instruction returned last */
	/* The number as long as stf_inst_iter_read() has not returned all of the group. */
	uint64_t owed;
	/* The same by kind. In the first one, only accesses and registers are ever set. */
	struct stf_group quick_group;
	struct stf_group any_group;
	struct stf_group_room room; /* of both */

	/* The open group. */
	uint16_t flags;
	uint64_t target; /* where it leads, if the flags have a target */
	uint64_t expected; /* the PC without the FORCE_PC */
	uint8_t first_mode; /* of its MODE_CHANGEs */
	uint8_t last_mode;
	uint8_t mode_changes;
	struct stf_process before; /* of the instruction before, if the flags have PROCESS */
	bool had_process;

	struct stf_threads threads; /* but for the one that runs */
};

/* Returns the number of the next instruction. */
static inline uint64_t stf_inst_iter_number(const struct stf_inst_iter *iter)
{
	return iter->reader->instructions + iter->skipped;
}

#endif
