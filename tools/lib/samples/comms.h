/* SPDX-License-Identifier: GPL-2.0-only */
/* The names that threads have now, and which of them are wanted. Threads can change them. */
#ifndef SAMPLES_COMMS_H
#define SAMPLES_COMMS_H

#include "base/hash.h"
#include "perfdata/perfdata.h"

/* As the kernel cuts off longer names, with the NUL at the end. */
#define COMMS_NAME_SIZE 16

/* What reports show, and lists have, for a name that was not recorded. */
#define COMMS_UNKNOWN "[unknown]"

struct comms_thread {
	uint32_t tid;
	bool wanted;
	bool execs; /* it starts a program, of which nothing is mapped yet */
	bool ended; /* what comes next may be another thread of this number */
	char name[COMMS_NAME_SIZE]; /* "": not known */
};

/*
 * Set all members to 0 first, except the lists, which belong to the caller. Each list has
 * names like "a,b". It is also taken as one name, because a name may have commas.
 */
struct comms {
	const char **lists;
	size_t nr_lists; /* 0: all threads are wanted */
	bool named; /* comms_name() is wanted, which takes memory */
	struct comms_thread *v;
	size_t nr, cap;
	struct hash index;
};

/*
 * Take COMM, FORK, EXIT and MMAP events. Other events have no effect. Returns false if out of
 * memory.
 */
bool comms_event(struct comms *comms, const struct pd_event *ev);

/*
 * Returns whether a thread is wanted. A thread whose name was not recorded is wanted only
 * if all threads are, or if a list has COMMS_UNKNOWN.
 */
bool comms_want(const struct comms *comms, uint32_t tid);

/*
 * Returns the name of a thread, or "" if it was not recorded, or if neither names nor some
 * threads are wanted. Thread 0 is the idle one of each CPU, "swapper". The name is valid
 * until the next event.
 */
const char *comms_name(const struct comms *comms, uint32_t tid);

void comms_free(struct comms *comms);

#endif
