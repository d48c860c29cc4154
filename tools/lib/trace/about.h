/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a trace says about the recording: lines of its header, and the mappings of the code
 * that ran. See origin/origin.h.
 */
#ifndef TRACE_ABOUT_H
#define TRACE_ABOUT_H

#include "origin/tell.h"
#include "path/path.h"
#include "perfdata/space.h"
#include "samples/samples.h"

/* Comments of a header. Set all members to 0 first. */
struct about {
	/* With a NULL after the last one, as struct stf_header needs it. */
	const char **v;
	size_t nr, cap;
};

/* Add a comment. The text is in the format of printf(). Returns false if out of memory. */
bool about_add(struct about *about, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Add the lines of the recording. Returns false if out of memory. */
bool about_recording(struct about *about, const struct samples *samples);

void about_free(struct about *about);

/* The mapping that was looked at last. Set all members to 0 first. */
struct about_map {
	uint64_t changes; /* pd_space_changes() at that time */
	uint32_t pid;
	uint64_t start, end; /* end is 0: none */
};

/*
 * Tell where the code of these runs is mapped in process pid now. The build id of a file is
 * told if the file that the code is from has it. Returns false if out of memory.
 */
bool about_runs(struct about_map *last, struct origin_tell *tell,
		const struct samples *samples, uint32_t pid,
		const struct path_run *runs, unsigned int nr);

#endif
