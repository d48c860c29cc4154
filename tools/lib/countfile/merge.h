/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merge counts files. The result does not depend on the order of the files, nor on how many
 * merges it took, unless counts are scaled or left out.
 */
#ifndef COUNTFILE_MERGE_H
#define COUNTFILE_MERGE_H

#include "countfile/countfile.h"

struct cf_input {
	/* A regular file. It is read twice, so it must not change. */
	const char *path;
	const char *name; /* for messages */
	double factor; /* of its counts; 1: as they are */
	bool is_output; /* the merged file replaces it, so it is an error if it cannot be used */
};

/* The text of a name, or bytes of a build id. */
struct cf_selection {
	/* Whole paths, or their last parts, that a binary has in any of the inputs. */
	const char *const *names;
	size_t nr_names;
	const char *const *build_ids; /* hexadecimal digits, also only the first ones */
	size_t nr_build_ids;
	bool no_kernel;
};

/* What the parts of a period are together. */
struct cf_whole {
	struct cf_source source;
	uint64_t begin, end; /* s since 1970; 0: not known */
	/* the names of all binaries of the parts, sorted by identity */
	const struct cf_binary *binaries;
	size_t nr_binaries;
};

struct cf_merge_opts {
	const struct cf_input *inputs;
	size_t nr;
	size_t memory; /* bytes; at least CF_MERGE_MEMORY_MIN */
	unsigned int threads; /* at least 1 */
	/*
	 * All inputs are parts of this period, whatever sources and times they tell. NULL:
	 * they are what they tell.
	 */
	const struct cf_whole *whole;
	bool strict; /* an input that cannot be used is an error */
	/* The counts are halved for each of these s of age. 0: they do not age. */
	double half_life;
	/* The age is the time from an input's end to this time, in s since 1970. */
	uint64_t at; /* 0: the end of the newest input */
	/* Only steps that lead from or to such a binary, and samples in one. */
	struct cf_selection selection;
	uint64_t drop_below; /* steps with fewer transfers are left out */
	/* Called with a text for each input that cannot be used, or whose factor leaves nothing. */
	void (*say)(void *arg, const char *text);
	void *arg;
};

#define CF_MERGE_MEMORY (UINT64_C(256) << 20)
#define CF_MERGE_MEMORY_MIN (UINT64_C(16) << 20)

struct cf_merge_result {
	size_t merged, refused; /* inputs */
	size_t aged; /* of those that were merged: their age has left no transfer of them */
	uint64_t steps, samples; /* of the merged file */
	uint64_t left_out, left_out_weight; /* transfers that the rules left out */
	/*
	 * The events between two samples, of the input with the fewest and of that with the most,
	 * where each sample counts the same and one event was sampled. 0: there is none.
	 */
	double least_distance, most_distance;
};

/*
 * Merge the inputs into a counts file, which is complete or does not exist. "-" is standard
 * output. Returns 0, ERROR_PARTIAL with a text if some inputs could not be used, or ERROR_*
 * with a text and without a file.
 */
int cf_merge(const char *output, const struct cf_merge_opts *opts,
	     struct cf_merge_result *result, struct error *error);

#endif
