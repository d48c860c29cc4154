/* SPDX-License-Identifier: GPL-2.0-only */
/* Recording as `ssctr record` does it, for the subcommands that do it, too. */
#ifndef SSCTR_RECORD_H
#define SSCTR_RECORD_H

#include "recorder/command.h"
#include "recorder/options.h"
#include "ssctr.h"

/* What the options say. */
struct record {
	struct rcd_opts opts;
	double duration; /* seconds; 0: no end */
	unsigned int turn; /* ms between two looks at the rings; 0: when one is half full */
	enum rcd_prints prints;
	bool quiet; /* print only errors, and that CPUs were switched off or on */
	/* A signal before the recording began is no error: also then, end by the signal. */
	bool may_not_begin;
	/*
	 * Return CMD_OK whatever the command's exit status is, which is stored here, and
	 * after a signal, too. NULL: return the status, and end by the signal.
	 */
	int *goes_on;
};

/* Take an option of RCD_OPTS. CMD_OK, or CMD_USAGE or CMD_FAIL, which was reported. */
int record_option(const struct cmd *by, struct rcd_opts *opts, int id, const char *arg);

/*
 * Record until the command ends, all that was followed has, the time is over, or a signal
 * comes: after SIGINT, SIGTERM or SIGHUP the process ends by that signal, with the
 * recording complete. command: NULL: none. Returns an exit status; what went wrong was
 * reported.
 */
int record_run(const struct cmd *by, const struct record *wishes, char **command);

#endif
