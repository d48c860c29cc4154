/* SPDX-License-Identifier: GPL-2.0-only */
/* How `ssctr report` shows what it found. */
#ifndef SSCTR_REPORT_H
#define SSCTR_REPORT_H

#include "hot.h"

#include <stdio.h>

/* What is shown, in this order. */
enum report_section {
	REPORT_EDGES,
	REPORT_FUNCTIONS,
	REPORT_LOOPS,
	REPORT_TARGETS,
	REPORT_CALLS,
	REPORT_NR_SECTIONS,
};

struct report {
	struct hot hot;
	bool sections[REPORT_NR_SECTIONS]; /* that are wanted */
	uint64_t limit; /* of each section, and of the targets of each branch */
	/* Which transfers were made before another is not known: no loops. */
	bool filtered;
};

/* "edges", "functions", ...: as options, and as keys of JSON. */
const char *report_section_name(enum report_section section);

void report_text(const struct report *report);

/* One object, whose keys docs/report.md describes. */
void report_json(const struct report *report);

/*
 * One page without scripts, to be looked at: the tables, and the hottest loops
 * with their code. False: out of memory.
 */
bool report_html(const struct report *report, struct path_code *code,
		 FILE *file);

#endif
