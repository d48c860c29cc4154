/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that a profile is made of: recordings and counts files, of which nothing is
 * counted twice, and the files with the code. None of them is replaced by the profile.
 */
#ifndef PROFILE_INPUTS_H
#define PROFILE_INPUTS_H

#include "base/error.h"
#include "countfile/countfile.h"

#include <stddef.h>

/* A source of counts, and the input that has it. */
struct prof_source {
	struct cf_source source;
	const char *path; /* the caller's */
};

struct prof_inputs {
	char **files; /* which must not be replaced */
	size_t nr_files, cap_files;
	struct prof_source *sources;
	size_t nr_sources, cap_sources;
};

/*
 * Add a file that must not be replaced, if there is one. "-" is what standard input comes
 * from. Returns false if out of memory.
 */
bool prof_inputs_add(struct prof_inputs *inputs, const char *path);

/* Add what an input counts. path must exist as long as *inputs. Returns 0 or ERROR_NOMEM. */
int prof_inputs_count(struct prof_inputs *inputs, const char *path,
		      const struct cf_source *sources, size_t nr, struct error *error);

/* Returns whether an input can be read more than once: a file or a folder, and no pipe. */
bool prof_inputs_is_file(const char *path);

/*
 * The same of a recording or counts file, which is looked at for it. What is not there, or
 * is no file, adds nothing. Returns 0, or ERROR_* with a text.
 */
int prof_inputs_count_file(struct prof_inputs *inputs, const char *path, struct error *error);

/* Returns 0, or ERROR_INPUT with a text if two inputs count the same. */
int prof_inputs_check(struct prof_inputs *inputs, struct error *error);

/*
 * Returns 0, or ERROR_OUTPUT with a text if the path is that of an input, of any recording or
 * of any counts file.
 */
int prof_inputs_keep(const struct prof_inputs *inputs, const char *path, struct error *error);

void prof_inputs_free(struct prof_inputs *inputs);

#endif
