/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads by their names, which they may change: which have a wanted one now. */
#ifndef SAMPLES_COMMS_H
#define SAMPLES_COMMS_H

#include "base/hash.h"
#include "perfdata/perfdata.h"

struct comms_thread {
	uint32_t tid;
	bool wanted;
};

/* All 0 but for the lists, which are the caller's, each of names like "a,b". */
struct comms {
	const char **lists;
	size_t nr_lists; /* 0: all threads are wanted */
	struct comms_thread *v;
	size_t nr, cap;
	struct hash index;
};

/* Take in COMM and FORK; other events change nothing. False: out of memory. */
bool comms_event(struct comms *comms, const struct pd_event *ev);

/* One whose name was not recorded is not wanted, unless all are. */
bool comms_want(const struct comms *comms, uint32_t tid);

void comms_free(struct comms *comms);

#endif
