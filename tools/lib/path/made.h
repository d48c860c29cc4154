/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the processes of a recording say about the code that they make: their perf maps. A
 * process that was forked also runs code that its parent has made, and only the parent
 * has listed it.
 */
#ifndef PATH_MADE_H
#define PATH_MADE_H

#include "image/jit.h"
#include "perfdata/space.h"

struct path_made;

/*
 * Make the object. space and img must exist as long as it. Returns NULL if out of memory.
 * path_made_free() accepts NULL.
 */
struct path_made *path_made_new(struct pd_space *space, struct img *img);
void path_made_free(struct path_made *made);

/*
 * Returns the perf map that has a name for an address of a process. It is the map of the
 * process, or of the one from which it has its memory. Returns NULL if there is none.
 */
struct img_file *path_made_map(struct path_made *made, uint32_t pid, uint64_t addr);

#endif
