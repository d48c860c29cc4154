/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that a subcommand reads when it has time for them. */
#ifndef SSCTR_SIGNALS_H
#define SSCTR_SIGNALS_H

#include <signal.h>

/*
 * Block the signals in `taken`, whose last one is followed by 0, and return a file
 * descriptor that poll() knows. A signal that is ignored, as SIGHUP under nohup, stays
 * ignored, but for SIGINT. read() gives a struct signalfd_siginfo for each signal and
 * does not wait. What was blocked before is stored in *before, unless it is NULL. Returns
 * -1 with errno set if there is no file descriptor left.
 */
int signals_open(const int *taken, sigset_t *before);

#endif
