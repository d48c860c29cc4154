/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the groups of instructions that are taken, and what must come before them. */
#ifndef TRACECUT_GROUP_H
#define TRACECUT_GROUP_H

#include "origin/tell.h"
#include "tracecut/regs.h"
#include "tracecut/tracecut.h"

/* What the reader of the new trace knows. Set all members that are not named to 0. */
struct tcut_out {
	struct stf_writer *writer;
	unsigned int drop; /* enum tcut_drop */
	bool user; /* there is only user mode: one MODE_CHANGE at the start tells it */
	unsigned int rv_flags; /* enum rv_flags of the old trace, needed with user */
	uint64_t written; /* instructions */
	uint64_t window_start; /* the number of the window's first in the old trace */
	uint64_t next; /* the number of the one behind the last written one, there */
	uint8_t mode; /* enum stf_mode; STF_MODE_UNKNOWN at first */
	struct stf_process process;
	/*
	 * The mappings of the old trace, under the new process, and which of them the new one
	 * has told.
	 */
	struct origin_tell *tell;
	bool partial; /* the new trace is not a copy of the whole old one */
	/* These are written in place of those of the old trace. */
	bool set_hart, set_pid;
	uint32_t hart, pid;
};

/* Returns whether a record tells a mapping, and stores it. */
bool tcut_is_mapping(const struct stf_record *rec, struct origin_mapping *mapping);

/* Returns whether a record tells the coverage of its trace, which is not that of a part. */
bool tcut_is_of_the_whole(const struct stf_record *rec);

/*
 * Take the mappings that the group of an instruction tells, also if the instruction is
 * left out. Returns false if out of memory.
 */
bool tcut_group_maps(struct tcut_out *out, const struct stf_inst *inst,
		     struct stf_inst_iter *iter);

/*
 * Write the group of this instruction. begins: instructions before it are missing in the
 * new trace, because it is the first of a window. regs are the registers before it, or
 * NULL. Returns like stf_write().
 *
 * The first instruction of a further trace has the index 0 when something is written
 * already. It begins unless tcut_group_goes_on(). If it does not, what its group repeats
 * of the state before it is left out.
 */
int tcut_group_write(struct tcut_out *out, const struct stf_inst *inst,
		     struct stf_inst_iter *iter, bool begins,
		     const struct tcut_regs *regs);

/*
 * Write the groups of the next instructions, at most n, as long as they are plain and tell
 * nothing that must be known. inst is the one before them, which was written. Returns how
 * many were written. 0 says nothing about the next one.
 */
uint64_t tcut_group_copy(struct tcut_out *out, const struct stf_inst *inst,
			 struct stf_inst_iter *iter, uint64_t n);

/*
 * Returns whether an instruction goes on where the new trace ends: with the next PC, in the
 * same process and in the same mode, if the old trace tells its mode.
 */
bool tcut_group_goes_on(const struct tcut_out *out, const struct stf_inst *inst);

/* Write the records after the last instruction. Returns like stf_write(). */
int tcut_group_rest(struct tcut_out *out, struct stf_inst_iter *iter);

/* The features that a trace does not have any more when these records are left out. */
uint64_t tcut_drop_features(unsigned int drop);

#endif
