/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For those who write a trace: which mappings it has told, and which it must tell before
 * an instruction.
 */
#ifndef ORIGIN_TELL_H
#define ORIGIN_TELL_H

#include "origin/origin.h"

/* Set all members to 0 first. Add mappings with origin_tell_add(). */
struct origin_tell {
	struct origin_maps maps;
	/* The mapping of the last instruction. end is 0: none */
	uint32_t pid;
	uint64_t start, end;
	uint64_t due; /* the instruction that must not be written without it */
	char line[ORIGIN_LINE_MAX];
};

/* Add a mapping, like origin_maps_add(). */
bool origin_tell_add(struct origin_tell *tell, const struct origin_mapping *mapping);

/* The slow path of origin_tell_due(). */
const char *origin_tell_find(struct origin_tell *tell, uint32_t pid, uint64_t pc,
			     uint64_t index, uint64_t last);

/* Is the mapping of this instruction, number `last` of the new trace, known already? */
static inline bool origin_tell_is_known(const struct origin_tell *tell, uint32_t pid,
					uint64_t pc, uint64_t last)
{
	return pc - tell->start < tell->end - tell->start && pid == tell->pid &&
	       last < tell->due;
}

/*
 * Call this before the instructions number `index` to `last` of the new trace, which begin
 * at pc and lie in one mapping. Returns the comment that must come before them, or NULL if
 * there is none. It is valid until the next call.
 */
static inline const char *origin_tell_due(struct origin_tell *tell, uint32_t pid,
					  uint64_t pc, uint64_t index, uint64_t last)
{
	if (origin_tell_is_known(tell, pid, pc, last))
		return NULL;
	return origin_tell_find(tell, pid, pc, index, last);
}

/* The new trace has told this mapping in the group of instruction `index`. */
void origin_tell_told(struct origin_tell *tell, const struct origin_mapping *mapping,
		      uint64_t index);

/*
 * Others have written to the new trace, and may have told other mappings of these addresses:
 * tell the kernel's again, and with `all` those of the processes, too.
 */
void origin_tell_again(struct origin_tell *tell, bool all);

void origin_tell_free(struct origin_tell *tell);

#endif
