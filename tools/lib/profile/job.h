/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From recordings to the profile of a binary, in the formats that are asked for: what
 * happens to samples between being read and being written.
 */
#ifndef PROFILE_JOB_H
#define PROFILE_JOB_H

#include "samples/samples.h"

enum prof_format {
	PROF_FORMAT_LLVM,
	PROF_FORMAT_LLVM_EXT,
	PROF_FORMAT_GCOV,
	PROF_FORMAT_PROFGEN,
	PROF_FORMAT_BOLT,
	PROF_NR_FORMATS,
};

/* "llvm", "llvm-ext", ... */
const char *prof_format_name(enum prof_format format);

struct prof_opts {
	/*
	 * As the machine that recorded names them, or as this one; of several, and of
	 * all, each has a profile, and output is a folder.
	 */
	const char **binaries;
	size_t nr_binaries, cap_binaries;
	bool all;
	const char *output; /* of several formats OUTPUT.FORMAT */
	enum prof_format formats[PROF_NR_FORMATS]; /* each once */
	unsigned int nr_formats;
	uint64_t gcov_version; /* PROF_GCOV_2 or PROF_GCOV_3 */
	bool raw; /* each transfer counts for 1 */
	const struct samples_opts *samples; /* of the recordings, too */
	const char **merge; /* recordings that the caller adds */
	size_t nr_merge, cap_merge;
};

/* A profile of each binary, in a folder? */
static inline bool prof_is_folder(const struct prof_opts *opts)
{
	return opts->all || opts->nr_binaries > 1;
}

struct prof_job;

/*
 * Open the binaries. opts is copied, but what it points to has to outlive the job. What
 * goes wrong, here and later, is told by *error, which has to outlive it, too. NULL if
 * one cannot be opened.
 */
struct prof_job *prof_job_open(const struct prof_opts *opts,
			       struct error *error);

/* The samples of a recording follow, up to prof_job_end(); its path is kept. */
void prof_job_begin(struct prof_job *job, const struct samples *samples);
void prof_job_end(struct prof_job *job);

/* Count a sample. Returns 0 or ERROR_* with a text. */
int prof_job_sample(struct prof_job *job, const struct pd_event *ev);

/* Count all samples of one more recording. Returns as prof_job_sample(). */
int prof_job_add(struct prof_job *job, struct samples *samples);

/*
 * Write the profiles. Returns 0 or ERROR_* with a text; ERROR_PARTIAL where too little of
 * what ran in the binary could be used. Of several binaries those that can have one have it,
 * even if another fails.
 */
int prof_job_close(struct prof_job *job);

/*
 * After prof_job_close(): the binary, if no build id told that it is what was recorded,
 * and it was taken for its name; else NULL.
 */
const char *prof_job_taken_by_name(const struct prof_job *job);

/* After prof_job_close(): what became of the samples. */
void prof_job_note(const struct prof_job *job, struct notes *notes);

void prof_job_free(struct prof_job *job);

#endif
