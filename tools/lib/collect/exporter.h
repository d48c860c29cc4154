/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exports each finished file of a collector to continuous profilers, in a process of its
 * own: a receiver that does not answer holds up no turn, and what libraries need of memory
 * is gone when the process ends. At most one such process runs, and its processor time
 * counts like the collector's own once it has ended.
 *
 * DIR/export has what is still to be done, so that SIGKILL at any time loses nothing and
 * exports nothing twice: for each format the number of the next file, and the spool of
 * profiles. A file is in the spool, on the disk, before the number changes, and nothing is
 * sent before that. What was added and not yet told is known again by its bytes.
 */
#ifndef COLLECT_EXPORTER_H
#define COLLECT_EXPORTER_H

#include "collect/spool.h"
#include "export/export.h"

struct exporter_opts {
	/* by enum export_format: a URL, or a folder, which is made; NULL: nothing */
	const char *out[EXPORT_NR_FORMATS];
	const char *service, *headers, *ca; /* as in export.h */
	unsigned int timeout; /* s that a request may take; 0: EXPORT_TIMEOUT */
	bool names; /* name functions by the files of this machine */
	/* Something to tell: one line without its end. */
	void (*say)(void *arg, const char *line);
	void *arg;
};

struct exporter;

/*
 * Begin with the next file of the spool, or go on where the last process has ended. The
 * spool is open, and strings are kept. Returns 0, or ERROR_* with a text. Call
 * exporter_free() in either case.
 */
int exporter_new(struct exporter **exporter, const struct exporter_opts *opts,
		 const struct spool *spool, struct error *error);

/* A file was written. */
void exporter_written(struct exporter *exporter);

/*
 * Begin or go on, without waiting for anything. Call it from time to time. now is a time
 * in s. Without a new file, what failed is tried again ten minutes later.
 */
void exporter_step(struct exporter *exporter, uint64_t now);

/* Remove old profiles in folders. */
void exporter_rotate(const struct exporter *exporter, const struct spool_keep *keep);

/*
 * Export what is left, and wait for it, but not longer than a request and some seconds. The next
 * exporter then goes on. Returns whether all was exported, and taken by the receiver.
 */
bool exporter_end(struct exporter *exporter);

/* exporter may be NULL. */
void exporter_free(struct exporter *exporter);

#endif
