/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of `ssctr phases` have in common. */
#ifndef SSCTR_PHASES_H
#define SSCTR_PHASES_H

#include "base/outfile.h"
#include "base/text.h"
#include "cut.h"
#include "phases/bbv.h"
#include "phases/plan.h"
#include "recording.h"
#include "trace_input.h"

/* What the options say. */
struct phases_asked {
	struct rec rec; /* also of a trace: its path and its filters */
	struct stf_reader_opts stf;
	const char *output, *simpoint;
	uint64_t interval, windows, max_phases, phases, dims, seed, warmup;
	struct stf_select_opts wanted; /* --user and --hart; the rest is in rec */
	bool representative, by_length, json;
	char filter[128]; /* the options of `ssctr cut` that select the same */
};

/*
 * Read the trace or the recording. bbv is to be freed in either case. *unit is what lengths
 * count, as long as the recording is open. Returns CMD_*; an error was reported.
 */
int phases_read(struct phases_asked *asked, struct phases_bbv *bbv, const char **unit);

/* What can be written. The order is that in which files get their names at the end. */
enum {
	PHASES_FILE_BB, /* this and the next four by --simpoint */
	PHASES_FILE_STARTS,
	PHASES_FILE_POINTS,
	PHASES_FILE_WEIGHTS,
	PHASES_FILE_LABELS,
	PHASES_FILE_WINDOWS, /* by -o */
	PHASES_NR_FILES
};

struct phases_files {
	struct outfile out[PHASES_NR_FILES]; /* file NULL: it is not written */
	char *names[PHASES_NR_FILES];
};

/*
 * Open all files that the options want. Returns CMD_*; an error was reported. Call
 * phases_files_close() in either case.
 */
int phases_files_open(struct phases_files *files, const struct phases_asked *asked);

/* Write all but the vectors. The errors are those of the files. */
void phases_files_write(struct phases_files *files, const struct windows_plan *plan,
			const struct phases_clusters *clusters);

/*
 * Complete the files if all of them were written, or remove them if keep is false. Returns
 * CMD_OK, or CMD_FAIL, which was reported.
 */
int phases_files_close(struct phases_files *files, const struct cmd *cmd, bool keep);

/* Print what was found, for people or for programs. */
void phases_text(struct text *text, const struct windows_plan *plan, size_t blocks);
void phases_json(struct text *text, const struct windows_plan *plan, size_t blocks);

#endif
