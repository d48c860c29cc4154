/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which commands took the samples: threads by the name that they had at each sample. Scripts
 * and builds run many.
 */
#ifndef SSCTR_REPORT_COMMANDS_H
#define SSCTR_REPORT_COMMANDS_H

#include "base/text.h"
#include "report_threads.h"

struct report_command {
	char name[COMMS_NAME_SIZE]; /* "": not recorded */
	uint32_t threads; /* how many of them had samples */
	uint64_t samples; /* with a branch stack */
	uint64_t events; /* the sum of their periods */
};

/* Set all members to 0 first. */
struct report_commands {
	struct report_command *v; /* the ones with the most events first */
	size_t nr, cap;
	uint64_t samples, events; /* of all */
};

/*
 * Add up the threads that were counted. Call this before report_threads_find(). Returns false
 * if out of memory.
 */
bool report_commands_make(struct report_commands *commands,
			  const struct report_threads *threads);
void report_commands_free(struct report_commands *commands);

/* Print at most limit of them, as a table, as a key of a JSON object, or as a table of a page. */
void report_commands_text(const struct report_commands *commands, uint64_t limit, FILE *file);
void report_commands_json(const struct report_commands *commands, uint64_t limit,
			  struct text *text);
void report_commands_html(const struct report_commands *commands, uint64_t limit, FILE *file);

#endif
