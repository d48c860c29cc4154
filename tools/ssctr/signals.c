// SPDX-License-Identifier: GPL-2.0-only
#include "signals.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>

/*
 * A blocked signal is queued also if it is ignored. Shells let all that scripts run in the
 * background ignore SIGINT, and scripts end a recording by it all the same, as perf's.
 */
static bool stays_ignored(int nr)
{
	struct sigaction now;

	return nr != SIGINT && !sigaction(nr, NULL, &now) && now.sa_handler == SIG_IGN;
}

int signals_open(const int *taken, sigset_t *before)
{
	sigset_t signals;

	sigemptyset(&signals);
	for (; *taken; taken++)
		if (!stays_ignored(*taken))
			sigaddset(&signals, *taken);
	sigprocmask(SIG_BLOCK, &signals, before);
	return signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}
