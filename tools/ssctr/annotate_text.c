// SPDX-License-Identifier: GPL-2.0-only
/* ssctr annotate for those who read it. */
#include "annotate.h"
#include "base/plain.h"
#include "hot_print.h"
#include "source_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	INSN = 28, /* columns of the instruction, if something stands behind it */
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

static void put_insn(const struct annotate *annotate, const struct annotated *code,
		     const struct hot_insn *insn)
{
	const bool hot = 2 * insn->runs >= code->most, warm = 10 * insn->runs >= code->most;
	char *text = annotated_insn(code, &annotate->hot, annotate->disasm, insn), at[24];
	char *remark = annotated_remark(code, &annotate->hot, insn), share[16] = "-";

	if (annotate->colours)
		fputs(!insn->runs ? DIM : hot ? RED : warm ? YELLOW : "", stdout);
	if (insn->runs) {
		snprintf(share, sizeof(share), "%s%.1f%%", insn->changed ? "~" : "",
			 percent(insn->runs * hot_nr_insns(insn), code->runs));
		printf("%10" PRIu64, hot_transfers(&annotate->hot, insn->runs));
	} else {
		printf("%10s", "-");
	}
	printf("  %6s", share);
	snprintf(at, sizeof(at), "+0x%" PRIx64, insn->offset);
	printf("  %9s  ", at);
	plain_put(stdout, text ?: "");
	if (remark && *remark)
		printf("%*s  ; %s", INSN - (int)strnlen(text ?: "", INSN), "", remark);
	puts(annotate->colours ? PLAIN : "");
	free(remark);
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

static void note_lacking(struct annotate *annotate, const char *path)
{
	size_t size;

	if (img_listing_line(annotate->listing, path, 1, &size) ||
	    img_listing_refuses(annotate->listing, path))
		return;
	annotate->lacks_more |= annotate->lacking && strcmp(annotate->lacking, path);
	annotate->lacking = annotate->lacking ?: path;
}

static void put_line(struct annotate *annotate, const struct annotated *code,
		     const struct hot_insn *insn, struct annotated_line *last)
{
	const struct path_place at = annotated_place(code, insn);
	char *text;

	if (!annotated_next_line(&annotate->hot, code, insn, last))
		return;
	printf("%*s", LEFT, "");
	plain_put(stdout, basename(last->path));
	printf(":%u", last->number);
	if (last->inlined) {
		fputs(" in ", stdout);
		plain_put(stdout, last->inlined);
	}
	source_compare(annotate->listing, annotate->hot.code, &at, last->path);
	text = source_line(annotate->listing, last->path, last->number);
	fputs(text ? "  " : "", stdout);
	plain_put(stdout, text ?: "");
	putchar('\n');
	if (!text)
		note_lacking(annotate, last->path);
	free(text);
}

void annotate_text(struct annotate *annotate, const struct annotated *code)
{
	const struct hot *hot = &annotate->hot;
	const struct hot_function *f = &hot->functions[code->function];
	struct annotated_line last = { 0 };
	size_t i, out;

	hot_print_function(stdout, hot, code->function);
	printf(": %.1f%% of all that ran, entered %" PRIu64 " times\n\n", 100 * f->share,
	       hot_transfers(hot, f->entries));
	printf("%10s  %6s  %9s  %s\n", "ran", "share", "at", "instruction");
	for (i = 0; i < code->nr; i += out ? out : 1) {
		out = annotate->all ? 0 : annotated_left_out(code, i);
		if (out) {
			printf("%*s", LEFT, "");
			annotated_put_left_out(stdout, code, i, out);
			putchar('\n');
			continue;
		}
		put_line(annotate, code, &code->v[i], &last);
		put_loop(annotated_loop(hot, &code->v[i]));
		put_insn(annotate, code, &code->v[i]);
	}
}
