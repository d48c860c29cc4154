// SPDX-License-Identifier: GPL-2.0-only
#include "profile/job.h"
#include "base/array.h"
#include "base/outfile.h"
#include "count/rank.h"
#include "profile/gcov.h"
#include "profile/lines.h"
#include "profile/llvm.h"
#include "profile/match.h"
#include "profile/probe_file.h"
#include "profile/samples.h"
#include "profile/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a profile is by. */
enum by {
	BY_ADDRESS,
	BY_LLVM_LINE,
	BY_GCC_LINE,
	NR_BY,
};

/* What is known of a binary's code while it is counted. */
struct seen {
	enum { NOT_ASKED, FITS, FITS_NOT } state;
	struct prof_code *code;
	bool done; /* its profile is written, or cannot be */
};

/* A binary that was asked for. */
struct own {
	struct prof_code code;
	bool told; /* what became of it */
};

struct prof_job {
	struct prof_opts opts;
	struct error *error;
	const struct samples *samples; /* of the recording at work */
	const char *recording; /* the same, or the last */
	uint64_t left_out; /* samples of recordings before, by the options */
	unsigned int nr_strangers; /* recordings that have nothing of the binary */
	const char *stranger; /* the first of them */
	struct counts counts;
	struct prof_places places;
	struct own *own; /* of the binaries that were asked for */
	struct prof_code *code; /* of the binary at work */
	struct prof prof;
	struct prof_lines lines;
	struct prof_probes probes;
	size_t nr_off; /* probes at no instruction */
	struct prof_samples lined[NR_BY];
	bool *is_mine; /* by number of a binary */
	struct seen *seen; /* the same */
	size_t cap_seen;
	unsigned int nr_made; /* profiles, of all binaries */
	unsigned int nr_without;
	struct error why_not; /* why the first of these has none */
	struct count_step *part; /* the steps of the binary at work; NULL: all */
	char *output; /* of the binary at work, without the format; NULL: as named */
	const char *filtered_by; /* a recording that lacks branches; NULL */
	bool by_name;
	double used; /* of what ran in the binary */
	char why[256]; /* not more */
};

static int write_llvm(struct prof_job *job, FILE *file)
{
	return prof_write_llvm(&job->lined[BY_LLVM_LINE], file);
}

static int write_llvm_ext(struct prof_job *job, FILE *file)
{
	return prof_write_llvm_ext(&job->lined[BY_LLVM_LINE], file);
}

static int write_gcov(struct prof_job *job, FILE *file)
{
	return prof_write_gcov(&job->lined[BY_GCC_LINE], job->opts.gcov_version,
			       file);
}

static int write_profgen(struct prof_job *job, FILE *file)
{
	prof_write_profgen(&job->prof, file);
	return 0;
}

static int write_bolt(struct prof_job *job, FILE *file)
{
	prof_write_bolt(&job->prof, file);
	return 0;
}

static const struct format {
	const char *name;
	enum by by;
	int (*write)(struct prof_job *job, FILE *file); /* 0 or PD_ENOMEM */
} formats[PROF_NR_FORMATS] = {
	[PROF_FORMAT_LLVM] = { "llvm", BY_LLVM_LINE, write_llvm },
	[PROF_FORMAT_LLVM_EXT] = { "llvm-ext", BY_LLVM_LINE, write_llvm_ext },
	[PROF_FORMAT_GCOV] = { "gcov", BY_GCC_LINE, write_gcov },
	[PROF_FORMAT_PROFGEN] = { "profgen", BY_ADDRESS, write_profgen },
	[PROF_FORMAT_BOLT] = { "bolt", BY_ADDRESS, write_bolt },
};

const char *prof_format_name(enum prof_format format)
{
	return formats[format].name;
}

static int check_formats(struct prof_job *job)
{
	unsigned int i;

	for (i = 0; i < job->opts.nr_formats && job->code->module; i++)
		if (formats[job->opts.formats[i]].by == BY_ADDRESS)
			return error_set(
				job->error, ERROR_INPUT,
				"%s: --format %s is by address, and a module of the kernel has none before it is loaded; llvm, llvm-ext and gcov are by line",
				job->code->path, formats[job->opts.formats[i]].name);
	return 0;
}

/* Each as the machine that recorded names it, or as this one does. */
static int open_binaries(struct prof_job *job)
{
	const char *why;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < job->opts.nr_binaries; i++) {
		job->code = &job->own[i].code;
		why = prof_code_open(job->code, job->opts.binaries[i],
				     job->opts.samples);
		ret = why ? error_set(job->error, ERROR_INPUT, "%s: %s",
				      job->code->path, why) :
			    check_formats(job);
	}
	return ret;
}

/* A profile of each binary, in a folder? */
static bool is_folder(const struct prof_job *job)
{
	return job->opts.all || job->opts.nr_binaries > 1;
}

static int refuse_build(struct prof_job *job, unsigned int other)
{
	const struct prof_binary *b = &job->places.binaries[other];
	char recorded[2 * sizeof(b->build_id) + 1], own[17];
	unsigned int size;
	const uint8_t *id = img_file_build_id(job->code->file, &size);

	img_print_build_id(recorded, b->build_id, b->build_id_size);
	recorded[16] = 0;
	img_print_build_id(own, id, size < 8 ? size : 8);
	return error_set(
		job->error, ERROR_INPUT,
		"%s: another build than %s that was recorded: build ids %s... and %s...",
		job->code->path, b->name, own, recorded);
}

/* How many transfers a sum of their weights is; every sample has its own. */
static uint64_t transfers(const struct prof_job *job, uint64_t weight)
{
	return count_transfers(weight, job->counts.weight, job->counts.entries);
}

/* Where the transfers led, by binary; list->v is the caller's. False: out of memory. */
static bool rank_binaries(const struct prof_job *job, struct count_list *list)
{
	uint64_t *sums = calloc(job->places.nr_binaries, sizeof(*sums));
	bool done;
	size_t i;

	*list = (struct count_list){ 0 };
	for (i = 0; sums && i < job->counts.nr_steps; i++) {
		const struct count_step *s = &job->counts.steps[i];

		if (count_number_of(s->to) >= PROF_FIRST_BINARY)
			sums[count_number_of(s->to)] += s->count;
	}
	done = sums && count_rank(list, sums, job->places.nr_binaries, sizeof(*sums));
	free(sums);
	return done;
}

/* Where most of the transfers are, to be told when none is in the binary. */
static void most_counted(const struct prof_job *job, char *text, size_t size)
{
	enum { MOST = 3 };
	struct count_list list;
	size_t i, len = 0;

	*text = 0;
	rank_binaries(job, &list);
	for (i = 0; i < list.nr && i < MOST && len < size; i++)
		len += snprintf(text + len, size - len,
				"%s %s (%" PRIu64 " transfers)",
				i ? "," : "; most are in",
				job->places.binaries[list.v[i].number].name,
				transfers(job, list.v[i].count));
	free(list.v);
}

/* Why there can be no profile, if there can be none. */
static int check_counts(struct prof_job *job)
{
	const struct counts *counts = &job->counts;

	if (!counts->samples)
		return error_set(job->error, ERROR_INPUT, "%s: no sample%s", job->recording,
				 job->left_out ?
					 " that the options let through" :
					 " with a branch stack");
	if (!counts->entries)
		return error_set(
			job->error, ERROR_INPUT, "%s: the branch stacks of all %" PRIu64
			      " samples are empty",
			job->recording, counts->samples);
	if (job->filtered_by)
		return error_set(
			job->error, ERROR_INPUT,
			"%s: some kinds of branches were not recorded, so that it is not known what ran between two; record with `perf record -b` or `-j any,u`",
			job->filtered_by);
	return 0;
}

/* How much of what ran in the binary fits its code, and why the rest does not. */
static void find_used(struct prof_job *job)
{
	const struct prof *prof = &job->prof;
	uint64_t bad = 0, most = 0;
	enum path_break i;

	for (i = 0; i < PATH_NR_BREAKS; i++) {
		bad += prof->bad_lines[i];
		if (prof->bad_lines[i] <= most)
			continue;
		most = prof->bad_lines[i];
		snprintf(job->why, sizeof(job->why),
			 "straight lines do not fit its code (%s), which may be of another build",
			 path_break_text(i));
	}
	job->used = prof->lines ? 1 - (double)bad / prof->lines : 1;
}

/* Of all steps a copy of those in the binary. False: out of memory. */
static bool take_part(struct prof_job *job, struct counts *part)
{
	const struct counts *all = &job->counts;
	size_t i;

	job->part = malloc((all->nr_steps + 1) * sizeof(*job->part));
	if (!job->part)
		return false;
	*part = (struct counts){ .steps = job->part };
	for (i = 0; i < all->nr_steps; i++)
		if (job->is_mine[count_number_of(all->steps[i].from)] ||
		    job->is_mine[count_number_of(all->steps[i].to)])
			part->steps[part->nr_steps++] = all->steps[i];
	return true;
}

static int derive(struct prof_job *job)
{
	struct counts part, *counts = &job->counts;
	unsigned int other, i;
	enum prof_match match;
	char most[1024];

	free(job->is_mine);
	job->is_mine = calloc(job->places.nr_binaries, sizeof(*job->is_mine));
	if (!job->is_mine)
		return error_nomem(job->error);
	match = prof_match(&job->places, job->code, job->is_mine, &other);
	if (match == PROF_MATCH_BUILD)
		return refuse_build(job, other);
	for (i = 0; i < job->places.nr_binaries; i++) {
		struct prof_binary *b = &job->places.binaries[i];

		if (job->is_mine[i] && b->symbol &&
		    !prof_code_named(job->code, b->symbol, &b->symbol_addr))
			return error_set(
				job->error, ERROR_INPUT,
				"%s: has no symbol %s, by which the recording tells where the kernel was",
				job->code->path, b->symbol);
	}
	if (is_folder(job)) {
		counts = &part;
		if (!take_part(job, &part))
			return error_nomem(job->error);
	} else {
		/* prof_derive() uses up what tells it. */
		most_counted(job, most, sizeof(most));
	}
	if (prof_derive(&job->prof, counts, &job->places, job->is_mine, job->code))
		return error_nomem(job->error);
	if (!job->prof.entries) {
		if (is_folder(job))
			most_counted(job, most, sizeof(most));
		return error_set(job->error, ERROR_INPUT,
				 "%s: no transfer in it was recorded%s",
				 job->code->path, most);
	}
	job->by_name = match == PROF_MATCH_NAME;
	find_used(job);
	if (!job->prof.nr_ranges)
		return error_set(
			job->error, ERROR_PARTIAL,
			"%s: none of the %" PRIu64
			" straight lines between two transfers fits its code",
			job->code->path, transfers(job, job->prof.lines));
	return samples_check_used(job->opts.samples, job->code->path,
				  job->counts.samples, job->used, job->why,
				  job->error);
}

/* What compilers read is by function and line. */
static int open_lines(struct prof_job *job)
{
	switch (prof_lines_open(&job->lines, &job->prof)) {
	case PROF_LINES_OK:
		return 0;
	case PROF_LINES_NONE:
		return error_set(
			job->error, ERROR_INPUT,
			"%s: no debug information, in it or in a debug file; build it with -g (clang: and -fdebug-info-for-profiling), and record again",
			job->code->path);
	case PROF_LINES_DAMAGED:
		return error_set(job->error, ERROR_INPUT, "%s: damaged debug information",
				 job->code->path);
	default:
		return error_nomem(job->error);
	}
}

static int open_probes(struct prof_job *job)
{
	switch (prof_probes_open(&job->probes, &job->prof)) {
	case PROF_PROBES_OK:
		return 0;
	case PROF_PROBES_DAMAGED:
		return error_set(job->error, ERROR_INPUT, "%s: damaged pseudo-probes",
				 job->code->path);
	default:
		return error_nomem(job->error);
	}
}

/* LLVM's profile of a program that has pseudo-probes is by these, and not by line. */
static int find_probes(struct prof_job *job)
{
	struct prof_samples *samples = &job->lined[BY_LLVM_LINE];
	enum prof_lines_state state;
	int ret = open_probes(job);
	struct prof_lines lines;

	if (ret)
		return ret;
	/* Without debug information calls have no targets, and all else is the same. */
	state = prof_lines_open(&lines, &job->prof);
	if (state == PROF_LINES_NO_MEMORY ||
	    prof_samples_make_by_probe(samples, &job->prof, &job->probes,
				       state == PROF_LINES_OK ? &lines : NULL,
				       &job->nr_off))
		ret = error_nomem(job->error);
	prof_lines_close(&lines);
	if (ret)
		return ret;
	if (job->nr_off > (1 - job->opts.samples->least) * job->probes.nr &&
	    !job->opts.samples->allow_partial)
		return error_set(
			job->error, ERROR_PARTIAL,
			"%s: %zu of %zu pseudo-probes are not at an instruction, because the linker moved the code after clang had computed their addresses; build it with -mno-relax and record again",
			job->code->path, job->nr_off, job->probes.nr);
	if (!samples->nr_bodies)
		return error_set(
			job->error, ERROR_INPUT,
			"%s: what ran in it has no pseudo-probes, as the rest of it has; build all of it with -fpseudo-probe-for-profiling",
			job->code->path);
	return 0;
}

static int find_lines(struct prof_job *job)
{
	static const enum prof_compiler compilers[NR_BY] = {
		[BY_LLVM_LINE] = PROF_LLVM,
		[BY_GCC_LINE] = PROF_GCC,
	};
	unsigned int i;
	int ret;

	for (i = 0; i < job->opts.nr_formats; i++) {
		enum by by = formats[job->opts.formats[i]].by;

		if (by == BY_ADDRESS || job->lined[by].nr_bodies)
			continue;
		if (by == BY_LLVM_LINE && prof_has_probes(job->code)) {
			ret = find_probes(job);
			if (ret)
				return ret;
			continue;
		}
		ret = job->lines.dwarf ? 0 : open_lines(job);
		if (ret)
			return ret;
		if (prof_samples_make(&job->lined[by], &job->prof,
				      &job->lines, compilers[by]))
			return error_nomem(job->error);
		if (!job->lined[by].nr_bodies && job->lines.unread_dwp)
			return error_set(
				job->error, ERROR_INPUT,
				"%s: built with -gsplit-dwarf, and this machine's elfutils does not read %s.dwp, as 0.191 does; put the .dwo files beside the program instead",
				job->code->path, job->code->path);
		if (!job->lined[by].nr_bodies && job->lines.missing)
			return error_set(
				job->error, ERROR_INPUT,
				"%s: built with -gsplit-dwarf, and %s is not there, nor %s.dwp with what is needed of it",
				job->code->path, job->lines.missing,
				job->code->path);
		if (!job->lined[by].nr_bodies && job->lines.without_ends)
			return error_set(
				job->error, ERROR_INPUT,
				"%s: built with -gsplit-dwarf by a compiler that leaves the sizes of RISC-V functions out of .dwo files; build it without",
				job->code->path);
		if (!job->lined[by].nr_bodies)
			return error_set(
				job->error, ERROR_INPUT,
				"%s: there is no debug information of what ran in it; build all of it with -g",
				job->code->path);
	}
	return 0;
}

static int write_one(struct prof_job *job, const struct format *format)
{
	const char *path = job->output ?: job->opts.output;
	struct outfile out;
	char *full = NULL;
	int ret = 0;

	if (job->opts.nr_formats > 1 || job->output) {
		if (asprintf(&full, "%s.%s", path, format->name) < 0)
			return error_nomem(job->error);
		path = full;
	}
	ret = outfile_open(&out, path);
	if (!ret && format->write(job, out.file)) {
		outfile_close(&out, false);
		free(full);
		return error_nomem(job->error);
	}
	if (ret || outfile_close(&out, true))
		ret = error_set(job->error, ERROR_OUTPUT, "%s: %s", path,
				strerror(errno));
	free(full);
	return ret;
}

/* Its code; NULL: it is not there, or not what is asked for. */
static struct prof_code *find_code(struct prof_job *job,
				   const struct prof_binary *b)
{
	struct prof_code *code;
	size_t i;

	for (i = 0; i < job->opts.nr_binaries; i++)
		if (prof_match_one(&job->own[i].code, b) >= PROF_MATCH_NAME)
			return &job->own[i].code;
	if (!job->opts.all)
		return NULL;
	code = malloc(sizeof(*code));
	if (code && !prof_code_open(code, b->name, job->opts.samples) &&
	    prof_match_one(code, b) >= PROF_MATCH_NAME)
		return code;
	if (code)
		prof_code_close(code);
	free(code);
	return NULL;
}

/* A binary's code, which is looked for once; NULL: as find_code(). */
static struct prof_code *code_of(struct prof_job *job, unsigned int number)
{
	struct prof_binary *b = &job->places.binaries[number];
	struct seen *seen;

	if (number < PROF_FIRST_BINARY ||
	    !array_cover(&job->seen, number, &job->cap_seen, sizeof(*seen)))
		return NULL;
	seen = &job->seen[number];
	if (seen->state == NOT_ASKED) {
		seen->code = find_code(job, b);
		seen->state = seen->code && (!b->symbol ||
					     prof_code_named(seen->code, b->symbol,
							     &b->symbol_addr)) ?
				      FITS :
				      FITS_NOT;
	}
	return seen->state == FITS ? seen->code : NULL;
}

/* To be struct counts.find and code. */
static bool find(void *arg, uint32_t pid, uint64_t addr, struct count_map *map)
{
	struct prof_job *job = arg;

	return prof_places_find(&job->places, pid, addr, map);
}

static const uint8_t *bytes_at(void *arg, count_place place, uint64_t *len)
{
	struct prof_job *job = arg;
	const unsigned int number = count_number_of(place);
	const struct prof_binary *b = &job->places.binaries[number];
	const struct prof_code *code = code_of(job, number);
	uint64_t addr;

	if (!code || !prof_linked_addr(code, b, place, &addr))
		return NULL;
	return prof_code_bytes(code, addr, len);
}

struct prof_job *prof_job_open(const struct prof_opts *opts,
			       struct error *error)
{
	struct prof_job *job = calloc(1, sizeof(*job));

	if (!job) {
		error_nomem(error);
		return NULL;
	}
	job->opts = *opts;
	job->own = calloc(opts->nr_binaries + 1, sizeof(*job->own));
	job->error = error;
	job->counts = (struct counts){ .find = find,
				       .arg = job,
				       .weighed = !opts->raw,
				       .code = bytes_at };
	if (!job->own || !prof_places_init(&job->places))
		error_nomem(error);
	else if (!open_binaries(job))
		return job;
	prof_job_free(job);
	return NULL;
}

void prof_job_begin(struct prof_job *job, const struct samples *samples)
{
	job->samples = samples;
	job->recording = samples->path;
	if (!samples_have_all_branches(samples))
		job->filtered_by = samples->path;
	prof_places_begin(&job->places, samples->space);
}

int prof_job_sample(struct prof_job *job, const struct pd_event *ev)
{
	if (ev->sample.has_branches && !count_sample(&job->counts, ev))
		return error_nomem(job->error);
	return 0;
}

/* Did anything of the binary run in the recording at work? */
static bool has_part(struct prof_job *job)
{
	const struct prof_places *places = &job->places;
	size_t i;

	for (i = 0; i < places->cap_numbers; i++)
		if (places->numbers[i] &&
		    code_of(job, places->numbers[i]))
			return true;
	return false;
}

void prof_job_end(struct prof_job *job)
{
	if (!is_folder(job) && !has_part(job) && !job->nr_strangers++)
		job->stranger = job->recording;
	job->left_out += job->samples->filtered;
	job->samples = NULL;
}

int prof_job_add(struct prof_job *job, struct samples *samples)
{
	struct pd_event ev;
	int ret;

	prof_job_begin(job, samples);
	while ((ret = samples_next(samples, &ev, job->error)) > 0) {
		ret = prof_job_sample(job, &ev);
		if (ret)
			break;
	}
	prof_job_end(job);
	return ret;
}

/* From what was counted to the files of the binary at work. */
static int make_profile(struct prof_job *job)
{
	int ret = derive(job);
	unsigned int i;

	if (!ret)
		ret = find_lines(job);
	for (i = 0; !ret && i < job->opts.nr_formats; i++)
		ret = write_one(job, &formats[job->opts.formats[i]]);
	return ret;
}

static void forget_profile(struct prof_job *job)
{
	unsigned int i;

	for (i = 0; i < NR_BY; i++)
		prof_samples_free(&job->lined[i]);
	prof_lines_close(&job->lines);
	prof_probes_free(&job->probes);
	job->nr_off = 0;
	prof_free(&job->prof);
	free(job->part);
	free(job->output);
	job->part = NULL;
	job->output = NULL;
}

/*
 * DIR/NAME-BUILDID: its files' names without the format. The kernel and its modules have
 * those of their files, which are no names in brackets. False: out of memory.
 */
static bool name_output(struct prof_job *job, const struct prof_binary *b)
{
	const char *name = basename(b->kernel ? job->code->path : b->name);
	char id[2 * sizeof(b->build_id) + 1];

	img_print_build_id(id, b->build_id, b->build_id_size);
	id[8] = 0;
	if (asprintf(&job->output, "%s/%s%s%s", job->opts.output, name,
		     *id ? "-" : "", id) >= 0)
		return true;
	job->output = NULL;
	return false;
}

/* What the error tells is of this binary alone. */
static void tell_why_not(struct prof_job *job, FILE *summary)
{
	fprintf(summary, "%s\n", job->error->text);
	if (!job->nr_without++)
		job->why_not = *job->error;
}

/* Those that were asked for and are this binary have had their profile, or cannot. */
static void tell_own(struct prof_job *job, const struct prof_binary *b)
{
	size_t i;

	for (i = 0; i < job->opts.nr_binaries; i++)
		if (prof_match_one(&job->own[i].code, b) >= PROF_MATCH_NAME)
			job->own[i].told = true;
}

/* One of several; its line of the summary says what became of it. */
static int make_one(struct prof_job *job, unsigned int number, FILE *summary)
{
	const struct prof_binary *b = &job->places.binaries[number];
	int ret = 0;
	size_t i;

	if (job->cap_seen > number && job->seen[number].done)
		return 0;
	job->code = code_of(job, number);
	if (!job->code && !job->opts.all)
		return 0;
	if (!job->code) {
		error_set(job->error, ERROR_INPUT,
			  "%s: not found, or not as it was recorded; name a place that has it with --code",
			  b->name);
		tell_why_not(job, summary);
		return 0;
	}
	if (!name_output(job, b))
		return error_nomem(job->error);
	ret = check_formats(job);
	if (!ret)
		ret = make_profile(job);
	for (i = 0; job->is_mine && i < job->places.nr_binaries; i++)
		if (job->is_mine[i] && i < job->cap_seen)
			job->seen[i].done = true;
	if (!ret) {
		fprintf(summary, "%s: %s, %" PRIu64 " transfers, %.1f %% of its straight lines%s\n",
			b->name, job->output,
			transfers(job, job->prof.entries), 100 * job->used,
			job->by_name ? ", taken by its name, as no build id tells whether it is what ran" :
				       "");
		job->nr_made++;
	} else if (ret == ERROR_INPUT || ret == ERROR_PARTIAL) {
		tell_why_not(job, summary);
		ret = 0;
	}
	forget_profile(job);
	tell_own(job, b);
	return ret;
}

/* A binary that was asked for, and that nothing led to. */
static void tell_missing(struct prof_job *job, struct own *own, FILE *summary)
{
	job->code = &own->code;
	if (!derive(job))
		error_set(job->error, ERROR_INPUT, "%s: no transfer led to it",
			  job->code->path);
	tell_why_not(job, summary);
	forget_profile(job);
}

/* The binary with the most transfers first. */
static int make_each(struct prof_job *job, FILE *summary)
{
	struct count_list list;
	int ret = 0;
	size_t i;

	if (!rank_binaries(job, &list))
		return error_nomem(job->error);
	for (i = 0; !ret && i < list.nr; i++)
		ret = make_one(job, list.v[i].number, summary);
	free(list.v);
	for (i = 0; !ret && i < job->opts.nr_binaries; i++)
		if (!job->own[i].told)
			tell_missing(job, &job->own[i], summary);
	if (!ret && !job->nr_made)
		ret = error_set(job->error, ERROR_INPUT,
				"%s: none of %zu binaries that %s has a profile: %s",
				job->recording,
				job->opts.all ? list.nr : job->opts.nr_binaries,
				job->opts.all ? "ran" : "-b names",
				job->why_not.text);
	return ret;
}

/* A folder with the profiles, and what became of each binary in the file `summary`. */
static int make_folder(struct prof_job *job)
{
	struct outfile out;
	char *path;
	int ret;

	if (mkdir(job->opts.output, 0777) && errno != EEXIST)
		return error_set(job->error, ERROR_OUTPUT, "%s: %s",
				 job->opts.output, strerror(errno));
	if (asprintf(&path, "%s/summary", job->opts.output) < 0)
		return error_nomem(job->error);
	if (outfile_open(&out, path)) {
		ret = error_set(job->error, ERROR_OUTPUT, "%s: %s", path,
				strerror(errno));
		free(path);
		return ret;
	}
	ret = make_each(job, out.file);
	if (outfile_close(&out, !ret) && !ret)
		ret = error_set(job->error, ERROR_OUTPUT, "%s: %s", path,
				strerror(errno));
	free(path);
	/* A folder that was there, and has something, stays. */
	if (ret)
		rmdir(job->opts.output);
	return ret;
}

int prof_job_close(struct prof_job *job)
{
	int ret = check_counts(job);

	if (ret)
		return ret;
	ret = is_folder(job) ? make_folder(job) : make_profile(job);
	/* What was asked for by name has to be there. */
	if (!ret && !job->opts.all && job->nr_without)
		ret = error_set(job->error, ERROR_INPUT,
				"%s; %u other profiles are in %s",
				job->why_not.text, job->nr_made,
				job->opts.output);
	return ret;
}

const char *prof_job_taken_by_name(const struct prof_job *job)
{
	return job->by_name && !is_folder(job) ? job->code->path : NULL;
}

void prof_job_note(const struct prof_job *job, struct notes *notes)
{
	const struct prof *prof = &job->prof;
	unsigned int i;

	notes_add(notes, job->counts.samples, "samples");
	notes_count(notes, job->counts.empty, "of them without a transfer");
	if (is_folder(job)) {
		notes_add(notes, job->counts.entries, "transfers");
		notes_add(notes, job->nr_made,
			  "binaries have a profile; %s/summary says what became of each",
			  job->opts.output);
		notes_count(notes, job->nr_without, "binaries have none");
		return;
	}
	notes_add(notes, job->counts.entries, "transfers, of which");
	notes_add(notes, transfers(job, prof->entries),
		  "from or to %s: %zu branches, %zu ranges", job->code->path,
		  prof->nr_branches, prof->nr_ranges);
	if (prof->crossing)
		notes_add(notes, transfers(job, prof->crossing),
			  "between it and the kernel, which are no branches: left out");
	if (prof->traps)
		notes_add(notes, transfers(job, prof->traps),
			  "by traps in the kernel, or by code that it changed at run time: left out");
	for (i = 0; i < PATH_NR_BREAKS; i++)
		if (prof->bad_lines[i])
			notes_add(notes, transfers(job, prof->bad_lines[i]),
				  "straight lines left out: %s",
				  path_break_text(i));
	notes_count(notes, job->nr_strangers,
		    "recordings that have nothing of %s: %s", job->code->path,
		    job->stranger);
	samples_note_used(job->opts.samples, job->counts.samples, job->used,
			  job->why, notes);
	notes_count(notes, job->probes.nr, "pseudo-probes, by which the profile is");
	notes_count(notes, job->nr_off,
		    "of them at no instruction, because the linker moved the code: build with -mno-relax");
	notes_count(notes, job->lines.nr_missing,
		    "units without lines, as their functions are in files that are not there: %s",
		    job->lines.missing ? job->lines.missing : "no name");
}

void prof_job_free(struct prof_job *job)
{
	size_t i;

	if (!job)
		return;
	forget_profile(job);
	for (i = 0; i < job->cap_seen; i++)
		if (job->opts.all && job->seen[i].code) {
			prof_code_close(job->seen[i].code);
			free(job->seen[i].code);
		}
	for (i = 0; job->own && i < job->opts.nr_binaries; i++)
		prof_code_close(&job->own[i].code);
	free(job->own);
	count_free(&job->counts);
	prof_places_free(&job->places);
	free(job->is_mine);
	free(job->seen);
	free(job);
}
