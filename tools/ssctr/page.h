/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the HTML pages of the subcommands have in common. A page is complete in itself, and
 * is well-formed XML, too. Its script sorts and searches the tables. Without the script, the
 * page shows the same.
 *
 * A page may have filters: a select "binary", whose values are classes of rows and of
 * <details>, and a select "thread", whose values are the ids of <details class="thread"> in
 * the element "threads". In place of the threads, the element "all" is shown first. What has
 * the class "more" is shown only if its binary is selected.
 */
#ifndef SSCTR_PAGE_H
#define SSCTR_PAGE_H

#include "hot/hot.h"
#include "recording.h"

#include <stdio.h>

/*
 * A page: top() writes what is above its tables, with page_begin(), and rest() all that
 * follows. rest() is called first, because what a recording and its files lack is known only
 * when all that is shown has been named, and top() says it (page_notes()).
 */
struct page_parts {
	void (*top)(void *arg, FILE *file);
	void (*rest)(void *arg, FILE *file);
};

/* Write a page to a file: all of it or nothing. Returns CMD_OK, or CMD_FAIL, which was reported. */
int page_write(const struct cmd *cmd, const char *path, const struct page_parts *parts,
	       void *arg);

/* The start of a page, up to its title. style: more rules, or "". */
void page_begin(FILE *file, const char *title, const char *style);

/*
 * The end of a page. script: more of the script, or "". It has no angle bracket and no
 * ampersand.
 */
void page_end(FILE *file, const char *script);

/* The field for a text to search for. hint: what the text may be. */
void page_search(FILE *file, const char *hint);

/* What is known of a recording or counts file, after hot_find(). */
void page_facts(FILE *file, const struct rec *rec, const struct hot *hot);

/* What the user has to know about it, as it is written to stderr; nothing if there is nothing. */
void page_notes(FILE *file, const struct notes *notes);

/* Names come from files, and may be anything. */
void page_text(FILE *file, const char *s);

/*
 * As page_text(). In a table, the end of a long name is not shown, so that the columns behind it
 * are in sight; its title and paper have all of it.
 */
void page_name(FILE *file, const char *name);

/* As hot_print_place() and hot_print_function(). */
void page_place(FILE *file, const struct hot *hot, uint32_t place);
void page_function(FILE *file, const struct hot *hot, uint32_t function);

/* Cells of a table. The share of a cell with a bar is 0 to 1. */
void page_cell(FILE *file, const char *text);
void page_name_cell(FILE *file, const char *name);
void page_place_cell(FILE *file, const struct hot *hot, uint32_t place);
void page_number_cell(FILE *file, uint64_t value);
void page_begin_bar_cell(FILE *file, double share);

#endif
