/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A plug-in of perf script is a subcommand that has its samples chosen by perf: it
 * reads the recording by itself, as perf tells a plug-in nothing of mappings, lost
 * events and what else is needed, and takes those samples that perf lets through.
 * It works in a thread of its own beside perf.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "../tools/ssctr/recording.h"

struct plugin {
	const char *name; /* of the subcommand */
	const char *description; /* one line */
	const char *longer; /* how it is called */
	int (*run)(const struct rec_chooser *chooser, int argc, char **argv);
	bool wants_comm; /* in each rec_key */
};

/* The one of this file. */
extern const struct plugin plugin;

#endif
