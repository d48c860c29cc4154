// SPDX-License-Identifier: GPL-2.0-only
#include "recording.h"
#include "base/file.h"
#include "hot/misfit.h"
#include "hot/nameless.h"
#include "screen.h"
#include "tally/note.h"
#include "trace_input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_PATH "perf.data"

void rec_init(struct rec *rec, const struct cmd *cmd)
{
	*rec = (struct rec){
		.cmd = cmd,
		.opts = SAMPLES_OPTS_INIT,
		.percent = UINT32_MAX,
	};
}

bool rec_has_option(int id)
{
	return id == REC_OPT_INPUT || id == REC_OPT_RAW || id == REC_OPT_NO_DEMANGLE ||
	       samples_has_option(id);
}

int rec_option(struct rec *rec, const struct cmd_opts *opts, int id)
{
	struct error error;

	if (id == REC_OPT_INPUT) {
		rec->path = opts->arg;
		return CMD_OK;
	}
	if (id == REC_OPT_RAW || id == REC_OPT_NO_DEMANGLE) {
		rec->how.raw |= id == REC_OPT_RAW;
		rec->how.mangled |= id == REC_OPT_NO_DEMANGLE;
		return CMD_OK;
	}
	switch (samples_option(&rec->opts, id, opts->arg, &error)) {
	case 0:
		return CMD_OK;
	case ERROR_USAGE:
		return cmd_usage(rec->cmd, "%s", error.text);
	default:
		return cmd_error(rec->cmd, "%s", error.text);
	}
}

bool rec_operand(struct rec *rec, const struct cmd_opts *opts)
{
	if (opts->argc) {
		rec->path = cmd_opts_input(opts, rec->path);
		return rec->path;
	}
	rec_default(rec);
	return true;
}

void rec_default(struct rec *rec)
{
	if (!rec->path)
		rec->path = DEFAULT_PATH;
}

static void show_progress(void *arg)
{
	struct rec *rec = arg;
	uint64_t size = pd_size(rec->samples.pd);
	unsigned int percent =
		size ? 100 * pd_position(rec->samples.pd) / size : 0;

	if (!size || percent == rec->percent)
		return;
	rec->percent = percent;
	fprintf(stderr, "\r%s: %u %%\r", rec->path, percent);
}

static void clear_progress(struct rec *rec)
{
	if (rec->percent != UINT32_MAX)
		fputs("\r\033[K", stderr);
	rec->percent = UINT32_MAX;
}

int rec_error(struct rec *rec, const struct error *error)
{
	clear_progress(rec);
	return cmd_error(rec->cmd, "%s", error->text);
}

#define COUNTS_HINT \
	"; it is a counts file, which `ssctr profile`, `report`, `annotate`, `diff`, `merge` and `export` read"

/* What may have been meant instead. */
static const char *hint(const struct rec *rec)
{
	if (!strcmp(rec->path, DEFAULT_PATH) && access(rec->path, F_OK))
		return "; name a recording, or make one with `ssctr record`";
	if (cf_is_countfile(rec->path))
		return COUNTS_HINT;
	return trace_input_hint(rec->path);
}

int rec_failed(struct rec *rec, int ret, const struct error *error)
{
	rec_error(rec, error);
	return ret == ERROR_PARTIAL ? CMD_PARTIAL : CMD_FAIL;
}

int rec_open(struct rec *rec)
{
	struct error error;

	/* A trace for each thread, and the files that ran, may be open at the same time. */
	file_raise_limit();
	if (samples_open(&rec->samples, rec->path, &rec->opts, &error))
		return cmd_error(rec->cmd, "%s%s", error.text, hint(rec));
	rec->samples.progress_arg = rec;
	if (screen_has(STDERR_FILENO))
		rec->samples.progress = show_progress;
	return CMD_OK;
}

int rec_open_counts(struct rec *rec)
{
	struct error error;

	file_raise_limit();
	if (cf_reader_open(&rec->counts, rec->path, &error))
		return cmd_error(rec->cmd, "%s", error.text);
	return CMD_OK;
}

const char *rec_hint(const char *path)
{
	struct pd *pd = NULL;
	bool is = cmd_is_file(path) && !pd_open(&pd, path);

	pd_close(pd);
	if (cf_is_countfile(path))
		return COUNTS_HINT;
	return is ? "; it is a recording, which `ssctr report`, `stf` and `profile` read" :
		    "";
}

int rec_next(struct rec *rec, struct pd_event *ev, struct error *error)
{
	int ret = samples_next(&rec->samples, ev, error);

	if (ret <= 0)
		clear_progress(rec);
	return ret;
}

int rec_begin_hot(struct rec *rec, struct hot *hot)
{
	const struct rec_how *how = &rec->how;
	unsigned int flags = how->no_trips ? 0 : HOT_TRIPS_TOO;
	int ret;

	*hot = (struct hot){ 0 };
	ret = rec_open(rec);
	if (ret)
		return ret;
	/* What ran between calls alone is not known. */
	if (samples_have_all_branches(&rec->samples))
		flags |= HOT_ALL | (how->raw ? 0 : HOT_WEIGHED);
	hot_begin(hot, rec->samples.code, flags);
	return CMD_OK;
}

/* All branches have weights, which see to it. */
bool rec_count_hot(struct rec *rec, struct hot *hot, const struct pd_event *ev)
{
	return hot_count(hot, ev) && (hot->how & HOT_ALL || repeats_sample(&rec->repeats, ev));
}

int rec_end_hot(struct rec *rec, struct hot *hot, int ret, const struct error *error)
{
	char why[256];

	if (ret < 0)
		return rec_error(rec, error);
	if (!hot_settle(hot))
		return cmd_error(rec->cmd, "out of memory");
	if (!hot->counts.entries && hot->counts.call_stacks) {
		if (!rec->how.call_stacks)
			return cmd_error(rec->cmd, "%s: " SAMPLES_CALL_STACKS, rec->path);
	} else if (!hot->counts.entries && hot->counts.empty < hot->counts.samples) {
		return cmd_error(rec->cmd, "%s: " SAMPLES_LEFT_OUT, rec->path);
	} else if (!hot->counts.entries) {
		return cmd_error(rec->cmd, "%s: no %s%s", rec->path,
				 hot->counts.samples ? "branch stack in any sample" :
						       "samples",
				 rec->counts ? "" : samples_none(&rec->samples, why, sizeof(why)));
	}
	if (!hot_find(hot))
		return cmd_error(rec->cmd, "out of memory");
	if (!rec->how.mangled)
		hot_demangle(hot);
	return CMD_OK;
}

/* Of a counts file. */
static int find_counted(struct rec *rec, struct hot *hot)
{
	const struct rec_how *how = &rec->how;
	unsigned int flags = HOT_SUMS | (how->no_trips ? 0 : HOT_TRIPS_TOO);
	struct error error;
	int ret = rec_open_counts(rec);

	*hot = (struct hot){ 0 };
	if (ret)
		return ret;
	if (samples_refuse_selection(&rec->opts, rec->path, &error) ||
	    samples_check_places(&rec->opts, &error) ||
	    hot_counted_open(&rec->counted, rec->counts, &rec->opts, &error))
		return rec_error(rec, &error);
	if (cf_reader_head(rec->counts)->all_branches)
		flags |= HOT_ALL | (how->raw ? 0 : HOT_WEIGHED);
	hot_begin(hot, rec->counted.code, flags);
	ret = hot_counted_add(&rec->counted, hot, &error);
	return rec_end_hot(rec, hot, ret, &error);
}

int rec_needs_all(const struct rec *rec, const struct hot *hot)
{
	if (hot->how & HOT_ALL)
		return CMD_OK;
	return cmd_error(rec->cmd,
			 "%s: some kinds of branches were not recorded, so it is not known what ran; record with `perf record -b`",
			 rec->path);
}

const char *rec_kinds(const struct rec *rec, char *text, size_t size)
{
	unsigned int at = 0;
	const char *kind;
	size_t n = 0;

	*text = 0;
	if (rec->counts) {
		snprintf(text, size, "%s", cf_reader_head(rec->counts)->all_branches ? "" : "not all");
	} else if (!samples_have_all_branches(&rec->samples)) {
		while ((kind = pd_next_kind(samples_filter(&rec->samples), &at)) && n < size)
			n += snprintf(text + n, size - n, "%s%s", n ? ", " : "", kind);
		if (n < size)
			snprintf(text + n, size - n, "%sonly", n ? " " : "none, ");
	}
	return text;
}

double rec_coverage(const struct rec *rec)
{
	return rec->counts ? tally_least_coverage(cf_reader_head(rec->counts)) :
			     samples_least_coverage(&rec->samples);
}

uint64_t rec_empty(const struct rec *rec)
{
	return rec->counts ? cf_reader_head(rec->counts)->empty : rec->samples.empty;
}

int rec_find_hot(struct rec *rec, struct hot *hot)
{
	struct error error;
	struct pd_event ev;
	int ret;

	if (cf_is_countfile(rec->path))
		return find_counted(rec, hot);
	ret = rec_begin_hot(rec, hot);
	if (ret)
		return ret;
	while ((ret = rec_next(rec, &ev, &error)) > 0)
		if (!rec_count_hot(rec, hot, &ev))
			return cmd_error(rec->cmd, "out of memory");
	return rec_end_hot(rec, hot, ret, &error);
}

/* Which files are missing is known at the end. */
static void note(const struct rec *rec, struct notes *notes)
{
	if (!rec->counts) {
		samples_note_coverage(&rec->samples, notes);
		samples_note(&rec->samples, notes);
		return;
	}
	tally_note_head(cf_reader_head(rec->counts), notes);
	tally_note_lacking(cf_reader_head(rec->counts), rec->counted.lacking, notes);
	notes_count(notes, rec->counted.unplaced,
		    "transfers within memory without a file, which a counts file has no addresses of; they are in the shares, but edges, branches and targets are not listed there");
	notes_count(notes, rec->counted.nr_nameless,
		    "kernels of other builds, whose functions have no names here");
	if (rec->counted.img)
		samples_note_files(rec->counted.img, notes);
}

void rec_summary(struct rec *rec, struct notes *notes)
{
	clear_progress(rec);
	note(rec, notes);
	notes_write(notes, stderr);
	notes_free(notes);
}

/* Fewer change little in what is most frequent. */
#define MANY_REPEATS 0.1

static void note_repeats(const struct repeats *r, struct notes *notes)
{
	if (r->seen && (double)r->seen >= MANY_REPEATS * (double)r->entries)
		notes_add(notes, r->seen,
			  "transfers (%.1f %%) are also in the stack of the sample before, because few branches of the recorded kinds ran in between: the counts tell in how many samples a transfer is, and not how often it ran; record with a longer period (-c), or all kinds of branches (`perf record -b`)",
			  100 * (double)r->seen / (double)r->entries);
}

const struct notes *rec_notes(struct rec *rec, const struct hot *hot)
{
	struct notes *notes = &rec->notes;

	if (rec->noted)
		return notes;
	rec->noted = true;
	hot_note_misfits(hot, notes);
	hot_note_nameless(hot, notes);
	if (!rec->how.call_stacks)
		notes_count(notes, hot->call_stacks, SAMPLES_CALL_STACKS_LEFT_OUT);
	if (!rec->counts)
		samples_note_events(&rec->samples, notes);
	note_repeats(&rec->repeats, notes);
	note(rec, notes);
	return notes;
}

void rec_printed(struct rec *rec, const struct hot *hot)
{
	if (fflush(stdout) || ferror(stdout))
		return;
	clear_progress(rec);
	notes_write(rec_notes(rec, hot), stderr);
}

uint64_t rec_lost(const struct rec *rec)
{
	return rec->counts ? cf_reader_head(rec->counts)->lost : samples_lost(&rec->samples);
}

bool rec_throttled(const struct rec *rec, uint64_t *times)
{
	if (!rec->counts)
		*times = pd_stats(rec->samples.pd)->throttled;
	return !rec->counts;
}

void rec_end(struct rec *rec)
{
	samples_close(&rec->samples);
	hot_counted_close(&rec->counted);
	cf_reader_close(rec->counts);
	rec->counts = NULL;
	repeats_free(&rec->repeats);
	notes_free(&rec->notes);
	rec->noted = false;
}

void rec_close(struct rec *rec)
{
	rec_end(rec);
	samples_opts_free(&rec->opts);
}
