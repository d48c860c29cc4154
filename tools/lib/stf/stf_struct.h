/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structures that begin with their size, as a program has them that was built against
 * an older or a newer header: see stf.h for what is promised to it.
 */
#ifndef STF_STF_STRUCT_H
#define STF_STF_STRUCT_H

#include "stf/stf_error.h"

/* The size up to the end of a member: of a version in which it was the last. */
#define STF_SIZE_TO(_type, _member)                                            \
	(offsetof(_type, _member) + sizeof(((_type *)0)->_member))

/*
 * Copy what a program passed to `function`, NULL for nothing, to *own, which is all 0
 * and of own_size bytes. first: the structure's size in the first version. Returns 0,
 * or STF_E_INVAL with the text set.
 */
int stf_struct_take(void *own, size_t own_size, size_t first,
		    const void *passed, const char *function,
		    struct stf_error *err);

/* Copy to the program's structure what it has room for. Its size stays. */
void stf_struct_give(void *to, const void *own, size_t own_size);

#endif
