/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that waits until its recording is ready. */
#ifndef SSCTR_RECORD_COMMAND_H
#define SSCTR_RECORD_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct record_command {
	pid_t pid; /* 0: none, or it has ended */
	int go; /* written to: it may start */
	int failed; /* read from: why it did not */
	bool started;
	bool ended;
	int status; /* as of wait(2), once it has ended */
};

/*
 * Make the process, in which signals are as in mask. With to_stderr what it prints
 * goes there, as standard output is the recording's. Returns 0, or -1 with errno set.
 */
int record_command_start(struct record_command *c, char **argv,
			 const sigset_t *mask, bool to_stderr);

/* Let it go. Returns 0, or why it could not be executed: an errno. */
int record_command_go(struct record_command *c);

/* Has it ended? */
bool record_command_ended(struct record_command *c);

/*
 * See that it ends: if it has not, by SIGTERM. Returns its exit status, 128 and its
 * signal, or 0 if there was none, or it was ended here.
 */
int record_command_end(struct record_command *c);

#endif
