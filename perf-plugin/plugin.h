/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A plug-in of perf script has its samples chosen by perf: it reads the recording by
 * itself, as perf tells a plug-in nothing of mappings, lost events and what else is
 * needed, and takes those samples that perf lets through.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "samples/options.h"

/* In the table of each plug-in: what perf has already, to be refused by name. */
#define PLUGIN_OPT_INPUT 'i'
#define PLUGIN_OPTS                                                            \
	{ PLUGIN_OPT_INPUT, "input", "FILE", "not used here, because perf script reads the recording" }

/* What a plug-in does with its samples; each function takes what start() returned. */
struct plugin {
	const char *name;
	const char *description; /* one line */
	const char *longer; /* how it is called */
	const struct opt *opts; /* the words of --dlarg */
	/* With its options as they are unless told. NULL: out of memory. */
	void *(*start)(void);
	/* An option that is not one of SAMPLES_OPTS. Returns as samples_option(). */
	int (*option)(void *job, int id, const char *arg, struct error *error);
	/*
	 * All options are there, and the recording is open, which stays as long as
	 * the job. Returns 0 or ERROR_*; here and later the text is in *error, which
	 * stays, too.
	 */
	int (*open)(void *job, struct samples *samples, struct error *error);
	/* comm: the thread's name; "" unless wants_comm. Returns 0 or ERROR_*. */
	int (*sample)(void *job, const struct pd_event *ev, const char *comm);
	/* That were all. Returns 0 or ERROR_*. */
	int (*close)(void *job, struct notes *notes);
	void (*free)(void *job);
	bool wants_comm;
};

/* The one of this file. */
extern const struct plugin plugin;

#endif
