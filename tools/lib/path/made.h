/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the processes of a recording say about the code that they make: their perf maps. A
 * process that was forked also runs code that its parent has made, and only the parent
 * has listed it. Jitdumps themselves are asked by img_jit_code(). What has no name is
 * counted, so that a message can tell why.
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

/*
 * Read the perf maps again that have changed, and look for those that were missing. Names that
 * were told before are not valid any more. `changed`: jitdumps have other names, too.
 */
void path_made_refresh(struct path_made *made, bool changed);

/*
 * Programs also list code of files. Give the names that the jitdump `dump` and the perf maps
 * of a process have there to the file that it has mapped at `map`. dump may be NULL.
 */
void path_made_lend(struct path_made *made, uint32_t pid, const struct pd_map *map,
		    struct img_file *dump, struct img_file *file);

/* The reasons why code that is in no file that is known has no name, or perhaps a wrong one. */
enum path_made_why {
	PATH_MADE_CHANGED, /* IMG_CHANGED */
	PATH_MADE_NO_LIST, /* there is neither a jitdump nor a perf map */
	PATH_MADE_MEMFD, /* the same, and it may be a program: it is in a file in memory */
	PATH_MADE_NOT_LISTED, /* those that there are do not have it */
	PATH_MADE_SEVERAL, /* a perf map has several names for the address */
	PATH_MADE_IN_KERNEL, /* a module's, or made by the kernel, and the recording tells neither */
	PATH_MADE_NR,
};

/*
 * Count a sample, whatever ran; one where a perf map has a name, which returns false if none
 * has; and one of a process whose code has no name.
 */
void path_made_count(struct path_made *made);
bool path_made_count_named(struct path_made *made, uint32_t pid, uint64_t addr);
void path_made_count_nameless(struct path_made *made, uint32_t pid, enum path_made_why why);

/* Returns whether the process, or one from which it has its memory, has a perf map. */
bool path_made_has_map(struct path_made *made, uint32_t pid);

/*
 * Write a line about the samples of this reason: their share, and what to do. *kind is what
 * is wrong: "not named" or "names may be wrong". Returns false if there are too few of them to
 * show in the share.
 */
bool path_made_text(const struct path_made *made, enum path_made_why why, const char **kind,
		    char *text, size_t size);

#endif
