// SPDX-License-Identifier: GPL-2.0-only
/* ssctr diff: what changed from one recording to another. */
#include "diff.h"
#include "base/plain.h"
#include "base/units.h"
#include "hot_json.h"
#include "hot_print.h"
#include "recording_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_LIMIT = 'n',
	OPT_ALL = 'a',
	OPT_JSON = 0x2000,
	OPT_HTML,
};

enum { LIMIT = 10 };

static const struct opt options[] = {
	SAMPLES_OPTS,
	{ OPT_LIMIT, "limit", "N", "show the N largest changes of each kind (default: 10)" },
	{ OPT_ALL, "all", NULL, "show also changes that may be chance" },
	{ OPT_JSON, "json", NULL, "print one JSON object with all that is compared" },
	{ OPT_HTML, "html", "FILE", "write an HTML page to FILE, with the same lines and with bars" },
	REC_HOW_OPTS,
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "diff",
	.usage = "[option]... OLD NEW",
	.about =
		"Compare two recordings of the same program, or of two builds of it. Show:\n"
		"  functions  whose share of all instructions that ran changed\n"
		"  loops      whose share or whose trips changed\n"
		"  branches   that are taken more often or less often\n"
		"A change is shown only if it is larger than chance makes it in one of a\n"
		"thousand cases.",
	.example = "  ssctr diff old.data new.data\n"
		   "  ssctr diff --code old/sort --code new/sort old.data new.data",
	.opts = options,
};

const char *const diff_names[HOT_NR_DIFFS] = {
	[HOT_DIFF_FUNCTIONS] = "functions",
	[HOT_DIFF_LOOPS] = "loops",
	[HOT_DIFF_BRANCHES] = "branches",
};

const struct hot *diff_where(const struct both *both, const struct hot_change *change,
			     uint32_t *number)
{
	const bool is_new = change->now != HOT_NOWHERE;

	*number = is_new ? change->now : change->old;
	return &both->hot[is_new];
}

void diff_trips(const struct hot *hot, uint32_t number, char mean[24])
{
	char range[40];

	strcpy(mean, "-");
	if (number != HOT_NOWHERE)
		hot_trips_text(&hot->loops[number].trips, mean, range);
}

/* --- for those who read it --- */

static void print_change(const struct both *both, unsigned int which,
			 const struct hot_change *change)
{
	const struct hot *hot;
	char was[24], is[24];
	uint32_t number;

	hot = diff_where(both, change, &number);
	if (change->old != HOT_NOWHERE)
		printf("%6.1f%%  ", 100 * change->was);
	else
		printf("%7s  ", "-");
	if (change->now != HOT_NOWHERE)
		printf("%6.1f%%  ", 100 * change->is);
	else
		printf("%7s  ", "-");
	printf("%+7.1f  ", 100 * (change->is - change->was));
	if (which == HOT_DIFF_LOOPS) {
		diff_trips(&both->hot[0], change->old, was);
		diff_trips(&both->hot[1], change->now, is);
		printf("%9s  %9s  ", was, is);
	}
	if (which == HOT_DIFF_FUNCTIONS)
		hot_print_function(stdout, hot, number);
	else
		hot_print_place(stdout, hot, hot_diff_place(which, hot, number));
	putchar('\n');
}

static void print_list(const struct both *both, unsigned int which)
{
	static const char *const columns[HOT_NR_DIFFS] = {
		[HOT_DIFF_FUNCTIONS] = "    old      new   change  function",
		[HOT_DIFF_LOOPS] = "    old      new   change  old trips  new trips  loop",
		[HOT_DIFF_BRANCHES] = "    old      new   change  branch",
	};
	const struct hot_diff *diff = &both->diff;
	size_t i, nr = diff_wanted(both, which);

	printf("\n%zu of %zu %s changed%s\n", diff->beyond[which], diff->nr[which],
	       diff_names[which], which == HOT_DIFF_BRANCHES ? ": how often they are taken" : "");
	if (nr && both->limit)
		printf("\n%s\n", columns[which]);
	for (i = 0; i < nr && i < both->limit; i++)
		print_change(both, which, &diff->v[which][i]);
}

static void print_text(const struct both *both)
{
	static const char *const which[] = { "old", "new" };
	double coverage;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		printf("%s: %" PRIu64 " transfers in %" PRIu64 " samples of ", which[i],
		       both->hot[i].transfers, both->hot[i].samples);
		plain_put(stdout, both->rec[i].path);
		fputs(", coverage ", stdout);
		coverage = rec_coverage(&both->rec[i]);
		if (coverage < 0)
			puts("not known");
		else
			printf("%.1f%%\n", units_percent(coverage));
	}
	for (i = 0; i < HOT_NR_DIFFS; i++)
		print_list(both, i);
}

/* --- for programs --- */

static void json_side(struct text *text, const char *name, unsigned int which,
		      const struct hot *hot, uint32_t number, double share)
{
	text_json_str(text, ",", name);
	if (number == HOT_NOWHERE) {
		text_str(text, ":null");
		return;
	}
	text_fmt(text, ":{\"%s\":%.6f", which == HOT_DIFF_BRANCHES ? "probability" : "share",
		 share);
	if (which == HOT_DIFF_LOOPS)
		hot_json_trips(text, &hot->loops[number].trips);
	if (which == HOT_DIFF_FUNCTIONS) {
		text_str(text, ",");
		hot_json_function(text, hot, number);
	} else {
		hot_json_place(text, hot, ",\"place\":", hot_diff_place(which, hot, number));
	}
	text_str(text, "}");
}

static void json_change(struct text *text, const struct both *both, unsigned int which,
			const struct hot_change *change)
{
	text_str(text, "{\"changed\":");
	text_str(text, change->beyond ? "true" : "false");
	json_side(text, "old", which, &both->hot[0], change->old, change->was);
	json_side(text, "new", which, &both->hot[1], change->now, change->is);
	text_str(text, "}");
}

/* The sides are last: what they lack is known when all is named. */
static void print_json(struct both *both)
{
	static const char *const sides[] = { ",\"old\":{", ",\"new\":{" };
	static struct text text;
	unsigned int i;
	size_t k;

	for (i = 0; i < HOT_NR_DIFFS; i++) {
		text_json_str(&text, i ? "," : "{", diff_names[i]);
		text_str(&text, ":[");
		for (k = 0; k < both->diff.nr[i]; k++) {
			text_str(&text, k ? "," : "");
			json_change(&text, both, i, &both->diff.v[i][k]);
		}
		text_str(&text, "]");
	}
	for (i = 0; i < 2; i++) {
		text_str(&text, sides[i]);
		text_json_dec(&text, "\"samples\":", both->hot[i].samples);
		text_json_dec(&text, ",\"transfers\":", both->hot[i].transfers);
		text_json_dec(&text, ",\"empty_samples\":", rec_empty(&both->rec[i]));
		text_json_share(&text, ",\"coverage\":",
				rec_coverage(&both->rec[i]));
		rec_json(&text, &both->rec[i], &both->hot[i]);
		text_str(&text, "}");
	}
	notes_json(&both->notes, &text);
	text_str(&text, "}");
	text_line(&text);
	text_flush(&text);
}

/* --- */

/* Two builds of a program under names of their own: so much of both recordings. */
#define ALONE 0.1

/* In a note of what could not be compared. */
static void note_left_out(struct both *both)
{
	const struct hot_alone *old = &both->diff.alone[0], *now = &both->diff.alone[1];
	const struct hot_diff *diff = &both->diff;

	if (old->share >= ALONE && now->share >= ALONE)
		notes_say(&both->notes, "not compared",
			  "%.1f%% of the old recording is in %s and %.1f%% of the new one is in %s, and the other recording has no function of it; if they are two builds of one program, record both under the same file name",
			  100 * old->share, old->binary, 100 * now->share, now->binary);
	if (diff->other_build)
		notes_say(&both->notes, "not compared",
			  "%zu loops and %zu branches: %s is of another build in each recording, and without its functions and lines only its whole share can be compared; name both files with --code",
			  diff->left_out[HOT_DIFF_LOOPS], diff->left_out[HOT_DIFF_BRANCHES],
			  diff->other_build);
}

static const struct pd_dso *kernel_of(const struct rec *rec)
{
	return pd_space_kernel(rec->counts ? rec->counted.space : rec->samples.space).dso;
}

/* A list of the kernel's symbols does not tell which kernel it is of. */
static int check_list(const struct both *both)
{
	const struct pd_dso *old = kernel_of(&both->rec[0]), *now = kernel_of(&both->rec[1]);

	if (!both->rec[0].opts.kallsyms || !old || !now ||
	    !memcmp(old->build_id, now->build_id, sizeof(old->build_id)))
		return CMD_OK;
	return cmd_error(&cmd, "--kallsyms %s: the recordings are of two kernels, and the list is of one; name a folder that has the vmlinux of both with --code",
			 both->rec[0].opts.kallsyms);
}

static int find(struct both *both)
{
	unsigned int i;
	int ret;

	for (i = 0; i < 2; i++) {
		ret = rec_find_hot(&both->rec[i], &both->hot[i]);
		if (!ret)
			ret = rec_needs_all(&both->rec[i], &both->hot[i]);
		if (ret)
			return ret;
	}
	ret = check_list(both);
	if (ret)
		return ret;
	return hot_diff(&both->hot[0], &both->hot[1], &both->diff) ?
		       CMD_OK : cmd_error(&cmd, "out of memory");
}

static int show(struct both *both, bool json, const char *html)
{
	int ret;

	if (!cmd_keeps_input_of(&cmd, "--html", html, both->rec[0].path) ||
	    !cmd_keeps_input_of(&cmd, "--html", html, both->rec[1].path))
		return CMD_FAIL;
	ret = find(both);
	if (!ret)
		note_left_out(both);
	if (!ret && html)
		ret = page_write(&cmd, html, &diff_page, both);
	else if (!ret && json)
		print_json(both);
	else if (!ret)
		print_text(both);
	if (!ret) {
		/* Before the lines on files, which say where they were looked for. */
		notes_write(&both->notes, stderr);
		rec_printed(&both->rec[0], &both->hot[0]);
		rec_printed(&both->rec[1], &both->hot[1]);
	}
	return ret;
}

int cmd_diff(int argc, char **argv)
{
	struct both both = { .limit = LIMIT };
	const char *html = NULL;
	struct cmd_opts opts;
	bool json = false;
	int id, ret = CMD_OK;

	rec_init(&both.rec[0], &cmd);
	rec_init(&both.rec[1], &cmd);
	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0) {
		switch (id) {
		case OPT_LIMIT:
			if (!cmd_opts_u64(&opts, &both.limit))
				ret = CMD_USAGE;
			break;
		case OPT_ALL:
			both.all = true;
			break;
		case OPT_JSON:
			json = true;
			break;
		case OPT_HTML:
			html = opts.arg;
			break;
		default:
			ret = rec_option(&both.rec[0], &opts, id);
			if (!ret)
				ret = rec_option(&both.rec[1], &opts, id);
		}
	}
	if (!ret && id == CMD_OPT_EXIT) {
		ret = opts.status;
	} else if (!ret && opts.argc != 2) {
		ret = cmd_usage(&cmd, "two recordings are needed, and %d given", opts.argc);
	} else if (!ret && json && html) {
		ret = cmd_usage(&cmd, "--json and --html cannot be used together");
	} else if (!ret) {
		both.rec[0].path = opts.argv[0];
		both.rec[1].path = opts.argv[1];
		ret = show(&both, json, html);
	}
	notes_free(&both.notes);
	hot_diff_free(&both.diff);
	hot_free(&both.hot[0]);
	hot_free(&both.hot[1]);
	rec_close(&both.rec[0]);
	rec_close(&both.rec[1]);
	return ret;
}
