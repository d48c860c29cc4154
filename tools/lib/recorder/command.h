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
	pid_t pid; /* 0: there is no process, or it has ended */
	int go; /* written to: the command may start */
	int failed; /* read from: why the command did not start */
	int why; /* the same, when rcd_command_go() has read it: errno */
	sigset_t mask; /* of signals, as it was before the recording */
	bool started;
	bool ended;
	int status; /* as from wait(2), when it has ended */
};

/* Where the command's output goes. */
enum rcd_prints {
	RCD_PRINTS, /* where the recorder's goes */
	RCD_PRINTS_TO_STDERR, /* all of it, because the recording uses standard output */
	RCD_PRINTS_NOTHING, /* to /dev/null, where the command also reads */
};

/*
 * Returns whether the file of the command with this name, which is looked up as a shell does,
 * is the one that output names.
 */
bool rcd_command_is(const char *name, const char *output);

/*
 * Make the process. Its signal mask is mask, and so is that of rcd_command_end(). Returns 0,
 * or ERROR_INPUT with a text.
 */
int rcd_command_start(struct rcd_command *c, char **argv, const sigset_t *mask,
		      enum rcd_prints prints, struct error *error);

/* Start the command. Returns 0, or ERROR_INPUT with a text if it cannot be executed. */
int rcd_command_go(struct rcd_command *c, struct error *error);

/*
 * Returns what the program is if the kernel ends the events of a task that starts it, such as
 * "is set-uid". Returns NULL if it is another program, or none.
 */
const char *rcd_command_hides(const struct rcd_command *c);

/* Returns whether the command has ended. */
bool rcd_command_ended(struct rcd_command *c);

/*
 * End the command. If it still runs, send SIGTERM, and wait with the signal mask set to that
 * of the command, because the command may ignore SIGTERM. Returns its exit status, or 128
 * plus its signal. Returns 0 if there was no command or if this function has ended it.
 */
int rcd_command_end(struct rcd_command *c);

#endif
