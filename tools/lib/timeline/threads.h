/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that a thread is in, the innermost last, and where it is on the axis. */
#ifndef TIMELINE_THREADS_H
#define TIMELINE_THREADS_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timeline_frame {
	uint32_t function;
	uint64_t begun;
};

struct timeline_thread {
	uint32_t pid, tid; /* tid of process 0: the CPU that was idle */
	uint64_t now; /* on the axis */
	uint64_t began; /* where its path began that has had no break since */
	uint64_t sampled; /* ns, its sample before; 0: none */
	uint64_t tail; /* instructions since its newest transfer, which are in now */
	bool away; /* it is in a mode that was not recorded */
	bool lost; /* nothing is known of it since its last gap */
	struct timeline_frame *v;
	size_t nr, cap;
};

/* Set all members to 0 first. */
struct timeline_threads {
	struct timeline_thread *v;
	size_t nr, cap;
	struct hash index;
};

/* A thread, which is new if it was not there. Valid until the next call. NULL: no memory. */
struct timeline_thread *timeline_thread(struct timeline_threads *threads, uint32_t pid,
					uint32_t tid);

/* Enter a function. Returns false if out of memory. */
bool timeline_push(struct timeline_thread *thread, uint32_t function, uint64_t begun);

void timeline_threads_free(struct timeline_threads *threads);

#endif
