/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structures that begin with their size. The program may have been built with an older or
 * a newer header. stf.h tells the promises to such a program.
 */
#ifndef STF_STF_STRUCT_H
#define STF_STF_STRUCT_H

#include "stf/stf_error.h"

/*
 * The size of a structure up to the end of a member. This is the size in the version in
 * which the member was the last one.
 */
#define STF_SIZE_TO(_type, _member)                                            \
	(offsetof(_type, _member) + sizeof(((_type *)0)->_member))

/*
 * Copy the structure that a program passed to `function` to *own. passed may be NULL.
 * *own must be all 0, and has own_size bytes. first is the size of the structure in the
 * first version. Returns 0, or STF_E_INVAL with the text set.
 */
int stf_struct_take(void *own, size_t own_size, size_t first,
		    const void *passed, const char *function,
		    struct stf_error *err);

/*
 * Copy to the structure of the program as much as it has room for. Its size does not
 * change.
 */
void stf_struct_give(void *to, const void *own, size_t own_size);

#endif
