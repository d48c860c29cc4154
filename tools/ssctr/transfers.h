/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The transfers of a recording, counted for those who look at them: beside what
 * a profile needs (prof_counts) these have their types and cycles, and code that
 * is in no file. Memory grows with the distinct transfers, not with the samples.
 */
#ifndef SSCTR_TRANSFERS_H
#define SSCTR_TRANSFERS_H

#include "path/code.h"
#include "perfdata/perfdata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* There is no place: the youngest transfer of a stack is followed by none. */
#define TR_NONE UINT32_MAX

/*
 * A transfer and the source of the one after it, up to which the code ran in
 * straight line. Places are numbers, indices of struct transfers.places.
 */
struct tr_step {
	uint32_t from, to, end;
	uint32_t type; /* PERF_BR_*, as pd_branch_type() has it */
	uint64_t count;
	uint64_t mispredicted;
	uint64_t cycles; /* since the transfer before, summed up */
	uint64_t timed; /* how many of them have cycles */
};

/* Open addressing, at most half full; the numbers of what has that hash. */
struct tr_index {
	struct tr_slot {
		uint32_t hash;
		uint32_t number; /* from 1; 0: an empty slot */
	} *slots;
	size_t mask;
};

struct transfers {
	struct path_place *places;
	size_t nr_places, cap_places;
	struct tr_step *steps;
	size_t nr_steps, cap_steps;
	struct tr_index place_index, step_index;
	uint64_t samples; /* that have transfers */
	uint64_t entries; /* transfers, in all samples */
	uint64_t mispredicted;
	bool has_predictions; /* the recording tells predicted from mispredicted */
	bool has_cycles;
};

/* Count a sample's branch stack. False: out of memory. */
bool transfers_count(struct transfers *t, struct path_code *code,
		     const struct pd_event *ev);

/*
 * Number the places by file and offset, so that within a file the smaller number
 * is the lower address. Nothing can be counted after it. False: out of memory.
 */
bool transfers_sort(struct transfers *t);

void transfers_free(struct transfers *t);

#endif
