// SPDX-License-Identifier: GPL-2.0-only
/* ssctr profile: recordings → what compilers and BOLT optimise by. */
#include "base/array.h"
#include "profile/options.h"
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPT_MERGE = 0x2000 };

static const struct opt options[] = {
	PROF_OPTS_FIRST,
	{ OPT_MERGE, "merge", "FILE",
	  "one more recording whose counts are added; repeat it for more" },
	PROF_OPTS,
	REC_OPTS,
	{ 0 },
};

static const struct cmd cmd = {
	.name = "profile",
	.usage = "-b BINARY [-i perf.data] [-f FORMAT] -o FILE [option]...",
	.about =
		"Turn the branch stacks of recordings into a profile to build a program with:\n"
		"  llvm, llvm-ext  clang -fprofile-sample-use=FILE, as text or extbinary\n"
		"  gcov            gcc -fauto-profile=FILE\n"
		"  bolt            perf2bolt -pa -p FILE\n"
		"  profgen         llvm-profgen --unsymbolized-profile=FILE\n"
		"  autofdo         create_llvm_prof, create_gcov --profiler=text\n"
		"Record a program that was built with -g, with clang also with\n"
		"-fdebug-info-for-profiling; for BOLT with -Wl,--emit-relocs.",
	.example =
		"  perf record -b -e cycles:u ./program\n"
		"  ssctr profile -b ./program -o program.prof\n"
		"  clang -O2 -g -fdebug-info-for-profiling -fprofile-sample-use=program.prof ...",
	.opts = options,
};

/* The recordings that are merged. */
struct merge {
	const char **v;
	size_t nr, cap;
};

/* Count the samples of the recording at rec->path. CMD_OK or CMD_FAIL. */
static int count(struct rec *rec, struct prof_job *job, struct error *error)
{
	struct pd_event ev;
	int ret = rec_open(rec);

	if (ret)
		return ret;
	prof_job_begin(job, &rec->samples);
	while ((ret = rec_next(rec, &ev, error)) > 0) {
		ret = prof_job_sample(job, &ev);
		if (ret)
			break;
	}
	prof_job_end(job);
	return ret ? rec_error(rec, error) : CMD_OK;
}

static int count_all(struct rec *rec, struct prof_job *job,
		     const struct merge *merge, struct error *error)
{
	struct notes notes = { 0 };
	int ret = count(rec, job, error);
	size_t i;

	for (i = 0; !ret && i < merge->nr; i++) {
		rec_summary(rec, &notes);
		rec_end(rec);
		rec->path = merge->v[i];
		ret = count(rec, job, error);
	}
	return ret;
}

static int write_profiles(struct rec *rec, struct prof_job *job,
			  struct error *error)
{
	struct notes notes = { 0 };
	int ret = prof_job_close(job);

	if (prof_job_taken_by_name(job))
		cmd_error(&cmd,
			  "%s: taken by its name, as no build id tells whether it is what ran",
			  prof_job_taken_by_name(job));
	if (ret)
		return rec_error(rec, error);
	prof_job_note(job, &notes);
	rec_summary(rec, &notes);
	return CMD_OK;
}

static int profile(struct rec *rec, struct prof_opts *opts,
		   const struct merge *merge)
{
	struct prof_job *job;
	struct error error;
	int ret;

	opts->symfs = rec->opts.symfs;
	opts->build_id_dir = rec->opts.build_id_dir;
	job = prof_job_open(opts, &error);
	if (!job)
		return rec_error(rec, &error);
	ret = count_all(rec, job, merge, &error);
	if (!ret)
		ret = write_profiles(rec, job, &error);
	prof_job_free(job);
	return ret;
}

int cmd_profile(int argc, char **argv)
{
	struct prof_opts prof = PROF_OPTS_INIT;
	struct merge merge = { 0 };
	struct cmd_opts opts;
	struct error error;
	int id, ret = CMD_OK;
	struct rec rec;

	rec_init(&rec, &cmd);
	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0) {
		if (rec_has_option(id))
			ret = rec_option(&rec, &opts, id);
		else if (id != OPT_MERGE && prof_option(&prof, id, opts.arg, &error))
			ret = cmd_usage(&cmd, "%s", error.text);
		else if (id == OPT_MERGE &&
			 !array_room(&merge.v, merge.nr, &merge.cap,
				     sizeof(*merge.v)))
			ret = cmd_error(&cmd, "out of memory");
		else if (id == OPT_MERGE)
			merge.v[merge.nr++] = opts.arg;
	}
	if (!ret && id == CMD_OPT_EXIT)
		ret = opts.status;
	else if (!ret && opts.argc)
		ret = cmd_usage(&cmd, "%s: give the recording with -i",
				opts.argv[0]);
	else if (!ret && prof_check_opts(&prof, &error))
		ret = cmd_usage(&cmd, "%s", error.text);
	else if (!ret)
		ret = profile(&rec, &prof, &merge);
	free(merge.v);
	rec_close(&rec);
	return ret;
}
