/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of a group by kind, in arrays that are used again for each group. */
#ifndef STF_STF_GROUP_H
#define STF_STF_GROUP_H

#include "stf/stf_reader.h"

/* Each array of struct stf_group: the member, its count, and the type of an element. */
#define STF_GROUP_ARRAYS(_x)                                                   \
	_x(mems, n_mems, struct stf_mem)                                       \
	_x(regs, n_regs, struct stf_reg)                                       \
	_x(traps, n_traps, struct stf_trap)                                    \
	_x(buses, n_buses, struct stf_bus)                                     \
	_x(walks, n_walks, struct stf_page_walk)                               \
	_x(microops, n_microops, struct stf_microop)                           \
	_x(ready_regs, n_ready_regs, uint16_t)                                 \
	_x(comments, n_comments, struct stf_text)

/* The arrays of a group, and how many elements each of them has room for. */
struct stf_group_room {
#define STF_GROUP_ROOM(_array, _n, _type) _type *_array; size_t _n;
	STF_GROUP_ARRAYS(STF_GROUP_ROOM)
#undef STF_GROUP_ROOM
	uint64_t *words; /* contents, fields of events, vectors and PTEs */
	size_t n_words;
};

/*
 * Make room for n elements of an array, without keeping what there is. array points to the
 * pointer to it. Returns false if out of memory.
 */
bool stf_make_room(void *array, size_t *room, size_t n, size_t size);

/* So many accesses, registers and contents are taken the short way (stf_inst.c). */
enum { STF_GROUP_QUICK = 16 };

/* Make room for what the short way takes. Returns false if out of memory. */
bool stf_group_start(struct stf_group_room *room);

/*
 * Fill in the group from its records, which are the bytes from p to end. The codec has
 * decoded them before. Texts point into these bytes, arrays into room, which grows.
 * Returns 0, or STF_E_NOMEM without a text.
 */
int stf_group_fill(struct stf_group *group, struct stf_group_room *room,
		   struct stf_reader *reader, const uint8_t *p,
		   const uint8_t *end);

void stf_group_free(struct stf_group_room *room);

#endif
