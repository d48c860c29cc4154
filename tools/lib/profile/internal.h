/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a job: counting (job), counts files (counted), the profile of one binary (make), the profiles of
 * several binaries (folder).
 */
#ifndef PROFILE_INTERNAL_H
#define PROFILE_INTERNAL_H

#include "count/rank.h"
#include "pprof/pprof.h"
#include "profile/alike.h"
#include "profile/inputs.h"
#include "profile/job.h"
#include "profile/lines.h"
#include "profile/match.h"
#include "profile/parts.h"
#include "profile/probes.h"
#include "profile/profile.h"
#include "profile/samples.h"
#include "profile/stale.h"

/* What the lines of a profile are. */
enum by {
	BY_ADDRESS,
	BY_LLVM_LINE,
	BY_GCC_LINE,
	BY_CALL,
	NR_BY,
};

/* What is known about the code of a binary while samples are counted. */
struct seen {
	enum { NOT_ASKED, FITS, FITS_NOT, NO_MEMORY } state;
	struct prof_code *code;
	bool done; /* its profile was written, or cannot be written */
	char *output; /* where, without the format; NULL: it was not written */
};

/* A binary that the user asked for. */
struct own {
	struct prof_code code;
	bool told; /* the notes tell what happened with it */
};

struct prof_job {
	struct prof_opts opts;
	struct error *error;
	const struct samples *samples; /* of the current recording */
	const char *recording; /* the current recording, or the last one */
	struct prof_inputs inputs;
	/* samples of earlier recordings that the options excluded */
	uint64_t left_out;
	char none[256]; /* why the last recording has no samples, if it has none */
	/* recordings that have nothing of the binary */
	unsigned int nr_strangers;
	const char *stranger; /* the first of them */
	struct counts counts;
	uint64_t depth; /* transfers of the deepest stack */
	struct prof_places places;
	struct own *own; /* the binaries that the user asked for */
	struct prof_code *code; /* the current binary */
	struct prof prof;
	struct prof_lines lines;
	/* the counts of the straight lines, by what debug information tells of their code */
	uint64_t known[PROF_NR_KNOWN];
	struct prof_alike alike;
	struct prof_probes probes;
	size_t nr_off; /* probes that lie at no instruction */
	uint64_t unprobed; /* the count of the lines in code without probes */
	/* why it cannot have some of the formats, by what their lines are; "": it can */
	struct error lacking[NR_BY];
	/* Of formats that are not written: "-f llvm,gcov: WHY"; "": all are. Made with the files. */
	char *why_lacking;
	struct prof_samples lined[NR_BY];
	struct pprof go; /* the calls, for Go */
	bool *is_mine; /* by the number of a binary */
	enum prof_match match; /* how the current binary was recorded */
	unsigned int other; /* as of prof_match() */
	struct seen *seen; /* by the number of a binary */
	size_t cap_seen;
	unsigned int nr_made; /* how many profiles were made, of all binaries */
	unsigned int nr_without;
	unsigned int nr_lacking; /* which have a profile, but not in all formats */
	/* why the first of these binaries has no profile, or not all */
	struct error why_not;
	/* of the folder: what was recorded of how much, a line for each note */
	FILE *recorded;
	char *recorded_text;
	size_t recorded_size;
	struct prof_parts parts; /* of a folder */
	/* the steps of the current binary; NULL: all steps */
	struct count_step *part;
	/*
	 * The output of the current binary, without the format. NULL: the name in the
	 * options.
	 */
	char *output;
	/* weights of what led to other builds of the binary, by the fate of its function */
	uint64_t stale[PROF_STALE_NR];
	uint64_t not_found; /* and to builds whose file was not found */
	/* weights of what led to the binary by its name, and was left out */
	uint64_t other_builds; /* to other builds, without --stale */
	bool other_kernels; /* of which one is a kernel or a module */
	const char *other_name; /* one of them that has another name than the binary; NULL: none */
	uint64_t without_id; /* maybe to other builds, because no build id tells */
	uint64_t other_paths; /* to what has its name, but another path, and no build id */
	/* a recording that does not have all branches; NULL: none */
	const char *filtered_by;
	bool by_name;
	/* the share of what ran in the binary that could be used */
	double used;
	char why[256]; /* why it is not more */
	const char *why_misfits; /* what it means that branches do not fit its code */
};

/* --- job --- */

/*
 * Returns the number of transfers that a sum of weights stands for. Each sample has its
 * own weights.
 */
uint64_t prof_job_transfers(const struct prof_job *job, uint64_t weight);

/* Returns " by weight" behind such a number, or "" if each transfer has the same weight. */
const char *prof_job_by_weight(const struct prof_job *job);

/*
 * Note it if nothing of the binary ran in the current recording. numbers has the numbers
 * of the binaries that ran in it. 0 is the number of none.
 */
void prof_job_look_for_part(struct prof_job *job, const unsigned int *numbers,
			    size_t nr);

/*
 * Keep what the notes say of the current recording for the summary of a folder. Then free
 * the notes.
 */
void prof_job_keep_notes(struct prof_job *job, struct notes *notes);

/*
 * Make a list of the binaries by the transfers that led to them. The caller frees
 * list->v. Returns false if out of memory.
 */
bool prof_job_rank(const struct prof_job *job, struct count_list *list);

/*
 * Returns the code of a binary. The first call searches for it. Returns NULL if the code
 * is missing or not wanted.
 */
struct prof_code *prof_job_code(struct prof_job *job, unsigned int number);

/* --- make: the current binary, whose code is job->code --- */

/* Check whether the binary can have all formats. Returns 0 or ERROR_INPUT. */
int prof_job_check_formats(struct prof_job *job);

/* Check whether the files of the binary replace no input. Returns 0 or ERROR_*. */
int prof_job_check_outputs(struct prof_job *job);

/*
 * Find the recorded binaries that are the current one. number is one of them, as which all
 * must be the same, or 0. Returns 0 or ERROR_NOMEM.
 */
int prof_job_match(struct prof_job *job, unsigned int number);

/*
 * Derive the profile of the binary from the counts. Call prof_job_match() before. Returns 0
 * or ERROR_*.
 */
int prof_job_derive(struct prof_job *job);

/*
 * Add notes about what led to the binary by its name and was left out, and about branches that do
 * not fit its code.
 */
void prof_job_note_left_out(const struct prof_job *job, struct notes *notes);

/* Add notes about the pseudo-probes that the profile uses, and about code without lines. */
void prof_job_note_lines(const struct prof_job *job, struct notes *notes);

/*
 * Derive the profile, and write its files: in all formats that the binary can have. Returns 0
 * if there is one, or ERROR_*.
 */
int prof_job_make(struct prof_job *job);

/* Free what belongs to the current binary, before the next one. */
void prof_job_forget(struct prof_job *job);

/* --- folder --- */

/*
 * Write a profile for each binary, and the file `summary`, which says what happened with
 * each of them. Returns 0 or ERROR_*.
 */
int prof_job_make_folder(struct prof_job *job);

#endif
