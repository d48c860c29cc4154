/* SPDX-License-Identifier: GPL-2.0-only */
/* A job in parts: what was counted (job), one binary's profile (make), several's (folder). */
#ifndef PROFILE_INTERNAL_H
#define PROFILE_INTERNAL_H

#include "count/rank.h"
#include "profile/job.h"
#include "profile/lines.h"
#include "profile/probes.h"
#include "profile/profile.h"
#include "profile/samples.h"

/* What a profile is by. */
enum by {
	BY_ADDRESS,
	BY_LLVM_LINE,
	BY_GCC_LINE,
	NR_BY,
};

/* What is known of a binary's code while it is counted. */
struct seen {
	enum { NOT_ASKED, FITS, FITS_NOT } state;
	struct prof_code *code;
	bool done; /* its profile is written, or cannot be */
};

/* A binary that was asked for. */
struct own {
	struct prof_code code;
	bool told; /* what became of it */
};

struct prof_job {
	struct prof_opts opts;
	struct error *error;
	const struct samples *samples; /* of the recording at work */
	const char *recording; /* the same, or the last */
	uint64_t left_out; /* samples of recordings before, by the options */
	unsigned int nr_strangers; /* recordings that have nothing of the binary */
	const char *stranger; /* the first of them */
	struct counts counts;
	struct prof_places places;
	struct own *own; /* of the binaries that were asked for */
	struct prof_code *code; /* of the binary at work */
	struct prof prof;
	struct prof_lines lines;
	struct prof_probes probes;
	size_t nr_off; /* probes at no instruction */
	struct prof_samples lined[NR_BY];
	bool *is_mine; /* by number of a binary */
	struct seen *seen; /* the same */
	size_t cap_seen;
	unsigned int nr_made; /* profiles, of all binaries */
	unsigned int nr_without;
	struct error why_not; /* why the first of these has none */
	struct count_step *part; /* the steps of the binary at work; NULL: all */
	char *output; /* of the binary at work, without the format; NULL: as named */
	const char *filtered_by; /* a recording that lacks branches; NULL */
	bool by_name;
	double used; /* of what ran in the binary */
	char why[256]; /* not more */
};

/* --- job --- */

/* How many transfers a sum of their weights is; every sample has its own. */
uint64_t prof_job_transfers(const struct prof_job *job, uint64_t weight);

/* Where the transfers led, by binary; list->v is the caller's. False: out of memory. */
bool prof_job_rank(const struct prof_job *job, struct count_list *list);

/* A binary's code, which is looked for once; NULL: it is not there, or not wanted. */
struct prof_code *prof_job_code(struct prof_job *job, unsigned int number);

/* --- make: of the binary at work, whose code is job->code --- */

/* Can it have all formats? Returns 0 or ERROR_INPUT. */
int prof_job_check_formats(struct prof_job *job);

/* What was counted in it. Returns 0 or ERROR_*. */
int prof_job_derive(struct prof_job *job);

/* From that to its files. Returns 0 or ERROR_*. */
int prof_job_make(struct prof_job *job);

/* Make room for the next one. */
void prof_job_forget(struct prof_job *job);

/* --- folder --- */

/*
 * A profile of each binary, and what became of each in the file `summary`. Returns 0 or
 * ERROR_*.
 */
int prof_job_make_folder(struct prof_job *job);

#endif
