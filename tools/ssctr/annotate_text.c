// SPDX-License-Identifier: GPL-2.0-only
/* ssctr annotate for those who read it. */
#include "annotate.h"
#include "hot_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TARGETS = 3, /* of an indirect branch */
	INSN = 28, /* columns of the instruction, if something stands behind it */
	FEW = 3, /* So many instructions that did not run are shown all the same. */
	LEFT = 31, /* columns before the instruction */
};

#define RED	"\033[31;1m"
#define YELLOW	"\033[33m"
#define DIM	"\033[2m"
#define PLAIN	"\033[m"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void put_place(const struct hot *hot, const struct annotated *code, uint32_t place)
{
	const struct hot_place *p = &hot->places[place];

	if (p->function != code->function)
		fputs(hot_name(hot, p->function), stdout);
	if (p->function == code->function || p->offset)
		printf("+0x%" PRIx64, p->offset);
}

/* What stands behind an instruction: parts, with a comma between them. */
struct remark {
	const struct hot *hot;
	const struct annotated *code;
	int blanks; /* before the first; negative: there was one */
};

static void begin_part(struct remark *r)
{
	if (r->blanks < 0)
		fputs(", ", stdout);
	else
		printf("%*s; ", r->blanks, "");
	r->blanks = -1;
}

/* One of all transfers of or to an instruction. */
static void put_one_of(const struct remark *r, uint32_t place, uint64_t count,
		       uint64_t all)
{
	put_place(r->hot, r->code, place);
	if (count < all)
		printf(" %.1f%%", percent(count, all));
}

static void put_ways(struct remark *r, const struct hot_insn *insn)
{
	uint64_t taken, passed;

	if (!hot_ways(r->hot, insn, &taken, &passed) || !(taken + passed))
		return;
	begin_part(r);
	if (taken)
		printf("taken %.1f%%", percent(taken, taken + passed));
	else
		fputs("never taken", stdout);
}

static void put_targets(struct remark *r, const struct hot_insn *insn)
{
	const struct hot_edge *v[TARGETS];
	/* A direct one's stands in the instruction. */
	size_t i, nr = insn->insn.has_offset ? 0 : annotate_targets(r->hot, insn, v, TARGETS);
	uint64_t rest = nr ? insn->taken : 0;

	for (i = 0; i < nr; i++) {
		begin_part(r);
		if (!i)
			fputs("to ", stdout);
		put_one_of(r, v[i]->to, v[i]->count, insn->taken);
		rest -= v[i]->count;
	}
	if (rest) {
		begin_part(r);
		printf("elsewhere %.1f%%", percent(rest, insn->taken));
	}
}

static void put_recorded(struct remark *r, const struct hot_insn *insn)
{
	uint64_t missed = 0, cycles = 0, timed = 0;
	const struct hot_edge *e, *end;

	if (!insn->edge)
		return;
	end = r->hot->edges + r->hot->places[insn->place + 1].first;
	for (e = r->hot->edges + r->hot->places[insn->place].first; e < end; e++) {
		missed += e->mispredicted;
		cycles += e->cycles;
		timed += e->timed;
	}
	if (r->hot->has_predictions) {
		begin_part(r);
		printf("mispredicted %.1f%%", percent(missed, insn->taken));
	}
	if (timed) {
		begin_part(r);
		printf("%.1f cycles", (double)cycles / (double)timed);
	}
}

static void put_remark(const struct annotate *annotate, const struct annotated *code,
		       const struct hot_insn *insn, size_t size)
{
	struct remark r = { &annotate->hot, code, 2 + (size < INSN ? INSN - size : 0) };

	put_ways(&r, insn);
	put_targets(&r, insn);
	put_recorded(&r, insn);
	if (!insn->source)
		return;
	begin_part(&r);
	fputs("from ", stdout);
	put_one_of(&r, insn->source->from, insn->source->count, insn->came);
}

static void put_insn(const struct annotate *annotate, const struct annotated *code,
		     const struct hot_insn *insn)
{
	const bool hot = 2 * insn->runs >= code->most, warm = 10 * insn->runs >= code->most;
	char *text = annotate_insn(annotate, code, insn), at[24];

	if (annotate->colours)
		fputs(!insn->runs ? DIM : hot ? RED : warm ? YELLOW : "", stdout);
	if (insn->runs)
		printf("%10" PRIu64 "  %5.1f%%", hot_transfers(&annotate->hot, insn->runs),
		       percent(insn->runs, code->runs));
	else
		printf("%10s  %6s", "-", "-");
	snprintf(at, sizeof(at), "+0x%" PRIx64, insn->offset);
	printf("  %9s  %s", at, text ?: "");
	put_remark(annotate, code, insn, text ? strlen(text) : 0);
	puts(annotate->colours ? PLAIN : "");
	free(text);
}

/* --- what stands above an instruction --- */

static void put_loop(const struct hot_loop *l)
{
	char trips[24], range[40];

	if (!l)
		return;
	hot_trips_text(&l->trips, trips, range);
	printf("%*sloop: %.1f%% of all that ran", LEFT, "", 100 * l->share);
	if (*trips == '-' && *range)
		printf(", %s trips for each entry", range);
	else if (*trips != '-')
		printf(", %s trips for each entry (%s)", trips, range);
	putchar('\n');
}

/* The line that was shown last. */
struct line {
	const char *path;
	unsigned int number;
};

/* Not the blanks before it, and none of what a terminal would take for a command. */
static void put_source(const char *text, size_t size)
{
	for (; size && (*text == ' ' || *text == '\t'); size--)
		text++;
	for (; size; size--, text++)
		if ((unsigned char)*text >= ' ' && *text != 127)
			putchar(*text);
		else if (*text == '\t')
			putchar(' ');
}

static void put_line(const struct annotate *annotate, const struct annotated *code,
		     const struct hot_insn *insn, struct line *last)
{
	struct path_place at = code->start;
	struct line line;
	const char *text;
	size_t size;

	at.offset += insn->offset;
	if (!path_code_line(annotate->hot.code, &at, &line.path, &line.number) ||
	    (last->path && line.number == last->number && !strcmp(line.path, last->path)))
		return;
	*last = line;
	printf("%*s%s:%u", LEFT, "", basename(line.path), line.number);
	text = img_listing_line(annotate->listing, line.path, line.number, &size);
	if (text) {
		fputs("  ", stdout);
		put_source(text, size);
	}
	putchar('\n');
}

/* How many instructions from here on did not run and are not shown. */
static size_t left_out(const struct annotate *annotate, const struct annotated *code,
		       size_t at)
{
	size_t nr = 0;

	while (!annotate->all && at + nr < code->nr && !code->v[at + nr].runs)
		nr++;
	return nr > FEW ? nr : 0;
}

void annotate_text(const struct annotate *annotate, const struct annotated *code)
{
	const struct hot *hot = &annotate->hot;
	const struct hot_function *f = &hot->functions[code->function];
	struct line last = { 0 };
	size_t i, out;

	printf("%s (%s): %.1f%% of all that ran, entered %" PRIu64 " times\n\n",
	       hot_name(hot, code->function), f->binary, 100 * f->share,
	       hot_transfers(hot, f->entries));
	printf("%10s  %6s  %9s  %s\n", "ran", "share", "at", "instruction");
	for (i = 0; i < code->nr; i += out ? out : 1) {
		out = left_out(annotate, code, i);
		if (out) {
			printf("%*s%zu instructions that did not run\n", LEFT, "", out);
			continue;
		}
		put_line(annotate, code, &code->v[i], &last);
		put_loop(annotate_loop(hot, &code->v[i]));
		put_insn(annotate, code, &code->v[i]);
	}
}
