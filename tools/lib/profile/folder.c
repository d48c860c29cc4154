// SPDX-License-Identifier: GPL-2.0-only
#include "profile/internal.h"
#include "base/array.h"
#include "base/outfile.h"
#include "base/plain.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Has another binary files of these names? */
static bool is_taken(const struct prof_job *job, const char *output)
{
	size_t i;

	for (i = 0; i < job->cap_seen; i++)
		if (job->seen[i].output && !strcmp(job->seen[i].output, output))
			return true;
	return false;
}

/*
 * DIR/NAME-BUILDID: its files' names without the format. The kernel and its modules have
 * those of their files, which are no names in brackets. Without a build id, programs of the
 * same name are NAME, NAME-2, ... False: out of memory.
 */
static bool name_output(struct prof_job *job, const struct prof_binary *b)
{
	const char *name = basename(b->kernel ? job->code->path : b->name);
	char id[2 * sizeof(b->build_id) + 1], which[16] = "";
	unsigned int nr = 1;

	img_print_build_id(id, b->build_id, b->build_id_size);
	id[8] = 0;
	while (asprintf(&job->output, "%s/%s%s%s%s", job->opts.output, name,
			*id ? "-" : "", id, which) >= 0) {
		if (!is_taken(job, job->output))
			return true;
		free(job->output);
		snprintf(which, sizeof(which), "-%u", ++nr);
	}
	job->output = NULL;
	return false;
}

/* A line, in which the names of files are from the recording. */
static void __attribute__((format(printf, 2, 3))) tell(FILE *summary, const char *format, ...)
{
	va_list args;
	char *line;
	int n;

	va_start(args, format);
	n = vasprintf(&line, format, args);
	va_end(args);
	if (n < 0)
		return;
	plain_line(summary, line);
	free(line);
}

/* What the error tells is of this binary alone. */
static void tell_why_not(struct prof_job *job, FILE *summary)
{
	plain_line(summary, job->error->text);
	if (!job->nr_without++ && !job->nr_lacking)
		job->why_not = *job->error;
}

/*
 * Those that were asked for and are this binary, maybe by two names, have had their profile,
 * or cannot.
 */
static void tell_own(struct prof_job *job, const struct prof_binary *b)
{
	const enum prof_match match = prof_match_one(job->code, b);
	size_t i;

	for (i = 0; i < job->opts.nr_binaries; i++)
		if (prof_match_one(&job->own[i].code, b) >= match)
			job->own[i].told = true;
}

static void tell_lacking(struct prof_job *job, const struct prof_binary *b, FILE *summary)
{
	if (!*job->why_lacking)
		return;
	tell(summary, "%s: %s", b->name, job->why_lacking);
	if (!job->nr_without && !job->nr_lacking)
		error_set(&job->why_not, ERROR_INPUT, "%s", job->why_lacking);
	job->nr_lacking++;
}

static void tell_made(struct prof_job *job, const struct prof_binary *b, FILE *summary)
{
	struct notes notes = { 0 };
	size_t i;

	tell(summary, "%s: %s, %" PRIu64 " transfers%s, %.1f %% of its straight lines%s", b->name,
	     job->output, prof_job_transfers(job, job->prof.entries), prof_job_by_weight(job),
	     units_percent(job->used),
	     job->by_name ? ", used because of its name; no build id tells whether it is the file that ran" :
			    "");
	prof_job_note_left_out(job, &notes);
	for (i = 0; i < notes.nr; i++)
		tell(summary, "%s: %" PRIu64 " %s", b->name, notes.v[i].number, notes.v[i].text);
	notes_free(&notes);
	tell_lacking(job, b, summary);
}

/* One of several; its line of the summary says what became of it. */
static int make_one(struct prof_job *job, unsigned int number, FILE *summary)
{
	const struct prof_binary *b = &job->places.binaries[number];
	int ret = 0;
	size_t i;

	if (job->seen[number].done || b->made)
		return 0;
	job->code = prof_job_code(job, number);
	if (job->seen[number].state == NO_MEMORY)
		return error_nomem(job->error);
	if (!job->code && !job->opts.all)
		return 0;
	if (!job->code) {
		error_set(job->error, ERROR_INPUT,
			  "%s: not found, or not as it was recorded; name a place that has it with --code",
			  b->name);
		tell_why_not(job, summary);
		return 0;
	}
	ret = prof_job_match(job, job->opts.all ? number : 0);
	if (ret)
		return ret;
	/* Another program of the same name. */
	if (!job->is_mine[number])
		return 0;
	if (!name_output(job, b))
		return error_nomem(job->error);
	ret = prof_job_make(job);
	for (i = 0; i < job->places.nr_binaries; i++)
		job->seen[i].done |= job->is_mine[i];
	if (!ret) {
		tell_made(job, b, summary);
		job->nr_made++;
		job->seen[number].output = job->output;
		job->output = NULL;
	} else if (ret == ERROR_INPUT || ret == ERROR_PARTIAL) {
		tell_why_not(job, summary);
		ret = 0;
	}
	prof_job_forget(job);
	tell_own(job, b);
	return ret;
}

/* A binary that was asked for, and that nothing led to. */
static void tell_missing(struct prof_job *job, struct own *own, FILE *summary)
{
	job->code = &own->code;
	if (!prof_job_match(job, 0) && !prof_job_derive(job))
		error_set(job->error, ERROR_INPUT, "%s: no transfer to it was recorded",
			  job->code->path);
	tell_why_not(job, summary);
	prof_job_forget(job);
}

/* None of so many binaries has a profile. Code that the kernel made is none of them. */
static int refuse_all(struct prof_job *job, size_t nr)
{
	if (job->opts.all && !nr)
		return error_set(job->error, ERROR_INPUT,
				 "%s: only code that the kernel made ran, such as BPF programs, and recordings do not have it",
				 job->recording);
	return error_set(job->error, ERROR_INPUT,
			 "%s: none of %zu binaries that %s has a profile: %s", job->recording,
			 job->opts.all ? nr : job->opts.nr_binaries,
			 job->opts.all ? "ran" : "-b names", job->why_not.text);
}

/* The binary with the most transfers first. */
static int make_each(struct prof_job *job, FILE *summary)
{
	struct count_list list;
	size_t i, nr = 0;
	int ret = 0;

	if (!array_cover(&job->seen, job->places.nr_binaries, &job->cap_seen, sizeof(*job->seen)) ||
	    !prof_parts_make(&job->parts, &job->counts, job->places.nr_binaries) ||
	    !prof_job_rank(job, &list))
		return error_nomem(job->error);
	for (i = 0; !ret && i < list.nr; i++) {
		nr += !job->places.binaries[list.v[i].number].made;
		ret = make_one(job, list.v[i].number, summary);
	}
	free(list.v);
	for (i = 0; !ret && i < job->opts.nr_binaries; i++)
		if (!job->own[i].told)
			tell_missing(job, &job->own[i], summary);
	return ret || job->nr_made ? ret : refuse_all(job, nr);
}

/* The summary, and before its end all profiles. */
static int make_summary(struct prof_job *job, const char *path)
{
	int ret = prof_inputs_keep(&job->inputs, path, job->error);
	struct outfile out;

	if (ret)
		return ret;
	if (outfile_open(&out, path))
		return error_set(job->error, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
	fflush(job->recorded);
	fwrite(job->recorded_text, 1, job->recorded_size, out.file);
	ret = make_each(job, out.file);
	if (outfile_close(&out, !ret) && !ret)
		ret = error_set(job->error, ERROR_OUTPUT, "%s: %s", path,
				strerror(errno));
	return ret;
}

int prof_job_make_folder(struct prof_job *job)
{
	const bool is_new = !mkdir(job->opts.output, 0777);
	char *path;
	int ret;

	if (!is_new && errno != EEXIST)
		return error_set(job->error, ERROR_OUTPUT, "%s: %s",
				 job->opts.output, strerror(errno));
	if (asprintf(&path, "%s/summary", job->opts.output) < 0)
		return error_nomem(job->error);
	ret = make_summary(job, path);
	free(path);
	/* A folder of the user stays. */
	if (ret && is_new)
		rmdir(job->opts.output);
	return ret;
}
