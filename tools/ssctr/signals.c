// SPDX-License-Identifier: GPL-2.0-only
#include "signals.h"

#include <stddef.h>
#include <sys/signalfd.h>

int signals_open(const int *taken, sigset_t *before)
{
	sigset_t signals;

	sigemptyset(&signals);
	while (*taken)
		sigaddset(&signals, *taken++);
	sigprocmask(SIG_BLOCK, &signals, before);
	return signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}
