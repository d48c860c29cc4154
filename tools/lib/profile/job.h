/* SPDX-License-Identifier: GPL-2.0-only */
/* Make the profiles of binaries from recordings, in the formats that the user asked for. */
#ifndef PROFILE_JOB_H
#define PROFILE_JOB_H

#include "countfile/countfile.h"
#include "samples/samples.h"

enum prof_format {
	PROF_FORMAT_LLVM,
	PROF_FORMAT_LLVM_EXT,
	PROF_FORMAT_GCOV,
	PROF_FORMAT_PROFGEN,
	PROF_FORMAT_BOLT,
	PROF_FORMAT_GO,
	PROF_NR_FORMATS,
};

/* Returns the name of the format: "llvm", "llvm-ext", ... */
const char *prof_format_name(enum prof_format format);

struct prof_opts {
	/*
	 * The names of the binaries on the machine that recorded, or on this machine. If
	 * there are several binaries, or if all is set, each binary has its own profile,
	 * and output is a folder.
	 */
	const char **binaries;
	size_t nr_binaries, cap_binaries;
	bool all;
	const char *output; /* if there are several formats: OUTPUT.FORMAT */
	enum prof_format formats[PROF_NR_FORMATS]; /* each format once */
	unsigned int nr_formats;
	uint64_t gcov_version; /* PROF_GCOV_2 or PROF_GCOV_3 */
	bool raw; /* each transfer counts as 1 */
	/* also use what was counted in other builds, for one binary alone */
	bool stale;
	/* these also apply to the recordings in merge */
	const struct samples_opts *samples;
	/*
	 * The recording or counts file that the caller adds first. NULL: it is not known, so
	 * it is not protected from being counted twice, or replaced.
	 */
	const char *input;
	const char **merge; /* recordings and counts files that the caller adds, too */
	size_t nr_merge, cap_merge;
};

/* Returns whether the profile is to be written in this format, too. */
bool prof_has_format(const struct prof_opts *opts, enum prof_format format);

/* Returns whether the output is a folder with a profile for each binary. */
static inline bool prof_is_folder(const struct prof_opts *opts)
{
	return opts->all || opts->nr_binaries > 1;
}

struct prof_job;

/*
 * Open the binaries, and check that no input is counted twice or replaced. opts is copied, but the objects that it points to must exist as long
 * as the job. *error gets the text of all errors, now and later. It must exist as long as
 * the job, too. Returns NULL with the text on an error.
 */
struct prof_job *prof_job_open(const struct prof_opts *opts,
			       struct error *error);

/*
 * Begin a recording, and end it. The samples between the two calls belong to this
 * recording. The job keeps its path. prof_job_end() returns like prof_job_sample().
 */
void prof_job_begin(struct prof_job *job, const struct samples *samples);
int prof_job_end(struct prof_job *job);

/* Count a sample. Returns 0, or ERROR_* with a text. */
int prof_job_sample(struct prof_job *job, const struct pd_event *ev);

/* Count all samples of one more recording. Returns like prof_job_sample(). */
int prof_job_add(struct prof_job *job, struct samples *samples);

/*
 * Add a counts file, whose reader has read nothing yet. path is its name. No recording can
 * be added after it. Returns like prof_job_sample().
 */
int prof_job_add_counts(struct prof_job *job, struct cf_reader *reader,
			const char *path);

/*
 * Write the profiles. Returns 0, or ERROR_* with a text. Returns ERROR_PARTIAL if too
 * little of what ran in the binary could be used. If there are several binaries, each of
 * them gets its profile, even if another one fails.
 */
int prof_job_close(struct prof_job *job);

/*
 * Call this after prof_job_close(). If no build id proves that the binary is the recorded
 * one, and it was accepted because of its name, returns its name. Otherwise returns NULL.
 */
const char *prof_job_taken_by_name(const struct prof_job *job);

/* Call this after prof_job_close(). Add notes that say what happened with the samples. */
void prof_job_note(struct prof_job *job, struct notes *notes);

void prof_job_free(struct prof_job *job);

#endif
