/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts many recordings at the same time, each into a counts file of its own. */
#ifndef TALLY_RECORDINGS_H
#define TALLY_RECORDINGS_H

#include "tally/tally.h"

struct tally_recording {
	/* Set by the caller: a file or a folder, and its name for messages. */
	const char *path, *name;
	size_t number; /* for the caller */
	/* The result: */
	int ret; /* 0, or ERROR_INPUT with a text */
	struct error error;
	int fd; /* a temporary counts file, which the caller closes; -1: none */
	uint64_t samples; /* with a branch stack */
	char *notes; /* lines for the user, which the caller frees; NULL: none */
	/* Internal: */
	bool ended;
	unsigned int percent; /* read so far */
};

struct tally_job {
	const struct samples_opts *opts; /* where code is */
	struct tally_recording *recordings;
	size_t nr;
	size_t memory; /* bytes for the counts; at least CF_MERGE_MEMORY_MIN */
	unsigned int threads; /* at most; at least 1 */
	/*
	 * Called for each recording that was counted or cannot be used, in their order, by
	 * one thread at a time.
	 */
	void (*counted)(void *arg, struct tally_recording *recording);
	/* Called now and then, by one thread at a time. percent is of all. May be NULL. */
	void (*progress)(void *arg, unsigned int percent);
	void *arg;
};

/*
 * Count the recordings. What a thread counts does not depend on the others. Returns 0, also
 * if recordings cannot be used, or ERROR_NOMEM or ERROR_OUTPUT with a text. After such an
 * error, the recordings that were not passed to counted() have no temporary file.
 */
int tally_recordings(const struct tally_job *job, struct error *error);

#endif
