/* SPDX-License-Identifier: GPL-2.0-only */
/* How `ssctr report` shows what it found. */
#ifndef SSCTR_REPORT_H
#define SSCTR_REPORT_H

#include "hot/hot.h"
#include "image/listing.h"
#include "page.h"
#include "report_commands.h"
#include "report_flame.h"
#include "report_threads.h"

#include <stdio.h>

/* A list of struct hot, which are shown in their order. */
struct report_section {
	const char *name; /* as an option, and as a key of JSON */
	const char *counted; /* the first column, and its key in JSON */
	bool wanted;
};

/* As they are of a report of all. */
extern const struct report_section report_sections[HOT_NR_LISTS];

struct report {
	struct hot hot;
	struct report_section sections[HOT_NR_LISTS];
	uint64_t limit; /* of each section, and of the targets of each branch */
	/* Which transfers were made before another is not known. */
	bool filtered;
	struct rec *rec;
	/* Of a recording, unless only other sections are wanted: */
	bool wants_commands;
	bool asked_for_commands; /* also if there is only one */
	struct report_threads threads;
	struct report_commands commands;
	struct flame flame; /* of a page */
	struct img_listing *listing; /* of a page: the source files */
};

/*
 * Loops and branches are only known from all transfers. Of the rest, what a list has is known:
 * if it is empty, its kinds of branches may not have been recorded.
 */
static inline bool report_knows(const struct report *report, unsigned int section)
{
	return !report->filtered || section == HOT_EDGES ||
	       (section != HOT_LOOPS && section != HOT_BRANCHES &&
		report->hot.lists[section].nr);
}

/* A single command needs no table, unless somebody asked for it. */
static inline bool report_shows_commands(const struct report *report)
{
	return report->wants_commands &&
	       (report->asked_for_commands || report->commands.nr > 1);
}

/*
 * Write what the list of loops lacks, a line each: loops that are not listed, if much ran in
 * code without functions, and exact shares, if much ran in code that is not known.
 */
void report_loops_lack(const struct hot *hot, FILE *file, const char *before, const char *after);

/*
 * In percent: of a loop and a function of all instructions that ran, if that is known, and
 * of what else is on the list of the whole of it. report_share_of() says of what, in words.
 */
double report_share(const struct hot *hot, unsigned int section, size_t at);
const char *report_share_of(const struct hot *hot, unsigned int section);

/* A sentence on what a section lacks if some kinds of branches were not recorded, or "". */
const char *report_lacks(const struct hot *hot, unsigned int section);

void report_text(const struct report *report);

/* Of it, one of the lists (HOT_EDGES, ...). */
void report_section_text(const struct report *report, unsigned int section, FILE *file);

/* One object, whose keys docs/report.md describes. */
void report_json(const struct report *report);

/*
 * One page, complete in itself: what was recorded, the call stacks, the tables, and the code
 * of the hottest functions. Its script sorts, searches, selects binaries and threads, and
 * draws the call stacks.
 */
extern const struct page_parts report_page;

#endif
