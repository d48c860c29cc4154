/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that waits until its recording is ready. */
#ifndef RECORDER_COMMAND_H
#define RECORDER_COMMAND_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct rcd_command {
	const char *name;
	pid_t pid; /* 0: none, or it has ended */
	int go; /* written to: it may start */
	int failed; /* read from: why it did not */
	bool started;
	bool ended;
	int status; /* as of wait(2), once it has ended */
};

/* What becomes of that which the command prints. */
enum rcd_prints {
	RCD_PRINTS, /* as the recorder's own */
	RCD_PRINTS_TO_STDERR, /* all of it */
	RCD_PRINTS_NOTHING, /* nor does it read anything */
};

/*
 * Make the process, in which signals are as in mask. Returns 0, or ERROR_INPUT with a
 * text.
 */
int rcd_command_start(struct rcd_command *c, char **argv, const sigset_t *mask,
		      enum rcd_prints prints, struct error *error);

/* Let it go. Returns 0, or ERROR_INPUT with a text if it cannot be executed. */
int rcd_command_go(struct rcd_command *c, struct error *error);

/* Has it ended? */
bool rcd_command_ended(struct rcd_command *c);

/*
 * See that it ends: if it has not, by SIGTERM. Returns its exit status, 128 and its
 * signal, or 0 if there was none, or it was ended here.
 */
int rcd_command_end(struct rcd_command *c);

#endif
