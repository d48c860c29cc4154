/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gather windows from a recording of windows: see windows.h. A window is one path without a
 * break, of one thread. It has as many instructions as its size says, and a few more if it
 * would end with a taken branch. A window with a hole is thrown away.
 *
 * A complete window stands for all instructions of its thread or CPU from the start of its
 * interval to the start of the interval of the next complete window. The first one also
 * stands for what was before, and the last one for what was until the end. So a complete
 * window is known as a whole only when the next one is, or at the end.
 */
#ifndef TRACE_GATHER_H
#define TRACE_GATHER_H

#include "base/error.h"
#include "path/path.h"
#include "perfdata/perfdata.h"
#include "windows/windows.h"

struct gathered {
	uint32_t cpu, pid, tid; /* those of its first sample */
	uint32_t source; /* its thread or CPU, numbered from 0 on by the first windows */
	/* instructions of its thread or CPU before its first one */
	uint64_t place;
	uint64_t weight; /* the instructions that it stands for */
	uint64_t length; /* its instructions */
	const struct path_run *runs; /* all but the first are connected */
	size_t nr_runs;
	const struct path_transfer *transfers;
};

/* Why a window has a hole. If it has several, the reason that cost it most counts. */
enum gather_hole {
	GATHER_MISSING, /* samples that were due are missing, or came late */
	GATHER_SIGNAL, /* a signal arrived in it */
	GATHER_BROKEN, /* a path has another break: the code is not known, or does not fit */
	GATHER_SHALLOW, /* more branches than a sample shows came between two samples */
	GATHER_SWITCH, /* another thread came to its CPU */
	GATHER_ENDED, /* it has no hole: what was recorded ended in it */
	GATHER_NR_HOLES,
};

struct gather_stats {
	uint64_t begun, complete;
	uint64_t incomplete; /* thrown away */
	uint64_t holes[GATHER_NR_HOLES]; /* these, by the reason of each */
	/* of complete windows: their samples, and the transfers that they have */
	uint64_t samples, transfers;
	uint64_t insns; /* the instructions for which the complete ones stand */
	uint64_t lent; /* of these, those of intervals without a complete one */
	uint64_t sources; /* threads or CPUs that have one of these */
	/* At the end: those that have none, and their instructions. */
	uint64_t bare, bare_insns;
};

struct gather;

/* Called for each complete window. Returns 0, or another value, which ends the work. */
typedef int (*gather_write_t)(void *arg, const struct gathered *window);

/*
 * Returns the total number of instructions of the thread or CPU that windows were taken
 * of. cpu and tid are those of one of its samples. Returns 0 if it is not known.
 */
typedef uint64_t (*gather_total_t)(void *arg, uint32_t cpu, uint32_t tid);

/*
 * depth is the number of records that the hart's buffer can hold, or 0 if it is not known.
 * Returns NULL if out of memory. gather_free() accepts NULL.
 */
struct gather *gather_new(const struct windows *windows, unsigned int period,
			  unsigned int depth, gather_write_t write, void *arg);
void gather_free(struct gather *gather);

/*
 * Take a sample of the event of windows. lost is a growing count of what the recording has
 * lost so far. If the sample belongs to a window that is not complete yet, its path is
 * found with *path, and *nr_runs is the number of its runs. Otherwise, *nr_runs is 0.
 * Returns 0, PD_ENOMEM, or the result of write().
 */
int gather_sample(struct gather *gather, struct path *path, const struct pd_event *ev,
		  uint64_t lost, unsigned int *nr_runs);

/* Write the last windows. Returns like gather_sample(). */
int gather_end(struct gather *gather, gather_total_t total);

const struct gather_stats *gather_stats(const struct gather *gather);

#endif
