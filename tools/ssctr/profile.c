// SPDX-License-Identifier: GPL-2.0-only
/* ssctr profile: recordings → what compilers and BOLT optimise by. */
#include "profile/options.h"
#include "recording.h"

static const struct opt options[] = {
	PROF_OPTS,
	REC_OPTS,
	SAMPLES_PARTIAL_OPT,
	{ 0 },
};

static const struct cmd cmd = {
	.name = "profile",
	.usage = "-b BINARY|--all -o FILE [[-i] perf.data] [option]...",
	.about =
		"Make a profile from the branch stacks of recordings, or from counts files, for:\n"
		"  llvm, llvm-ext  clang -fprofile-sample-use=FILE, as text or extbinary\n"
		"  gcov            gcc -fauto-profile=FILE\n"
		"  bolt            perf2bolt -pa -p FILE\n"
		"  profgen         llvm-profgen --unsymbolized-profile=FILE\n"
		"  go              go build -pgo=FILE\n"
		"Build the program that you record with -g. With clang, add\n"
		"-fdebug-info-for-profiling. For BOLT, use -Wl,--emit-relocs. If clang built it\n"
		"with -fpseudo-probe-for-profiling -mno-relax, the profile uses pseudo-probes.",
	.example =
		"  perf record -b -e cycles:u ./program\n"
		"  ssctr profile -b ./program -o program.prof\n"
		"  clang -O2 -g -fdebug-info-for-profiling -fprofile-sample-use=program.prof ...",
	.opts = options,
};

static int add_recording(struct rec *rec, struct prof_job *job, struct error *error)
{
	int ret = rec_open(rec);

	if (ret)
		return ret;
	return prof_job_add(job, &rec->samples) ? rec_error(rec, error) : CMD_OK;
}

static int add_counts(struct rec *rec, struct prof_job *job, struct error *error)
{
	int ret = rec_open_counts(rec);

	if (ret)
		return ret;
	return prof_job_add_counts(job, rec->counts, rec->path) ? rec_error(rec, error) :
								  CMD_OK;
}

/* The input was read. */
static void summarize(struct rec *rec, struct notes *notes)
{
	if (!rec->counts)
		samples_note_events(&rec->samples, notes);
	rec_summary(rec, notes);
}

/* Of all inputs those that are counts files, or the others. The last one stays open. */
static int add_all(struct rec *rec, struct prof_job *job, const struct prof_opts *opts,
		   const char *first, bool counts, struct error *error)
{
	struct notes notes = { 0 };
	int ret = CMD_OK;
	size_t i;

	for (i = 0; !ret && i <= opts->nr_merge; i++) {
		const char *path = i ? opts->merge[i - 1] : first;

		if (cf_is_countfile(path) != counts)
			continue;
		if (rec->samples.pd || rec->counts) {
			summarize(rec, &notes);
			rec_end(rec);
		}
		rec->path = path;
		ret = counts ? add_counts(rec, job, error) : add_recording(rec, job, error);
	}
	return ret;
}

static int count(struct rec *rec, struct prof_job *job,
		 const struct prof_opts *opts, struct error *error)
{
	const char *first = rec->path;

	return add_all(rec, job, opts, first, false, error) ?:
	       add_all(rec, job, opts, first, true, error);
}

static int write_profiles(struct rec *rec, struct prof_job *job,
			  struct error *error)
{
	struct notes notes = { 0 };
	int ret = prof_job_close(job);

	if (!ret && prof_job_taken_by_name(job))
		cmd_error(&cmd,
			  "%s: used because of its name; no build id tells whether it is the file that ran",
			  prof_job_taken_by_name(job));
	if (ret)
		return rec_failed(rec, ret, error);
	prof_job_note(job, &notes);
	summarize(rec, &notes);
	return CMD_OK;
}

static int profile(struct rec *rec, struct prof_opts *opts)
{
	struct prof_job *job;
	struct error error;
	int ret;

	/* One of the others may be standard input. */
	if (!opts->nr_merge)
		cmd_take_pipe(&rec->path);
	opts->samples = &rec->opts;
	opts->input = rec->path;
	job = prof_job_open(opts, &error);
	if (!job)
		return rec_error(rec, &error);
	ret = count(rec, job, opts, &error);
	if (!ret)
		ret = write_profiles(rec, job, &error);
	prof_job_free(job);
	return ret;
}

int cmd_profile(int argc, char **argv)
{
	struct prof_opts prof = PROF_OPTS_INIT;
	struct cmd_opts opts;
	struct error error;
	int id, ret = CMD_OK;
	struct rec rec;

	rec_init(&rec, &cmd);
	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0) {
		if (rec_has_option(id))
			ret = rec_option(&rec, &opts, id);
		else if (prof_option(&prof, id, opts.arg, &error))
			ret = cmd_usage(&cmd, "%s", error.text);
	}
	if (!ret && id == CMD_OPT_EXIT)
		ret = opts.status;
	else if (!ret && !rec_operand(&rec, &opts))
		ret = CMD_USAGE;
	else if (!ret && prof_check_opts(&prof, &error))
		ret = cmd_usage(&cmd, "%s", error.text);
	else if (!ret)
		ret = profile(&rec, &prof);
	prof_opts_free(&prof);
	rec_close(&rec);
	return ret;
}
