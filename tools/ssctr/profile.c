// SPDX-License-Identifier: GPL-2.0-only
/* ssctr profile: recordings → what compilers and BOLT optimise by. */
#include "base/outfile.h"
#include "profile/gcov.h"
#include "profile/llvm.h"
#include "profile/match.h"
#include "profile/write.h"
#include "recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_BINARY = 'b',
	OPT_FORMAT = 'f',
	OPT_OUTPUT = 'o',
	OPT_MERGE = 0x2000,
	OPT_GCOV_VERSION,
	OPT_EVEN,
};

static const struct opt options[] = {
	{ OPT_BINARY, "binary", "FILE", "the program, library, vmlinux or module of the kernel to profile" },
	{ OPT_FORMAT, "format", "LIST",
	  "llvm (default), llvm-ext, gcov, bolt, profgen, autofdo" },
	{ OPT_OUTPUT, "output", "FILE",
	  "the profile; of several formats FILE.FORMAT; \"-\": stdout" },
	{ OPT_MERGE, "merge", "FILE",
	  "one more recording whose counts are added; repeat it for more" },
	{ OPT_GCOV_VERSION, "gcov-version", "N",
	  "of gcov: 2 for GCC 12 to 15 (default), 3 for GCC 16" },
	{ OPT_EVEN, "even", NULL,
	  "weigh each stack by the code that it spans: of samples by cycles or instructions, code with few branches has too many" },
	REC_OPTS,
	{ 0, NULL, NULL, NULL },
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

/* What a profile is by. */
enum by {
	BY_ADDRESS,
	BY_LLVM_LINE,
	BY_GCC_LINE,
	NR_BY,
};

struct job;

static int write_llvm(struct job *job, FILE *file);
static int write_llvm_ext(struct job *job, FILE *file);
static int write_gcov(struct job *job, FILE *file);
static int write_profgen(struct job *job, FILE *file);
static int write_autofdo(struct job *job, FILE *file);
static int write_bolt(struct job *job, FILE *file);

static const struct format {
	const char *name;
	enum by by;
	int (*write)(struct job *job, FILE *file); /* 0 or PD_ENOMEM */
} formats[] = {
	{ "llvm", BY_LLVM_LINE, write_llvm },
	{ "llvm-ext", BY_LLVM_LINE, write_llvm_ext },
	{ "gcov", BY_GCC_LINE, write_gcov },
	{ "profgen", BY_ADDRESS, write_profgen },
	{ "autofdo", BY_ADDRESS, write_autofdo },
	{ "bolt", BY_ADDRESS, write_bolt },
};

enum { NR_FORMATS = sizeof(formats) / sizeof(*formats) };

struct job {
	struct rec rec;
	const char *binary;
	const char *output;
	const struct format *formats[NR_FORMATS];
	unsigned int nr_formats;
	uint64_t gcov_version;
	bool even;
	const char **merge;
	unsigned int nr_merge;
	uint64_t left_out; /* samples of recordings before, by the options */
	struct prof_counts *counts;
	struct prof_code code;
	struct prof prof;
	struct prof_lines lines;
	struct prof_samples samples[NR_BY];
	bool *is_mine; /* by number of a binary */
	const char *filtered_by; /* a recording that lacks branches; NULL */
	char *path; /* of the binary below --symfs; NULL: as given */
};

static int write_llvm(struct job *job, FILE *file)
{
	return prof_write_llvm(&job->samples[BY_LLVM_LINE], file);
}

static int write_llvm_ext(struct job *job, FILE *file)
{
	return prof_write_llvm_ext(&job->samples[BY_LLVM_LINE], file);
}

static int write_gcov(struct job *job, FILE *file)
{
	return prof_write_gcov(&job->samples[BY_GCC_LINE], job->gcov_version,
			       file);
}

static int write_profgen(struct job *job, FILE *file)
{
	prof_write_profgen(&job->prof, file);
	return 0;
}

static int write_autofdo(struct job *job, FILE *file)
{
	prof_write_autofdo(&job->prof, file);
	return 0;
}

static int write_bolt(struct job *job, FILE *file)
{
	prof_write_bolt(&job->prof, file);
	return 0;
}

static bool parse_formats(struct job *job, const char *list)
{
	job->nr_formats = 0;
	while (*list) {
		size_t len = strcspn(list, ","), i, k;

		for (i = 0; i < NR_FORMATS; i++)
			if (!strncmp(formats[i].name, list, len) &&
			    !formats[i].name[len])
				break;
		if (i == NR_FORMATS)
			return false;
		for (k = 0; k < job->nr_formats; k++)
			if (job->formats[k] == &formats[i])
				return false;
		job->formats[job->nr_formats++] = &formats[i];
		list += len + !!list[len];
	}
	return job->nr_formats;
}

static int take_option(struct job *job, const struct cmd_opts *opts, int id)
{
	const char **merge;

	switch (id) {
	case OPT_BINARY:
		job->binary = opts->arg;
		return CMD_OK;
	case OPT_OUTPUT:
		job->output = opts->arg;
		return CMD_OK;
	case OPT_FORMAT:
		if (parse_formats(job, opts->arg))
			return CMD_OK;
		return cmd_usage(&cmd,
				 "--format %s: not a list of formats, each once",
				 opts->arg);
	case OPT_MERGE:
		merge = realloc(job->merge,
				(job->nr_merge + 1) * sizeof(*merge));
		if (!merge)
			return cmd_error(&cmd, "out of memory");
		job->merge = merge;
		job->merge[job->nr_merge++] = opts->arg;
		return CMD_OK;
	case OPT_GCOV_VERSION:
		if (!cmd_opts_u64(opts, &job->gcov_version))
			return CMD_USAGE;
		if (job->gcov_version == PROF_GCOV_2 ||
		    job->gcov_version == PROF_GCOV_3)
			return CMD_OK;
		return cmd_usage(&cmd, "--gcov-version %s: neither 2 nor 3",
				 opts->arg);
	case OPT_EVEN:
		job->even = true;
		return CMD_OK;
	default:
		return rec_option(&job->rec, opts, id);
	}
}

static int count(struct job *job)
{
	struct pd_event ev;
	int ret = rec_open(&job->rec);

	if (ret)
		return ret;
	if (!rec_has_all_branches(&job->rec))
		job->filtered_by = job->rec.path;
	prof_counts_begin(job->counts, job->rec.space);
	while ((ret = rec_next(&job->rec, &ev)) > 0)
		if (ev.sample.has_branches &&
		    prof_counts_sample(job->counts, &ev))
			return cmd_error(&cmd, "out of memory");
	return ret < 0 ? CMD_FAIL : CMD_OK;
}

/* As the machine that recorded names it, or as this one does. */
static int open_binary(struct job *job)
{
	const char *symfs = job->rec.symfs, *why;
	unsigned int i;

	if (symfs && job->binary[0] == '/') {
		if (asprintf(&job->path, "%s%s", symfs, job->binary) < 0) {
			job->path = NULL;
			return cmd_error(&cmd, "out of memory");
		}
		if (access(job->path, F_OK)) {
			free(job->path);
			job->path = NULL;
		}
	}
	why = prof_code_open(&job->code, job->path ? job->path : job->binary,
			     symfs, job->rec.build_id_dir);
	if (why)
		return cmd_error(&cmd, "%s: %s", job->code.path, why);
	for (i = 0; i < job->nr_formats && job->code.module; i++)
		if (job->formats[i]->by == BY_ADDRESS)
			return cmd_error(
				&cmd,
				"%s: --format %s is by address, and a module of the kernel has none before it is loaded; llvm, llvm-ext and gcov are by line",
				job->code.path, job->formats[i]->name);
	return CMD_OK;
}

static void hex_id(char *text, const uint8_t *id, unsigned int size)
{
	for (; size; size--, text += 2)
		sprintf(text, "%02x", *id++);
	*text = 0;
}

static int refuse_build(struct job *job, unsigned int other)
{
	const struct prof_binary *b = &job->counts->binaries[other];
	char recorded[2 * sizeof(b->build_id) + 1], own[17];
	unsigned int size;
	const uint8_t *id = img_file_build_id(job->code.file, &size);

	hex_id(recorded, b->build_id, b->build_id_size);
	recorded[16] = 0;
	hex_id(own, id, size < 8 ? size : 8);
	return cmd_error(
		&cmd,
		"%s: another build than %s that was recorded: build ids %s... and %s...",
		job->code.path, b->name, own, recorded);
}

/* Where most of the transfers are, to be told when none is in the binary. */
static void most_counted(const struct prof_counts *counts, char *list,
			 size_t size)
{
	enum { MOST = 3 };
	unsigned int numbers[MOST], n, i;
	uint64_t transfers[MOST];
	size_t len = 0;

	*list = 0;
	n = prof_most_counted(counts, numbers, transfers, MOST);
	for (i = 0; i < n && len < size; i++)
		len += snprintf(list + len, size - len,
				"%s %s (%" PRIu64 " transfers)",
				i ? "," : "; most are in",
				counts->binaries[numbers[i]].name,
				transfers[i]);
}

/* Why there can be no profile, if there can be none. */
static int check_counts(struct job *job)
{
	const struct prof_counts *counts = job->counts;

	if (!counts->samples)
		return cmd_error(&cmd, "%s: no sample%s", job->rec.path,
				 job->left_out + job->rec.filtered ?
					 " that the options let through" :
					 " with a branch stack");
	if (!counts->entries)
		return cmd_error(
			&cmd, "%s: the branch stacks of all %" PRIu64
			      " samples are empty",
			job->rec.path, counts->samples);
	if (job->filtered_by)
		return cmd_error(
			&cmd,
			"%s: some kinds of branches were not recorded, so that it is not known what ran between two; record with `perf record -b` or `-j any,u`",
			job->filtered_by);
	return CMD_OK;
}

/* How many transfers a sum of their weights is; every sample has its own. */
static uint64_t transfers(const struct job *job, uint64_t weight)
{
	const struct prof_counts *counts = job->counts;

	if (counts->weight == counts->entries)
		return weight;
	return (double)weight / counts->weight * counts->entries + 0.5;
}

static int derive(struct job *job)
{
	unsigned int other, i;
	enum prof_match match;
	char most[1024];

	job->is_mine = calloc(job->counts->nr_binaries, sizeof(*job->is_mine));
	if (!job->is_mine)
		return cmd_error(&cmd, "out of memory");
	match = prof_match(job->counts, &job->code, job->is_mine, &other);
	if (match == PROF_MATCH_BUILD)
		return refuse_build(job, other);
	for (i = 0; i < job->counts->nr_binaries; i++) {
		struct prof_binary *b = &job->counts->binaries[i];

		if (job->is_mine[i] && b->symbol &&
		    !prof_code_named(&job->code, b->symbol, &b->symbol_addr))
			return cmd_error(
				&cmd,
				"%s: has no symbol %s, by which the recording tells where the kernel was",
				job->code.path, b->symbol);
	}
	/* prof_derive() uses up what tells it. */
	most_counted(job->counts, most, sizeof(most));
	if (prof_derive(&job->prof, job->counts, job->is_mine, &job->code))
		return cmd_error(&cmd, "out of memory");
	if (!job->prof.entries)
		return cmd_error(&cmd,
				 "%s: no transfer in it was recorded%s",
				 job->code.path, most);
	if (!job->prof.nr_ranges)
		return cmd_error(
			&cmd,
			"%s: none of the %" PRIu64
			" straight lines between two transfers fits its code",
			job->code.path, transfers(job, job->prof.lines));
	if (match == PROF_MATCH_NAME)
		fprintf(stderr,
			"ssctr profile: %s: taken by its name, as no build id tells whether it is what ran\n",
			job->code.path);
	return CMD_OK;
}

/* What compilers read is by function and line. */
static int open_lines(struct job *job)
{
	switch (prof_lines_open(&job->lines, &job->prof)) {
	case PROF_LINES_OK:
		return CMD_OK;
	case PROF_LINES_NONE:
		return cmd_error(
			&cmd,
			"%s: no debug information, in it or in a debug file; build it with -g (clang: and -fdebug-info-for-profiling), and record again",
			job->code.path);
	case PROF_LINES_DAMAGED:
		return cmd_error(&cmd, "%s: damaged debug information",
				 job->code.path);
	default:
		return cmd_error(&cmd, "out of memory");
	}
}

static int find_lines(struct job *job)
{
	static const enum prof_compiler compilers[NR_BY] = {
		[BY_LLVM_LINE] = PROF_LLVM,
		[BY_GCC_LINE] = PROF_GCC,
	};
	unsigned int i;
	int ret;

	for (i = 0; i < job->nr_formats; i++) {
		enum by by = job->formats[i]->by;

		if (by == BY_ADDRESS || job->samples[by].nr_bodies)
			continue;
		ret = job->lines.dwarf ? CMD_OK : open_lines(job);
		if (ret)
			return ret;
		if (prof_samples_make(&job->samples[by], &job->prof,
				      &job->lines, compilers[by]))
			return cmd_error(&cmd, "out of memory");
		if (!job->samples[by].nr_bodies && job->lines.unread_dwp)
			return cmd_error(
				&cmd,
				"%s: built with -gsplit-dwarf, and this machine's elfutils does not read %s.dwp, as 0.191 does; put the .dwo files beside the program instead",
				job->code.path, job->code.path);
		if (!job->samples[by].nr_bodies && job->lines.missing)
			return cmd_error(
				&cmd,
				"%s: built with -gsplit-dwarf, and %s is not there, nor %s.dwp with what is needed of it",
				job->code.path, job->lines.missing,
				job->code.path);
		if (!job->samples[by].nr_bodies && job->lines.without_ends)
			return cmd_error(
				&cmd,
				"%s: built with -gsplit-dwarf by a compiler that leaves the sizes of RISC-V functions out of .dwo files; build it without",
				job->code.path);
		if (!job->samples[by].nr_bodies)
			return cmd_error(
				&cmd,
				"%s: there is no debug information of what ran in it; build all of it with -g",
				job->code.path);
	}
	return CMD_OK;
}

static int write_one(struct job *job, const struct format *format)
{
	const char *path = job->output;
	struct outfile out;
	char *full = NULL;
	int ret = CMD_OK;

	if (job->nr_formats > 1) {
		if (asprintf(&full, "%s.%s", path, format->name) < 0)
			return cmd_error(&cmd, "out of memory");
		path = full;
	}
	if (outfile_open(&out, path)) {
		ret = cmd_error(&cmd, "%s: %s", path, strerror(errno));
	} else {
		if (format->write(job, out.file))
			ret = cmd_error(&cmd, "out of memory");
		if (outfile_close(&out, !ret) && !ret)
			ret = cmd_error(&cmd, "%s: %s", path, strerror(errno));
	}
	free(full);
	return ret;
}

static void summary(const struct job *job)
{
	const struct prof *prof = &job->prof;
	unsigned int i;

	fprintf(stderr, "%12" PRIu64 " samples\n", job->counts->samples);
	if (job->counts->empty)
		fprintf(stderr, "%12" PRIu64 " of them without a transfer\n",
			job->counts->empty);
	fprintf(stderr, "%12" PRIu64 " transfers, of which\n",
		job->counts->entries);
	fprintf(stderr,
		"%12" PRIu64 " from or to %s: %zu branches, %zu ranges\n",
		transfers(job, prof->entries), job->code.path,
		prof->nr_branches, prof->nr_ranges);
	if (prof->crossing)
		fprintf(stderr,
			"%12" PRIu64
			" between it and the kernel, which are no branches: left out\n",
			transfers(job, prof->crossing));
	if (prof->traps)
		fprintf(stderr,
			"%12" PRIu64
			" by traps in the kernel, or by code that it changed at run time: left out\n",
			transfers(job, prof->traps));
	for (i = 0; i < PATH_NR_BREAKS; i++)
		if (prof->bad_lines[i])
			fprintf(stderr,
				"%12" PRIu64
				" straight lines left out: %s\n",
				transfers(job, prof->bad_lines[i]),
				path_break_text(i));
	if (job->lines.nr_missing)
		fprintf(stderr,
			"%12u units without lines, as their functions are in files that are not there: %s\n",
			job->lines.nr_missing,
			job->lines.missing ? job->lines.missing : "no name");
	rec_summary(&job->rec);
}

static int profile(struct job *job)
{
	unsigned int i;
	int ret = open_binary(job);

	if (ret)
		return ret;
	job->counts = prof_counts_new();
	if (!job->counts)
		return cmd_error(&cmd, "out of memory");
	job->counts->even = job->even;
	ret = count(job);
	for (i = 0; !ret && i < job->nr_merge; i++) {
		rec_summary(&job->rec);
		job->left_out += job->rec.filtered;
		rec_end(&job->rec);
		job->rec.path = job->merge[i];
		ret = count(job);
	}
	if (!ret)
		ret = check_counts(job);
	if (!ret)
		ret = derive(job);
	if (!ret)
		ret = find_lines(job);
	for (i = 0; !ret && i < job->nr_formats; i++)
		ret = write_one(job, job->formats[i]);
	if (!ret)
		summary(job);
	return ret;
}

int cmd_profile_of(const struct rec_chooser *chooser, int argc, char **argv)
{
	struct job job = { .gcov_version = PROF_GCOV_2 };
	struct cmd_opts opts;
	int id, ret = CMD_OK, i;

	parse_formats(&job, formats[0].name);
	rec_init(&job.rec, &cmd, chooser);
	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0)
		ret = take_option(&job, &opts, id);
	if (!ret && id == CMD_OPT_EXIT)
		ret = opts.status;
	else if (!ret && opts.argc)
		ret = cmd_usage(&cmd, "%s: give the recording with -i",
				opts.argv[0]);
	else if (!ret && !job.binary)
		ret = cmd_usage(&cmd, "which program? name it with -b");
	else if (!ret && !job.output)
		ret = cmd_usage(&cmd, "no output is named with -o");
	else if (!ret && job.nr_formats > 1 && !strcmp(job.output, "-"))
		ret = cmd_usage(&cmd,
				"one format at a time to standard output");
	else if (!ret)
		ret = profile(&job);
	for (i = 0; i < NR_BY; i++)
		prof_samples_free(&job.samples[i]);
	prof_lines_close(&job.lines);
	prof_free(&job.prof);
	prof_code_close(&job.code);
	prof_counts_free(job.counts);
	free(job.is_mine);
	free(job.path);
	free(job.merge);
	rec_close(&job.rec);
	return ret;
}

int cmd_profile(int argc, char **argv)
{
	return cmd_profile_of(NULL, argc, argv);
}
