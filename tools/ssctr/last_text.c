// SPDX-License-Identifier: GPL-2.0-only
/* ssctr last for those who read it. */
#include "last.h"
#include "base/plain.h"
#include "source_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2 };

static void put_function(const struct last_where *where)
{
	plain_put(stdout, where->inlined);
	if (*where->inlined)
		fputs(" in ", stdout);
	plain_put(stdout, where->function ?: "?");
}

static void put_in_brackets(const char *text)
{
	fputs(" (", stdout);
	plain_put(stdout, text);
	putchar(')');
}

static void put_line(const char *file, unsigned int line)
{
	fputs(", ", stdout);
	plain_put(stdout, file);
	printf(":%u", line);
}

static void put_step(const struct last *last, const struct last_shown *shown,
		     const struct last_step *step, bool in_loop)
{
	const struct last_where where = last_where(last, &step->at);
	char lines[256], end[64];

	last_lines(last, step, lines, sizeof(lines));
	printf("%*s%s", INDENT * (int)(1 + step->depth), "", in_loop ? "| " : "");
	put_function(&where);
	if (*lines)
		put_in_brackets(lines);
	if (step->nr_insns)
		printf(": %" PRIu32 " instruction%s, ", step->nr_insns,
		       step->nr_insns == 1 ? "" : "s");
	else
		fputs(": ", stdout);
	puts(last_end_text(shown, step, end, sizeof(end)));
	free(where.function);
}

static void put_steps(const struct last *last, const struct last_shown *shown)
{
	const struct last_steps *steps = &shown->steps;
	size_t i = 0, end;

	while (i < steps->nr) {
		const struct last_step *first = &steps->v[i];

		if (first->times > 1)
			printf("%*s%u times:\n", INDENT * (int)(1 + first->depth), "",
			       first->times);
		for (end = i + first->loop; i < end; i++)
			put_step(last, shown, &steps->v[i], first->times > 1);
	}
}

static void put_source(const struct last *last, const struct path_place *place,
		       const struct last_where *where)
{
	char *text = source_line(last->listing, where->path, where->line);
	struct img_built built;

	if (text && img_listing_is_new(last->listing, where->path) &&
	    last_built(last, place, &built))
		img_listing_compare(last->listing, where->path, &built);
	if (text) {
		fputs("  ", stdout);
		plain_put(stdout, text);
		putchar('\n');
	}
	free(text);
}

static void put_stop(const struct last *last, const struct last_shown *shown)
{
	const struct last_steps *steps = &shown->steps;
	const struct last_step *step = &steps->v[steps->nr - 1];
	const struct last_where where = last_where(last, &step->last_at);
	char *insn = last_insn(last, &step->last_at, step->last);

	if (!last->names && !step->last_at.dso && !step->last_at.perf_map) {
		printf("\nIt stopped at address 0x%" PRIx64 ", where no code is mapped.\n",
		       step->last);
		free(where.function);
		free(insn);
		return;
	}
	printf("\nIt stopped at ");
	put_function(&where);
	if (where.path)
		put_line(basename(where.path), where.line);
	put_in_brackets(where.binary);
	if (insn)
		printf(": %s", insn);
	putchar('\n');
	if (where.path)
		put_source(last, &step->last_at, &where);
	free(where.function);
	free(insn);
}

/* What a log lacks. */
static void put_lacks(const struct last_shown *shown)
{
	struct last_sentence sentences[2];
	const size_t nr = last_lacks(shown, sentences);
	size_t i;

	for (i = 0; i < nr; i++) {
		plain_put(stdout, sentences[i].text);
		putchar('\n');
	}
}

static void put_point(const struct last *last, const struct last_shown *shown)
{
	const struct last_steps *steps = &shown->steps;
	char *title = last_title(last, shown);

	plain_put(stdout, title ?: "?");
	putchar('\n');
	free(title);
	if (!steps->nr && shown->report) {
		put_lacks(shown);
		return;
	}
	if (!steps->nr) {
		printf("No branch was recorded before it, at address 0x%" PRIx64 ".\n", shown->ip);
		return;
	}
	if (!steps->nr_transfers)
		puts("No branch before it is known:\n");
	else if (steps->nr_transfers == 1)
		puts("The last branch before it:\n");
	else
		printf("The last %" PRIu64 " branches before it, the newest last:\n\n",
		       steps->nr_transfers);
	put_steps(last, shown);
	put_stop(last, shown);
	put_lacks(shown);
}

void last_text(const struct last *last)
{
	size_t i;

	for (i = 0; i < last->nr; i++) {
		if (i)
			putchar('\n');
		put_point(last, &last->v[i]);
	}
}
